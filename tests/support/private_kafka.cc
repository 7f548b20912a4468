#include "tests/support/private_kafka.h"

#include <stdlib.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace neardup {
namespace {

constexpr std::string_view kScript = NEARDUP_SOURCE_DIR "/tests/support/kafka.sh";
constexpr std::uintmax_t kMemoryBytesMin = std::uintmax_t{8} << 30;

std::string new_folder() {
  const std::filesystem::path memory = "/dev/shm";
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(memory, error);
  const bool has_room = !error && space.available >= kMemoryBytesMin;
  std::string name = (has_room ? memory : std::filesystem::temp_directory_path()) / "neardup-kafka-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make the folder " + name);
  return name;
}

}  // namespace

PrivateKafka::PrivateKafka() : folder_(new_folder()) {
  const std::string script = "NEARDUP_KAFKA_DIR=" + folder_ + " " + std::string(kScript);
  // A session of its own, so that an interrupt from the terminal ends us and not the guardian. The pipe is
  // closed in every other child (e), or they would keep the guardian waiting.
  const std::string guard = "exec setsid sh -c 'cat >/dev/null; " + script + " wipe; rm -rf " + folder_ + "'";
  guardian_ = popen(guard.c_str(), "we");
  if (guardian_ == nullptr) throw std::runtime_error("cannot start a process");

  std::FILE* const start = popen((script + " start").c_str(), "re");
  if (start == nullptr) throw std::runtime_error("cannot start a process");
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), start) != nullptr) {
    constexpr std::string_view kName = "bootstrap.servers=";
    std::string_view text = line.data();
    if (!text.starts_with(kName)) continue;
    text.remove_prefix(kName.size());
    servers_ = text.substr(0, text.find('\n'));
  }
  if (pclose(start) != 0 || servers_.empty()) {
    pclose(guardian_);
    throw std::runtime_error("Kafka did not start");
  }
}

PrivateKafka::~PrivateKafka() { pclose(guardian_); }

}  // namespace neardup
