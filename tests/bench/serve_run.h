// What do the benchmarks of `neardup serve` have in common?
//
// The topics of one run on a Kafka of their own, and how far its group has come.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "service/config.h"
#include "service/kafka/client.h"
#include "service/metrics/probe.h"

namespace neardup {

inline constexpr std::int32_t kPartitions = 8;  // of every topic but the journal

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

}  // namespace neardup
