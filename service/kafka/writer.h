// The output side of the service: one transactional producer.
//
// `commit` sends the verdicts, the journal record and the input positions in one Kafka transaction and tells
// what it knows of the outcome. It never aborts and begins again: on a real broker the transaction after an
// abort failed every time. `recycle` is the only way out of a doubt: a new producer with the same
// transactional.id, whose init_transactions fences every older one and finishes what it had open.
//
// Threads: one caller. Payloads are not copied: a transaction's views must live until it is read back or
// recycled.
#pragma once

#include <array>
#include <memory>
#include <stop_token>

#include "service/kafka/client.h"
#include "service/kafka/election.h"
#include "service/pipeline/sink.h"

namespace neardup {

// What a writer's producer must have besides the connection settings.
ClientProperties writer_properties(const KafkaConfig& config);

class KafkaWriter final : public BatchSink {
 public:
  // Partitions of the verdict topics by OutputTopic, for records without a key.
  using PartitionCounts = std::array<std::int32_t, 3>;

  // No producer yet: call recycle() first.
  KafkaWriter(const KafkaConfig& config, PartitionCounts partitions, const Election& election, Probe& probe,
              StateBoard& board, std::stop_token stop);
  ~KafkaWriter() override;

  CommitAnswer commit(const Transaction& transaction) override;
  Status recycle() override;

 private:
  CommitAnswer send(const Transaction& transaction);
  bool settle_deliveries();
  rd_kafka_resp_err_t produce(rd_kafka_topic_t* topic, std::int32_t partition, const OutputRecord& record);
  void close();

  const KafkaConfig& config_;
  PartitionCounts partitions_;
  const Election& election_;
  StateBoard& board_;  // waiting for Kafka is life too
  std::stop_token stop_;
  ClientListener listener_;
  RdKafka<rd_kafka_t> client_;
  RdKafka<rd_kafka_queue_t> events_;           // the client's main queue
  std::array<rd_kafka_topic_t*, 3> topics_{};  // by OutputTopic
  rd_kafka_topic_t* journal_ = nullptr;
};

}  // namespace neardup
