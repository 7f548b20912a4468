#include "core/index/hamming_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/index/bucket_parting.h"

namespace neardup {
namespace {

template <class Word>
std::uint64_t hash_of_word(Word word) {
  std::uint64_t hash = 0;
  for (int i = 0; i < kLimbsOf<Word>; ++i) {
    hash = (hash ^ limb(word, i)) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  }
  return hash * 0xD6E8FEB86659FD93;
}

// A digest of a long row of numbers: a chain over pieces of it.
class DigestChain {
 public:
  void add(std::uint64_t value) {
    ByteWriter(piece_).u64(value);
    if (piece_.size() >= kPieceBytes) close();
  }
  Digest128 finish() {
    close();
    return link_;
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

  void close() {
    ByteWriter(piece_).digest(link_);
    link_ = digest128(piece_);
    piece_.clear();
  }

  std::string piece_;
  Digest128 link_;
};

}  // namespace

template <int kWidth>
HammingIndex<kWidth>::HammingIndex(const HammingOptions& options) : options_(options) {
  CHECK(options.distance >= 0 && options.distance <= kCoveringDistanceMax, "no covering finds further");
  CHECK(options.threads >= 1, "someone has to do it");
  if (options_.covering == nullptr) options_.covering = &default_covering(options.distance);
  CHECK(options_.covering->distance >= options.distance, "this covering would miss some");
  all_apart_ = misses_none();
  crew_ = std::make_unique<Crew>(options.threads);
  own_.resize(static_cast<std::size_t>(options.threads));
}

template <int kWidth>
ProbeView<typename HammingIndex<kWidth>::Word> HammingIndex<kWidth>::view(MatchMode mode) const {
  return {.tables = tables_.data(),
          .table_count = static_cast<int>(tables_.size()),
          .first = tables_.data(),
          .distance = options_.distance,
          .words = words_.data(),
          .oldest_id = static_cast<std::uint32_t>(oldest_),
          .in_order = in_order_,
          .equal_ends = mode == MatchMode::kNearest || all_apart_,
          .block_entries_max = options_.block_entries_max == 0 ? ~0U : options_.block_entries_max};
}

template <int kWidth>
void HammingIndex<kWidth>::make_room_for_keys(std::size_t count) {
  keys_.resize(std::max(keys_.size(), count));
  tags_.resize(keys_.size());
}

template <int kWidth>
void HammingIndex<kWidth>::prefetch_heads(std::size_t row) const {
  const std::uint64_t* const keys = keys_.data() + row * row_width(tables_.size());
  for (std::size_t t = 0; t < tables_.size(); ++t) tables_[t].prefetch(keys[t]);
}

template <int kWidth>
std::optional<Match> HammingIndex<kWidth>::match_of(const Found& found) const {
  if (found.distance < 0) return std::nullopt;
  return Match{sequence_of(found.id), found.distance};
}

// --- Searching

// All matches among few words, by ascending age.
template <int kWidth>
void HammingIndex<kWidth>::scan(Word query, std::vector<Found>& found) const {
  found.clear();
  const auto first = static_cast<std::uint32_t>(oldest_);
  probe_kernels<Word>().scan_all(words_.data() + first, next_ - oldest_, query, options_.distance, found);
  std::erase_if(found, [&](const Found& f) { return is_erased(oldest_ + f.id); });
  for (Found& f : found) f.id += first;
}

template <int kWidth>
Found HammingIndex<kWidth>::best_of(const std::vector<Found>& found, MatchMode mode) const {
  if (found.empty()) return {};
  if (mode == MatchMode::kFirst) return found.front();
  return *std::min_element(found.begin(), found.end(),
                           [](const Found& a, const Found& b) { return a.distance < b.distance; });
}

template <int kWidth>
void HammingIndex<kWidth>::scan_each(std::span<const Word> queries, MatchMode mode) {
  found_.resize(std::max(found_.size(), queries.size()));
  for (std::size_t i = 0; i < queries.size(); ++i) {
    scan(queries[i], all_);
    found_[i] = best_of(all_, mode);
    own_[0].counts.candidates += next_ - oldest_;
    ++own_[0].counts.lookups;
  }
}

template <int kWidth>
void HammingIndex<kWidth>::probe(std::span<const Word> queries, MatchMode mode,
                                 std::span<std::optional<Match>> answers) {
  const std::size_t count = queries.size();
  found_.resize(std::max(found_.size(), count));
  near_.resize(found_.size());
  open_.resize(found_.size());
  open_rows_.resize(found_.size());
  open_near_.resize(found_.size());
  by_tables_ = has_tables() && by_tables_pays_ && was_mostly_new_ && misses_none();
  if (!has_tables()) {
    scan_each(queries, mode);
    answer(queries, mode, 0, count, answers);
  } else if (by_tables_) {
    probe_by_tables(queries, mode, answers);
  } else {
    probe_by_queries(queries, mode, answers);
  }
}

// Each member has queries of its own.
template <int kWidth>
void HammingIndex<kWidth>::probe_by_queries(std::span<const Word> queries, MatchMode mode,
                                            std::span<std::optional<Match>> answers) {
  const ProbeView<Word> v = view(mode);
  const std::size_t count = queries.size();
  key_width_ = row_width(tables_.size());
  make_room_for_keys(count * key_width_);
  probed_.resize(std::max(probed_.size(), count));
  crew_->run([&](int member) {
    const std::size_t begin = batch_part_begin(count, member);
    const std::size_t end = batch_part_begin(count, member + 1);
    ProbeCounts counts;
    probe_kernels<Word>().find(v, mode, queries.data() + begin, end - begin,
                               keys_.data() + begin * key_width_, tags_.data() + begin * key_width_,
                               probed_.data() + begin, counts);
    own_[static_cast<std::size_t>(member)].counts += counts;
    for (std::size_t i = begin; i < end; ++i) found_[i] = probed_[i].found;
    answer(queries, mode, begin, end, answers);
  });
}

// Each member has tables of its own, those in which it is going to store. What it is to know comes along as a
// whole: what lies about here shares lines with what the caller writes meanwhile.
template <int kWidth>
void HammingIndex<kWidth>::probe_by_tables(std::span<const Word> queries, MatchMode mode,
                                           std::span<std::optional<Match>> answers) {
  const std::size_t count = queries.size();
  const std::size_t members = own_.size();
  key_width_ = row_width(tables_.size() / members);
  make_room_for_keys(members * count * key_width_);
  probed_.resize(std::max(probed_.size(), members * count));
  crew_->run([this, mode, queries, count, answers, v = view(mode), own = own_.data(), members,
              width = key_width_, all_keys = keys_.data(), all_tags = tags_.data(),
              all_probed = probed_.data(), all_found = found_.data(), near = near_.data()](int member) {
    const auto m = static_cast<std::size_t>(member);
    ProbeView<Word> part = v;
    part.table_count /= static_cast<int>(members);
    part.tables += member * part.table_count;
    part.asks_equal = false;
    Probed* const probed = all_probed + m * count;
    const std::size_t rows = m * count * width;
    ProbeCounts counts;
    probe_kernels<Word>().find(part, mode, queries.data(), count, all_keys + rows, all_tags + rows, probed,
                               counts);
    if (member > 0) counts.lookups = 0;  // the same ones
    own[m].counts += counts;
    own[m].hits.clear();
    for (std::size_t i = 0; i < count; ++i) {
      if (member == 0) all_found[i] = probed[i].found;
      if (probed[i].found.distance >= 0) [[unlikely]]
        own[m].hits.push_back(static_cast<std::uint32_t>(i));
    }
    // Each does as much of the rest.
    const std::size_t begin = near_part_begin(count, member);
    const std::size_t end = near_part_begin(count, member + 1);
    probe_kernels<Word>().near_earlier(queries.data(), begin, queries.data() + begin, end - begin, v.distance,
                                       near + begin);
    for (std::size_t i = begin; i < end; ++i) answers[i] = std::nullopt;
  });
  for (std::size_t m = 0; m < members; ++m) {
    for (const std::uint32_t row : own_[m].hits) {
      found_[row] = better_of(found_[row], probed_[m * count + row].found, mode);
      answers[row] = match_of(found_[row]);
      if (open_within(found_[row], mode) < 0) near_[row] = 0;
    }
  }
}

template <int kWidth>
Found HammingIndex<kWidth>::better_of(const Found& a, const Found& b, MatchMode mode) const {
  if (a.distance < 0 || b.distance < 0) return a.distance < 0 ? b : a;
  if (mode == MatchMode::kNearest && a.distance != b.distance) return a.distance < b.distance ? a : b;
  return age(a.id) < age(b.id) ? a : b;
}

// Answers what was found for queries begin to end - 1. Of those that are open another one of the batch may be
// the match, and it is if one before them is near.
template <int kWidth>
void HammingIndex<kWidth>::answer(std::span<const Word> queries, MatchMode mode, std::size_t begin,
                                  std::size_t end, std::span<std::optional<Match>> answers) {
  std::size_t open = begin;
  for (std::size_t i = begin; i < end; ++i) {
    answers[i] = match_of(found_[i]);
    near_[i] = 0;
    open_[open] = queries[i];
    open_rows_[open] = static_cast<std::uint32_t>(i);
    open += open_within(found_[i], mode) >= 0 ? 1 : 0;
  }
  probe_kernels<Word>().near_earlier(queries.data(), begin, open_.data() + begin, open - begin,
                                     options_.distance, open_near_.data() + begin);
  for (std::size_t at = begin; at < open; ++at) near_[open_rows_[at]] = open_near_[at];
}

template <int kWidth>
void HammingIndex<kWidth>::find(std::span<const Word> queries, MatchMode mode,
                                std::span<std::optional<Match>> answers) {
  CHECK(queries.size() == answers.size(), "an answer to each query");
  if (!has_tables()) {
    scan_each(queries, mode);
    for (std::size_t i = 0; i < queries.size(); ++i) answers[i] = match_of(found_[i]);
    return;
  }
  // Nothing is stored, so lines may be in all caches: each member has queries of its own.
  const ProbeView<Word> v = view(mode);
  const auto members = static_cast<std::size_t>(crew_->size());
  const std::size_t piece = std::min(kBatch, (queries.size() + members - 1) / members);
  const std::size_t width = row_width(tables_.size());
  make_room_for_keys(members * piece * width);
  probed_.resize(std::max(probed_.size(), members * piece));
  crew_->run([&](int member) {
    const auto m = static_cast<std::size_t>(member);
    const std::size_t end = part_begin(queries.size(), member + 1);
    Probed* const probed = probed_.data() + m * piece;
    ProbeCounts counts;
    for (std::size_t from = part_begin(queries.size(), member); from < end; from += piece) {
      const std::size_t count = std::min(piece, end - from);
      const std::size_t rows = m * piece * width;
      probe_kernels<Word>().find(v, mode, queries.data() + from, count, keys_.data() + rows,
                                 tags_.data() + rows, probed, counts);
      for (std::size_t i = 0; i < count; ++i) answers[from + i] = match_of(probed[i].found);
    }
    own_[m].counts += counts;
  });
}

template <int kWidth>
std::optional<Match> HammingIndex<kWidth>::find(Word query, MatchMode mode) {
  std::optional<Match> answer;
  find(std::span(&query, 1), mode, std::span(&answer, 1));
  return answer;
}

template <int kWidth>
void HammingIndex<kWidth>::find_all(Word query, std::vector<Match>& matches) {
  matches.clear();
  if (!has_tables()) {
    scan(query, all_);
    own_[0].counts.candidates += next_ - oldest_;
    ++own_[0].counts.lookups;
  } else {
    all_.clear();
    make_room_for_keys(row_width(tables_.size()));
    probe_kernels<Word>().find_all(view(), query, keys_.data(), tags_.data(), all_, own_[0].counts);
    const auto older = [&](const Found& a, const Found& b) { return age(a.id) < age(b.id); };
    std::sort(all_.begin(), all_.end(), older);
    const auto same = [](const Found& a, const Found& b) { return a.id == b.id; };
    all_.erase(std::unique(all_.begin(), all_.end(), same), all_.end());
    if (members_.size() > 0) {
      expand_members(all_);
      std::sort(all_.begin(), all_.end(), older);
    }
  }
  for (const Found& found : all_) matches.push_back({sequence_of(found.id), found.distance});
}

// Each id found stands for all that have its word.
template <int kWidth>
void HammingIndex<kWidth>::expand_members(std::vector<Found>& found) const {
  const std::size_t count = found.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Word word = words_[found[i].id];
    const int distance = found[i].distance;
    members_.for_each(hash_of_word(word), [&](std::uint32_t id) {
      if (words_[id] == word) found.push_back({id, distance});
    });
  }
}

// --- Storing

// The next ones, with room for their words. Returns the first.
template <int kWidth>
Sequence HammingIndex<kWidth>::take_numbers(std::size_t count) {
  CHECK(next_ - oldest_ + count <= kWindowMax, "ids are 32 bits");
  const Sequence first = next_;
  next_ += count;
  size_ += count;
  words_.use(next_);
  erased_.use((next_ + 63) / 64);
  return first;
}

template <int kWidth>
void HammingIndex<kWidth>::append_words(std::span<const Word> words) {
  Sequence number = take_numbers(words.size());
  for (const Word& word : words) words_[static_cast<std::uint32_t>(number++)] = word;
}

template <int kWidth>
void HammingIndex<kWidth>::check_and_insert(std::span<const Word> words, MatchMode mode,
                                            std::span<std::optional<Match>> answers) {
  CHECK(words.size() == answers.size(), "an answer to each word");
  const BusyCores busy(crew_->size());
  const std::size_t batch = std::max(kBatch, kPartMin * static_cast<std::size_t>(crew_->size()));
  for (std::size_t from = 0; from < words.size(); from += batch) {
    const std::size_t count = std::min(batch, words.size() - from);
    const auto part = words.subspan(from, count);
    const auto part_answers = answers.subspan(from, count);
    probe(part, mode, part_answers);
    fresh_.clear();
    fresh_bits_.assign((count + 63) / 64, 0);
    for (std::size_t row = 0; row < count; ++row) {
      if (near_[row] != 0) {
        // What is new in this batch is younger than all that was found; it wins only if it is nearer.
        const int within = open_within(found_[row], mode);
        const Found found = probe_kernels<Word>().scan(fresh_.data(), fresh_.size(), part[row], within, mode);
        if (found.distance >= 0) {
          part_answers[row] = Match{next_ + found.id, found.distance};
          continue;
        }
      }
      if (found_[row].distance >= 0) continue;
      fresh_.push_back(part[row]);
      fresh_bits_[row / 64] |= std::uint64_t{1} << (row % 64);
    }
    was_mostly_new_ = 4 * fresh_.size() >= 3 * count;
    if (has_tables() && misses_none()) {
      store_fresh(part);
      continue;
    }
    const Sequence first = next_;
    append_words(fresh_);
    if (has_tables()) {
      insert_into_tables(fresh_, first);  // an equal one may have been missed
    } else {
      make_tables_if_due();
    }
  }
}

// What is new of the batch, and in no table yet: each shard by its owner. Words are written down by the last
// one, whose tables have no ids. Of what others wrote a member reads as little as may be.
template <int kWidth>
void HammingIndex<kWidth>::store_fresh(std::span<const Word> batch) {
  const Sequence first = take_numbers(fresh_.size());
  for (std::size_t from = 0; from < fresh_.size();) {
    const std::size_t count = tables_.before_round_ends(fresh_.size() - from);
    tables_.prepare_batch(count);
    crew_->run([batch, from, count, first, bits = fresh_bits_.data(), own = own_.data(),
                members = own_.size(), shares = shares_.data(), tables = &tables_[0], by_tables = by_tables_,
                width = key_width_, all_keys = keys_.data(), all_tags = tags_.data(),
                words = words_.data()](int member) {
      const auto m = static_cast<std::size_t>(member);
      std::vector<std::uint32_t>& rows = own[m].rows;
      if (from == 0) {
        rows.clear();
        for (std::size_t begin = 0; begin < batch.size(); begin += 64) {
          for (std::uint64_t left = bits[begin / 64]; left != 0; left &= left - 1) {
            rows.push_back(static_cast<std::uint32_t>(begin) +
                           static_cast<std::uint32_t>(std::countr_zero(left)));
          }
        }
      }
      const std::span<const std::uint32_t> of = std::span(rows).subspan(from, count);
      const Sequence number = first + from;
      if (m == members - 1) {
        for (std::size_t i = 0; i < count; ++i) words[static_cast<std::uint32_t>(number + i)] = batch[of[i]];
      }
      // Where the keys of the first query begin; by tables they are its own, from its first table on.
      const std::size_t at = by_tables ? m * batch.size() * width - shares[m].front().table : 0;
      for (const ShardRun& run : shares[m]) {
        const std::uint64_t* const keys = all_keys + at + run.table;
        const std::uint32_t* const tags = all_tags + at + run.table;
        tables[run.table].insert_batch(
            run, count, [=](std::size_t i) { return keys[of[i] * width]; },
            [=](std::size_t i) { return tags[of[i] * width]; },
            [=](std::size_t i) { return static_cast<std::uint32_t>(number + i); });
      }
    });
    tables_.finish_batch(count);
    from += count;
  }
}

template <int kWidth>
void HammingIndex<kWidth>::insert(std::span<const Word> words, std::uint64_t apart) {
  all_apart_ &= words.empty() || apart > static_cast<std::uint64_t>(options_.distance);
  for (std::size_t from = 0; from < words.size(); from += kBatch) {
    const auto part = words.subspan(from, std::min(kBatch, words.size() - from));
    const Sequence first = next_;
    append_words(part);
    if (has_tables()) {
      insert_into_tables(part, first);
    } else {
      make_tables_if_due();
    }
  }
}

template <int kWidth>
Sequence HammingIndex<kWidth>::insert(Word word, std::uint64_t apart) {
  insert(std::span(&word, 1), apart);
  return next_ - 1;
}

// Table 0 knows which words are there already: those become members.
template <int kWidth>
void HammingIndex<kWidth>::insert_into_tables(std::span<const Word> words, Sequence first) {
  const std::size_t width = row_width(tables_.size());
  make_room_for_keys(words.size() * width);
  probe_kernels<Word>().locate(view(), words.data(), words.size(), keys_.data(), tags_.data());
  const auto word_at = [this](std::uint32_t id) { return words_[id]; };
  for (std::size_t i = 0; i < std::min(Table::kAhead, words.size()); ++i) prefetch_heads(i);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i + Table::kAhead < words.size()) prefetch_heads(i + Table::kAhead);
    const auto id = static_cast<std::uint32_t>(first + i);
    const std::size_t row = i * width;
    if (tables_[0].find(keys_[row], tags_[row], words[i], word_at)) {
      members_.insert(hash_of_word(words[i]), id,
                      [this](std::uint32_t member) { return hash_of_word(words_[member]); });
      continue;
    }
    tables_.insert(keys_.data() + row, tags_.data() + row, id);
  }
}

template <int kWidth>
void HammingIndex<kWidth>::make_tables() {
  tables_ = HammingTables<Word>(covering());
  share_out();
}

// To each member as many shards, in a row.
template <int kWidth>
void HammingIndex<kWidth>::share_out() {
  const int members = crew_->size();
  const int shards = covering().tables() * kShards;
  by_tables_pays_ =
      members > 1 && covering().tables() % members == 0 && covering().tables() / members >= kOwnTablesMin;
  for (int member = 0; member < members; ++member) {
    Share& share = shares_.emplace_back();
    const int end = shards * (member + 1) / members;
    for (int begin = shards * member / members; begin < end;) {
      const int table = begin / kShards;
      const int table_end = std::min(end, (table + 1) * kShards);
      share.push_back({.table = table, .begin = begin % kShards, .end = table_end - table * kShards});
      begin = table_end;
    }
  }
}

template <int kWidth>
void HammingIndex<kWidth>::make_tables_if_due() {
  if (next_ - oldest_ <= kScanMax && oldest_ / kIds == next_ / kIds) return;
  make_tables();
  for (Sequence sequence = oldest_; sequence < next_; ++sequence) {
    if (is_erased(sequence)) continue;
    const Word word = words_[static_cast<std::uint32_t>(sequence)];
    insert_into_tables(std::span(&word, 1), sequence);
  }
}

// --- Forgetting

template <int kWidth>
bool HammingIndex<kWidth>::erase(Sequence sequence) {
  if (!contains(sequence)) return false;
  const auto id = static_cast<std::uint32_t>(sequence);
  if (has_tables()) {
    const Word word = words_[id];
    make_room_for_keys(row_width(tables_.size()));
    probe_kernels<Word>().locate(view(), &word, 1, keys_.data(), tags_.data());
    if (members_.size() > 0 && stored_id(word, keys_.data(), tags_.data()) != id) {
      members_.erase(hash_of_word(word), id);
    } else {
      forget_stored(id, oldest_, keys_.data(), tags_.data());
    }
  }
  erased_[id / 64] |= std::uint64_t{1} << (id % 64);
  --size_;
  return true;
}

// Under which id the tables have a word that is stored: the oldest of those that are equal.
template <int kWidth>
std::uint32_t HammingIndex<kWidth>::stored_id(Word word, const std::uint64_t* keys,
                                              const std::uint32_t* tags) const {
  return *tables_[0].find(keys[0], tags[0], word, [this](std::uint32_t id) { return words_[id]; });
}

// The tables have `id`, and all numbers below `before` are to go with it. Members that go leave at once; the
// oldest that stays is the heir. If none stays, the youngest that goes is: so the entry leaves the tables in
// its turn, and they look as if each number had gone by itself.
template <int kWidth>
void HammingIndex<kWidth>::forget_stored(std::uint32_t id, Sequence before, const std::uint64_t* keys,
                                         const std::uint32_t* tags) {
  const Word word = words_[id];
  std::optional<std::uint32_t> heir;
  if (members_.size() > 0) {
    const std::uint64_t hash = hash_of_word(word);
    std::optional<std::uint32_t> stays;  // the oldest
    std::optional<std::uint32_t> goes;   // the youngest
    members_.for_each(hash, [&](std::uint32_t member) {
      if (words_[member] != word) return;
      if (sequence_of(member) < before) {
        if (!goes || age(member) > age(*goes)) goes = member;
      } else if (!stays || age(member) < age(*stays)) {
        stays = member;
      }
    });
    heir = stays ? stays : goes;
    if (goes) {
      members_.erase_if(hash, [&](std::uint32_t member) {
        return words_[member] == word && (member == heir || sequence_of(member) < before);
      });
    } else if (heir) {
      members_.erase(hash, *heir);
    }
  }
  if (heir) {
    tables_.rename(keys, id, *heir);
  } else {
    tables_.erase(keys, tags, id);
  }
  in_order_ &= !heir;
}

template <int kWidth>
void HammingIndex<kWidth>::expire(Sequence sequence) {
  CHECK(sequence <= next_, "what is to come cannot be forgotten");
  const bool some_are_equal = members_.size() > 0;
  while (oldest_ < sequence) {
    const std::size_t count = std::min<std::uint64_t>(kBatch, sequence - oldest_);
    const auto first = static_cast<std::uint32_t>(oldest_);
    fresh_.clear();
    for (std::size_t i = 0; i < count; ++i) fresh_.push_back(words_[static_cast<std::uint32_t>(first + i)]);
    if (has_tables()) {
      const std::size_t width = row_width(tables_.size());
      make_room_for_keys(count * width);
      probe_kernels<Word>().locate(view(), fresh_.data(), count, keys_.data(), tags_.data());
      for (std::size_t i = 0; i < count; ++i) {
        if (i + Table::kAhead < count) prefetch_heads(i + Table::kAhead);
        if (is_erased(oldest_ + i)) continue;
        --size_;
        const auto id = static_cast<std::uint32_t>(first + i);
        const std::uint64_t* const keys = keys_.data() + i * width;
        const std::uint32_t* const tags = tags_.data() + i * width;
        if (some_are_equal && stored_id(fresh_[i], keys, tags) != id) continue;  // a member that left already
        forget_stored(id, sequence, keys, tags);
      }
    } else {
      for (std::size_t i = 0; i < count; ++i) size_ -= is_erased(oldest_ + i) ? 0 : 1;
    }
    oldest_ += count;
  }
  words_.release(oldest_);
  erased_.release(oldest_ / 64);
}

// --- Restoring

template <int kWidth>
void HammingIndex<kWidth>::restore_begin(Sequence first) {
  CHECK(next_ == 0 && !has_tables(), "only an empty index is restored");
  oldest_ = next_ = first;
  words_.release(first);
  erased_.release(first / 64);
}

template <int kWidth>
void HammingIndex<kWidth>::restore_words(std::span<const Word> words) {
  append_words(words);
}

template <int kWidth>
void HammingIndex<kWidth>::restore_erased(Sequence sequence) {
  CHECK(contains(sequence) && !has_tables(), "erased once, before the tables are built");
  const auto id = static_cast<std::uint32_t>(sequence);
  erased_[id / 64] |= std::uint64_t{1} << (id % 64);
  --size_;
}

// What BucketParting asks for: all words but those skipped, in order.
template <int kWidth>
auto HammingIndex<kWidth>::pieces(const std::vector<std::uint64_t>& skipped) const {
  return [this, &skipped](auto visit) {
    constexpr std::size_t kPiece = BucketParting<Word>::kPiece;
    std::array<Word, kPiece> left;  // those of a piece that are not skipped
    std::array<std::uint32_t, kPiece> ids;
    for (Sequence begin = oldest_; begin < next_;) {
      const Sequence end = std::min<Sequence>(begin / kPiece * kPiece + kPiece, next_);
      const std::size_t size = end - begin;
      const auto first_id = static_cast<std::uint32_t>(begin);
      const Word* words = words_.data() + first_id;
      std::size_t count = size;
      for (std::size_t i = 0; i < size; ++i) ids[i] = first_id + static_cast<std::uint32_t>(i);
      const auto skips =
          std::span(skipped).subspan(begin / 64 - oldest_ / 64, (end - 1) / 64 - begin / 64 + 1);
      if (std::any_of(skips.begin(), skips.end(), [](std::uint64_t skip) { return skip != 0; })) {
        count = 0;
        for (Sequence s = begin; s < end; ++s) {
          if ((skips[s / 64 - begin / 64] >> (s % 64) & 1) != 0) continue;
          left[count] = words[s - begin];
          ids[count++] = static_cast<std::uint32_t>(s);
        }
        words = left.data();
      }
      visit(words, ids.data(), count);
      begin = end;
    }
  };
}

template <int kWidth>
std::uint64_t HammingIndex<kWidth>::restore_finish(std::uint64_t equal, std::uint64_t apart) {
  all_apart_ = misses_none() && apart > static_cast<std::uint64_t>(options_.distance);
  if (next_ - oldest_ <= kScanMax && oldest_ / kIds == next_ / kIds) return equal;
  CHECK(equal <= size_, "the reader refuses this");
  make_tables();
  std::vector<std::uint64_t> skipped;  // as erased_, from the group of 64 of the oldest on
  skipped.reserve(next_ / 64 - oldest_ / 64 + 1);
  for (Sequence group = oldest_ / 64; group * 64 < next_; ++group) {
    skipped.push_back(erased_[group % (kIds / 64)]);
  }
  std::vector<BucketParting<Word>> partings;  // by member of the crew: memory only where one is used
  partings.reserve(static_cast<std::size_t>(crew_->size()));
  for (int member = 0; member < crew_->size(); ++member) partings.emplace_back(size_);
  tables_.prepare(size_ - equal);
  build_first(partings[0], skipped);
  crew_->run([&](int member) {
    BucketParting<Word>& parting = partings[static_cast<std::size_t>(member)];
    for (std::size_t t = 1 + static_cast<std::size_t>(member); t < tables_.size();
         t += static_cast<std::size_t>(crew_->size())) {
      Table& table = tables_[t];
      parting.part(table, pieces(skipped));
      parting.for_each(table, [&](Word, std::uint32_t id, std::uint64_t key, std::uint32_t tag) {
        table.put(key, tag, id);
      });
    }
  });
  tables_.finish(size_ - members_.size());
  return members_.size();
}

// Table 0, which tells what is stored already: that becomes a member, and is skipped from then on.
template <int kWidth>
void HammingIndex<kWidth>::build_first(BucketParting<Word>& parting, std::vector<std::uint64_t>& skipped) {
  Table& table = tables_[0];
  parting.part(table, pieces(skipped));
  const auto word_at = [this](std::uint32_t id) { return words_[id]; };
  parting.for_each(table, [&](Word word, std::uint32_t id, std::uint64_t key, std::uint32_t tag) {
    if (table.may_hold(key, tag) && table.find(key, tag, word, word_at)) [[unlikely]] {
      members_.insert(hash_of_word(word), id,
                      [this](std::uint32_t member) { return hash_of_word(words_[member]); });
      const Sequence sequence = sequence_of(id);
      skipped[sequence / 64 - oldest_ / 64] |= std::uint64_t{1} << (sequence % 64);
    } else {
      table.put(key, tag, id);
    }
  });
}

// --- What it holds

template <int kWidth>
std::size_t HammingIndex<kWidth>::bytes() const {
  return words_.bytes() + erased_.bytes() + members_.bytes() + tables_.bytes();
}

template <int kWidth>
ProbeCounts HammingIndex<kWidth>::counts() const {
  ProbeCounts sum;
  for (const Own& own : own_) sum += own.counts;
  return sum;
}

template <int kWidth>
std::uint64_t HammingIndex<kWidth>::largest_bucket() const {
  std::uint64_t largest = 0;
  for (const Table& table : tables_) largest = std::max(largest, table.largest_bucket());
  return largest;
}

template <int kWidth>
std::uint64_t HammingIndex<kWidth>::overflow_lines() const {
  std::uint64_t lines = 0;
  for (const Table& table : tables_) lines += table.overflow_lines();
  return lines;
}

template <int kWidth>
Digest128 HammingIndex<kWidth>::state_digest() const {
  DigestChain chain;
  chain.add(kWidth);
  chain.add(static_cast<std::uint64_t>(options_.distance));
  chain.add(oldest_);
  chain.add(next_);
  for (Sequence sequence = oldest_; sequence < next_; ++sequence) {
    if (is_erased(sequence)) continue;
    chain.add(sequence);
    for (int i = 0; i < kLimbsOf<Word>; ++i) chain.add(limb(words_[static_cast<std::uint32_t>(sequence)], i));
  }
  return chain.finish();
}

template <int kWidth>
Digest128 HammingIndex<kWidth>::layout_digest() const {
  DigestChain chain;
  const Digest128 state = state_digest();
  chain.add(state.high);
  chain.add(state.low);
  chain.add(members_.size());
  for (const Table& table : tables_) table.for_each_value([&](std::uint64_t value) { chain.add(value); });
  return chain.finish();
}

template <int kWidth>
Digest128 HammingIndex<kWidth>::entries_digest() const {
  DigestChain chain;
  const Digest128 state = state_digest();
  chain.add(state.high);
  chain.add(state.low);
  chain.add(members_.size());
  for (const Table& table : tables_) {
    std::uint64_t sum = 0;
    table.for_each_entry([&](std::uint64_t bucket, std::uint32_t tag, std::uint32_t id) {
      sum += hash_of_word(Word128{bucket, std::uint64_t{tag} << 32 | id});
    });
    chain.add(table.buckets());
    chain.add(table.head_lines());
    chain.add(sum);
  }
  return chain.finish();
}

template class HammingIndex<32>;
template class HammingIndex<64>;
template class HammingIndex<128>;

}  // namespace neardup
