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
  bool has_too_many_headers = false;  // for who read it: then there are none here, and it is no document
  std::int64_t timestamp_ms = 0;      // the broker's or the producer's; 0 when unknown
  std::int32_t leader_epoch = -1;     // Kafka's, to notice a truncated log; -1 when unknown
};

// What stands around a header in a record as it is sent, at most: the sizes of its name and value.
inline constexpr std::size_t kHeaderRoomBytes = 16;

// What one takes in memory besides its name and value, which are there twice: as fetched, and as librdkafka
// copies them into a piece of its own for each header.
inline constexpr std::size_t kHeaderMemoryBytes = sizeof(Header) + 64;

inline std::size_t bytes_of(const Header& header) {
  return header.name.size() + (header.value ? header.value->size() : 0);
}

// Key, value and headers, as they are sent.
inline std::size_t bytes_of(const Record& record) {
  std::size_t bytes = (record.key ? record.key->size() : 0) + (record.value ? record.value->size() : 0);
  for (const Header& header : record.headers) bytes += bytes_of(header) + kHeaderRoomBytes;
  return bytes;
}

// What lies around a record in memory: librdkafka's message, and our view of it.
inline constexpr std::size_t kRecordMemoryBytes = 512;

// What a record with too many takes, which nobody tells: so few are held at a time.
inline constexpr std::size_t kTooManyHeadersBytes = std::size_t{16} << 20;

// The same, as they are held.
inline std::size_t memory_of(const Record& record) {
  if (record.has_too_many_headers) return bytes_of(record) + kTooManyHeadersBytes;
  std::size_t bytes = kRecordMemoryBytes;
  bytes += (record.key ? record.key->size() : 0) + (record.value ? record.value->size() : 0);
  for (const Header& header : record.headers) bytes += 2 * bytes_of(header) + kHeaderMemoryBytes;
  return bytes;
}

}  // namespace neardup
