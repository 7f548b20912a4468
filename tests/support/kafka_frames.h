// How does a test that is a broker itself, or a client, speak Kafka's frames? A frame is its length in four
// bytes and so many bytes; numbers have their highest byte first (https://kafka.apache.org/protocol).
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace neardup {

inline std::string big_endian(std::uint32_t number, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(number >> (8 * i) & 0xFF);
  return text;
}

inline std::uint32_t number_of(std::string_view big_endian) {
  std::uint32_t number = 0;
  for (const char c : big_endian) number = number << 8 | static_cast<std::uint8_t>(c);
  return number;
}

// An API that a broker speaks, from version 0 on.
struct SpokenApi {
  std::uint32_t key;
  std::uint32_t version_max;
};

inline constexpr std::uint32_t kApiVersions = 18;

// What it answers who asks by ApiVersions of that version for all of them. It speaks version 0 of that: so it
// is asked again by it. Behind the correlation id.
inline std::string spoken_apis(std::uint32_t asked_version, std::initializer_list<SpokenApi> apis) {
  std::string answer = big_endian(asked_version == 0 ? 0 : 35, 2);  // UNSUPPORTED_VERSION
  answer += big_endian(static_cast<std::uint32_t>(apis.size()), 4);
  for (const SpokenApi& api : apis)
    answer += big_endian(api.key, 2) + big_endian(0, 2) + big_endian(api.version_max, 2);
  return answer;
}

// Nothing: the other side has hung up.
inline std::optional<std::string> receive_frame(int fd) {
  const auto receive = [fd](std::string& into) {
    const std::size_t count = into.size();
    return count == 0 || recv(fd, into.data(), count, MSG_WAITALL) == static_cast<ssize_t>(count);
  };
  std::string length(4, '\0');
  if (!receive(length)) return std::nullopt;
  std::string text(number_of(length), '\0');
  if (!receive(text)) return std::nullopt;
  return text;
}

// False: the other side has hung up.
[[nodiscard]] inline bool send_frame(int fd, const std::string& frame) {
  const std::string bytes = big_endian(static_cast<std::uint32_t>(frame.size()), 4) + frame;
  return send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

// A socket that listens at a free port of this machine.
inline int listen_somewhere(int& port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(listen(fd, 8), 0);
  EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port = ntohs(address.sin_port);
  return fd;
}

}  // namespace neardup
