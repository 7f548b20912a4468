// `neardup feed SOURCE... --topic T`: the producers' side, for trying out and for backfills.
#pragma once

#include <string>
#include <vector>

#include "service/config.h"

namespace neardup {

struct FeedOptions {
  std::vector<std::string> sources;  // files and folders; "-": JSON lines from standard input
  std::string topic;                 // empty: the first of kafka.topics.input
  double rate = 0;                   // records per second; 0: as fast as Kafka takes them
  std::string url_prefix;            // put before a file's path to make its url
  bool quiet = false;
};

// Sends JSON lines as they are, each .html or .txt file as one document in the shape of input.preset. Ends
// with kExitUnavailable if any record was not acknowledged.
int run_feed(const FeedOptions& options, const Config& config);

extern const char kFeedHelp[];

}  // namespace neardup
