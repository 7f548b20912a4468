// How do a few threads work on one batch together?
//
// run(work) calls work(0), work(1), ... work(size - 1), the first on the calling thread, and returns when all
// are done. Between batches the others wait without burning time, after a short while of looking out for the
// next.
//
// Threads: run() belongs to one thread at a time. A crew of one has no threads at all.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace neardup {

class Crew {
 public:
  // REQUIRES: size >= 1.
  explicit Crew(int size);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }
  void run(const std::function<void(int)>& work);

 private:
  void wait_for_work(int member);

  const std::function<void(int)>* work_ = nullptr;
  std::atomic<std::uint32_t> round_ = 0;  // raised when there is work; the last one has none
  std::atomic<std::uint32_t> busy_ = 0;
  std::atomic<bool> over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace neardup
