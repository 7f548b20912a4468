#include "core/index/ordinal_table.h"

#include "core/base/check.h"

namespace neardup {

void OrdinalTable::append(Line& first, std::uint8_t tag, std::uint32_t ordinal) {
  Line* last = first.link() == 0 ? &first : &overflow_[first.link()];
  if (last->count() == kPerLine) {
    const std::uint32_t fresh = take_overflow();  // no line moves
    // The new line closes the ring: it leads to the second line, as the last one did before.
    overflow_[fresh].set(first.link() == 0 ? fresh : last->link(), 0);
    if (first.link() != 0) last->set(fresh, kPerLine);
    first.set(fresh, kPerLine);
    last = &overflow_[fresh];
  }
  last->ordinals[last->count()] = ordinal;
  last->tags[last->count()] = tag;
  last->set(last->link(), last->count() + 1);
}

std::uint32_t OrdinalTable::take_overflow() {
  std::uint32_t taken = overflow_free_;
  if (taken != 0) {
    overflow_free_ = overflow_[taken].link();
  } else {
    CHECK(overflow_used_ < kOverflowMax, "a hash spreads better than this");
    taken = overflow_used_++;
    overflow_.use(overflow_used_);
  }
  return taken;
}

void OrdinalTable::give_back(std::uint32_t overflow) {
  overflow_[overflow].set(overflow_free_, 0);
  overflow_free_ = overflow;
}

// The bucket's last entry takes the place of the one that goes.
void OrdinalTable::erase(std::uint64_t hash, std::uint32_t ordinal) {
  Line& first = lines_[bucket(hash)];
  const std::uint32_t end = first.link();
  Line* line = &first;
  std::uint32_t place = line->place_of(ordinal);
  for (std::uint32_t at = end; place == line->count(); at = line->link()) {
    CHECK(at != 0 && (at != end || line == &first), "only what is stored is erased");
    line = &overflow_[at];
    place = line->place_of(ordinal);
  }
  Line& last = end == 0 ? first : overflow_[end];
  last.set(last.link(), last.count() - 1);
  line->ordinals[place] = last.ordinals[last.count()];
  line->tags[place] = last.tags[last.count()];
  if (last.count() == 0 && end != 0) drop_last(first);
  --entries_;
}

// The line before the last one becomes the last.
void OrdinalTable::drop_last(Line& first) {
  const std::uint32_t last = first.link();
  const std::uint32_t second = overflow_[last].link();
  if (second == last) {
    first.set(0, first.count());
  } else {
    std::uint32_t before = second;
    while (overflow_[before].link() != last) before = overflow_[before].link();
    overflow_[before].set(second, overflow_[before].count());
    first.set(before, first.count());
  }
  give_back(last);
}

}  // namespace neardup
