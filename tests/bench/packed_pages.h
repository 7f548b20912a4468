// How do pages reach Kafka without the machine that sends them being measured?
//
// Compressing a page costs a producer as much as taking it costs the service; a crawler does that on other
// machines, and here there is one. So pages are packed before: as the bytes of requests of Kafka's protocol
// (Produce, version 7; batches of format 2, lz4), of which each is nothing but a write when its time comes.
//
// Threads: one caller.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tests/support/generated_text.h"
#include "tests/support/loopback_client.h"

namespace neardup {

// One request to append `pages` to `topic`; page i goes to partition (first + i) % kPartitions.
std::string pack_pages(std::string_view topic, std::span<const GeneratedText::Page> pages, std::size_t first);

// Sends such requests on one connection, without waiting for their answers.
class PackedSender {
 public:
  // `servers`: 127.0.0.1:PORT of the one broker. Throws if nobody is there.
  explicit PackedSender(const std::string& servers);

  // Throws if the connection broke, or an answer that came says that a batch was refused.
  void send(std::string_view request);
  // Returns when all answers are here. Throws as send() does, and after `wait`.
  void finish(std::chrono::milliseconds wait);

 private:
  void take_answers();

  LoopbackClient client_;
  std::string received_;
  std::size_t unanswered_ = 0;
};

}  // namespace neardup
