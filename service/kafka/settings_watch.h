// Are the topics still set as a start asks for?
//
// A start refuses topics with settings that may lose the journal or hold up a batch for ever. Somebody may
// set them while the writer works: then this tells, in the log, on the board and by a metric, what the next
// start will say, while there is time to mend it. It does not end the instance: that would keep no record of
// the journal, and what is in memory is all of it.
//
// A broker that has just come up may know less than the others, so what has changed is told when it was
// seen twice in a row.
//
// Threads: none of its own; one calls look().
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "service/kafka/topics.h"
#include "service/metrics/probe.h"
#include "service/metrics/state.h"

namespace neardup {

class SettingsWatch {
 public:
  using Clock = std::chrono::steady_clock;
  using Topics = std::map<std::string, TopicDescription>;

  static constexpr std::chrono::seconds kInterval{10};

  // `check`: what is wrong with the answer of `ask`.
  SettingsWatch(std::function<Result<Topics>()> ask,
                std::function<std::vector<TopicProblem>(const Topics&)> check, Probe& probe,
                StateBoard& board);
  ~SettingsWatch();  // nothing is known to be wrong any more
  SettingsWatch(const SettingsWatch&) = delete;
  SettingsWatch& operator=(const SettingsWatch&) = delete;

  // Asks if that is due, and tells what has changed. An answer that does not come changes nothing.
  void look(Clock::time_point now = Clock::now());

 private:
  void tell(const std::vector<TopicProblem>& problems);

  const std::function<Result<Topics>()> ask_;
  const std::function<std::vector<TopicProblem>(const Topics&)> check_;
  Probe& probe_;
  StateBoard& board_;
  Clock::time_point due_;  // at once
  std::string seen_;       // what was wrong at the last look
  std::string told_;       // what is on the board
};

}  // namespace neardup
