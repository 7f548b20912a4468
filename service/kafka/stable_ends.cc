#include "service/kafka/stable_ends.h"

#include <optional>

#include "service/kafka/offsets_request.h"

namespace neardup {
namespace {

Error silence(rd_kafka_resp_err_t error) {
  const bool is_headless = error == RD_KAFKA_RESP_ERR__NOENT;  // of whom shall librdkafka ask?
  return {ErrorCode::kUnavailable, "asking for the ends of the verdict topics: " +
                                       (is_headless ? "a partition has no leader" : describe(error))};
}

}  // namespace

void StableEnds::begin(std::span<const TopicPartition> partitions) {
  partitions_ = partition_list(static_cast<int>(partitions.size()));
  for (const auto& [topic, partition] : partitions)
    rd_kafka_topic_partition_list_add(partitions_.get(), topic.c_str(), partition);
  ends_.clear();
}

Result<std::vector<OpenPartition>> StableEnds::look(rd_kafka_t* client, int timeout_ms) {
  std::optional<OffsetsRequest> ends;
  if (ends_.empty())
    ends.emplace(client, *partitions_, RD_KAFKA_ISOLATION_LEVEL_READ_UNCOMMITTED, timeout_ms);
  OffsetsRequest request(client, *partitions_, RD_KAFKA_ISOLATION_LEVEL_READ_COMMITTED, timeout_ms);
  if (ends) {
    OffsetsRequest::Offsets offsets;
    if (const auto error = ends->take(offsets); error != RD_KAFKA_RESP_ERR_NO_ERROR) return silence(error);
    ends_ = std::move(offsets);
  }
  OffsetsRequest::Offsets stable;
  if (const auto error = request.take(stable); error != RD_KAFKA_RESP_ERR_NO_ERROR) return silence(error);
  std::vector<OpenPartition> open;
  for (const auto& [partition, end] : ends_) {
    const std::int64_t at = stable.at(partition);
    if (at >= end) continue;
    if (const auto held = of_others_.find(partition); held != of_others_.end() && held->second == at)
      continue;
    open.push_back({partition.topic, partition.partition, at});
  }
  return open;
}

void StableEnds::leave_to_others(const OpenPartition& partition) {
  of_others_.insert_or_assign({partition.topic, partition.partition}, partition.stable);
}

}  // namespace neardup
