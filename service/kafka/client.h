// How is a Kafka client made, and who hears what it says?
//
// make_client turns our settings into librdkafka's; ClientListener hears the rest: errors and log lines go to
// our log (rate-limited) and the probe. A request of a transaction that was not answered is remembered, for
// librdkafka sends it again in silence, and the first copy may arrive in the next transaction.
//
// Errors wait in the client until it is polled, a few each second while Kafka is away: so whoever keeps a
// client polls it, or lets it go. A client whose login was refused and that is polled reads the password's
// file again, for passwords are changed while it runs; librdkafka tells of a refusal twice a minute.
//
// Threads: librdkafka calls the listener from its own threads; the counters are atomic.
// rdkafka.h is included only in this room.
#pragma once

#include <librdkafka/rdkafka.h>

#include <atomic>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "service/config.h"
#include "service/metrics/probe.h"
#include "service/second_look.h"

namespace neardup {

struct RdKafkaDeleter {
  void operator()(rd_kafka_t* p) const { rd_kafka_destroy(p); }
  void operator()(rd_kafka_conf_t* p) const { rd_kafka_conf_destroy(p); }
  void operator()(rd_kafka_queue_t* p) const { rd_kafka_queue_destroy(p); }
  void operator()(rd_kafka_event_t* p) const { rd_kafka_event_destroy(p); }
  void operator()(rd_kafka_error_t* p) const { rd_kafka_error_destroy(p); }
  void operator()(rd_kafka_message_t* p) const { rd_kafka_message_destroy(p); }
  void operator()(rd_kafka_headers_t* p) const { rd_kafka_headers_destroy(p); }
  void operator()(rd_kafka_topic_partition_list_t* p) const { rd_kafka_topic_partition_list_destroy(p); }
  void operator()(rd_kafka_consumer_group_metadata_t* p) const {
    rd_kafka_consumer_group_metadata_destroy(p);
  }
  void operator()(rd_kafka_AdminOptions_t* p) const { rd_kafka_AdminOptions_destroy(p); }
};
template <class T>
using RdKafka = std::unique_ptr<T, RdKafkaDeleter>;

// What a client hears from librdkafka. Must outlive the client.
class ClientListener {
 public:
  // `name` labels log lines and metrics: input, journal, writer, election, admin, feed.
  ClientListener(std::string name, Probe& probe) : name_(std::move(name)), probe_(probe) {}

  void on_error(int code, const char* reason);
  void on_log(int level, const char* facility, const char* text);
  // A JSON document once per statistics.interval.ms; set before the client is made.
  std::function<void(std::string_view json)> on_statistics;
  // One call per message that could not be delivered.
  void on_undelivered(rd_kafka_resp_err_t error);
  // Only failures are reported, and as events on the client's main queue (take_failures), where a callback
  // for each message delivered would cost the sender a few percent of its time. Set before the client is
  // made.
  bool failures_only = false;
  // Of a consumer: errors and statistics come by rd_kafka_poll alone, where they come among the records
  // otherwise. So they can be had without records. Set before the client is made.
  bool events_apart = false;
  // Where the client's password is from; "" if it logs in in another way. make_client sets it.
  void set_password_file(const std::string& path);
  // A broker refused the login: the client gets what the file holds now.
  void renew_password(rd_kafka_t& client);
  // Consumer group: partitions came or went.
  std::function<void(rd_kafka_t*, rd_kafka_resp_err_t, rd_kafka_topic_partition_list_t*)> on_rebalance;

  const std::string& name() const { return name_; }
  std::uint64_t delivered() const { return delivered_.load(std::memory_order_relaxed); }
  std::uint64_t undelivered() const { return undelivered_.load(std::memory_order_acquire); }
  rd_kafka_resp_err_t last_undelivered() const { return last_undelivered_.load(std::memory_order_relaxed); }
  // Of a producer: whether, since the last call, a request of a transaction was given up without an answer,
  // late or cut off.
  bool take_unanswered() { return unanswered_.exchange(false, std::memory_order_acq_rel); }
  void on_answer(std::int16_t api, rd_kafka_resp_err_t error);

  void count_delivered() { delivered_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::string name_;
  Probe& probe_;
  std::atomic<std::uint64_t> delivered_{0};
  std::atomic<std::uint64_t> undelivered_{0};
  std::atomic<rd_kafka_resp_err_t> last_undelivered_{RD_KAFKA_RESP_ERR_NO_ERROR};
  std::atomic<bool> unanswered_{false};
  std::mutex password_file_mutex_;  // requests that nobody listens to share one listener
  std::string password_file_;
};

using ClientProperties = std::vector<std::pair<std::string, std::string>>;

// A client with our connection settings, then `properties`, then the operator's kafka.properties. Secrets are
// read from their files in this room and nowhere else. A file that is being written is empty for a moment, or
// gone, and a certificate is not yet that of its key: so what is wrong while files are named has to last.
// Errors: kInvalid (a property that librdkafka refuses, or a secret's file, named); kUnavailable (asked to
// stop meanwhile; no thread is to be had).
Result<RdKafka<rd_kafka_t>> make_client(rd_kafka_type_t type, const KafkaConfig& config,
                                        const ClientProperties& properties, ClientListener& listener,
                                        const std::stop_token& stop = {}, const SecondLook& files = {});

// Does librdkafka take this property? Error kInvalid, which repeats no value.
Status check_property(const std::string& property, const std::string& value);

// Takes what waits on `queue`, the main one of a client whose listener hears of failures only: these, and
// errors.
void take_failures(rd_kafka_t& client, rd_kafka_queue_t& queue, ClientListener& listener);

// Properties that every consumer of ours has: committed records only, checked checksums, no position of its
// own making.
ClientProperties consumer_properties(std::string group);

// Of the library as it runs: "2.15.1".
std::string librdkafka_version();

// "NAME: text" of a librdkafka error.
std::string describe(rd_kafka_resp_err_t error);
std::string describe(const rd_kafka_error_t& error);

// Why a partition's answer to rd_kafka_ListOffsets says nothing, if so: of a request that was not answered
// in time librdkafka (2.15) makes a success without an offset.
rd_kafka_resp_err_t list_offsets_error(const rd_kafka_topic_partition_t& answer);

struct TopicPartition {
  std::string topic;
  std::int32_t partition = 0;

  friend auto operator<=>(const TopicPartition&, const TopicPartition&) = default;
};

// A list of one or more partitions.
RdKafka<rd_kafka_topic_partition_list_t> partition_list(int size_hint);

}  // namespace neardup
