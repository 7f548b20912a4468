// Which rows has this search met already? A small table that forgets: a row it forgot comes twice, and
// whoever sorts the rows can tell. So a row that stands under many keys is fetched and kept once, at no cost
// that grows.
//
// Cost: 32 KiB; a look at one place for each row. Threads: none inside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/index/bucket_table.h"

namespace neardup {

class MetRows {
 public:
  // A new search: no row is met yet.
  void begin() {
    if (++search_ != 0) return;
    slots_.fill({});
    search_ = 1;
  }

  // False if this search met the row before, and the table still knows.
  bool meet(Ordinal row) {
    const auto low = static_cast<std::uint32_t>(row);
    Slot& slot = slots_[low * 0x9E3779B1U >> 20];
    if (slot.row == low && slot.search == search_) return false;
    slot = {low, search_};
    return true;
  }

 private:
  static constexpr std::size_t kSlots = 4096;

  struct Slot {
    std::uint32_t row = 0;  // the low bits
    std::uint32_t search = 0;
  };
  std::array<Slot, kSlots> slots_{};
  std::uint32_t search_ = 0;
};

}  // namespace neardup
