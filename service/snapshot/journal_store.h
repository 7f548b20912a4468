// How does the journal come to lie on the local disk?
//
// Memory is a function of the journal's records, so a snapshot of the memory is nothing but these records,
// kept where they can be read at the speed of a disk: append-only segments (segment.h) and a manifest that
// promises how much of them is durable (manifest.h). That is incremental by nature, nothing has to stand
// still for it, and nothing of the detector's inside reaches the disk.
//
//   open ─► read (every record, at start) ─► resume ─► append, append, ... commit ─► append ...
//                                              ▲                             │ any of them failed
//                                              └───────── fall_back ◄────────┘
//
// A failed write or fsync tells nothing about what is on the disk. So there is one way out of all of them:
// `fall_back` goes back to what the last commit promised, and the records since come from Kafka again. They
// are the same bytes, so what is appended a second time is what stood there before.
//
// A start does the same. What the last process wrote behind its promise may read well and be lost all the
// same: after an fsync that failed, pages that never reached the disk pass for clean, and no later fsync
// writes them. Cut off and written once more, they are new.
//
// What a person removes while we have it open takes every write, and nobody will ever read it. So nothing is
// promised before all that it names is seen to be there. If all is gone, the lock too, the folder is begun
// anew; where some is left, only a start can tell what, since it reads before it writes.
//
// Cost:    a record is copied once and written once; a commit is two fsyncs of files, one of the folder, and
//          a look at each segment's name.
// Threads: one. Processes: one, the folder is locked; any number may read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "service/journal/chain.h"
#include "service/snapshot/files.h"
#include "service/snapshot/manifest.h"
#include "service/snapshot/stored_records.h"

namespace neardup {

struct StoreOptions {
  std::uint64_t segment_bytes_max = std::uint64_t{256}
                                    << 20;  // the next one begins before it; one record may pass it
  // Of whoever is refused for what was stored.
  const char* way_out = kSnapshotMadeOtherwiseWayOut;
};

class JournalStore {
 public:
  // Makes the folder if it is not there and locks it for as long as the store lives. `signature_options`:
  // those of who will decide by what is stored. Errors: kUnavailable (another process holds it),
  // kContradiction (made with other options), kUnsupportedVersion, kIo (so too if a manifest cannot be read:
  // what it names would be taken for what nobody promised, and removed).
  static Result<std::unique_ptr<JournalStore>> open(const std::string& folder,
                                                    const std::string& signature_options,
                                                    StoreOptions options = {});

  const std::string& folder() const { return folder_; }
  // What the newest manifest promises; no segments: nothing is stored.
  const Manifest& committed() const { return committed_; }

  // Whose records these are, as far as anything in the folder promises or tells; nullopt: nobody's.
  std::optional<Uuid> journal() const;

  // Hands out every record that is promised from the first on, as far as they are whole. `take` may refuse
  // one: its error ends the reading and is returned. May be called again, to begin anew.
  Status read(const std::function<Status(const StoredRecord& record)>& take);

  // What of it was not whole, as StoredRecords::damage().
  const Damage& damage() const { return damage_; }

  // Goes on behind the last record that `read` handed out; `chain` has accepted all of these. Cuts the files
  // there and promises what is left. What fails, fall_back() may mend.
  // REQUIRES: !damage().is_unread.
  Status resume(const JournalChain& chain);

  // The next record of the journal, and where its log goes on behind it. Errors: kIo; kContradiction,
  // kCorrupt if it does not follow the last one.
  Status append(std::string_view bytes, std::int64_t position);

  // All that was appended is durable when this returns. Error kIo, besides those of the disk: somebody has
  // removed a file of it.
  Status commit();

  // Back to what is durable, after an error; to nothing, if somebody has emptied the folder. Errors: kIo, and
  // kUnavailable if another process has taken the folder meanwhile.
  Status fall_back();

  // Of the record that append() awaits, and where it lies in the journal's log, or before.
  std::uint64_t next_number() const { return chain_.next_number(); }
  std::int64_t position() const { return position_; }

 private:
  JournalStore(std::string folder, const std::string& signature_options, StoreOptions options, File lock);

  Status look_at_unnamed(std::uint64_t first);
  Status look_for_files() const;
  Status begin_anew();
  Status begin_segment();
  Status write_manifest();
  Status remove_newer_manifests(const SnapshotFiles& files);
  void remove_old_manifests() const;

  std::string folder_;
  StoreOptions options_;
  File lock_;
  Damage manifest_damage_;  // what open() has found; each read() begins with it
  Damage damage_;

  // As appended.
  JournalChain chain_;
  Uuid journal_{};
  std::int64_t position_ = 0;
  std::vector<StoredSegment> segments_;
  File file_;  // of the last of them
  std::string frame_;

  // As promised.
  Manifest committed_;
  std::optional<Uuid> unnamed_;  // the journal of segments that hold records, and have no manifest
  JournalChain committed_chain_;
  bool promises_too_much_ = false;  // the newest manifest: records that are not whole
  bool is_removal_due_ = false;     // of a manifest, to be durable
  std::uint64_t generation_ = 0;    // above all manifests in the folder, damaged ones too, once incremented
  std::uint64_t generation_before_ = 0;  // of the whole one that stood before committed_
};

}  // namespace neardup
