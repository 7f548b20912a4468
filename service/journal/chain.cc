#include "service/journal/chain.h"

#include "service/journal/signature_settings.h"

namespace neardup {
namespace {

Error contradiction(const JournalRecord& record, const std::string& what) {
  return {ErrorCode::kContradiction, "journal record " + std::to_string(record.number) + ": " + what};
}

std::string expected(const std::string& what, std::uint64_t is, std::uint64_t should) {
  return what + " is " + std::to_string(is) + ", expected " + std::to_string(should);
}

}  // namespace

Status JournalChain::check(const JournalRecord& record) const {
  if (count_ == 0 && record.number > 0) {
    return contradiction(record,
                         "is the first that is there: those before it were deleted, and memory cannot "
                         "be rebuilt without them. Bring the journal back, or begin anew with another "
                         "journal and group (kafka.topics.journal, kafka.group)");
  }
  if (record.number != count_) return contradiction(record, expected("its number", record.number, count_));
  if (count_ > 0 && record.journal != journal_) {
    return contradiction(record, "belongs to another journal (another journal id than record 0)");
  }
  if (record.signature_options != signature_options_) {
    return contradiction(record, made_otherwise(record.signature_options, signature_options_) +
                                     ". Set what the journal has, or begin anew with another journal and "
                                     "group (kafka.topics.journal, kafka.group)");
  }
  if (record.previous != last_digest_) {
    return contradiction(record, "does not follow the record before it (the digest differs)");
  }
  if (record.writer_epoch < writer_epoch_) {
    return contradiction(record,
                         expected("its writer epoch", record.writer_epoch, writer_epoch_) + " or more");
  }
  if (record.first_sequence != sequence_) {
    return contradiction(record, expected("its first sequence number", record.first_sequence, sequence_));
  }
  if (record.oldest < oldest_) {
    return contradiction(record, expected("the oldest unique it keeps", record.oldest, oldest_) + " or more");
  }
  if (const Sequence next = sequence_ + record.counts.unique; record.oldest > next) {
    return contradiction(record, expected("the oldest unique it keeps", record.oldest, next) + " or less");
  }
  const std::size_t known = record.topics.size();
  if (known < topics_.size())
    return contradiction(record, expected("its count of topics", known, topics_.size()) + " or more");
  for (std::size_t ordinal = 0; ordinal < topics_.size(); ++ordinal) {
    const Topic& before = topics_[ordinal];
    const JournalTopic& now = record.topics[ordinal];
    if (before.name != now.name || before.id != now.id) {
      return contradiction(record, "topic " + std::to_string(ordinal) + " was " + before.name +
                                       " and is now " + std::string(now.name) +
                                       " (or the same name with another id)");
    }
  }
  const JournalPosition* last = nullptr;
  for (const JournalPosition& position : record.positions) {
    const std::string where =
        "partition " + std::to_string(position.partition) + " of topic " + std::to_string(position.topic);
    if (position.topic >= known)
      return contradiction(record, where + ": the record does not name that topic");
    if (last != nullptr &&
        Partition(last->topic, last->partition) >= Partition(position.topic, position.partition)) {
      return contradiction(record, where + ": positions are not in ascending order");
    }
    last = &position;
    if (position.next < position.from) return contradiction(record, where + ": goes backwards");
    if (is_acceptance(record)) {
      if (position.next == position.from) continue;
      return contradiction(record, where + ": covers offsets without a verdict");
    }
    const auto before = positions_.find({position.topic, position.partition});
    if (before != positions_.end() && before->second.next != position.from) {
      return contradiction(record, where + ": covers offsets from " + std::to_string(position.from) +
                                       ", the record before ended at " + std::to_string(before->second.next));
    }
  }
  const ClusterGain* before = nullptr;
  for (const ClusterGain& gain : record.clusters) {
    const std::string where = "cluster " + std::to_string(gain.leader);
    if (before != nullptr && gain.leader <= before->leader)
      return contradiction(record, where + ": clusters are not in ascending order");
    before = &gain;
    if (gain.leader < oldest_ || gain.leader >= sequence_ + record.counts.unique)
      return contradiction(record, where + ": its leader is forgotten, or has not come yet");
    if (gain.joined == 0) return contradiction(record, where + ": nobody joined it");
    if (gain.representative && gain.representative->source.topic >= known)
      return contradiction(record, where + ": its representative lies in a topic that is not named");
  }
  return {};
}

Status JournalChain::accept(const JournalRecord& record, std::string_view bytes) {
  return accept(record, digest128(bytes));
}

Status JournalChain::accept(const JournalRecord& record, const Digest128& digest) {
  if (Status status = check(record); !status) return status;
  for (std::size_t ordinal = topics_.size(); ordinal < record.topics.size(); ++ordinal) {
    topics_.push_back({std::string(record.topics[ordinal].name), record.topics[ordinal].id});
  }
  for (const JournalPosition& position : record.positions) {
    positions_[{position.topic, position.partition}] = {position.next, position.leader_epoch};
  }
  journal_ = record.journal;
  writer_epoch_ = record.writer_epoch;
  sequence_ += record.counts.unique;
  oldest_ = record.oldest;
  last_digest_ = digest;
  ++count_;
  return {};
}

Error JournalChain::not_ours(std::string_view bytes) const {
  const Result<JournalRecord> record = decode_journal_record(bytes);
  JournalChain ahead = *this;
  if (record && ahead.accept(*record, bytes))
    return {ErrorCode::kFenced, "another instance was elected, and went on with the journal"};
  const std::string known = empty() ? "its beginning" : "number " + std::to_string(next_number() - 1);
  return {ErrorCode::kContradiction,
          "the journal holds a record that does not go on from " + known + ": another writer wrote it"};
}

}  // namespace neardup
