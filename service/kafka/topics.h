// Are the topics what exactly-once needs them to be?
//
// `describe_topics` asks the cluster, `check_topics` compares the answer with what we need and says of each
// wrong setting which it is and the command that mends it, `create_topics` makes the missing ones right. The
// journal is the truth, so nothing may ever delete from it: one partition, kept for ever. `warn_of_topics`
// says what works and yet may lose it with a disk.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "service/config.h"
#include "service/journal/record.h"
#include "service/metrics/probe.h"
#include "service/pipeline/sink.h"
#include "service/pipeline/source.h"
#include "service/second_look.h"

namespace neardup {

struct TopicDescription {
  std::string name;
  Uuid id{};
  std::int32_t partitions = 0;
  std::map<std::string, std::string> settings = {};
  std::int32_t replicas = 0;               // of the partition with the fewest; 0: not told
  std::int32_t brokers = 0;                // of the cluster, those that are there; 0: not told
  std::optional<std::int64_t> begin = {};  // of the journal: where its log begins; nullopt: not told

  std::size_t message_bytes_max() const;  // the largest record batch that it takes
};

// For so long at most a person may have a command wait for Kafka.
inline constexpr std::chrono::milliseconds kTopicsTimeoutMax{600'000};

// By name; a topic that is not there is not in the answer. Errors: kUnavailable, kInvalid (client settings).
// Here and below `stop` ends the wait for a secret's file, and for Kafka but in read_group: kUnavailable.
Result<std::map<std::string, TopicDescription>> describe_topics(const KafkaConfig& config,
                                                                const std::vector<std::string>& names,
                                                                std::chrono::milliseconds timeout,
                                                                const std::stop_token& stop = {});

// Fills in what the cluster says of every partition of `topics`: where its log begins and ends, and where the
// group is. Ask when no transaction of the group is open. Errors: kUnavailable, kUnsettled (one is).
Status read_bounds(const KafkaConfig& config, std::vector<InputTopic>& topics,
                   std::chrono::milliseconds timeout, const std::stop_token& stop = {});

// Of a position that a transaction without an end has.
enum class OpenPositions : std::uint8_t {
  kRefused,  // that is an error
  kLeftOut,  // the one before it is told
};

// Where the group is in the partitions of `positions`, in their order; nullopt: nowhere yet. Asked by a
// client of its own, so of the coordinator as it is now. The same errors.
Result<std::vector<std::optional<std::int64_t>>> read_group(const KafkaConfig& config,
                                                            std::span<const CommittedPosition> positions,
                                                            std::chrono::milliseconds timeout,
                                                            const std::stop_token& stop = {},
                                                            OpenPositions open = OpenPositions::kRefused);

// Of a Kafka that has not answered for `waited`: where it was asked, and the settings to look at.
std::string no_answer(const KafkaConfig& config, std::chrono::milliseconds waited);

// Whether any instance is a member of the group, or was one and died so lately that its session lasts.
// Errors: kUnavailable, kInvalid (client settings).
Result<bool> has_members(const KafkaConfig& config, std::chrono::milliseconds timeout,
                         const std::stop_token& stop = {});

struct RightsReport {
  std::vector<std::string> missing;  // a line for each topic and group, like "topic pages: Read"
  std::vector<std::string> untold;   // of which groups Kafka did not tell in the time, and why
};

// What the user may not do and the service does, as far as Kafka tells: it does not of transactional ids, and
// of nothing if it is older than 2.3. Errors: kUnavailable, kInvalid (client settings).
Result<RightsReport> missing_rights(const KafkaConfig& config, std::chrono::milliseconds timeout);

// Asks for ids and partition counts again and again, over one connection. The settings are left out unless
// they are asked for, and how many brokers there are.
class TopicLookup {
 public:
  // Kafka may still be away. Errors: kInvalid (settings, secrets), kUnavailable (asked to stop).
  static Result<std::unique_ptr<TopicLookup>> open(const KafkaConfig& config, Probe& probe,
                                                   const std::stop_token& stop = {});
  ~TopicLookup();

  // Takes the client's errors, which pile up while nobody asks. To be called from time to time.
  void listen();

  Result<std::map<std::string, TopicDescription>> ask(const std::vector<std::string>& names,
                                                      std::chrono::milliseconds timeout);
  Result<std::map<std::string, TopicDescription>> ask_with_settings(const std::vector<std::string>& names,
                                                                    std::chrono::milliseconds timeout);

 private:
  struct Connection;
  explicit TopicLookup(std::unique_ptr<Connection> connection);

  std::unique_ptr<Connection> connection_;
};

// The names of the topics that take verdicts, by OutputTopic.
std::array<std::string, kOutputTopics> output_topic_names(const KafkaTopics& topics);

// Every topic the service uses, input first.
std::vector<std::string> topic_names(const KafkaTopics& topics);

// What a person is to type: `neardup topics`, these words and LoadedConfig::kafka_options, or it would ask
// another Kafka for topics by their default names.
std::string topics_command(const std::string& words, const std::string& kafka_options);

struct TopicProblem {
  std::string topic;
  std::string what;  // which setting is what, and what it should be
  std::string mend;  // the command, and when it is right if that is not always
};

// What is wrong, nothing if all is right. `kafka_options` as above, for the commands that mend.
// Pure: tests need no cluster.
std::vector<TopicProblem> check_topics(const KafkaTopics& topics,
                                       const std::map<std::string, TopicDescription>& described,
                                       const std::string& kafka_options = "");

// What `ask` answers, which is asked again as long as check_topics finds something: a broker may not know yet
// what was made or mended a moment ago. Errors: its own; kUnavailable: asked to stop meanwhile.
Result<std::map<std::string, TopicDescription>> ask_until_right(
    const KafkaTopics& topics, const std::function<Result<std::map<std::string, TopicDescription>>()>& ask,
    const std::stop_token& stop, const SecondLook& options = {});

// What stops no start, and yet may lose the journal with a disk. Its beginning is gone, so that only who has
// it in a snapshot can start. Or, which a cluster of one broker cannot have otherwise, on three brokers or
// more: fewer than three replicas of it, or a min.insync.replicas that lets one of them alone say that a
// batch is kept. The other topics are the cluster's to settle: what is lost of them is not lost of the truth.
// `kafka_options` as above. Pure.
std::vector<TopicProblem> warn_of_topics(const KafkaTopics& topics,
                                         const std::map<std::string, TopicDescription>& described,
                                         const std::string& kafka_options = "");

inline constexpr const char* kInSyncSetting = "min.insync.replicas";

struct TopicSetting {
  std::string name;
  std::string value;
};

// The settings that `topic` must be created with (or altered to); those of the journal hang on its replicas,
// as described. Pure.
std::vector<TopicSetting> wanted_settings(const KafkaTopics& topics, const std::string& topic,
                                          const std::map<std::string, TopicDescription>& described);

struct TopicCreation {
  std::int32_t partitions = 0;  // of input and verdict topics; 0: of verdict topics as many as the input has
  std::int32_t replication = -1;  // -1: the cluster's default
  bool input = false;             // make the input topics as well
  bool alter = false;             // mend settings of topics that are there
};

struct TopicChange {
  std::string topic;
  std::string done;  // "created with 8 partitions", "set retention.ms=-1"
};

// Makes what is missing and, with `alter`, mends what is wrong. A second run changes nothing. Each change is
// told as it is made: those before an error stay.
Status create_topics(const KafkaConfig& config, const TopicCreation& creation,
                     std::chrono::milliseconds timeout,
                     const std::function<void(const TopicChange&)>& tell = {});

namespace internal {
// How long one request may take of what is left of a timeout.
int wait_ms(std::chrono::milliseconds left);
}  // namespace internal

}  // namespace neardup
