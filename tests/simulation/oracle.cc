#include "tests/simulation/oracle.h"

#include <map>
#include <optional>
#include <set>

#include "service/journal/chain.h"
#include "service/journal/record.h"
#include "tests/support/verdict_oracle.h"

namespace neardup {
namespace {

class Oracle {
 public:
  Oracle(const Cluster& cluster, const DetectorOptions& options, std::uint64_t uniques_max)
      : cluster_(cluster), uniques_max_(uniques_max), oracle_(Cluster::kTopic, cluster.input(), options) {}

  Findings check() {
    for (const Cluster::Content& content : cluster_.committed()) check_transaction(content);
    if (decided_.size() < oracle_.records()) {
      wrong("lost: " + std::to_string(oracle_.records() - decided_.size()) +
            " input records have no verdict");
    }
    if (!cluster_.all_covered()) wrong("the group's offsets do not cover the input");
    for (const auto& [partition, position] : chain_.positions()) {
      const auto at = cluster_.group_offsets().find(partition.second);
      if (at == cluster_.group_offsets().end() || at->second != position.next)
        wrong("journal and group disagree on partition " + std::to_string(partition.second));
    }
    findings_.state = oracle_.detector().state_digest();
    findings_.committed = digest128(bytes_);
    return findings_;
  }

 private:
  void wrong(const std::string& what) {
    if (findings_.violation.empty()) findings_.violation = what;
  }

  void check_transaction(const Cluster::Content& content) {
    const std::string number = std::to_string(chain_.next_number());
    if (content.journal.size() != 1) {
      wrong("torn: a transaction holds " + std::to_string(content.journal.size()) + " journal records and " +
            std::to_string(content.verdicts.size()) + " verdicts");
    }
    for (const std::string& bytes : content.journal) {
      bytes_ += bytes;
      check_batch(content, bytes, number);
    }
  }

  void check_batch(const Cluster::Content& content, const std::string& bytes, const std::string& number) {
    const Result<JournalRecord> record = decode_journal_record(bytes);
    if (!record) return wrong("journal record " + number + ": " + record.error().message);
    if (const Status status = chain_.accept(*record, bytes); !status)
      return wrong("journal record " + number + ": " + status.error().message);

    std::map<std::int32_t, std::int64_t> next;  // that a verdict of this batch must be about
    std::size_t covered = 0;
    for (const JournalPosition& position : record->positions) {
      next[position.partition] = position.from;
      covered += static_cast<std::size_t>(position.next - position.from);
      const auto sent = content.positions.find(position.partition);
      if (sent == content.positions.end() || sent->second != position.next)
        wrong("journal record " + number + " and the positions of its transaction differ");
    }
    if (covered != content.verdicts.size()) {
      wrong("batch " + number + " covers " + std::to_string(covered) + " records, but its transaction has " +
            std::to_string(content.verdicts.size()) + " verdicts");
    }
    const std::uint64_t uniques = oracle_.detector().size();
    for (const MemoryVerdict& verdict : content.verdicts) {
      const std::optional<InputPlace> place = oracle_.place_of(verdict);
      if (!place || !oracle_.has(*place)) return wrong("batch " + number + ": a verdict about nothing");
      if (!decided_.insert(*place).second)
        return wrong("doubled: two verdicts for " + shown(Cluster::kTopic, *place));
      const auto expected = next.find(place->first);
      if (expected == next.end() || place->second != expected->second++)
        return wrong("batch " + number + ": " + shown(Cluster::kTopic, *place) +
                     " is not what it covers next");
      bytes_ += verdict.value.value_or("");
      if (const std::string different = oracle_.decide(*place, verdict); !different.empty()) wrong(different);
      ++findings_.verdicts;
    }
    if (record->uniques.size() != oracle_.detector().size() - uniques)
      wrong("journal record " + number + " has other uniques than the verdicts of its batch");
    if (record->deletions != oracle_.take_deletions())
      wrong("journal record " + number + " has other deletions than the verdicts of its batch");
    if (record->clusters != oracle_.take_gains())
      wrong("journal record " + number + " has other clusters than the verdicts of its batch");
    if (record->oldest > oracle_.detector().size())
      return wrong("journal record " + number + " forgets what has not come");
    oracle_.expire(record->oldest);
    if (uniques_max_ != 0 && oracle_.detector().size() - record->oldest > uniques_max_)
      wrong("journal record " + number + " remembers more than it may");
  }

  const Cluster& cluster_;
  std::uint64_t uniques_max_;
  VerdictOracle oracle_;
  JournalChain chain_;
  std::set<InputPlace> decided_;
  std::string bytes_;
  Findings findings_;
};

}  // namespace

Findings check_committed(const Cluster& cluster, const DetectorOptions& options, std::uint64_t uniques_max) {
  return Oracle(cluster, options, uniques_max).check();
}

}  // namespace neardup
