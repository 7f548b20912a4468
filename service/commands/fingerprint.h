// `neardup fingerprint`: what does the detector see of these documents, and how far apart are two of them?
//
// Reads what `scan` reads and signs it as `serve` does, with the same settings; decides nothing.
#pragma once

#include <string>
#include <vector>

#include "service/commands/streams.h"
#include "service/config.h"

namespace neardup {

struct FingerprintCommandOptions {
  std::vector<std::string> paths;  // see path_input.h; none: standard input
  bool distance = false;           // compare the two of `paths`, each a source or 16 hex digits
  bool whole = false;              // each file, or standard input, is one document
  bool html = false;               // text is html too, whatever it looks like
  bool json = false;               // one object a line
};

// Returns the exit code; kFingerprintHelp says which. REQUIRES: with `distance` two paths.
int run_fingerprint(const FingerprintCommandOptions& options, const Config& config,
                    const Streams& streams = {});

extern const char kFingerprintAbout[];  // one line
extern const char kFingerprintHelp[];   // below --help

}  // namespace neardup
