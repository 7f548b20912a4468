#include "service/commands/index_folder.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/bytes.h"
#include "core/limits.h"
#include "service/pipeline/rebuilding.h"
#include "service/snapshot/stored_records.h"

namespace neardup {
namespace {

// A topic stands in each record and, with its position, in each manifest.
constexpr std::size_t kTopicBytesMax = 64;  // besides its name
constexpr std::size_t kNamesBytesMax = kFrameRecordBytesMax - kJournalRecordBytesMax;
static_assert(kNamesBytesMax < kManifestBytesMax);

std::size_t topic_bytes_max(const std::string& name) { return name.size() + kTopicBytesMax; }

// Nobody can make it again: it is not to be removed.
constexpr const char* kWayOut = "Use what it was made with, or name another folder";

// Drawn from what it names, so that the same files make the same bytes.
Uuid uuid_of(const std::string& bytes) {
  std::string digest;
  ByteWriter(digest).digest(digest128(bytes));
  Uuid id{};
  std::ranges::copy(digest, id.begin());
  return id;
}

// Of a topic that the run whose first record was `first_record` brought.
Uuid topic_id(std::uint64_t first_record, std::uint64_t ordinal) {
  std::string name = "topic of a scan";
  ByteWriter out(name);
  out.u64(first_record);
  out.u64(ordinal);
  return uuid_of(name);
}

// Every record names the first topic of the first run. A service's topics have their ids from Kafka.
bool is_of_scans(const JournalChain& chain) {
  return !chain.topics().empty() && chain.topics().front().id == topic_id(0, 0);
}

Error with_way_out(const Error& error) { return {error.code, error.message + ". " + kWayOut}; }

Error damaged(const std::string& folder, const Damage& damage) {
  if (damage.code == ErrorCode::kIo) return {damage.code, "the index cannot be read: " + damage.clauses};
  return {damage.code, folder + ": the index is damaged: " + damage.clauses +
                           ". Bring back a copy of it, or remove the folder and scan again"};
}

// What was read of `folder`, to the last record that its manifest promises, is that, and whole.
Status check_index(const std::string& folder, const Manifest& manifest, const JournalChain& chain,
                   Damage damage) {
  if (!damage.any()) {
    if (const Status same = is_as_promised(chain, manifest); !same) damage.add(same.error());
  }
  if (damage.any()) return damaged(folder, damage);
  return {};
}

}  // namespace

Status load_index(const std::string& folder, JournalChain& chain, Detector& detector, Retention& retention,
                  int threads) {
  Result<StoredRecords> stored = StoredRecords::open(folder);
  if (!stored) {
    const Error& error = stored.error();
    return error.code == ErrorCode::kUnsupportedVersion ? with_way_out(error) : error;
  }
  if (const Status same = comparable(stored->manifest(), chain.signature_options()); !same)
    return with_way_out(same.error().in(folder));
  Rebuilding rebuilding(chain, detector, retention, threads);
  Status status;
  // What lies behind the promise is a writer's, who may go back behind it.
  while (status && stored->records() < stored->manifest().records) {
    const std::optional<StoredRecord> record = stored->next();
    if (!record) break;
    status = rebuilding.take(record->bytes);
  }
  if (status) status = rebuilding.finish();
  if (!status) return status.error().in(folder);
  return check_index(folder, stored->manifest(), chain, stored->damage());
}

bool ScanRecordRoom::take(std::uint32_t topic, std::span<const std::string> names,
                          std::size_t entry_bytes_max) {
  bytes_ += entry_bytes_max;
  positions_.insert(topic);
  for (; topics_ <= topic; ++topics_) names_bytes_ += topic_bytes_max(names[topics_]);
  const std::size_t frame =
      journal_frame_bytes_max(0, positions_.size() + 1) + std::min(names_bytes_, kJournalRecordBytesMax / 2);
  const bool full = bytes_ + frame + kJournalEntryBytesMax > kJournalRecordBytesMax;
  return ++documents_ == kDocumentsMax || full;
}

void ScanRecordRoom::clear() {
  documents_ = 0;
  bytes_ = 0;
  positions_.clear();
}

ScanJournal::ScanJournal(JournalChain& chain, std::unique_ptr<JournalStore> store, const Detector& detector)
    : chain_(chain),
      store_(std::move(store)),
      first_record_(chain.next_number()),
      topics_before_(chain.topics().size()),
      topics_(topics_before_),
      detector_options_(detector.options().text()),
      cluster_rule_(detector.cluster_rule()) {
  record_.detector_options = detector_options_;
  record_.cluster_rule = cluster_rule_;
  record_.writer_epoch = chain.empty() ? 0 : chain.writer_epoch() + 1;
}

Result<std::unique_ptr<ScanJournal>> ScanJournal::open(const std::string& folder, JournalChain& chain,
                                                       Detector& detector, Retention& retention,
                                                       int threads) {
  Result<std::unique_ptr<JournalStore>> store =
      JournalStore::open(folder, chain.signature_options(), {.way_out = kWayOut});
  if (!store) return store.error().in("snapshot");
  Rebuilding rebuilding(chain, detector, retention, threads);
  Status read = (*store)->read([&](const StoredRecord& record) -> Status {
    Status taken = rebuilding.take(record.bytes);
    if (chain.empty() || is_of_scans(chain)) return taken;
    // Its positions are offsets of a topic: ours would go back behind them, and so would all that is read.
    return Error{ErrorCode::kContradiction, "the index is a service's: ask it with --against"};
  });
  if (read) read = rebuilding.finish();
  if (!read) return read.error().in(folder);
  // Nobody else has what is missing: it must not be cut off in silence.
  if (Status whole = check_index(folder, (*store)->committed(), chain, (*store)->damage()); !whole)
    return whole.error();
  if (Status status = (*store)->resume(chain); !status) return status.error();
  return std::unique_ptr<ScanJournal>(new ScanJournal(chain, *std::move(store), detector));
}

void ScanJournal::add(const Arrival& arrival, const Decision& decision, const ClusterState& cluster,
                      std::string_view kept) {
  if (decision.verdict == Verdict::kDuplicate) gains_.add(decision.sequence, arrival.source, cluster);
  if (decision.verdict == Verdict::kUnique) {
    ++record_.counts.unique;
    encoder_.add({.id = arrival.id,
                  .url = arrival.url,
                  .source = arrival.source,
                  .event_time_ms = arrival.event_time_ms,
                  .signature = arrival.signature,
                  .kept = kept});
    if (chain_.empty()) ByteWriter(first_texts_).digest(arrival.signature.exact);
  } else if (decision.kind == DuplicateKind::kExact) {
    ++record_.counts.exact;
  } else {
    ++(decision.kind == DuplicateKind::kShort ? record_.counts.short_text : record_.counts.near);
  }
  cover(arrival.source);
}

void ScanJournal::add_rejected(const Source& source) {
  ++record_.counts.rejected;
  cover(source);
}

void ScanJournal::cover(const Source& source) {
  next_[source.topic] = source.offset + 1;
  topics_ = std::max<std::size_t>(topics_, source.topic + 1);
}

Status ScanJournal::end_record(Sequence oldest, std::int64_t time_ms,
                               const std::vector<std::string>& topics) {
  std::size_t names_bytes = 0;
  for (std::size_t ordinal = 0; ordinal < topics_; ++ordinal) names_bytes += topic_bytes_max(topics[ordinal]);
  if (names_bytes > kNamesBytesMax) {
    return Error{ErrorCode::kInvalid,
                 "the names of " + std::to_string(topics_) +
                     " files are too many for one index: put more documents into a file, a line each, or "
                     "begin another index"};
  }
  if (chain_.empty()) {
    record_.journal = uuid_of("journal of a scan" + first_texts_);
    first_texts_ = {};
  } else {
    record_.journal = chain_.journal();
  }
  record_.number = chain_.next_number();
  record_.previous = chain_.last_digest();
  record_.first_sequence = chain_.next_sequence();
  record_.oldest = oldest;
  record_.time_ms = time_ms;
  record_.signature_options = chain_.signature_options();
  record_.topics.clear();
  for (std::size_t ordinal = 0; ordinal < topics_; ++ordinal) {
    if (ordinal < topics_before_) {
      record_.topics.push_back({chain_.topics()[ordinal].name, chain_.topics()[ordinal].id});
      continue;
    }
    record_.topics.push_back({topics[ordinal], topic_id(first_record_, ordinal)});
  }
  record_.positions.clear();
  for (const auto& [topic, next] : next_) {
    const auto before = chain_.positions().find({topic, 0});
    record_.positions.push_back(
        {topic, 0, before == chain_.positions().end() ? 0 : before->second.next, next, -1});
  }
  gains_.take(record_.clusters);
  const std::string_view bytes = encoder_.encode(record_);
  const auto position = static_cast<std::int64_t>(record_.number) + 1;  // there is no other log
  if (Status status = store_->append(bytes, position); !status) return status;
  if (Status status = chain_.accept(record_, bytes); !status) return status;
  record_.counts = {};
  encoder_.clear();
  next_.clear();
  return {};
}

}  // namespace neardup
