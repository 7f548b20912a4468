// Which records does this folder hold?
//
// Reads a snapshot from its first record to its last. The manifest promises how far; behind that lies what
// was appended later, and reads as well if it is whole, so reading goes on there until a frame is not. Who is
// to write on (JournalStore), or decides by it (a scan), stops at the promise: a writer may go back to it. A
// frame that is not whole ends the reading wherever it stands: what comes behind it can be had from Kafka,
// and `damage` says if it was promised.
//
//   FOLDER/manifest-GENERATION     the newest two that are whole (manifest.h)
//   FOLDER/segment-FIRST           the journal from record FIRST on (segment.h)
//   FOLDER/lock                    whose process writes here
//
// Cost:    one copy of each byte into a buffer of a few MiB, or of the largest record.
// Threads: one. A folder may be read while another process writes to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "service/snapshot/files.h"
#include "service/snapshot/manifest.h"
#include "service/snapshot/segment.h"

namespace neardup {

std::string manifest_name(std::uint64_t generation);
std::string segment_name(std::uint64_t first);

// Generations and first numbers of the files that have such names, ascending; a folder of such a name is none
// of ours. Error kNotFound: no such folder.
struct SnapshotFiles {
  std::vector<std::uint64_t> manifests;
  std::vector<std::uint64_t> segments;
};
Result<SnapshotFiles> snapshot_files(const std::string& folder);

// What of a folder is no use, a clause for each part; kCorrupt, or kIo if there is only no reading it, as
// without the right to: another one may find it whole.
struct Damage {
  std::string clauses;  // "": none
  ErrorCode code = ErrorCode::kIo;
  bool is_unread = false;  // some of it could not be read, and may be whole: nobody may write over it

  void add(const Error& error);
  bool any() const { return !clauses.empty(); }
};

// The newest manifest that is whole, nothing if there is none. `damage` becomes that of each newer one that
// is not. Errors: kNotFound, kIo, kUnsupportedVersion.
Result<std::optional<Manifest>> newest_manifest(const std::string& folder, Damage& damage);

// What a person can do about a service's folder that is refused; ends a message. The second one is for what
// the configuration or the program refuses: the journal itself was made so, and without the folder a start
// would come to the same end an hour later.
extern const char* const kSnapshotWayOut;
extern const char* const kSnapshotMadeOtherwiseWayOut;

class StoredRecords {
 public:
  // Error kNotFound if there is no manifest, else as newest_manifest.
  static Result<StoredRecords> open(const std::string& folder);
  StoredRecords(std::string folder, Manifest manifest, Damage damage = {});

  // The next record, or nothing at the end. Its view is valid until the next call.
  std::optional<StoredRecord> next();

  const Manifest& manifest() const { return manifest_; }
  // Records so far, and where the journal's log goes on behind them.
  std::uint64_t records() const { return records_; }
  std::int64_t position() const { return position_; }
  std::uint64_t bytes() const { return bytes_; }
  // The segments as far as they were read.
  const std::vector<StoredSegment>& segments() const { return segments_; }
  // What was not whole: a newer manifest, or a frame at which the reading ended before what the manifest
  // promises.
  const Damage& damage() const { return damage_; }
  // Bytes behind the last whole record that nobody promised: a record that is being written, or was.
  std::uint64_t torn_bytes() const { return torn_bytes_; }

 private:
  Status enter_segment(const StoredSegment& promised);
  Result<std::string_view> take(std::size_t size);
  Result<std::optional<StoredRecord>> next_frame();

  std::string folder_;
  Manifest manifest_;
  std::vector<StoredSegment> segments_;
  std::uint64_t records_ = 0;
  std::int64_t position_ = 0;
  std::uint64_t bytes_ = 0;
  Damage damage_;
  std::uint64_t torn_bytes_ = 0;
  bool ended_ = false;

  File file_;                     // the segment that is being read
  std::uint64_t file_end_ = 0;    // how far it is read at most
  std::uint64_t read_until_ = 0;  // what of it is in the buffer, or was
  std::vector<char> buffer_;
  std::string_view unread_;  // the rest of it
};

}  // namespace neardup
