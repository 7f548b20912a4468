#include "tests/simulation/oracle.h"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "core/detector.h"
#include "service/codec/preset.h"
#include "service/codec/verdict_codec.h"
#include "service/journal/chain.h"
#include "service/journal/record.h"
#include "service/pipeline/signer_pool.h"

namespace neardup {
namespace {

using Place = std::pair<std::int32_t, std::int64_t>;  // partition, offset

std::string shown(const Place& place) {
  return "pages:" + std::to_string(place.first) + "@" + std::to_string(place.second);
}

// Every input record, signed as the service signs it.
class SignedInput {
 public:
  explicit SignedInput(const std::vector<std::vector<MemoryRecord>>& input) {
    for (std::size_t partition = 0; partition < input.size(); ++partition) {
      for (std::size_t offset = 0; offset < input[partition].size(); ++offset) {
        const MemoryRecord& from = input[partition][offset];
        Record record;
        record.source = {0, static_cast<std::int32_t>(partition), static_cast<std::int64_t>(offset)};
        if (from.key) record.key = *from.key;
        if (from.value) record.value = *from.value;
        record.timestamp_ms = from.timestamp_ms;
        index_[{record.source.partition, record.source.offset}] = records_.size();
        records_.push_back(record);
      }
    }
    signed_.resize(records_.size());
    const InputConfig config;
    const Result<Preset> preset = resolve_preset(config);
    CHECK(preset.ok(), "the default preset");
    SignerPool(1, *preset, config).run(records_, signed_);
  }

  std::size_t size() const { return records_.size(); }
  bool has(const Place& place) const { return index_.contains(place); }
  const Record& record(const Place& place) const { return records_[index_.at(place)]; }
  const Signed& document(const Place& place) const { return signed_[index_.at(place)]; }

 private:
  std::vector<Record> records_;
  std::vector<Signed> signed_;
  std::map<Place, std::size_t> index_;
};

std::optional<Place> place_of(const MemoryVerdict& verdict) {
  if (verdict.topic != OutputTopic::kDeadLetter) {
    const Result<ParsedVerdict> parsed = parse_verdict_json(verdict.value.value_or(""));
    if (!parsed || parsed->source.topic != Cluster::kTopic) return std::nullopt;
    return Place(parsed->source.partition, parsed->source.offset);
  }
  const std::map<std::string, std::string> headers(verdict.headers.begin(), verdict.headers.end());
  if (!headers.contains("neardup-partition") || !headers.contains("neardup-offset")) return std::nullopt;
  return Place(std::stoi(headers.at("neardup-partition")), std::stoll(headers.at("neardup-offset")));
}

// Sizes and representatives, counted one by one from what was decided.
class CountedClusters {
 public:
  explicit CountedClusters(KeepPolicy keep) : keep_(keep) {}

  void lead(Sequence leader, std::uint32_t tokens) { all_[leader] = {.tokens = tokens}; }

  // Since this duplicate.
  const ClusterState& join(Sequence leader, const Source& source, std::uint32_t tokens) {
    Counted& counted = all_.at(leader);
    ++counted.state.size;
    ClusterGain& gain = gains_[leader];
    gain.leader = leader;
    ++gain.joined;
    if (keep_ == KeepPolicy::kLongest && tokens > counted.tokens) {
      counted.tokens = tokens;
      counted.state.representative = gain.representative = Representative{source, tokens};
    }
    return counted.state;
  }

  // What they gained since the last call.
  std::vector<ClusterGain> take_gains() {
    std::vector<ClusterGain> gains;
    for (const auto& [leader, gain] : gains_) gains.push_back(gain);
    gains_.clear();
    return gains;
  }

 private:
  struct Counted {
    ClusterState state = {};
    std::uint32_t tokens = 0;  // of the document that represents it
  };
  const KeepPolicy keep_;
  std::map<Sequence, Counted> all_;
  std::map<Sequence, ClusterGain> gains_;
};

class Oracle {
 public:
  Oracle(const Cluster& cluster, const DetectorOptions& options)
      : cluster_(cluster), input_(cluster.input()), detector_(options), clusters_(options.clusters.keep) {}

  Findings check() {
    for (const Cluster::Content& content : cluster_.committed()) check_transaction(content);
    if (decided_.size() < input_.size()) {
      wrong("lost: " + std::to_string(input_.size() - decided_.size()) + " input records have no verdict");
    }
    if (!cluster_.all_covered()) wrong("the group's offsets do not cover the input");
    for (const auto& [partition, position] : chain_.positions()) {
      const auto at = cluster_.group_offsets().find(partition.second);
      if (at == cluster_.group_offsets().end() || at->second != position.next)
        wrong("journal and group disagree on partition " + std::to_string(partition.second));
    }
    findings_.state = detector_.state_digest();
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
    const std::uint64_t uniques = detector_.size();
    for (const MemoryVerdict& verdict : content.verdicts) {
      const std::optional<Place> place = place_of(verdict);
      if (!place || !input_.has(*place)) return wrong("batch " + number + ": a verdict about nothing");
      if (!decided_.insert(*place).second) return wrong("doubled: two verdicts for " + shown(*place));
      const auto expected = next.find(place->first);
      if (expected == next.end() || place->second != expected->second++)
        return wrong("batch " + number + ": " + shown(*place) + " is not what it covers next");
      check_verdict(verdict, *place);
      ++findings_.verdicts;
    }
    if (record->uniques.size() != detector_.size() - uniques)
      wrong("journal record " + number + " has other uniques than the verdicts of its batch");
    if (record->clusters != clusters_.take_gains())
      wrong("journal record " + number + " has other clusters than the verdicts of its batch");
  }

  void check_verdict(const MemoryVerdict& verdict, const Place& place) {
    const Record& record = input_.record(place);
    const Signed& document = input_.document(place);
    bytes_ += verdict.value.value_or("");
    if (document.reason) {
      const std::map<std::string, std::string> headers(verdict.headers.begin(), verdict.headers.end());
      const auto reason = headers.find("neardup-reason");
      const std::optional<std::string> raw =
          record.value ? std::optional(std::string(*record.value)) : std::nullopt;
      if (verdict.topic != OutputTopic::kDeadLetter || verdict.value != raw || reason == headers.end() ||
          reason->second != name(*document.reason))
        wrong(shown(place) + " should be a dead letter: " + std::string(name(*document.reason)));
      return;
    }
    VerdictRecord expected;
    expected.id = document.document.id;
    expected.url = document.document.url;
    expected.source = record.source;
    expected.event_time_ms = document.document.event_time_ms;
    expected.signature = document.signature;
    expected.decision = detector_.apply(document.arrival(record.source));
    std::optional<Unique> leader;
    if (expected.decision.verdict == Verdict::kDuplicate) {
      leader = detector_.unique(expected.decision.sequence);
      expected.leader = &*leader;
      expected.cluster = clusters_.join(expected.decision.sequence, record.source, document.signature.tokens);
      if (!uniques_.contains({leader->source.partition, leader->source.offset}))
        wrong(shown(place) + " is a duplicate of no committed unique");
    } else {
      uniques_.insert(place);
      clusters_.lead(expected.decision.sequence, document.signature.tokens);
    }
    std::string json;
    append_verdict_json(expected, topics_, json);
    const bool unique = expected.decision.verdict == Verdict::kUnique;
    if (verdict.value != json || verdict.key != document.document.id ||
        verdict.topic != (unique ? OutputTopic::kUnique : OutputTopic::kDuplicate))
      wrong("different: " + shown(place) + " got " + verdict.value.value_or("nothing") + " for " + json);
  }

  const Cluster& cluster_;
  const SignedInput input_;
  const std::vector<std::string> topics_ = {Cluster::kTopic};
  JournalChain chain_;
  Detector detector_;
  CountedClusters clusters_;
  std::set<Place> decided_;
  std::set<Place> uniques_;
  std::string bytes_;
  Findings findings_;
};

}  // namespace

Findings check_committed(const Cluster& cluster, const DetectorOptions& options) {
  return Oracle(cluster, options).check();
}

}  // namespace neardup
