#include "tests/support/verdict_oracle.h"

#include <span>

#include "service/codec/document_codec.h"
#include "service/codec/preset.h"
#include "service/codec/verdict_codec.h"

namespace neardup {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

Headers headers_of(const Record& record) {
  Headers headers;
  for (const Header& header : record.headers) headers.emplace_back(header.name, header.value.value_or(""));
  return headers;
}

// Headers in words of our own: what the service and this oracle took from one function would never differ.

// Of a verdict: what it says in short, and the first of each trace header of its record.
Headers verdict_headers_of(const Record& record, const VerdictRecord& verdict, const std::string& topic) {
  std::string packed(name(verdict.verdict()));
  if (verdict.verdict() == Verdict::kDuplicate) {
    const Source& original = verdict.leader->source;
    packed += ";" + std::string(name(verdict.decision.kind)) + ";of=" + topic + "-" +
              std::to_string(original.partition) + "@" + std::to_string(original.offset);
  }
  Headers headers = {{"neardup", std::move(packed)}};
  for (const char* const trace : {"traceparent", "tracestate"}) {
    for (const auto& header : headers_of(record)) {
      if (header.first != trace) continue;
      headers.push_back(header);
      break;
    }
  }
  return headers;
}

// The record as it came, and behind its headers why it is here and where it lay.
MemoryVerdict dead_letter_of(const Record& record, RejectReason reason, const std::string& topic) {
  MemoryVerdict letter{OutputTopic::kDeadLetter, {}, {}, headers_of(record)};
  if (record.key) letter.key = *record.key;
  if (record.value) letter.value = *record.value;
  letter.headers.emplace_back("neardup-reason", name(reason));
  letter.headers.emplace_back("neardup-topic", topic);
  letter.headers.emplace_back("neardup-partition", std::to_string(record.source.partition));
  letter.headers.emplace_back("neardup-offset", std::to_string(record.source.offset));
  return letter;
}

std::string shown(const MemoryVerdict& verdict) {
  std::string text = verdict.value.value_or("nothing") + " under " + verdict.key.value_or("no key");
  for (const auto& [name, value] : verdict.headers) text.append(", ").append(name).append("=").append(value);
  return text;
}

}  // namespace

std::string shown(const std::string& topic, const InputPlace& place) {
  return topic + ":" + std::to_string(place.first) + "@" + std::to_string(place.second);
}

const ClusterState& CountedClusters::join(Sequence leader, const Source& source, std::uint32_t tokens) {
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

std::vector<ClusterGain> CountedClusters::take_gains() {
  std::vector<ClusterGain> gains;
  for (const auto& [leader, gain] : gains_) gains.push_back(gain);
  gains_.clear();
  return gains;
}

VerdictOracle::VerdictOracle(std::string topic, const std::vector<std::vector<MemoryRecord>>& input,
                             const DetectorOptions& options)
    : topics_{std::move(topic)}, detector_(options), clusters_(options.clusters.keep) {
  for (std::size_t partition = 0; partition < input.size(); ++partition) {
    for (std::size_t offset = 0; offset < input[partition].size(); ++offset) {
      const MemoryRecord& from = input[partition][offset];
      Record record;
      record.source = {0, static_cast<std::int32_t>(partition), static_cast<std::int64_t>(offset)};
      if (from.key) record.key = *from.key;
      if (from.value) record.value = *from.value;
      std::vector<Header>& headers = headers_.emplace_back();
      for (const auto& [name, value] : from.headers) headers.push_back({name, value});
      record.headers = headers;
      record.timestamp_ms = from.timestamp_ms;
      index_[{record.source.partition, record.source.offset}] = records_.size();
      records_.push_back(record);
    }
  }
  signed_.resize(records_.size());
  const InputConfig config;
  const Preset preset = resolve_preset(config);
  SignerPool(1, preset, config).run(records_, signed_);
}

std::optional<InputPlace> VerdictOracle::place_of(const MemoryVerdict& verdict) const {
  if (verdict.topic != OutputTopic::kDeadLetter) {
    const Result<ParsedVerdict> parsed = parse_verdict_json(verdict.value.value_or(""));
    if (!parsed || parsed->source.topic != topics_.front()) return std::nullopt;
    return InputPlace(parsed->source.partition, parsed->source.offset);
  }
  const std::map<std::string, std::string> headers(verdict.headers.begin(), verdict.headers.end());
  const auto topic = headers.find("neardup-topic");
  if (topic == headers.end() || topic->second != topics_.front()) return std::nullopt;
  if (!headers.contains("neardup-partition") || !headers.contains("neardup-offset")) return std::nullopt;
  return InputPlace(std::stoi(headers.at("neardup-partition")), std::stoll(headers.at("neardup-offset")));
}

VerdictRecord VerdictOracle::decided(const Record& record, const Signed& document) {
  VerdictRecord expected;
  expected.id = document.document.id;
  expected.url = document.document.url;
  expected.source = record.source;
  expected.event_time_ms = document.document.event_time_ms;
  expected.signature = document.signature;
  expected.decision = detector_.apply(document.arrival(record.source));
  const Decision& decision = expected.decision;
  if (decision.verdict == Verdict::kUnique) {
    clusters_.lead(decision.sequence, document.signature.tokens);
  } else {
    leader_ = detector_.unique(decision.sequence);
    expected.leader = &leader_;
    expected.cluster = clusters_.join(decision.sequence, record.source, document.signature.tokens);
  }
  if (decision.previous) {
    previous_ = detector_.unique(*decision.previous);
    expected.previous = &previous_;
  }
  return expected;
}

VerdictRecord VerdictOracle::deleted(const Record& record, const Signed& document, std::string_view id) {
  const std::vector<Sequence> forgotten = detector_.forget(id);
  for (const Sequence sequence : forgotten) clusters_.end(sequence);
  deletions_.push_back(
      {.behind = detector_.size() - deletions_from_, .id = id, .forgotten = forgotten.size()});
  return {.id = id,
          .source = record.source,
          .event_time_ms = document.document.event_time_ms,
          .forgotten = forgotten.size()};
}

std::vector<JournalDeletion> VerdictOracle::take_deletions() {
  deletions_from_ = detector_.size();
  return std::exchange(deletions_, {});
}

std::string VerdictOracle::decide(const InputPlace& place, const MemoryVerdict& verdict) {
  const Record& record = records_[index_.at(place)];
  const Signed& document = signed_[index_.at(place)];
  const std::string here = shown(topics_.front(), place);
  const bool deletes = !record.value && detector_.options().by_id;
  std::string_view id = document.document.id;
  const std::optional<RejectReason> rejected = deletes ? read_deletion(record, id) : document.reason;
  if (rejected) {
    const MemoryVerdict expected = dead_letter_of(record, *rejected, topics_.front());
    if (verdict == expected) return "";
    return here + " should be a dead letter: got " + shown(verdict) + " for " + shown(expected);
  }
  const VerdictRecord told = deletes ? deleted(record, document, id) : decided(record, document);
  std::string json;
  append_verdict_json(told, topics_, json);
  const bool is_duplicate = told.verdict() == Verdict::kDuplicate;
  const MemoryVerdict expected = {is_duplicate ? OutputTopic::kDuplicate : OutputTopic::kUnique,
                                  std::string(id), std::move(json),
                                  verdict_headers_of(record, told, topics_.front())};
  if (verdict == expected) return "";
  return "different: " + here + " got " + shown(verdict) + " for " + shown(expected);
}

bool VerdictOracle::agrees(const InputPlace& place, const ParsedVerdict& verdict) const {
  const Record& record = records_[index_.at(place)];
  const Signed& document = signed_[index_.at(place)];
  if (document.reason) return true;
  const Decision decision = detector_.check(document.arrival(record.source));
  const std::optional<Sequence> named = verdict.verdict == Verdict::kUnique ? verdict.seq
                                        : verdict.cluster ? std::optional(verdict.cluster->id)
                                                          : std::nullopt;
  if (decision.verdict != verdict.verdict || decision.sequence != named) return false;
  if (decision.previous.has_value() != verdict.previous.has_value()) return false;
  if (!decision.previous) return true;
  const Source source = detector_.unique(*decision.previous).source;
  return source.partition == verdict.previous->source.partition &&
         source.offset == verdict.previous->source.offset;
}

}  // namespace neardup
