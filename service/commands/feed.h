// `neardup feed SOURCE...`: the producers' side, for trying out and for backfills.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "service/codec/preset.h"
#include "service/config.h"

namespace neardup {

struct FeedOptions {
  std::vector<std::string> sources;             // see path_input.h; none: standard input
  std::string topic;                            // empty: the first of kafka.topics.input
  double rate = 0;                              // records per second; 0: as fast as Kafka takes them
  std::string url_prefix;                       // put before a page's path to make its url
  bool quiet = false;                           // no progress, no summary
  std::chrono::milliseconds reach_max{30'000};  // no broker has answered for so long: it is given up
};

// Returns the exit code; kFeedHelp says which.
int run_feed(const FeedOptions& options, const LoadedConfig& loaded);

// By its name: .txt or .md, however it is written.
bool is_plain_text(std::string_view path);

// The prefix and the path without any ./, ../ or / at its head; without a prefix the path as it is.
std::string page_url(const std::string& prefix, std::string_view path);

// A page as a producer of `preset` would send it: a JSON object with the page in the field that the preset
// reads it from, or, where the value is the page itself, its bytes. A page that is not UTF-8 goes into a
// shape that may hold base64 as that, and into others with U+FFFD in place of what cannot be said in JSON.
// Error kInvalid: the preset's own fields were set to a list without a place for the page, or to two that
// exclude each other.
Result<std::string> page_record(const Preset& preset, std::string_view url, std::string_view page, bool html);

extern const char kFeedAbout[];  // one line
extern const char kFeedHelp[];   // below --help

}  // namespace neardup
