#include "tests/simulation/oracle.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/base/check.h"
#include "service/journal/chain.h"
#include "service/journal/record.h"
#include "tests/support/verdict_oracle.h"

namespace neardup {
namespace {

class Oracle {
 public:
  Oracle(const Cluster& cluster, const DetectorOptions& options, const RetentionOptions& retention)
      : cluster_(cluster), retention_(retention), oracle_(Cluster::kTopic, cluster.input(), options) {
    CHECK(retention.bytes_max == 0, "what is forgotten hangs on records and their time alone");
  }

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
    std::int64_t time_ms = 0;  // the latest of what was decided: a deletion and what is no document tell none
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
      const MemoryRecord& from = record_at(*place);
      if (from.value && verdict.topic != OutputTopic::kDeadLetter)
        time_ms = std::max(time_ms, from.timestamp_ms);
      ++findings_.verdicts;
    }
    if (record->uniques.size() != oracle_.detector().size() - uniques)
      wrong("journal record " + number + " has other uniques than the verdicts of its batch");
    if (record->deletions != oracle_.take_deletions())
      wrong("journal record " + number + " has other deletions than the verdicts of its batch");
    if (record->clusters != oracle_.take_gains())
      wrong("journal record " + number + " has other clusters than the verdicts of its batch");
    if (record->time_ms != time_ms)
      wrong("journal record " + number + " has another time than the documents of its batch");
    // Records of no input too: where neither size nor time has changed, the answer is that of before.
    const Sequence oldest = retention_
                                .decide({.oldest = oracle_.detector().oldest(),
                                         .size = oracle_.detector().size(),
                                         .time_ms = time_ms})
                                .oldest;
    if (record->oldest != oldest) {
      wrong("journal record " + number + " forgets all below " + std::to_string(record->oldest) +
            " and not " + std::to_string(oldest));
    }
    oracle_.expire(oldest);
  }

  const MemoryRecord& record_at(const InputPlace& place) const {
    const std::vector<MemoryRecord>& log = cluster_.input()[static_cast<std::size_t>(place.first)];
    return log[static_cast<std::size_t>(place.second)];
  }

  const Cluster& cluster_;
  Retention retention_;
  VerdictOracle oracle_;
  JournalChain chain_;
  std::set<InputPlace> decided_;
  std::string bytes_;
  Findings findings_;
};

}  // namespace

Findings check_committed(const Cluster& cluster, const DetectorOptions& options,
                         const RetentionOptions& retention) {
  return Oracle(cluster, options, retention).check();
}

}  // namespace neardup
