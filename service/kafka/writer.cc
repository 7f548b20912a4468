#include "service/kafka/writer.h"

#include <chrono>
#include <thread>

#include "core/limits.h"
#include "service/fault_point.h"
#include "service/kafka/message.h"
#include "service/log.h"

namespace neardup {
namespace {

const int kCommitMs =
    fault_limit("commit_ms", 30000);  // then the outcome is in doubt, and the journal's tail tells
constexpr int kFlushMs = 100;         // one look at what is not delivered yet
constexpr int kInitMs = 10000;        // one try; tries go on until Kafka answers or we are asked to stop

CommitAnswer answer_of(const std::string& where, const rd_kafka_error_t& error) {
  CommitAnswer answer;
  answer.kind = rd_kafka_error_code(&error) == RD_KAFKA_RESP_ERR__FENCED ? CommitAnswer::Kind::kFenced
                                                                         : CommitAnswer::Kind::kInDoubt;
  answer.reason = where + ": " + describe(error);
  return answer;
}

CommitAnswer doubt(std::string reason) {
  CommitAnswer answer;
  answer.kind = CommitAnswer::Kind::kInDoubt;
  answer.reason = std::move(reason);
  return answer;
}

}  // namespace

ClientProperties writer_properties(const KafkaConfig& config) {
  return {
      {"transactional.id", config.group + "-writer"},
      {"transaction.timeout.ms", "60000"},
      {"socket.timeout.ms", "60000"},
      {"enable.idempotence", "true"},
      {"acks", "all"},
      {"compression.codec", "lz4"},
      {"linger.ms", "5"},
      {"message.max.bytes",
       std::to_string(std::max<std::size_t>(kJournalRecordBytesMax, kDocumentBytesMax) + (1 << 20))},
      {"queue.buffering.max.messages", "4000000"},
      {"queue.buffering.max.kbytes", "2097151"},
      // The default wait, before asking again while the last markers are written, costs up to 95 ms of every
      // commit.
      {"retry.backoff.ms", "1"},
  };
}

KafkaWriter::KafkaWriter(const KafkaConfig& config, PartitionCounts partitions, const Election& election,
                         Probe& probe, StateBoard& board, std::stop_token stop)
    : config_(config),
      partitions_(partitions),
      election_(election),
      board_(board),
      stop_(std::move(stop)),
      listener_("writer", probe) {
  listener_.failures_only = true;
}

KafkaWriter::~KafkaWriter() { close(); }

void KafkaWriter::close() {
  for (rd_kafka_topic_t*& topic : topics_) {
    if (topic != nullptr) rd_kafka_topic_destroy(topic);
    topic = nullptr;
  }
  if (journal_ != nullptr) rd_kafka_topic_destroy(journal_);
  journal_ = nullptr;
  events_.reset();
  if (client_) rd_kafka_purge(client_.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  client_.reset();
}

Status KafkaWriter::recycle() {
  for (;;) {
    close();
    FAULT_POINT(kProducerClosed);
    if (stop_.stop_requested())
      return Error{ErrorCode::kUnavailable, "asked to stop while Kafka did not answer"};
    // A producer made now would fence the instance that was elected in our place.
    if (!election_.held()) return Error{ErrorCode::kFenced, "another instance was elected"};
    ClientProperties properties = writer_properties(config_);
    properties.emplace_back("delivery.report.only.error", "true");
    Result<RdKafka<rd_kafka_t>> client = make_client(RD_KAFKA_PRODUCER, config_, properties, listener_);
    if (!client) return client.error();
    client_ = std::move(*client);
    events_.reset(rd_kafka_queue_get_main(client_.get()));
    const std::array<const std::string*, 3> names = {&config_.topics.unique, &config_.topics.duplicate,
                                                     &config_.topics.dead_letter};
    const auto open_topic = [&](const std::string& name) {
      rd_kafka_topic_conf_t* conf = rd_kafka_topic_conf_new();
      // The Java client's partitioner, so that a key lies where every other producer of the cluster would put
      // it.
      rd_kafka_topic_conf_set(conf, "partitioner", "murmur2_random", nullptr, 0);
      return rd_kafka_topic_new(client_.get(), name.c_str(), conf);
    };
    for (std::size_t i = 0; i < names.size(); ++i) topics_[i] = open_topic(*names[i]);
    journal_ = open_topic(config_.topics.journal);

    FAULT_POINT(kProducerMade);
    while (!stop_.stop_requested() && election_.held()) {
      board_.beat();
      const RdKafka<rd_kafka_error_t> error(rd_kafka_init_transactions(client_.get(), kInitMs));
      if (!error) {
        FAULT_POINT(kProducerReady);
        listener_.take_timed_out();
        return {};
      }
      log_warning("writer: waiting for Kafka to open the transaction log: {}", describe(*error));
      if (rd_kafka_error_is_retriable(error.get()) == 0) break;  // this producer is spent: the next one
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

rd_kafka_resp_err_t KafkaWriter::produce(rd_kafka_topic_t* topic, std::int32_t partition,
                                         const OutputRecord& record) {
  return queue_record(client_.get(), topic, partition, 0, record.key, record.value, record.headers);
}

CommitAnswer KafkaWriter::send(const Transaction& transaction) {
  FAULT_POINT(kBeforeBegin);
  if (const RdKafka<rd_kafka_error_t> error(rd_kafka_begin_transaction(client_.get())); error) {
    return answer_of("begin", *error);
  }
  FAULT_POINT(kAfterBegin);
  OutputRecord journal;
  journal.value = transaction.journal_record;
  if (const rd_kafka_resp_err_t error = produce(journal_, 0, journal); error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return doubt("sending the journal record: " + describe(error));
  }
  FAULT_POINT(kJournalQueued);
  for (const OutputRecord& record : transaction.records) {
    const auto topic = static_cast<std::size_t>(record.topic);
    const std::int32_t partition =
        record.key ? RD_KAFKA_PARTITION_UA : record.source_partition % partitions_[topic];
    if (const rd_kafka_resp_err_t error = produce(topics_[topic], partition, record);
        error != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return doubt("sending a verdict: " + describe(error));
    }
  }
  FAULT_POINT(kVerdictsQueued);
  const auto list = partition_list(static_cast<int>(transaction.positions.size()));
  for (const CommittedPosition& position : transaction.positions) {
    rd_kafka_topic_partition_t* entry = rd_kafka_topic_partition_list_add(
        list.get(), std::string(position.topic).c_str(), position.partition);
    entry->offset = position.next;
    if (position.leader_epoch >= 0) rd_kafka_topic_partition_set_leader_epoch(entry, position.leader_epoch);
  }
  const auto group = election_.group_metadata();
  if (!group) return doubt("the election group has no metadata yet");
  if (const RdKafka<rd_kafka_error_t> error(
          rd_kafka_send_offsets_to_transaction(client_.get(), list.get(), group.get(), kCommitMs));
      error) {
    return answer_of("sending the input positions", *error);
  }
  FAULT_POINT(kOffsetsSent);
  if (!settle_deliveries()) return doubt("the records were not delivered in time");
  FAULT_POINT(kBeforeCommit);
  if (const RdKafka<rd_kafka_error_t> error(rd_kafka_commit_transaction(client_.get(), kCommitMs)); error) {
    return answer_of("commit", *error);
  }
  FAULT_POINT(kCommitted);
  return {};
}

// Waits until all is delivered, or something is not: then the commit fails, and says whether we are fenced.
// rd_kafka_flush wakes with the last acknowledgement, but hears nothing of failures: so it is asked for a
// moment at a time. (The flush inside of the commit polls each 10 ms when there are no reports to wake it.)
bool KafkaWriter::settle_deliveries() {
  const std::uint64_t undelivered = listener_.undelivered();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kCommitMs);
  for (;;) {
    const rd_kafka_resp_err_t error = rd_kafka_flush(client_.get(), kFlushMs);
    take_failures(*events_, listener_);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR || listener_.undelivered() != undelivered) return true;
    if (std::chrono::steady_clock::now() > deadline) return false;
  }
}

CommitAnswer KafkaWriter::commit(const Transaction& transaction) {
  CHECK(client_ != nullptr, "recycle() makes the producer before the first commit");
  const std::uint64_t undelivered = listener_.undelivered();
  CommitAnswer answer = send(transaction);
  if (answer.kind != CommitAnswer::Kind::kCommitted) return answer;
  take_failures(*events_, listener_);  // and errors: one of them may be a request that timed out
  if (listener_.undelivered() != undelivered) {
    return doubt("committed, but a record was not delivered: " + describe(listener_.last_undelivered()));
  }
  answer.recycle_before_next = listener_.take_timed_out();
  return answer;
}

}  // namespace neardup
