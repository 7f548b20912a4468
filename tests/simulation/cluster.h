// Kafka as one service sees it: what do its transactions leave behind?
//
// One input topic, one journal, the verdict topics and the group's offsets, in memory, with the rules of
// the transaction coordinator that exactly-once rests on:
//
//   init_producer   a higher epoch; the transaction that an older one left open is aborted
//   send            adds to the open transaction, or opens one; an older epoch is fenced
//   end             commits or aborts it, all of it; where none is open it succeeds, as a retry does
//
// An EndTxn that was sent twice may arrive when its producer has begun the next transaction: brokers without
// KIP-890's second part cannot tell it from that one's own, and end it in the middle. `delay_end` sends one.
//
// The coordinator may call a transaction complete whose end was not marked in all logs (`lose_markers`): what
// it wrote there is hidden from whoever reads what is committed, until the end of a later transaction is
// marked, its own end arrives late, or the service ends it (`end_unmarked`). The logs are the journal, the
// topics of the verdicts, some of whose partitions may have their mark, and the group's offsets.
//
// Positions of the journal are offsets: every transaction that touched it, aborted ones too, leaves a mark
// there.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "service/pipeline/sink.h"
#include "tests/support/memory_kafka.h"

namespace neardup {

class Cluster {
 public:
  static constexpr const char* kTopic = "pages";

  // What one transaction holds.
  struct Content {
    std::vector<std::string> journal;
    std::vector<MemoryVerdict> verdicts;
    std::map<std::int32_t, std::int64_t> positions;  // by partition
  };
  enum class Answer : std::uint8_t { kDone, kFenced };

  // `fencing`: false is a broken broker that takes everything from everybody.
  Cluster(std::vector<std::vector<MemoryRecord>> input, bool fencing)
      : input_(std::move(input)), fencing_(fencing), partitions_(input_.size()) {}

  const std::vector<std::vector<MemoryRecord>>& input() const { return input_; }

  // Partitions of the input that a life finds when it begins: all, or those that it began with, and those of
  // which something was read and committed. When others come a source draws: then a seed is replayed,
  // however far ahead of a commit it polls.
  std::size_t partitions() const;
  void begin_with(std::size_t partitions);

  std::uint64_t init_producer();
  Answer send(std::uint64_t epoch, const std::function<void(Content&)>& add);
  Answer end(std::uint64_t epoch, bool commit);
  // A second EndTxn, commit, of the same producer; it arrives behind so many more sends.
  void delay_end(std::uint64_t epoch, std::size_t sends);
  std::uint64_t strays_arrived() const;
  enum class Unmarked : std::uint8_t {
    kInJournal,   // consumers see the verdicts
    kInSome,      // in the journal, and some verdicts are seen
    kInTopics,    // nobody has seen any of it, but the group is ahead of the journal
    kEverywhere,  // nor is the group
    kInVerdicts,  // the journal has the record
    kOfAbort,     // verdicts of a transaction that was aborted
  };
  // Of the transaction that ends next, as committed or kOfAbort; after so many looks its end arrives.
  void lose_markers(std::uint64_t looks, Unmarked where);
  // How what is hidden was decided, as far as it can be seen. `covered`: where the readable journal ends, by
  // partition; none: the beginning. nullopt: verdicts that the journal does not know can be seen, and then an
  // operator aborts what would stay hidden for ever.
  std::optional<Ending> look_at_unmarked(const std::map<std::int32_t, std::int64_t>& covered);
  bool is_journal_open() const;
  void end_unmarked(Ending ending);
  // In a transaction that holds nothing else.
  Answer move_group(std::uint64_t epoch, const std::map<std::int32_t, std::int64_t>& positions);
  // Whether the journal can be read to its end. So the verdicts.
  bool is_settled();
  bool is_shown();

  struct JournalEntry {
    std::int64_t offset;
    std::string bytes;
  };
  // The first committed record at `position` or behind it, and below `end`.
  std::optional<JournalEntry> journal_at(std::int64_t position, std::int64_t end) const;
  std::int64_t journal_end() const;

  // Where the group goes on in a partition, if it has a position.
  std::optional<std::int64_t> group_offset(std::int32_t partition) const;
  // The same, once what has no mark was ended as aborted and the group given back.
  std::optional<std::int64_t> group_offset_without_unmarked(std::int32_t partition) const;

  // Once nobody writes any more.
  const std::vector<Content>& committed() const { return committed_; }
  const std::map<std::int32_t, std::int64_t>& group_offsets() const { return group_offsets_; }
  // Whether all input is covered by committed positions.
  bool all_covered() const;

 private:
  struct Stray {
    std::uint64_t epoch;
    std::size_t sends;
  };

  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  struct Loss {
    std::uint64_t looks;
    Unmarked where;
  };
  // Of what ended last: the last that is committed, or, of an abort, what nobody has seen.
  struct Hidden {
    Loss loss;
    std::int64_t stable_end;  // where reading the journal ends
    std::map<std::int32_t, std::int64_t> offsets_before;
    Content aborted;

    bool in_journal() const { return loss.where <= Unmarked::kEverywhere; }
    // Of the verdicts, by their place.
    bool holds(std::size_t verdict) const {
      return loss.where == Unmarked::kInSome ? verdict % 2 == 1 : loss.where != Unmarked::kInJournal;
    }
  };

  void end_open(bool commit);
  void end_hidden(Ending ending);
  bool arrives();  // what is hidden, after one more look
  bool is_seen(const Hidden& hidden) const;
  static std::optional<std::int64_t> offset_in(const std::map<std::int32_t, std::int64_t>& offsets,
                                               std::int32_t partition);
  std::int64_t readable_end() const {
    return hidden_ && hidden_->in_journal() ? hidden_->stable_end : journal_end_;
  }

  const std::vector<std::vector<MemoryRecord>> input_;
  const bool fencing_;

  mutable std::mutex mutex_;  // of what follows
  std::size_t partitions_;
  std::uint64_t epoch_ = 0;
  std::optional<Content> open_;
  std::optional<Loss> losing_;  // the next one's markers
  std::optional<Hidden> hidden_;
  std::vector<Stray> strays_;
  std::uint64_t strays_arrived_ = 0;
  std::vector<Content> committed_;
  std::vector<JournalEntry> journal_;
  std::int64_t journal_end_ = 0;
  std::map<std::int32_t, std::int64_t> group_offsets_;
};

}  // namespace neardup
