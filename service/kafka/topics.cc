#include "service/kafka/topics.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

#include "core/limits.h"
#include "service/choice.h"

namespace neardup {
namespace {

constexpr std::size_t kKafkaMessageBytesDefault = 1048588;
// A record that is passed on, as a dead letter is, has its headers and ours around it. It may unpack to more
// than its topic's own limit, which counts packed bytes, so new topics for such get room for any document.
constexpr std::size_t kOurRoomBytes = 64 * 1024;
constexpr std::size_t kPassedOnBytesUsual = kDocumentBytesMax + kOurRoomBytes;
// Three documents' ids and urls at their longest, every byte escaped, and what stands around them.
constexpr std::size_t kVerdictBytesMax = 18 * (kIdBytesMax + kUrlBytesMax) + 4096;
// A topic's limit is of a batch as the client packs it: a million bytes of records, a little more if they do
// not shrink. So it is no use that every single record would fit.
constexpr std::size_t kPackedBytesMin = kKafkaMessageBytesDefault;
static_assert(kVerdictBytesMax < kPackedBytesMin);
constexpr std::size_t kJournalBytesMin = kJournalRecordBytesMax + 64 * 1024;

// An empty journal in the place of one that was lost would be the loss.
constexpr const char* kUnlessLost =
    "if it was there before, bring it back or name the right one (kafka.topics.journal); only for a first "
    "start: ";

const TopicSetting kCleanup = {"cleanup.policy", "delete"};

// What the journal topic must have, to the letter.
const std::vector<TopicSetting>& journal_settings() {
  static const std::vector<TopicSetting> settings = {
      kCleanup,
      {"retention.ms", "-1"},
      {"retention.bytes", "-1"},
      {"unclean.leader.election.enable", "false"},
  };
  return settings;
}

// With two in sync of three, what was told as committed outlives any one disk, and one broker may be away.
constexpr std::int32_t kJournalReplicas = 3;
constexpr std::int32_t kJournalInSync = 2;

bool holds_records(const KafkaTopics& topics) {
  return choice<UniqueHolds>(kUniqueHoldsNames, topics.unique_holds) == UniqueHolds::kRecords;
}

// Of a topic to which records are passed on.
std::size_t passed_on_bytes_min(const KafkaTopics& topics,
                                const std::map<std::string, TopicDescription>& described) {
  std::size_t largest = 0;
  for (const std::string& name : topics.input) {
    if (const auto at = described.find(name); at != described.end()) {
      largest = std::max(largest, at->second.message_bytes_max());
    }
  }
  return std::max(largest, kPackedBytesMin) + kOurRoomBytes;
}

}  // namespace

std::size_t TopicDescription::message_bytes_max() const {
  const auto at = settings.find("max.message.bytes");
  if (at == settings.end()) return kKafkaMessageBytesDefault;
  return static_cast<std::size_t>(std::strtoull(at->second.c_str(), nullptr, 10));
}

std::array<std::string, kOutputTopics> output_topic_names(const KafkaTopics& topics) {
  return {topics.unique, topics.duplicate, topics.dead_letter};
}

std::vector<std::string> topic_names(const KafkaTopics& topics) {
  std::vector<std::string> names = topics.input;
  std::ranges::copy(output_topic_names(topics), std::back_inserter(names));
  names.push_back(topics.journal);
  return names;
}

std::string topics_command(const std::string& words, const std::string& kafka_options) {
  return "neardup topics " + words + kafka_options;
}

Result<std::map<std::string, TopicDescription>> ask_until_right(
    const KafkaTopics& topics, const std::function<Result<std::map<std::string, TopicDescription>>()>& ask,
    const std::stop_token& stop, const SecondLook& options) {
  Looks looks(options, stop);
  for (;;) {
    auto described = ask();
    if (!described) return described;
    const std::vector<TopicProblem> problems = check_topics(topics, *described);
    if (problems.empty()) return described;
    if (looks.once_more()) continue;
    if (!looks.stopped()) return described;
    return Error{ErrorCode::kUnavailable,
                 "asked to stop while topic " + problems[0].topic + " was wrong: " + problems[0].what};
  }
}

std::vector<TopicProblem> check_topics(const KafkaTopics& topics,
                                       const std::map<std::string, TopicDescription>& described,
                                       const std::string& kafka_options) {
  std::vector<TopicProblem> problems;
  std::set<std::string> seen;
  for (const std::string& name : topic_names(topics)) {
    if (!seen.insert(name).second) {
      problems.push_back(
          {name, "two of kafka.topics.* name this topic", "give each of them a topic of its own"});
    }
  }
  for (const std::string& name : seen) {
    if (described.contains(name)) continue;
    const bool input = std::find(topics.input.begin(), topics.input.end(), name) != topics.input.end();
    const std::string make = topics_command(input ? "create --input" : "create", kafka_options);
    problems.push_back({name, "does not exist", name == topics.journal ? kUnlessLost + make : make});
  }
  const auto wrong = [&](const std::string& topic, const std::string& setting, const std::string& is,
                         const std::string& should) {
    problems.push_back({topic, setting + " is " + is + ", it must be " + should,
                        topics_command("create --alter", kafka_options)});
  };
  if (const auto at = described.find(topics.journal); at != described.end()) {
    const TopicDescription& journal = at->second;
    if (journal.partitions != 1) {
      problems.push_back(
          {journal.name, "has " + std::to_string(journal.partitions) + " partitions, it must have 1",
           "set kafka.topics.journal to another name and run: " + topics_command("create", kafka_options)});
    }
    for (const TopicSetting& wanted : journal_settings()) {
      const auto is = journal.settings.find(wanted.name);
      if (is != journal.settings.end() && is->second != wanted.value) {
        wrong(journal.name, wanted.name, is->second, wanted.value);
      }
    }
  }
  const auto needs_bytes = [&](const std::string& name, std::size_t should, const std::string& why) {
    const auto at = described.find(name);
    if (at == described.end() || at->second.message_bytes_max() >= should) return;
    wrong(name, "max.message.bytes", std::to_string(at->second.message_bytes_max()),
          std::to_string(should) + " or more, so that " + why);
  };
  if (const auto at = described.find(topics.dead_letter); at != described.end()) {
    const auto policy = at->second.settings.find(kCleanup.name);
    if (policy != at->second.settings.end() && policy->second.find("compact") != std::string::npos) {
      wrong(topics.dead_letter, kCleanup.name, policy->second,
            kCleanup.value +
                ", for a compacted topic refuses a record without a key, and keeps of others the last");
    }
  }
  needs_bytes(topics.journal, kJournalBytesMin, "a whole batch fits into one record");
  const std::size_t passed_on_min = passed_on_bytes_min(topics, described);
  needs_bytes(topics.dead_letter, passed_on_min, "every input record fits");
  if (holds_records(topics)) {
    needs_bytes(topics.unique, passed_on_min, "every input record fits (kafka.topics.unique_holds)");
  } else {
    needs_bytes(topics.unique, kPackedBytesMin, "verdicts fit as they are packed");
  }
  needs_bytes(topics.duplicate, kPackedBytesMin, "verdicts fit as they are packed");
  return problems;
}

std::vector<TopicProblem> warn_of_topics(const KafkaTopics& topics,
                                         const std::map<std::string, TopicDescription>& described,
                                         const std::string& kafka_options) {
  const auto at = described.find(topics.journal);
  if (at == described.end()) return {};
  const TopicDescription& journal = at->second;
  std::vector<TopicProblem> warnings;
  if (journal.begin.value_or(0) > 0) {
    warnings.push_back(
        {journal.name,
         "begins at offset " + std::to_string(*journal.begin) +
             ": what was before it is deleted, and only an instance whose snapshot.directory has "
             "it can start",
         "keep that folder, and begin a new journal before it is lost (docs/upgrade.md)"});
  }
  // A broker that is away just now is not told of, but its replicas are.
  const std::int32_t brokers = std::max(journal.brokers, journal.replicas);
  if (journal.replicas == 0 || brokers < kJournalReplicas) return warnings;
  const bool few = journal.replicas < kJournalReplicas;
  if (few) {
    warnings.push_back(
        {journal.name,
         "has " + std::to_string(journal.replicas) + (journal.replicas == 1 ? " replica" : " replicas") +
             " on a cluster of " + std::to_string(brokers) + " brokers, it should have " +
             std::to_string(kJournalReplicas) + ": with their disks the truth is lost",
         "kafka-reassign-partitions.sh --execute, with a plan that names " +
             std::to_string(kJournalReplicas) + " brokers for partition 0 of " + journal.name});
  }
  const auto in_sync = journal.settings.find(kInSyncSetting);
  if (in_sync != journal.settings.end() && std::atoll(in_sync->second.c_str()) < kJournalInSync) {
    // Before, nothing could be written while a broker is away, or nothing at all.
    const std::string when = few ? "once it has " + std::to_string(kJournalReplicas) + " replicas: " : "";
    warnings.push_back({journal.name,
                        std::string(kInSyncSetting) + " is " + in_sync->second + ", it should be " +
                            std::to_string(kJournalInSync) +
                            ": what one broker alone has written is lost with its disk",
                        when + topics_command("create --alter", kafka_options)});
  }
  return warnings;
}

std::vector<TopicSetting> wanted_settings(const KafkaTopics& topics, const std::string& topic,
                                          const std::map<std::string, TopicDescription>& described) {
  std::vector<TopicSetting> settings;
  if (topic == topics.journal) {
    settings = journal_settings();
    settings.push_back({"max.message.bytes", std::to_string(kJournalBytesMin)});
    const auto at = described.find(topic);
    if (at != described.end() && at->second.replicas >= kJournalReplicas)
      settings.push_back({kInSyncSetting, std::to_string(kJournalInSync)});
  } else if (topic == topics.dead_letter || (topic == topics.unique && holds_records(topics))) {
    if (topic == topics.dead_letter) settings.push_back(kCleanup);
    settings.push_back({"max.message.bytes", std::to_string(std::max(passed_on_bytes_min(topics, described),
                                                                     kPassedOnBytesUsual))});
  } else if (topic == topics.unique || topic == topics.duplicate) {
    settings.push_back({"max.message.bytes", std::to_string(kKafkaMessageBytesDefault)});
  }
  return settings;
}

}  // namespace neardup
