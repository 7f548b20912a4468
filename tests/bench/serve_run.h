// What do the benchmarks of `neardup serve` have in common?
//
// The topics of one run on a Kafka of their own, the pages that go in, and how far its group has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "service/config.h"
#include "service/kafka/client.h"
#include "service/kafka/sender.h"
#include "service/metrics/probe.h"
#include "tests/support/generated_text.h"

namespace neardup {

inline constexpr std::int32_t kPartitions = 8;  // of every topic but the journal

// For a PrivateKafka that keeps the last 64 MB of a partition, and the journal whole.
inline constexpr const char* kLittleKept =
    "--set log.retention.bytes=67108864 --set log.segment.bytes=16777216 "
    "--set log.retention.check.interval.ms=2000 --set log.segment.delete.delay.ms=1000";

// For clients that nobody watches.
Probe& no_probe();

inline void or_throw(const Status& status) {
  if (!status) throw std::runtime_error(status.error().message);
}
inline void or_throw(rd_kafka_resp_err_t error) {
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) throw std::runtime_error(describe(error));
}
inline void or_throw(rd_kafka_error_t* error) {
  if (const RdKafka<rd_kafka_error_t> owned(error); owned) throw std::runtime_error(describe(*owned));
}
template <class T>
T or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

// Topics and group of one run over the pages of `input`.
Config run_config(const std::string& servers, const std::string& input, const std::string& run);

void create_run_topics(const Config& config);

// Positions that a group has committed on the input, whose offsets begin at 0.
class GroupPositions {
 public:
  explicit GroupPositions(const Config& config);

  // How many records they cover.
  std::int64_t covered();

 private:
  ClientListener listener_{"bench", no_probe()};
  RdKafka<rd_kafka_t> client_;
  RdKafka<rd_kafka_topic_partition_list_t> list_;
};

// The pages of one run, each sent once: page i to partition i % kPartitions.
class Pages {
 public:
  Pages(const Config& config, std::size_t page_bytes, std::uint64_t seed);

  void send();    // the next one
  void finish();  // returns when Kafka has them all
  std::int64_t sent() const { return sent_; }
  // No more than a hundred thousand are ahead of `positions`, so that Kafka need not keep many.
  bool has_room(GroupPositions& positions);

 private:
  std::unique_ptr<KafkaSender> sender_;
  GeneratedText text_;
  GeneratedText::Page page_;
  std::int64_t sent_ = 0;
  std::int64_t covered_ = 0;  // as of the last look
};

}  // namespace neardup
