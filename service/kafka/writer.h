// The output side of the service: one transactional producer.
//
// `commit` sends the verdicts, the journal record and the input positions in one Kafka transaction and tells
// what it knows of the outcome. It never aborts and begins again: on a real broker the transaction after an
// abort failed every time. `recycle` is the only way out of a doubt: a new producer with the same
// transactional.id, whose init_transactions fences every older one and finishes what it had open. The id is
// the journal's: an instance of another group on the same journal is fenced as well, by whoever is about to
// write, who then reads the journal to its end.
//
// No batch is sent before the one before it has its end in every partition: what Kafka leaves open is then of
// one transaction alone, and is ended as that one was. An end is marked for a producer id, in the partitions
// that were added to its last transaction, and there it ends whatever this id has open; producers with one
// transactional.id have one producer id. So a transaction that holds all partitions, and nothing in them,
// ends what was left without a mark. (Ours is a librdkafka that can add a partition without a record:
// tests/support/librdkafka-empty-batch.patch.)
//
// One call of librdkafka (2.15) knows no limit: rd_kafka_send_offsets_to_transaction waits for the group's
// coordinator until a connection comes or goes, which may be never once the coordinator has moved. So it is
// made on a thread of its own, and one that is late is a doubt like any other: its producer is left to it,
// without a record or a voice, and goes when it returns.
//
// Threads: one caller. Payloads are not copied: a transaction's views must live until it is read back, or its
// commit was not answered with kCommitted.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/limits.h"
#include "service/kafka/client.h"
#include "service/kafka/election.h"
#include "service/kafka/stable_ends.h"
#include "service/kafka/unmarked.h"
#include "service/pipeline/sink.h"

namespace neardup {

// What a writer's producer must have besides the connection settings.
ClientProperties writer_properties(const KafkaConfig& config);

// Whether librdkafka takes them together with the operator's: an instance would hear of it when it is
// elected, which may be years later. Makes a client that has neither brokers nor secrets, and lets it go.
// Errors: kInvalid, with what librdkafka says.
Status check_writer_properties(const KafkaConfig& config);

class KafkaWriter final : public BatchSink {
 public:
  // Partitions of the verdict topics by OutputTopic, for records without a key.
  using PartitionCounts = std::array<std::int32_t, kOutputTopics>;

  // No record may be larger, whatever its topic takes: librdkafka would refuse it.
  static constexpr std::size_t kRecordBytesMax =
      std::max(kJournalRecordBytesMax, kDocumentBytesMax) + (std::size_t{1} << 20);

  // What takes longer, in ms, is a doubt, and the journal's tail tells.
  static const int kStepMs;

  // No producer yet: call recycle() first. `step_ms` is the limit of each step of a transaction.
  KafkaWriter(const KafkaConfig& config, PartitionCounts partitions, const Election& election, Probe& probe,
              StateBoard& board, std::stop_token stop, int step_ms = kStepMs);
  ~KafkaWriter() override;

  CommitAnswer commit(const Transaction& transaction) override;
  CommitAnswer await_shown(const Transaction& transaction) override;
  Status recycle() override;
  Result<bool> is_settled() override;
  Result<bool> is_group_at(std::span<const CommittedPosition> positions) override;
  Result<bool> is_group_moved(std::span<const CommittedPosition> positions) override;
  Result<Ending> end_unmarked(std::span<const CommittedPosition> covered) override;

  // To be called when the group's positions alone stay without an end (kUnsettled of topics.h): ends them as
  // the journal tells that they ended (look_at_open_positions). Makes a new producer. REQUIRES: recycle() was
  // called, and no commit since; journal and verdicts are settled. `covered`: where the journal ends.
  // Whatever it returns, the journal has to be read again. Errors: as of end_unmarked.
  Result<Ending> end_open_positions(std::span<const CommittedPosition> covered);

 private:
  struct Producer;
  using GroupPositions = std::vector<std::optional<std::int64_t>>;

  Status make_producer();
  CommitAnswer send(const Transaction& transaction);
  CommitAnswer begin();
  CommitAnswer end();
  CommitAnswer add_positions(std::span<const CommittedPosition> positions);
  CommitAnswer give_back(std::span<const CommittedPosition> positions);
  Result<std::vector<CommittedPosition>> all_positions(std::span<const CommittedPosition> covered);
  CommitAnswer add_all(std::span<const CommittedPosition> positions,
                       std::chrono::steady_clock::time_point until);
  CommitAnswer mark_again(std::span<const CommittedPosition> positions);
  Result<std::int32_t> partitions_of(const std::string& topic);
  Result<std::vector<TopicPartition>> partitions_of(std::span<const std::string> topics);
  Result<std::optional<GroupPositions>> ask_group(std::span<const CommittedPosition> positions);
  void add_spread_over();
  Result<std::vector<OpenPartition>> look();
  Result<std::vector<UnmarkedPartition>> look_for_ours(std::span<const std::string> inputs);
  CommitAnswer settle(RdKafka<rd_kafka_topic_partition_list_t> positions);
  std::future<RdKafka<rd_kafka_error_t>> send_positions(
      RdKafka<rd_kafka_topic_partition_list_t> list, RdKafka<rd_kafka_consumer_group_metadata_t> group) const;
  void await_broker(rd_kafka_t* client) const;
  bool settle_deliveries();
  rd_kafka_resp_err_t produce(rd_kafka_topic_t* topic, std::int32_t partition, const OutputRecord& record);
  void purge() const;
  void close();

  const KafkaConfig& config_;
  const PartitionCounts partitions_;  // as the writer was made; topics grow
  const Election& election_;
  Probe& probe_;
  StateBoard& board_;  // waiting for Kafka is life too
  std::stop_token stop_;
  const int step_ms_;
  std::shared_ptr<Producer> producer_;
  std::vector<TopicPartition> outputs_;  // the verdict topics, as of `counted_`
  std::chrono::steady_clock::time_point counted_{};
  std::chrono::steady_clock::time_point count_again_{};  // not before, since
  Error uncounted_;                                      // they could not be counted for this
  StableEnds ends_;                                      // of the verdict topics
  bool has_begun_ = false;                               // ends_, behind the last transaction
};

}  // namespace neardup
