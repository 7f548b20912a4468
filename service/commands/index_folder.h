// What may a scan know before it begins, and where does it leave what it found?
//
// A snapshot folder (service/snapshot), as the service keeps one: records of the journal, here of a journal
// that has no topic. `load` brings its uniques into a detector. `ScanJournal` adds a record for every so many
// documents decided, in a count that hangs on the input alone (`ScanRecordRoom`), so that the same files
// leave the same bytes. Where a window by count or age would be passed by more than a 256th, a scan forgets,
// whether it keeps records or not, and a record ends that may. Each run names its files as new topics: a line
// that is read twice has been read twice. Every record has all names, so they have a bound: some half a
// million files in all runs.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/decision.h"
#include "core/detector.h"
#include "core/retention.h"
#include "service/journal/chain.h"
#include "service/journal/cluster_gains.h"
#include "service/journal/record.h"
#include "service/snapshot/journal_store.h"

namespace neardup {

// Every record that `folder` promises into `chain`, `detector` and `retention`. Only reads. Errors: as of
// StoredRecords and of the chain; kCorrupt if it is damaged: an answer from half an index would be wrong.
// `threads`: as Rebuilding has them.
Status load_index(const std::string& folder, JournalChain& chain, Detector& detector, Retention& retention,
                  int threads);

// Where must a record end? Behind so many documents, or before it could grow too large. Names count up to
// half a record: more of them make it larger, or each document would be a record of its own, of names alone.
class ScanRecordRoom {
 public:
  static constexpr std::size_t kDocumentsMax = 4096;

  // One more document of `topic`, with a bound of what it adds to the record besides, 0 if nothing. `names`:
  // those of all topics up to this one. True: the record ends behind it.
  bool take(std::uint32_t topic, std::span<const std::string> names, std::size_t entry_bytes_max);

  std::size_t documents() const { return documents_; }
  // May it end earlier? Not before it holds more than the names, which would be most of the index else.
  bool may_end() const { return bytes_ > names_bytes_; }
  void clear();

 private:
  std::size_t documents_ = 0;
  std::size_t bytes_ = 0;
  std::size_t topics_ = 0;             // of all records,
  std::size_t names_bytes_ = 0;        // and what they take in each
  std::set<std::uint32_t> positions_;  // topics of this one
};

class ScanJournal {
 public:
  // Loads what the folder holds, and locks it. Errors as JournalStore::open and load_index, and
  // kContradiction for a service's: that one has its journal elsewhere, and is left as it is.
  static Result<std::unique_ptr<ScanJournal>> open(const std::string& folder, JournalChain& chain,
                                                   Detector& detector, Retention& retention, int threads);

  // The next document, in input order, what was decided, and what the detector keeps of a unique, or what the
  // cluster of a duplicate is since; views need to live only as long as the call.
  void add(const Arrival& arrival, const Decision& decision, const ClusterState& cluster,
           std::string_view kept);
  void add_rejected(const Source& source);

  // Writes the record of what was added since the last one. `oldest` and `time_ms` as in JournalRecord;
  // `topics`: the names of all topics, those of the chain first. Error kInvalid: there are too many names.
  Status end_record(Sequence oldest, std::int64_t time_ms, const std::vector<std::string>& topics);

  // All records are durable when this returns.
  Status finish() { return store_->commit(); }

  // Instead: the folder is as it was opened, but for segments that were completed since. Nothing may follow.
  Status abandon() { return store_->fall_back(); }

 private:
  ScanJournal(JournalChain& chain, std::unique_ptr<JournalStore> store, const Detector& detector);

  void cover(const Source& source);

  JournalChain& chain_;
  std::unique_ptr<JournalStore> store_;
  const std::uint64_t first_record_;  // of this run
  const std::size_t topics_before_;
  std::size_t topics_;  // seen so far

  // The record that is being made.
  const std::string detector_options_;
  const std::string cluster_rule_;
  std::string first_texts_;  // of the first record that there ever is: their digests
  JournalEncoder encoder_;
  JournalRecord record_;  // all else
  ClusterGains gains_;
  std::map<std::uint32_t, std::int64_t> next_;  // by topic
};

}  // namespace neardup
