#include "core/index/crew.h"

#include "core/base/check.h"
#include "core/base/isa.h"

namespace neardup {
namespace {

// Some two tenths of a millisecond: longer than between two steps of a busy caller, and than a member is late
// who came to a fresh huge page.
constexpr int kLooks = 8000;

// Tells the core that it waits.
void pause() {
#if NEARDUP_X86
  __builtin_ia32_pause();
#endif
}

// Waits until `value` is no longer `old`.
void wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int look = 0; look < kLooks; ++look) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause();
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

}  // namespace

Crew::Crew(int size) {
  CHECK(size >= 1, "someone has to do it");
  for (int member = 1; member < size; ++member) {
    threads_.emplace_back([this, member] { wait_for_work(member); });
  }
}

Crew::~Crew() {
  over_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::run(const Task& task) {
  if (threads_.empty()) return task.call(task.what, 0);
  task_ = task;
  busy_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  task.call(task.what, 0);
  for (std::uint32_t left = busy_.load(std::memory_order_acquire); left != 0;
       left = busy_.load(std::memory_order_acquire)) {
    wait_for_change(busy_, left);
  }
}

void Crew::wait_for_work(int member) {
  std::uint32_t seen = 0;
  while (true) {
    wait_for_change(round_, seen);
    ++seen;  // rounds follow each other only when all are done, so none is missed
    if (over_) return;
    task_.call(task_.what, member);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_all();
  }
}

}  // namespace neardup
