// A transaction that is open as long as a test wants it to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "service/config.h"
#include "service/kafka/client.h"

namespace neardup {

// Of one topic. Throws when Kafka refuses a step.
class OpenTransaction {
 public:
  // `producer`: what it must have besides the connection settings, its transactional.id for one.
  OpenTransaction(const Config& config, const ClientProperties& producer, std::string topic);

  // Returns when records of these values lie in partition 0.
  void begin(const std::vector<std::string_view>& values = {"record"});
  void commit();
  void abort();

 private:
  std::string topic_;
  Probe probe_;
  ClientListener listener_;
  RdKafka<rd_kafka_t> producer_;
};

}  // namespace neardup
