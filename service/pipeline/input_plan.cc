#include "service/pipeline/input_plan.h"

#include <algorithm>
#include <set>

#include "core/base/check.h"
#include "service/log.h"

namespace neardup {
namespace {

constexpr std::size_t kNamedMax = 5;  // places that an error names; a cluster may have thousands

std::string place_of(const std::string& topic, std::int32_t partition) {
  return topic + ":" + std::to_string(partition);
}

bool holds(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The contradictions of one kind, and what a person can do about them.
struct Finding {
  std::vector<std::string> places;
  std::string choices;

  void append_to(std::string& message) const {
    for (std::size_t i = 0; i < places.size() && i < kNamedMax; ++i) message += places[i] + "; ";
    if (places.size() > kNamedMax) message += std::to_string(places.size() - kNamedMax) + " more; ";
    if (!places.empty()) message += choices + ". ";
  }
};

// Builds the plan, topic by topic, and collects what contradicts it.
class Planner {
 public:
  Planner(const JournalChain& chain, const Accepted& accepted) : chain_(chain), accepted_(accepted) {
    plan_.topics = chain.topics();
  }

  void add(const InputTopic& topic) {
    const std::optional<std::uint32_t> ordinal = ordinal_of(topic);
    if (!ordinal) return;
    for (std::int32_t partition = 0; partition < topic.partitions; ++partition) {
      const bool asked = static_cast<std::size_t>(partition) < topic.bounds.size();
      plan_.positions.push_back(
          position_of(topic, *ordinal, partition,
                      asked ? topic.bounds[static_cast<std::size_t>(partition)] : PartitionBounds()));
    }
    const auto beyond = chain_.positions().lower_bound({*ordinal, topic.partitions});
    if (beyond != chain_.positions().end() && beyond->first.first == *ordinal) {
      shrunk_.places.push_back("input topic " + topic.name + " has " + std::to_string(topic.partitions) +
                               " partitions, but the journal has read partition " +
                               std::to_string(beyond->first.second));
    }
  }

  Result<InputPlan> finish() {
    journal_lost_.choices =
        "The journal was deleted, made again, or another one is configured. Name the right one or bring it "
        "back (kafka.topics.journal); go on at these positions with nothing remembered (serve "
        "--accept-journal-loss); or decide everything anew with another group (kafka.group)";
    recreated_.choices =
        "Its offsets mean other records now. Read the new topic from its beginning and keep what is "
        "remembered (serve --accept-recreated-topic NAME); or name a topic that is what the journal knows";
    shrunk_.choices =
        "Name the right topic (kafka.topics.input), or begin anew with another journal and group";
    lost_.choices =
        "Retention, an operator or an unclean election removed them, and they get no verdict. Lengthen the "
        "topic's retention; to go on with what is there: serve --accept-input-loss TOPIC:PARTITION, or all";
    moved_.choices =
        "Somebody moved the group's offsets, an instance of another group (kafka.group) has written this "
        "journal, or its end is lost: both are written in one transaction. Go on where the journal is (serve "
        "--accept-moved-offsets journal); skip forward to where the group is (serve --accept-moved-offsets "
        "group); or, to have verdicts once more, begin anew with another journal and group";
    std::string message;
    for (const Finding* finding : {&journal_lost_, &recreated_, &shrunk_, &lost_, &moved_})
      finding->append_to(message);
    if (!message.empty()) {
      message.resize(message.size() - 2);  // ". "
      return Error{ErrorCode::kContradiction, message};
    }
    return std::move(plan_);
  }

 private:
  // A name may stand for several topics, one after the other: the last is the one that counts.
  std::optional<std::uint32_t> ordinal_of(const InputTopic& topic) {
    std::size_t ordinal = plan_.topics.size();
    while (ordinal > 0 && plan_.topics[ordinal - 1].name != topic.name) --ordinal;
    if (ordinal > 0 && plan_.topics[ordinal - 1].id == topic.id) {
      return static_cast<std::uint32_t>(ordinal - 1);
    }
    if (ordinal > 0) {
      if (!holds(accepted_.recreated_topics, topic.name)) {
        recreated_.places.push_back("input topic " + topic.name +
                                    " was deleted and made again since the journal last saw it");
        return std::nullopt;
      }
      plan_.accepted.push_back("input topic " + topic.name +
                               " was made again and is read from its beginning");
      recreated_ordinals_.insert(static_cast<std::uint32_t>(plan_.topics.size()));
    }
    plan_.topics.push_back({topic.name, topic.id});
    return static_cast<std::uint32_t>(plan_.topics.size() - 1);
  }

  InputPosition position_of(const InputTopic& topic, std::uint32_t ordinal, std::int32_t partition,
                            const PartitionBounds& bounds) {
    InputPosition position;
    position.topic = ordinal;
    position.topic_name = topic.name;
    position.partition = partition;
    position.log_begin = bounds.begin;
    position.log_end = bounds.end;
    if (const auto at = chain_.positions().find({ordinal, partition}); at != chain_.positions().end()) {
      position.next = at->second.next;
      position.leader_epoch = at->second.leader_epoch;
    }
    if (recreated_ordinals_.contains(ordinal)) {
      // The group may still hold a position in the topic that is gone.
      if (bounds.begin) move(position, *bounds.begin);
      return position;
    }
    compare_with_group(position, bounds);
    compare_with_log(position, bounds);
    return position;
  }

  void compare_with_group(InputPosition& position, const PartitionBounds& bounds) {
    if (!bounds.committed || *bounds.committed == position.next) return;
    const bool begins = position.next == InputPosition::kFromBeginning;
    if (begins && bounds.begin && *bounds.committed <= *bounds.begin) return;  // both mean the beginning
    const std::string place = place_of(position.topic_name, position.partition);
    const std::string group_at = std::to_string(*bounds.committed);
    if (chain_.empty()) {
      if (accepted_.journal_loss) {
        accept(place + " goes on at " + group_at + " with nothing remembered");
        move(position, *bounds.committed);
      } else {
        journal_lost_.places.push_back("the journal is empty, but the group has read " + place + " up to " +
                                       group_at);
      }
      return;
    }
    const std::string journal_at = begins ? "its beginning" : std::to_string(position.next);
    if (accepted_.moved_offsets == Accepted::MovedOffsets::kJournal) {
      accept(place + " goes on at " + journal_at + " as the journal says; the group said " + group_at);
      if (!begins) {
        move(position, position.next);
      } else if (bounds.begin) {
        move(position, *bounds.begin);
      }
    } else if (accepted_.moved_offsets == Accepted::MovedOffsets::kGroup &&
               *bounds.committed > position.next) {
      accept(place + " skips from " + journal_at + " to " + group_at + ", where the group is");
      move(position, *bounds.committed);
    } else {
      moved_.places.push_back("the journal goes on at " + journal_at + " of " + place + ", the group at " +
                              group_at);
    }
  }

  void compare_with_log(InputPosition& position, const PartitionBounds& bounds) {
    const std::string place = place_of(position.topic_name, position.partition);
    const bool named = holds(accepted_.input_loss, place);
    if (position.next == InputPosition::kFromBeginning) return;
    std::string found;
    std::int64_t go_on = position.next;
    if (bounds.begin && *bounds.begin > position.next) {
      found = place + " begins at " + std::to_string(*bounds.begin) + ", the journal goes on at " +
              std::to_string(position.next) + ": up to " + std::to_string(*bounds.begin - position.next) +
              " records are gone";
      go_on = *bounds.begin;
    } else if (bounds.end && *bounds.end < position.next) {
      found = place + " ends at " + std::to_string(*bounds.end) + ", the journal goes on at " +
              std::to_string(position.next) + ": the log was truncated";
      go_on = *bounds.end;
    } else if (named && position.leader_epoch >= 0) {
      // A log that was truncated and grew again lies around our position; only its epochs tell, and the
      // broker refuses ours.
      found = place + " goes on at " + std::to_string(position.next) + " whatever leader wrote it";
    } else {
      return;
    }
    if (named || holds(accepted_.input_loss, "all")) {
      accept(found + "; accepted");
      move(position, go_on);
    } else {
      lost_.places.push_back(found);
    }
  }

  void accept(std::string what) { plan_.accepted.push_back(std::move(what)); }

  void move(InputPosition& position, std::int64_t next) {
    position.next = next;
    position.leader_epoch = -1;
    const JournalPosition moved = {position.topic, position.partition, next, next, -1};
    // The log may move on what the group has moved already.
    if (!plan_.moved.empty() && plan_.moved.back().topic == moved.topic &&
        plan_.moved.back().partition == moved.partition) {
      plan_.moved.back() = moved;
    } else {
      plan_.moved.push_back(moved);
    }
  }

  const JournalChain& chain_;
  const Accepted& accepted_;
  InputPlan plan_;
  std::set<std::uint32_t> recreated_ordinals_;
  Finding journal_lost_;
  Finding recreated_;
  Finding shrunk_;
  Finding lost_;
  Finding moved_;
};

// A word that names nothing was meant for something else.
Status check_names(std::span<const InputTopic> configured, const Accepted& accepted) {
  std::vector<std::string> topics;
  std::vector<std::string> places = {"all"};
  for (const InputTopic& topic : configured) {
    topics.push_back(topic.name);
    for (std::int32_t partition = 0; partition < topic.partitions; ++partition)
      places.push_back(place_of(topic.name, partition));
  }
  for (const std::string& name : accepted.recreated_topics) {
    if (!holds(topics, name)) {
      return Error{ErrorCode::kInvalid,
                   "--accept-recreated-topic " + name + ": no topic of kafka.topics.input"};
    }
  }
  for (const std::string& place : accepted.input_loss) {
    if (!holds(places, place)) {
      return Error{ErrorCode::kInvalid,
                   "--accept-input-loss " + place + ": no partition of kafka.topics.input"};
    }
  }
  return {};
}

}  // namespace

Result<InputPlan> plan_input(const JournalChain& chain, std::span<const InputTopic> configured,
                             const Accepted& accepted) {
  if (Status status = check_names(configured, accepted); !status) return status.error();
  Planner planner(chain, accepted);
  for (const InputTopic& topic : configured) planner.add(topic);
  return planner.finish();
}

Result<InputPlan> plan_input(const JournalChain& chain,
                             const std::function<Result<std::vector<InputTopic>>()>& look,
                             const Accepted& accepted, const std::stop_token& stop,
                             const SecondLook& options) {
  Looks looks(options, stop);
  for (bool is_first = true;; is_first = false) {
    const Result<std::vector<InputTopic>> configured = look();
    if (!configured) return configured.error();
    Result<InputPlan> plan = plan_input(chain, *configured, accepted);
    if (plan && plan->accepted.empty()) return plan;
    if (is_first) log_info("looking again at what stands against the journal, until it has lasted");
    if (looks.once_more()) continue;
    if (!looks.stopped()) return plan;
    return Error{ErrorCode::kUnavailable, "asked to stop while the input was looked at again"};
  }
}

Status journal_acceptance(const InputPlan& plan, BatchSink& sink, JournalLog& log, JournalChain& chain,
                          const AcceptanceOptions& options) {
  CHECK(!plan.accepted.empty(), "only what was accepted is journaled");
  JournalRecord record;
  record.journal = chain.empty() ? options.journal : chain.journal();
  record.number = chain.next_number();
  record.writer_epoch = chain.empty() ? 0 : chain.writer_epoch() + 1;
  record.previous = chain.last_digest();
  record.first_sequence = chain.next_sequence();
  record.oldest = chain.oldest();
  record.detector_options = options.detector_options;
  record.signature_options = chain.signature_options();
  for (const JournalChain::Topic& topic : plan.topics) record.topics.push_back({topic.name, topic.id});
  record.positions = plan.moved;
  std::sort(record.positions.begin(), record.positions.end(),
            [](const JournalPosition& a, const JournalPosition& b) {
              return std::pair(a.topic, a.partition) < std::pair(b.topic, b.partition);
            });
  std::vector<CommittedPosition> positions;
  for (const JournalPosition& position : record.positions)
    positions.push_back({plan.topics[position.topic].name, position.partition, position.next, -1});

  const std::string bytes = encode_journal_record(record);
  const CommitAnswer answer = sink.commit({bytes, {}, positions});
  if (answer.kind == CommitAnswer::Kind::kFenced) return Error{ErrorCode::kFenced, answer.reason};
  if (answer.kind == CommitAnswer::Kind::kCommitted) {
    const Result<bool> back = log.next(options.read_back, [&](std::string_view found) -> Status {
      return found == bytes ? chain.accept(record, bytes) : chain.not_ours(found);
    });
    if (!back) return back.error();
    if (*back) return answer.recycle_before_next ? sink.recycle() : Status();
  }
  return Error{ErrorCode::kUnavailable,
               "what was accepted is in doubt, the next start finds out: " + answer.reason};
}

}  // namespace neardup
