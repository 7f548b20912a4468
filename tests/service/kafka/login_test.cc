// What becomes of a client whose password is changed while it runs? On a broker that speaks no more than the
// login (SASL PLAIN).
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "service/kafka/client.h"
#include "tests/support/eventually.h"
#include "tests/support/folder_test.h"

namespace neardup {
namespace {

using namespace std::string_view_literals;

std::string big_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int at = bytes - 1; at >= 0; --at) text += static_cast<char>(value >> (8 * at));
  return text;
}

std::uint32_t number_at(std::string_view bytes, std::size_t at, int size) {
  std::uint32_t value = 0;
  for (int i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return value;
}

// Takes a login with the one password, refuses all others, and leaves whatever is asked after it unanswered.
class LoginBroker {
 public:
  explicit LoginBroker(std::string password) : password_(std::move(password)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 4), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~LoginBroker() {
    stopping_ = true;
    thread_.join();
    close(listener_);
  }
  LoginBroker(const LoginBroker&) = delete;
  LoginBroker& operator=(const LoginBroker&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  // "NAME PASSWORD", in the order in which they came.
  std::vector<std::string> logins() {
    const std::scoped_lock lock(mutex_);
    return logins_;
  }

 private:
  bool wait_for(int fd) const {
    pollfd ready{fd, POLLIN, 0};
    while (!stopping_) {
      if (poll(&ready, 1, 20) > 0) return true;
    }
    return false;
  }

  bool receive(int fd, std::string& bytes, std::size_t count) const {
    bytes.clear();
    while (bytes.size() < count) {
      if (!wait_for(fd)) return false;
      std::string more(count - bytes.size(), '\0');
      const ssize_t got = recv(fd, more.data(), more.size(), 0);
      if (got <= 0) return false;
      bytes.append(more, 0, static_cast<std::size_t>(got));
    }
    return true;
  }

  void run() {
    while (wait_for(listener_)) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      for (std::string request; receive(fd, request, 4) && receive(fd, request, number_at(request, 0, 4));) {
        const std::string answer = answer_to(request);
        if (answer.empty()) continue;
        const std::string frame = big_endian(answer.size(), 4) + answer;
        if (send(fd, frame.data(), frame.size(), MSG_NOSIGNAL) < 0) break;
      }
      close(fd);
    }
  }

  // https://kafka.apache.org/protocol: key, version, correlation id, client id, body.
  std::string answer_to(std::string_view request) {
    constexpr std::uint32_t kHandshake = 17, kVersions = 18, kAuthenticate = 36;
    const std::uint32_t key = number_at(request, 0, 2);
    const std::uint32_t version = number_at(request, 2, 2);
    const std::string head(request.substr(4, 4));
    if (key == kVersions) {
      const auto error = big_endian(version == 0 ? 0 : 35, 2);  // UNSUPPORTED_VERSION
      return head + error + big_endian(3, 4) + versions(kHandshake, 1) + versions(kVersions, 0) +
             versions(kAuthenticate, 0);
    }
    if (key == kHandshake) return head + big_endian(0, 2) + big_endian(1, 4) + big_endian(5, 2) + "PLAIN";
    if (key != kAuthenticate) return "";
    std::string login(request.substr(10 + number_at(request, 8, 2) + 4));  // a zero byte before each word
    login.erase(0, 1);
    login.at(login.find('\0')) = ' ';
    const bool is_right = login.substr(login.find(' ') + 1) == password_;
    {
      const std::scoped_lock lock(mutex_);
      logins_.push_back(std::move(login));
    }
    return head + big_endian(is_right ? 0 : 58, 2) + big_endian(0, 2) + big_endian(0, 4);
  }

  static std::string versions(std::uint32_t key, std::uint32_t max) {
    return big_endian(key, 2) + big_endian(0, 2) + big_endian(max, 2);
  }

  const std::string password_;
  const int listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::vector<std::string> logins_;
  std::thread thread_;
};

class Login : public FolderTest {
 protected:
  // Such a client has logged in with "new" in the end.
  void is_renewed(bool failures_only) {
    LoginBroker broker("new");
    KafkaConfig config;
    config.brokers = broker.address();
    config.security_protocol = "sasl_plaintext";
    config.sasl_mechanism = "PLAIN";
    config.sasl_username = "neardup";
    config.sasl_password_file = write("password", "old\n");
    Probe probe;
    ClientListener listener("admin", probe);
    listener.failures_only = failures_only;
    const auto client = make_client(RD_KAFKA_PRODUCER, config, {}, listener);
    ASSERT_TRUE(client) << client.error().message;
    const RdKafka<rd_kafka_queue_t> queue(rd_kafka_queue_get_main(client->get()));
    ASSERT_TRUE(eventually([&] { return !broker.logins().empty(); }));
    EXPECT_EQ(broker.logins().front(), "neardup old");
    write("password", "new\n");
    EXPECT_TRUE(eventually([&] {
      if (failures_only) {
        take_failures(**client, *queue, listener);
      } else {
        rd_kafka_poll(client->get(), 0);
      }
      return broker.logins().back() == "neardup new";
    }));
  }
};

TEST_F(Login, that_was_refused_is_tried_again_with_what_the_file_holds_now) { is_renewed(false); }

TEST_F(Login, of_a_client_that_hears_of_failures_only_is_tried_again_too) { is_renewed(true); }

}  // namespace
}  // namespace neardup
