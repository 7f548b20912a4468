#include "service/pipeline/batch.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/base/check.h"

namespace neardup {
namespace {

// What a record takes in a topic besides its bytes: lengths, our own headers, the batch around it.
constexpr std::size_t kRecordRoomBytes = 4096;
constexpr std::size_t kTraceHeaderBytesMax = 512;  // as W3C Trace Context has it

// Carried from the input record to its verdict, so that a trace does not end here (W3C Trace Context).
constexpr std::array<std::string_view, 2> kTraceHeaders = {"traceparent", "tracestate"};

}  // namespace

Batch::Batch(std::span<const std::string> topics, BatchOptions options)
    : topic_names_(topics), options_(options) {}

void Batch::clear() {
  arena_.clear();
  passed_on_bytes_ = 0;
  records_.clear();
  header_ranges_.clear();
  headers_.clear();
  gains_.clear();
  covered_.clear();
  last_covered_ = nullptr;
  positions_.clear();
  counts_ = {};
  encoder_.clear();
  journal_ = {};
  journal_bytes_ = {};
}

void Batch::cover(const Record& record) {
  const std::size_t bytes = record.value ? record.value->size() : 0;
  counts_.document_bytes.add(bytes);
  const JournalChain::Partition partition(record.source.topic, record.source.partition);
  // Records of a partition come many in a row.
  if (last_covered_ == nullptr || last_covered_->first != partition) {
    const auto [at, first] = covered_.try_emplace(partition);
    last_covered_ = &*at;
    if (first) {
      at->second.position = {
          .topic = partition.first, .partition = partition.second, .from = record.source.offset};
    }
  }
  Covered& covered = last_covered_->second;
  covered.position.next = record.source.offset + 1;
  covered.position.leader_epoch = record.leader_epoch;
  ++covered.records;
  covered.bytes += bytes;
}

// What lies there may have been written under a later leader than the last record, so none is named: the
// broker would take it for a truncated log.
void Batch::add_rest(const RestPosition& rest) {
  const auto [at, first] = covered_.try_emplace({rest.topic, rest.partition});
  JournalPosition& position = at->second.position;
  if (first) position = {.topic = rest.topic, .partition = rest.partition, .from = rest.next};
  position.next = rest.next;
  position.leader_epoch = -1;
}

void Batch::add_header(std::string_view name, std::string_view value) {
  headers_.push_back({name, arena_.keep(value)});
}

void Batch::add_named() {
  for (const NamedValue& header : named_) add_header(header.name, header.value);
}

void Batch::add_verdict_headers(const VerdictRecord& verdict) {
  switch (options_.headers) {
    case HeaderMode::kPacked: {
      char* const value = arena_.room(verdict_header_bytes_max(verdict, topic_names_));
      headers_.push_back(
          {kVerdictHeaderName, arena_.take(write_verdict_header(verdict, topic_names_, value))});
      break;
    }
    case HeaderMode::kFull:
      verdict_headers(verdict, topic_names_, named_);
      add_named();
      break;
    case HeaderMode::kNone:
      break;
  }
}

// The first of each name: a record may have any number, and a verdict has to fit into its topic.
void Batch::add_trace_headers(std::span<const Header> headers) {
  for (const std::string_view name : kTraceHeaders) {
    const auto first = std::ranges::find(headers, name, &Header::name);
    if (first == headers.end() || (first->value && first->value->size() > kTraceHeaderBytesMax)) continue;
    headers_.push_back(*first);
  }
}

void Batch::add_headers_but_ours(std::span<const Header> headers) {
  std::ranges::copy_if(headers, std::back_inserter(headers_),
                       [](const Header& header) { return !is_our_header(header.name); });
}

void Batch::add_verdict(const Record& record, const VerdictRecord& verdict, OutputTopic topic) {
  const bool holds_records = topic == OutputTopic::kUnique && options_.unique_holds == UniqueHolds::kRecords;
  const bool as_record =
      holds_records && bytes_of(record) + verdict.id.size() + kRecordRoomBytes <= options_.unique_bytes_max;
  OutputRecord& output = records_.emplace_back();
  output.topic = topic;
  output.source_partition = record.source.partition;
  output.key.emplace(arena_.keep(verdict.id));
  const std::size_t begin = headers_.size();
  if (as_record) {
    output.value = record.value;
    passed_on_bytes_ += bytes_of(record);
    add_headers_but_ours(record.headers);
    add_verdict_headers(verdict);
    place_headers(record.source, topic_names_, named_);
    add_named();
  } else {
    char* const value = arena_.room(verdict_json_bytes_max(verdict, topic_names_));
    output.value = arena_.take(write_verdict_json(verdict, topic_names_, value));
    add_verdict_headers(verdict);
    add_trace_headers(record.headers);
    if (holds_records) add_truncated_from(record);
  }
  header_ranges_.push_back({begin, headers_.size() - begin});
}

void Batch::add_decided(const Record& record, const Signed& document, const Decision& decision,
                        const Named& named, const ClusterState& cluster, std::string_view kept) {
  cover(record);
  const Document& from = document.document;
  const bool is_unique = decision.verdict == Verdict::kUnique;
  add_verdict(record,
              {.id = from.id,
               .url = from.url,
               .source = record.source,
               .event_time_ms = from.event_time_ms,
               .decision = decision,
               .signature = document.signature,
               .leader = named.leader,
               .previous = named.previous,
               .cluster = cluster},
              is_unique ? OutputTopic::kUnique : OutputTopic::kDuplicate);
  if (is_unique) {
    ++counts_.unique;
    encoder_.add({from.id, from.url, record.source, from.event_time_ms, document.signature, kept});
  } else {
    counts_.count(decision);
    gains_.add(decision.sequence, record.source, cluster);
  }
  counts_.fallbacks += document.fell_back ? 1 : 0;
}

// To the topic of the uniques, where those who keep the documents read: behind what it takes back, since the
// key is the same.
void Batch::add_deleted(const Record& record, const Signed& document, std::string_view id,
                        std::span<const Sequence> forgotten) {
  cover(record);
  add_verdict(record,
              {.id = id,
               .source = record.source,
               .event_time_ms = document.document.event_time_ms,
               .forgotten = forgotten.size()},
              OutputTopic::kUnique);
  ++counts_.deleted;
  counts_.forgotten += forgotten.size();
  for (const Sequence sequence : forgotten) gains_.end(sequence);
  journal_.deletions.push_back({.behind = encoder_.uniques(), .id = id, .forgotten = forgotten.size()});
}

void Batch::add_rejected(const Record& record, RejectReason reason) {
  cover(record);
  ++counts_.rejected[static_cast<std::size_t>(reason)];
  // The raw record as it came, so that whoever mends it can send it again.
  OutputRecord& output = records_.emplace_back();
  output.topic = OutputTopic::kDeadLetter;
  output.source_partition = record.source.partition;
  output.key = record.key;
  output.value = record.value;
  const std::size_t begin = headers_.size();
  if (bytes_of(record) + kRecordRoomBytes > options_.dead_letter_bytes_max) {
    cut_to_fit(record, output);
  } else if (record.has_too_many_headers) {
    add_truncated_from(record);
  } else {
    // But those of a dead letter that was sent again as it was, or of who would pass for one.
    std::ranges::copy_if(record.headers, std::back_inserter(headers_),
                         [](const Header& header) { return !is_dead_letter_header(header.name); });
  }
  passed_on_bytes_ += std::min(bytes_of(record), options_.dead_letter_bytes_max);
  dead_letter_headers(reason, record.source, topic_names_, named_);
  add_named();
  header_ranges_.push_back({begin, headers_.size() - begin});
}

void Batch::cut_to_fit(const Record& record, OutputRecord& output) {
  const std::size_t room =
      options_.dead_letter_bytes_max - std::min(options_.dead_letter_bytes_max, kRecordRoomBytes);
  if (record.key) output.key = record.key->substr(0, room / 4);
  if (record.value) output.value = record.value->substr(0, room / 2);
  add_truncated_from(record);
}

void Batch::add_truncated_from(const Record& record) {
  add_header(kTruncatedHeaderName, std::to_string(record.value ? record.value->size() : 0));
}

void Batch::seal(const JournalChain& chain, std::span<const JournalTopic> topics, const Writer& writer,
                 const Horizon& horizon) {
  for (std::size_t i = 0; i < records_.size(); ++i) {
    records_[i].headers = std::span(headers_).subspan(header_ranges_[i].begin, header_ranges_[i].count);
  }
  std::uint64_t read = 0;
  for (auto& [partition, covered] : covered_) {
    read += covered.records;
    JournalPosition& position = covered.position;
    const auto before = chain.positions().find(partition);
    // Offsets between the last batch and this one's first record held nothing for us (compaction, control
    // records). A batch of no record covers nothing.
    if (before != chain.positions().end() && !records_.empty()) position.from = before->second.next;
    journal_.positions.push_back(position);
    positions_.push_back(
        {topic_names_[position.topic], position.partition, position.next, position.leader_epoch});
  }
  journal_.journal = writer.journal;
  journal_.number = chain.next_number();
  journal_.writer_epoch = writer.epoch;
  journal_.previous = chain.last_digest();
  journal_.first_sequence = chain.next_sequence();
  journal_.oldest = horizon.oldest;
  journal_.time_ms = horizon.time_ms;
  journal_.detector_options = writer.detector_options;
  journal_.signature_options = chain.signature_options();
  journal_.cluster_rule = writer.cluster_rule;
  journal_.counts.unique = counts_.unique;
  journal_.counts.exact = counts_.exact;
  journal_.counts.near = counts_.near;
  journal_.counts.short_text = counts_.short_text;
  for (const std::uint64_t count : counts_.rejected) journal_.counts.rejected += count;
  journal_.counts.deleted = counts_.deleted;
  CHECK(records_.size() == read && journal_.counts.verdicts() == read, "each record has one verdict");
  journal_.topics.assign(topics.begin(), topics.end());
  gains_.take(journal_.clusters);
  journal_bytes_ = encoder_.encode(journal_);
  journal_digest_ = digest128(journal_bytes_);
}

Transaction Batch::transaction() const { return {journal_bytes_, records_, positions_}; }

}  // namespace neardup
