// What a client makes of answers that a real broker seldom gives, on librdkafka's own mock of a cluster; and
// what our settings are to it.

#include "service/kafka/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "service/kafka/topics.h"
#include "tests/service/kafka/mock_cluster.h"
#include "tests/support/eventually.h"
#include "tests/support/folder_test.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct MetadataDeleter {
  void operator()(const rd_kafka_metadata_t* p) const { rd_kafka_metadata_destroy(p); }
};

// How many brokers the answer lists; none came: -1.
int ask_for_brokers(rd_kafka_t& client, milliseconds limit) {
  const rd_kafka_metadata_t* answer = nullptr;
  if (rd_kafka_metadata(&client, 1, nullptr, &answer, static_cast<int>(limit.count())) !=
      RD_KAFKA_RESP_ERR_NO_ERROR) {
    return -1;
  }
  const std::unique_ptr<const rd_kafka_metadata_t, MetadataDeleter> owned(answer);
  return answer->broker_cnt;
}

class ErrorNames : public Probe {
 public:
  void kafka_error(std::string_view, std::string_view code) override { names.emplace_back(code); }
  std::vector<std::string> names;
};

// librdkafka without our patch drops every broker, and most often for ever
// (tests/support/librdkafka-5301.patch).
TEST(Client, keeps_the_brokers_it_knows_when_an_answer_lists_none) {
  MockCluster cluster({"pages"});
  KafkaConfig config;
  config.brokers = cluster.servers();
  ErrorNames errors;
  ClientListener listener("input", errors);
  const Result<RdKafka<rd_kafka_t>> client = make_client(RD_KAFKA_PRODUCER, config, {}, listener);
  ASSERT_TRUE(client) << client.error().message;
  ASSERT_EQ(ask_for_brokers(**client, milliseconds(30000)), 1);
  cluster.fence();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask_for_brokers(**client, milliseconds(30000)), 0);
    rd_kafka_poll(client->get(), 100);
  }
  EXPECT_THAT(errors.names, ::testing::IsEmpty());
}

// As of a broker that has just started: librdkafka without our patch ends the process
// (tests/support/librdkafka-empty-answer.patch).
TEST(Client, survives_an_answer_without_brokers_to_who_asks_for_them) {
  MockCluster cluster({"pages"});
  cluster.control(1);
  KafkaConfig config;
  config.brokers = cluster.servers();
  Probe probe;
  ClientListener listener("admin", probe);
  const Result<RdKafka<rd_kafka_t>> client = make_client(RD_KAFKA_PRODUCER, config, {}, listener);
  ASSERT_TRUE(client) << client.error().message;
  const RdKafka<rd_kafka_queue_t> answers(rd_kafka_queue_new(client->get()));
  const auto ask = [&] {
    rd_kafka_DescribeCluster(client->get(), nullptr, answers.get());
    const RdKafka<rd_kafka_event_t> event(rd_kafka_queue_poll(answers.get(), 30'000));
    return event ? rd_kafka_event_error(event.get()) : RD_KAFKA_RESP_ERR__TIMED_OUT;
  };
  ASSERT_EQ(ask(), RD_KAFKA_RESP_ERR_NO_ERROR);
  cluster.fence();
  EXPECT_EQ(ask(), RD_KAFKA_RESP_ERR__PARTIAL);
}

// Holds up the thread of a client that serves one broker, at an answer to a fetch.
class HeldBroker {
 public:
  explicit HeldBroker(std::int32_t broker) : broker_(broker) {}
  static rd_kafka_resp_err_t watch(rd_kafka_t* client, const rd_kafka_conf_t*, void* self, char*,
                                   std::size_t) {
    return rd_kafka_interceptor_add_on_response_received(client, "held", on_answer, self);
  }
  bool hold() {
    is_wanted_ = true;
    return eventually([&] { return is_held_.load(); });
  }
  void release() { is_wanted_ = false; }

 private:
  static rd_kafka_resp_err_t on_answer(rd_kafka_t*, int, const char*, std::int32_t broker, std::int16_t api,
                                       std::int16_t, std::int32_t, std::size_t, std::int64_t,
                                       rd_kafka_resp_err_t, void* opaque) {
    auto& self = *static_cast<HeldBroker*>(opaque);
    if (broker != self.broker_ || api != MockCluster::kFetch) return RD_KAFKA_RESP_ERR_NO_ERROR;
    self.is_held_ = self.is_wanted_.load();
    eventually([&] { return !self.is_wanted_; });  // no longer than that: who ends the client waits for this
    self.is_held_ = false;
    return RD_KAFKA_RESP_ERR_NO_ERROR;
  }

  std::int32_t broker_;
  std::atomic<bool> is_wanted_{false};
  std::atomic<bool> is_held_{false};
};

// librdkafka without our patch goes on to the other broker, and asks that one for ever
// (tests/support/librdkafka-leader-flip.patch).
TEST(Client, stays_with_a_leader_that_is_back_before_it_was_left) {
  constexpr std::int32_t kLeader = 1;
  constexpr std::int32_t kOther = 2;
  constexpr const char* kTopic = "pages";
  // Read all the time, so its leader is the least idle one, which is asked who leads.
  constexpr const char* kBusy = "news";
  MockCluster cluster({kTopic, kBusy}, 3);
  cluster.lead(kTopic, 0, kLeader);
  cluster.lead(kBusy, 0, 3);
  cluster.send(kTopic, {"one"});

  HeldBroker leader(kLeader);
  RdKafka<rd_kafka_conf_t> conf(rd_kafka_conf_new());
  std::array<char, 256> why{};
  const std::string servers = cluster.servers();
  for (const auto& [key, value] :
       {std::pair("bootstrap.servers", servers.c_str()), std::pair("group.id", "dedup"),
        std::pair("enable.auto.commit", "false"), std::pair("fetch.wait.max.ms", "10"),
        std::pair("enable.sparse.connections", "false")}) {
    ASSERT_EQ(rd_kafka_conf_set(conf.get(), key, value, why.data(), why.size()), RD_KAFKA_CONF_OK)
        << why.data();
  }
  rd_kafka_conf_interceptor_add_on_new(conf.get(), "held", HeldBroker::watch, &leader);
  const RdKafka<rd_kafka_t> client(rd_kafka_new(RD_KAFKA_CONSUMER, conf.get(), why.data(), why.size()));
  ASSERT_TRUE(client) << why.data();
  std::ignore = conf.release();  // the client's
  const auto list = partition_list(2);
  for (const char* const topic : {kTopic, kBusy}) {
    rd_kafka_topic_partition_list_add(list.get(), topic, 0)->offset = 0;
  }
  ASSERT_EQ(rd_kafka_assign(client.get(), list.get()), RD_KAFKA_RESP_ERR_NO_ERROR);
  const auto next = [&] {
    std::string value;
    EXPECT_TRUE(eventually([&] {
      const RdKafka<rd_kafka_message_t> message(rd_kafka_consumer_poll(client.get(), 100));
      if (message && !message->err) value.assign(static_cast<const char*>(message->payload), message->len);
      return !value.empty();
    }));
    return value;
  };
  ASSERT_EQ(next(), "one");

  const auto is_told = [&] { return ask_for_brokers(*client, milliseconds(500)) > 0; };
  for (const std::string value : {"two", "three", "four"}) {
    ASSERT_TRUE(leader.hold());
    cluster.lead(kTopic, 0, kOther);
    EXPECT_TRUE(eventually(is_told));
    cluster.lead(kTopic, 0, kLeader);
    EXPECT_TRUE(eventually(is_told));
    leader.release();
    cluster.send(kTopic, {value});
    ASSERT_EQ(next(), value);
  }
}

// librdkafka without our patch keeps what it asked with, which LeakSanitizer sees (./dev test --preset asan;
// tests/support/librdkafka-refused-coordinator.patch).
TEST(Client, keeps_nothing_of_a_coordinator_that_it_may_not_ask_for) {
  MockCluster cluster({"pages"});
  cluster.refuse(MockCluster::kFindCoordinator, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, 100);
  KafkaConfig config;
  config.brokers = cluster.servers();
  config.group = "dedup";
  const std::array positions = {CommittedPosition{.topic = "pages", .partition = 0, .next = 1}};
  const auto group = read_group(config, positions, std::chrono::seconds(10));
  ASSERT_FALSE(group);
  EXPECT_NE(group.error().message.find("GROUP_AUTHORIZATION_FAILED"), std::string::npos)
      << group.error().message;
}

// librdkafka without our patch waits for the broker that is gone
// (tests/support/librdkafka-lost-coordinator.patch).
TEST(Client, commits_positions_when_the_groups_coordinator_has_left_the_cluster) {
  MockCluster cluster({"pages"}, 2);
  cluster.coordinate("transaction", "writer", 1);
  cluster.coordinate("group", "dedup", 2);
  KafkaConfig config;
  config.brokers = cluster.servers();
  ErrorNames errors;
  ClientListener listener("writer", errors);
  const auto client = make_client(RD_KAFKA_PRODUCER, config, {{"transactional.id", "writer"}}, listener);
  ASSERT_TRUE(client) << client.error().message;
  const RdKafka<rd_kafka_consumer_group_metadata_t> group(rd_kafka_consumer_group_metadata_new("dedup"));
  const auto done = [](rd_kafka_error_t* error) {
    const RdKafka<rd_kafka_error_t> owned(error);
    return owned ? describe(*owned) : "done";
  };
  constexpr int kWaitMs = 20'000;
  ASSERT_EQ(done(rd_kafka_init_transactions(client->get(), kWaitMs)), "done");
  const auto commit = [&](std::int64_t position) {
    EXPECT_EQ(done(rd_kafka_begin_transaction(client->get())), "done");
    const auto positions = partition_list(1);
    rd_kafka_topic_partition_list_add(positions.get(), "pages", 0)->offset = position;
    EXPECT_EQ(
        done(rd_kafka_send_offsets_to_transaction(client->get(), positions.get(), group.get(), kWaitMs)),
        "done");
    EXPECT_EQ(done(rd_kafka_commit_transaction(client->get(), kWaitMs)), "done");
  };
  commit(1);
  cluster.coordinate("group", "dedup", 1);
  cluster.fence(2);
  ASSERT_TRUE(eventually([&] { return ask_for_brokers(**client, milliseconds(1000)) == 1; }));
  std::this_thread::sleep_for(milliseconds(500));  // its connection has ended, which wakes up those who wait
  commit(2);
}

// What waits in a client until it is polled: a few each second, for as long as Kafka is away.
TEST(Client, that_hears_of_failures_only_hears_of_errors_too) {
  KafkaConfig config;
  config.brokers = "127.0.0.1:1";
  ErrorNames errors;
  ClientListener listener("writer", errors);
  listener.failures_only = true;
  const auto client = make_client(RD_KAFKA_PRODUCER, config, {}, listener);
  ASSERT_TRUE(client) << client.error().message;
  const RdKafka<rd_kafka_queue_t> queue(rd_kafka_queue_get_main(client->get()));
  EXPECT_TRUE(eventually([&] {
    take_failures(**client, *queue, listener);
    return !errors.names.empty();
  }));
}

// As five clients tell it of a broker that is away: by each of their connections, as an error and as a line
// of librdkafka's log, with how often and after what time. Another fault has a line of its own.
TEST(Client, a_broker_that_is_away_is_one_line_whoever_tells_it) {
  const std::string why = "Connect to ipv4#10.0.0.1:9092 failed: No route to host";
  Probe probe;
  ::testing::internal::CaptureStderr();
  for (const std::string client : {"admin", "election", "input", "journal", "writer"}) {
    ClientListener listener(client, probe);
    for (const std::string connection :
         {"kafka-a:9092/bootstrap", "kafka-b:9092/2", "GroupCoordinator", "TxnCoordinator"}) {
      const std::string where =
          connection + (connection.ends_with("Coordinator") ? ": kafka-a:9092: " : ": ") + why;
      for (const std::string often : {"(after 0ms in state CONNECT)",
                                      "(after 5000ms in state CONNECT, 31 identical error(s) suppressed)"}) {
        listener.on_error(RD_KAFKA_RESP_ERR__TRANSPORT, (where + " " + often).c_str());
        listener.on_log(3, "FAIL", ("[thrd:" + connection + "]: " + where + " " + often).c_str());
      }
    }
    listener.on_error(RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, "3/3 brokers are down");
  }
  ClientListener("input", probe)
      .on_log(3, "FAIL", "[thrd:kafka-c:9092/3]: kafka-c:9092/3: SSL handshake failed");
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(log, '\n'), 2) << log;
  EXPECT_THAT(log, AllOf(HasSubstr(why), HasSubstr("SSL handshake failed")));
}

// How many records wait in the consumer's queue once nothing more is fetched into it.
std::size_t queued_at_rest(rd_kafka_t& client) {
  const RdKafka<rd_kafka_queue_t> queue(rd_kafka_queue_get_consumer(&client));
  std::size_t length = 0;
  EXPECT_TRUE(eventually([&] {
    const std::size_t before = length;
    std::this_thread::sleep_for(milliseconds(300));
    length = rd_kafka_queue_length(queue.get());
    return length > 0 && length == before;
  }));
  return length;
}

// A client that reads the first partition of "pages" from its beginning; null if there is none to be had.
RdKafka<rd_kafka_t> reader_of_pages(const MockCluster& cluster, ClientListener& listener,
                                    const ClientProperties& more = {}) {
  KafkaConfig config;
  config.brokers = cluster.servers();
  ClientProperties properties = consumer_properties("dedup");
  properties.insert(properties.end(), more.begin(), more.end());
  auto client = make_client(RD_KAFKA_CONSUMER, config, properties, listener);
  if (!client) {
    ADD_FAILURE() << client.error().message;
    return nullptr;
  }
  const auto list = partition_list(1);
  rd_kafka_topic_partition_list_add(list.get(), "pages", 0)->offset = 0;
  EXPECT_EQ(rd_kafka_assign(client->get(), list.get()), RD_KAFKA_RESP_ERR_NO_ERROR);
  return *std::move(client);
}

// librdkafka's producer does not say how large a frame is. Its consumer goes by what the frame takes packed,
// and without our patch refuses one of these for ever (tests/support/librdkafka-zstd-limit.patch).
TEST(Client, unpacks_what_is_below_its_limit) {
  constexpr std::size_t kValueBytes = 60'000'000;
  const MockCluster cluster({"pages"});
  Probe probe;
  KafkaConfig config;
  config.brokers = cluster.servers();
  config.properties = {{"compression.codec", "zstd"}, {"message.max.bytes", "70000000"}};
  const auto sender = KafkaSender::open(config, "pages", probe);
  ASSERT_TRUE(sender) << sender.error().message;
  std::minstd_rand random(1);
  std::string value(kValueBytes, 'x');
  constexpr int kRecords = 3;
  for (const std::size_t noise : {10'000, 14'000, 20'000}) {
    std::generate_n(value.begin(), noise, [&] { return static_cast<char>(random()); });
    ASSERT_TRUE((*sender)->send(std::nullopt, value, {}, 0));
    ASSERT_TRUE((*sender)->finish(std::chrono::seconds(30)));
  }

  ClientListener listener("input", probe);
  const RdKafka<rd_kafka_t> client = reader_of_pages(cluster, listener);
  ASSERT_TRUE(client);
  int read = 0;
  EXPECT_TRUE(eventually([&] {
    const RdKafka<rd_kafka_message_t> message(rd_kafka_consumer_poll(client.get(), 100));
    if (message) {
      EXPECT_EQ(message->err, RD_KAFKA_RESP_ERR_NO_ERROR) << rd_kafka_message_errstr(message.get());
      if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        EXPECT_EQ(message->len, kValueBytes);
        ++read;
      }
    }
    return read == kRecords || ::testing::Test::HasFailure();
  }));
  EXPECT_EQ(read, kRecords);
}

// While memory is full nobody takes records, for days perhaps. librdkafka without our patch counts the bytes
// of their values alone (tests/support/librdkafka-queued-bytes.patch).
TEST(Client, stops_fetching_at_so_many_bytes_of_keys_values_and_headers) {
  constexpr std::size_t kRecords = 1500;
  constexpr std::size_t kRecordBytes = 2000;
  constexpr std::size_t kQueuedMax = 100'000;
  constexpr std::size_t kFetched = 65536;
  const std::string large(kRecordBytes, 'x');
  const std::array headers = {Header{"large", large}};
  using Send = std::function<Status(KafkaSender & sender)>;
  const std::pair<const char*, Send> kinds[] = {
      {"value", [&](KafkaSender& sender) { return sender.send("k", large); }},
      {"key", [&](KafkaSender& sender) { return sender.send(large, "v", {}, 0); }},
      {"key of a deletion", [&](KafkaSender& sender) { return sender.send(large, std::nullopt, {}, 0); }},
      {"header", [&](KafkaSender& sender) { return sender.send("k", "v", headers); }}};
  for (const auto& [kind, send] : kinds) {
    SCOPED_TRACE(kind);
    const MockCluster cluster({"pages"});
    Probe probe;
    KafkaConfig config;
    config.brokers = cluster.servers();
    config.properties = {{"compression.codec", "none"}, {"batch.size", "16384"}};
    const auto sender = KafkaSender::open(config, "pages", probe);
    ASSERT_TRUE(sender) << sender.error().message;
    for (std::size_t i = 0; i < kRecords; ++i) ASSERT_TRUE(send(**sender));
    ASSERT_TRUE((*sender)->finish(std::chrono::seconds(30)));

    ClientListener listener("input", probe);
    const RdKafka<rd_kafka_t> client =
        reader_of_pages(cluster, listener,
                        {{"queued.max.messages.kbytes", std::to_string(kQueuedMax / 1000)},
                         {"fetch.message.max.bytes", std::to_string(kFetched)}});
    ASSERT_TRUE(client);
    const std::size_t bytes = queued_at_rest(*client) * kRecordBytes;
    EXPECT_GE(bytes, kQueuedMax / 2);
    EXPECT_LE(bytes, kQueuedMax + 2 * kFetched);
  }
}

class ClientSettings : public FolderTest {
 protected:
  ClientSettings() { config_.brokers = "127.0.0.1:1"; }

  // A client that will find no broker.
  Result<RdKafka<rd_kafka_t>> make() {
    return make_client(RD_KAFKA_PRODUCER, config_, {{"linger.ms", "7"}}, listener_, {}, looks_);
  }
  std::string refusal() {
    const auto client = make();
    return client ? "accepted" : client.error().message;
  }
  static std::string value(const RdKafka<rd_kafka_t>& client, const char* property) {
    std::array<char, 512> value{};
    std::size_t size = value.size();
    const auto found = rd_kafka_conf_get(rd_kafka_conf(client.get()), property, value.data(), &size);
    return found == RD_KAFKA_CONF_OK ? value.data() : "unknown";
  }

  Probe probe_;
  ClientListener listener_{"writer", probe_};
  KafkaConfig config_;
  SecondLook looks_{.time = milliseconds(0)};
};

TEST_F(ClientSettings, the_operators_properties_have_the_last_word) {
  const auto ours = make();
  ASSERT_TRUE(ours) << ours.error().message;
  EXPECT_EQ(value(*ours, "linger.ms"), "7");
  EXPECT_EQ(value(*ours, "client.id"), "neardup-writer");
  EXPECT_EQ(value(*ours, "reconnect.backoff.max.ms"), "1000");
  config_.properties = {{"linger.ms", "9"},
                        {"client.id", "mine"},
                        {"reconnect.backoff.max.ms", "2000"},
                        {"socket.keepalive.enable", "true"}};
  const auto theirs = make();
  ASSERT_TRUE(theirs) << theirs.error().message;
  for (const auto& [property, expected] : config_.properties)
    EXPECT_EQ(value(*theirs, property.c_str()), expected) << property;
  config_.properties = {{"no.such.property", "1"}};
  EXPECT_THAT(refusal(), HasSubstr("kafka property no.such.property: "));
}

TEST_F(ClientSettings, a_wrong_value_is_not_repeated) {
  config_.properties = {{"debug", "hunter2"}};
  EXPECT_EQ(refusal(), "kafka property debug: Invalid value for configuration property \"debug\"");
  config_.properties = {{"debug", "broker,hunter2"}};
  EXPECT_THAT(refusal(), Not(HasSubstr("hunter2")));
  config_.properties = {{"linger.ms", "-5"}};
  EXPECT_THAT(refusal(), HasSubstr("outside allowed range"));
}

TEST_F(ClientSettings, user_and_password_reach_the_client) {
  config_.security_protocol = "sasl_plaintext";
  config_.sasl_mechanism = "SCRAM-SHA-256";
  config_.sasl_username = "me";
  config_.sasl_password_file = write("password", "hunter2\n");
  const auto client = make();
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_EQ(value(*client, "security.protocol"), "sasl_plaintext");
  EXPECT_EQ(value(*client, "sasl.mechanism"), "SCRAM-SHA-256");
  EXPECT_EQ(value(*client, "sasl.username"), "me");
  EXPECT_EQ(value(*client, "sasl.password"), "hunter2") << "without the end of its line";
}

// It reads no file for a connection without TLS: the settings alone are seen here.
TEST_F(ClientSettings, those_of_tls_reach_the_client) {
  config_.tls_ca_file = "/ca.pem";
  config_.tls_certificate_file = "/certificate.pem";
  config_.tls_key_file = "/key.pem";
  config_.tls_key_password_file = write("password", "hunter2");
  const auto client = make();
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_EQ(value(*client, "ssl.ca.location"), "/ca.pem");
  EXPECT_EQ(value(*client, "ssl.certificate.location"), "/certificate.pem");
  EXPECT_EQ(value(*client, "ssl.key.location"), "/key.pem");
  EXPECT_EQ(value(*client, "ssl.key.password"), "hunter2");
  config_.security_protocol = "ssl";
  EXPECT_THAT(refusal(), AllOf(HasSubstr("ssl.ca.location failed"),
                               HasSubstr("kafka.tls_ca_file: /ca.pem is not a readable file")));
}

TEST_F(ClientSettings, oauthbearer_has_a_client_where_others_have_a_user) {
  config_.sasl_mechanism = "OAUTHBEARER";
  config_.sasl_username = "me";
  config_.sasl_password_file = write("secret", "hunter2");
  const auto client = make();
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_EQ(value(*client, "sasl.oauthbearer.client.id"), "me");
  EXPECT_EQ(value(*client, "sasl.oauthbearer.client.secret"), "hunter2");
}

TEST(Sender, a_topic_without_a_possible_name_is_refused) {
  KafkaConfig config;
  config.brokers = "127.0.0.1:9";
  Probe probe;
  const auto sender = KafkaSender::open(config, std::string(600, 't'), probe);
  ASSERT_FALSE(sender);
  EXPECT_EQ(sender.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(sender.error().message, HasSubstr("topic ttt"));
}

TEST_F(ClientSettings, a_secret_that_cannot_be_had_is_named_and_never_said) {
  config_.sasl_password_file = (folder_ / "missing").string();
  EXPECT_EQ(make().error().code, ErrorCode::kInvalid) << "a wrong setting, as validate says";
  EXPECT_EQ(refusal(), "kafka.sasl_password_file: cannot read the file " + config_.sasl_password_file);
  config_.sasl_password_file = write("empty", "\r\n");
  EXPECT_EQ(refusal(), "kafka.sasl_password_file: the file " + config_.sasl_password_file + " is empty");
  constexpr std::size_t kBytesMax = 65536;
  config_.sasl_password_file = write("large", std::string(kBytesMax + 1, 'x'));
  EXPECT_EQ(refusal(), "kafka.sasl_password_file: the file " + config_.sasl_password_file + " is too large");
  config_.sasl_password_file = "/dev/zero";  // what has no end is not read to it
  EXPECT_EQ(refusal(), "kafka.sasl_password_file: the file /dev/zero is too large");
  config_.sasl_password_file = folder_.string();
  EXPECT_EQ(refusal(),
            "kafka.sasl_password_file: cannot read " + config_.sasl_password_file + "; is it a file?");
  // A client that is refused for another reason does not repeat it.
  config_.sasl_password_file = write("password", "hunter2");
  config_.security_protocol = "ssl";
  config_.tls_ca_file = "/nonexistent.pem";
  EXPECT_THAT(refusal(), AllOf(HasSubstr("ssl.ca.location failed"), Not(HasSubstr("hunter2"))));
}

// As whoever writes a new one in its place leaves it for a moment.
TEST_F(ClientSettings, a_secret_that_is_being_written_is_waited_for) {
  looks_ = {};
  config_.sasl_password_file = (folder_ / "password").string();
  for (const bool is_there : {true, false}) {
    std::filesystem::remove(config_.sasl_password_file);
    if (is_there) write("password", "");
    std::thread writer([this] {
      std::this_thread::sleep_for(milliseconds(500));
      write("password", "hunter2");
    });
    const auto client = make();
    writer.join();
    ASSERT_TRUE(client) << client.error().message;
    EXPECT_EQ(value(*client, "sasl.password"), "hunter2");
  }
}

TEST_F(ClientSettings, a_stop_is_heard_while_a_secret_is_waited_for) {
  config_.sasl_password_file = (folder_ / "missing").string();
  std::stop_source stop;
  std::thread operator_thread([&] {
    std::this_thread::sleep_for(milliseconds(300));
    stop.request_stop();
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto client = make_client(RD_KAFKA_PRODUCER, config_, {}, listener_, stop.get_token(),
                                  {.time = std::chrono::minutes(1)});
  operator_thread.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, ErrorCode::kUnavailable) << "no wrong setting: nobody waited to the end";
  EXPECT_THAT(client.error().message, AllOf(HasSubstr("asked to stop"), HasSubstr("cannot read the file")));
}

TEST_F(ClientSettings, what_no_file_is_to_blame_for_is_refused_at_once) {
  looks_.time = std::chrono::hours(1);
  config_.properties = {{"linger.ms", "-5"}};
  EXPECT_THAT(refusal(), HasSubstr("outside allowed range"));
}

}  // namespace
}  // namespace neardup
