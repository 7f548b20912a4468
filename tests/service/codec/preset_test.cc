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

}  // namespace
}  // namespace neardup
