// Where do these partitions end?
//
// One question to the leaders of all of them (ListOffsets): the high watermark, behind all that Kafka has, or
// the last stable offset, behind all that has its end. It is on its way once made, so that two may be at
// once.
//
// Threads: one caller.
#pragma once

#include <cstdint>
#include <map>

#include "core/base/result.h"
#include "service/kafka/client.h"

namespace neardup {

class OffsetsRequest {
 public:
  using Offsets = std::map<TopicPartition, std::int64_t>;

  // Asks for the end of each of `partitions`, as readers of this isolation level see it. `client` must
  // outlive the request.
  OffsetsRequest(rd_kafka_t* client, const rd_kafka_topic_partition_list_t& partitions,
                 rd_kafka_IsolationLevel_t isolation, int timeout_ms);

  // Waits for all of them; call it once. The error of the first that does not answer.
  rd_kafka_resp_err_t take(Offsets& offsets);

 private:
  int timeout_ms_;
  RdKafka<rd_kafka_queue_t> answers_;
};

}  // namespace neardup
