// What is a setting, apart from its default?
//
// The table of all settings and the few operations on one: take a value from text, show it as YAML. For
// config.cc (loading) and config_text.cc (printing) only; everybody else includes service/config.h.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "service/config.h"

namespace neardup {

using PropertyMap = std::map<std::string, std::string>;
using Field = std::variant<std::string*, int*, std::size_t*, Permille*, std::vector<std::string>*,
                           PropertyMap*, bool*>;  // a place in Config

struct Setting {
  std::string_view path;  // "kafka.topics.input"
  Field (*field)(Config&) = nullptr;
  std::string_view about;  // one line for people
  std::string_view unit = "";
  std::int64_t min = 0;  // of numbers; of shares in thousandths
  std::int64_t max = 0;
  std::vector<std::string_view> choices = {};         // of words, and of the items of a list
  std::string (*refuse)(std::string_view) = nullptr;  // of words and items: why not, or ""
  bool file = false;                                  // names a file that must be readable

  bool is_list() const;
  bool is_map() const;
  std::string type() const;   // "text", "whole number", "size", "share", "list", "map", "true or false"
  std::string range() const;  // "5 .. 10000 ms", "0.5 .. 1", "a, b or c"; "" when any value will do
};

// In the order of config/neardup.yaml: settings of a section stand together.
std::span<const Setting> settings();

// The setting of that path, or nullptr.
const Setting* find_setting(std::string_view path);

// One line for people about "kafka" or "kafka.topics"; "" when there is no such section.
std::string_view section_about(std::string_view section);

// Each takes a value into `config`, or says why not: "VALUE is not ...". A list is given whole; a map by
// property.
Status assign(const Setting& setting, Config& config, const std::string& value);
Status assign_list(const Setting& setting, Config& config, std::vector<std::string> items);
Status assign_property(const Setting& setting, Config& config, const std::string& property,
                       const std::string& value);

// The value as YAML on one line: 64MiB, [/text, /body], "".
std::string yaml_value(const Setting& setting, const Config& config);
std::string yaml_scalar(std::string_view text);

// Why Kafka would take no topic of this name, or "".
std::string refuse_topic(std::string_view name);

}  // namespace neardup
