#include "service/kafka/input.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/prefetch_line.h"
#include "service/clock.h"
#include "service/kafka/message.h"

namespace neardup {
namespace {

constexpr std::size_t kFetchMessagesMax = 4096;  // of one call; the caller's limit is for the whole batch
constexpr std::size_t kPrefetchAhead = 8;
constexpr auto kReportInterval = std::chrono::seconds(1);
constexpr auto kAskAgain = std::chrono::milliseconds(500);
constexpr auto kEndsInterval = std::chrono::seconds(10);
constexpr auto kEndsIntervalIdle = std::chrono::seconds(2);  // nothing else tells of them
constexpr int kEndsTimeoutMs = 10000;  // nobody waits for it, and a shorter one may cost the connection

RdKafka<rd_kafka_topic_partition_list_t> assignment_of(std::span<const InputPosition> positions) {
  RdKafka<rd_kafka_topic_partition_list_t> list = partition_list(static_cast<int>(positions.size()));
  for (const InputPosition& position : positions) {
    rd_kafka_topic_partition_t* entry =
        rd_kafka_topic_partition_list_add(list.get(), position.topic_name.c_str(), position.partition);
    entry->offset =
        position.next == InputPosition::kFromBeginning ? RD_KAFKA_OFFSET_BEGINNING : position.next;
    // The broker refuses a position whose epoch it does not know: a truncated log shows at once.
    if (position.leader_epoch >= 0) rd_kafka_topic_partition_set_leader_epoch(entry, position.leader_epoch);
  }
  return list;
}

}  // namespace

KafkaInput::KafkaInput(const KafkaConfig& config, Probe& probe, std::chrono::milliseconds rest_after)
    : config_(config),
      probe_(probe),
      rest_after_(rest_after),
      listener_("input", probe),
      held_(1),
      fetched_(kFetchMessagesMax) {
  listener_.events_apart = true;  // statistics come each second, and records may not be wanted for days
  listener_.on_statistics = [this](std::string_view json) { read_statistics(json); };
}

KafkaInput::~KafkaInput() {
  held_.clear();
  ends_.reset();
  queue_.reset();
  if (client_) rd_kafka_consumer_close(client_.get());
  probe_.assigned_partitions(0);
  probe_.brokers(0, 0);
  // Whatever waits, it is another instance's from now on.
  for (const Partition& partition : partitions_)
    probe_.lag(partition.topic_name, partition.partition, 0, 0, 0);
}

Result<std::unique_ptr<KafkaInput>> KafkaInput::open(const KafkaConfig& config, Probe& probe,
                                                     const std::stop_token& stop,
                                                     std::chrono::milliseconds rest_after) {
  std::unique_ptr<KafkaInput> input(new KafkaInput(config, probe, rest_after));
  ClientProperties properties = consumer_properties(config.group + "-input");
  properties.emplace_back("statistics.interval.ms", "1000");
  Result<RdKafka<rd_kafka_t>> client =
      make_client(RD_KAFKA_CONSUMER, config, properties, input->listener_, stop);
  if (!client) return client.error();
  input->client_ = std::move(*client);
  input->queue_.reset(rd_kafka_queue_get_consumer(input->client_.get()));
  return input;
}

Status KafkaInput::assign(std::span<const InputPosition> positions) {
  held_ = std::deque<Held>(1);
  batches_released_ = 0;
  untold_.clear();
  ends_.reset();
  partitions_.clear();
  for (const InputPosition& position : positions) know(position);
  sort_partitions();
  const auto list = assignment_of(positions);
  if (const rd_kafka_resp_err_t error = rd_kafka_assign(client_.get(), list.get());
      error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Error{ErrorCode::kUnavailable, "assigning the input partitions: " + describe(error)};
  }
  report_assigned();
  return {};
}

void KafkaInput::add(std::vector<InputPosition> positions) {
  const std::lock_guard lock(added_mutex_);
  added_.insert(added_.end(), std::make_move_iterator(positions.begin()),
                std::make_move_iterator(positions.end()));
  any_added_.store(true, std::memory_order_release);
}

Status KafkaInput::take_added() {
  std::vector<InputPosition> positions;
  {
    const std::lock_guard lock(added_mutex_);
    positions.swap(added_);
    any_added_.store(false, std::memory_order_relaxed);
  }
  for (const InputPosition& position : positions) know(position);
  sort_partitions();
  const auto list = assignment_of(positions);
  const RdKafka<rd_kafka_error_t> error(rd_kafka_incremental_assign(client_.get(), list.get()));
  if (error) return Error{ErrorCode::kUnavailable, "assigning new input partitions: " + describe(*error)};
  report_assigned();
  return {};
}

Status KafkaInput::begin_again() {
  const auto list = partition_list(static_cast<int>(untold_.size()));
  for (const auto& [topic, partition] : untold_)
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset =
        RD_KAFKA_OFFSET_BEGINNING;
  untold_.clear();
  RdKafka<rd_kafka_error_t> error(rd_kafka_incremental_unassign(client_.get(), list.get()));
  if (!error) error.reset(rd_kafka_incremental_assign(client_.get(), list.get()));
  if (error) return Error{ErrorCode::kUnavailable, "assigning input partitions again: " + describe(*error)};
  return {};
}

void KafkaInput::know(const InputPosition& position) {
  Partition partition;
  partition.topic = position.topic;
  partition.topic_name = position.topic_name;
  partition.partition = position.partition;
  const bool from_beginning = position.next == InputPosition::kFromBeginning;
  partition.lag = PartitionLag(from_beginning ? PartitionLag::kUnknown : position.next);
  if (from_beginning && position.log_begin) partition.lag.begins_at(*position.log_begin);
  // The first statistics come in a second; until then a backlog would look like none.
  if (position.log_end) partition.lag.end_is_at_least(*position.log_end);
  if (!from_beginning) partition.told = position.next;
  partition.heard = std::chrono::steady_clock::now();
  partitions_.push_back(std::move(partition));
}

void KafkaInput::sort_partitions() {
  std::sort(partitions_.begin(), partitions_.end(), [](const Partition& a, const Partition& b) {
    return std::pair(a.topic, a.partition) < std::pair(b.topic, b.partition);
  });
  topic_begin_.clear();
}

void KafkaInput::report_assigned() {
  probe_.assigned_partitions(partitions_.size());
  report_lag();
}

KafkaInput::Partition* KafkaInput::find(const rd_kafka_message_t& message) {
  auto known = std::find_if(topic_begin_.begin(), topic_begin_.end(),
                            [&](const auto& entry) { return entry.first == message.rkt; });
  if (known == topic_begin_.end()) {
    const std::string_view name = rd_kafka_topic_name(message.rkt);
    const auto first = std::find_if(partitions_.begin(), partitions_.end(),
                                    [&](const Partition& partition) { return partition.topic_name == name; });
    if (first == partitions_.end()) return nullptr;
    known = topic_begin_.emplace(topic_begin_.end(), message.rkt,
                                 static_cast<std::size_t>(first - partitions_.begin()));
  }
  // Partitions of a topic are 0 .. n-1, so the place is known.
  const std::size_t at = known->second + static_cast<std::size_t>(message.partition);
  return at < partitions_.size() && partitions_[at].partition == message.partition ? &partitions_[at]
                                                                                   : nullptr;
}

Status KafkaInput::poll(std::vector<Record>& records, std::size_t records_max,
                        std::chrono::milliseconds wait) {
  if (any_added_.load(std::memory_order_acquire)) {
    if (Status status = take_added(); !status) return status;
  }
  polled_at_ = std::chrono::steady_clock::now();
  if (!untold_.empty() && polled_at_ >= ask_again_) {
    if (Status status = begin_again(); !status) return status;
  }
  rd_kafka_poll(client_.get(), 0);  // errors and statistics
  ask_for_ends(kEndsInterval);
  const std::size_t room = std::min(records_max, fetched_.size());
  // Asked for many, librdkafka waits until it has as many, or the time is over.
  ssize_t count =
      rd_kafka_consume_batch_queue(queue_.get(), static_cast<int>(wait.count()), fetched_.data(), 1);
  if (count == 1 && room > 1) {
    const ssize_t rest = rd_kafka_consume_batch_queue(queue_.get(), 0, fetched_.data() + 1, room - 1);
    count += std::max<ssize_t>(rest, 0);
  }
  if (count < 0)
    return Error{ErrorCode::kUnavailable, "reading the input: " + describe(rd_kafka_last_error())};
  Status status;
  const std::span<rd_kafka_message_t* const> fetched(fetched_.data(), static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < fetched.size(); ++i) {
    // Headers stand behind the value, in memory that another core has just written.
    if (i + kPrefetchAhead < fetched.size()) {
      const rd_kafka_message_t& soon = *fetched[i + kPrefetchAhead];
      prefetch_line(static_cast<const char*>(soon.payload) + soon.len);
    }
    RdKafka<rd_kafka_message_t> message(fetched[i]);
    if (status) status = take(*message, records);
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) held_.back().messages.push_back(std::move(message));
  }
  report_lag();
  return status;
}

void KafkaInput::idle() {
  rd_kafka_poll(client_.get(), 0);
  ask_for_ends(kEndsIntervalIdle);
  report_lag();
}

Status KafkaInput::take(const rd_kafka_message_t& message, std::vector<Record>& records) {
  if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
    // The position steps over the control records of transactional producers only here.
    if (Partition* partition = find(message)) partition->lag.reached_end(message.offset);
    return {};
  }
  if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    const std::string where = message.rkt == nullptr ? "all"
                                                     : std::string(rd_kafka_topic_name(message.rkt)) + ":" +
                                                           std::to_string(message.partition);
    // Of a partition from which nothing was read yet, nothing at our position is gone.
    Partition* const partition = message.rkt == nullptr ? nullptr : find(message);
    const bool is_unread =
        partition != nullptr && partition->told < 0 && message.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET;
    if (is_unread) partition->lag = PartitionLag();  // wherever it had seen an end
    if (is_beginning_untold(message) || is_unread) {
      untold_.push_back({rd_kafka_topic_name(message.rkt), message.partition});
      ask_again_ = std::chrono::steady_clock::now() + kAskAgain;
    } else if (message.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
      return Error{
          ErrorCode::kContradiction,
          "input " + where + ": the records at our position are gone (" + rd_kafka_message_errstr(&message) +
              "). Retention or an operator removed them, or the log was truncated. Lengthen the topic's "
              "retention; to go on with what is there: serve --accept-input-loss " +
              where};
    }
    listener_.on_error(message.err, ("input " + where + ": " + rd_kafka_message_errstr(&message)).c_str());
    return {};
  }
  Partition* partition = find(message);
  CHECK(partition != nullptr, "a record of a partition that was not assigned");
  CHECK(message.offset >= partition->lag.polled(), "offsets of a partition never go back");

  const Record record = view_record(message, partition->topic, held_.back().headers);
  partition->lag.handed_out(message.offset, record.timestamp_ms);
  partition->told = message.offset + 1;
  partition->heard = polled_at_;
  records.push_back(record);
  return {};
}

// A partition of which nothing was read has no position that retention could pass over.
void KafkaInput::take_rests(std::vector<RestPosition>& rests) {
  const auto now = std::chrono::steady_clock::now();
  for (Partition& partition : partitions_) {
    if (partition.told < 0 || partition.lag.polled() <= partition.told) continue;
    if (now - partition.heard < rest_after_) continue;
    partition.told = partition.lag.polled();
    partition.heard = now;
    rests.push_back({partition.topic, partition.partition, partition.told});
  }
}

void KafkaInput::close_batch() {
  const std::uint64_t number = batches_released_ + held_.size();
  for (Partition& partition : partitions_) partition.lag.close_batch(number);
  held_.emplace_back();
}

void KafkaInput::release() {
  CHECK(held_.size() > 1, "a closed batch that was not released");
  held_.pop_front();
  ++batches_released_;
  for (Partition& partition : partitions_) partition.lag.committed(batches_released_);
}

void KafkaInput::read_statistics(std::string_view json) {
  const auto statistics = nlohmann::json::parse(json, nullptr, false);
  if (statistics.is_discarded() || !statistics.contains("topics")) return;
  for (Partition& partition : partitions_) {
    const auto topic = statistics["topics"].find(partition.topic_name);
    if (topic == statistics["topics"].end()) continue;
    const auto& partitions = (*topic)["partitions"];
    const auto entry = partitions.find(std::to_string(partition.partition));
    if (entry == partitions.end()) continue;
    if (const std::int64_t end = entry->value("ls_offset", std::int64_t{-1}); end >= 0) {
      partition.lag.end_is(end);
      partition.lag.high_watermark_is(entry->value("hi_offset", std::int64_t{-1}));
    }
  }
  // Besides the brokers there are the addresses we were given, which have no number, and the coordinators,
  // which are brokers met before under another name.
  std::uint64_t known = 0;
  std::uint64_t connected = 0;
  for (const auto& broker : statistics.value("brokers", nlohmann::json::object())) {
    if (broker.value("nodeid", -1) < 0 || broker.value("source", "") == "logical") continue;
    ++known;
    if (broker.value("state", "") == "UP") ++connected;
  }
  probe_.brokers(known, connected);
}

// The ends in the statistics (ls_offset; rd_kafka_get_watermark_offsets is no better) are those of the last
// fetch, and librdkafka fetches nothing more once its queue is full: lag would stand still while records pile
// up. So it would where every fetch of a partition fails.
void KafkaInput::ask_for_ends(std::chrono::seconds interval) {
  if (ends_) {
    OffsetsRequest::Offsets offsets;
    if (!ends_->take_within(std::chrono::milliseconds(0), offsets)) return;
    ends_.reset();
    for (Partition& partition : partitions_) {
      const auto end = offsets.find({partition.topic_name, partition.partition});
      if (end != offsets.end()) partition.lag.end_is_at_least(end->second);
    }
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - asked_for_ends_ < interval) return;
  asked_for_ends_ = now;
  const auto list = partition_list(static_cast<int>(partitions_.size()));
  for (const Partition& partition : partitions_)
    rd_kafka_topic_partition_list_add(list.get(), partition.topic_name.c_str(), partition.partition);
  ends_.emplace(client_.get(), *list, RD_KAFKA_ISOLATION_LEVEL_READ_COMMITTED, kEndsTimeoutMs);
}

void KafkaInput::report_lag() {
  const auto now = std::chrono::steady_clock::now();
  if (now - reported_ < kReportInterval) return;
  reported_ = now;
  const std::int64_t wall_ms = wall_clock_ms();
  for (Partition& partition : partitions_) {
    probe_.lag(partition.topic_name, partition.partition, partition.lag.records(), partition.lag.unstable(),
               partition.lag.seconds(wall_ms));
  }
}

}  // namespace neardup
