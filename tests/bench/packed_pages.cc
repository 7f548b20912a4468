#include "tests/bench/packed_pages.h"

#include <lz4frame.h>

#include <array>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/crc32c.h"
#include "service/clock.h"
#include "tests/bench/serve_run.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::int16_t kProduce = 0;
constexpr std::int16_t kVersion = 7;
constexpr std::int16_t kAcksOfAll = -1;
constexpr std::int32_t kTimeoutMs = 30'000;
constexpr std::int16_t kLz4 = 3;
constexpr std::size_t kPartitionAnswerBytes = 30;  // partition, error, and three offsets or times

// The protocol's integers have their highest byte first.
template <class Integer>
void put(Integer value, std::string& out) {
  for (std::size_t i = sizeof value; i-- > 0;) out.push_back(static_cast<char>(value >> 8 * i & 0xFF));
}
void put_string(std::string_view text, std::string& out) {
  put(static_cast<std::int16_t>(text.size()), out);
  out.append(text);
}

std::int64_t get(std::string_view bytes, std::size_t at, std::size_t size) {
  if (bytes.size() < at + size) throw std::runtime_error("Kafka answers something else");
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  const unsigned unused = 64 - 8 * static_cast<unsigned>(size);
  return static_cast<std::int64_t>(value << unused) >> unused;
}

// Record `number` of a batch: no time of its own, no headers.
void put_record(const GeneratedText::Page& page, std::int64_t number, std::string& scratch,
                std::string& out) {
  scratch.clear();
  ByteWriter record(scratch);
  record.u8(0);
  record.signed_varint(0);
  record.signed_varint(number);
  record.signed_varint(static_cast<std::int64_t>(page.id.size()));
  record.bytes(page.id);
  record.signed_varint(static_cast<std::int64_t>(page.record.size()));
  record.bytes(page.record);
  record.signed_varint(0);
  ByteWriter writer(out);
  writer.signed_varint(static_cast<std::int64_t>(scratch.size()));
  writer.bytes(scratch);
}

// Kafka reads no blocks that hang on those before.
std::string compressed(std::string_view bytes) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  std::string frame(LZ4F_compressFrameBound(bytes.size(), &preferences), '\0');
  const std::size_t size =
      LZ4F_compressFrame(frame.data(), frame.size(), bytes.data(), bytes.size(), &preferences);
  if (LZ4F_isError(size) != 0) throw std::runtime_error(LZ4F_getErrorName(size));
  frame.resize(size);
  return frame;
}

std::string batch_of(std::string_view records, std::int32_t count) {
  std::string checked;  // what the checksum is of
  put(kLz4, checked);
  put(count - 1, checked);
  put(wall_clock_ms(), checked);  // of the first and of the last; Kafka stamps its own
  put(wall_clock_ms(), checked);
  put(std::int64_t{-1}, checked);  // no idempotent producer, its epoch, its sequence
  put(std::int16_t{-1}, checked);
  put(std::int32_t{-1}, checked);
  put(count, checked);
  checked += compressed(records);

  std::string rest;
  put(std::int32_t{-1}, rest);  // leader epoch
  rest.push_back(2);            // format
  put(crc32c(checked), rest);

  std::string batch;
  put(std::int64_t{0}, batch);
  put(static_cast<std::int32_t>(rest.size() + checked.size()), batch);
  return batch + rest + checked;
}

}  // namespace

std::string pack_pages(std::string_view topic, std::span<const GeneratedText::Page> pages,
                       std::size_t first) {
  std::array<std::string, kPartitions> records;
  std::array<std::int32_t, kPartitions> counts{};
  std::string scratch;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const std::size_t partition = (first + i) % kPartitions;
    put_record(pages[i], counts[partition]++, scratch, records[partition]);
  }
  std::string request;
  put(kProduce, request);
  put(kVersion, request);
  put(static_cast<std::int32_t>(first), request);  // comes back with the answer
  put_string("packed-pages", request);
  put(std::int16_t{-1}, request);  // no transaction
  put(kAcksOfAll, request);
  put(kTimeoutMs, request);
  put(std::int32_t{1}, request);
  put_string(topic, request);
  std::int32_t used = 0;
  for (const std::int32_t count : counts) used += count > 0 ? 1 : 0;
  put(used, request);
  for (std::int32_t partition = 0; partition < kPartitions; ++partition) {
    const auto at = static_cast<std::size_t>(partition);
    if (counts[at] == 0) continue;
    const std::string batch = batch_of(records[at], counts[at]);
    put(partition, request);
    put(static_cast<std::int32_t>(batch.size()), request);
    request += batch;
  }
  std::string framed;
  put(static_cast<std::int32_t>(request.size()), framed);
  return framed + request;
}

PackedSender::PackedSender(const std::string& servers)
    : client_(std::stoi(servers.substr(servers.rfind(':') + 1))) {
  if (!client_.connected()) throw std::runtime_error("nobody at " + servers);
}

void PackedSender::send(std::string_view request) {
  if (!client_.send(request)) throw std::runtime_error("Kafka hung up");
  ++unanswered_;
  take_answers();
}

void PackedSender::finish(milliseconds wait) {
  const auto deadline = steady_clock::now() + wait;
  while (unanswered_ > 0) {
    if (steady_clock::now() > deadline) throw std::runtime_error("Kafka does not answer");
    std::this_thread::sleep_for(milliseconds(1));
    take_answers();
  }
}

// size, correlation, topics: name, partitions: ...
void PackedSender::take_answers() {
  received_ += client_.received();
  std::string_view rest = received_;
  while (rest.size() >= 4) {
    const auto size = static_cast<std::size_t>(get(rest, 0, 4));
    if (rest.size() < 4 + size) break;
    const std::string_view answer = rest.substr(4, size);
    std::size_t at = 4 + 4;
    at += 2 + static_cast<std::size_t>(get(answer, at, 2));
    const std::int64_t partitions = get(answer, at, 4);
    at += 4;
    for (std::int64_t i = 0; i < partitions; ++i, at += kPartitionAnswerBytes) {
      const std::int64_t error = get(answer, at + 4, 2);
      if (error != 0) throw std::runtime_error("Kafka refuses a batch: error " + std::to_string(error));
    }
    --unanswered_;
    rest.remove_prefix(4 + size);
  }
  received_.erase(0, received_.size() - rest.size());
}

}  // namespace neardup
