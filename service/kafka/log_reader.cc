#include "service/kafka/log_reader.h"

#include <algorithm>
#include <deque>
#include <thread>
#include <vector>

#include "service/kafka/message.h"
#include "service/kafka/offsets_request.h"
#include "service/second_look.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kPollMs = 100;
constexpr int kQueryMs = 5000;
constexpr milliseconds kSilenceMax{1000};  // then the log may have become shorter

}  // namespace

KafkaLogReader::KafkaLogReader(std::string topic, std::int32_t partition, Probe& probe, StateBoard& board,
                               std::stop_token stop)
    : topic_(std::move(topic)),
      partition_(partition),
      board_(board),
      stop_(std::move(stop)),
      probe_(probe),
      listener_("journal", probe) {
  listener_.events_apart = true;  // to be had where records may not be taken
}

KafkaLogReader::~KafkaLogReader() {
  if (client_) rd_kafka_consumer_close(client_.get());
}

Result<std::unique_ptr<KafkaLogReader>> KafkaLogReader::open(const KafkaConfig& config,
                                                             const std::string& topic, std::int32_t partition,
                                                             Probe& probe, StateBoard& board,
                                                             std::stop_token stop, Isolation isolation) {
  std::unique_ptr<KafkaLogReader> reader(new KafkaLogReader(topic, partition, probe, board, std::move(stop)));
  ClientProperties properties = consumer_properties(config.group + "-journal");
  properties.emplace_back("fetch.wait.max.ms",
                          "50");  // the end-of-partition event comes with the next empty fetch
  properties.emplace_back("fetch.message.max.bytes", "4194304");
  if (isolation == Isolation::kReadUncommitted)
    properties.emplace_back("isolation.level", "read_uncommitted");
  Result<RdKafka<rd_kafka_t>> client =
      make_client(RD_KAFKA_CONSUMER, config, properties, reader->listener_, reader->stop_);
  if (!client) return client.error();
  reader->client_ = std::move(*client);
  return reader;
}

Status KafkaLogReader::start_at(std::int64_t position) {
  const auto list = partition_list(1);
  rd_kafka_topic_partition_list_add(list.get(), topic_.c_str(), partition_)->offset =
      position == 0 ? RD_KAFKA_OFFSET_BEGINNING : position;
  if (const rd_kafka_resp_err_t error = rd_kafka_assign(client_.get(), list.get());
      error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Error{ErrorCode::kUnavailable, "reading topic " + topic_ + ": " + describe(error)};
  }
  is_assigned_ = true;
  position_ = behind_last_ = position;
  return {};
}

void KafkaLogReader::listen() { rd_kafka_poll(client_.get(), 0); }

// Not before somebody reads: who tells a position first is the only one who assigns. librdkafka, told another
// position while it asks where the log begins, goes back to the beginning half a second later.
Status KafkaLogReader::begin() { return is_assigned_ ? Status() : start_at(0); }

Status KafkaLogReader::begin_again(const rd_kafka_message_t& untold) {
  listener_.on_error(untold.err, rd_kafka_message_errstr(&untold));
  std::this_thread::sleep_for(milliseconds(kPollMs));
  return start_at(behind_last_);
}

Result<std::int64_t> KafkaLogReader::ask_until_told(
    const std::function<rd_kafka_resp_err_t(std::int64_t& offset)>& ask) {
  while (!stop_.stop_requested()) {
    board_.beat();
    std::int64_t offset = 0;
    const rd_kafka_resp_err_t error = ask(offset);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return offset;
    listener_.on_error(error, ("asking for the end of " + topic_).c_str());
    listen();
    std::this_thread::sleep_for(milliseconds(kPollMs));
  }
  return Error{ErrorCode::kUnavailable, "asked to stop while Kafka did not tell the end of " + topic_};
}

Result<std::int64_t> KafkaLogReader::ask_for_bounds(std::int64_t& low) {
  return ask_until_told([&](std::int64_t& stable) {  // of a read_committed consumer: the last stable offset
    return rd_kafka_query_watermark_offsets(client_.get(), topic_.c_str(), partition_, &low, &stable,
                                            kQueryMs);
  });
}

Result<std::int64_t> KafkaLogReader::end() {
  std::int64_t low = 0;
  return ask_for_bounds(low);
}

Error KafkaLogReader::lost(std::int64_t end, std::int64_t before) const {
  return {ErrorCode::kContradiction, "topic " + topic_ + " ends at " + std::to_string(end) +
                                         ", it ended at " + std::to_string(before) +
                                         ": committed records are gone"};
}

// The end, which does not lie before what was read, or was there. Who finds less may take it for the whole.
Result<std::int64_t> KafkaLogReader::end_not_before(std::int64_t offset) {
  const auto until = steady_clock::now() + SecondLook{}.time;
  for (;;) {
    const Result<std::int64_t> now = end();
    if (!now || *now >= offset) return now;
    if (steady_clock::now() > until) return lost(*now, offset);
    std::this_thread::sleep_for(milliseconds(kPollMs));
  }
}

Result<bool> KafkaLogReader::start_near_end(std::int64_t records) {
  std::int64_t low = 0;
  const Result<std::int64_t> end = ask_for_bounds(low);
  if (!end) return end.error();
  const bool is_beginning = *end - records <= low;
  if (Status status = start_at(is_beginning ? 0 : *end - records); !status) return status.error();
  return is_beginning;
}

// Where the log ends for those who read what is not committed, too.
rd_kafka_resp_err_t KafkaLogReader::ask_for_high_watermark(std::int64_t& offset) const {
  const auto list = partition_list(1);
  rd_kafka_topic_partition_list_add(list.get(), topic_.c_str(), partition_);
  OffsetsRequest request(client_.get(), *list, RD_KAFKA_ISOLATION_LEVEL_READ_UNCOMMITTED, kQueryMs);
  OffsetsRequest::Offsets offsets;
  const rd_kafka_resp_err_t error = request.take(offsets);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) offset = offsets.at({topic_, partition_});
  return error;
}

Result<bool> KafkaLogReader::is_settled() {
  const Result<std::int64_t> high =
      ask_until_told([this](std::int64_t& offset) { return ask_for_high_watermark(offset); });
  if (!high) return high.error();
  const Result<std::int64_t> stable = end();
  if (!stable) return stable.error();
  return *stable >= *high;
}

Status KafkaLogReader::read_records_to_end(const std::function<Status(const Record&, double)>& take) {
  if (Status status = begin(); !status) return status;
  const Result<std::int64_t> target = end_not_before(position_);
  if (!target) return target.error();
  auto heard = steady_clock::now();
  const auto tell = [&] { probe_.journal_read(position_, *target); };
  tell();
  while (position_ < *target) {
    if (stop_.stop_requested())
      return Error{ErrorCode::kUnavailable, "asked to stop while reading " + topic_};
    board_.beat();
    if (steady_clock::now() - heard > kSilenceMax) {
      if (const Result<std::int64_t> now = end_not_before(*target); !now) return now.error();
      heard = steady_clock::now();
    }
    const RdKafka<rd_kafka_message_t> message(rd_kafka_consumer_poll(client_.get(), kPollMs));
    if (!message) {
      listen();
      continue;
    }
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      position_ = std::max(position_, message->offset);
      tell();
      continue;
    }
    if (is_beginning_untold(*message)) {
      if (Status status = begin_again(*message); !status) return status;
      continue;
    }
    if (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
      return Error{ErrorCode::kContradiction,
                   "topic " + topic_ + ": " + rd_kafka_message_errstr(message.get())};
    }
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      listener_.on_error(message->err, rd_kafka_message_errstr(message.get()));
      continue;
    }
    std::deque<std::vector<Header>> headers;
    const Record record = view_record(*message, 0, headers);
    position_ = behind_last_ = message->offset + 1;
    tell();
    const double progress = std::min(1.0, static_cast<double>(position_) / static_cast<double>(*target));
    if (Status status = take(record, progress); !status) return status;
    heard = steady_clock::now();
  }
  return {};
}

Status KafkaLogReader::read_to_end(const std::function<Status(std::string_view, double)>& take) {
  return read_records_to_end([&](const Record& record, double progress) {
    return take(record.value.value_or(std::string_view()), progress);
  });
}

Result<bool> KafkaLogReader::next(milliseconds wait,
                                  const std::function<Status(std::string_view bytes)>& take) {
  if (Status status = begin(); !status) return status.error();
  listen();
  const auto deadline = steady_clock::now() + wait;
  const auto tell = [this] {
    std::int64_t low = 0;
    std::int64_t high = 0;  // as the last fetch told; asks nobody
    if (rd_kafka_get_watermark_offsets(client_.get(), topic_.c_str(), partition_, &low, &high) ==
        RD_KAFKA_RESP_ERR_NO_ERROR) {
      probe_.journal_read(position_, high);
    }
  };
  for (;;) {
    // Rounded up, and looked at once in any case: 1 ms, cut to 0, would find nothing for ever.
    const auto left =
        std::max(milliseconds::zero(), std::chrono::ceil<milliseconds>(deadline - steady_clock::now()));
    const RdKafka<rd_kafka_message_t> message(
        rd_kafka_consumer_poll(client_.get(), static_cast<int>(left.count())));
    if (!message) {
      if (steady_clock::now() < deadline) continue;
      tell();
      return false;
    }
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      position_ = std::max(position_, message->offset);
    } else if (is_beginning_untold(*message)) {
      if (Status status = begin_again(*message); !status) return status.error();
    } else if (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
      return Error{ErrorCode::kContradiction,
                   "topic " + topic_ + ": " + rd_kafka_message_errstr(message.get())};
    } else if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      listener_.on_error(message->err, rd_kafka_message_errstr(message.get()));
    } else {
      position_ = behind_last_ = message->offset + 1;
      tell();
      if (Status status = take({static_cast<const char*>(message->payload), message->len}); !status)
        return status.error();
      return true;
    }
  }
}

}  // namespace neardup
