// A plain producer for those who fill topics: `neardup feed`, demos, tests.
//
// Idempotent and checked: every record is either acknowledged by all replicas or counted as undelivered.
//
// Threads: one caller.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "service/codec/record.h"
#include "service/kafka/client.h"

namespace neardup {

class KafkaSender {
 public:
  static Result<std::unique_ptr<KafkaSender>> open(const KafkaConfig& config, const std::string& topic,
                                                   Probe& probe);
  ~KafkaSender();

  // Copies and queues one record; waits while the queue is full, as long as `waits` says. Without a
  // partition, the key chooses it.
  // Errors: kInvalid (too large for the topic's client limit), kNotFound (there is no such topic),
  // kUnavailable (a fatal client error; no wait).
  Status send(std::optional<std::string_view> key, std::optional<std::string_view> value,
              std::span<const Header> headers = {}, std::optional<std::int32_t> partition = std::nullopt);

  // Asked again and again while the queue is full; none: without an end.
  std::function<bool()> waits;

  // Waits until every queued record is settled, which is the answer, or no longer than `wait`.
  bool settle(std::chrono::milliseconds wait);

  // Waits until every queued record is settled. Errors: kUnavailable (not all were delivered, with the last
  // reason), kNotFound (the same, since there is no such topic).
  Status finish(std::chrono::milliseconds wait);

  // Whether any broker has answered since it was opened.
  bool is_reached() const;

  const std::string& topic() const { return topic_; }
  std::uint64_t delivered() const { return listener_.delivered(); }
  std::uint64_t undelivered() const { return listener_.undelivered(); }

 private:
  KafkaSender(std::string topic, Probe& probe);
  Error failed(const std::string& what, rd_kafka_resp_err_t error) const;

  std::string topic_;
  ClientListener listener_;
  RdKafka<rd_kafka_t> client_;
  rd_kafka_topic_t* handle_ = nullptr;
};

}  // namespace neardup
