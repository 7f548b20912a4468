#include "service/kafka/topic_watch.h"

#include <algorithm>

#include "service/log.h"

namespace neardup {

using std::chrono::milliseconds;

TopicWatch::TopicWatch(Topics known, std::function<Result<Topics>()> ask, Options options, Events events,
                       Clock::time_point asked)
    : ask_(std::move(ask)),
      options_(options),
      events_(std::move(events)),
      known_(std::move(known)),
      asked_(asked),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

TopicWatch::~TopicWatch() {
  thread_.request_stop();
  thread_.join();
}

void TopicWatch::run(const std::stop_token& stop) {
  const auto due = std::chrono::ceil<milliseconds>(asked_ + options_.interval - Clock::now());
  milliseconds wait = std::clamp(due, milliseconds::zero(), options_.interval);
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, wait, [this] { return hurry_; });
      if (stop.stop_requested()) return;
      hurry_ = false;
    }
    const Clock::time_point asked = Clock::now();
    const Result<Topics> seen = ask_();
    if (!seen) {
      const std::lock_guard lock(mutex_);
      unanswered_ = seen.error().message;
      wait = options_.again;
      continue;
    }
    const std::optional<Contradiction> found = compare(*seen);
    if (!found) grow(*seen);
    bool certain = false;
    {
      const std::lock_guard lock(mutex_);
      unanswered_.clear();
      if (!found) {
        suspected_since_.reset();
        asked_ = asked;
      } else if (!suspected_since_) {
        suspected_since_ = asked;
      } else {
        certain = asked - *suspected_since_ >= options_.lasts;
      }
      if (certain) contradiction_ = found;
    }
    changed_.notify_all();
    if (certain) {
      if (events_.on_contradiction) events_.on_contradiction();
      return;
    }
    if (found) {
      log_warning("{}; looking again", found->what);
    } else if (events_.on_unchanged) {
      events_.on_unchanged();
    }
    wait = found ? options_.again : options_.interval;
  }
}

std::optional<TopicWatch::Contradiction> TopicWatch::compare(const Topics& seen) const {
  for (const auto& [name, topic] : known_) {
    const auto now = seen.find(name);
    if (now == seen.end()) return Contradiction{name, "topic " + name + " was deleted while it was in use"};
    if (now->second.id != topic.id)
      return Contradiction{name, "topic " + name + " was deleted and made again while it was in use"};
  }
  return std::nullopt;
}

void TopicWatch::grow(const Topics& seen) {
  for (auto& [name, topic] : known_) {
    const std::int32_t now = seen.at(name).partitions;
    if (now <= topic.partitions) continue;
    if (events_.on_growth) events_.on_growth(name, topic.partitions, now);
    topic.partitions = now;
  }
}

bool TopicWatch::confirmed(StateBoard& board, Clock::time_point since) {
  // An answer may be as old as the interval and take some time; older, it is overdue.
  const auto fresh = [&] {
    return contradiction_ || (!suspected_since_ && asked_ >= since &&
                              Clock::now() - asked_ <= options_.interval + 4 * options_.again);
  };
  const Clock::time_point end = Clock::now() + options_.patience;
  std::unique_lock lock(mutex_);
  if (!fresh() && asked_ < since) hurry();
  while (!fresh() && Clock::now() < end) {
    board.beat();
    changed_.wait_for(lock, milliseconds(100));
  }
  return !contradiction_ && fresh();
}

void TopicWatch::look_soon() {
  const std::lock_guard lock(mutex_);
  hurry();
}

void TopicWatch::hurry() {
  hurry_ = true;
  changed_.notify_all();
}

std::optional<TopicWatch::Contradiction> TopicWatch::look_now() {
  std::unique_lock lock(mutex_);
  hurry();
  const Clock::time_point since = Clock::now();
  changed_.wait_for(lock, options_.patience,
                    [&] { return contradiction_ || (!suspected_since_ && asked_ >= since); });
  return contradiction_;
}

std::optional<TopicWatch::Contradiction> TopicWatch::contradiction() const {
  const std::lock_guard lock(mutex_);
  return contradiction_;
}

std::string TopicWatch::overdue() const {
  const std::lock_guard lock(mutex_);
  if (!unanswered_.empty()) return unanswered_;
  return suspected_since_ ? "one seems to have changed" : "";
}

bool WatchedLeadership::confirmed(TopicWatch::Clock::time_point since) const {
  bool told = false;
  bool confirmed = false;
  while (election_.held() && !watch_.contradiction()) {
    confirmed = watch_.confirmed(board_, since);
    if (confirmed || stop_.stop_requested()) break;
    const std::string why = watch_.overdue();
    if (why.empty()) continue;  // answered just now
    log_warning("the batch waits until its topics were seen unchanged: {}", why);
    board_.warn("topics", why);
    told = true;
  }
  if (told) board_.warn("topics", "");
  return confirmed && election_.held();
}

}  // namespace neardup
