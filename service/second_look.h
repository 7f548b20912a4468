// When is an answer of Kafka, or a file, believed that would end the process?
//
// A broker that has just come up may know less than the others, and one that leads no more may not know that
// yet: it tells of topics that are not there, of partitions that were never added, of settings that have been
// mended, of an end that was. A file that is being written is empty. After the exit codes that follow no
// supervisor starts the process again, so such an answer has to last.
//
// Threads: none.
#pragma once

#include <chrono>
#include <stop_token>
#include <thread>
#include <utility>

namespace neardup {

struct SecondLook {
  std::chrono::milliseconds time{5000};  // so long it has to last
  std::chrono::milliseconds again{200};  // between two looks
};

// One round of looks.
class Looks {
 public:
  Looks(const SecondLook& options, std::stop_token stop) : options_(options), stop_(std::move(stop)) {}

  bool stopped() const { return stop_.stop_requested(); }

  // Waits until it is time for another look; false if there is to be none. The time begins with the first
  // call: the answer before it may have been waited for until the brokers were up, and they know least then.
  bool once_more() {
    if (!has_begun_) end_ = Clock::now() + options_.time;
    has_begun_ = true;
    if (stopped() || Clock::now() >= end_) return false;
    std::this_thread::sleep_for(options_.again);
    return !stopped();
  }

 private:
  using Clock = std::chrono::steady_clock;

  const SecondLook options_;
  Clock::time_point end_;
  bool has_begun_ = false;
  std::stop_token stop_;
};

}  // namespace neardup
