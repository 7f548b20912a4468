// What does the exit code say?
//
// The numbers of sysexits.h, so that a supervisor can tell a wrong configuration, which it must not retry,
// from a Kafka that is away.
#pragma once

#include "core/base/result.h"

namespace neardup {

enum ExitCode : int {
  kExitOk = 0,
  kExitUsage = 64,        // the command line is wrong
  kExitData = 65,         // stored or given data contradict themselves
  kExitNoInput = 66,      // a file that was named could not be read
  kExitUnavailable = 69,  // Kafka, the HTTP port or a folder is not to be had
  kExitInternal = 70,     // we were wrong
  kExitIo = 74,           // the operating system refused a file
  kExitConfig = 78,       // a setting is wrong, of this program or of a topic
};

constexpr int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
      return kExitConfig;
    case ErrorCode::kUnavailable:
    case ErrorCode::kUnsettled:
    case ErrorCode::kFenced:
      return kExitUnavailable;
    case ErrorCode::kCorrupt:
    case ErrorCode::kUnsupportedVersion:
    case ErrorCode::kContradiction:
      return kExitData;
    case ErrorCode::kNotFound:
    case ErrorCode::kIo:
      return kExitIo;
  }
  return kExitInternal;
}

}  // namespace neardup
