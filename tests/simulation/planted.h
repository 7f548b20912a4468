// Would the oracle notice? Mistakes made on purpose, behind the seams of the service, which it must find.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace neardup {

enum class Planted : std::uint8_t {
  kNothing,
  kRecycleOff,      // a producer in doubt goes on: no new one is made, what it left open stays open
  kAuditOff,        // every record that was told committed is read back, there or not
  kChainOff,        // a doubt finds an empty tail, so a batch that is there goes out again as new
  kWitnessOff,      // a batch that a journal does not show goes out again, although the group has it
  kSettlingOff,     // a doubt looks at the journal's end although something may be hidden behind it
  kSeenOff,         // a transaction without marks is ended as aborted although some of it was seen
  kShownOff,        // nobody asks whether verdicts have their end
  kGivingBackOff,   // what it moved the group to stays, when it is ended so
  kFsyncOff,        // the disk forgets what it was told to sync
  kPlanOff,         // what the cluster says of input and group is not held against the journal
  kFencingOff,      // the broker takes transactions of an older writer
  kVerdictChanged,  // one digit of a verdict is another one
  kVerdictDropped,  // a batch goes out without its last verdict
  kDeletionOff,     // what deletes a document names nobody when it comes in
  kForgotten,       // uniques are forgotten for which there is room
  kAgeOff,          // nothing is too old
  kReleasedEarly,   // the bytes of a batch are given back when it is about to be committed
  kRetriedOff,      // nobody hears that a request was sent again while verdicts were waited for
  kReadingOff,      // who is elected again does not read what others wrote meanwhile
};
inline constexpr std::array<std::string_view, 20> kPlantedNames = {
    "nothing",  "recycle",   "audit", "chain",    "witness", "settling", "seen",
    "shown",    "giving",    "fsync", "plan",     "fencing", "changed",  "dropped",
    "deletion", "retention", "age",   "released", "retried", "reading"};
constexpr std::string_view name(Planted planted) { return kPlantedNames[static_cast<std::size_t>(planted)]; }

}  // namespace neardup
