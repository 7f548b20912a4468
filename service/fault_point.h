// What if the process ends exactly here?
//
// FAULT_POINT(name) marks a step of the protocol behind which another truth holds: the record is queued, the
// commit is answered, the file has its name. Tests want to end the process, or to stop it for a while, at
// each of them. In the program that is shipped it is nothing at all. tests/chaos compiles the sources that
// have points once more, with NEARDUP_FAULT_POINTS, into a program of its own, which obeys an environment
// variable (tests/chaos/fault_point.cc).
//
// fault_limit(name, value) is a time that a test cannot wait for: `value` in the program that is shipped.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace neardup {

enum class FaultPoint : std::uint8_t {
  // One transaction, in this order.
  kBeforeBegin,
  kAfterBegin,
  kJournalQueued,
  kVerdictsQueued,
  kOffsetsSent,
  kBeforeCommit,  // all is delivered
  kCommitted,
  kReadBack,
  // Another producer in the place of one that is in doubt; at the start too.
  kProducerClosed,
  kProducerMade,
  kProducerReady,
  kDoubtSettled,
  // The snapshot.
  kSegmentBegun,
  kFrameWritten,
  kSegmentSynced,
  kDraftSynced,
  kManifestRenamed,
  kManifestDurable,
};
inline constexpr std::array<std::string_view, 18> kFaultPointNames = {
    "before-begin",   "after-begin",      "journal-queued",  "verdicts-queued", "offsets-sent",
    "before-commit",  "committed",        "read-back",       "producer-closed", "producer-made",
    "producer-ready", "doubt-settled",    "segment-begun",   "frame-written",   "segment-synced",
    "draft-synced",   "manifest-renamed", "manifest-durable"};
static_assert(kFaultPointNames.size() == static_cast<std::size_t>(FaultPoint::kManifestDurable) + 1);

#ifdef NEARDUP_FAULT_POINTS
void pass_fault_point(FaultPoint point);
int fault_limit(const char* name, int value);
#define FAULT_POINT(name) ::neardup::pass_fault_point(::neardup::FaultPoint::name)
#else
constexpr int fault_limit(const char* /*name*/, int value) { return value; }
#define FAULT_POINT(name) static_cast<void>(0)
#endif

}  // namespace neardup
