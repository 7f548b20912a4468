#include "tests/chaos/feeder.h"

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

namespace neardup {
namespace {

constexpr std::chrono::milliseconds kDeadline{60000};
constexpr std::chrono::milliseconds kPause{40};
constexpr std::size_t kQuickly = 40;  // records between two pauses
constexpr std::size_t kSlowly = 4;
constexpr std::size_t kLargeBytes = 900'000;  // a topic takes 1 MiB

}  // namespace

Feeder::Feeder(const Config& config, std::vector<GeneratedRecord> records, std::int32_t partitions,
               std::size_t documents_min)
    : records_(std::move(records)), partitions_(partitions), documents_min_(documents_min) {
  auto sender = KafkaSender::open(config.kafka, config.kafka.topics.input.front(), probe_);
  if (!sender) throw std::runtime_error(sender.error().message);
  sender_ = std::move(*sender);
  thread_ = std::thread([this] { run(); });
}

Feeder::~Feeder() {
  enough_ = true;
  if (thread_.joinable()) thread_.join();
}

Status Feeder::finish() {
  enough_ = true;
  thread_.join();
  if (status_) status_ = sender_->finish(kDeadline);
  sender_.reset();
  return status_;
}

void Feeder::run() {
  while (status_ && sent_ < records_.size()) {
    if (large_.exchange(false)) send_large_one();
    const bool last = enough_;
    if (last && sent_ >= documents_min_) return;
    const std::size_t count = last                          ? documents_min_ - sent_
                              : sent_ < records_.size() / 2 ? kQuickly
                                                            : kSlowly;
    for (std::size_t i = 0; i < count && status_ && sent_ < records_.size(); ++i) send_one();
    if (!last) std::this_thread::sleep_for(kPause);
  }
}

void Feeder::send_one() {
  const auto partition = static_cast<std::int32_t>(sent_ % static_cast<std::size_t>(partitions_));
  const GeneratedRecord& record = records_[sent_];
  std::vector<Header> headers;
  for (const auto& [name, value] : record.headers) headers.push_back({name, value});
  status_ = sender_->send(record.key, record.value, headers, partition);
  ++sent_;
}

void Feeder::send_large_one() {
  std::string value = R"({"text":")";
  for (std::size_t word = 0; value.size() < kLargeBytes; ++word)
    value += std::to_string(word * 7919) + " word ";
  value += R"("})";
  status_ = sender_->send("large-" + std::to_string(sent_), value, {}, 0);
}

}  // namespace neardup
