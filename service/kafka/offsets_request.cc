#include "service/kafka/offsets_request.h"

#include <array>
#include <memory>
#include <span>

#include "core/base/check.h"

namespace neardup {

namespace {

RdKafka<rd_kafka_AdminOptions_t> options_of(rd_kafka_t* client, rd_kafka_admin_op_t operation,
                                            int timeout_ms) {
  RdKafka<rd_kafka_AdminOptions_t> options(rd_kafka_AdminOptions_new(client, operation));
  std::array<char, 256> why{};
  rd_kafka_AdminOptions_set_request_timeout(options.get(), timeout_ms, why.data(), why.size());
  return options;
}

}  // namespace

OffsetsRequest::OffsetsRequest(rd_kafka_t* client, const rd_kafka_topic_partition_list_t& partitions,
                               rd_kafka_IsolationLevel_t isolation, int timeout_ms)
    : timeout_ms_(timeout_ms), answers_(rd_kafka_queue_new(client)) {
  const auto options = options_of(client, RD_KAFKA_ADMIN_OP_LISTOFFSETS, timeout_ms);
  const RdKafka<rd_kafka_error_t> refused(
      rd_kafka_AdminOptions_set_isolation_level(options.get(), isolation));
  CHECK(!refused, "an option of this request");
  const RdKafka<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_copy(&partitions));
  for (rd_kafka_topic_partition_t& one : std::span(list->elems, static_cast<std::size_t>(list->cnt)))
    one.offset = RD_KAFKA_OFFSET_SPEC_LATEST;
  rd_kafka_ListOffsets(client, list.get(), options.get(), answers_.get());
}

rd_kafka_resp_err_t OffsetsRequest::take(Offsets& offsets) {
  const RdKafka<rd_kafka_event_t> event(rd_kafka_queue_poll(answers_.get(), 2 * timeout_ms_));
  if (!event) return RD_KAFKA_RESP_ERR__TIMED_OUT;
  if (const auto error = rd_kafka_event_error(event.get()); error != RD_KAFKA_RESP_ERR_NO_ERROR) return error;
  std::size_t count = 0;
  const auto* infos =
      rd_kafka_ListOffsets_result_infos(rd_kafka_event_ListOffsets_result(event.get()), &count);
  for (const rd_kafka_ListOffsetsResultInfo_t* info : std::span(infos, count)) {
    const rd_kafka_topic_partition_t& answer = *rd_kafka_ListOffsetsResultInfo_topic_partition(info);
    if (const auto error = list_offsets_error(answer); error != RD_KAFKA_RESP_ERR_NO_ERROR) return error;
    offsets[{answer.topic, answer.partition}] = answer.offset;
  }
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

GroupRequest::GroupRequest(rd_kafka_t* client, const std::string& group,
                           const rd_kafka_topic_partition_list_t& partitions, int timeout_ms)
    : timeout_ms_(timeout_ms), answers_(rd_kafka_queue_new(client)) {
  const auto options = options_of(client, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS, timeout_ms);
  const RdKafka<rd_kafka_error_t> refused(rd_kafka_AdminOptions_set_require_stable_offsets(options.get(), 1));
  CHECK(!refused, "an option of this request");
  const std::unique_ptr<rd_kafka_ListConsumerGroupOffsets_t,
                        decltype(&rd_kafka_ListConsumerGroupOffsets_destroy)>
      request(rd_kafka_ListConsumerGroupOffsets_new(group.c_str(), &partitions),
              rd_kafka_ListConsumerGroupOffsets_destroy);
  rd_kafka_ListConsumerGroupOffsets_t* one = request.get();
  rd_kafka_ListConsumerGroupOffsets(client, &one, 1, options.get(), answers_.get());
}

rd_kafka_resp_err_t GroupRequest::take(bool& is_open) {
  const RdKafka<rd_kafka_event_t> event(rd_kafka_queue_poll(answers_.get(), 2 * timeout_ms_));
  if (!event) return RD_KAFKA_RESP_ERR__TIMED_OUT;
  // The answer says it of a partition, librdkafka of the whole.
  const auto is_unstable = [](rd_kafka_resp_err_t error) {
    return error == RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT;
  };
  is_open = is_unstable(rd_kafka_event_error(event.get()));
  if (is_open) return RD_KAFKA_RESP_ERR_NO_ERROR;
  if (const auto error = rd_kafka_event_error(event.get()); error != RD_KAFKA_RESP_ERR_NO_ERROR) return error;
  std::size_t count = 0;
  const auto* results = rd_kafka_ListConsumerGroupOffsets_result_groups(
      rd_kafka_event_ListConsumerGroupOffsets_result(event.get()), &count);
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
  const auto take_error = [&](rd_kafka_resp_err_t one) {
    if (is_unstable(one)) {
      is_open = true;
    } else if (one != RD_KAFKA_RESP_ERR_NO_ERROR) {
      error = one;
    }
  };
  for (const rd_kafka_group_result_t* result : std::span(results, count)) {
    take_error(rd_kafka_error_code(rd_kafka_group_result_error(result)));
    const auto* partitions = rd_kafka_group_result_partitions(result);
    for (int i = 0; partitions != nullptr && i < partitions->cnt; ++i) take_error(partitions->elems[i].err);
  }
  return error;
}

}  // namespace neardup
