#include "core/index/bucket_table.h"

#include <algorithm>
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
  if (sweep_at_ != kNoSweep) sweep();
  if (postings_ == 0) {
    base_ = oldest_;
    sweep_at_ = kNoSweep;
  }
  newest_ = std::max(newest_, ordinal);
  ++postings_;
  while (must_grow()) split();
  const Place place = place_of(key);
  append(buckets_[place.bucket], packed(place, ordinal));
}

// The second half keeps ordinals below the 2^(level + 4) that a bucket not yet split has room for.
bool BucketTable::must_grow() const {
  return postings_ > buckets() * fill_ || newest_ - base_ >= buckets() << (kOrdinalSlack - 1);
}

void BucketTable::append(Line& head, Posting posting) {
  Line* line = head.link() == 0 ? &head : &overflow_[head.link() - 1];
  if (line->count() == kLinePostings) {
    const std::uint32_t fresh = new_line();  // which does not move `head`: no line ever moves
    // The new line closes the ring: it leads to the second line, as the last one did before.
    overflow_[fresh - 1].set(head.link() == 0 ? fresh : line->link(), 0);
    if (head.link() != 0) line->set(fresh, kLinePostings);
    head.set(fresh, kLinePostings);
    line = &overflow_[fresh - 1];
  }
  line->store(line->count(), posting);
  line->set(line->link(), line->count() + 1);
}

std::uint32_t BucketTable::new_line() {
  if (free_ == 0) {
    CHECK(overflow_used_ < kLinesMax, "links are 28 bits");
    overflow_.use(overflow_used_ + 1);
    return static_cast<std::uint32_t>(++overflow_used_);
  }
  const std::uint32_t line = free_;
  free_ = overflow_[line - 1].link();
  --free_lines_;
  return line;
}

void BucketTable::free_line(std::uint32_t link) {
  overflow_[link - 1].set(free_, 0);
  free_ = link;
  ++free_lines_;
}

void BucketTable::take_out(std::uint64_t bucket) {
  moving_.clear();
  const auto one = [&](std::uint64_t tag, Ordinal ordinal) { moving_.push_back({tag, ordinal}); };
  for_each_of(bucket, one);
  Line& head = buckets_[bucket];
  if (head.link() != 0) {
    for (std::uint32_t at = first_overflow(head);;) {
      const std::uint32_t next = overflow_[at - 1].link();
      free_line(at);
      if (at == head.link()) break;
      at = next;
    }
  }
  head.set(0, 0);
}

void BucketTable::split() {
  const std::uint64_t bucket = split_;
  // Lines of those that are split soon, and of where they go: heads lie in a row, but what is behind them
  // lies anywhere.
  prefetch_line(&buckets_[bucket + 4]);
  prefetch_line(&buckets_[buckets() + 4]);
  if (const Line& soon = buckets_[bucket + 2]; soon.link() != 0) prefetch_line(&overflow_[soon.link() - 1]);
  take_out(bucket);
  const std::uint64_t sibling = buckets();
  CHECK(sibling < kBucketsMax, "this address space is full");
  buckets_.use(sibling + 1);
  buckets_[sibling].set(0, 0);  // written first: a page that is read first becomes one of zeros, then a copy
  if (++split_ == std::uint64_t{1} << level_) {
    ++level_;
    split_ = 0;
  }
  const unsigned ordinal_bits = bits_of_bucket(bucket) + kOrdinalSlack;
  for (const auto& [tag, ordinal] : moving_) {
    if (ordinal < oldest_) {
      --postings_;
      continue;
    }
    const std::uint64_t target = (tag & 1) != 0 ? sibling : bucket;
    append(buckets_[target], packed({target, tag >> 1, ordinal_bits}, ordinal));
  }
}

bool BucketTable::erase(Key key, Ordinal ordinal) {
  if (ordinal < oldest_ || ordinal > newest_) return false;
  const Place place = place_of(key);
  const Posting wanted = packed(place, ordinal);
  take_out(place.bucket);
  bool found = false;
  for (const auto& [tag, kept] : moving_) {
    const Posting posting = packed({place.bucket, tag, place.ordinal_bits}, kept);
    if (!found && posting == wanted) {
      found = true;
      --postings_;
      continue;
    }
    append(buckets_[place.bucket], posting);
  }
  return found;
}

// The table is swept when an eighth of what it spans is gone, one bucket per insert: so it holds little that
// is dead, and no insert pauses.
void BucketTable::expire(Ordinal oldest) {
  oldest_ = std::max(oldest_, oldest);
  newest_ = std::max(newest_, oldest_);
  if (sweep_at_ == kNoSweep && (oldest_ - base_) * 8 > newest_ - base_) {
    sweep_to_ = oldest_;
    sweep_at_ = 0;
  }
}

void BucketTable::sweep() {
  const std::uint64_t bucket = sweep_at_;
  const unsigned ordinal_bits = bits_of_bucket(bucket) + kOrdinalSlack;
  const auto is_dead = [&](Posting posting) { return ordinal_of(posting, ordinal_bits) < oldest_; };
  // The oldest posting of a bucket comes first: where that one lives, all do.
  const Line& head = buckets_[bucket];
  if (head.count() > 0 && is_dead(head.posting(0))) {
    take_out(bucket);
    for (const auto& [tag, ordinal] : moving_) {
      if (ordinal < oldest_) {
        --postings_;
      } else {
        append(buckets_[bucket], packed({bucket, tag, ordinal_bits}, ordinal));
      }
    }
  }
  if (++sweep_at_ == buckets()) {
    base_ = sweep_to_;
    sweep_at_ = kNoSweep;
    expire(oldest_);
  }
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

std::size_t BucketTable::bytes() const {
  return buckets_.bytes() + overflow_.bytes() + moving_.capacity() * sizeof(moving_[0]);
}

}  // namespace neardup
