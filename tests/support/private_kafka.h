// Where does a program get a Kafka that nobody else uses?
//
// PrivateKafka starts one by tests/support/kafka.sh, in a new folder, in memory where there is room. A
// guardian process waits for the end of ours, whichever way it comes, and then wipes it.
#pragma once

#include <cstdio>
#include <string>

namespace neardup {

class PrivateKafka {
 public:
  // Returns when it is ready. Throws when it does not come up.
  PrivateKafka();
  // Returns when all of it is gone.
  ~PrivateKafka();
  PrivateKafka(const PrivateKafka&) = delete;
  PrivateKafka& operator=(const PrivateKafka&) = delete;

  const std::string& servers() const { return servers_; }
  // Of its data; files put there go with it.
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  std::string servers_;
  std::FILE* guardian_ = nullptr;  // the end of a pipe that it reads
};

}  // namespace neardup
