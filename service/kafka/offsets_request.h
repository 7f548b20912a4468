// Where do these partitions end, and has the group positions that have no end?
//
// One question to the leaders of all partitions (ListOffsets): the high watermark, behind all that Kafka has,
// or the last stable offset, behind all that has its end; and one to the group's coordinator (OffsetFetch).
// They are on their way once made, so that several may be at
// once.
//
// Threads: one caller.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "service/kafka/client.h"

namespace neardup {

class OffsetsRequest {
 public:
  using Offsets = std::map<std::pair<std::string, std::int32_t>, std::int64_t>;  // by topic and partition

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

class GroupRequest {
 public:
  // Asks for the group's positions in `partitions`. `client` must outlive the request.
  GroupRequest(rd_kafka_t* client, const std::string& group,
               const rd_kafka_topic_partition_list_t& partitions, int timeout_ms);

  // Waits for the answer; call it once. `is_open`: one of them is of a transaction without an end.
  rd_kafka_resp_err_t take(bool& is_open);

 private:
  int timeout_ms_;
  RdKafka<rd_kafka_queue_t> answers_;
};

}  // namespace neardup
