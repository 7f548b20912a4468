// A transaction in the journal that is open as long as a test wants it to be, of the writer's own kind.
#pragma once

#include <string>

#include "service/config.h"
#include "service/kafka/client.h"

namespace neardup {

// Throws when Kafka refuses a step.
class OpenTransaction {
 public:
  explicit OpenTransaction(const Config& config);

  // Returns when its record lies in the journal.
  void begin();
  void commit();
  void abort();

 private:
  std::string journal_;
  char record_[6] = {'r', 'e', 'c', 'o', 'r', 'd'};  // librdkafka takes no constant one
  Probe probe_;
  ClientListener listener_;
  RdKafka<rd_kafka_t> producer_;
};

}  // namespace neardup
