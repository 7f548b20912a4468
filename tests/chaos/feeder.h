// Who fills the input of a round, beside the faults.
//
// Threads: one of its own sends; the rest is for one caller.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "service/config.h"
#include "service/kafka/sender.h"
#include "tests/support/generated_crawl.h"

namespace neardup {

// Sends a crawl: quickly to begin with, slowly when half of it is gone, until it is told that enough is
// enough. Record i goes to partition i % partitions.
class Feeder {
 public:
  // Throws when Kafka cannot be written to.
  Feeder(const Config& config, std::vector<GeneratedRecord> records, std::int32_t partitions,
         std::size_t documents_min);
  ~Feeder();
  Feeder(const Feeder&) = delete;
  Feeder& operator=(const Feeder&) = delete;

  // Has a page of nearly 1 MB sent soon: to read and sign it takes megabytes that no other page has taken.
  void send_large() { large_ = true; }

  // Sends what is missing to `documents_min`, and waits until all is there, or given up.
  Status finish();

 private:
  void run();
  void send_one();
  void send_large_one();

  std::vector<GeneratedRecord> records_;
  std::int32_t partitions_;
  std::size_t documents_min_;
  Probe probe_;
  std::unique_ptr<KafkaSender> sender_;
  std::atomic<bool> enough_{false};
  std::atomic<bool> large_{false};
  std::size_t sent_ = 0;  // of the thread, while it runs
  Status status_;
  std::thread thread_;
};

}  // namespace neardup
