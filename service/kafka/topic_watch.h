// Are the topics still the ones that we began with?
//
// Kafka tells nobody that a topic was deleted and made again: reading goes on in the new one, behind all of
// its records up to our old position, in silence. So this asks for the topics' ids, every
// kafka.metadata_interval_ms and once more for each batch, when all of it was read. The batch's transaction
// waits for that answer: if the topics are the old ones still, so they were when it was read. Another id, or
// a topic that is gone, is a contradiction if it lasts (second_look.h): a broker that has just come up may
// know less than the others. Until then transactions wait. The same answers tell when an input topic has
// grown.
//
// Threads: one of its own, which calls the events; the rest may be called from any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/result.h"
#include "service/kafka/topics.h"
#include "service/metrics/state.h"
#include "service/pipeline/leadership.h"
#include "service/second_look.h"

namespace neardup {

class TopicWatch {
 public:
  using Clock = std::chrono::steady_clock;
  using Topics = std::map<std::string, TopicDescription>;

  struct Options {
    std::chrono::milliseconds interval{5000};
    std::chrono::milliseconds again{500};                 // after no answer, or one that contradicts
    std::chrono::milliseconds lasts = SecondLook{}.time;  // for so long one has to
    std::chrono::milliseconds patience{10000};            // how long `confirmed` waits for an answer
  };
  struct Events {
    // A topic has more partitions than before.
    std::function<void(const std::string& topic, std::int32_t before, std::int32_t now)> on_growth = {};
    // Called once; contradiction() says which.
    std::function<void()> on_contradiction = {};
    // Called after each look that found all unchanged; the next one waits for it.
    std::function<void()> on_unchanged = {};
  };

  struct Contradiction {
    std::string topic;
    std::string what;
  };

  // `known`: the topics as they were at `asked`, which may be hours ago: then it looks at once. `ask`: how
  // they are; an error means that Kafka is away.
  TopicWatch(Topics known, std::function<Result<Topics>()> ask, Options options, Events events,
             Clock::time_point asked = Clock::now());
  ~TopicWatch();  // after it no event comes

  // Were all topics seen unchanged within the interval and a little, by a question asked after `since`? Waits
  // for an answer that is due.
  bool confirmed(StateBoard& board, Clock::time_point since = {});

  // Asks once more, soon. Does not wait.
  void look_soon();

  std::optional<Contradiction> contradiction() const;

  // Why there is no answer that is young enough; "" when there is one.
  std::string overdue() const;

  // As contradiction(), after one more look: whoever misses records asks whether it is the topic that
  // changed.
  std::optional<Contradiction> look_now();

 private:
  void run(const std::stop_token& stop);
  std::optional<Contradiction> compare(const Topics& seen) const;
  void grow(const Topics& seen);
  void hurry();  // REQUIRES: mutex_ is held

  const std::function<Result<Topics>()> ask_;
  const Options options_;
  const Events events_;
  Topics known_;  // of the watch's own thread, once it runs
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Clock::time_point asked_;  // when the last question was sent that found all unchanged
  std::optional<Clock::time_point> suspected_since_;  // the first look of those that contradict
  bool hurry_ = false;                                // the next look is not to wait
  std::string unanswered_;                            // why the last question was not answered; "" if it was
  std::optional<Contradiction> contradiction_;
  std::jthread thread_;
};

// Leads, and the topics are what they were.
class WatchedLeadership final : public Leadership {
 public:
  // `stop`: who is asked to end does not wait for an answer any longer than `patience`.
  WatchedLeadership(const Leadership& election, TopicWatch& watch, StateBoard& board, std::stop_token stop)
      : election_(election), watch_(watch), board_(board), stop_(std::move(stop)) {}

  // Both wait for an answer as long as the election is held: a Kafka that does not answer elects nobody else.
  // Meanwhile the board and the log say why.
  bool held() const override { return confirmed({}); }
  bool may_commit(TopicWatch::Clock::time_point read) const override { return confirmed(read); }

  std::uint64_t election() const override { return election_.election(); }
  bool may_return() const override {
    return election_.may_return() && !watch_.contradiction() && !stop_.stop_requested();
  }

  void prepare_commit() const override { watch_.look_soon(); }

 private:
  bool confirmed(TopicWatch::Clock::time_point since) const;

  const Leadership& election_;
  TopicWatch& watch_;
  StateBoard& board_;
  std::stop_token stop_;
};

}  // namespace neardup
