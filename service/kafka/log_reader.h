// Reads one partition of committed records, from its beginning or from where it is told: the journal in the
// service, any topic in tools and tests.
//
// The end of the log is the last stable offset, asked for when the reading begins; control records of
// transactions lie between records, so "last record + 1" never reaches it: the client's end-of-partition
// event does. If Kafka loses what it had committed neither does: so the end is asked for again when no record
// comes for a while, and one that lies before the first answer is error kContradiction. So is one that lies
// before what was read, if it stays there: a broker that stood still may not know yet that it leads no more.
//
// Threads: one caller.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "service/codec/record.h"
#include "service/journal/log.h"
#include "service/kafka/client.h"
#include "service/metrics/state.h"

namespace neardup {

class KafkaLogReader final : public SeekableLog {
 public:
  // What is not committed can be read, too: to learn what Kafka left without an end.
  enum class Isolation : std::uint8_t { kReadCommitted, kReadUncommitted };

  // `stop` ends a wait for what Kafka does not send; `board` hears that we wait.
  static Result<std::unique_ptr<KafkaLogReader>> open(const KafkaConfig& config, const std::string& topic,
                                                      std::int32_t partition, Probe& probe, StateBoard& board,
                                                      std::stop_token stop,
                                                      Isolation isolation = Isolation::kReadCommitted);
  ~KafkaLogReader() override;

  // From now on `stop` ends such a wait: a reader may outlive what it was opened for.
  // REQUIRES: nobody reads.
  void stop_on(std::stop_token stop) { stop_ = std::move(stop); }

  Status read_to_end(const std::function<Status(std::string_view bytes, double progress)>& take) override;
  Result<bool> next(std::chrono::milliseconds wait,
                    const std::function<Status(std::string_view bytes)>& take) override;
  Result<bool> is_settled() override;
  std::int64_t position() const override { return behind_last_; }
  Result<std::int64_t> end() override;
  Status start_at(std::int64_t position) override;

  // Takes the client's errors, which pile up while nobody reads. To be called from time to time.
  void listen();

  // Goes on `records` offsets before the end, or at the beginning if there are fewer. Whether it is there.
  Result<bool> start_near_end(std::int64_t records);

  // As read_to_end, with the whole record: key, headers, offset.
  Status read_records_to_end(const std::function<Status(const Record& record, double progress)>& take);

 private:
  KafkaLogReader(std::string topic, std::int32_t partition, Probe& probe, StateBoard& board,
                 std::stop_token stop);

  Status begin();
  Status begin_again(const rd_kafka_message_t& untold);
  Result<std::int64_t> end_not_before(std::int64_t offset);
  Error lost(std::int64_t end, std::int64_t before) const;
  Result<std::int64_t> ask_for_bounds(std::int64_t& low);  // the end; fills in where the log begins
  Result<std::int64_t> ask_until_told(const std::function<rd_kafka_resp_err_t(std::int64_t& offset)>& ask);
  rd_kafka_resp_err_t ask_for_high_watermark(std::int64_t& offset) const;

  std::string topic_;
  std::int32_t partition_;
  StateBoard& board_;
  std::stop_token stop_;
  Probe& probe_;
  ClientListener listener_;
  RdKafka<rd_kafka_t> client_;
  bool is_assigned_ = false;
  std::int64_t position_ = 0;     // the next offset that may hold a record we have not handed out
  std::int64_t behind_last_ = 0;  // one past the record that was handed out last
};

}  // namespace neardup
