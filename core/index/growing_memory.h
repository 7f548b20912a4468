// How does an array grow to gigabytes, never move, and never make its writer wait?
//
// Address space is reserved once, memory comes as it is used: `use(end)` says how far that is,
// `release(begin)` gives back what lies before. Offsets may run on past the size that was reserved: they wrap
// around, so a window that slides over them for ever is a ring.
//
//   offsets    0 ........ begin ════════ end ─────────────►
//                         held           held next, by a thread in the background
//
// Memory is asked for in huge pages (2 MiB; a random read costs a third with them, where page tables are
// nested). Up to 16 MiB, or as said, it comes in small ones, which a background thread makes one huge page
// once they are full. The first touch of a page is what costs (the system clears it), so beyond that the same
// thread touches the next page when this one is half full, and beyond 64 MiB when it is begun, and all pages
// of a leap. It changes no byte, so nothing but time hangs on it. Where threads at work have said that they
// take all cores (BusyCores), it is not asked: it would stop one of them, and the others wait for that one.
//
// Cost:    bytes() counts steps of 16 KiB while pages are small, then whole huge pages, with the one held
//          ahead.
// Threads: one for the whole process does the first touches. An object of its own belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace neardup {

class GrowingMemory {
 public:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  static constexpr std::size_t kSmallStep = std::size_t{16} << 10;
  // A small array should be small.
  static constexpr std::size_t kSmallMax = 8 * kHugePage;

  GrowingMemory() = default;
  // Nothing is held yet; fresh memory is zero. Beyond small_max it comes as huge pages.
  // REQUIRES: size_max > 0; to wrap around, a multiple of kHugePage. small_max: a multiple of it.
  explicit GrowingMemory(std::size_t size_max, std::size_t small_max = kSmallMax);
  ~GrowingMemory();
  GrowingMemory(GrowingMemory&& other) noexcept { swap(other); }
  GrowingMemory& operator=(GrowingMemory&& other) noexcept {
    GrowingMemory moved(std::move(other));  // what was held here is given back at once
    swap(moved);
    return *this;
  }

  std::byte* data() const { return data_; }

  // Offsets below `end` may be used from now on. REQUIRES: at most size_max bytes between begin and end, and
  // a huge page less once they wrap around: what is given back are whole pages, which may hold either end.
  void use(std::uint64_t end) {
    if (end > ready_) hold(end);
  }

  // Nothing below `begin` will be used again; what is used at its place after a wrap is zero again.
  void release(std::uint64_t begin);

  std::size_t bytes() const { return static_cast<std::size_t>(held_ - released_); }

 private:
  void swap(GrowingMemory& other) noexcept;
  void hold(std::uint64_t end);
  void hold_page(std::uint64_t begin);
  void make_accessible(std::uint64_t end);
  void make_huge(std::uint64_t page);

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t small_max_ = 0;
  std::size_t accessible_ = 0;  // of the reserved bytes, from the first on
  std::uint64_t released_ = 0;  // below: given back
  std::uint64_t held_ = 0;      // from released_ to here
  std::uint64_t ready_ = 0;     // use() need not look closer up to here
};

// While it lives, so many threads keep a core busy each.
class BusyCores {
 public:
  explicit BusyCores(int threads);
  ~BusyCores();
  BusyCores(const BusyCores&) = delete;
  BusyCores& operator=(const BusyCores&) = delete;

 private:
  int threads_;
};

// A GrowingMemory of elements: of a trivial type, zero at first.
template <class T>
class GrowingArray {
 public:
  GrowingArray() = default;
  explicit GrowingArray(std::size_t size_max) : memory_(size_max * sizeof(T)) {}

  T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  T& operator[](std::size_t index) { return data()[index]; }
  const T& operator[](std::size_t index) const { return data()[index]; }
  void use(std::uint64_t end) { memory_.use(end * sizeof(T)); }
  void release(std::uint64_t begin) { memory_.release(begin * sizeof(T)); }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  GrowingMemory memory_;
};

}  // namespace neardup
