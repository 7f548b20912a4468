// How far is a long work?
//
// One line on a terminal, written over itself five times a second at most. Where standard error is no
// terminal, or nobody asks, nothing is written.
#pragma once

#include <chrono>
#include <string_view>

namespace neardup {

class ProgressLine {
 public:
  static constexpr std::chrono::milliseconds kEvery{200};

  // On the stream `err`; not at all unless `is_wanted`.
  explicit ProgressLine(int err, bool is_wanted = true);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows what `words` returns, if the last ones stand there for long enough; the first come after a while.
  template <class Words>
  void show(Words words) {
    if (is_due()) write(words());
  }

  // Takes away what stands there, before anything else is written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_due() const { return is_shown_ && Clock::now() - written_ >= kEvery; }
  void write(std::string_view words);

  int err_;
  bool is_shown_;
  bool stands_ = false;
  Clock::time_point written_ = Clock::now();
};

}  // namespace neardup
