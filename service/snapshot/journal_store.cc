#include "service/snapshot/journal_store.h"

#include <fcntl.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/check.h"
#include "service/fault_point.h"

namespace neardup {
namespace {

Error refused(const Error& error, const StoreOptions& options) {
  return {error.code, error.message + ". " + options.way_out};
}

// Errors: kUnavailable (another process has it), kIo.
Result<File> lock_of(const std::string& folder) {
  Result<File> lock = File::open(folder + "/lock", O_RDWR | O_CREAT);
  if (!lock) return lock;
  const Result<bool> locked = lock->lock();
  if (!locked) return locked.error();
  if (*locked) return lock;
  return Error{ErrorCode::kUnavailable, folder +
                                            ": another process writes to this folder; each instance needs "
                                            "one of its own (snapshot.directory)"};
}

Error removed(const std::string& path) {
  return {ErrorCode::kIo, path +
                              ": somebody removed it, or put another in its place, while this process "
                              "writes to the folder"};
}

Error only_a_start_can_tell(const Error& error) {
  return {error.code, error.message + ". Restart the process: a start takes what is left of the folder"};
}

}  // namespace

JournalStore::JournalStore(std::string folder, const std::string& signature_options, StoreOptions options,
                           File lock)
    : folder_(std::move(folder)),
      options_(options),
      lock_(std::move(lock)),
      chain_(signature_options),
      committed_chain_(signature_options) {}

Result<std::unique_ptr<JournalStore>> JournalStore::open(const std::string& folder,
                                                         const std::string& signature_options,
                                                         StoreOptions options) {
  if (const Status made = make_folder(folder); !made) return made.error();
  Result<File> lock = lock_of(folder);
  if (!lock) return lock.error();
  std::unique_ptr<JournalStore> store(new JournalStore(folder, signature_options, options, *std::move(lock)));
  const Result<SnapshotFiles> files = snapshot_files(folder);
  if (!files) return files.error();
  if (!files->manifests.empty()) store->generation_ = files->manifests.back();
  Result<std::optional<Manifest>> manifest = newest_manifest(folder, store->damage_);
  if (!manifest) {
    const Error& failed = manifest.error();
    return failed.code == ErrorCode::kUnsupportedVersion ? refused(failed, options) : failed;
  }
  if (store->damage_.is_unread) return Error{ErrorCode::kIo, store->damage_.clauses + ": left as it is"};
  if (!*manifest) {
    for (const std::uint64_t first : files->segments)
      if (Status status = store->look_at_unnamed(first); !status) return status.error();
    return store;
  }
  if (const Status same = comparable(**manifest, signature_options); !same)
    return refused(same.error().in(folder), options);
  store->manifest_damage_ = store->damage_;
  store->committed_ = **std::move(manifest);
  return store;
}

// A manifest names a segment before it holds a record: one that holds some and has no name was left without.
Status JournalStore::look_at_unnamed(std::uint64_t first) {
  const std::string path = folder_ + "/" + segment_name(first);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error && error != std::errc::no_such_file_or_directory)
    return Error{ErrorCode::kIo, path + ": asking for its size: " + error.message()};
  if (error || size <= kSegmentHeaderBytes) return {};
  if (!damage_.any())
    damage_.add({ErrorCode::kCorrupt, path + " holds records, and there is no manifest that names it"});
  Result<File> file = File::open(path, O_RDONLY);
  if (!file) return file.error();
  std::string bytes(kSegmentHeaderBytes, '\0');
  if (const Result<std::size_t> got = file->read_at(bytes, 0); !got) return got.error();
  if (const Result<SegmentHeader> header = decode_segment_header(bytes)) unnamed_ = header->journal;
  return {};
}

std::optional<Uuid> JournalStore::journal() const {
  return committed_.records == 0 ? unnamed_ : std::optional(committed_.journal);
}

Status JournalStore::read(const std::function<Status(const StoredRecord& record)>& take) {
  position_ = 0;
  segments_.clear();
  if (committed_.segments.empty()) return {};
  StoredRecords records(folder_, committed_, manifest_damage_);
  while (records.records() < committed_.records) {
    const std::optional<StoredRecord> record = records.next();
    if (!record) break;
    if (Status status = take(*record); !status) return status;
  }
  damage_ = records.damage();
  position_ = records.position();
  segments_ = records.segments();
  // A segment that cannot even be opened holds nothing.
  while (!segments_.empty() && segments_.back().bytes == 0) segments_.pop_back();
  return {};
}

Status JournalStore::resume(const JournalChain& chain) {
  CHECK(segments_.empty() ? chain.empty()
                          : chain.next_number() == segments_.back().first + segments_.back().records,
        "the chain has accepted what was read");
  CHECK(!damage_.is_unread, "nothing is cut off for a disk that does not let it be read");
  if (!segments_.empty()) segments_.back().last = chain.last_digest();
  for (std::size_t i = 0; i + 1 < segments_.size(); ++i) segments_[i].last = committed_.segments[i].last;
  committed_chain_ = chain;
  committed_.records = chain.next_number();
  committed_.uniques = chain.next_sequence();
  committed_.position = position_;
  committed_.last_digest = chain.last_digest();
  committed_.topics = chain.topics();
  committed_.positions = chain.positions();
  damage_ = manifest_damage_ = {};  // it is cut off now
  // Once it is cut, a second reading finds what is left whole.
  promises_too_much_ = (promises_too_much_ || segments_ != committed_.segments) && !segments_.empty();
  committed_.segments = segments_;
  return fall_back();
}

Status JournalStore::fall_back() {
  chain_ = committed_chain_;
  position_ = committed_.position;
  segments_ = committed_.segments;
  journal_ = committed_.journal;
  file_ = File();
  const Result<SnapshotFiles> files = snapshot_files(folder_);
  if (!files) return files.error();
  const Result<bool> is_locked = lock_.has_its_name();
  if (!is_locked) return is_locked.error();
  if (!*is_locked) return begin_anew();
  if (const Status status = look_for_files(); !status) return only_a_start_can_tell(status.error());
  for (const std::uint64_t first : files->segments) {
    if (!segments_.empty() && first <= segments_.back().first) continue;
    if (Status status = remove_file(folder_ + "/" + segment_name(first)); !status) return status;
  }
  if (segments_.empty()) return {};
  // Nothing is written anew as long as a manifest promises what stood there.
  if (promises_too_much_) {
    if (Status status = write_manifest(); !status) return status;
    promises_too_much_ = false;
  }
  if (Status status = remove_newer_manifests(*files); !status) return status;
  Result<File> file = File::open(folder_ + "/" + segment_name(segments_.back().first), O_RDWR);
  if (!file) return file.error();
  if (Status status = file->truncate(segments_.back().bytes); !status) return status;
  file_ = *std::move(file);
  return {};
}

// Of a folder that has lost its lock. Another process may have had it since, and changed what is there.
Status JournalStore::begin_anew() {
  Result<File> lock = lock_of(folder_);
  if (!lock) return lock.error();
  const Result<SnapshotFiles> files = snapshot_files(folder_);
  if (!files) return files.error();
  if (!files->manifests.empty() || !files->segments.empty())
    return only_a_start_can_tell(removed(folder_ + "/lock"));
  lock_ = *std::move(lock);
  chain_ = committed_chain_ = JournalChain(chain_.signature_options());
  committed_ = {};
  journal_ = {};
  unnamed_.reset();
  position_ = 0;
  segments_.clear();
  promises_too_much_ = is_removal_due_ = false;
  return {};
}

// Those of them that are open are the same, too.
Status JournalStore::look_for_files() const {
  for (const File* file : {&lock_, &file_}) {
    if (!file->is_open()) continue;
    const Result<bool> named = file->has_its_name();
    if (!named) return named.error();
    if (!*named) return removed(file->path());
  }
  for (const StoredSegment& segment : segments_) {
    const std::string path = folder_ + "/" + segment_name(segment.first);
    std::error_code error;
    const bool there = std::filesystem::exists(path, error);
    if (error) return Error{ErrorCode::kIo, path + ": looking for it: " + error.message()};
    if (!there) return removed(path);
  }
  return {};
}

Status JournalStore::append(std::string_view bytes, std::int64_t position) {
  const Result<JournalRecord> record = decode_journal_record(bytes);
  if (!record) return record.error();
  if (chain_.empty() && journal_ != record->journal) {
    journal_ = record->journal;
    segments_.clear();  // one may have been begun for another journal, of which no record came
  }
  encode_frame({chain_.next_number(), position, bytes}, frame_);
  if (segments_.empty() ||
      (segments_.back().records > 0 && segments_.back().bytes + frame_.size() > options_.segment_bytes_max)) {
    if (Status status = begin_segment(); !status) return status;
  }
  if (Status status = chain_.accept(*record, bytes); !status) return status;
  StoredSegment& segment = segments_.back();
  if (Status status = file_.write_at(frame_, segment.bytes); !status) return status;
  FAULT_POINT(kFrameWritten);
  segment.bytes += frame_.size();
  ++segment.records;
  segment.last = chain_.last_digest();
  position_ = position;
  return {};
}

// The manifest names it before it holds a record: so whoever merely reads finds all that was appended. Who is
// to write on trusts what the manifest promises alone, and cuts off the rest (fall_back).
Status JournalStore::begin_segment() {
  if (file_.is_open()) {
    if (Status status = file_.sync(); !status) return status;
  }
  if (Status status = look_for_files(); !status) return status;
  const StoredSegment segment = {
      .first = chain_.next_number(), .bytes = kSegmentHeaderBytes, .last = chain_.last_digest()};
  Result<File> file = File::open(folder_ + "/" + segment_name(segment.first), O_RDWR | O_CREAT | O_TRUNC);
  if (!file) return file.error();
  file_ = *std::move(file);
  if (Status status = file_.write_at(encode_segment_header({journal_, segment.first}), 0); !status)
    return status;
  if (Status status = sync_folder(folder_); !status) return status;
  FAULT_POINT(kSegmentBegun);
  segments_.push_back(segment);
  return commit();
}

Status JournalStore::commit() {
  if (Status status = look_for_files(); !status) return status;
  if (segments_ == committed_.segments && journal_ == committed_.journal) return {};
  if (Status status = file_.sync(); !status) return status;
  FAULT_POINT(kSegmentSynced);
  if (Status status = write_manifest(); !status) return status;
  FAULT_POINT(kManifestDurable);
  remove_old_manifests();
  return {};
}

Status JournalStore::write_manifest() {
  Manifest manifest = {.signature_options = chain_.signature_options(),
                       .journal = journal_,
                       .generation = ++generation_,
                       .records = chain_.next_number(),
                       .uniques = chain_.next_sequence(),
                       .position = position_,
                       .last_digest = chain_.last_digest(),
                       .topics = chain_.topics(),
                       .positions = chain_.positions(),
                       .segments = segments_};
  if (Status status = write_durably(folder_, manifest_name(manifest.generation), encode_manifest(manifest));
      !status)
    return status;
  generation_before_ = committed_.generation;
  committed_ = std::move(manifest);
  committed_chain_ = chain_;
  return {};
}

// One may have got its name before its commit failed.
Status JournalStore::remove_newer_manifests(const SnapshotFiles& files) {
  for (const std::uint64_t generation : files.manifests) {
    if (generation <= committed_.generation) continue;
    if (Status status = remove_file(folder_ + "/" + manifest_name(generation)); !status) return status;
    is_removal_due_ = true;
  }
  if (!is_removal_due_) return {};
  const Status status = sync_folder(folder_);
  is_removal_due_ = !status;
  return status;
}

// All but the two newest that are whole: one that is damaged is no use, and would push out one that is. What
// fails here does no harm and is tried again at the next commit.
void JournalStore::remove_old_manifests() const {
  const Result<SnapshotFiles> files = snapshot_files(folder_);
  if (!files) return;
  for (const std::uint64_t generation : files->manifests) {
    if (generation == committed_.generation || generation == generation_before_) continue;
    (void)remove_file(folder_ + "/" + manifest_name(generation));
  }
}

}  // namespace neardup
