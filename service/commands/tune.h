// `neardup tune`: which threshold suits these documents?
//
// What is the same is told by labelled pairs or, of a sample, by the exact similarity of all its pairs. Then
// for each threshold, and for the distances k and the runs of m characters of the classic modes, what the
// detector would call the same is set against it: precision, recall, F1. Besides, one detector for each
// threshold reads all documents, for what a look-up compares and what a unique takes; in mode mgram one for
// each m reads some.
//
// Memory: that of ten detectors, in mode mgram fourteen smaller ones besides, with the ids and urls of their
//         uniques: index.directory is the service's, and no file is made there; the texts of the pairs or of
//         the sample; 8 bytes for each labelled pair, or pair of the sample that is alike by .35 or whose
//         fingerprints differ in 7 bits at most: 1.6 GB of 20,000 documents that all say the same.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "service/commands/streams.h"
#include "service/config.h"

namespace neardup {

inline constexpr std::size_t kTuneSampleMax = 20'000;  // all pairs of it are compared

struct TuneOptions {
  std::vector<std::string> paths = {};  // see path_input.h
  std::string pairs = {};               // file of labelled pairs; "": a sample
  std::size_t sample = 1000;            // documents, 2 .. kTuneSampleMax
  double recall_min = .95;              // by which m is chosen
  bool json = false;
};

// Returns the exit code; kTuneHelp says which.
int run_tune(const TuneOptions& options, const Config& config, const Streams& streams = {});

extern const char kTuneAbout[];  // one line
extern const char kTuneHelp[];   // below --help

}  // namespace neardup
