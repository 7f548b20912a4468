#include "core/index/head_rows.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/check.h"

namespace neardup {
namespace {

// What, times load / unit, is so many entries at least.
std::uint64_t least(std::uint64_t entries, std::uint64_t load, std::uint64_t unit) {
  return (entries * unit + load - 1) / load;
}

}  // namespace

HeadRows::HeadRows(int key_bits, int level_min, int slots) : key_bits_(key_bits), slots_(slots) {
  CHECK(level_min <= key_bits && key_bits <= 32 && slots > 0, "a row of heads has a number");
  size_.level = level_min;
  narrow_ = GrowingArray<std::uint32_t>(words_max(0));
  narrow_.use(words_for(size_.whole(), 0));
  begin_round();
}

// After how many entries the next row is split or widened, if so many are.
std::uint64_t HeadRows::due(const Size& size, std::uint64_t split) const {
  const std::uint64_t done = size.whole() + split;
  if (!widens(size)) return done * kLoad / kLoadUnit;
  if (size.widenings == kWidenings) return ~std::uint64_t{0};
  return kWideLoad[static_cast<std::size_t>(size.widenings)] * (done << size.widenings);
}

// Rows of this round that are split or widened before `count` more entries are stored. Counts as due() does.
std::uint64_t HeadRows::steps_for(std::uint64_t count) const {
  if (!grows(count)) return 0;
  const std::uint64_t entries = size_.entries + count;
  const auto w = static_cast<std::size_t>(size_.widenings);
  const std::uint64_t done =
      widens(size_) ? least(entries, kWideLoad[w] << w, 1) : least(entries, kLoad, kLoadUnit);
  return done - size_.whole() - size_.split;
}

std::uint64_t HeadRows::before_round_ends(std::uint64_t count) const {
  return std::min(count, due(size_, size_.whole()) - size_.entries);
}

void HeadRows::prepare(std::uint64_t count) {
  if (grows(count)) use_for(size_.split + steps_for(count));
}

void HeadRows::finish(std::uint64_t count) {
  const std::uint64_t steps = steps_for(count);
  size_.entries += count;
  if (steps == 0) return;
  size_.split += steps;
  release_narrow();
  if (size_.split < size_.whole()) {
    size_.due = due(size_, size_.split);
    return;
  }
  if (widens(size_)) {
    ++size_.widenings;
    narrow_ = std::exchange(wide_, {});
  } else {
    ++size_.level;
  }
  size_.split = 0;
  begin_round();
}

// The memory for the rows below `split` to be split or widened.
void HeadRows::use_for(std::uint64_t split) {
  if (widens(size_)) {
    wide_.use(words_for(split, size_.widenings + 1));
  } else {
    narrow_.use(words_for(size_.whole() + split, 0));
  }
}

// What those leave behind that are widened.
void HeadRows::release_narrow() {
  if (widens(size_)) narrow_.release(size_.split / kRunRows * run_words(size_.widenings));
}

// Regions as they are for this level and these widenings.
void HeadRows::begin_round() {
  const std::uint64_t mask = size_.whole() - 1;
  const int widenings = size_.widenings;
  size_.split_mask = mask;
  std::array<Region, 2>& r = size_.regions;
  r[0] = {.mask = mask, .begin = narrow_.data(), .stride = run_words(widenings), .shift = 4 + widenings};
  r[1] = r[0];
  if (!widens(size_)) {
    r[1].mask = 2 * mask + 1;
  } else if (widenings < kWidenings) {
    wide_ = GrowingArray<std::uint32_t>(words_max(widenings + 1));
    r[1].begin = wide_.data();
    r[1].stride = run_words(widenings + 1);
    ++r[1].shift;
  }
  size_.due = due(size_, size_.split);
}

// Counts as due() does.
HeadRows::Shape HeadRows::shape_of(std::uint64_t entries) const {
  const std::uint64_t all = std::uint64_t{1} << key_bits_;
  const std::uint64_t rows = std::max(least(entries, kLoad, kLoadUnit), size_.whole());
  if (rows < all) {
    const auto level = static_cast<int>(std::bit_width(rows)) - 1;
    return {.level = level, .ahead = rows - (std::uint64_t{1} << level), .widenings = 0};
  }
  for (int widenings = 0; widenings < kWidenings; ++widenings) {
    const std::uint64_t done = least(entries, kWideLoad[static_cast<std::size_t>(widenings)] << widenings, 1);
    if (done < 2 * all) {
      return {.level = key_bits_, .ahead = done > all ? done - all : 0, .widenings = widenings};
    }
  }
  return {.level = key_bits_, .ahead = 0, .widenings = kWidenings};
}

// Empty buckets split into empty buckets, so only the size is set, and what would be given back on the way
// is never touched.
void HeadRows::prepare_all(std::uint64_t entries) {
  DCHECK(size_.entries == 0);
  const Shape shape = shape_of(entries);
  size_.level = shape.level;
  size_.split = shape.ahead;
  size_.widenings = shape.widenings;
  if (shape.widenings > 0) narrow_ = GrowingArray<std::uint32_t>(words_max(shape.widenings));
  begin_round();
  narrow_.use(words_for(size_.whole(), size_.widenings));
  use_for(size_.split);
  release_narrow();
}

}  // namespace neardup
