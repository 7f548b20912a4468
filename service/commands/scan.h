// `neardup scan`: which documents of these files are duplicates?
//
// The whole engine without Kafka: documents in, one verdict a line out, in input order. The same input gives
// the same bytes on any machine and any number of threads. Memory grows with what is unique, not with the
// input: a batch is read, signed on all cores, decided in order and written before the next one is read.
#pragma once

#include <string>
#include <vector>

#include "service/commands/streams.h"
#include "service/config.h"

namespace neardup {

struct ScanOptions {
  std::vector<std::string> paths;  // see path_input.h; none: standard input
  bool quiet = false;              // no progress, no summary
  bool strict = false;             // one rejected document is enough for exit code 65
  int threads = 0;                 // that sign; 0: what pipeline.threads says
};

// Returns the exit code; kScanHelp says which.
int run_scan(const ScanOptions& options, const Config& config, const Streams& streams = {});

extern const char kScanAbout[];  // one line
extern const char kScanHelp[];   // below --help

}  // namespace neardup
