#include "service/kafka/offsets_request.h"

#include <array>
#include <span>

#include "core/base/check.h"

namespace neardup {

OffsetsRequest::OffsetsRequest(rd_kafka_t* client, const rd_kafka_topic_partition_list_t& partitions,
                               rd_kafka_IsolationLevel_t isolation, int timeout_ms)
    : timeout_ms_(timeout_ms), answers_(rd_kafka_queue_new(client)) {
  const RdKafka<rd_kafka_AdminOptions_t> options(
      rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_LISTOFFSETS));
  std::array<char, 256> why{};
  rd_kafka_AdminOptions_set_request_timeout(options.get(), timeout_ms, why.data(), why.size());
  const RdKafka<rd_kafka_error_t> refused(
      rd_kafka_AdminOptions_set_isolation_level(options.get(), isolation));
  CHECK(!refused, "an option of this request");
  const RdKafka<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_copy(&partitions));
  for (rd_kafka_topic_partition_t& one : std::span(list->elems, static_cast<std::size_t>(list->cnt)))
    one.offset = RD_KAFKA_OFFSET_SPEC_LATEST;
  rd_kafka_ListOffsets(client, list.get(), options.get(), answers_.get());
}

rd_kafka_resp_err_t OffsetsRequest::take(Offsets& offsets) {
  return take_within(std::chrono::milliseconds(2 * timeout_ms_), offsets)
      .value_or(RD_KAFKA_RESP_ERR__TIMED_OUT);
}

std::optional<rd_kafka_resp_err_t> OffsetsRequest::take_within(std::chrono::milliseconds wait,
                                                               Offsets& offsets) {
  const RdKafka<rd_kafka_event_t> event(rd_kafka_queue_poll(answers_.get(), static_cast<int>(wait.count())));
  if (!event) return std::nullopt;
  if (const auto error = rd_kafka_event_error(event.get()); error != RD_KAFKA_RESP_ERR_NO_ERROR) return error;
  rd_kafka_resp_err_t first = RD_KAFKA_RESP_ERR_NO_ERROR;
  std::size_t count = 0;
  const auto* infos =
      rd_kafka_ListOffsets_result_infos(rd_kafka_event_ListOffsets_result(event.get()), &count);
  for (const rd_kafka_ListOffsetsResultInfo_t* info : std::span(infos, count)) {
    const rd_kafka_topic_partition_t& answer = *rd_kafka_ListOffsetsResultInfo_topic_partition(info);
    const auto error = list_offsets_error(answer);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
      offsets[{answer.topic, answer.partition}] = answer.offset;
    } else if (first == RD_KAFKA_RESP_ERR_NO_ERROR) {
      first = error;
    }
  }
  return first;
}

}  // namespace neardup
