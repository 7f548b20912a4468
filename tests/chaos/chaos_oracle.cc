#include "tests/chaos/chaos_oracle.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "service/codec/verdict_codec.h"
#include "service/journal/chain.h"
#include "service/pipeline/rebuilding.h"
#include "service/snapshot/stored_records.h"
#include "tests/support/verdict_oracle.h"

namespace neardup {
namespace {

using Content = CommittedReader::Content;

std::vector<std::vector<MemoryRecord>> input_of(const Content& content, const std::string& topic) {
  std::vector<std::vector<MemoryRecord>> input;
  for (const auto& [partition, records] : content) {
    if (partition.first != topic) continue;
    input.resize(std::max(input.size(), static_cast<std::size_t>(partition.second) + 1));
    for (const CommittedRecord& record : records) {
      MemoryRecord& sent = input[static_cast<std::size_t>(partition.second)].emplace_back(record.record);
      sent.headers = record.headers;
    }
  }
  return input;
}

class ChaosOracle {
 public:
  ChaosOracle(const KafkaTopics& topics, const Content& content, const DetectorOptions& options)
      : topics_(topics),
        content_(content),
        input_(input_of(content, topics.input.front())),
        oracle_(topics.input.front(), input_, options) {}

  ChaosFindings check(const Content& live) {
    collect(topics_.unique, OutputTopic::kUnique);
    collect(topics_.duplicate, OutputTopic::kDuplicate);
    collect(topics_.dead_letter, OutputTopic::kDeadLetter);
    findings_.lost = oracle_.records() - verdicts_.size();
    if (findings_.lost > 0) violation(std::to_string(findings_.lost) + " input records have no verdict");
    replay();
    compare(live);
    return std::move(findings_);
  }

 private:
  void violation(const std::string& what) {
    constexpr std::size_t kShownMax = 8;
    if (findings_.violations.size() < kShownMax) findings_.violations.push_back(what);
  }

  // Each verdict by what it is about.
  void collect(const std::string& topic, OutputTopic kind) {
    for (const auto& [partition, records] : content_) {
      if (partition.first != topic) continue;
      std::map<std::int32_t, std::int64_t> last;  // offset by input partition
      for (const CommittedRecord& record : records) {
        MemoryVerdict verdict = {kind, record.record.key, record.record.value, record.headers};
        const std::optional<InputPlace> place = oracle_.place_of(verdict);
        const std::string here =
            topic + ":" + std::to_string(partition.second) + "@" + std::to_string(record.offset);
        if (!place || !oracle_.has(*place)) {
          ++findings_.wrong;
          violation(here + " is about nothing that was sent");
          continue;
        }
        const auto [before, first] = last.try_emplace(place->first, place->second);
        if (!first && before->second >= place->second)
          violation(here + " is out of order: " + shown(topics_.input.front(), *place) + " behind offset " +
                    std::to_string(before->second));
        before->second = std::max(before->second, place->second);
        if (!verdicts_.try_emplace(*place, std::move(verdict)).second) {
          ++findings_.doubled;
          violation("two verdicts for " + shown(topics_.input.front(), *place));
        }
      }
    }
  }

  void replay() {
    const auto journal = content_.find({topics_.journal, 0});
    if (journal == content_.end()) return violation("there is no journal");
    JournalChain chain;
    for (const CommittedRecord& record : journal->second) {
      const std::string bytes = record.record.value.value_or("");
      const Result<JournalRecord> batch = decode_journal_record(bytes);
      const Status status = batch ? chain.accept(*batch, bytes) : Status(batch.error());
      if (!status) {
        return violation("journal record " + std::to_string(chain.next_number()) + ": " +
                         status.error().message);
      }
      if (!replay_batch(*batch)) return;  // nothing behind it can be told
    }
    for (const auto& [partition, position] : chain.positions()) {
      const std::vector<MemoryRecord>& records = input_[static_cast<std::size_t>(partition.second)];
      findings_.positions[partition.second] = position.next;
      if (position.next != static_cast<std::int64_t>(records.size()))
        violation("the journal ends at " + std::to_string(position.next) + " of partition " +
                  std::to_string(partition.second));
    }
    restore(journal->second);
  }

  // All of the journal, as a service that starts takes it.
  void restore(const std::vector<CommittedRecord>& journal) {
    JournalChain chain;
    Detector detector(oracle_.detector().options());
    Retention retention{RetentionOptions()};
    Rebuilding rebuilding(chain, detector, retention);
    Status status;
    for (std::size_t i = 0; i < journal.size() && status; ++i)
      status = rebuilding.take(journal[i].record.value.value_or(""));
    if (status) status = rebuilding.finish();
    if (!status) return violation("the journal cannot be restored: " + status.error().message);
    if (detector.state_digest() != oracle_.detector().state_digest())
      violation("the journal restores another state than its verdicts were decided by");
  }

  // False: there is no order in which its verdicts could have been decided.
  bool replay_batch(const JournalRecord& batch) {
    std::vector<std::pair<InputPlace, std::int64_t>> left;  // next of a partition, and its end
    for (const JournalPosition& position : batch.positions)
      left.push_back({{position.partition, position.from}, position.next});
    std::span<const JournalDeletion> deletions(batch.deletions);
    for (bool moved = true; moved;) {
      moved = false;
      for (auto& [place, end] : left) {
        while (place.second < end && fits_now(place)) {
          decide(place);
          ++place.second;
          moved = true;
        }
      }
      if (moved) continue;
      const bool is_deletion =
          !deletions.empty() && deletions[0].behind == oracle_.detector().size() - batch.first_sequence;
      for (auto& [place, end] : left) {
        if (place.second == end) continue;
        if (!(is_deletion ? is_deletion_of(place, deletions[0]) : is_next_unique(place))) continue;
        decide(place);
        ++place.second;
        if (is_deletion) deletions = deletions.subspan(1);
        moved = true;
        break;
      }
    }
    const std::string number = std::to_string(batch.number);
    for (const auto& [place, end] : left) {
      if (place.second == end) continue;
      ++findings_.wrong;
      violation("batch " + number + ": the verdict on " + shown(topics_.input.front(), place) +
                " fits nowhere in the journal's order");
      return false;
    }
    if (oracle_.detector().size() != batch.first_sequence + batch.uniques.size()) {
      violation("journal record " + number + " has other uniques than its verdicts");
      return false;
    }
    if (batch.deletions != oracle_.take_deletions()) {
      violation("journal record " + number + " has other deletions than its verdicts");
      return false;
    }
    return true;
  }

  // The verdict on a document, or on a deletion; nothing if there is none that tells more.
  std::optional<ParsedVerdict> verdict_on(const InputPlace& place) const {
    const auto found = verdicts_.find(place);
    if (found == verdicts_.end() || found->second.topic == OutputTopic::kDeadLetter) return std::nullopt;
    Result<ParsedVerdict> verdict = parse_verdict_json(found->second.value.value_or(""));
    return verdict ? std::optional(*std::move(verdict)) : std::nullopt;
  }

  // A duplicate that is answered now as it was, or what hangs on nothing.
  bool fits_now(const InputPlace& place) const {
    const std::optional<ParsedVerdict> verdict = verdict_on(place);
    if (!verdict) return true;
    return verdict->verdict == Verdict::kDuplicate && verdict->cluster &&
           verdict->cluster->size == oracle_.cluster_size(verdict->cluster->id) + 1 &&
           oracle_.agrees(place, *verdict);
  }
  bool is_next_unique(const InputPlace& place) const {
    const std::optional<ParsedVerdict> verdict = verdict_on(place);
    return verdict && verdict->verdict == Verdict::kUnique && verdict->seq == oracle_.detector().size();
  }
  bool is_deletion_of(const InputPlace& place, const JournalDeletion& deletion) const {
    const std::optional<ParsedVerdict> verdict = verdict_on(place);
    return verdict && verdict->verdict == Verdict::kDeleted && verdict->id == deletion.id &&
           verdict->forgotten == deletion.forgotten;
  }

  void decide(const InputPlace& place) {
    const auto found = verdicts_.find(place);
    if (found == verdicts_.end()) return;  // lost, and counted
    ++findings_.verdicts;
    if (const std::string different = oracle_.decide(place, found->second); !different.empty()) {
      ++findings_.wrong;
      violation(different);
    }
  }

  void compare(const Content& live) {
    for (const auto& [partition, records] : live) {
      const std::vector<CommittedRecord>& now = content_.at(partition);
      const std::string where = partition.first + ":" + std::to_string(partition.second);
      if (records.size() != now.size())
        violation("a reader that was there saw " + std::to_string(records.size()) + " records of " + where +
                  ", one that came later " + std::to_string(now.size()));
      for (std::size_t i = 0; i < std::min(records.size(), now.size()); ++i) {
        if (records[i].offset == now[i].offset && records[i].record.value == now[i].record.value &&
            records[i].record.key == now[i].record.key && records[i].headers == now[i].headers)
          continue;
        violation("a reader that was there saw another record at " + where + "@" +
                  std::to_string(records[i].offset));
        break;
      }
    }
  }

  const KafkaTopics& topics_;
  const Content& content_;
  std::vector<std::vector<MemoryRecord>> input_;
  VerdictOracle oracle_;
  std::map<InputPlace, MemoryVerdict> verdicts_;
  ChaosFindings findings_;
};

}  // namespace

ChaosFindings check_chaos(const KafkaTopics& topics, const Content& content, const Content& live,
                          const DetectorOptions& options) {
  return ChaosOracle(topics, content, options).check(live);
}

std::string check_snapshot(const std::string& folder, const std::vector<CommittedRecord>& journal) {
  Result<StoredRecords> stored = StoredRecords::open(folder);
  if (!stored) return stored.error().code == ErrorCode::kNotFound ? "" : stored.error().message;
  while (const std::optional<StoredRecord> record = stored->next()) {
    const std::string here = folder + " holds as record " + std::to_string(record->number);
    if (record->number >= journal.size()) return here + " what the journal does not have";
    const CommittedRecord& sent = journal[record->number];
    if (record->bytes != sent.record.value) return here + " another than the journal";
    // Where a start goes on to read.
    if (record->position != sent.offset + 1) return here + " one from another place of the journal";
  }
  return stored->damage().clauses;
}

}  // namespace neardup
