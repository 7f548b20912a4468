#include "service/snapshot/stored_records.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/base/clauses.h"

namespace neardup {
namespace {

constexpr std::size_t kReadBytes = std::size_t{4} << 20;
constexpr std::string_view kManifestPrefix = "manifest-";
constexpr std::string_view kSegmentPrefix = "segment-";
constexpr int kLooksMax = 10;
constexpr std::size_t kDigits = 20;  // of any 64-bit number, so that names sort as numbers do

std::string numbered(std::string_view prefix, std::uint64_t number) {
  return fmt::format("{}{:0{}}", prefix, number, kDigits);
}

std::optional<std::uint64_t> number_of(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || name.size() != prefix.size() + kDigits) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

// Error kCorrupt also where it has the name of another: what counts is the newest, and names tell which.
Result<Manifest> read_manifest(const std::string& path, std::uint64_t generation) {
  const Result<std::string> bytes = read_file(path, kManifestBytesMax);
  if (!bytes) return bytes.error();
  Result<Manifest> manifest = decode_manifest(*bytes);
  if (!manifest) return manifest.error().in(path);
  if (manifest->generation == generation) return manifest;
  return Error{ErrorCode::kCorrupt,
               fmt::format("{}: holds generation {}, not that of its name", path, manifest->generation)};
}

}  // namespace

const char* const kSnapshotWayOut =
    "Remove the folder, or name another: a service makes its snapshot again from the journal";
const char* const kSnapshotMadeOtherwiseWayOut =
    "Use the settings and the version that it was made with. Only if the journal has the new ones, as one "
    "has "
    "that was begun anew, remove the folder or name another";

std::string manifest_name(std::uint64_t generation) { return numbered(kManifestPrefix, generation); }
std::string segment_name(std::uint64_t first) { return numbered(kSegmentPrefix, first); }

Result<SnapshotFiles> snapshot_files(const std::string& folder) {
  SnapshotFiles files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    // A link to a file is one; what cannot be told may be one.
    std::error_code untold;
    if (const auto status = at->status(untold); exists(status) && !is_regular_file(status)) continue;
    const std::string name = at->path().filename().string();
    if (const auto generation = number_of(name, kManifestPrefix)) files.manifests.push_back(*generation);
    if (const auto first = number_of(name, kSegmentPrefix)) files.segments.push_back(*first);
  }
  if (error) {
    const bool missing = error == std::errc::no_such_file_or_directory;
    return Error{missing ? ErrorCode::kNotFound : ErrorCode::kIo, folder + ": " + error.message()};
  }
  std::ranges::sort(files.manifests);
  std::ranges::sort(files.segments);
  return files;
}

void Damage::add(const Error& error) {
  add_clause(clauses, error.message);
  if (error.code == ErrorCode::kIo) is_unread = true;
  if (error.code != ErrorCode::kIo) code = ErrorCode::kCorrupt;
}

Result<std::optional<Manifest>> newest_manifest(const std::string& folder, Damage& damage) {
  // A writer may remove those that were the newest two while we look; then there are newer ones.
  for (int looks = 0;; ++looks) {
    const Result<SnapshotFiles> files = snapshot_files(folder);
    if (!files) return files.error();
    damage = {};
    bool gone = false;
    for (auto generation = files->manifests.rbegin(); generation != files->manifests.rend(); ++generation) {
      const std::string path = folder + "/" + manifest_name(*generation);
      Result<Manifest> manifest = read_manifest(path, *generation);
      if (manifest) return std::optional(*std::move(manifest));
      const Error& error = manifest.error();
      if (error.code == ErrorCode::kUnsupportedVersion) return error;
      gone |= error.code == ErrorCode::kNotFound;
      damage.add(error);
    }
    if (!gone || looks == kLooksMax) return std::optional<Manifest>();
  }
}

Result<StoredRecords> StoredRecords::open(const std::string& folder) {
  Damage damage;
  Result<std::optional<Manifest>> manifest = newest_manifest(folder, damage);
  if (!manifest) return manifest.error();
  if (!*manifest && damage.any()) return Error{damage.code, damage.clauses};
  if (!*manifest) return Error{ErrorCode::kNotFound, folder + ": there is no snapshot in it"};
  return StoredRecords(folder, **std::move(manifest), std::move(damage));
}

StoredRecords::StoredRecords(std::string folder, Manifest manifest, Damage damage)
    : folder_(std::move(folder)), manifest_(std::move(manifest)), damage_(std::move(damage)) {}

std::optional<StoredRecord> StoredRecords::next() {
  if (ended_) return std::nullopt;
  Result<std::optional<StoredRecord>> record = next_frame();
  if (record && *record) return **record;
  ended_ = true;
  const std::string where =
      segments_.empty() ? folder_ : folder_ + "/" + segment_name(segments_.back().first);
  const std::uint64_t at = segments_.empty() ? 0 : segments_.back().bytes;
  // One that was just begun is promised with its header alone.
  const bool lacks = !record && !segments_.empty() && at < manifest_.segments[segments_.size() - 1].bytes;
  if (records_ < manifest_.records || lacks) {
    const Error error = record ? Error{ErrorCode::kCorrupt, "ends too early"} : record.error();
    const bool of_file = error.code == ErrorCode::kIo || error.code == ErrorCode::kNotFound;  // names it
    damage_.add(of_file ? error
                        : Error{error.code, fmt::format("{}, byte {}: {}", where, at, error.message)});
  } else if (!record && file_end_ > at) {
    torn_bytes_ = file_end_ - at;
  }
  return std::nullopt;
}

// Nothing at a good end; an error where it is none.
Result<std::optional<StoredRecord>> StoredRecords::next_frame() {
  while (segments_.empty() || segments_.back().bytes == file_end_) {
    if (segments_.size() == manifest_.segments.size()) return std::optional<StoredRecord>();
    if (Status status = enter_segment(manifest_.segments[segments_.size()]); !status) return status.error();
  }
  if (unread_.size() < kFrameHeaderBytes) {
    if (const Result<std::string_view> ahead = take(kFrameHeaderBytes); !ahead) return ahead.error();
  }
  const Result<std::size_t> size = frame_bytes(unread_.substr(0, kFrameHeaderBytes));
  if (!size) return size.error();
  const Result<std::string_view> frame = take(*size);
  if (!frame) return frame.error();
  const Result<StoredRecord> record = decode_frame(*frame);
  if (!record) return record.error();
  if (record->number != records_) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("holds record {} where {} should be", record->number, records_)};
  }
  if (record->position <= position_)
    return Error{ErrorCode::kCorrupt, fmt::format("the position of record {} goes back", record->number)};
  unread_.remove_prefix(*size);
  ++records_;
  position_ = record->position;
  bytes_ += *size;
  segments_.back().bytes += *size;
  ++segments_.back().records;
  return std::optional(*record);
}

Status StoredRecords::enter_segment(const StoredSegment& promised) {
  const bool last = segments_.size() + 1 == manifest_.segments.size();
  if (promised.first != records_)
    return Error{ErrorCode::kCorrupt, fmt::format("ends before record {}", promised.first)};
  unread_ = {};
  read_until_ = 0;
  file_end_ = 0;
  segments_.push_back({.first = promised.first});
  Result<File> file = File::open(folder_ + "/" + segment_name(promised.first), O_RDONLY);
  if (!file) return file.error();
  file_ = *std::move(file);
  const Result<std::uint64_t> size = file_.size();
  if (!size) return size.error();
  file_end_ = last ? *size : std::min(*size, promised.bytes);
  const Result<std::string_view> bytes = take(std::min<std::uint64_t>(kSegmentHeaderBytes, file_end_));
  if (!bytes) return bytes.error();
  const Result<SegmentHeader> header = decode_segment_header(*bytes);
  if (!header) return header.error();
  if (*header != SegmentHeader{manifest_.journal, promised.first})
    return Error{ErrorCode::kCorrupt, "is a segment of another journal, or another segment of this one"};
  unread_.remove_prefix(kSegmentHeaderBytes);
  segments_.back().bytes = kSegmentHeaderBytes;
  bytes_ += kSegmentHeaderBytes;
  return {};
}

// The next `size` bytes of the segment, which stay unread.
Result<std::string_view> StoredRecords::take(std::size_t size) {
  if (unread_.size() < size) {
    const std::uint64_t left = file_end_ - read_until_;
    if (unread_.size() + left < size) return Error{ErrorCode::kCorrupt, "ends inside a record"};
    const std::size_t kept = unread_.size();
    if (kept > 0) std::memmove(buffer_.data(), unread_.data(), kept);
    const std::size_t wanted = std::min<std::uint64_t>(std::max(size, kReadBytes), kept + left);
    if (buffer_.size() < wanted) buffer_.resize(wanted);
    const Result<std::size_t> got =
        file_.read_at(std::span(buffer_.data() + kept, wanted - kept), read_until_);
    if (!got) return got.error();
    read_until_ += *got;
    unread_ = {buffer_.data(), kept + *got};
    if (unread_.size() < size) return Error{ErrorCode::kCorrupt, "ends inside a record"};
  }
  return unread_.substr(0, size);
}

}  // namespace neardup
