#include "service/kafka/writer.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/prefetch_line.h"
#include "service/fault_point.h"
#include "service/kafka/message.h"
#include "service/kafka/topics.h"
#include "service/log.h"

namespace neardup {
namespace {

constexpr int kLateMs = 1000;     // a call that returns so long after its limit never will
constexpr int kFlushMs = 100;     // one look at what is not delivered yet
constexpr int kInitMs = 10000;    // one try; tries go on until Kafka answers or we are asked to stop
constexpr int kConnectMs = 1000;  // for a first broker; without one the try begins all the same
constexpr std::chrono::milliseconds kAgainMax{2000};   // between two producers
constexpr int kMetadataMs = 5000;                      // one question for the partitions of a topic
constexpr std::chrono::seconds kMarkMax{50};           // it gives a transaction up after 60
constexpr int kLookMs = 1000;                          // one question for the ends of the verdict topics
constexpr std::chrono::milliseconds kShownMax{1000};   // so long may a marker take
constexpr std::chrono::milliseconds kMarkedMax{5000};  // so long may one take that was due for good
constexpr std::chrono::seconds kCountAgain{5};         // a topic that grows and has none of ours there
constexpr std::chrono::milliseconds kUncounted{900};   // nobody counts; a commit is not late by then
constexpr std::string_view kPart = "transactions";     // of what the board warns
constexpr std::size_t kAhead = 8;                      // records: they come from the core of who decided

using Clock = std::chrono::steady_clock;

// What librdkafka copies of record i: of its value no more than the address.
void prefetch_copied(std::span<const OutputRecord> records, std::size_t i) {
  if (i >= records.size()) return;
  const auto prefetch = [](std::optional<std::string_view> bytes) {
    if (bytes) prefetch_lines(bytes->data(), bytes->size());
  };
  prefetch(records[i].key);
  for (const Header& header : records[i].headers) prefetch(header.value);
}

// A step of a transaction, or all of it, went as it should.
bool is_done(const CommitAnswer& answer) { return answer.kind == CommitAnswer::Kind::kCommitted; }

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

// "": nothing is open.
template <class Partition>
Result<std::string> first_topic(const Result<std::vector<Partition>>& open) {
  if (!open) return open.error();
  return open->empty() ? std::string() : open->front().topic;
}

// The Java client's partitioner, so that a key lies where every other producer of the cluster would put it.
// `topic_opaque` keeps the number of partitions that it was put among.
std::int32_t place_key(const rd_kafka_topic_t* topic, const void* key, std::size_t key_bytes,
                       std::int32_t partitions, void* topic_opaque, void* message_opaque) {
  auto& spread_over = *static_cast<std::atomic<std::int32_t>*>(topic_opaque);
  if (spread_over.load(std::memory_order_relaxed) < partitions)
    spread_over.store(partitions, std::memory_order_relaxed);
  return rd_kafka_msg_partitioner_murmur2_random(topic, key, key_bytes, partitions, topic_opaque,
                                                 message_opaque);
}

RdKafka<rd_kafka_topic_partition_list_t> position_list(std::span<const CommittedPosition> positions) {
  auto list = partition_list(static_cast<int>(positions.size()));
  for (const CommittedPosition& position : positions) {
    rd_kafka_topic_partition_t* entry =
        rd_kafka_topic_partition_list_add(list.get(), position.topic.c_str(), position.partition);
    entry->offset = position.next;
    if (position.leader_epoch >= 0) rd_kafka_topic_partition_set_leader_epoch(entry, position.leader_epoch);
  }
  return list;
}

}  // namespace

ClientProperties writer_properties(const KafkaConfig& config) {
  return {
      {"transactional.id", config.topics.journal + "-writer"},
      {"transaction.timeout.ms", "60000"},
      {"socket.timeout.ms", "60000"},
      {"enable.idempotence", "true"},
      {"allow.auto.create.topics", "false"},
      {"acks", "all"},
      {"compression.codec", "lz4"},
      {"linger.ms", "5"},
      {"message.max.bytes", std::to_string(KafkaWriter::kRecordBytesMax)},
      {"queue.buffering.max.messages", "4000000"},
      {"queue.buffering.max.kbytes", "2097151"},
      // The default wait, before asking again while the last markers are written, costs up to 95 ms of every
      // commit.
      {"retry.backoff.ms", "1"},
  };
}

Status check_writer_properties(const KafkaConfig& config) {
  Probe uncounted;
  ClientListener listener("writer", uncounted);
  KafkaConfig alone;
  alone.brokers.clear();
  alone.properties = config.properties;
  const auto client = make_client(RD_KAFKA_PRODUCER, alone, writer_properties(config), listener);
  return client ? Status() : client.error();
}

const int KafkaWriter::kStepMs = fault_limit("commit_ms", 30000);

// A client, and all that must live as long as a call to it.
struct KafkaWriter::Producer {
  explicit Producer(Probe& probe) : listener("writer", probe) { listener.failures_only = true; }
  ~Producer() {
    for (rd_kafka_topic_t* const topic : topics)
      if (topic != nullptr) rd_kafka_topic_destroy(topic);
    if (journal != nullptr) rd_kafka_topic_destroy(journal);
  }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  // Hears what failed: a login too, which is tried again with what the password's file holds by then. So
  // whoever waits for what this client does calls it.
  void hear() { take_failures(*client, *events, listener); }

  // Of a record that was not delivered, why. It puts its transaction in doubt, and no producer outlives a
  // doubt: so whatever was not delivered is of this transaction.
  std::optional<std::string> undelivered() {
    hear();
    if (listener.undelivered() == 0) return std::nullopt;
    return "a record was not delivered: " + describe(listener.last_undelivered());
  }

  ClientListener listener;
  // Partitions of a verdict topic that keys were spread over, by OutputTopic; threads of the client write it,
  // too.
  std::array<std::atomic<std::int32_t>, kOutputTopics> spread_over{};
  RdKafka<rd_kafka_t> client;
  RdKafka<rd_kafka_queue_t> events;                       // the client's main queue
  std::array<rd_kafka_topic_t*, kOutputTopics> topics{};  // by OutputTopic
  rd_kafka_topic_t* journal = nullptr;
};

KafkaWriter::KafkaWriter(const KafkaConfig& config, PartitionCounts partitions, const Election& election,
                         Probe& probe, StateBoard& board, std::stop_token stop, int step_ms)
    : config_(config),
      partitions_(partitions),
      election_(election),
      probe_(probe),
      board_(board),
      stop_(std::move(stop)),
      step_ms_(step_ms) {}

KafkaWriter::~KafkaWriter() { close(); }

// What is not delivered is dropped: no payload is looked at from then on.
void KafkaWriter::purge() const {
  rd_kafka_purge(producer_->client.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
}

// If a call still holds it, nobody listens to it any more.
void KafkaWriter::close() {
  if (!producer_) return;
  if (producer_->client) {
    purge();
    rd_kafka_set_log_level(producer_->client.get(), -1);
  }
  producer_.reset();
}

// librdkafka looks for the coordinator when it is asked to, and if no broker is connected by then, half a
// second later. What the answer says is of no use.
void KafkaWriter::await_broker(rd_kafka_t* client) const {
  const rd_kafka_metadata_t* metadata = nullptr;
  if (rd_kafka_metadata(client, 0, producer_->journal, &metadata, kConnectMs) == RD_KAFKA_RESP_ERR_NO_ERROR)
    rd_kafka_metadata_destroy(metadata);
}

Status KafkaWriter::recycle() {
  has_begun_ = false;
  count_again_ = {};  // who failed to count was the last producer,
  counted_ = {};      // and the partitions that it had spread keys over went with it
  const Status status = make_producer();
  board_.warn(kPart, "");
  return status;
}

// What Kafka refuses it may refuse for days, an ACL that is missing for one: so it is asked less often, and a
// few lines say why.
Status KafkaWriter::make_producer() {
  LogLimiter limiter;
  bool has_asked = false;
  for (std::chrono::milliseconds again{100};; again = std::min(2 * again, kAgainMax)) {
    close();
    FAULT_POINT(kProducerClosed);
    // A producer made now would fence the instance that was elected in our place.
    if (!election_.held()) return voted_out();
    // The journal would have to be read as well, and whoever waits for our end has a limit.
    if (stop_.stop_requested()) {
      return Error{ErrorCode::kUnavailable,
                   has_asked ? "asked to stop while Kafka did not answer"
                             : "asked to stop when a new producer was due: what is not published yet is left "
                               "to whoever writes next"};
    }
    producer_ = std::make_shared<Producer>(probe_);
    ClientProperties properties = writer_properties(config_);
    properties.emplace_back("delivery.report.only.error", "true");
    Result<RdKafka<rd_kafka_t>> client =
        make_client(RD_KAFKA_PRODUCER, config_, properties, producer_->listener, stop_);
    if (!client) {
      close();  // what has no client is no producer
      return client.error();
    }
    rd_kafka_t* const handle = client->get();
    producer_->client = std::move(*client);
    producer_->events.reset(rd_kafka_queue_get_main(handle));
    for (std::size_t topic = 0; const std::string& name : output_topic_names(config_.topics)) {
      rd_kafka_topic_conf_t* conf = rd_kafka_default_topic_conf_dup(handle);  // the operator's as well
      rd_kafka_topic_conf_set_partitioner_cb(conf, place_key);
      rd_kafka_topic_conf_set_opaque(conf, &producer_->spread_over[topic]);
      producer_->topics[topic++] = rd_kafka_topic_new(handle, name.c_str(), conf);
    }
    // What gets shorter in a record of it is packed already (record.h).
    rd_kafka_topic_conf_t* conf = rd_kafka_default_topic_conf_dup(handle);
    rd_kafka_topic_conf_set(conf, "compression.codec", "none", nullptr, 0);
    producer_->journal = rd_kafka_topic_new(handle, config_.topics.journal.c_str(), conf);

    FAULT_POINT(kProducerMade);
    while (!stop_.stop_requested() && election_.held()) {
      board_.beat();
      await_broker(handle);
      const RdKafka<rd_kafka_error_t> error(rd_kafka_init_transactions(handle, kInitMs));
      if (!error) {
        FAULT_POINT(kProducerReady);
        producer_->listener.take_unanswered();
        return {};
      }
      has_asked = true;
      producer_->hear();
      const std::string why = describe(*error);
      limiter.log(LogLevel::kWarning, "", "writer: waiting for Kafka to open the transaction log: {}", why);
      board_.warn(kPart, "waiting for Kafka to open the transaction log: " + why);
      if (rd_kafka_error_is_retriable(error.get()) == 0) break;  // this producer is spent: the next one
    }
    std::this_thread::sleep_for(again);
  }
}

rd_kafka_resp_err_t KafkaWriter::produce(rd_kafka_topic_t* topic, std::int32_t partition,
                                         const OutputRecord& record) {
  return queue_record(producer_->client.get(), topic, partition, 0, record.key, record.value, record.headers);
}

CommitAnswer KafkaWriter::send(const Transaction& transaction) {
  FAULT_POINT(kBeforeBegin);
  if (CommitAnswer answer = begin(); !is_done(answer)) return answer;
  FAULT_POINT(kAfterBegin);
  OutputRecord journal;
  journal.value = transaction.journal_record;
  if (const rd_kafka_resp_err_t error = produce(producer_->journal, 0, journal);
      error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return doubt("sending the journal record: " + describe(error));
  }
  FAULT_POINT(kJournalQueued);
  for (std::size_t i = 0; i < transaction.records.size(); ++i) {
    prefetch_copied(transaction.records, i + kAhead);
    const OutputRecord& record = transaction.records[i];
    const auto topic = static_cast<std::size_t>(record.topic);
    const std::int32_t partition =
        record.key ? RD_KAFKA_PARTITION_UA : record.source_partition % partitions_[topic];
    if (const rd_kafka_resp_err_t error = produce(producer_->topics[topic], partition, record);
        error != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return doubt("sending a verdict: " + describe(error));
    }
  }
  FAULT_POINT(kVerdictsQueued);
  if (CommitAnswer answer = settle(position_list(transaction.positions)); !is_done(answer)) return answer;
  FAULT_POINT(kBeforeCommit);
  if (CommitAnswer answer = end(); !is_done(answer)) return answer;
  FAULT_POINT(kCommitted);
  return {};
}

CommitAnswer KafkaWriter::begin() {
  const RdKafka<rd_kafka_error_t> error(rd_kafka_begin_transaction(producer_->client.get()));
  return error ? answer_of("begin", *error) : CommitAnswer{};
}

CommitAnswer KafkaWriter::end() {
  const RdKafka<rd_kafka_error_t> error(rd_kafka_commit_transaction(producer_->client.get(), step_ms_));
  return error ? answer_of("commit", *error) : CommitAnswer{};
}

// Sends the positions and waits until they and all records are in Kafka's logs: all but the end of the
// transaction.
CommitAnswer KafkaWriter::settle(RdKafka<rd_kafka_topic_partition_list_t> positions) {
  auto group = election_.group_metadata();
  if (!group) return doubt("the election group has no metadata yet");
  auto sending = send_positions(std::move(positions), std::move(group));
  const auto late = Clock::now() + std::chrono::milliseconds(step_ms_ + kLateMs);
  const bool is_delivered = settle_deliveries();
  if (sending.wait_until(late) != std::future_status::ready)
    return doubt("sending the input positions: librdkafka's call did not return");
  if (const RdKafka<rd_kafka_error_t> error = sending.get(); error)
    return answer_of("sending the input positions", *error);
  FAULT_POINT(kOffsetsSent);
  if (!is_delivered) return doubt("the records were not delivered in time");
  return {};
}

// Opens a transaction that holds `positions`, and every partition of every topic without a record in it. What
// has no end there is aborted with it, should it be given up before `until`.
CommitAnswer KafkaWriter::add_all(std::span<const CommittedPosition> positions, Clock::time_point until) {
  std::vector<std::pair<rd_kafka_topic_t*, std::int32_t>> partitions = {{producer_->journal, 0}};
  for (std::size_t topic = 0; const std::string& name : output_topic_names(config_.topics)) {
    const Result<std::int32_t> count = partitions_of(name);  // librdkafka adds what it knows
    if (!count) return doubt(count.error().message);
    for (std::int32_t partition = 0; partition < *count; ++partition)
      partitions.emplace_back(producer_->topics[topic], partition);
    ++topic;
  }
  await_broker(producer_->client.get());  // so it knows the journal
  if (CommitAnswer answer = add_positions(positions); !is_done(answer)) return answer;
  const auto is_added = [](const auto& one) {
    return rd_kafka_produce_batch(one.first, one.second, 0, nullptr, 0) == 1;
  };
  // All are asked for at once, and none that is added is asked for again.
  while (std::ranges::count_if(partitions, is_added) < std::ssize(partitions)) {
    board_.beat();
    if (Clock::now() > until || !election_.held() ||
        rd_kafka_fatal_error(producer_->client.get(), nullptr, 0) != RD_KAFKA_RESP_ERR_NO_ERROR)
      return doubt("not all partitions were added to the transaction that ends what has no end");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {};
}

// What has no end in some partition, and was committed, is committed there. Should that be given up once
// partitions were added, the next producer aborts it with them: so it is not, as long as the coordinator does
// not. A late copy of the last transaction's end, which may still be on its way, would commit it as well.
CommitAnswer KafkaWriter::mark_again(std::span<const CommittedPosition> positions) {
  const auto until = Clock::now() + kMarkMax;
  CommitAnswer answer = add_all(positions, until);
  while (is_done(answer)) {
    const RdKafka<rd_kafka_error_t> error(rd_kafka_commit_transaction(producer_->client.get(), step_ms_));
    if (!error) return answer;
    board_.beat();
    if (rd_kafka_error_is_retriable(error.get()) == 0 || !election_.held() || Clock::now() > until)
      answer = answer_of("commit", *error);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  log_warning("writer: committing what Kafka left without an end: {}", answer.reason);
  return answer;
}

// As of now: a topic may have grown.
Result<std::int32_t> KafkaWriter::partitions_of(const std::string& topic) {
  board_.beat();
  rd_kafka_t* const client = producer_->client.get();
  const rd_kafka_metadata_t* metadata = nullptr;
  rd_kafka_topic_t* const handle = rd_kafka_topic_new(client, topic.c_str(), nullptr);
  rd_kafka_resp_err_t error =
      rd_kafka_metadata(client, 0, handle, &metadata, std::min(step_ms_, kMetadataMs));
  rd_kafka_topic_destroy(handle);
  std::int32_t count = 0;
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
    if (metadata->topic_cnt == 1) {
      error = metadata->topics[0].err;
      count = metadata->topics[0].partition_cnt;
    }
    rd_kafka_metadata_destroy(metadata);
  }
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR && count > 0) return count;
  return Error{ErrorCode::kUnavailable, "asking for the partitions of " + topic + ": " + describe(error)};
}

Result<std::vector<TopicPartition>> KafkaWriter::partitions_of(std::span<const std::string> topics) {
  std::vector<TopicPartition> partitions;
  for (const std::string& topic : topics) {
    const Result<std::int32_t> count = partitions_of(topic);
    if (!count) return count.error();
    for (std::int32_t partition = 0; partition < *count; ++partition)
      partitions.push_back({topic, partition});
  }
  return partitions;
}

// `covered`, and for every other partition of the input its beginning.
Result<std::vector<CommittedPosition>> KafkaWriter::all_positions(
    std::span<const CommittedPosition> covered) {
  std::vector<CommittedPosition> positions;
  for (const std::string& topic : config_.topics.input) {
    const Result<std::int32_t> count = partitions_of(topic);
    if (!count) return count.error();
    for (std::int32_t partition = 0; partition < *count; ++partition) {
      const CommittedPosition* const known = find_position(covered, topic, partition);
      positions.push_back(known == nullptr ? CommittedPosition{topic, partition} : *known);
    }
  }
  return positions;
}

// Opens a transaction that holds `positions` of the group, and nothing else.
CommitAnswer KafkaWriter::add_positions(std::span<const CommittedPosition> positions) {
  CommitAnswer answer = begin();
  return is_done(answer) ? settle(position_list(positions)) : answer;
}

// Commits `positions` as the group's, and nothing else.
CommitAnswer KafkaWriter::give_back(std::span<const CommittedPosition> positions) {
  CommitAnswer answer = add_positions(positions);
  return is_done(answer) ? end() : answer;
}

// Returns at once. The thread needs nothing of this writer but its producer, which lives as long as it does.
std::future<RdKafka<rd_kafka_error_t>> KafkaWriter::send_positions(
    RdKafka<rd_kafka_topic_partition_list_t> list, RdKafka<rd_kafka_consumer_group_metadata_t> group) const {
  std::promise<RdKafka<rd_kafka_error_t>> answer;
  auto future = answer.get_future();
  std::thread([producer = producer_, list = std::move(list), group = std::move(group),
               answer = std::move(answer), limit = step_ms_]() mutable {
    pthread_setname_np(pthread_self(), "positions");
    RdKafka<rd_kafka_error_t> error(
        rd_kafka_send_offsets_to_transaction(producer->client.get(), list.get(), group.get(), limit));
    producer.reset();  // the writer is the last who has it, unless it gave up
    answer.set_value(std::move(error));
  }).detach();
  return future;
}

// Waits until all is delivered, or something is not: then the commit fails, and says whether we are fenced.
// rd_kafka_flush wakes with the last acknowledgement, but hears nothing of failures: so it is asked for a
// moment at a time. (The flush inside of the commit polls each 10 ms when there are no reports to wake it.)
bool KafkaWriter::settle_deliveries() {
  const auto deadline = Clock::now() + std::chrono::milliseconds(step_ms_);
  for (;;) {
    const rd_kafka_resp_err_t error = rd_kafka_flush(producer_->client.get(), kFlushMs);
    if (producer_->undelivered() || error == RD_KAFKA_RESP_ERR_NO_ERROR) return true;
    if (Clock::now() > deadline) return false;
  }
}

// librdkafka learns by itself that a topic has grown: then verdicts lie in partitions that nobody has counted
// yet.
void KafkaWriter::add_spread_over() {
  for (std::size_t topic = 0; const std::string& name : output_topic_names(config_.topics)) {
    const auto counted =
        static_cast<std::int32_t>(std::ranges::count(outputs_, name, &TopicPartition::topic));
    const std::int32_t known = producer_->spread_over[topic++].load(std::memory_order_relaxed);
    for (std::int32_t partition = counted; partition < known; ++partition)
      outputs_.push_back({name, partition});
  }
}

// Asks where the verdict topics end: behind all that was sent.
Result<std::vector<OpenPartition>> KafkaWriter::look() {
  if (!producer_) return Error{ErrorCode::kUnavailable, "no producer was made since the last one was closed"};
  producer_->hear();
  if (!has_begun_) {
    if (outputs_.empty() || Clock::now() - counted_ > kCountAgain) {
      // Until then nothing is known: an older count may lack a partition that has verdicts.
      if (Clock::now() < count_again_) return uncounted_;
      auto outputs = partitions_of(output_topic_names(config_.topics));
      if (!outputs) {
        uncounted_ = outputs.error();
        count_again_ = Clock::now() + kUncounted;
        return uncounted_;
      }
      outputs_ = *std::move(outputs);
      counted_ = Clock::now();
    }
    add_spread_over();
    ends_.begin(outputs_);
    has_begun_ = true;
  }
  auto open = ends_.look(producer_->client.get(), std::min(step_ms_, kLookMs));
  // A leader that librdkafka takes for one may be none, or of a newer epoch: metadata tells it.
  if (!open && Clock::now() - counted_ > kShownMax) {
    has_begun_ = false;
    counted_ = {};
  }
  return open;
}

// The same, and what is open and not ours is left to others.
Result<std::vector<UnmarkedPartition>> KafkaWriter::look_for_ours(std::span<const std::string> inputs) {
  const Result<std::vector<OpenPartition>> open = look();
  if (!open) return open.error();
  board_.beat();
  auto ours = ours_of(*open, inputs, config_, board_, stop_);
  if (!ours) return ours;
  for (const OpenPartition& one : *open) {
    if (std::ranges::any_of(*ours, [&](const OpenPartition& of_ours) { return of_ours == one; })) continue;
    log_warning("writer: {}[{}] cannot be read from {} on: a transaction of somebody else has no end",
                one.topic, one.partition, one.stable);
    ends_.leave_to_others(one);
  }
  return ours;
}

Result<bool> KafkaWriter::is_settled() {
  LogLimiter limiter;
  for (bool has_waited = false;; has_waited = true) {
    const auto open = look();
    if (open || stop_.stop_requested() || !election_.held()) {
      if (has_waited) board_.warn(kPart, "");
      if (open) return open->empty();
      if (!stop_.stop_requested()) return voted_out();
      return Error{ErrorCode::kUnavailable, "asked to stop while Kafka did not tell where the verdicts end"};
    }
    board_.beat();
    board_.warn(kPart, "waiting: " + open.error().message);
    limiter.log(LogLevel::kWarning, "", "writer: waiting: {}", open.error().message);
    std::this_thread::sleep_for(std::chrono::milliseconds(kFlushMs));
  }
}

Result<bool> KafkaWriter::is_group_at(std::span<const CommittedPosition> positions) {
  const auto group = ask_group(positions);
  if (!group) return group.error();
  return *group && !positions.empty() &&
         std::ranges::equal(**group, positions, std::equal_to(), {}, &CommittedPosition::next);
}

Result<bool> KafkaWriter::is_group_moved(std::span<const CommittedPosition> positions) {
  const auto group = ask_group(positions);
  if (!group) return group.error();
  const auto is_same = [](const std::optional<std::int64_t>& at, const CommittedPosition& position) {
    return at.value_or(position.next) == position.next;
  };
  return !*group || !std::ranges::equal(**group, positions, is_same);
}

// As read_group, asked until Kafka answers; nullopt: it has lost an end there.
Result<std::optional<KafkaWriter::GroupPositions>> KafkaWriter::ask_group(
    std::span<const CommittedPosition> positions) {
  LogLimiter limiter;
  const auto until = Clock::now() + std::chrono::milliseconds(step_ms_);
  for (;;) {
    auto group = read_group(config_, positions, std::chrono::milliseconds(kMetadataMs), stop_);
    board_.beat();
    if (group) return std::optional(*std::move(group));
    if (!election_.held()) return voted_out();
    if (stop_.stop_requested())
      return Error{ErrorCode::kUnavailable, "asked to stop while Kafka did not tell where the group is"};
    limiter.log(LogLevel::kWarning, "", "writer: waiting: {}", group.error().message);
    // Kafka answers, and has lost an end there: that may stay so. One that does not answer takes no positions
    // either, so whatever is in doubt waits for it.
    if (group.error().code == ErrorCode::kUnsettled && Clock::now() > until)
      return std::optional<GroupPositions>();
    std::this_thread::sleep_for(std::chrono::milliseconds(kFlushMs));
  }
}

// What is to be aborted, the next producer's init_transactions aborts. The group may have its mark, and be
// ahead of the journal: it goes back before that, or who starts after a crash would find it moved.
Result<Ending> KafkaWriter::end_unmarked(std::span<const CommittedPosition> covered) {
  CHECK(producer_ != nullptr, "recycle() makes the producer before");
  const auto inputs = inputs_of_journal(config_, board_, stop_);
  if (!inputs) return inputs.error();
  const auto open = look_for_ours(*inputs);
  if (!open) return open.error();
  Result<Unmarked> unmarked = look_at_unmarked(covered, config_, outputs_, *open, board_, stop_);
  if (!unmarked) return unmarked.error();
  if (open->empty() && !unmarked->in_journal) return Ending::kNone;
  std::vector<CommittedPosition> positions = std::move(unmarked->positions);
  if (unmarked->is_whole) {
    auto all = all_positions(positions);
    if (!all) return all.error();
    positions = *std::move(all);
  }
  CommitAnswer answer;
  if (unmarked->ending == Ending::kCommitted) {
    answer = mark_again(positions);
  } else {
    if (unmarked->in_journal) {
      if (answer = give_back(positions); is_done(answer))
        if (Status status = recycle(); !status) return status.error();
    }
    if (is_done(answer)) answer = add_all(positions, Clock::now() + kMarkMax);
  }
  if (Status status = recycle(); !status) return status.error();
  if (!is_done(answer)) return Error{ErrorCode::kUnavailable, answer.reason};
  return unmarked->ending;
}

// An end is marked for a producer id, wherever its last transaction has been: so this one ends what is open.
// One that fails halfway is aborted, and what was open with it: a commit is tried until it succeeds, or the
// group would stay behind the journal.
Result<Ending> KafkaWriter::end_open_positions(std::span<const CommittedPosition> covered) {
  CHECK(producer_ != nullptr, "recycle() makes the producer before");
  const auto all = all_positions(covered);
  if (!all) return all.error();
  const auto outputs = partitions_of(output_topic_names(config_.topics));
  if (!outputs) return outputs.error();
  const auto unmarked = look_at_open_positions(covered, *all, config_, *outputs, board_, stop_);
  if (!unmarked) return unmarked.error();
  const bool is_committed = unmarked->ending == Ending::kCommitted;
  LogLimiter limiter;
  for (;;) {
    const CommitAnswer answer =
        is_committed ? give_back(unmarked->positions) : add_positions(unmarked->positions);
    if (answer.kind == CommitAnswer::Kind::kFenced) return Error{ErrorCode::kFenced, answer.reason};
    if (Status status = recycle(); !status) return status.error();  // aborts what is open
    if (is_done(answer)) return unmarked->ending;
    if (!is_committed) return Error{ErrorCode::kUnavailable, answer.reason};
    limiter.log(LogLevel::kWarning, "", "writer: trying again: {}", answer.reason);
    std::this_thread::sleep_for(std::chrono::milliseconds(kFlushMs));
  }
}

CommitAnswer KafkaWriter::await_shown(const Transaction& transaction) {
  LogLimiter limiter;
  const auto begin = Clock::now();
  std::optional<Clock::time_point> marked;
  bool has_warned = false;
  CommitAnswer answer;
  for (std::chrono::milliseconds again{2};;
       again = std::min(2 * again, std::chrono::milliseconds(kFlushMs))) {
    const bool is_late = Clock::now() - begin > kShownMax;
    if (is_late && !std::exchange(has_warned, true))
      board_.warn(kPart, "waiting: verdicts that were committed cannot be seen yet");
    const Result<std::string> open =
        is_late ? first_topic(look_for_ours(config_.topics.input)) : first_topic(look());
    if (open && open->empty()) break;
    board_.beat();
    const auto waited = Clock::now() - begin;
    const bool is_over = stop_.stop_requested() || !election_.held();
    if (waited > (is_over ? kShownMax : std::chrono::milliseconds(step_ms_))) {
      answer = doubt("committed, but not all of its verdicts can be seen");
      break;
    }
    if (is_late) {
      const std::string& why = open ? *open : open.error().message;
      board_.warn(kPart, "waiting: verdicts that were committed cannot be seen yet: " + why);
      limiter.log(LogLevel::kWarning, "",
                  "writer: waiting: verdicts that were committed cannot be seen yet: {}", why);
    }
    if (is_late && open && (!marked || Clock::now() - *marked > kMarkedMax)) {
      log_warning(
          "writer: a transaction has no end in partitions of the verdict topics after {} s: it is marked "
          "again",
          kShownMax.count() / 1000);
      if (answer = mark_again(transaction.positions); !is_done(answer)) break;
      marked = Clock::now();
    }
    std::this_thread::sleep_for(again);
  }
  if (has_warned) board_.warn(kPart, "");
  if (is_done(answer)) answer.recycle_before_next = producer_->listener.take_unanswered();
  return answer;
}

CommitAnswer KafkaWriter::commit(const Transaction& transaction) {
  CHECK(producer_ != nullptr, "recycle() makes the producer before the first commit");
  has_begun_ = false;
  CommitAnswer answer = send(transaction);
  if (is_done(answer)) {
    if (const std::optional<std::string> undelivered = producer_->undelivered())
      answer = doubt("committed, but " + *undelivered);
  }
  if (is_done(answer)) {
    answer.recycle_before_next = producer_->listener.take_unanswered();
  } else {
    purge();  // who hears this may end, and its payloads with it
  }
  return answer;
}

}  // namespace neardup
