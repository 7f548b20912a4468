#include "tests/support/private_kafka.h"

#include <stdlib.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "tests/support/shell_word.h"

namespace neardup {
namespace {

constexpr std::string_view kScript = NEARDUP_SOURCE_DIR "/tests/support/kafka.sh";
constexpr std::uintmax_t kMemoryBytesMin = std::uintmax_t{8} << 30;

std::string new_folder(PrivateKafka::Place place) {
  const std::filesystem::path memory = "/dev/shm";
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(memory, error);
  const bool has_room = !error && space.available >= kMemoryBytesMin;
  const bool in_memory = has_room && place == PrivateKafka::Place::kMemoryIfRoom;
  std::string name = (in_memory ? memory : std::filesystem::temp_directory_path()) / "neardup-kafka-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make the folder " + name);
  return name;
}

std::string script_of(const std::string& folder, PrivateKafka::Jit jit) {
  return "NEARDUP_KAFKA_DIR=" + shell_word(folder) +
         " NEARDUP_KAFKA_JIT=" + (jit == PrivateKafka::Jit::kFull ? "full" : "quick") + " " +
         shell_word(kScript);
}

// Returns when all of it is gone. Should an interrupt from the terminal end it, the guardian does it again.
void wipe(const std::string& script, const std::string& folder, std::FILE* guardian) {
  static_cast<void>(std::system((script + " wipe; rm -rf " + shell_word(folder)).c_str()));
  pclose(guardian);
}

}  // namespace

PrivateKafka::PrivateKafka(const std::string& options, Place place, Jit jit)
    : folder_(new_folder(place)), script_(script_of(folder_, jit)) {
  // A session of its own, so that an interrupt from the terminal ends us and not the guardian, and no child
  // of ours (--fork), for ctest kills whoever takes too long with all of its descendants. The pipe is closed
  // in every other child (e), or they would keep the guardian waiting.
  const std::string guard =
      R"(exec setsid --fork sh -c 'cat >/dev/null; NEARDUP_KAFKA_DIR=$1 "$2" wipe; rm -rf "$1"' guardian )" +
      shell_word(folder_) + " " + shell_word(kScript);
  guardian_ = popen(guard.c_str(), "we");
  if (guardian_ == nullptr) throw std::runtime_error("cannot start a process");

  std::FILE* const start = popen((script_ + " start " + options).c_str(), "re");
  if (start == nullptr) throw std::runtime_error("cannot start a process");
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), start) != nullptr) {
    const std::string_view text = line.data();
    const auto take = [&](std::string_view name, std::string& value) {
      if (text.starts_with(name)) value = text.substr(name.size(), text.find('\n') - name.size());
    };
    take("bootstrap.servers=", servers_);
    take("proxied.servers=", proxied_servers_);
  }
  if (pclose(start) != 0 || servers_.empty()) {
    wipe(script_, folder_, guardian_);
    throw std::runtime_error("Kafka did not start");
  }
}

PrivateKafka::~PrivateKafka() { wipe(script_, folder_, guardian_); }

void PrivateKafka::run(std::string_view words) const {
  const std::string command =
      script_ + " " + std::string(words) + " >>" + shell_word(folder_ + "/run.log") + " 2>&1";
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error("kafka.sh " + std::string(words) + " failed: " + folder_ + "/run.log");
}

pid_t PrivateKafka::pid_of_node(int node) const {
  std::ifstream file(folder_ + "/node" + std::to_string(node) + ".pid");
  pid_t pid = 0;
  if (!(file >> pid)) throw std::runtime_error("node " + std::to_string(node) + " does not run");
  return pid;
}

}  // namespace neardup
