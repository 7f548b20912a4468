// A broker that speaks no more than the login (SASL PLAIN).
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "service/kafka/client.h"
#include "tests/support/kafka_frames.h"

namespace neardup {

// Takes a login with the one password, refuses all others, and leaves whatever is asked after it unanswered.
class LoginBroker {
 public:
  explicit LoginBroker(std::string password)
      : password_(std::move(password)), listener_(listen_somewhere(port_)), thread_([this] { run(); }) {}
  // Its clients are gone by then.
  ~LoginBroker() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  LoginBroker(const LoginBroker&) = delete;
  LoginBroker& operator=(const LoginBroker&) = delete;

  // A client's settings, as they are with the password in that file.
  KafkaConfig config(std::string password_file) const {
    KafkaConfig config;
    config.brokers = "127.0.0.1:" + std::to_string(port_);
    config.security_protocol = "sasl_plaintext";
    config.sasl_mechanism = "PLAIN";
    config.sasl_username = "neardup";
    config.sasl_password_file = std::move(password_file);
    return config;
  }

  // "NAME PASSWORD", in the order in which they came.
  std::vector<std::string> logins() {
    const std::scoped_lock lock(mutex_);
    return logins_;
  }

 private:
  void run() {
    for (int fd = 0; (fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; close(fd)) {
      while (const std::optional<std::string> request = receive_frame(fd)) {
        const std::string answer = answer_to(*request);
        if (!answer.empty() && !send_frame(fd, answer)) break;
      }
    }
  }

  // A request is: key, version, correlation id, client id, body.
  std::string answer_to(std::string_view request) {
    constexpr std::uint32_t kHandshake = 17, kAuthenticate = 36;
    const std::uint32_t key = number_of(request.substr(0, 2));
    const std::uint32_t version = number_of(request.substr(2, 2));
    const std::string head(request.substr(4, 4));
    if (key == kApiVersions)
      return head + spoken_apis(version, {{kHandshake, 1}, {kApiVersions, 0}, {kAuthenticate, 0}});
    if (key == kHandshake) return head + big_endian(0, 2) + big_endian(1, 4) + big_endian(5, 2) + "PLAIN";
    if (key != kAuthenticate) return "";
    // A zero byte stands before each word.
    std::string login(request.substr(10 + number_of(request.substr(8, 2)) + 4));
    login.erase(0, 1);
    login.at(login.find('\0')) = ' ';
    const bool is_right = login.substr(login.find(' ') + 1) == password_;
    {
      const std::scoped_lock lock(mutex_);
      logins_.push_back(std::move(login));
    }
    return head + big_endian(is_right ? 0 : 58, 2) + big_endian(0, 2) + big_endian(0, 4);
  }

  const std::string password_;
  int port_ = 0;
  const int listener_;
  std::mutex mutex_;
  std::vector<std::string> logins_;
  std::thread thread_;
};

}  // namespace neardup
