// What must the verdict on this record be, to the byte?
//
// The oracle is told the input and then, verdict by verdict, what was published, in an order in which the
// service may have decided. It signs every record as the service does, has one more detector decide it, and
// compares all that a reader sees: topic, key, value and headers, of dead letters too. It knows no batch, no
// worker and no journal.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/detector.h"
#include "service/codec/verdict_codec.h"
#include "service/journal/record.h"
#include "service/pipeline/signer_pool.h"
#include "tests/support/memory_kafka.h"

namespace neardup {

using InputPlace = std::pair<std::int32_t, std::int64_t>;  // partition, offset
std::string shown(const std::string& topic, const InputPlace& place);

// Sizes and representatives of clusters, counted one by one from what was decided.
class CountedClusters {
 public:
  explicit CountedClusters(KeepPolicy keep) : keep_(keep) {}

  void lead(Sequence leader, std::uint32_t tokens) { all_[leader] = {.tokens = tokens}; }
  // 0: it is no more, or never was.
  std::uint32_t size(Sequence leader) const {
    const auto at = all_.find(leader);
    return at == all_.end() ? 0 : at->second.state.size;
  }
  // Its cluster since this duplicate.
  const ClusterState& join(Sequence leader, const Source& source, std::uint32_t tokens);
  // It is no more, and nothing was gained.
  void end(Sequence leader) {
    all_.erase(leader);
    gains_.erase(leader);
  }
  // What they gained since the last call, as a journal record has it.
  std::vector<ClusterGain> take_gains();

 private:
  struct Counted {
    ClusterState state = {};
    std::uint32_t tokens = 0;  // of the document that represents it
  };
  const KeepPolicy keep_;
  std::map<Sequence, Counted> all_;
  std::map<Sequence, ClusterGain> gains_;
};

class VerdictOracle {
 public:
  // `input`: the records of `topic`, by partition and offset. It must outlive the oracle. `options`: of the
  // service's detector. REQUIRES: clusters.keep is kFirst or kLongest; output.headers is packed; each record
  // fits into the dead-letter topic as it is, and its trace headers into a verdict's.
  VerdictOracle(std::string topic, const std::vector<std::vector<MemoryRecord>>& input,
                const DetectorOptions& options = {});

  std::size_t records() const { return records_.size(); }
  bool has(const InputPlace& place) const { return index_.contains(place); }

  // Which record `verdict` is about; nothing if it names none of our topic.
  std::optional<InputPlace> place_of(const MemoryVerdict& verdict) const;

  // Decides the record at `place` as the next one, and compares. Returns what is wrong, "" if nothing is.
  // REQUIRES: has(place).
  std::string decide(const InputPlace& place, const MemoryVerdict& verdict);

  // Whether the record at `place` would be decided as `verdict` has it, if it were the next one: uniques and
  // duplicates by whom they name.
  bool agrees(const InputPlace& place, const ParsedVerdict& verdict) const;

  // Of a unique that was decided: how many say the same by now; 0 if it was deleted.
  std::uint32_t cluster_size(Sequence leader) const { return clusters_.size(leader); }
  // What the clusters gained since the last call.
  std::vector<ClusterGain> take_gains() { return clusters_.take_gains(); }
  // What was deleted since the last call, as a journal record has it.
  std::vector<JournalDeletion> take_deletions();

  // Uniques below `oldest` are forgotten before the next decision.
  void expire(Sequence oldest) { detector_.expire(oldest); }

  const Detector& detector() const { return detector_; }

 private:
  VerdictRecord decided(const Record& record, const Signed& document);
  VerdictRecord deleted(const Record& record, const Signed& document, std::string_view id);

  std::vector<std::string> topics_;
  std::vector<std::vector<Header>> headers_;  // of the records
  std::vector<Record> records_;
  std::vector<Signed> signed_;
  std::map<InputPlace, std::size_t> index_;
  Detector detector_;
  CountedClusters clusters_;
  std::vector<JournalDeletion> deletions_;
  Sequence deletions_from_ = 0;  // uniques before the first of them could come
  Unique leader_;                // of the verdict in hand
  Unique previous_;
};

}  // namespace neardup
