// `neardup snapshot`: what lies in this folder, and is it whole?
//
// `inspect` tells what the newest manifest promises, at once; where that is damaged, the one before, and says
// so. `verify` reads every frame and every record, and holds them against the chain and against that promise.
// Both end with 65 where they find damage. Neither changes anything, nor minds a service that writes there
// meanwhile.
#pragma once

#include <string>

#include "service/commands/streams.h"

namespace neardup {

struct SnapshotOptions {
  std::string folder;
  bool json = false;
};

int run_snapshot_inspect(const SnapshotOptions& options, const Streams& streams = {});
int run_snapshot_verify(const SnapshotOptions& options, const Streams& streams = {});

extern const char kSnapshotAbout[];  // one line
extern const char kSnapshotHelp[];   // below --help

}  // namespace neardup
