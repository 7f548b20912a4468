#include "service/codec/preset.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "service/choice.h"

namespace neardup {
namespace {

// Text comes before html wherever a producer sends both: what it has extracted itself is the better text.
Preset json_preset() {
  Preset preset;
  preset.name = "json";
  preset.fields.id = {"/id", "/_id", "/doc_id", "/document_id"};
  preset.fields.url = {"/url", "/response_url", "/final_url", "/link"};
  preset.fields.text = {"/text", "/content", "/markdown", "/body"};
  preset.fields.html = {"/html", "/raw_html", "/cleaned_html", "/raw_content", "/response_body"};
  preset.fields.time = {"/time", "/timestamp", "/ts", "/fetch_time", "/tstamp", "/retrieved"};
  preset.fields.charset = {"/charset",
                           "/encoding",
                           "/content_type",
                           "/response_headers/Content-Type",
                           "/response_headers/content-type",
                           "/headers/Content-Type",
                           "/headers/content-type"};
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

constexpr std::array kPresets = {json_preset, scrapy_cluster_preset, heritrix_preset, raw_preset};
static_assert(kPresets.size() == kPresetNames.size());

}  // namespace

Preset raw_preset() {
  Preset preset;
  preset.name = "raw";
  preset.value_is_page = true;
  preset.id_from = {IdFrom::kKey};
  return preset;
}

Preset resolve_preset(const InputConfig& input) {
  Preset preset = kPresets[choice<std::size_t>(kPresetNames, input.preset)]();
  for (const auto list : {&InputFields::id, &InputFields::url, &InputFields::text, &InputFields::html,
                          &InputFields::digest, &InputFields::time, &InputFields::charset}) {
    if (!(input.fields.*list).empty()) preset.fields.*list = input.fields.*list;
  }
  if (!input.id_from.empty()) preset.id_from.clear();
  for (const std::string& word : input.id_from) preset.id_from.push_back(choice<IdFrom>(kIdFromNames, word));
  if (input.base64 != "preset") preset.base64 = choice<Base64>(kBase64Names, input.base64);
  return preset;
}

Preset resolve_preset_of_lines(const InputConfig& input) {
  Preset preset = resolve_preset(input);
  std::ranges::stable_partition(preset.id_from, [](IdFrom from) { return from != IdFrom::kKey; });
  return preset;
}

}  // namespace neardup
