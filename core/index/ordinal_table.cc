#include "core/index/ordinal_table.h"

namespace neardup {

void OrdinalTable::put(Line& first, std::uint64_t hash, std::uint32_t ordinal) {
  Line* line = &first;
  while (line->count() == kPerLine) {
    if (line->overflow() == 0) {
      const std::uint32_t fresh = take_overflow();
      line->head |= fresh << 4;
    }
    line = &overflow_[line->overflow()];
  }
  line->ordinals[line->count()] = ordinal;
  line->tags[line->count()] = tag_of(hash);
  ++line->head;
}

std::uint32_t OrdinalTable::take_overflow() {
  std::uint32_t taken = overflow_free_;
  if (taken != 0) {
    overflow_free_ = overflow_[taken].head;
  } else {
    CHECK(overflow_used_ < kOverflowMax, "a hash spreads better than this");
    taken = overflow_used_++;
    overflow_.use(overflow_used_);
  }
  overflow_[taken].head = 0;
  return taken;
}

void OrdinalTable::give_back(std::uint32_t overflow) {
  overflow_[overflow].head = overflow_free_;
  overflow_free_ = overflow;
}

// The bucket's last entry takes the place of the one that goes.
void OrdinalTable::erase(std::uint64_t hash, std::uint32_t ordinal) {
  Line* before_last = nullptr;
  Line* last = &lines_[bucket(hash)];
  std::uint32_t* found = nullptr;
  std::uint8_t* found_tag = nullptr;
  while (true) {
    for (std::uint32_t i = 0; i < last->count(); ++i) {
      if (last->ordinals[i] == ordinal) {
        found = &last->ordinals[i];
        found_tag = &last->tags[i];
      }
    }
    if (last->overflow() == 0) break;
    before_last = last;
    last = &overflow_[last->overflow()];
  }
  CHECK(found != nullptr, "only what is stored is erased");
  --last->head;
  *found = last->ordinals[last->count()];
  *found_tag = last->tags[last->count()];
  if (last->count() == 0 && before_last != nullptr) {
    give_back(before_last->overflow());
    before_last->head &= 15;
  }
  --entries_;
}

}  // namespace neardup
