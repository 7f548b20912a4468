#include "core/index/bucket_table.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "core/base/bytes.h"
#include "core/base/check.h"

namespace neardup {

BucketTable::BucketTable(unsigned fill) : fill_(fill) { buckets_.use(buckets()); }

unsigned BucketTable::count(Key key, unsigned most) const {
  const Place place = place_of(key);
  const Line& head = buckets_[place.bucket];
  unsigned found = 0;
  const auto one = [&](Ordinal) { ++found; };
  scan_line(head, place, one);
  if (head.link() == 0 || found >= most) return std::min(found, most);
  for (std::uint32_t at = first_overflow(head); found < most; at = overflow_[at - 1].link()) {
    scan_line(overflow_[at - 1], place, one);
    if (at == head.link()) break;
  }
  return std::min(found, most);
}

void BucketTable::insert(Key key, Ordinal ordinal) {
  CHECK(ordinal >= oldest_, "what is expired does not come back");
  DCHECK(!batch_.is_open);
  if (sweep_at_ != kNoSweep) sweep();
  if (postings_ == 0) {
    base_ = oldest_;
    sweep_at_ = kNoSweep;
  }
  newest_ = std::max(newest_, ordinal);
  ++postings_;
  while (must_grow()) {
    const std::uint64_t sibling = buckets();
    // Heads lie in a row, but what is behind them lies anywhere.
    prefetch_split(sibling + 4);
    prefetch_split_rest(sibling + 2);
    grow_by_one();
    buckets_.use(sibling + 1);
    postings_ -= split(sibling);
  }
  const Place place = place_of(key);
  append(place.bucket, packed(place, ordinal));
}

// The second half keeps ordinals below the 2^(level + 4) that a bucket not yet split has room for.
bool BucketTable::must_grow() const {
  return postings_ > buckets() * fill_ || newest_ - base_ >= buckets() << (kOrdinalSlack - 1);
}

void BucketTable::grow_by_one() {
  CHECK(buckets() < kBucketsMax, "this address space is full");
  if (++split_ == std::uint64_t{1} << level_) {
    ++level_;
    split_ = 0;
  }
}

void BucketTable::append(std::uint64_t bucket, Posting posting) {
  Line& head = buckets_[bucket];
  Line* line = head.link() == 0 ? &head : &overflow_[head.link() - 1];
  if (line->count() == kLinePostings) {
    const std::uint32_t fresh = new_line(shard_of(bucket));  // which does not move `head`: no line ever moves
    // The new line closes the ring: it leads to the second line, as the last one did before.
    overflow_[fresh - 1].set(head.link() == 0 ? fresh : line->link(), 0);
    if (head.link() != 0) line->set(fresh, kLinePostings);
    head.set(fresh, kLinePostings);
    line = &overflow_[fresh - 1];
  }
  line->store(line->count(), posting);
  line->set(line->link(), line->count() + 1);
}

// Which of the lines never used an owner gets hangs on the others; how many it takes does not.
std::uint32_t BucketTable::new_line(Shard& shard) {
  if (shard.free == 0) {
    const std::uint64_t used = std::atomic_ref(overflow_used_).fetch_add(1, std::memory_order_relaxed);
    CHECK(used < kLinesMax, "links are 28 bits");
    if (batch_.is_open) {
      CHECK(used < batch_.lines_most, "open() was told of fewer postings");
    } else {
      overflow_.use(used + 1);
    }
    return static_cast<std::uint32_t>(used + 1);
  }
  const std::uint32_t line = shard.free;
  shard.free = overflow_[line - 1].link();
  --shard.free_lines;
  return line;
}

void BucketTable::free_line(Shard& shard, std::uint32_t link) {
  overflow_[link - 1].set(shard.free, 0);
  shard.free = link;
  ++shard.free_lines;
}

void BucketTable::take_out(std::uint64_t bucket) {
  Shard& shard = shard_of(bucket);
  shard.moving.clear();
  const auto take_line = [&](const Line& line) {
    for (unsigned i = 0; i < line.count(); ++i) shard.moving.push_back(line.posting(i));
  };
  const Line& head = buckets_[bucket];
  take_line(head);
  if (head.link() == 0) return;
  for (std::uint32_t at = first_overflow(head);;) {
    take_line(overflow_[at - 1]);
    const std::uint32_t next = overflow_[at - 1].link();
    free_line(shard, at);
    if (at == head.link()) return;
    at = next;
  }
}

// Gives a bucket all that it holds, in order: each header is written once.
class BucketTable::Filling {
 public:
  Filling(BucketTable& table, std::uint64_t bucket)
      : table_(table), bucket_(bucket), line_(&table.buckets_[bucket]) {}

  void add(Posting posting) {
    if (count_ == kLinePostings) next_line();
    line_->store(count_++, posting);
  }
  void finish() {
    if (last_ != 0) table_.buckets_[bucket_].set(last_, kLinePostings);
    line_->set(first_, count_);
  }

 private:
  void next_line() {
    const std::uint32_t fresh = table_.new_line(table_.shard_of(bucket_));
    if (last_ != 0) line_->set(fresh, kLinePostings);
    if (first_ == 0) first_ = fresh;
    last_ = fresh;
    line_ = &table_.overflow_[fresh - 1];
    count_ = 0;
  }

  BucketTable& table_;
  std::uint64_t bucket_;
  Line* line_;
  std::size_t count_ = 0;    // in it
  std::uint32_t first_ = 0;  // overflow lines: the ring begins and ends there
  std::uint32_t last_ = 0;
};

// What is needed soon: both heads; and, once they are here, the line behind the one that is split.
void BucketTable::prefetch_split(std::uint64_t sibling) const {
  prefetch_line(&buckets_[split_for(sibling)]);
  prefetch_line(&buckets_[sibling]);
}
void BucketTable::prefetch_split_rest(std::uint64_t sibling) const {
  const Line& soon = buckets_[split_for(sibling)];
  if (soon.link() != 0) prefetch_line(&overflow_[soon.link() - 1]);
}

std::uint64_t BucketTable::split(std::uint64_t sibling) {
  const std::uint64_t bucket = split_for(sibling);
  const Posting ordinals = ordinal_bits(static_cast<unsigned>(std::bit_width(sibling)) - 1);
  const Posting moves = ordinals + 1;  // the bit of the tag that says whereto; now it is of the ordinal
  take_out(bucket);
  std::array<Filling, 2> filling = {Filling(*this, bucket), Filling(*this, sibling)};
  std::uint64_t dropped = 0;
  for (const Posting posting : shard_of(bucket).moving) {
    const Ordinal ordinal = ordinal_of(posting, ordinals);
    if (ordinal < oldest_) {
      ++dropped;
      continue;
    }
    filling[(posting & moves) != 0].add((posting & ~moves) | (ordinal & moves));
  }
  for (Filling& bucket_filling : filling) bucket_filling.finish();
  return dropped;
}

bool BucketTable::erase(Key key, Ordinal ordinal) {
  DCHECK(!batch_.is_open);
  const std::uint64_t gone = take(key, ordinal);
  postings_ -= gone;
  return gone != 0;
}

std::uint64_t BucketTable::take(Key key, Ordinal ordinal) {
  if (ordinal < oldest_ || ordinal > newest_) return 0;
  const Place place = place_of(key);
  const Posting wanted = packed(place, ordinal);
  take_out(place.bucket);
  Filling filling(*this, place.bucket);
  std::uint64_t found = 0;
  for (const Posting posting : shard_of(place.bucket).moving) {
    if (found == 0 && posting == wanted) {
      found = 1;
    } else {
      filling.add(posting);
    }
  }
  filling.finish();
  return found;
}

// The table is swept when an eighth of what it spans is gone, one bucket per insert: so it holds little that
// is dead, and no insert pauses. Where few ordinals have a posting, inserts are fewer than the buckets that
// ordinals ask for (must_grow): a sweep by them alone would never end, and the span grow for ever. So each
// ordinal that goes sweeps one, too. A sweep then ends within an eighth of the span, before the next begins,
// and the span stays below 4/3 of the window.
void BucketTable::expire(Ordinal oldest) {
  CHECK(!batch_.is_open, "owners go by what is expired");
  const Ordinal gone = std::max(oldest_, oldest) - oldest_;
  oldest_ += gone;
  newest_ = std::max(newest_, oldest_);
  for (std::uint64_t left = std::min(gone, kSweepMax); left > 0 && sweep_at_ != kNoSweep; --left) sweep();
  if (sweep_at_ == kNoSweep && (oldest_ - base_) * 8 > newest_ - base_) {
    sweep_to_ = oldest_;
    sweep_at_ = 0;
  }
}

void BucketTable::sweep() {
  postings_ -= sweep(sweep_at_, bits_of_bucket(sweep_at_, buckets()));
  if (++sweep_at_ == buckets()) end_sweep();
}

void BucketTable::end_sweep() {
  base_ = sweep_to_;
  sweep_at_ = kNoSweep;
  expire(oldest_);
}

std::uint64_t BucketTable::sweep(std::uint64_t bucket, unsigned bits) {
  // The oldest posting of a bucket comes first: where that one lives, all do.
  const Line& head = buckets_[bucket];
  if (head.count() == 0 || ordinal_of(head.posting(0), ordinal_bits(bits)) >= oldest_) return 0;
  take_out(bucket);
  Filling filling(*this, bucket);
  std::uint64_t dropped = 0;
  for (const Posting posting : shard_of(bucket).moving) {
    if (ordinal_of(posting, ordinal_bits(bits)) < oldest_) {
      ++dropped;
    } else {
      filling.add(posting);
    }
  }
  filling.finish();
  return dropped;
}

// No split, sweep or erasure takes more lines than it frees, and a posting takes one at most.
void BucketTable::open(std::uint64_t postings_most, Ordinal newest) {
  CHECK(!batch_.is_open, "one batch at a time");
  CHECK(newest >= oldest_, "what is expired does not come back");
  if (postings_ == 0) {
    base_ = oldest_;
    sweep_at_ = kNoSweep;
  }
  newest_ = std::max(newest_, newest);
  batch_ = {.is_open = true, .buckets = buckets(), .lines_most = overflow_used_ + postings_most};
  if (sweep_at_ != kNoSweep) {
    batch_.sweep_begin = sweep_at_;
    sweep_at_ = std::min(sweep_at_ + postings_most, buckets());
    batch_.sweep_end = sweep_at_;
  }
  while (must_grow()) grow_by_one();
  buckets_.use(buckets());
  overflow_.use(std::min(batch_.lines_most, kLinesMax));
}

void BucketTable::grow(ShardSet own) {
  CHECK(batch_.is_open, "open() says how far");
  for (std::uint64_t bucket = batch_.sweep_begin; bucket < batch_.sweep_end; ++bucket) {
    if (!is_own(bucket, own)) continue;
    const std::uint64_t dropped = sweep(bucket, bits_of_bucket(bucket, batch_.buckets));
    shard_of(bucket).gained -= static_cast<std::int64_t>(dropped);
  }
  constexpr std::uint64_t kAhead = std::uint64_t{2} * kShards;
  for (std::uint64_t sibling = batch_.buckets; sibling < buckets(); ++sibling) {
    if (!is_own(sibling, own)) continue;
    if (sibling + 2 * kAhead < buckets()) prefetch_split(sibling + 2 * kAhead);
    if (sibling + kAhead < buckets()) prefetch_split_rest(sibling + kAhead);
    shard_of(sibling).gained -= static_cast<std::int64_t>(split(sibling));
  }
}

void BucketTable::insert_own(Key key, Ordinal ordinal) {
  DCHECK(batch_.is_open && ordinal >= oldest_ && ordinal <= newest_);
  const Place place = place_of(key);
  append(place.bucket, packed(place, ordinal));
  ++shard_of(place.bucket).gained;
}

bool BucketTable::erase_own(Key key, Ordinal ordinal) {
  DCHECK(batch_.is_open);
  const std::uint64_t gone = take(key, ordinal);
  shard_of(key).gained -= static_cast<std::int64_t>(gone);
  return gone != 0;
}

void BucketTable::close() {
  CHECK(batch_.is_open, "what was not opened");
  batch_.is_open = false;
  for (Shard& shard : shards_) {
    postings_ += static_cast<std::uint64_t>(shard.gained);
    shard.gained = 0;
  }
  if (sweep_at_ == buckets()) end_sweep();
}

Digest128 BucketTable::digest() const {
  // A sum does not depend on the order of its terms, as the content does not.
  Digest128 sum;
  std::string bytes;
  for_each([&](Key key, Ordinal ordinal) {
    bytes.clear();
    ByteWriter writer(bytes);
    writer.u64(key);
    writer.u64(ordinal);
    const Digest128 term = digest128(bytes);
    sum.high += term.high;
    sum.low += term.low;
  });
  return sum;
}

std::uint64_t BucketTable::lines() const {
  std::uint64_t lines = buckets() + overflow_used_;
  for (const Shard& shard : shards_) lines -= shard.free_lines;
  return lines;
}

std::size_t BucketTable::bytes() const {
  std::size_t bytes = buckets_.bytes() + overflow_.bytes();
  for (const Shard& shard : shards_) bytes += shard.moving.capacity() * sizeof(Posting);
  return bytes;
}

}  // namespace neardup
