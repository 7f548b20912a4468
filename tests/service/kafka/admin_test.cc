// What is made of answers about topics and offsets that a real broker seldom gives, on librdkafka's own mock.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "service/kafka/topics.h"
#include "tests/service/kafka/mock_cluster.h"
#include "tests/support/eventually.h"
#include "tests/support/folder_test.h"
#include "tests/support/kafka_frames.h"

namespace {
std::atomic<int> connects = 0;
}

// In the place of libc's: librdkafka's tries to connect are counted.
extern "C" int connect(int fd, const sockaddr* address, socklen_t size) {
  ++connects;
  return static_cast<int>(syscall(SYS_connect, fd, address, size));
}

namespace neardup {
namespace {

using AdminFiles = FolderTest;

TEST(Admin, names_what_to_do_about_positions_whose_transaction_does_not_end) {
  MockCluster cluster({"pages"});
  KafkaConfig config;
  config.brokers = cluster.servers();
  config.group = "readers";
  std::vector<InputTopic> topics = {{"pages", {}, 1}};
  cluster.refuse(MockCluster::kOffsetFetch, RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT, 100);
  const Status status = read_bounds(config, topics, std::chrono::milliseconds(9000));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kUnsettled);
  EXPECT_THAT(status.error().message,
              ::testing::AllOf(::testing::HasSubstr("group readers: UNSTABLE_OFFSET_COMMIT"),
                               ::testing::HasSubstr("find-hanging --topic __consumer_offsets"),
                               ::testing::HasSubstr("abort ends it there"),
                               ::testing::HasSubstr("--accept-moved-offsets journal")));
}

// The coordinator has just moved. Of a producer librdkafka would follow a null pointer (issue 5040).
TEST(Admin, outlives_a_broker_that_does_not_coordinate_the_group_any_more) {
  MockCluster cluster({"pages"});
  KafkaConfig config;
  config.brokers = cluster.servers();
  config.group = "readers";
  std::vector<InputTopic> topics = {{"pages", {}, 1}};
  cluster.refuse(MockCluster::kOffsetFetch, RD_KAFKA_RESP_ERR_NOT_COORDINATOR, 1);
  const Status refused = read_bounds(config, topics, std::chrono::milliseconds(9000));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable) << "it is asked again";
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("NOT_COORDINATOR"));
  const Status answered = read_bounds(config, topics, std::chrono::milliseconds(9000));
  ASSERT_TRUE(answered) << answered.error().message;
  EXPECT_EQ(topics[0].bounds[0].end, 0);
  EXPECT_EQ(topics[0].bounds[0].committed, std::nullopt);
}

TEST(Admin, a_kafka_that_is_away_is_named_with_the_settings_to_look_at) {
  KafkaConfig config;
  config.brokers = "127.0.0.1:1";
  const auto described = describe_topics(config, {"pages"}, std::chrono::milliseconds(1000));
  ASSERT_FALSE(described);
  EXPECT_EQ(described.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(
      described.error().message,
      ::testing::StartsWith("describing topics: no answer of 127.0.0.1:1 in 1 s; is Kafka there, and are "
                            "kafka.brokers and kafka.security_protocol (plaintext) right? (_TIMED_OUT"));
}

// Whoever ends a process that waits for Kafka has a limit; that of a container is ten seconds.
TEST(Admin, a_stop_ends_the_wait_for_a_kafka_that_is_away) {
  KafkaConfig config;
  config.brokers = "127.0.0.1:1";
  config.group = "readers";
  constexpr std::chrono::minutes kLong{5};
  std::vector<InputTopic> topics = {{"pages", {}, 1}};
  using Question = std::function<Status(const std::stop_token&)>;
  const auto status_of = [](const auto& answer) { return answer ? Status() : answer.error(); };
  for (const Question& ask :
       {Question(
            [&](const auto& stop) { return status_of(describe_topics(config, {"pages"}, kLong, stop)); }),
        Question([&](const auto& stop) { return status_of(has_members(config, kLong, stop)); }),
        Question([&](const auto& stop) { return read_bounds(config, topics, kLong, stop); })}) {
    std::stop_source stop;
    const std::jthread person([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      stop.request_stop();
    });
    const auto begin = std::chrono::steady_clock::now();
    const Status status = ask(stop.get_token());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(1));
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(status.error().message, ::testing::HasSubstr("asked to stop before Kafka answered"));
  }
}

TEST_F(AdminFiles, of_a_kafka_that_has_logins_the_user_is_named_too) {
  KafkaConfig config;
  config.brokers = "127.0.0.1:1";
  config.security_protocol = "sasl_plaintext";
  config.sasl_mechanism = "PLAIN";
  config.sasl_username = "neardup";
  config.sasl_password_file = write("password", "hunter2");
  const auto described = describe_topics(config, {"pages"}, std::chrono::milliseconds(1000));
  ASSERT_FALSE(described);
  EXPECT_THAT(
      described.error().message,
      ::testing::AllOf(::testing::HasSubstr("kafka.security_protocol (sasl_plaintext), and the login of "
                                            "kafka.sasl_username (PLAIN) right?"),
                       ::testing::Not(::testing::HasSubstr("hunter2"))));
}

// Each request ended after a minute, however long Kafka was to be waited for.
TEST(Admin, one_request_may_take_all_the_time_there_is) {
  EXPECT_EQ(internal::wait_ms(kTopicsTimeoutMax), 600'000);
  EXPECT_EQ(internal::wait_ms(std::chrono::milliseconds(61'000)), 61'000);
  EXPECT_EQ(internal::wait_ms(std::chrono::milliseconds(-1)), 100) << "enough for an answer that is there";
  EXPECT_EQ(internal::wait_ms(2 * kTopicsTimeoutMax), 600'000);
  const MockCluster cluster({"pages"});
  KafkaConfig config;
  config.brokers = cluster.servers();
  config.group = "readers";
  std::vector<InputTopic> topics = {{"pages", {}, 1}};
  const Status status = read_bounds(config, topics, kTopicsTimeoutMax);
  EXPECT_TRUE(status) << "librdkafka takes so much: " << status.error().message;
}

struct Errors final : Probe {
  void kafka_error(std::string_view client, std::string_view) override { clients.emplace(client); }
  std::set<std::string> clients;
};

// Between two terms it is kept for as long as Kafka is away.
TEST(Admin, a_lookup_takes_its_clients_errors_while_it_is_asked_nothing) {
  KafkaConfig config;
  config.brokers = "127.0.0.1:1";
  Errors errors;
  const auto lookup = TopicLookup::open(config, errors);
  ASSERT_TRUE(lookup) << lookup.error().message;
  EXPECT_TRUE(eventually([&] {
    (*lookup)->listen();
    return errors.clients.contains("admin");
  }));
}

// Tells that it is the controller, and no more, until it leaves.
class LeavingBroker {
 public:
  LeavingBroker() : listener_(listen_somewhere(port_)), thread_([this] { run(); }) {}
  ~LeavingBroker() {
    leave();
    thread_.join();
    close(listener_);
  }
  LeavingBroker(const LeavingBroker&) = delete;
  LeavingBroker& operator=(const LeavingBroker&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  // Whoever connects from then on is refused.
  void leave() {
    const std::scoped_lock lock(mutex_);
    shutdown(listener_, SHUT_RDWR);
    if (client_ >= 0) shutdown(client_, SHUT_RDWR);
  }

 private:
  void run() {
    for (int fd = 0; (fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
      set_client(fd);
      while (const std::optional<std::string> request = receive_frame(fd)) {
        if (!send_frame(fd, answer_to(*request))) break;
      }
      set_client(-1);
      close(fd);
    }
  }

  void set_client(int fd) {
    const std::scoped_lock lock(mutex_);
    client_ = fd;
  }

  // A request is: key, version, correlation id, client id, body.
  std::string answer_to(std::string_view request) const {
    constexpr std::uint32_t kMetadata = 3;
    const std::uint32_t version = number_of(request.substr(2, 2));
    const std::string head(request.substr(4, 4));
    if (number_of(request.substr(0, 2)) == kApiVersions)
      return head + spoken_apis(version, {{kMetadata, 1}, {kApiVersions, 0}});
    const std::string host = "127.0.0.1";
    const std::string broker = big_endian(1, 4) + big_endian(static_cast<std::uint32_t>(host.size()), 2) +
                               host + big_endian(static_cast<std::uint32_t>(port_), 4) +
                               big_endian(0xFFFF, 2);
    return head + big_endian(1, 4) + broker + big_endian(1, 4) + big_endian(0, 4);  // controller, no topics
  }

  int port_ = 0;
  const int listener_;
  std::mutex mutex_;
  int client_ = -1;
  std::thread thread_;
};

// Plain librdkafka connects without a pause, thousands of times a second, with most of a core.
TEST(Admin, whoever_waits_for_a_kafka_that_left_tries_it_in_measure) {
  LeavingBroker broker;
  KafkaConfig config;
  config.brokers = broker.address();
  Errors errors;
  const auto lookup = TopicLookup::open(config, errors);
  ASSERT_TRUE(lookup) << lookup.error().message;
  EXPECT_TRUE((*lookup)->ask({"pages"}, std::chrono::seconds(10))) << "the controller is known";
  broker.leave();
  connects = 0;
  for (int looks = 0; looks < 3; ++looks)
    EXPECT_FALSE((*lookup)->ask({"pages"}, std::chrono::milliseconds(500)));
  EXPECT_GE(connects, 2);
  EXPECT_LE(connects, 100);
}

}  // namespace
}  // namespace neardup
