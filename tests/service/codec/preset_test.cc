#include "service/codec/preset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace neardup {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const InputConfig& input) {
  const Result<Preset> preset = resolve_preset(input);
  return preset.ok() ? "accepted" : preset.error().message;
}

TEST(Preset, every_name_resolves_to_itself) {
  EXPECT_THAT(preset_names(), ElementsAre("json", "scrapy-cluster", "heritrix", "raw"));
  for (const std::string_view name : preset_names()) {
    InputConfig input;
    input.preset = name;
    const Result<Preset> preset = resolve_preset(input);
    ASSERT_TRUE(preset.ok()) << name;
    EXPECT_EQ(preset->name, name);
    EXPECT_FALSE(preset->id_from.empty());
  }
}

TEST(Preset, the_configuration_knows_the_same_names) {
  for (const std::string_view name : preset_names()) {
    ConfigSources sources;
    sources.sets = {"input.preset=" + std::string(name)};
    const Result<LoadedConfig> loaded = load_config(sources);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_EQ(resolve_preset(loaded->config.input)->name, name);
  }
}

TEST(Preset, an_unknown_name_is_refused_with_the_nearest_one) {
  InputConfig input;
  input.preset = "scrapy_cluster";
  EXPECT_EQ(refusal(input),
            "input.preset: \"scrapy_cluster\" is not a preset; did you mean \"scrapy-cluster\"? "
            "There are: json scrapy-cluster heritrix raw");
  input.preset = "yaml";
  EXPECT_EQ(refusal(input),
            "input.preset: \"yaml\" is not a preset. There are: json scrapy-cluster heritrix raw");
}

TEST(Preset, input_replaces_single_lists_and_keeps_the_others) {
  InputConfig input;
  input.fields.text = {"/article/paragraphs/0", "/a~1b"};
  input.id_from = {"url", "key"};
  input.base64 = "auto";
  const Result<Preset> preset = resolve_preset(input);
  ASSERT_TRUE(preset.ok());
  EXPECT_THAT(preset->fields.text, ElementsAre("/article/paragraphs/0", "/a~1b"));
  EXPECT_EQ(preset->fields.html, resolve_preset(InputConfig{})->fields.html);
  EXPECT_THAT(preset->id_from, ElementsAre(IdFrom::kUrl, IdFrom::kKey));
  EXPECT_EQ(preset->base64, Base64::kAuto);
}

TEST(Preset, a_malformed_pointer_is_named_with_its_setting) {
  for (const std::string bad : {"", "text", "/a~", "/a~2", "$.text"}) {
    InputConfig input;
    input.fields.html = {"/html", bad};
    EXPECT_THAT(refusal(input), HasSubstr("input.fields.html: \"" + bad + "\" is not a JSON pointer"));
  }
}

TEST(Preset, words_that_mean_nothing_are_refused) {
  InputConfig ids;
  ids.id_from = {"field", "hash"};
  EXPECT_THAT(refusal(ids), HasSubstr("input.id_from: \"hash\" is not one of field, key, url"));
  InputConfig base64;
  base64.base64 = "yes";
  EXPECT_THAT(refusal(base64), HasSubstr("input.base64: \"yes\" is not one of"));
}

TEST(Preset, raw_refuses_settings_that_it_could_only_ignore) {
  InputConfig fields;
  fields.preset = "raw";
  fields.fields.text = {"/text"};
  EXPECT_THAT(refusal(fields), HasSubstr("input.fields.text: preset \"raw\" has no fields"));
  InputConfig ids;
  ids.preset = "raw";
  ids.id_from = {"field", "key"};
  EXPECT_THAT(refusal(ids), HasSubstr("input.id_from"));
  ids.id_from = {"key"};
  EXPECT_EQ(refusal(ids), "accepted");
}

}  // namespace
}  // namespace neardup
