#include "core/index/mgram_index.h"

#include <algorithm>
#include <bit>
#include <string>

#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/limits.h"

namespace neardup {

static_assert(kUniquesMax <= 0xFFFFFFFF, "a row keeps the low 32 bits of its sequence number");
static_assert(kMgramTextMax <= TextStore::kTextMax);

MgramSearch::Met& MgramSearch::met_of(std::uint32_t age) {
  std::size_t at = (age * 0x9E3779B1U >> 7) & mask_;
  while (slots_[at].search == search_ && met_[slots_[at].at].age != age) at = (at + 1) & mask_;
  if (slots_[at].search != search_) {
    slots_[at] = {search_, static_cast<std::uint32_t>(met_.size())};
    met_.push_back({age, 0});
  }
  return met_[slots_[at].at];
}

void MgramIndex::meet(const MgramSignature& signature, MgramSearch& search) const {
  search.met_.clear();
  search.is_truncated_ = false;
  // Twice the slots of what can be met, of this search alone.
  const std::size_t slots = std::bit_ceil(2 * signature.grams.size() * kBucketTextsMax);
  search.mask_ = slots - 1;
  if (search.slots_.size() < slots) search.slots_.resize(slots);
  if (++search.search_ == 0) {
    std::fill(search.slots_.begin(), search.slots_.end(), MgramSearch::Slot{});
    search.search_ = 1;
  }

  search.keys_.clear();
  for (const Mgram& gram : signature.grams) search.keys_.push_back(gram.key);
  std::span<const Key> keys = search.keys_;
  while (!keys.empty()) {
    const std::span<const Key> some = keys.first(std::min(keys.size(), BucketTable::kProbesMax));
    table_.probe(some, [&](std::size_t, Ordinal row) {
      ++search.met_of(static_cast<std::uint32_t>(row - first_row_)).shared;
    });
    keys = keys.subspan(some.size());
  }

  if (search.met_.size() > kRowsMax) {
    search.is_truncated_ = true;
    std::nth_element(search.met_.begin(), search.met_.begin() + kRowsMax, search.met_.end(),
                     [](const MgramSearch::Met& a, const MgramSearch::Met& b) {
                       return a.shared != b.shared ? a.shared > b.shared : a.age < b.age;
                     });
    search.met_.resize(kRowsMax);
  }
  std::sort(search.met_.begin(), search.met_.end(),
            [](const MgramSearch::Met& a, const MgramSearch::Met& b) { return a.age < b.age; });
}

std::uint32_t MgramIndex::full_grams_of(const MgramSignature& signature) const {
  if (full_.size() == 0) return 0;
  std::uint32_t full = 0;
  for (const Mgram& gram : signature.grams) full += full_.contains(gram.key);
  return full;
}

void MgramIndex::insert(Sequence sequence, const MgramSignature& signature) {
  const Ordinal row = records_.size();
  CHECK(sequence >= oldest_ && sequence - oldest_ < kUniquesMax, "sequence numbers are 32 bits here");
  CHECK(row == first_row_ || this->sequence(row - 1) < sequence, "uniques come in their order");
  const std::uint64_t place = texts_.append(signature.text);
  records_.push_back({static_cast<std::uint32_t>(place), static_cast<std::uint16_t>(place >> 32),
                      static_cast<std::uint16_t>(signature.text.size()),
                      static_cast<std::uint16_t>(signature.units.size()),
                      static_cast<std::uint16_t>(signature.grams.size()), signature.norm});
  sequences_.push_back(static_cast<std::uint32_t>(sequence));
  bool is_posted = false;
  for (const Mgram& gram : signature.grams) {
    const unsigned texts = table_.count(gram.key, kBucketTextsMax);
    if (texts == kBucketTextsMax) {
      ++refused_;
      full_.add(gram.key, row);
      continue;
    }
    table_.insert(gram.key, row);
    buckets_ += texts == 0;
    largest_bucket_ = std::max(largest_bucket_, texts + 1);
    is_posted = true;
  }
  unmet_ += !is_posted;
}

bool MgramIndex::erase(Sequence sequence, MgramSigner& signer) {
  const Ordinal row = first_row_from(sequence);
  if (row == records_.size() || this->sequence(row) != sequence || records_[row].length == 0) return false;
  std::vector<char32_t> characters;
  text(row, characters);
  MgramSignature signature;
  signer.sign(characters, signature);
  for (const Mgram& gram : signature.grams) table_.erase(gram.key, row);
  records_[row].length = 0;
  return true;
}

void MgramIndex::text(Ordinal row, std::vector<char32_t>& out) const {
  const Record& record = records_[row];
  out.resize(record.length);
  texts_.read(record.place(), record.length, out.data());
}

Ordinal MgramIndex::first_row_from(Sequence sequence) const {
  Ordinal low = first_row_;
  Ordinal high = records_.size();
  while (low < high) {
    const Ordinal middle = low + (high - low) / 2;
    if (this->sequence(middle) < sequence) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void MgramIndex::expire(Sequence oldest) {
  if (oldest <= oldest_) return;
  first_row_ = first_row_from(oldest);
  oldest_ = oldest;
  table_.expire(first_row_);
  full_.expire(first_row_);
  texts_.release_before(first_row_ < records_.size() ? records_[first_row_].place() : texts_.end());
  records_.release_before(first_row_);
  sequences_.release_before(first_row_);
}

Digest128 MgramIndex::digest() const {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.digest(table_.digest());
  writer.digest(full_.digest());
  std::vector<char32_t> characters;
  for (Ordinal row = first_row_; row < records_.size(); ++row) {
    writer.u32(sequences_[row]);
    writer.u16(records_[row].length);
    text(row, characters);
    for (const char32_t c : characters) writer.u32(c);
    const Digest128 link = digest128(bytes);  // a chain, so that the bytes stay few
    bytes.clear();
    writer.digest(link);
  }
  return digest128(bytes);
}

std::size_t MgramIndex::bytes() const {
  return table_.bytes() + full_.bytes() + records_.bytes() + sequences_.bytes() + texts_.bytes();
}

}  // namespace neardup
