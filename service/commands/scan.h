// `neardup scan`: which documents of these files are duplicates?
//
// The whole engine without Kafka: documents in, one verdict a line out, in input order. The same input gives
// the same bytes on any machine and any number of threads. Memory grows with what is unique, not with the
// input: a batch is signed on all cores, decided in order and written, and the next one is read meanwhile.
// As a filter it prints documents in place of verdicts: those that are new.
//
// An index outlives the scan in a folder (index_folder.h): one scan goes on where another ended, or asks, for
// each document by itself, what a service with that memory would answer now.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/decision.h"
#include "service/commands/streams.h"
#include "service/config.h"

namespace neardup {

struct ScanOptions {
  std::vector<std::string> paths = {};  // see path_input.h; none: standard input
  bool quiet = false;                   // no progress, no summary
  bool strict = false;                  // one rejected document is enough for exit code 65
  std::optional<Verdict> print = {};    // documents that have it, as they came; nothing: all verdicts
  int threads = 0;                      // that sign; 0: what pipeline.threads says
  std::string snapshot = {};            // folder of an index to start from and to add to; "": none
  std::string against = {};             // folder of an index that answers, and is only read; "": none
};

// Returns the exit code; kScanHelp says which.
int run_scan(const ScanOptions& options, const Config& config, const Streams& streams = {});

extern const char kScanAbout[];  // one line
extern const char kScanHelp[];   // below --help

}  // namespace neardup
