#include "service/kafka/topics.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/limits.h"

namespace neardup {
namespace {

// A dead letter is the raw record with its headers and ours around it.
constexpr std::int64_t kDeadLetterRoomBytes = 64 * 1024;
constexpr std::int64_t kJournalMessageBytesMin =
    static_cast<std::int64_t>(kJournalRecordBytesMax) + 64 * 1024;
constexpr std::int64_t kKafkaMessageBytesDefault = 1048588;

std::int64_t number(const TopicDescription& topic, const std::string& setting, std::int64_t absent) {
  const auto at = topic.settings.find(setting);
  if (at == topic.settings.end() || at->second.empty()) return absent;
  try {
    return std::stoll(at->second);
  } catch (const std::exception&) {
    return absent;
  }
}

std::int64_t message_bytes_max(const TopicDescription& topic) {
  return number(topic, "max.message.bytes", kKafkaMessageBytesDefault);
}

TopicProblem wrong(const std::string& topic, const std::string& setting, const std::string& is,
                   const std::string& should) {
  return {topic, setting + " is " + is + ", it must be " + should, "neardup topics create --alter", false};
}

struct Wanted {
  std::string setting;
  std::string value;
};

// What the journal topic must have, to the letter.
const std::vector<Wanted>& journal_settings() {
  static const std::vector<Wanted> settings = {
      {"cleanup.policy", "delete"},
      {"retention.ms", "-1"},
      {"retention.bytes", "-1"},
      {"unclean.leader.election.enable", "false"},
  };
  return settings;
}

std::int64_t dead_letter_bytes_min(const KafkaTopics& topics,
                                   const std::map<std::string, TopicDescription>& described) {
  std::int64_t largest = 0;
  for (const std::string& name : topics.input) {
    if (const auto at = described.find(name); at != described.end())
      largest = std::max(largest, message_bytes_max(at->second));
  }
  return (largest == 0 ? kKafkaMessageBytesDefault : largest) + kDeadLetterRoomBytes;
}

}  // namespace

std::vector<std::string> topic_names(const KafkaTopics& topics) {
  std::vector<std::string> names = topics.input;
  names.insert(names.end(), {topics.unique, topics.duplicate, topics.dead_letter, topics.journal});
  return names;
}

std::vector<TopicProblem> check_topics(const KafkaTopics& topics,
                                       const std::map<std::string, TopicDescription>& described) {
  std::vector<TopicProblem> problems;
  std::set<std::string> seen;
  for (const std::string& name : topic_names(topics)) {
    if (!seen.insert(name).second) {
      problems.push_back(
          {name, "two of kafka.topics.* name this topic", "give each of them a topic of its own", false});
    }
  }
  for (const std::string& name : seen) {
    if (described.contains(name)) continue;
    const bool input = std::find(topics.input.begin(), topics.input.end(), name) != topics.input.end();
    problems.push_back(
        {name, "does not exist", input ? "neardup topics create --input" : "neardup topics create", true});
  }
  if (const auto at = described.find(topics.journal); at != described.end()) {
    const TopicDescription& journal = at->second;
    if (journal.partitions != 1) {
      problems.push_back({journal.name,
                          "has " + std::to_string(journal.partitions) + " partitions, it must have 1",
                          "set kafka.topics.journal to another name and run: neardup topics create", false});
    }
    for (const Wanted& wanted : journal_settings()) {
      const auto is = journal.settings.find(wanted.setting);
      if (is != journal.settings.end() && is->second != wanted.value) {
        problems.push_back(wrong(journal.name, wanted.setting, is->second, wanted.value));
      }
    }
    if (const std::int64_t is = message_bytes_max(journal); is < kJournalMessageBytesMin) {
      problems.push_back(wrong(journal.name, "max.message.bytes", std::to_string(is),
                               std::to_string(kJournalMessageBytesMin) + " or more"));
    }
  }
  if (const auto at = described.find(topics.dead_letter); at != described.end()) {
    const std::int64_t should = dead_letter_bytes_min(topics, described);
    if (const std::int64_t is = message_bytes_max(at->second); is < should) {
      problems.push_back(wrong(topics.dead_letter, "max.message.bytes", std::to_string(is),
                               std::to_string(should) + " or more, so that every input record fits"));
    }
  }
  return problems;
}

std::vector<TopicSetting> wanted_settings(const KafkaTopics& topics, const std::string& topic,
                                          const std::map<std::string, TopicDescription>& described) {
  std::vector<TopicSetting> settings;
  if (topic == topics.journal) {
    for (const Wanted& wanted : journal_settings()) settings.push_back({wanted.setting, wanted.value});
    settings.push_back({"max.message.bytes", std::to_string(kJournalMessageBytesMin)});
  } else if (topic == topics.dead_letter) {
    settings.push_back({"max.message.bytes", std::to_string(dead_letter_bytes_min(topics, described))});
  }
  return settings;
}

}  // namespace neardup
