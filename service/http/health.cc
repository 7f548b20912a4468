#include "service/http/health.h"

namespace neardup {
namespace {

std::string with_detail(State state, std::string_view detail) {
  return std::string(name(state)) + (detail.empty() ? "" : ": ") + std::string(detail);
}

std::string seconds(std::chrono::nanoseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

}  // namespace

Health livez(std::chrono::nanoseconds since_beat) {
  if (since_beat > StateBoard::kBeatMax) {
    return {false, "the worker has not been heard of for " + seconds(since_beat) + " s"};
  }
  return {true, "alive"};
}

Health readyz(State state, std::string_view detail) {
  const bool good = state == State::kRunning || state == State::kStandby;
  return {good, with_detail(state, good ? "" : detail)};
}

std::string verbose_lines(State state, Role role, std::string_view detail,
                          std::chrono::nanoseconds since_beat, std::string_view warning) {
  return "state: " + std::string(name(state)) + "\nrole: " + std::string(name(role)) +
         "\ndetail: " + std::string(detail) + "\nseconds_since_beat: " + seconds(since_beat) + "\n" +
         (warning.empty() ? "" : "warning: " + std::string(warning) + "\n");
}

}  // namespace neardup
