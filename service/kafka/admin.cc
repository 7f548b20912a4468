// The half of topics.h that talks to the cluster.

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <span>
#include <thread>

#include "core/base/check.h"
#include "core/base/clauses.h"
#include "service/kafka/client.h"
#include "service/kafka/topics.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// `where` was answered with `error`. Of an open transaction of our own the writer finds a way out
// (KafkaWriter::end_open_positions); what is still open after that a person has to end, which loses nothing,
// for the journal has these positions, too.
Error answered(const std::string& where, rd_kafka_resp_err_t error, const std::string& words) {
  if (error != RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT)
    return {ErrorCode::kUnavailable, where + ": " + words};
  return {
      ErrorCode::kUnsettled,
      where + ": " + words +
          " (a transaction has not ended in __consumer_offsets; what Kafka lost the end of is ended here "
          "after some seconds; if it is open for minutes, it is of a producer that Kafka has forgotten, or "
          "not of neardup: kafka-transactions.sh find-hanging --topic __consumer_offsets "
          "--max-transaction-timeout 1 names it, and abort ends it there; the journal has our positions, "
          "too, and if the group is behind it then: serve --accept-moved-offsets journal)"};
}

constexpr milliseconds kAskAgain{100};  // what Kafka did not know yet

// Admin requests, one after the other, and the wait for their answers.
class Admin {
 public:
  // For as long as its requests take. A stop ends the wait for their answers, as it ends that for a secret's
  // file: Kafka may be away, and whoever stops us has a limit.
  static Result<Admin> open(const KafkaConfig& config, milliseconds timeout, const std::stop_token& stop) {
    return made(make_client(RD_KAFKA_PRODUCER, config, {}, unheard(), stop), config, timeout, stop);
  }
  // To ask for the offsets of the group: of a broker that does not coordinate it librdkafka (issue 5040)
  // turns to what only a client of a group has, and a producer would bring the process down. It joins
  // nothing.
  static Result<Admin> open_for_group(const KafkaConfig& config, milliseconds timeout,
                                      const std::stop_token& stop) {
    return made(make_client(RD_KAFKA_CONSUMER, config, consumer_properties(config.group), unheard(), stop),
                config, timeout, stop);
  }
  static Result<Admin> open(const KafkaConfig& config, ClientListener& listener, milliseconds timeout,
                            const std::stop_token& stop) {
    return made(make_client(RD_KAFKA_PRODUCER, config, {}, listener, stop), config, timeout, stop);
  }

  rd_kafka_t* client() const { return client_.get(); }

  void listen() const { rd_kafka_poll(client_.get(), 0); }

  // Begins anew: answers that came too late are not taken for those of the next request.
  void give(milliseconds timeout) {
    queue_.reset(rd_kafka_queue_new(client_.get()));
    began_ = steady_clock::now();
    deadline_ = began_ + timeout;
  }

  RdKafka<rd_kafka_AdminOptions_t> options(rd_kafka_admin_op_t operation) const {
    RdKafka<rd_kafka_AdminOptions_t> options(rd_kafka_AdminOptions_new(client_.get(), operation));
    std::array<char, 256> why{};
    const rd_kafka_resp_err_t error =
        rd_kafka_AdminOptions_set_request_timeout(options.get(), left_ms(), why.data(), why.size());
    CHECK(error == RD_KAFKA_RESP_ERR_NO_ERROR, "librdkafka takes up to an hour");
    return options;
  }

  rd_kafka_queue_t* queue() const { return queue_.get(); }

  // From now on answers are waited for although a stop was asked for: the last batch needs them.
  void answer_in_any_case() { stop_ = {}; }

  Result<RdKafka<rd_kafka_event_t>> answer(const std::string& what) const {
    const auto until = steady_clock::now() + milliseconds(left_ms() + 500);
    RdKafka<rd_kafka_event_t> event;
    while (!event && steady_clock::now() < until) {
      if (stop_.stop_requested())
        return Error{ErrorCode::kUnavailable, what + ": asked to stop before Kafka answered"};
      event.reset(rd_kafka_queue_poll(queue_.get(), kSliceMs));
    }
    const auto unanswered = [&] {
      return no_answer(config_, std::chrono::duration_cast<milliseconds>(steady_clock::now() - began_));
    };
    if (!event) return Error{ErrorCode::kUnavailable, what + ": " + unanswered()};
    if (const rd_kafka_resp_err_t error = rd_kafka_event_error(event.get());
        error != RD_KAFKA_RESP_ERR_NO_ERROR) {
      std::string words =
          std::string(rd_kafka_err2name(error)) + ": " + rd_kafka_event_error_string(event.get());
      if (error == RD_KAFKA_RESP_ERR__TIMED_OUT || error == RD_KAFKA_RESP_ERR__TRANSPORT)
        words = unanswered() + " (" + words + ")";
      return answered(what, error, words);
    }
    return event;
  }

  bool out_of_time() const { return steady_clock::now() >= deadline_; }

 private:
  static ClientListener& unheard() {
    static Probe uncounted;
    static ClientListener listener("admin", uncounted);
    return listener;
  }
  static Result<Admin> made(Result<RdKafka<rd_kafka_t>> client, const KafkaConfig& config,
                            milliseconds timeout, const std::stop_token& stop) {
    if (!client) return client.error();
    return Admin(std::move(*client), config, timeout, stop);
  }

  Admin(RdKafka<rd_kafka_t> client, KafkaConfig config, milliseconds timeout, std::stop_token stop)
      : config_(std::move(config)),
        client_(std::move(client)),
        queue_(rd_kafka_queue_new(client_.get())),
        began_(steady_clock::now()),
        deadline_(began_ + timeout),
        stop_(std::move(stop)) {}

  static constexpr int kSliceMs = 100;  // of a wait

  int left_ms() const {
    return internal::wait_ms(std::chrono::duration_cast<milliseconds>(deadline_ - steady_clock::now()));
  }

  KafkaConfig config_;
  RdKafka<rd_kafka_t> client_;
  RdKafka<rd_kafka_queue_t> queue_;
  steady_clock::time_point began_;
  steady_clock::time_point deadline_;
  std::stop_token stop_;
};

Uuid to_uuid(const rd_kafka_Uuid_t* id) {
  Uuid bytes{};
  if (id == nullptr) return bytes;
  const auto high = static_cast<std::uint64_t>(rd_kafka_Uuid_most_significant_bits(id));
  const auto low = static_cast<std::uint64_t>(rd_kafka_Uuid_least_significant_bits(id));
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<std::uint8_t>(high >> (56 - 8 * i));
    bytes[8 + i] = static_cast<std::uint8_t>(low >> (56 - 8 * i));
  }
  return bytes;
}

struct ConfigResourceDeleter {
  void operator()(rd_kafka_ConfigResource_t* p) const { rd_kafka_ConfigResource_destroy(p); }
};
using ConfigResource = std::unique_ptr<rd_kafka_ConfigResource_t, ConfigResourceDeleter>;

Status read_settings(const Admin& admin, std::map<std::string, TopicDescription>& topics) {
  std::vector<ConfigResource> owned;
  std::vector<rd_kafka_ConfigResource_t*> resources;
  for (const auto& [name, topic] : topics) {
    owned.emplace_back(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name.c_str()));
    resources.push_back(owned.back().get());
  }
  const auto options = admin.options(RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
  rd_kafka_DescribeConfigs(admin.client(), resources.data(), resources.size(), options.get(), admin.queue());
  Result<RdKafka<rd_kafka_event_t>> event = admin.answer("describing topic settings");
  if (!event) return event.error();
  std::size_t count = 0;
  const auto* answered =
      rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event->get()), &count);
  std::string refused;  // all of them: an ACL that is missing may not be the only one
  for (const rd_kafka_ConfigResource_t* resource : std::span(answered, count)) {
    const std::string name = rd_kafka_ConfigResource_name(resource);
    if (const rd_kafka_resp_err_t error = rd_kafka_ConfigResource_error(resource);
        error != RD_KAFKA_RESP_ERR_NO_ERROR) {
      add_clause(refused,
                 "describing the settings of topic " + name + " (DescribeConfigs): " + describe(error));
      continue;
    }
    std::size_t entries = 0;
    const auto* entry = rd_kafka_ConfigResource_configs(resource, &entries);
    for (const rd_kafka_ConfigEntry_t* e : std::span(entry, entries)) {
      const char* value = rd_kafka_ConfigEntry_value(e);
      topics[name].settings[rd_kafka_ConfigEntry_name(e)] = value == nullptr ? "" : value;
    }
  }
  return refused.empty() ? Status() : Error{ErrorCode::kUnavailable, refused};
}

std::int32_t fewest_replicas(std::span<const rd_kafka_TopicPartitionInfo_t* const> partitions) {
  std::optional<std::size_t> fewest;
  for (const rd_kafka_TopicPartitionInfo_t* partition : partitions) {
    std::size_t replicas = 0;
    rd_kafka_TopicPartitionInfo_replicas(partition, &replicas);
    fewest = std::min(fewest.value_or(replicas), replicas);
  }
  return static_cast<std::int32_t>(fewest.value_or(0));
}

Status read_brokers(const Admin& admin, std::map<std::string, TopicDescription>& topics) {
  const auto options = admin.options(RD_KAFKA_ADMIN_OP_DESCRIBECLUSTER);
  rd_kafka_DescribeCluster(admin.client(), options.get(), admin.queue());
  const Result<RdKafka<rd_kafka_event_t>> event = admin.answer("asking for the brokers");
  if (!event) return event.error();
  std::size_t brokers = 0;
  rd_kafka_DescribeCluster_result_nodes(rd_kafka_event_DescribeCluster_result(event->get()), &brokers);
  for (auto& [name, topic] : topics) topic.brokers = static_cast<std::int32_t>(brokers);
  return {};
}

// Whether an answer shall tell what the user may do.
enum class Rights : std::uint8_t { kUntold, kTold };

RdKafka<rd_kafka_AdminOptions_t> with_rights(RdKafka<rd_kafka_AdminOptions_t> options, Rights rights) {
  const RdKafka<rd_kafka_error_t> refused(
      rd_kafka_AdminOptions_set_include_authorized_operations(options.get(), rights == Rights::kTold));
  CHECK(!refused, "a boolean option");
  return options;
}

Result<RdKafka<rd_kafka_event_t>> ask_for_topics(const Admin& admin, const std::vector<std::string>& names,
                                                 Rights rights) {
  std::vector<const char*> wanted;
  for (const std::string& name : names) wanted.push_back(name.c_str());
  std::unique_ptr<rd_kafka_TopicCollection_t, decltype(&rd_kafka_TopicCollection_destroy)> collection(
      rd_kafka_TopicCollection_of_topic_names(wanted.data(), wanted.size()),
      rd_kafka_TopicCollection_destroy);
  const auto options = with_rights(admin.options(RD_KAFKA_ADMIN_OP_DESCRIBETOPICS), rights);
  rd_kafka_DescribeTopics(admin.client(), collection.get(), options.get(), admin.queue());
  return admin.answer("describing topics");
}

std::span<const rd_kafka_TopicDescription_t* const> topics_of(rd_kafka_event_t& event) {
  std::size_t count = 0;
  const auto* answered =
      rd_kafka_DescribeTopics_result_topics(rd_kafka_event_DescribeTopics_result(&event), &count);
  return {answered, count};
}

// Without their settings.
Result<std::map<std::string, TopicDescription>> read_identities(const Admin& admin,
                                                                const std::vector<std::string>& names) {
  const Result<RdKafka<rd_kafka_event_t>> event = ask_for_topics(admin, names, Rights::kUntold);
  if (!event) return event.error();
  std::map<std::string, TopicDescription> topics;
  std::string refused;  // as of the settings
  for (const rd_kafka_TopicDescription_t* description : topics_of(**event)) {
    TopicDescription topic;
    topic.name = rd_kafka_TopicDescription_name(description);
    if (const rd_kafka_error_t* error = rd_kafka_TopicDescription_error(description); error != nullptr) {
      if (rd_kafka_error_code(error) == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) continue;
      if (rd_kafka_error_code(error) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        add_clause(refused, "describing topic " + topic.name + ": " + describe(*error));
        continue;
      }
    }
    topic.id = to_uuid(rd_kafka_TopicDescription_topic_id(description));
    std::size_t partitions = 0;
    const auto* all = rd_kafka_TopicDescription_partitions(description, &partitions);
    topic.partitions = static_cast<std::int32_t>(partitions);
    topic.replicas = fewest_replicas(std::span(all, partitions));
    topics.emplace(topic.name, std::move(topic));
  }
  if (!refused.empty()) return Error{ErrorCode::kUnavailable, refused};
  return topics;
}

// By the names that kafka-acls.sh and README.md have for them.
struct Operation {
  rd_kafka_AclOperation_t operation;
  const char* name;
};
constexpr Operation kRead = {RD_KAFKA_ACL_OPERATION_READ, "Read"};
constexpr Operation kWrite = {RD_KAFKA_ACL_OPERATION_WRITE, "Write"};
constexpr Operation kDescribe = {RD_KAFKA_ACL_OPERATION_DESCRIBE, "Describe"};
constexpr Operation kDescribeConfigs = {RD_KAFKA_ACL_OPERATION_DESCRIBE_CONFIGS, "DescribeConfigs"};

// Adds to `missing` which of `needed` are not allowed, by an answer of `error` about `resource`; of one that
// is refused nothing is known but that. `allowed` null: not told.
void add_missing(std::vector<std::string>& missing, const std::string& resource,
                 const rd_kafka_error_t* error, std::initializer_list<Operation> needed,
                 const rd_kafka_AclOperation_t* allowed, std::size_t count) {
  const rd_kafka_resp_err_t code = error == nullptr ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_error_code(error);
  const bool is_refused = code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
                          code == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED;
  if (!is_refused && (code != RD_KAFKA_RESP_ERR_NO_ERROR || allowed == nullptr)) return;
  std::string lacks;
  for (const auto& [operation, name] : needed) {
    const std::span known(allowed, is_refused ? 0 : count);
    if (std::ranges::find(known, operation) != known.end()) continue;
    lacks += (lacks.empty() ? " " : ", ") + std::string(name);
  }
  if (!lacks.empty()) missing.push_back(resource + ":" + lacks);
}

Result<RdKafka<rd_kafka_event_t>> ask_for_groups(const Admin& admin, const std::vector<std::string>& names,
                                                 Rights rights) {
  std::vector<const char*> wanted;
  for (const std::string& name : names) wanted.push_back(name.c_str());
  const auto options = with_rights(admin.options(RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS), rights);
  rd_kafka_DescribeConsumerGroups(admin.client(), wanted.data(), wanted.size(), options.get(), admin.queue());
  return admin.answer("asking who is in group " + names.front());
}

std::span<const rd_kafka_ConsumerGroupDescription_t*> groups_of(rd_kafka_event_t& event) {
  std::size_t count = 0;
  const auto answered = rd_kafka_DescribeConsumerGroups_result_groups(
      rd_kafka_event_DescribeConsumerGroups_result(&event), &count);
  return {answered, count};
}

// Whether a group's coordinator is still being chosen, or reads what there is of the group.
bool is_settling(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE ||
         error == RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS ||
         error == RD_KAFKA_RESP_ERR_NOT_COORDINATOR;
}

// What `group` and the two of its election have to say to RightsReport. A Kafka that has just begun has no
// coordinators yet: they are asked for as long as there is time.
void add_groups(RightsReport& report, const Admin& admin, const std::string& group) {
  std::vector<std::string> names = {group, group + "-input", group + "-journal"};
  while (!names.empty()) {
    const auto answer = ask_for_groups(admin, names, Rights::kTold);
    if (!answer) {
      report.untold.push_back(answer.error().message);
      return;
    }
    names.clear();
    for (const rd_kafka_ConsumerGroupDescription_t* described : groups_of(**answer)) {
      const std::string name = rd_kafka_ConsumerGroupDescription_group_id(described);
      const rd_kafka_error_t* error = rd_kafka_ConsumerGroupDescription_error(described);
      std::size_t count = 0;
      const auto* allowed = rd_kafka_ConsumerGroupDescription_authorized_operations(described, &count);
      if (error == nullptr || rd_kafka_error_code(error) == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED) {
        add_missing(report.missing, "group " + name, error, {name == group ? kRead : kDescribe}, allowed,
                    count);
      } else if (is_settling(rd_kafka_error_code(error)) && !admin.out_of_time()) {
        names.push_back(name);
      } else {
        report.untold.push_back("group " + name + ": " + describe(*error));
      }
    }
    if (!names.empty()) std::this_thread::sleep_for(kAskAgain);
  }
}

Result<std::map<std::string, TopicDescription>> read_topics(const Admin& admin,
                                                            const std::vector<std::string>& names) {
  Result<std::map<std::string, TopicDescription>> topics = read_identities(admin, names);
  if (!topics || topics->empty()) return topics;
  if (Status status = read_settings(admin, *topics); !status) return status.error();
  if (Status status = read_brokers(admin, *topics); !status) return status.error();
  return topics;
}

// Every partition of the topics, each with `offset`.
RdKafka<rd_kafka_topic_partition_list_t> partitions_of(std::span<const InputTopic> topics,
                                                       std::int64_t offset) {
  RdKafka<rd_kafka_topic_partition_list_t> list = partition_list(16);
  for (const InputTopic& topic : topics) {
    for (std::int32_t partition = 0; partition < topic.partitions; ++partition)
      rd_kafka_topic_partition_list_add(list.get(), topic.name.c_str(), partition)->offset = offset;
  }
  return list;
}

// Keeps what was answered of one partition, unless it is an error.
Status take_bound(std::vector<InputTopic>& topics, const rd_kafka_topic_partition_t& answer,
                  rd_kafka_resp_err_t error, std::optional<std::int64_t> PartitionBounds::* bound) {
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return answered("asking for the offsets of " + std::string(answer.topic) + "[" +
                        std::to_string(answer.partition) + "]",
                    error, describe(error));
  }
  for (InputTopic& topic : topics) {
    if (topic.name != answer.topic || answer.offset < 0) continue;  // below 0: the group has none
    topic.bounds[static_cast<std::size_t>(answer.partition)].*bound = answer.offset;
  }
  return {};
}

Status read_log_bound(const Admin& admin, std::vector<InputTopic>& topics, std::int64_t which,
                      std::optional<std::int64_t> PartitionBounds::* bound) {
  const auto list = partitions_of(topics, which);
  const auto options = admin.options(RD_KAFKA_ADMIN_OP_LISTOFFSETS);
  rd_kafka_ListOffsets(admin.client(), list.get(), options.get(), admin.queue());
  const Result<RdKafka<rd_kafka_event_t>> event = admin.answer("asking where topics begin and end");
  if (!event) return event.error();
  std::size_t count = 0;
  const auto* infos =
      rd_kafka_ListOffsets_result_infos(rd_kafka_event_ListOffsets_result(event->get()), &count);
  for (const rd_kafka_ListOffsetsResultInfo_t* info : std::span(infos, count)) {
    const rd_kafka_topic_partition_t& answer = *rd_kafka_ListOffsetsResultInfo_topic_partition(info);
    if (Status status = take_bound(topics, answer, list_offsets_error(answer), bound); !status) return status;
  }
  return {};
}

Status read_committed(const Admin& admin, const std::string& group, std::vector<InputTopic>& topics,
                      OpenPositions open) {
  const auto list = partitions_of(topics, RD_KAFKA_OFFSET_INVALID);
  std::unique_ptr<rd_kafka_ListConsumerGroupOffsets_t, decltype(&rd_kafka_ListConsumerGroupOffsets_destroy)>
      request(rd_kafka_ListConsumerGroupOffsets_new(group.c_str(), list.get()),
              rd_kafka_ListConsumerGroupOffsets_destroy);
  const auto options = admin.options(RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS);
  const RdKafka<rd_kafka_error_t> refused(
      rd_kafka_AdminOptions_set_require_stable_offsets(options.get(), open == OpenPositions::kRefused));
  CHECK(!refused, "a boolean option");
  rd_kafka_ListConsumerGroupOffsets_t* one = request.get();
  rd_kafka_ListConsumerGroupOffsets(admin.client(), &one, 1, options.get(), admin.queue());
  const Result<RdKafka<rd_kafka_event_t>> event = admin.answer("asking for the offsets of group " + group);
  if (!event) return event.error();
  std::size_t count = 0;
  const auto* results = rd_kafka_ListConsumerGroupOffsets_result_groups(
      rd_kafka_event_ListConsumerGroupOffsets_result(event->get()), &count);
  for (const rd_kafka_group_result_t* result : std::span(results, count)) {
    if (const rd_kafka_error_t* error = rd_kafka_group_result_error(result); error != nullptr)
      return answered("asking for the offsets of group " + group, rd_kafka_error_code(error),
                      describe(*error));
    const auto* partitions = rd_kafka_group_result_partitions(result);
    for (int i = 0; i < partitions->cnt; ++i) {
      const rd_kafka_topic_partition_t& answer = partitions->elems[i];
      if (Status status = take_bound(topics, answer, answer.err, &PartitionBounds::committed); !status)
        return status;
    }
  }
  return {};
}

Status create(const Admin& admin, const std::string& name, std::int32_t partitions, std::int32_t replication,
              const std::vector<TopicSetting>& settings) {
  std::array<char, 512> why{};
  std::unique_ptr<rd_kafka_NewTopic_t, decltype(&rd_kafka_NewTopic_destroy)> topic(
      rd_kafka_NewTopic_new(name.c_str(), partitions, replication, why.data(), why.size()),
      rd_kafka_NewTopic_destroy);
  if (!topic) return Error{ErrorCode::kInvalid, "topic " + name + ": " + why.data()};
  for (const TopicSetting& setting : settings) {
    rd_kafka_NewTopic_set_config(topic.get(), setting.name.c_str(), setting.value.c_str());
  }
  rd_kafka_NewTopic_t* one = topic.get();
  const auto options = admin.options(RD_KAFKA_ADMIN_OP_CREATETOPICS);
  rd_kafka_CreateTopics(admin.client(), &one, 1, options.get(), admin.queue());
  Result<RdKafka<rd_kafka_event_t>> event = admin.answer("creating topic " + name);
  if (!event) return event.error();
  std::size_t count = 0;
  const auto* results =
      rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event->get()), &count);
  for (const rd_kafka_topic_result_t* result : std::span(results, count)) {
    const rd_kafka_resp_err_t error = rd_kafka_topic_result_error(result);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR || error == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) continue;
    const char* text = rd_kafka_topic_result_error_string(result);
    return Error{ErrorCode::kUnavailable,
                 "creating topic " + name + ": " + (text != nullptr ? text : describe(error).c_str())};
  }
  return {};
}

Status alter(const Admin& admin, const std::string& name, const std::vector<TopicSetting>& settings) {
  const ConfigResource resource(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name.c_str()));
  for (const TopicSetting& setting : settings) {
    const RdKafka<rd_kafka_error_t> error(rd_kafka_ConfigResource_add_incremental_config(
        resource.get(), setting.name.c_str(), RD_KAFKA_ALTER_CONFIG_OP_TYPE_SET, setting.value.c_str()));
    if (error) return Error{ErrorCode::kInvalid, "topic " + name + ": " + describe(*error)};
  }
  rd_kafka_ConfigResource_t* one = resource.get();
  const auto options = admin.options(RD_KAFKA_ADMIN_OP_INCREMENTALALTERCONFIGS);
  rd_kafka_IncrementalAlterConfigs(admin.client(), &one, 1, options.get(), admin.queue());
  Result<RdKafka<rd_kafka_event_t>> event = admin.answer("altering topic " + name);
  if (!event) return event.error();
  std::size_t count = 0;
  const auto* results = rd_kafka_IncrementalAlterConfigs_result_resources(
      rd_kafka_event_IncrementalAlterConfigs_result(event->get()), &count);
  for (const rd_kafka_ConfigResource_t* result : std::span(results, count)) {
    if (const rd_kafka_resp_err_t error = rd_kafka_ConfigResource_error(result);
        error != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return Error{ErrorCode::kUnavailable, "altering topic " + name + ": " + describe(error)};
    }
  }
  return {};
}

// What of `wanted` an existing topic has otherwise. More than we need is no fault of these two, and what
// kInSyncSetting is some brokers do not tell, as they have none.
std::vector<TopicSetting> differing(const TopicDescription& topic, const std::vector<TopicSetting>& wanted) {
  std::vector<TopicSetting> settings;
  for (const TopicSetting& setting : wanted) {
    const auto is = topic.settings.find(setting.name);
    if (is == topic.settings.end() && setting.name == kInSyncSetting) continue;
    if (is != topic.settings.end()) {
      if (is->second == setting.value) continue;
      if ((setting.name == "max.message.bytes" || setting.name == kInSyncSetting) &&
          std::atoll(is->second.c_str()) >= std::atoll(setting.value.c_str()))
        continue;
    }
    settings.push_back(setting);
  }
  return settings;
}

// How many replicas a new journal has is known now, and with it how many of them must be in sync: two, where
// the cluster does not ask for more. The rest of its settings is what it was made with.
std::vector<TopicSetting> late_settings(const KafkaTopics& topics,
                                        const std::map<std::string, TopicDescription>& made) {
  const auto journal = made.find(topics.journal);
  if (journal == made.end()) return {};
  std::vector<TopicSetting> settings =
      differing(journal->second, wanted_settings(topics, topics.journal, made));
  std::erase_if(settings, [](const TopicSetting& setting) { return setting.name != kInSyncSetting; });
  return settings;
}

// Whether every topic of `given` is there and has what it was given.
bool show(const std::map<std::string, TopicDescription>& described,
          const std::map<std::string, std::vector<TopicSetting>>& given) {
  return std::ranges::all_of(given, [&](const auto& of_topic) {
    const auto topic = described.find(of_topic.first);
    return topic != described.end() && differing(topic->second, of_topic.second).empty();
  });
}

}  // namespace

int internal::wait_ms(milliseconds left) {
  return static_cast<int>(std::clamp(left, milliseconds(100), kTopicsTimeoutMax).count());
}

std::string no_answer(const KafkaConfig& config, milliseconds waited) {
  const auto seconds = std::chrono::round<std::chrono::seconds>(waited).count();
  return "no answer of " + config.brokers + " in " + std::to_string(seconds) +
         " s; is Kafka there, and are kafka.brokers and kafka.security_protocol (" +
         config.security_protocol + ")" +
         (config.sasl_mechanism.empty()
              ? ""
              : ", and the login of kafka.sasl_username (" + config.sasl_mechanism + ")") +
         " right?";
}

Result<std::map<std::string, TopicDescription>> describe_topics(const KafkaConfig& config,
                                                                const std::vector<std::string>& names,
                                                                milliseconds timeout,
                                                                const std::stop_token& stop) {
  Result<Admin> admin = Admin::open(config, timeout, stop);
  if (!admin) return admin.error();
  auto described = read_topics(*admin, names);
  if (!described) return described;
  // Who cannot tell just now is not waited for: a start reads the journal, and waits there.
  if (const auto journal = described->find(config.topics.journal); journal != described->end()) {
    std::vector<InputTopic> asked = {{journal->first, {}, 1, {{}}}};
    if (read_log_bound(*admin, asked, RD_KAFKA_OFFSET_SPEC_EARLIEST, &PartitionBounds::begin))
      journal->second.begin = asked[0].bounds[0].begin;
  }
  return described;
}

Status read_bounds(const KafkaConfig& config, std::vector<InputTopic>& topics, milliseconds timeout,
                   const std::stop_token& stop) {
  Result<Admin> admin = Admin::open_for_group(config, timeout, stop);
  if (!admin) return admin.error();
  for (InputTopic& topic : topics) topic.bounds.assign(static_cast<std::size_t>(topic.partitions), {});
  Status status = read_log_bound(*admin, topics, RD_KAFKA_OFFSET_SPEC_EARLIEST, &PartitionBounds::begin);
  if (status) status = read_log_bound(*admin, topics, RD_KAFKA_OFFSET_SPEC_LATEST, &PartitionBounds::end);
  if (status) status = read_committed(*admin, config.group, topics, OpenPositions::kRefused);
  return status;
}

Result<bool> has_members(const KafkaConfig& config, milliseconds timeout, const std::stop_token& stop) {
  Result<Admin> admin = Admin::open_for_group(config, timeout, stop);
  if (!admin) return admin.error();
  const Result<RdKafka<rd_kafka_event_t>> event = ask_for_groups(*admin, {config.group}, Rights::kUntold);
  if (!event) return event.error();
  const std::string what = "asking who is in group " + config.group;
  const auto groups = groups_of(**event);
  if (groups.size() != 1) return Error{ErrorCode::kUnavailable, what + ": Kafka answered for others"};
  if (const rd_kafka_error_t* error = rd_kafka_ConsumerGroupDescription_error(groups[0]); error != nullptr) {
    if (rd_kafka_error_code(error) == RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND) return false;  // not yet
    return Error{ErrorCode::kUnavailable, what + ": " + describe(*error)};
  }
  return rd_kafka_ConsumerGroupDescription_member_count(groups[0]) > 0;
}

Result<RightsReport> missing_rights(const KafkaConfig& config, milliseconds timeout) {
  const Result<Admin> admin = Admin::open_for_group(config, timeout, {});
  if (!admin) return admin.error();
  RightsReport report;
  const auto topics = ask_for_topics(*admin, topic_names(config.topics), Rights::kTold);
  if (!topics) return topics.error();
  for (const rd_kafka_TopicDescription_t* topic : topics_of(**topics)) {
    const std::string name = rd_kafka_TopicDescription_name(topic);
    const bool is_input = std::ranges::find(config.topics.input, name) != config.topics.input.end();
    std::size_t count = 0;
    const auto* allowed = rd_kafka_TopicDescription_authorized_operations(topic, &count);
    const rd_kafka_error_t* error = rd_kafka_TopicDescription_error(topic);
    if (is_input) {
      add_missing(report.missing, "topic " + name, error, {kRead, kDescribeConfigs}, allowed, count);
    } else {
      add_missing(report.missing, "topic " + name, error, {kRead, kWrite, kDescribeConfigs}, allowed, count);
    }
  }
  add_groups(report, *admin, config.group);
  return report;
}

Result<std::vector<std::optional<std::int64_t>>> read_group(const KafkaConfig& config,
                                                            std::span<const CommittedPosition> positions,
                                                            milliseconds timeout, const std::stop_token& stop,
                                                            OpenPositions open) {
  std::vector<std::optional<std::int64_t>> group;
  if (positions.empty()) return group;  // librdkafka takes it for a fault to ask for nothing
  std::vector<InputTopic> topics;       // each up to the last partition that is asked for
  const auto topic_of = [&](const CommittedPosition& position) {
    return std::ranges::find(topics, position.topic, &InputTopic::name);
  };
  for (const CommittedPosition& position : positions) {
    auto topic = topic_of(position);
    if (topic == topics.end()) topic = topics.insert(topics.end(), {.name = position.topic});
    topic->partitions = std::max(topic->partitions, position.partition + 1);
  }
  for (InputTopic& topic : topics) topic.bounds.assign(static_cast<std::size_t>(topic.partitions), {});
  Result<Admin> admin = Admin::open_for_group(config, timeout, stop);
  if (!admin) return admin.error();
  admin->answer_in_any_case();
  if (Status status = read_committed(*admin, config.group, topics, open); !status) return status.error();
  for (const CommittedPosition& position : positions)
    group.push_back(topic_of(position)->bounds[static_cast<std::size_t>(position.partition)].committed);
  return group;
}

struct TopicLookup::Connection {
  explicit Connection(Probe& probe) : listener("admin", probe) {}

  ClientListener listener;
  std::optional<Admin> admin;  // goes first
};

TopicLookup::TopicLookup(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
TopicLookup::~TopicLookup() = default;

Result<std::unique_ptr<TopicLookup>> TopicLookup::open(const KafkaConfig& config, Probe& probe,
                                                       const std::stop_token& stop) {
  auto connection = std::make_unique<Connection>(probe);
  Result<Admin> admin = Admin::open(config, connection->listener, milliseconds::zero(), stop);
  if (!admin) return admin.error();
  connection->admin = std::move(*admin);
  connection->admin->answer_in_any_case();
  return std::unique_ptr<TopicLookup>(new TopicLookup(std::move(connection)));
}

void TopicLookup::listen() { connection_->admin->listen(); }

Result<std::map<std::string, TopicDescription>> TopicLookup::ask(const std::vector<std::string>& names,
                                                                 milliseconds timeout) {
  listen();
  connection_->admin->give(timeout);
  return read_identities(*connection_->admin, names);
}

Result<std::map<std::string, TopicDescription>> TopicLookup::ask_with_settings(
    const std::vector<std::string>& names, milliseconds timeout) {
  auto topics = ask(names, timeout);
  if (!topics || topics->empty()) return topics;
  if (Status status = read_settings(*connection_->admin, *topics); !status) return status.error();
  return topics;
}

Status create_topics(const KafkaConfig& config, const TopicCreation& creation, milliseconds timeout,
                     const std::function<void(const TopicChange&)>& tell) {
  Result<Admin> admin = Admin::open(config, timeout, {});
  if (!admin) return admin.error();
  const KafkaTopics& topics = config.topics;
  const std::vector<std::string> names = topic_names(topics);
  Result<std::map<std::string, TopicDescription>> there = read_topics(*admin, names);
  if (!there) return there.error();

  std::int32_t input_partitions = 0;
  for (const std::string& name : topics.input) {
    if (const auto at = there->find(name); at != there->end())
      input_partitions = std::max(input_partitions, at->second.partitions);
  }
  const std::int32_t partitions =
      creation.partitions > 0 ? creation.partitions : std::clamp(input_partitions, 1, 8);

  const auto changed = [&](const std::string& topic, std::string done) {
    if (tell) tell({topic, std::move(done)});
  };
  std::map<std::string, std::vector<TopicSetting>> given;  // to the topics made or altered
  for (const std::string& name : names) {
    const bool input = std::find(topics.input.begin(), topics.input.end(), name) != topics.input.end();
    const auto at = there->find(name);
    if (at == there->end()) {
      if (input && !creation.input) continue;
      const std::int32_t count = name == topics.journal ? 1 : partitions;
      const std::vector<TopicSetting> settings = wanted_settings(topics, name, *there);
      if (Status status = create(*admin, name, count, creation.replication, settings); !status)
        return status.error();
      given[name] = settings;
      changed(name, "created with " + std::to_string(count) + (count == 1 ? " partition" : " partitions"));
    } else if (creation.alter && !input) {
      const std::vector<TopicSetting> settings = differing(at->second, wanted_settings(topics, name, *there));
      if (settings.empty()) continue;
      if (Status status = alter(*admin, name, settings); !status) return status.error();
      given[name] = settings;
      for (const TopicSetting& setting : settings) changed(name, "set " + setting.name + "=" + setting.value);
    }
  }
  const auto keys = given | std::views::keys;
  const std::vector<std::string> touched(keys.begin(), keys.end());
  // A broker knows of either a moment later; who is told "created" or "set" may use it.
  while (!given.empty()) {
    const Result<std::map<std::string, TopicDescription>> now = read_topics(*admin, touched);
    if (now && show(*now, given)) {
      std::vector<TopicSetting> late = late_settings(topics, *now);
      if (late.empty()) break;
      // Who may make topics need not be allowed to alter them: the topic works, and check warns of it.
      const Status status = alter(*admin, topics.journal, late);
      for (const TopicSetting& setting : late) {
        const std::string what = setting.name + "=" + setting.value;
        changed(topics.journal,
                status ? "set " + what : "could not set " + what + ": " + status.error().message);
      }
      if (!status) break;
      std::ranges::move(late, std::back_inserter(given[topics.journal]));
      continue;
    }
    if (admin->out_of_time())
      return Error{ErrorCode::kUnavailable, "topics were created or altered and do not show it in time"};
    std::this_thread::sleep_for(kAskAgain);
  }
  return {};
}

}  // namespace neardup
