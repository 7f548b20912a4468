#include "service/journal/signature_settings.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace neardup {
namespace {

struct Setting {
  std::string_view name;
  std::string_view value;
  bool is_default = false;
};

// What `text` stands for, with the defaults that it leaves out.
std::vector<Setting> settings_of(std::string_view text) {
  std::vector<Setting> settings;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::size_t equals = std::min(word.find('='), word.size());
    if (word == "routes=mgrams") {
      settings.push_back({"detector.mode", "mgram"});
    } else if (word == "routes=none" || word == "routes=long") {
      settings.push_back({"detector.mode", "simhash"});
      settings.push_back(
          {"detector.verify", word == "routes=long" ? "sketch" : "off", word == "routes=none"});
    } else {
      settings.push_back({word.substr(0, equals), word.substr(std::min(equals + 1, word.size()))});
    }
  }
  for (const auto& [name, value] :
       {std::pair{"html.extract", "main"},
        {"text.chinese", "as_is"},
        {"fingerprint.kind", "simhash"},
        {"fingerprint.features", "words"},
        {"fingerprint.stop_words_file", "\"\""},
        {"fingerprint.idf_file", "\"\""},
        {"detector.mode", "hybrid"},
        {"detector.sketch", "standard"},
        {"detector.gram_units", "characters or words"}}) {  // which are made of the same text
    if (std::ranges::find(settings, std::string_view(name), &Setting::name) == settings.end())
      settings.push_back({name, value, true});
  }
  return settings;
}

}  // namespace

std::string settings_apart(std::string_view text, std::string_view other) {
  const std::vector<Setting> others = settings_of(other);
  std::string apart;
  for (const Setting& setting : settings_of(text)) {
    const auto there = std::ranges::find(others, setting.name, &Setting::name);
    if (there == others.end() ? setting.is_default : there->value == setting.value) continue;
    apart.append(apart.empty() ? "" : " ").append(setting.name).append("=").append(setting.value);
  }
  return apart;
}

std::string made_otherwise(std::string_view stored, std::string_view configured) {
  return "its signatures were made with " + settings_apart(stored, configured) +
         ", but the configuration says " + settings_apart(configured, stored) +
         ": the two cannot be compared";
}

}  // namespace neardup
