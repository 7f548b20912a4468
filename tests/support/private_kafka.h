// Where does a program get a Kafka that nobody else uses?
//
// PrivateKafka starts one by tests/support/kafka.sh, in a new folder, in memory where there is room or, for
// whoever writes more than that, on the disk. Where its speed is measured Java compiles it fully, which costs
// a short life more than it gives. A guardian process waits for the end of ours, whichever way it comes, and
// then wipes what is left of it.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace neardup {

class PrivateKafka {
 public:
  enum class Place { kMemoryIfRoom, kDisk };
  enum class Jit { kQuick, kFull };

  // `options` of `kafka.sh start`. Returns when it is ready. Throws when it does not come up.
  explicit PrivateKafka(const std::string& options = "", Place place = Place::kMemoryIfRoom,
                        Jit jit = Jit::kQuick);
  // Returns when all of it is gone.
  ~PrivateKafka();
  PrivateKafka(const PrivateKafka&) = delete;
  PrivateKafka& operator=(const PrivateKafka&) = delete;

  const std::string& servers() const { return servers_; }
  // Where proxies connect to, if there are any.
  const std::string& proxied_servers() const { return proxied_servers_; }
  // `kafka.sh WORDS` on it: "kill 1", "restart 1". Throws when that fails.
  void run(std::string_view words) const;
  // The process of a node that runs.
  pid_t pid_of_node(int node) const;
  // Of its data; files put there go with it.
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  std::string script_;  // with its environment
  std::string servers_;
  std::string proxied_servers_;
  std::FILE* guardian_ = nullptr;  // the end of a pipe that it reads
};

}  // namespace neardup
