// Records in librdkafka's words: a message seen as a Record, and a record handed to a producer, both without
// a copy.
#pragma once

#include <librdkafka/rdkafka.h>

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "service/codec/record.h"

namespace neardup {

// Views live as long as `message`, header views as long as `headers` too, which gets an element if there are
// any. `topic` is the ordinal for record.source.
Record view_record(const rd_kafka_message_t& message, std::uint32_t topic,
                   std::deque<std::vector<Header>>& headers);

// Of an error _AUTO_OFFSET_RESET: did librdkafka only fail to hear where the partition begins? It gives up at
// once where a broker does not know the partition yet, and says so as it says that records are gone.
bool is_beginning_untold(const rd_kafka_message_t& message);

// Queues one record, waiting while the queue is full and, where there is `waits`, that says true: else the
// answer is _QUEUE_FULL. `flags`: RD_KAFKA_MSG_F_COPY, or 0 when key and value
// stay where they are until the record is delivered. `partition` may be RD_KAFKA_PARTITION_UA: the key
// chooses.
rd_kafka_resp_err_t queue_record(rd_kafka_t* producer, rd_kafka_topic_t* topic, std::int32_t partition,
                                 int flags, std::optional<std::string_view> key,
                                 std::optional<std::string_view> value, std::span<const Header> headers,
                                 const std::function<bool()>& waits = {});

}  // namespace neardup
