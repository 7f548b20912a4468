#include "core/detector/stream_guard.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/check.h"
#include "core/base/prefetch_line.h"

namespace neardup {
namespace {

std::uint32_t documents_of(const StreamGuardOptions& options) {
  const std::uint64_t product = std::uint64_t{options.window} * options.alarm_permille;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (product + 999) / 1000));
}

// One key goes and one comes. Where they are the same nothing happens: taken away first, the key would be
// too often no more, and added first it might be for a moment.
void replace(KeyCounts& counts, std::optional<std::uint64_t> gone, std::optional<std::uint64_t> come) {
  if (gone == come) return;
  if (gone) counts.remove(*gone);
  if (come) counts.add(*come);
}

}  // namespace

void KeyCounts::add(std::uint64_t key) {
  Count* slot = &slots_[place(key)];
  if (slot->count == 0) {
    if (++used_ * 2 > slots_.size()) {
      grow();
      slot = &slots_[place(key)];
    }
    slot->key = key;
  }
  if (++slot->count == too_many_ && std::ranges::find(frequent_, key) == frequent_.end()) {
    frequent_.push_back(key);
  }
  if (slot->count > highest_) {
    highest_ = slot->count;
    if (keys_with_.size() <= highest_) keys_with_.resize(highest_ + 1);
  }
  if (slot->count > 1) --keys_with_[slot->count - 1];
  ++keys_with_[slot->count];
}

void KeyCounts::remove(std::uint64_t key) {
  std::size_t at = place(key);
  DCHECK(slots_[at].count > 0);
  if (slots_[at].count == still_too_many_) std::erase(frequent_, key);
  --keys_with_[slots_[at].count];
  --slots_[at].count;
  if (slots_[at].count > 0) ++keys_with_[slots_[at].count];
  if (keys_with_[highest_] == 0) --highest_;  // whoever had the most has one less now
  if (slots_[at].count > 0) return;
  --used_;
  // Who was pushed behind the slot that is free now moves up, or would not be found any more.
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t next = (at + 1) & mask; slots_[next].count > 0; next = (next + 1) & mask) {
    const std::size_t from_home = (next - home(slots_[next].key)) & mask;
    if (from_home < ((next - at) & mask)) continue;
    slots_[at] = slots_[next];
    slots_[next].count = 0;
    at = next;
  }
}

std::size_t KeyCounts::home(std::uint64_t key) const {
  const std::uint64_t mixed = (key ^ key >> 32) * 0x9E3779B97F4A7C15;
  return static_cast<std::size_t>(mixed >> (64 - std::bit_width(slots_.size() - 1)));
}

std::size_t KeyCounts::place(std::uint64_t key) const {
  std::size_t at = home(key);
  while (slots_[at].count > 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
  return at;
}

void KeyCounts::grow() {
  const std::vector<Count> old = std::exchange(slots_, std::vector<Count>(slots_.size() * 2));
  for (const Count& count : old) {
    if (count.count > 0) slots_[place(count.key)] = count;
  }
}

std::optional<KeyCounts::Count> KeyCounts::largest() const {
  std::optional<Count> largest;
  for (const std::uint64_t key : frequent_) {
    const Count& count = slots_[place(key)];
    const bool wins = !largest || count.count > largest->count ||
                      (count.count == largest->count && count.key < largest->key);
    if (wins) largest = count;
  }
  return largest;
}

StreamGuard::StreamGuard(StreamGuardOptions options)
    : options_(options), clusters_(documents_of(options)), sources_(documents_of(options)) {
  CHECK(options_.window >= 1, "a share of nothing");
  CHECK(options_.alarm_permille >= 1 && options_.alarm_permille <= 1000, "config refuses other shares");
}

void StreamGuard::pass() { slide({}); }

void StreamGuard::swallow(Sequence leader, std::uint64_t source) {
  DCHECK(leader != kNobody);
  slide({leader, source});
}

void StreamGuard::slide(Swallowed newest) {
  Swallowed oldest;
  if (window_.size() < options_.window) {
    window_.push_back(newest);
  } else {
    oldest = std::exchange(window_[next_], newest);
    next_ = next_ + 1 == window_.size() ? 0 : next_ + 1;
    // Who goes soon is known, and his counts lie anywhere. The window itself is larger than a cache.
    if (const std::size_t soon = next_ + kAhead; soon + kAhead < window_.size()) {
      prefetch_line(&window_[soon + kAhead]);
      if (window_[soon].leader != kNobody) {
        clusters_.prefetch(window_[soon].leader);
        sources_.prefetch(window_[soon].source);
      }
    }
  }
  const auto if_swallowed = [](const Swallowed& document, std::uint64_t key) {
    return document.leader == kNobody ? std::nullopt : std::optional(key);
  };
  replace(clusters_, if_swallowed(oldest, oldest.leader), if_swallowed(newest, newest.leader));
  replace(sources_, if_swallowed(oldest, oldest.source), if_swallowed(newest, newest.source));
}

std::optional<StreamAlarm> StreamGuard::alarm() const {
  const std::optional<KeyCounts::Count> cluster = clusters_.largest();
  const std::optional<KeyCounts::Count> source = sources_.largest();
  if (!cluster && !source) return std::nullopt;
  const bool is_source = !cluster || (source && source->count > cluster->count);
  const KeyCounts::Count largest = is_source ? *source : *cluster;
  const std::uint64_t permille = std::uint64_t{largest.count} * 1000 / options_.window;
  return StreamAlarm{.kind = is_source ? StreamAlarm::Kind::kSource : StreamAlarm::Kind::kCluster,
                     .key = largest.key,
                     .documents = largest.count,
                     .permille = static_cast<std::uint32_t>(permille)};
}

Sequence StreamGuard::newest_leader_from(std::uint64_t source) const {
  for (std::size_t back = 1; back <= window_.size(); ++back) {
    const Swallowed& document = window_[(next_ + window_.size() - back) % window_.size()];
    if (document.leader != kNobody && document.source == source) return document.leader;
  }
  CHECK(false, "nobody from this source swallowed anything");
}

}  // namespace neardup
