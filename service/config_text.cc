// The three texts that the table of settings yields: the resolved configuration, the file of defaults, and
// the reference for people.
#include <string>
#include <string_view>
#include <vector>

#include "service/config.h"
#include "service/config_table.h"

namespace neardup {
namespace {

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t dot; (dot = path.find('.')) != std::string_view::npos; path.remove_prefix(dot + 1)) {
    parts.push_back(path.substr(0, dot));
  }
  parts.push_back(path);
  return parts;
}

// Writes the settings as nested YAML: `line` gives what stands at each setting, with the indent it gets.
template <class Line>
std::string nested(bool explained, Line line) {
  std::string out;
  std::vector<std::string_view> open;  // the sections around the line before
  for (const Setting& setting : settings()) {
    std::vector<std::string_view> parts = parts_of(setting.path);
    parts.pop_back();
    std::size_t same = 0;
    while (same < open.size() && same < parts.size() && open[same] == parts[same]) ++same;
    for (std::size_t level = same; level < parts.size(); ++level) {
      const std::string indent(level * 2, ' ');
      const std::size_t end =
          static_cast<std::size_t>(parts[level].data() + parts[level].size() - setting.path.data());
      if (explained && level == 0 && !out.empty()) out += "\n";
      if (explained) out += indent + "# " + std::string(section_about(setting.path.substr(0, end))) + "\n";
      out += indent + std::string(parts[level]) + ":\n";
    }
    open = parts;
    out += line(setting, std::string(parts.size() * 2, ' '));
  }
  return out;
}

// What there is to say of a section, and of those in it, a paragraph each.
std::string about_of(std::string_view section) {
  std::string out = std::string(section_about(section)) + "\n";
  std::string_view last;
  for (const Setting& setting : settings()) {
    const std::string_view inner = setting.path.substr(0, setting.path.rfind('.'));
    if (inner == last || !inner.starts_with(std::string(section) + ".")) continue;
    last = inner;
    out += "\n`" + std::string(inner) + "`: " + std::string(section_about(inner)) + "\n";
  }
  return out;
}

std::string key_of(const Setting& setting) { return std::string(parts_of(setting.path).back()); }

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "; " + b;
}

// What the range says beyond the line for people.
std::string limits_of(const Setting& setting) {
  const std::string range = setting.range();
  if (range.empty()) return "";
  return setting.choices.empty() ? range : "one of: " + range;
}

}  // namespace

std::string print_config(const LoadedConfig& loaded) {
  // A value that is not the default says where it is from.
  const auto comment = [&](const std::string& path) {
    const auto origin = loaded.origin.find(path);
    return origin == loaded.origin.end() || origin->second == "default" ? std::string()
                                                                        : "  # " + origin->second;
  };
  return nested(false, [&](const Setting& setting, const std::string& indent) {
    const std::string key = indent + key_of(setting) + ":";
    const PropertyMap& properties = loaded.config.kafka.properties;
    if (!setting.is_map() || properties.empty()) {
      return key + " " + yaml_value(setting, loaded.config) + comment(std::string(setting.path)) + "\n";
    }
    std::string out = key + "\n";
    for (const auto& [name, value] : properties) {
      out += indent + "  " + yaml_scalar(name) + ": " + yaml_scalar(value) +
             comment(std::string(setting.path) + "." + name) + "\n";
    }
    return out;
  });
}

std::string default_config_yaml() {
  const Config defaults;
  return "# neardup: every setting, with its default. A file needs only the lines that differ.\n"
         "# Sizes are written 64MiB, times as whole milliseconds. Unknown names are refused.\n"
         "# The same by other ways: NEARDUP_KAFKA__BROKERS=... in the environment, --set kafka.brokers=...,\n"
         "# -X property=value for librdkafka. Check with: neardup validate -c FILE\n"
         "\n" +
         nested(true, [&](const Setting& setting, const std::string& indent) {
           const std::string limits = limits_of(setting);
           return indent + "# " + std::string(setting.about) + (limits.empty() ? "" : " (" + limits + ")") +
                  "\n" + indent + key_of(setting) + ": " + yaml_value(setting, defaults) + "\n";
         });
}

std::string config_reference_markdown() {
  const Config defaults;
  // A '|' would end the cell.
  const auto cell = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
    return text;
  };
  std::string out =
      "# Settings\n"
      "\n"
      "Written by `neardup print-config --markdown`; do not edit.\n";
  std::string_view section;
  for (const Setting& setting : settings()) {
    const std::string_view of_setting = parts_of(setting.path).front();
    if (of_setting != section) {
      section = of_setting;
      out += "\n## " + std::string(section) + "\n" + about_of(section) +
             "\n| setting | type | default | what |\n|---|---|---|---|\n";
    }
    std::string type = setting.type();
    if (setting.choices.empty()) type = joined(type, setting.range());
    if (!setting.choices.empty()) type = (setting.is_list() ? "list of: " : "one of: ") + setting.range();
    if (setting.file) type = "file";
    out += "| `" + std::string(setting.path) + "` | " + cell(type) + " | `" +
           cell(yaml_value(setting, defaults)) + "` | " + cell(std::string(setting.about)) + " |\n";
  }
  return out;
}

}  // namespace neardup
