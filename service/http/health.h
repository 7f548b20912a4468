// Is the service alive, and is it ready?
//
// Alive: the worker beats. A restart helps a service that hangs, so /livez fails for that. Who finds what a
// person must settle ends at once, and says so in the log and by its exit code: there is nobody left to ask.
// Ready: the service does what it is there for now: it is the writer and runs, or it is the standby that
// watches the writer. A standby counts as ready because a rollout of two instances would never end otherwise.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "service/metrics/state.h"

namespace neardup {

struct Health {
  bool good = false;
  std::string reason;  // one line for people
};

Health livez(std::chrono::nanoseconds since_beat);
Health readyz(State state, std::string_view detail);

// What `?verbose` adds: state, role, detail, last beat and a warning if there is one, a line each.
std::string verbose_lines(State state, Role role, std::string_view detail,
                          std::chrono::nanoseconds since_beat, std::string_view warning = "");

}  // namespace neardup
