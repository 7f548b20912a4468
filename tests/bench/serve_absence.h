// For how long is nobody there?
//
// Two ways to find out, each on topics of its own: a service that starts again with many uniques behind it,
// and a leader that goes while another instance waits.
//
// Cost:    a restart decides all its documents first. Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace neardup {

struct Restart {
  std::uint64_t uniques = 0;  // remembered
  double ready_s = 0;  // from the start of the process until it decides; the snapshot is in the page cache
  double ready_cold_s = 0;  // the same, and it is read from the disk
  double resident_bytes_max = 0;
  double resident_bytes = 0;  // some seconds later
};

// `documents` are decided and stored in a snapshot, then `journaled` more, which Kafka's journal alone has.
// What the next life costs, after a stop in order: one that was killed is waited for until its session ends.
// The cold start is of a copy of the snapshot that the page cache has forgotten; what the host of a virtual
// machine keeps of its disk is not known here, and Kafka's own files stay where they are.
// The snapshot lies in the system's temporary folder, logs in `folder`. Pages are sent no further ahead than
// a hundred thousand, so that Kafka need not keep them.
Restart measure_restart(const std::string& servers, const std::string& folder, std::size_t documents,
                        std::size_t journaled);

struct Takeover {
  double after_kill_s = 0;  // of the leader, by SIGKILL, until the standby's first committed verdict
  double after_stop_s = 0;  // by SIGTERM
  int joiners = 0;          // who came, waited and went
  int thieves = 0;          // of these, who led
};

// The worst of `rounds`, with a session timeout of kSessionMs, while documents keep coming.
inline constexpr int kSessionMs = 6000;
Takeover measure_takeover(const std::string& servers, const std::string& folder, int rounds, int joiners);

}  // namespace neardup
