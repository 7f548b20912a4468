#include "service/codec/preset.h"

#include <array>
#include <optional>
#include <utility>

#include "service/suggest.h"

namespace neardup {
namespace {

constexpr std::array<std::string_view, 4> kPresetNames = {"json", "scrapy-cluster", "heritrix", "raw"};

// Text comes before html wherever a producer sends both: what it has extracted itself is the better text.
Preset json_preset() {
  Preset preset;
  preset.name = "json";
  preset.fields.id = {"/id", "/_id", "/doc_id", "/document_id"};
  preset.fields.url = {"/url", "/response_url", "/final_url", "/link"};
  preset.fields.text = {"/text", "/content", "/markdown", "/body"};
  preset.fields.html = {"/html", "/raw_html", "/cleaned_html", "/raw_content", "/response_body"};
  preset.fields.time = {"/time", "/timestamp", "/ts", "/fetch_time", "/tstamp", "/retrieved"};
  preset.fields.charset = {"/charset", "/encoding", "/content_type", "/response_headers/Content-Type",
                           "/headers/Content-Type"};
  preset.id_from = {IdFrom::kField, IdFrom::kKey, IdFrom::kUrl};
  return preset;
}

Preset scrapy_cluster_preset() {
  Preset preset;
  preset.name = "scrapy-cluster";
  preset.fields.url = {"/response_url", "/url"};  // response_url: where redirects ended
  preset.fields.html = {"/body"};
  preset.fields.time = {"/timestamp"};
  preset.fields.charset = {"/encoding", "/response_headers/Content-Type"};
  preset.id_from = {IdFrom::kUrl};
  preset.base64 = Base64::kAuto;
  preset.failure_notice = "json failed to parse";
  return preset;
}

Preset heritrix_preset() {
  Preset preset;
  preset.name = "heritrix";
  preset.fields.url = {"/url"};
  preset.fields.digest = {"/content_digest"};
  preset.fields.time = {"/timestamp"};
  preset.id_from = {IdFrom::kUrl};
  return preset;
}

Preset raw_preset() {
  Preset preset;
  preset.name = "raw";
  preset.value_is_page = true;
  preset.id_from = {IdFrom::kKey};
  return preset;
}

std::optional<Preset> find_preset(std::string_view name) {
  if (name == "json") return json_preset();
  if (name == "scrapy-cluster") return scrapy_cluster_preset();
  if (name == "heritrix") return heritrix_preset();
  if (name == "raw") return raw_preset();
  return std::nullopt;
}

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

Error unknown_preset(std::string_view name) {
  const std::vector<std::string> names(kPresetNames.begin(), kPresetNames.end());
  std::string message = "input.preset: " + quoted(name) + " is not a preset";
  const std::string near = closest(name, names);
  message += near.empty() ? "." : "; did you mean " + quoted(near) + "?";
  message += " There are:";
  for (const std::string& known : names) message += " " + known;
  return {ErrorCode::kInvalid, std::move(message)};
}

// RFC 6901: each token starts with a slash; a tilde is written ~0 and a slash inside a token ~1.
bool is_json_pointer(std::string_view pointer) {
  if (pointer.empty() || pointer.front() != '/') return false;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] != '~') continue;
    if (i + 1 == pointer.size() || (pointer[i + 1] != '0' && pointer[i + 1] != '1')) return false;
  }
  return true;
}

Status replace_list(std::string_view setting, const std::vector<std::string>& from,
                    std::vector<std::string>& to) {
  if (from.empty()) return {};
  for (const std::string& pointer : from) {
    if (is_json_pointer(pointer)) continue;
    return Error{ErrorCode::kInvalid, std::string(setting) + ": " + quoted(pointer) +
                                          " is not a JSON pointer; write it as /field or /outer/inner, "
                                          "with ~1 for a slash and ~0 for a tilde inside a name"};
  }
  to = from;
  return {};
}

Status replace_id_from(const std::vector<std::string>& from, std::vector<IdFrom>& to) {
  if (from.empty()) return {};
  to.clear();
  for (const std::string& word : from) {
    if (word == "field") {
      to.push_back(IdFrom::kField);
    } else if (word == "key") {
      to.push_back(IdFrom::kKey);
    } else if (word == "url") {
      to.push_back(IdFrom::kUrl);
    } else {
      return Error{ErrorCode::kInvalid, "input.id_from: " + quoted(word) + " is not one of field, key, url"};
    }
  }
  return {};
}

Status replace_base64(std::string_view from, Base64& to) {
  if (from == "preset") return {};
  if (from == "never") {
    to = Base64::kNever;
  } else if (from == "always") {
    to = Base64::kAlways;
  } else if (from == "auto") {
    to = Base64::kAuto;
  } else {
    return Error{ErrorCode::kInvalid,
                 "input.base64: " + quoted(from) + " is not one of preset, never, always, auto"};
  }
  return {};
}

}  // namespace

std::span<const std::string_view> preset_names() { return kPresetNames; }

Result<Preset> resolve_preset(const InputConfig& input) {
  std::optional<Preset> found = find_preset(input.preset);
  if (!found) return unknown_preset(input.preset);
  Preset preset = *std::move(found);

  struct List {
    std::string_view setting;
    std::vector<std::string> InputFields::* list;
  };
  static constexpr std::array<List, 7> kLists = {{{"input.fields.id", &InputFields::id},
                                                  {"input.fields.url", &InputFields::url},
                                                  {"input.fields.text", &InputFields::text},
                                                  {"input.fields.html", &InputFields::html},
                                                  {"input.fields.digest", &InputFields::digest},
                                                  {"input.fields.time", &InputFields::time},
                                                  {"input.fields.charset", &InputFields::charset}}};
  for (const List& entry : kLists) {
    const std::vector<std::string>& list = input.fields.*entry.list;
    if (preset.value_is_page && !list.empty()) {
      return Error{ErrorCode::kInvalid, std::string(entry.setting) + ": preset " + quoted(preset.name) +
                                            " has no fields; remove the setting or choose preset \"json\""};
    }
    if (Status status = replace_list(entry.setting, list, preset.fields.*entry.list); !status) {
      return status.error();
    }
  }
  if (preset.value_is_page && !input.id_from.empty() && input.id_from != std::vector<std::string>{"key"}) {
    return Error{ErrorCode::kInvalid,
                 "input.id_from: with preset \"raw\" only the key can name a document; write [key]"};
  }
  if (Status status = replace_id_from(input.id_from, preset.id_from); !status) return status.error();
  if (Status status = replace_base64(input.base64, preset.base64); !status) return status.error();
  return preset;
}

}  // namespace neardup
