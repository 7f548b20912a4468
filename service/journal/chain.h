// Does this record continue the journal that we know?
//
// The chain holds what the last accepted record implies for the next: its number, its digest, the size of the
// index, and the position of every input partition. `accept` refuses a record that contradicts it, with a
// message that says what was expected; nothing is silently repaired. Recovery, the writer's audit and the
// tests' checker all use it.
//
// Invariants checked (core/FORMATS.md names them):
//   number = last + 1 · previous = digest of the last record · same journal id · first_sequence = index size
//   each partition's `from` = its last `next` · next >= from · known topics keep place, name and id · epochs
//   never fall, nor does `oldest`, and it is at most the next sequence number · signatures are of the options
//   that the chain was made for · clusters ascend, and their leaders are there
// An operator may accept a loss, and a partition may rest behind its last record: a record of no input
// (is_acceptance) moves positions, and only such a one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "service/journal/record.h"

namespace neardup {

class JournalChain {
 public:
  struct Topic {
    std::string name;
    Uuid id{};
  };
  struct Position {
    std::int64_t next = 0;
    std::int32_t leader_epoch = -1;
  };
  using Partition = std::pair<std::uint32_t, std::int32_t>;  // topic ordinal, partition

  // `signature_options`: SignerOptions::text() of those who sign, "" for the defaults.
  explicit JournalChain(std::string signature_options = "")
      : signature_options_(std::move(signature_options)) {}

  // Takes `record`, decoded from `bytes`, as the next one. Error kCorrupt or kContradiction; then nothing has
  // changed.
  Status accept(const JournalRecord& record, std::string_view bytes);
  // The same by digest128(bytes), for who needs it twice.
  Status accept(const JournalRecord& record, const Digest128& digest);

  // What `bytes` mean that the journal holds where only a record of ours was due. kFenced: they go on from
  // what we know, so another instance was elected and wrote them before we heard of that; what we were about
  // to send is not there, nor will it be. kContradiction: they do not.
  Error not_ours(std::string_view bytes) const;

  const std::string& signature_options() const { return signature_options_; }
  bool empty() const { return count_ == 0; }
  std::uint64_t next_number() const { return count_; }
  Sequence next_sequence() const { return sequence_; }
  Sequence oldest() const { return oldest_; }  // the first that is not forgotten
  std::uint64_t writer_epoch() const { return writer_epoch_; }
  const Uuid& journal() const { return journal_; }
  const Digest128& last_digest() const { return last_digest_; }
  const std::vector<Topic>& topics() const { return topics_; }  // by ordinal
  const std::map<Partition, Position>& positions() const { return positions_; }

 private:
  Status check(const JournalRecord& record) const;

  std::string signature_options_;
  Uuid journal_{};
  std::uint64_t count_ = 0;
  std::uint64_t writer_epoch_ = 0;
  Digest128 last_digest_;
  Sequence sequence_ = 0;
  Sequence oldest_ = 0;
  std::vector<Topic> topics_;
  std::map<Partition, Position> positions_;
};

}  // namespace neardup
