// Which few of all uniques have something more to say, and what?
//
// A map from sequence numbers to small values, for what most uniques do not have. Numbers are cut into pages
// of 256; a page has the values of those that have one, and behind them their places in it, both ascending:
//
//   page      | value value value ... free | place place place ... free |      sizeof(Value) + 1 byte each
//
// So growing copies a page at most, what is old goes page by page, and the order is that of the numbers.
//
// Cost:    sizeof(Value) + 1 bytes a value, an eighth of that for what is free, and 16 bytes for 256 numbers.
//          A look-up is two or three cache lines.
// Threads: none inside; the const functions may run side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/base/check.h"
#include "core/base/prefetch_line.h"
#include "core/decision.h"

namespace neardup {

template <class Value>
class SparseColumn {
  static_assert(std::is_trivially_copyable_v<Value>);

 public:
  // The value of `sequence`; null if it has none. Good until the next change.
  const Value* find(Sequence sequence) const {
    const Page* const page = page_of(sequence);
    if (page == nullptr) return nullptr;
    const std::size_t at = page->position(place_of(sequence));
    return page->has(at, place_of(sequence)) ? page->values() + at : nullptr;
  }
  Value* find(Sequence sequence) { return const_cast<Value*>(std::as_const(*this).find(sequence)); }

  // Starts to load what find() and insert() read first; and, once that is here, what it leads to.
  void prefetch(Sequence sequence) const {
    if (const Page* const page = page_of(sequence)) prefetch_line(page);
  }
  void prefetch_rest(Sequence sequence) const {
    const Page* const page = page_of(sequence);
    if (page == nullptr || page->count == 0) return;
    prefetch_line(page->places());
    prefetch_line(page->values() + page->count * std::size_t{place_of(sequence)} / kPage);
  }

  // The value of `sequence`, which is `value` if it had none before: then `second` is true. Good until the
  // next change. REQUIRES: `sequence` is not expired.
  std::pair<Value&, bool> insert(Sequence sequence, const Value& value) {
    CHECK(sequence >= oldest_, "what is expired does not come back");
    const std::uint64_t number = sequence / kPage - first_page();
    while (pages_.size() <= number) pages_.emplace_back();
    Page& page = pages_[number];
    const std::uint8_t place = place_of(sequence);
    const std::size_t at = page.position(place);
    if (page.has(at, place)) return {page.values()[at], false};
    page_bytes_ -= page.bytes();
    page.insert(at, place, value);
    page_bytes_ += page.bytes();
    ++size_;
    return {page.values()[at], true};
  }

  // False if it has none.
  bool erase(Sequence sequence) {
    if (find(sequence) == nullptr) return false;
    pages_[sequence / kPage - first_page()].erase(place_of(sequence));
    --size_;
    return true;
  }

  // Forgets the values of all below `oldest`.
  void expire(Sequence oldest) {
    if (oldest <= oldest_) return;
    for (std::uint64_t page = first_page(); page < oldest / kPage && !pages_.empty(); ++page) {
      page_bytes_ -= pages_.front().bytes();
      size_ -= pages_.front().count;
      pages_.pop_front();
    }
    oldest_ = oldest;
    if (pages_.empty()) return;
    Page& page = pages_.front();
    while (page.count > 0 && page.places()[0] < place_of(oldest)) {
      page.erase(page.places()[0]);
      --size_;
    }
  }

  // Calls visit(sequence, value) for each, ascending.
  template <class Visit>
  void for_each(Visit visit) const {
    Sequence base = first_page() * kPage;
    for (const Page& page : pages_) {
      for (std::size_t i = 0; i < page.count; ++i) visit(base + page.places()[i], page.values()[i]);
      base += kPage;
    }
  }

  std::uint64_t size() const { return size_; }
  std::size_t bytes() const { return page_bytes_ + pages_.size() * sizeof(Page); }

 private:
  static constexpr std::uint64_t kPage = 256;

  struct Page {
    std::unique_ptr<std::byte[]> memory;
    std::uint16_t count = 0;
    std::uint16_t capacity = 0;

    Value* values() const { return reinterpret_cast<Value*>(memory.get()); }
    std::uint8_t* places() const {
      return reinterpret_cast<std::uint8_t*>(memory.get() + capacity * sizeof(Value));
    }
    std::size_t bytes() const { return capacity * (sizeof(Value) + 1); }

    // Where it is or would be. Halving without a branch: none of these could be foretold.
    std::size_t position(std::uint8_t place) const {
      const std::uint8_t* const all = places();
      std::size_t at = 0;
      for (std::size_t left = count; left > 0;) {
        const std::size_t half = (left + 1) / 2;
        at += all[at + half - 1] < place ? half : 0;
        left -= half;
      }
      return at;
    }
    bool has(std::size_t at, std::uint8_t place) const { return at < count && places()[at] == place; }

    void insert(std::size_t at, std::uint8_t place, const Value& value) {
      if (count == capacity) grow();
      std::copy_backward(values() + at, values() + count, values() + count + 1);
      std::copy_backward(places() + at, places() + count, places() + count + 1);
      values()[at] = value;
      places()[at] = place;
      ++count;
    }

    void erase(std::uint8_t place) {
      const std::size_t at = position(place);
      std::copy(values() + at + 1, values() + count, values() + at);
      std::copy(places() + at + 1, places() + count, places() + at);
      --count;
    }

    void grow() {
      Page larger;
      larger.capacity =
          static_cast<std::uint16_t>(std::min<std::uint64_t>(kPage, capacity + 2 + capacity / 4));
      larger.memory = std::make_unique<std::byte[]>(larger.bytes());
      larger.count = count;
      std::copy(values(), values() + count, larger.values());
      std::copy(places(), places() + count, larger.places());
      *this = std::move(larger);
    }
  };

  static std::uint8_t place_of(Sequence sequence) { return static_cast<std::uint8_t>(sequence % kPage); }
  std::uint64_t first_page() const { return oldest_ / kPage; }  // pages_[0] is of these numbers
  const Page* page_of(Sequence sequence) const {                // null if there is none yet, or no more
    if (sequence < oldest_ || sequence / kPage - first_page() >= pages_.size()) return nullptr;
    return &pages_[sequence / kPage - first_page()];
  }

  std::deque<Page> pages_;
  Sequence oldest_ = 0;
  std::uint64_t size_ = 0;
  std::size_t page_bytes_ = 0;
};

}  // namespace neardup
