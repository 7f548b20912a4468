#include "service/kafka/message.h"

#include <algorithm>

namespace neardup {
namespace {

constexpr int kQueueFullMs = 20;

// librdkafka takes non-const pointers, writes through none of them, and reads a null one as "there is none".
void* pointer(std::string_view bytes) {
  return const_cast<char*>(bytes.data() == nullptr ? "" : bytes.data());
}

std::optional<std::string_view> view(const void* bytes, std::size_t size) {
  if (bytes == nullptr) return std::nullopt;
  return std::string_view(static_cast<const char*>(bytes), size);
}

}  // namespace

Record view_record(const rd_kafka_message_t& message, std::uint32_t topic,
                   std::deque<std::vector<Header>>& headers) {
  Record record;
  record.source = {topic, message.partition, message.offset};
  record.key = view(message.key, message.key_len);
  record.value = view(message.payload, message.len);
  record.leader_epoch = rd_kafka_message_leader_epoch(&message);
  rd_kafka_timestamp_type_t kind;
  record.timestamp_ms = std::max<std::int64_t>(0, rd_kafka_message_timestamp(&message, &kind));

  rd_kafka_headers_t* list = nullptr;
  const rd_kafka_resp_err_t error = rd_kafka_message_headers(&message, &list);
  record.has_too_many_headers =
      error != RD_KAFKA_RESP_ERR_NO_ERROR && error != RD_KAFKA_RESP_ERR__NOENT;  // librdkafka takes 100 000
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return record;
  std::vector<Header>& own = headers.emplace_back();
  own.reserve(rd_kafka_header_cnt(list));
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  for (std::size_t i = 0;
       rd_kafka_header_get_all(list, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
    own.push_back({name, view(value, size)});
  }
  record.headers = own;
  return record;
}

bool is_beginning_untold(const rd_kafka_message_t& message) {
  return message.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET && message.offset == RD_KAFKA_OFFSET_BEGINNING;
}

rd_kafka_resp_err_t queue_record(rd_kafka_t* producer, rd_kafka_topic_t* topic, std::int32_t partition,
                                 int flags, std::optional<std::string_view> key,
                                 std::optional<std::string_view> value, std::span<const Header> headers,
                                 const std::function<bool()>& waits) {
  rd_kafka_headers_t* list = nullptr;
  if (!headers.empty()) {
    list = rd_kafka_headers_new(headers.size());
    for (const Header& header : headers) {
      rd_kafka_header_add(list, header.name.data(), static_cast<ssize_t>(header.name.size()),
                          header.value ? pointer(*header.value) : nullptr,
                          header.value ? static_cast<ssize_t>(header.value->size()) : 0);
    }
  }
  void* key_bytes = key ? pointer(*key) : nullptr;
  void* value_bytes = value ? pointer(*value) : nullptr;
  const std::size_t key_size = key ? key->size() : 0;
  const std::size_t value_size = value ? value->size() : 0;
  for (;;) {
    const rd_kafka_resp_err_t error = rd_kafka_producev(
        producer, RD_KAFKA_V_RKT(topic), RD_KAFKA_V_PARTITION(partition), RD_KAFKA_V_MSGFLAGS(flags),
        RD_KAFKA_V_KEY(key_bytes, key_size), RD_KAFKA_V_VALUE(value_bytes, value_size),
        RD_KAFKA_V_HEADERS(list), RD_KAFKA_V_END);
    if (error == RD_KAFKA_RESP_ERR__QUEUE_FULL && (!waits || waits())) {
      rd_kafka_poll(producer, kQueueFullMs);
      continue;
    }
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR && list != nullptr) rd_kafka_headers_destroy(list);  // still ours
    return error;
  }
}

}  // namespace neardup
