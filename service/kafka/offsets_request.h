// Where do these partitions end?
//
// One question to the leaders of all of them (ListOffsets): the high watermark, behind all that Kafka has, or
// the last stable offset, behind all that has its end. It is on its way once made, so that two may be at
// once, and that who has other things to do need not wait.
//
// Threads: one caller.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

#include "service/kafka/client.h"

namespace neardup {

class OffsetsRequest {
 public:
  using Offsets = std::map<TopicPartition, std::int64_t>;

  // Asks for the end of each of `partitions`, as readers of this isolation level see it. `client` must
  // outlive the request.
  OffsetsRequest(rd_kafka_t* client, const rd_kafka_topic_partition_list_t& partitions,
                 rd_kafka_IsolationLevel_t isolation, int timeout_ms);

  // Waits for all of them; call it once. The error of the first that does not answer; what the others
  // answered is in `offsets` all the same.
  rd_kafka_resp_err_t take(Offsets& offsets);
  // The same, if they answer within `wait`; nullopt: not yet, call it again.
  std::optional<rd_kafka_resp_err_t> take_within(std::chrono::milliseconds wait, Offsets& offsets);

 private:
  int timeout_ms_;
  RdKafka<rd_kafka_queue_t> answers_;
};

}  // namespace neardup
