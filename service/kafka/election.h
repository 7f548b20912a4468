// Which instance is the writer?
//
// All instances join one consumer group on the journal topic. It has one partition, so the group protocol
// gives it to exactly one of them: the leader. The assignment is cooperative-sticky, because with the others
// a newcomer can take the partition away from a leader that is well. Nothing is read here; the journal has
// its own reader. The group also keeps the input positions, and its metadata fences a writer that was voted
// out.
//
// Who loses the election stays in the group, and may win again: a Kafka that was away for longer than the
// session has voted everybody out.
//
// Threads: one of its own, so that the group's heartbeat never waits for a batch. It leaves the group when
// the worker shows no life for `silence_max`, so that another instance can take over from a stuck one.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "service/kafka/client.h"
#include "service/metrics/state.h"
#include "service/pipeline/leadership.h"

namespace neardup {

class Election final : public Leadership {
 public:
  // Joins the group. `on_change` is called from the election's thread, whenever this instance is elected, and
  // whenever it leads no more; `stop` ends the wait for a secret's file.
  using OnChange = std::function<void(bool leads)>;
  static Result<std::unique_ptr<Election>> join(const KafkaConfig& config, Probe& probe,
                                                const StateBoard& board, OnChange on_change,
                                                const std::stop_token& stop = {},
                                                std::chrono::seconds silence_max = StateBoard::kBeatMax);
  // Leaves the group, so that the next leader needs not wait for the session to end.
  ~Election() override;

  // True once this instance leads; false when the time is over or a stop was asked for.
  bool wait_until_leader(std::stop_token stop, std::chrono::milliseconds time);

  bool held() const override { return state_.load(std::memory_order_acquire) == Role::kLeader; }
  std::uint64_t election() const override { return election_.load(std::memory_order_acquire); }
  bool may_return() const override { return state_.load(std::memory_order_acquire) != Role::kLeft; }

  // Of this moment: the generation changes whenever an instance joins or leaves.
  RdKafka<rd_kafka_consumer_group_metadata_t> group_metadata() const;

 private:
  enum class Role : std::uint8_t { kFollower, kLeader, kLeft };

  Election(Probe& probe, const StateBoard& board, OnChange on_change, std::chrono::seconds silence_max);
  // What follows is of the election's thread alone, and so are changes of the state.
  void run(const std::stop_token& stop);
  void lose(Role then);
  void rebalance(rd_kafka_t* client, rd_kafka_resp_err_t event, rd_kafka_topic_partition_list_t* partitions);

  const StateBoard& board_;
  OnChange on_change_;
  const std::chrono::seconds silence_max_;
  Probe& probe_;
  ClientListener listener_;
  RdKafka<rd_kafka_t> client_;
  std::atomic<Role> state_{Role::kFollower};
  std::atomic<std::uint64_t> election_{0};  // how many were won
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;
};

}  // namespace neardup
