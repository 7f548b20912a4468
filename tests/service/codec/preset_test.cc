#include "service/codec/preset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace neardup {
namespace {

using ::testing::ElementsAre;
TEST(Preset, every_name_resolves_to_itself) {
  for (const std::string_view name : kPresetNames) {
    InputConfig input;
    input.preset = name;
    const Preset preset = resolve_preset(input);
    EXPECT_EQ(preset.name, name);
    EXPECT_FALSE(preset.id_from.empty());
  }
}

TEST(Preset, input_replaces_single_lists_and_keeps_the_others) {
  InputConfig input;
  input.fields.text = {"/article/paragraphs/0", "/a~1b"};
  input.id_from = {"url", "key"};
  input.base64 = "auto";
  const Preset preset = resolve_preset(input);
  EXPECT_THAT(preset.fields.text, ElementsAre("/article/paragraphs/0", "/a~1b"));
  EXPECT_EQ(preset.fields.html, resolve_preset(InputConfig{}).fields.html);
  EXPECT_THAT(preset.id_from, ElementsAre(IdFrom::kUrl, IdFrom::kKey));
  EXPECT_EQ(preset.base64, Base64::kAuto);
}

TEST(Preset, a_line_s_place_names_what_nothing_else_names) {
  const auto id_from = [](const InputConfig& input) { return resolve_preset_of_lines(input).id_from; };
  EXPECT_THAT(id_from({}), ElementsAre(IdFrom::kField, IdFrom::kUrl, IdFrom::kKey));
  InputConfig input;
  input.id_from = {"key", "url"};
  EXPECT_THAT(id_from(input), ElementsAre(IdFrom::kUrl, IdFrom::kKey));
  input.id_from = {"url"};
  EXPECT_THAT(id_from(input), ElementsAre(IdFrom::kUrl)) << "who wants no key has no place either";
  input.id_from = {};
  input.preset = "raw";
  EXPECT_THAT(id_from(input), ElementsAre(IdFrom::kKey));
}

}  // namespace
}  // namespace neardup
