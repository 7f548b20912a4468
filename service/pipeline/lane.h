// How does work pass from one thread to the next?
//
// Through a lane: first in, first out. `push` never waits, because what travels is owned by a pool of a few
// pieces, and pieces that are all under way are what holds the first thread back. The giver closes a lane
// behind its last piece; the taker sees the end when it has taken all.
//
// Threads: any number of givers and takers.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace neardup {

template <class T>
class Lane {
 public:
  void push(T piece) {
    const std::lock_guard lock(mutex_);
    pieces_.push_back(std::move(piece));
    changed_.notify_one();
  }

  // Nothing comes any more.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  // The next piece; nothing when the lane has ended, when `wait` is over, or when `halt` asks for it,
  // whatever is still in the lane.
  std::optional<T> pop(const std::stop_token& halt, std::chrono::milliseconds wait) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, halt, wait, [this] { return !pieces_.empty() || closed_; });
    if (pieces_.empty() || halt.stop_requested()) return std::nullopt;
    std::optional<T> piece(std::move(pieces_.front()));
    pieces_.pop_front();
    return piece;
  }

  // Closed, and all was taken.
  bool ended() const {
    const std::lock_guard lock(mutex_);
    return closed_ && pieces_.empty();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<T> pieces_;
  bool closed_ = false;
};

}  // namespace neardup
