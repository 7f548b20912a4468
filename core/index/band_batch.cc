#include "core/index/band_batch.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "core/base/check.h"

namespace neardup {

void BandBatch::begin(std::span<const BucketTable::ShardSet> shards) {
  BucketTable::ShardSet all = 0;
  for (const BucketTable::ShardSet own : shards) {
    CHECK((all & own) == 0, "a shard has one owner");
    all |= own;
  }
  CHECK(all == (1U << BucketTable::kShards) - 1, "each shard has an owner");
  shares_.resize(shards.size());
  for (std::size_t member = 0; member < shards.size(); ++member) {
    Share& share = shares_[member];
    share.own_ = shards[member];
    share.count_ = 0;
    share.full_.clear();
    share.full_keys_ = 0;
    share.not_posted_ = 0;
  }
}

void BandBatch::open(BandPostings& postings, Ordinal first, std::size_t texts) {
  CHECK(texts <= (std::size_t{1} << 32) / (kKeysOfBand * BandPostings::kBandsMax), "slots are 32 bits");
  std::uint64_t keys = 0;
  for (const Share& share : shares_) keys += share.count_;
  first_ = first;
  outcomes_.assign(texts * BandPostings::kBandsMax, 0);
  // Texts without a key take no room: where rows have no bands the table stays empty.
  postings.table_.open(keys, keys == 0 ? postings.table_.newest() : first + texts - 1);
}

void BandBatch::post(BandPostings& postings, std::size_t member) {
  // A line is on its way for as long as it takes to post so many.
  constexpr std::size_t kStep = 40;
  Share& share = shares_[member];
  BucketTable& table = postings.table_;
  table.grow(share.own_);
  const std::span<const Share::Item> items = std::span(share.items_).first(share.count_);
  for (std::size_t i = 0; i < items.size() + 2 * kStep; ++i) {
    if (i < items.size()) table.prefetch(items[i].key);
    if (i >= kStep && i - kStep < items.size()) table.prefetch_rest(items[i - kStep].key);
    if (i >= 2 * kStep) post(postings, items[i - 2 * kStep], share);
  }
}

void BandBatch::post(BandPostings& postings, const Share::Item& item, Share& share) {
  const Slot slot = item.slot;
  const bool is_own_key = slot.which() == 0;
  if (!is_own_key && outcome_of(slot) == kPosted) return;
  bool fills = false;
  const bool posted = postings.post<BandPostings::Caller::kOwner>(item.key, first_ + slot.text(), fills);
  if (fills || !posted) share.full_.push_back(slot);
  share.full_keys_ += fills;
  if (!item.is_extended) {
    share.not_posted_ += !posted;
    return;
  }
  const std::atomic_ref outcome(outcomes_[slot.of_band()]);
  if (is_own_key) {
    outcome.store(posted ? kPosted : kRefused, std::memory_order_release);
  } else if (posted) {
    outcome.fetch_or(kExtended, std::memory_order_relaxed);
  }
}

// Waits for the owner of the band's own key.
std::uint8_t BandBatch::outcome_of(Slot slot) {
  constexpr int kLooks = 2000;
  const std::atomic_ref outcome(outcomes_[slot.of_band()]);
  for (int look = 0;; ++look) {
    if (const std::uint8_t known = outcome.load(std::memory_order_acquire); known != 0) return known;
    if (look >= kLooks) std::this_thread::yield();
  }
}

void BandBatch::merge(BandPostings& postings) {
  postings.table_.close();
  for (const Share& share : shares_) {
    postings.full_keys_ += share.full_keys_;
    postings.not_posted_ += share.not_posted_;
  }
  postings.not_posted_ += static_cast<std::uint64_t>(std::ranges::count(outcomes_, kRefused));
}

}  // namespace neardup
