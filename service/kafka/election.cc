#include "service/kafka/election.h"

#include <algorithm>

#include "service/log.h"

namespace neardup {
namespace {

constexpr int kJoinMaxMs = 30000;  // who joins waits so long for an answer, and the group for who is to come

}  // namespace

Election::Election(Probe& probe, const StateBoard& board, OnChange on_change,
                   std::chrono::seconds silence_max)
    : board_(board),
      on_change_(std::move(on_change)),
      silence_max_(silence_max),
      probe_(probe),
      listener_("election", probe) {
  listener_.on_rebalance = [this](rd_kafka_t* client, rd_kafka_resp_err_t event,
                                  rd_kafka_topic_partition_list_t* partitions) {
    rebalance(client, event, partitions);
  };
}

Result<std::unique_ptr<Election>> Election::join(const KafkaConfig& config, Probe& probe,
                                                 const StateBoard& board, OnChange on_change,
                                                 const std::stop_token& stop,
                                                 std::chrono::seconds silence_max) {
  std::unique_ptr<Election> election(new Election(probe, board, std::move(on_change), silence_max));
  ClientProperties properties = consumer_properties(config.group);
  properties.insert(
      properties.end(),
      {
          {"partition.assignment.strategy", "cooperative-sticky"},
          {"session.timeout.ms", std::to_string(config.session_timeout_ms)},
          // A standby hears with its next heartbeat that the leader left.
          {"heartbeat.interval.ms", std::to_string(std::clamp(config.session_timeout_ms / 6, 100, 500))},
          // So long, and not five minutes, stays outside whose request to join was lost on the way.
          {"max.poll.interval.ms", std::to_string(std::max(config.session_timeout_ms, kJoinMaxMs))},
      });
  Result<RdKafka<rd_kafka_t>> client =
      make_client(RD_KAFKA_CONSUMER, config, properties, election->listener_, stop);
  if (!client) return client.error();
  election->client_ = std::move(*client);
  const auto list = partition_list(1);
  rd_kafka_topic_partition_list_add(list.get(), config.topics.journal.c_str(), RD_KAFKA_PARTITION_UA);
  if (const rd_kafka_resp_err_t error = rd_kafka_subscribe(election->client_.get(), list.get());
      error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Error{ErrorCode::kUnavailable,
                 "joining the election group " + config.group + ": " + describe(error)};
  }
  election->thread_ = std::jthread([self = election.get()](const std::stop_token& end) { self->run(end); });
  return election;
}

Election::~Election() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  on_change_ = nullptr;  // leaving on purpose is no loss
  if (client_) rd_kafka_consumer_close(client_.get());
}

void Election::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    // Without polls the group drops us after max.poll.interval.ms; leaving now lets a standby take over at
    // once.
    if (held() && board_.since_beat() > silence_max_) {
      log_error("the worker has shown no life for {} s: leaving the election", silence_max_.count());
      lose(Role::kLeft);
      rd_kafka_unsubscribe(client_.get());
    }
    const RdKafka<rd_kafka_message_t> message(rd_kafka_consumer_poll(client_.get(), 100));
    if (message && message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      listener_.on_error(message->err, rd_kafka_message_errstr(message.get()));
    }
  }
}

void Election::rebalance(rd_kafka_t* client, rd_kafka_resp_err_t event,
                         rd_kafka_topic_partition_list_t* partitions) {
  if (event == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    for (int i = 0; i < partitions->cnt; ++i) partitions->elems[i].offset = RD_KAFKA_OFFSET_END;
    const RdKafka<rd_kafka_error_t> error(rd_kafka_incremental_assign(client, partitions));
    if (error) log_error("election: {}", describe(*error));
    rd_kafka_pause_partitions(client, partitions);  // membership is all we want
    probe_.election(partitions->cnt == 0 ? ElectionOutcome::kUnchanged : ElectionOutcome::kElected);
    if (partitions->cnt == 0) return;
    if (state_.load(std::memory_order_acquire) == Role::kFollower) {
      election_.fetch_add(1, std::memory_order_acq_rel);
      state_.store(Role::kLeader, std::memory_order_release);
      if (on_change_) on_change_(true);
    }
  } else {
    const RdKafka<rd_kafka_error_t> error(rd_kafka_incremental_unassign(client, partitions));
    if (error) log_error("election: {}", describe(*error));
    if (partitions->cnt == 0) return;
    probe_.election(ElectionOutcome::kLost);
    if (held()) lose(Role::kFollower);
  }
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void Election::lose(Role then) {
  state_.store(then, std::memory_order_release);
  if (on_change_) on_change_(false);
}

bool Election::wait_until_leader(std::stop_token stop, std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::move(stop), time, [this] { return held(); });
}

RdKafka<rd_kafka_consumer_group_metadata_t> Election::group_metadata() const {
  return RdKafka<rd_kafka_consumer_group_metadata_t>(rd_kafka_consumer_group_metadata(client_.get()));
}

}  // namespace neardup
