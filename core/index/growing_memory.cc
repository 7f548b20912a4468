#include "core/index/growing_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "core/base/check.h"
#include "core/base/cores.h"
#include "core/base/isa.h"

// Of Linux 5.14 and 6.1; older ones refuse them, and the first touch is then paid by the writer.
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace neardup {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = GrowingMemory::kHugePage;
// From here on the next one is asked for when the one before begins to be used, not when it is half full.
// Where a guest's page is its host's first touch as well, one takes milliseconds; and several arrays may come
// to the ends of their pages together.
constexpr std::size_t kFarFrom = 32 * kHugePage;
// Some systems count what is accessible as if it were used, so it grows in large steps, not at once.
constexpr std::size_t kAccessibleMin = std::size_t{64} << 20;

constexpr int kAttempts = 5;

std::atomic<int> busy_cores = 0;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

// Touches pages before they are needed. One thread for the process, started by the first who asks.
class FirstTouch {
 public:
  static FirstTouch& instance() {
    // Never destroyed: a memory of static lifetime may be the last to go.
    static FirstTouch& touch = *new FirstTouch;
    return touch;
  }

  // Only spares time.
  void ask(std::byte* page, bool collapse) {
    static const int cores = allowed_cores();
    if (busy_cores.load(std::memory_order_relaxed) >= cores) return;
    const std::lock_guard lock(mutex_);
    wanted_.push_back({page, collapse});
    wake_.notify_one();
  }

  // Returns once nothing in the range is being touched or ever will be.
  void forget(const std::byte* begin, std::size_t size) {
    std::unique_lock lock(mutex_);
    const auto inside = [&](const Page& page) { return page.begin >= begin && page.begin < begin + size; };
    std::erase_if(wanted_, inside);
    done_.wait(lock, [&] { return working_.begin == nullptr || !inside(working_); });
  }

 private:
  struct Page {
    std::byte* begin = nullptr;
    bool collapse = false;
  };

  FirstTouch() {
    std::thread([this] { run(); }).detach();
  }

  [[noreturn]] void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return !wanted_.empty(); });
      working_ = wanted_.front();
      wanted_.pop_front();
      lock.unlock();
      working_.collapse ? collapse(working_.begin) : touch(working_.begin);
      lock.lock();
      working_ = {};
      done_.notify_all();
    }
  }

  // Where the system refuses, the pages stay small. What is being written to at this moment
  // may not be collapsed; one of five, and seldom twice.
  static void collapse(std::byte* page) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      if (madvise(page, kHugePage, MADV_COLLAPSE) == 0 || errno != EAGAIN) break;
    }
  }

  // By using it, which locks this mapping alone. The system's call for it (MADV_POPULATE_WRITE) locks them
  // all while it clears a page, and whoever maps anything meanwhile waits for milliseconds.
  static void touch(std::byte* page) {
#if NEARDUP_X86
    // Changes nothing, whatever the owner writes there at this moment; which is why it is no C++.
    for (std::size_t at = 0; at < kHugePage; at += kPage) asm volatile("lock orb $0, %0" : "+m"(page[at]));
#else
    static_cast<void>(madvise(page, kHugePage, MADV_POPULATE_WRITE));
#endif
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::deque<Page> wanted_;
  Page working_;
};

}  // namespace

BusyCores::BusyCores(int threads) : threads_(threads) {
  busy_cores.fetch_add(threads_, std::memory_order_relaxed);
}

BusyCores::~BusyCores() { busy_cores.fetch_sub(threads_, std::memory_order_relaxed); }

GrowingMemory::GrowingMemory(std::size_t size_max, std::size_t small_max)
    : size_(static_cast<std::size_t>(round_up(size_max, kHugePage))), small_max_(small_max) {
  // One page more, to begin at the edge of a huge page; the rest before and behind is given back.
  void* const mapped =
      mmap(nullptr, size_ + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(mapped != MAP_FAILED, "no address space left: is it limited (ulimit -v)?");
  auto* const at = static_cast<std::byte*>(mapped);
  const std::size_t before =
      static_cast<std::size_t>(round_up(reinterpret_cast<std::uintptr_t>(at), kHugePage)) -
      reinterpret_cast<std::uintptr_t>(at);
  if (before > 0) munmap(at, before);
  munmap(at + before + size_, kHugePage - before);
  data_ = at + before;
}

GrowingMemory::~GrowingMemory() {
  if (data_ == nullptr) return;
  if (held_ >= kHugePage) FirstTouch::instance().forget(data_, size_);
  munmap(data_, size_);
}

void GrowingMemory::swap(GrowingMemory& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(small_max_, other.small_max_);
  std::swap(accessible_, other.accessible_);
  std::swap(released_, other.released_);
  std::swap(held_, other.held_);
  std::swap(ready_, other.ready_);
}

void GrowingMemory::make_accessible(std::uint64_t end) {
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(end, size_));
  if (wanted <= accessible_) return;
  const std::size_t to = std::min(size_, std::max(2 * accessible_, std::max(wanted, kAccessibleMin)));
  CHECK(mprotect(data_ + accessible_, to - accessible_, PROT_READ | PROT_WRITE) == 0,
        "the system refuses to hand out more memory");
  const std::size_t from = std::max(accessible_, small_max_);
  if (to > from) static_cast<void>(madvise(data_ + from, to - from, MADV_HUGEPAGE));
  accessible_ = to;
}

void GrowingMemory::hold(std::uint64_t end) {
  const std::uint64_t before = ready_;
  if (end <= small_max_) {
    ready_ = round_up(end, kSmallStep);
    held_ = std::max(held_, ready_);
    make_accessible(ready_);
    if (small_max_ - ready_ <= kHugePage / 2 && size_ > small_max_) hold_page(small_max_);
  } else {
    const std::uint64_t page_end = round_up(end, kHugePage);
    const std::uint64_t ahead = page_end < kFarFrom ? kHugePage / 2 : kHugePage;
    const bool is_due = page_end - end <= ahead;
    const std::uint64_t held_before = held_;
    held_ = std::max(held_, page_end);
    ready_ = is_due ? page_end : page_end - ahead;
    make_accessible(page_end);
    // All pages of a leap, but the first, which is used at once.
    for (std::uint64_t page =
             std::max<std::uint64_t>(round_up(held_before, kHugePage), small_max_) + kHugePage;
         page < page_end; page += kHugePage) {
      FirstTouch::instance().ask(data_ + page % size_, false);
    }
    if (is_due) hold_page(page_end);
  }
  const std::uint64_t small_end = std::min<std::uint64_t>(ready_, small_max_);
  for (std::uint64_t page = before / kHugePage; page < small_end / kHugePage; ++page) make_huge(page);
}

// The next page, before it is needed; none at whose place another one is still in use.
void GrowingMemory::hold_page(std::uint64_t begin) {
  if (held_ >= begin + kHugePage || begin + kHugePage > released_ + size_) return;
  held_ = begin + kHugePage;
  make_accessible(held_);
  FirstTouch::instance().ask(data_ + begin % size_, false);
}

// Of a page that is full of small ones, or still empty.
void GrowingMemory::make_huge(std::uint64_t page) {
  std::byte* const begin = data_ + page * kHugePage % size_;
  static_cast<void>(madvise(begin, kHugePage, MADV_HUGEPAGE));
  FirstTouch::instance().ask(begin, true);
}

void GrowingMemory::release(std::uint64_t begin) {
  const std::uint64_t step = begin >= kHugePage ? kHugePage : kSmallStep;
  const std::uint64_t to = begin / step * step;
  while (released_ < std::min(to, held_)) {
    const std::uint64_t page_end = (released_ / kHugePage + 1) * kHugePage;
    const std::uint64_t end = std::min({page_end, to, held_});
    static_cast<void>(madvise(data_ + released_ % size_, end - released_, MADV_DONTNEED));
    released_ = end;
  }
  released_ = std::max(released_, to);
  held_ = std::max(held_, released_);
  ready_ = std::max(ready_, released_);
}

}  // namespace neardup
