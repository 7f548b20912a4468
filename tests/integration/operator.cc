#include "tests/integration/operator.h"

#include <array>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "service/kafka/client.h"
#include "service/kafka/topics.h"

namespace neardup {
namespace {

constexpr int kTimeoutMs = 20000;

void require(rd_kafka_resp_err_t error, const std::string& what) {
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) throw std::runtime_error(what + ": " + describe(error));
}

// Sends one admin request and hands its answer to `check`.
void ask(const Config& config, const std::string& what,
         const std::function<void(rd_kafka_t*, rd_kafka_queue_t*)>& send,
         const std::function<void(rd_kafka_event_t*)>& check) {
  static Probe probe;
  ClientListener listener("admin", probe);
  Result<RdKafka<rd_kafka_t>> client = make_client(RD_KAFKA_PRODUCER, config.kafka, {}, listener);
  if (!client) throw std::runtime_error(client.error().message);
  const RdKafka<rd_kafka_queue_t> queue(rd_kafka_queue_new(client->get()));
  send(client->get(), queue.get());
  const RdKafka<rd_kafka_event_t> event(rd_kafka_queue_poll(queue.get(), kTimeoutMs));
  if (!event) throw std::runtime_error(what + ": no answer");
  require(rd_kafka_event_error(event.get()), what);
  check(event.get());
}

void require_topics(const rd_kafka_topic_result_t** results, std::size_t count, const std::string& what) {
  for (std::size_t i = 0; i < count; ++i) require(rd_kafka_topic_result_error(results[i]), what);
}

}  // namespace

void delete_topic(const Config& config, const std::string& topic) {
  const std::string what = "deleting topic " + topic;
  rd_kafka_DeleteTopic_t* request = rd_kafka_DeleteTopic_new(topic.c_str());
  ask(
      config, what,
      [&](rd_kafka_t* client, rd_kafka_queue_t* queue) {
        rd_kafka_DeleteTopics(client, &request, 1, nullptr, queue);
      },
      [&](rd_kafka_event_t* event) {
        std::size_t count = 0;
        require_topics(rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event), &count),
                       count, what);
      });
  rd_kafka_DeleteTopic_destroy(request);
  for (int i = 0; i < 100; ++i) {
    const auto described = describe_topics(config.kafka, {topic}, std::chrono::seconds(10));
    if (described && described->empty()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  throw std::runtime_error(what + ": it stays");
}

void add_partitions(const Config& config, const std::string& topic, std::int32_t total) {
  const std::string what = "adding partitions to " + topic;
  std::array<char, 256> why{};
  rd_kafka_NewPartitions_t* request =
      rd_kafka_NewPartitions_new(topic.c_str(), static_cast<std::size_t>(total), why.data(), why.size());
  if (request == nullptr) throw std::runtime_error(what + ": " + why.data());
  ask(
      config, what,
      [&](rd_kafka_t* client, rd_kafka_queue_t* queue) {
        rd_kafka_CreatePartitions(client, &request, 1, nullptr, queue);
      },
      [&](rd_kafka_event_t* event) {
        std::size_t count = 0;
        require_topics(
            rd_kafka_CreatePartitions_result_topics(rd_kafka_event_CreatePartitions_result(event), &count),
            count, what);
      });
  rd_kafka_NewPartitions_destroy(request);
}

void delete_records(const Config& config, const std::string& topic, std::int32_t partition,
                    std::int64_t offset) {
  const std::string what = "deleting records of " + topic;
  const auto list = partition_list(1);
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = offset;
  rd_kafka_DeleteRecords_t* request = rd_kafka_DeleteRecords_new(list.get());
  ask(
      config, what,
      [&](rd_kafka_t* client, rd_kafka_queue_t* queue) {
        rd_kafka_DeleteRecords(client, &request, 1, nullptr, queue);
      },
      [&](rd_kafka_event_t* event) {
        const auto* offsets =
            rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(event));
        require(offsets->elems[0].err, what);
      });
  rd_kafka_DeleteRecords_destroy(request);
}

void set_topic(const Config& config, const std::string& topic, const std::string& setting,
               const std::string& value) {
  const std::string what = "setting " + setting + " of " + topic;
  rd_kafka_ConfigResource_t* request = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str());
  const RdKafka<rd_kafka_error_t> refused(rd_kafka_ConfigResource_add_incremental_config(
      request, setting.c_str(), RD_KAFKA_ALTER_CONFIG_OP_TYPE_SET, value.c_str()));
  if (refused) throw std::runtime_error(what + ": " + describe(*refused));
  ask(
      config, what,
      [&](rd_kafka_t* client, rd_kafka_queue_t* queue) {
        rd_kafka_IncrementalAlterConfigs(client, &request, 1, nullptr, queue);
      },
      [&](rd_kafka_event_t* event) {
        std::size_t count = 0;
        const auto* results = rd_kafka_IncrementalAlterConfigs_result_resources(
            rd_kafka_event_IncrementalAlterConfigs_result(event), &count);
        for (std::size_t i = 0; i < count; ++i) require(rd_kafka_ConfigResource_error(results[i]), what);
      });
  rd_kafka_ConfigResource_destroy(request);
}

void forbid(const Config& config, Resource resource, const std::string& name, Operation operation) {
  constexpr std::array kResources = {RD_KAFKA_RESOURCE_TOPIC, RD_KAFKA_RESOURCE_GROUP};
  constexpr std::array kOperations = {RD_KAFKA_ACL_OPERATION_READ, RD_KAFKA_ACL_OPERATION_WRITE,
                                      RD_KAFKA_ACL_OPERATION_DESCRIBE,
                                      RD_KAFKA_ACL_OPERATION_DESCRIBE_CONFIGS};
  const std::string what = "forbidding something of " + name;
  std::array<char, 256> why{};
  // Who has an ACL of his own for a resource may not what nobody allows him: so both rules are made.
  std::vector<rd_kafka_AclBinding_t*> rules;
  for (const auto& [of, permission] :
       {std::pair(RD_KAFKA_ACL_OPERATION_ALL, RD_KAFKA_ACL_PERMISSION_TYPE_ALLOW),
        std::pair(kOperations.at(static_cast<std::size_t>(operation)), RD_KAFKA_ACL_PERMISSION_TYPE_DENY)}) {
    rules.push_back(rd_kafka_AclBinding_new(kResources.at(static_cast<std::size_t>(resource)), name.c_str(),
                                            RD_KAFKA_RESOURCE_PATTERN_LITERAL, "User:*", "*", of, permission,
                                            why.data(), why.size()));
    if (rules.back() == nullptr) throw std::runtime_error(what + ": " + why.data());
  }
  ask(
      config, what,
      [&](rd_kafka_t* client, rd_kafka_queue_t* queue) {
        rd_kafka_CreateAcls(client, rules.data(), rules.size(), nullptr, queue);
      },
      [&](rd_kafka_event_t* event) {
        std::size_t count = 0;
        const auto* results =
            rd_kafka_CreateAcls_result_acls(rd_kafka_event_CreateAcls_result(event), &count);
        for (std::size_t i = 0; i < count; ++i) {
          if (const rd_kafka_error_t* error = rd_kafka_acl_result_error(results[i]); error != nullptr)
            throw std::runtime_error(what + ": " + describe(*error));
        }
      });
  for (rd_kafka_AclBinding_t* rule : rules) rd_kafka_AclBinding_destroy(rule);
}

void move_group(const Config& config, const std::string& topic, std::int32_t partition, std::int64_t offset) {
  const std::string what = "moving group " + config.kafka.group;
  const auto list = partition_list(1);
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = offset;
  rd_kafka_AlterConsumerGroupOffsets_t* request =
      rd_kafka_AlterConsumerGroupOffsets_new(config.kafka.group.c_str(), list.get());
  ask(
      config, what,
      [&](rd_kafka_t* client, rd_kafka_queue_t* queue) {
        rd_kafka_AlterConsumerGroupOffsets(client, &request, 1, nullptr, queue);
      },
      [&](rd_kafka_event_t* event) {
        std::size_t count = 0;
        const auto* groups = rd_kafka_AlterConsumerGroupOffsets_result_groups(
            rd_kafka_event_AlterConsumerGroupOffsets_result(event), &count);
        for (std::size_t i = 0; i < count; ++i) {
          if (const rd_kafka_error_t* error = rd_kafka_group_result_error(groups[i]); error != nullptr)
            throw std::runtime_error(what + ": " + describe(*error));
          require(rd_kafka_group_result_partitions(groups[i])->elems[0].err, what);
        }
      });
  rd_kafka_AlterConsumerGroupOffsets_destroy(request);
}

}  // namespace neardup
