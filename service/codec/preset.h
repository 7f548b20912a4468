// Where do a producer's records keep the parts of a document?
//
// A preset is a producer's format as data: JSON pointers (RFC 6901) to the id, url, text, html, digest
// and time, tried in their order, and the few habits that pointers cannot say. The operator's `input`
// settings replace single lists; the codec then knows one shape only, a resolved Preset.
//
//   json            any JSON object of a crawler, by the usual names of its fields
//   scrapy-cluster  topics `*.crawled_firehose`: raw html in /body, in base64 if the crawler was told so.
//                   appid and crawlid name a crawl, not a page, so a page is named by its url.
//   heritrix        its crawl log: a page's url and the digest of its content, which itself is in a WARC
//                   file. Only equal contents are found.
//   raw             the value is the page itself, html or text; the record's key names it
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "service/config.h"

namespace neardup {

// In the order in which people should meet them.
inline constexpr std::array<std::string_view, 4> kPresetNames = {"json", "scrapy-cluster", "heritrix", "raw"};

enum class IdFrom : std::uint8_t {
  kField,  // the first of fields.id that is a string or an integer
  kKey,    // the record's key
  kUrl,    // the document's url
};

inline constexpr std::array<std::string_view, 3> kIdFromNames = {"field", "key", "url"};

enum class Base64 : std::uint8_t {
  kNever,
  kAlways,  // a body that does not decode is rejected
  kAuto,    // decoded where the result is plainly a page, else taken as it is
};

inline constexpr std::array<std::string_view, 3> kBase64Names = {"never", "always", "auto"};

struct Preset {
  std::string name;
  InputFields fields;           // no list is malformed; all are empty where the value is the page itself
  bool value_is_page = false;   // not JSON: the value is the body, the key is id and url
  std::vector<IdFrom> id_from;  // tried in this order
  Base64 base64 = Base64::kNever;
  std::string failure_notice;  // a value that is exactly this is the producer's own failure; empty: none
};

// The preset that `input` names, with the lists and rules that `input` sets put in place of its own.
// REQUIRES: of a configuration that load_config() took.
Preset resolve_preset(const InputConfig& input);

// The same of lines of files, which have no keys: where a line lies is taken for one, and names a document
// that nothing else names.
Preset resolve_preset_of_lines(const InputConfig& input);

// "raw" as no setting changes it: of files that are pages.
Preset raw_preset();

}  // namespace neardup
