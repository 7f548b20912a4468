// `neardup explain`: why would the detector call B a duplicate of A, or not?
//
// Reads two documents as `scan` does, asks a detector that knows A alone about B, and prints every number by
// which it decided, exact values beside estimates, and the reason in a sentence (core/explanation.h).
#pragma once

#include <string>
#include <vector>

#include "service/commands/streams.h"
#include "service/config.h"

namespace neardup {

struct ExplainOptions {
  std::vector<std::string> paths;  // two sources of one document each, or one of two; see path_input.h
  bool whole = false;              // each file, or standard input, is one document
  bool html = false;               // text is html too, whatever it looks like
  bool json = false;
};

// Returns the exit code; kExplainHelp says which. REQUIRES: one path or two.
int run_explain(const ExplainOptions& options, const Config& config, const Streams& streams = {});

extern const char kExplainAbout[];  // one line
extern const char kExplainHelp[];   // below --help

}  // namespace neardup
