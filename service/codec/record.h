// What does a record look like, whoever brought it?
//
// A view of one message: the consumer, a file reader or a test makes it, the codec reads it. The bytes belong
// to whoever made it and are never changed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/document.h"

namespace neardup {

struct Header {
  std::string_view name;
  std::optional<std::string_view> value;
};

struct Record {
  Source source;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::span<const Header> headers;
  std::int64_t timestamp_ms = 0;   // the broker's or the producer's; 0 when unknown
  std::int32_t leader_epoch = -1;  // Kafka's, to notice a truncated log; -1 when unknown
};

// What stands around a header in a record, and around it in memory, about.
inline constexpr std::size_t kHeaderRoomBytes = 16;

inline std::size_t bytes_of(std::span<const Header> headers) {
  std::size_t bytes = 0;
  for (const Header& header : headers)
    bytes += header.name.size() + (header.value ? header.value->size() : 0) + kHeaderRoomBytes;
  return bytes;
}

// Key, value and headers.
inline std::size_t bytes_of(const Record& record) {
  return (record.key ? record.key->size() : 0) + (record.value ? record.value->size() : 0) +
         bytes_of(record.headers);
}

}  // namespace neardup
