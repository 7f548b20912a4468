// A journal made from a seed: records that follow each other as those of a writer do. Duplicates join its
// clusters too, though no offset is theirs.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/detector/kept_form.h"
#include "service/journal/chain.h"
#include "service/journal/record.h"

namespace neardup {

class GeneratedJournal {
 public:
  explicit GeneratedJournal(std::uint64_t seed, std::string signature_options = "")
      : chain_(std::move(signature_options)), random_(seed) {
    for (std::uint8_t& byte : journal_) byte = static_cast<std::uint8_t>(random_());
  }

  // The bytes of the next record.
  std::string next(std::size_t uniques) {
    std::vector<std::string> names(2 * uniques);
    std::vector<std::string> kept(uniques);
    JournalRecord record;
    record.journal = journal_;
    record.number = chain_.next_number();
    record.previous = chain_.last_digest();
    record.first_sequence = chain_.next_sequence();
    record.signature_options = chain_.signature_options();
    record.counts.unique = uniques;
    record.topics = {{"pages", {1, 2, 3}}};
    const auto from = static_cast<std::int64_t>(chain_.next_sequence());
    record.positions = {{0, 0, from, from + static_cast<std::int64_t>(uniques), 7}};
    for (std::size_t i = 0; i < uniques; ++i) {
      const std::uint64_t sequence = chain_.next_sequence() + i;
      names[2 * i] = "document-" + std::to_string(sequence);
      names[2 * i + 1] = "http://example.org/" + std::to_string(random_() % 100000);
      append_kept(page(), SketchSize::kStandard, {}, kept[i]);
      record.uniques.push_back({.id = names[2 * i],
                                .url = names[2 * i + 1],
                                .source = {0, 0, static_cast<std::int64_t>(sequence)},
                                .event_time_ms = 0,
                                .signature = {{random_(), random_()}, {random_()}, 100},
                                .kept = kept[i]});
    }
    // And as many duplicates of half of all uniques so far, some of which are to be kept.
    std::set<Sequence> leaders;
    while (leaders.size() < uniques / 2) leaders.insert(random_() % (chain_.next_sequence() + uniques));
    for (const Sequence leader : leaders) {
      ClusterGain& gain = record.clusters.emplace_back(ClusterGain{.leader = leader});
      gain.joined = static_cast<std::uint32_t>(1 + random_() % 3);
      record.counts.near += gain.joined;
      if (random_() % 2 == 0) {
        gain.representative =
            Representative{.source = {0, 0, from + static_cast<std::int64_t>(random_() % 9)},
                           .rank = static_cast<std::int64_t>(random_() % 1000)};
      }
    }
    record.cluster_rule = "clusters.keep=longest";
    std::string bytes = encode_journal_record(record);
    CHECK(chain_.accept(record, bytes).ok(), "a generated record follows the one before");
    return bytes;
  }

  const JournalChain& chain() const { return chain_; }

 private:
  // A page like no other.
  const RouteSignature& page() {
    page_.long_count = 1;
    LongSignature& signature = page_.longs[0];
    signature.shingles = 100;
    for (std::uint32_t& minimum : signature.minima.first) minimum = static_cast<std::uint32_t>(random_());
    for (std::uint8_t& byte : signature.standard.bits) byte = static_cast<std::uint8_t>(random_());
    signature.standard.sampled = 100;
    return page_;
  }

  JournalChain chain_;
  Uuid journal_{};
  RouteSignature page_;
  std::mt19937_64 random_;
};

inline std::vector<std::string> generated_records(std::size_t count, std::size_t uniques_each,
                                                  std::uint64_t seed = 1,
                                                  const std::string& signature_options = "") {
  GeneratedJournal journal(seed, signature_options);
  std::vector<std::string> records;
  for (std::size_t i = 0; i < count; ++i) records.push_back(journal.next(uniques_each));
  return records;
}

}  // namespace neardup
