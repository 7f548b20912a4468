#include "service/kafka/sender.h"

#include "core/limits.h"
#include "service/kafka/message.h"

namespace neardup {
namespace {

// So long a topic that is not there may still be made, by Kafka itself where it does that.
constexpr const char* kMissingMaxMs = "5000";

}  // namespace

KafkaSender::KafkaSender(std::string topic, Probe& probe)
    : topic_(std::move(topic)), listener_("feed", probe) {}

KafkaSender::~KafkaSender() {
  if (handle_ != nullptr) rd_kafka_topic_destroy(handle_);
  if (client_) rd_kafka_purge(client_.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
}

Result<std::unique_ptr<KafkaSender>> KafkaSender::open(const KafkaConfig& config, const std::string& topic,
                                                       Probe& probe) {
  std::unique_ptr<KafkaSender> sender(new KafkaSender(topic, probe));
  Result<RdKafka<rd_kafka_t>> client =
      make_client(RD_KAFKA_PRODUCER, config,
                  {
                      {"enable.idempotence", "true"},
                      {"acks", "all"},
                      {"compression.codec", "lz4"},
                      {"linger.ms", "5"},
                      {"partitioner", "murmur2_random"},
                      {"message.max.bytes", std::to_string(kDocumentBytesMax + (1 << 20))},
                      {"queue.buffering.max.messages", "100000"},
                      {"queue.buffering.max.kbytes", "262144"},
                      {"topic.metadata.propagation.max.ms", kMissingMaxMs},
                  },
                  sender->listener_);
  if (!client) return client.error();
  sender->client_ = std::move(*client);
  sender->handle_ = rd_kafka_topic_new(sender->client_.get(), topic.c_str(), nullptr);
  if (sender->handle_ == nullptr)
    return Error{ErrorCode::kInvalid, "topic " + topic + ": " + describe(rd_kafka_last_error())};
  return sender;
}

Status KafkaSender::send(std::optional<std::string_view> key, std::optional<std::string_view> value,
                         std::span<const Header> headers, std::optional<std::int32_t> partition) {
  const rd_kafka_resp_err_t error =
      queue_record(client_.get(), handle_, partition.value_or(RD_KAFKA_PARTITION_UA), RD_KAFKA_MSG_F_COPY,
                   key, value, headers, waits);
  rd_kafka_poll(client_.get(), 0);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  if (error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
    return Error{ErrorCode::kInvalid, "topic " + topic_ + ": " + describe(error)};
  return failed("", error);
}

// What became of records, and why.
Error KafkaSender::failed(const std::string& what, rd_kafka_resp_err_t error) const {
  if (error == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC || error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
    return {ErrorCode::kNotFound, "topic " + topic_ + " does not exist"};
  return {ErrorCode::kUnavailable, "topic " + topic_ + ": " + what + describe(error)};
}

bool KafkaSender::settle(std::chrono::milliseconds wait) {
  return rd_kafka_flush(client_.get(), static_cast<int>(wait.count())) == RD_KAFKA_RESP_ERR_NO_ERROR;
}

bool KafkaSender::is_reached() const {
  char* const cluster = rd_kafka_clusterid(client_.get(), 0);  // of the first metadata that came
  if (cluster == nullptr) return delivered() > 0;
  rd_kafka_mem_free(client_.get(), cluster);
  return true;
}

Status KafkaSender::finish(std::chrono::milliseconds wait) {
  const rd_kafka_resp_err_t error = rd_kafka_flush(client_.get(), static_cast<int>(wait.count()));
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Error{ErrorCode::kUnavailable, "topic " + topic_ + ": " +
                                              std::to_string(rd_kafka_outq_len(client_.get())) +
                                              " records were not acknowledged: " + describe(error)};
  }
  if (undelivered() > 0) {
    return failed(std::to_string(undelivered()) + " records were refused, the last with ",
                  listener_.last_undelivered());
  }
  return {};
}

}  // namespace neardup
