// The proxy passes everything on as it is, and hurts what a rule names, and only that.

#include "tests/chaos/kafka_proxy.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>

#include "tests/support/eventually.h"
#include "tests/support/kafka_frames.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Answers each request with its correlation id and body.
class Echo {
 public:
  Echo() : listener_(listen_somewhere(port_)) {
    thread_ = std::thread([this] {
      for (;;) {
        const int fd = accept(listener_, nullptr, nullptr);
        if (fd < 0) return;
        while (const std::optional<std::string> request = receive_frame(fd)) {
          ++requests_;
          EXPECT_TRUE(send_frame(fd, request->substr(4)));
        }
        close(fd);
      }
    });
  }
  ~Echo() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  Echo(const Echo&) = delete;
  Echo& operator=(const Echo&) = delete;

  int port() const { return port_; }
  int requests() const { return requests_; }

 private:
  int port_ = 0;
  int listener_;
  std::atomic<int> requests_{0};
  std::thread thread_;
};

class KafkaProxyTest : public testing::Test {
 protected:
  void SetUp() override {
    proxy_.connect_to(echo_.port());
    connect_again();
  }
  void TearDown() override { close(client_); }

  void connect_again() {
    if (client_ >= 0) close(client_);
    client_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(proxy_.port()));
    ASSERT_EQ(connect(client_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  void ask(KafkaApi api, std::uint32_t id, const std::string& body) {
    EXPECT_TRUE(send_frame(client_, big_endian(static_cast<std::uint32_t>(api), 2) + big_endian(1, 2) +
                                        big_endian(id, 4) + body));
  }
  static std::string answer(std::uint32_t id, const std::string& body) { return big_endian(id, 4) + body; }

  Echo echo_;
  ProxyRules rules_;
  KafkaProxy proxy_{rules_};
  int client_ = -1;
};

TEST_F(KafkaProxyTest, passes_frames_of_every_size_on_as_they_are) {
  std::uint32_t id = 0;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65535}, std::size_t{1000003}}) {
    const std::string body(size, 'b');
    ask(KafkaApi::kProduce, ++id, body);
    EXPECT_EQ(receive_frame(client_), answer(id, body));
  }
}

TEST_F(KafkaProxyTest, damages_one_bit_of_an_answer_that_is_large_enough) {
  rules_.add({.api = KafkaApi::kFetch, .act = ProxyRule::Act::kDamage, .times = 1, .bytes_min = 100});
  ask(KafkaApi::kFetch, 1, "small");
  EXPECT_EQ(receive_frame(client_), answer(1, "small"));
  for (const std::size_t size : {std::size_t{100}, std::size_t{1000003}}) {
    const std::string body(size, 'b');
    ask(KafkaApi::kFetch, 2, body);
    std::string damaged = receive_frame(client_).value_or("");
    ASSERT_EQ(damaged.size(), 4 + size);
    EXPECT_EQ(std::ranges::count(damaged.substr(4), 'b' ^ 1), 1);
    const std::size_t at = damaged.find('b' ^ 1, 4);
    EXPECT_LE(at > size / 2 ? at - size / 2 : size / 2 - at, 8U);
    damaged[at] = 'b';
    EXPECT_EQ(damaged, answer(2, body));
    ask(KafkaApi::kFetch, 3, body);
    EXPECT_EQ(receive_frame(client_), answer(3, body));
    rules_.add({.api = KafkaApi::kFetch, .act = ProxyRule::Act::kDamage, .times = 1});
  }
  EXPECT_EQ(rules_.struck(), 2U);
}

TEST_F(KafkaProxyTest, drops_an_answer_of_one_api_as_often_as_it_is_told) {
  rules_.add({.api = KafkaApi::kEndTxn, .act = ProxyRule::Act::kDrop, .times = 2});
  ask(KafkaApi::kEndTxn, 1, "a");
  ask(KafkaApi::kEndTxn, 2, "b");
  ask(KafkaApi::kProduce, 3, "c");
  ask(KafkaApi::kEndTxn, 4, "d");
  EXPECT_EQ(receive_frame(client_), answer(3, "c"));
  EXPECT_EQ(receive_frame(client_), answer(4, "d"));
  EXPECT_EQ(rules_.struck(), 2U);
  EXPECT_EQ(echo_.requests(), 4);
}

TEST_F(KafkaProxyTest, drops_a_request_that_the_broker_never_sees) {
  rules_.add({.api = KafkaApi::kEndTxn, .on = ProxyRule::On::kRequest, .act = ProxyRule::Act::kDrop});
  ask(KafkaApi::kEndTxn, 1, std::string(100000, 'a'));
  ask(KafkaApi::kEndTxn, 2, "b");
  EXPECT_EQ(receive_frame(client_), answer(2, "b"));
  EXPECT_EQ(echo_.requests(), 1);
}

TEST_F(KafkaProxyTest, delays_an_answer) {
  rules_.add({.api = KafkaApi::kFetch, .act = ProxyRule::Act::kDelay, .delay = milliseconds(200)});
  const auto before = steady_clock::now();
  ask(KafkaApi::kFetch, 1, "a");
  EXPECT_EQ(receive_frame(client_), answer(1, "a"));
  EXPECT_GE(steady_clock::now() - before, milliseconds(200));
}

TEST_F(KafkaProxyTest, a_delayed_request_arrives_when_its_client_has_gone) {
  rules_.add({.api = KafkaApi::kEndTxn,
              .on = ProxyRule::On::kRequest,
              .act = ProxyRule::Act::kDelay,
              .delay = milliseconds(100)});
  const auto before = steady_clock::now();
  ask(KafkaApi::kEndTxn, 1, "late");
  connect_again();
  ASSERT_TRUE(eventually([&] { return echo_.requests() > 0; }));
  EXPECT_GE(steady_clock::now() - before, milliseconds(100));
}

TEST_F(KafkaProxyTest, cuts_at_a_request_and_at_an_answer) {
  rules_.add({.api = KafkaApi::kHeartbeat, .on = ProxyRule::On::kRequest, .act = ProxyRule::Act::kCut});
  ask(KafkaApi::kHeartbeat, 1, "a");
  EXPECT_EQ(receive_frame(client_), std::nullopt);
  EXPECT_EQ(echo_.requests(), 0);
  connect_again();
  rules_.add({.api = KafkaApi::kHeartbeat, .act = ProxyRule::Act::kCut});
  ask(KafkaApi::kHeartbeat, 2, "b");
  EXPECT_EQ(receive_frame(client_), std::nullopt);
  EXPECT_EQ(echo_.requests(), 1);
}

TEST_F(KafkaProxyTest, forgets_its_rules_when_told) {
  rules_.add({.api = KafkaApi::kEndTxn, .act = ProxyRule::Act::kDrop});
  rules_.clear();
  ask(KafkaApi::kEndTxn, 1, "a");
  EXPECT_EQ(receive_frame(client_), answer(1, "a"));
}

TEST_F(KafkaProxyTest, cuts_all_connections_and_takes_new_ones) {
  ask(KafkaApi::kFetch, 1, "a");
  EXPECT_EQ(receive_frame(client_), answer(1, "a"));
  EXPECT_EQ(proxy_.cut_all(), 1U);
  EXPECT_EQ(receive_frame(client_), std::nullopt);
  connect_again();
  ask(KafkaApi::kFetch, 2, "b");
  EXPECT_EQ(receive_frame(client_), answer(2, "b"));
}

TEST_F(KafkaProxyTest, ends_with_a_delay_under_way) {
  rules_.add({.api = KafkaApi::kFetch, .act = ProxyRule::Act::kDelay, .delay = std::chrono::hours(1)});
  ask(KafkaApi::kFetch, 1, "a");
  ASSERT_TRUE(eventually([&] { return rules_.struck() > 0; }));
}

TEST_F(KafkaProxyTest, cuts_a_client_that_sends_no_frames) {
  const std::string bytes(64, '\xFF');
  send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  EXPECT_EQ(receive_frame(client_), std::nullopt);
}

}  // namespace
}  // namespace neardup
