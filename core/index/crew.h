// How do a few threads work on one batch together?
//
// run(work) calls work(0), work(1), ... work(size - 1), the first on the calling thread, and returns when all
// are done. Between batches the others wait without burning time, after a short while of looking out for the
// next.
//
// Threads: run() belongs to one thread at a time. A crew of one has no threads at all.
#pragma once

#include <atomic>
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

  template <class Work>
  void run(const Work& work) {
    run({&work, [](const void* what, int member) { (*static_cast<const Work*>(what))(member); }});
  }

 private:
  // A function and what it is called with: it asks for no memory, as std::function would.
  struct Task {
    const void* what = nullptr;
    void (*call)(const void* what, int member) = nullptr;
  };

  void run(const Task& task);
  void wait_for_work(int member);

  Task task_;
  std::atomic<std::uint32_t> round_ = 0;  // raised when there is work; the last one has none
  std::atomic<std::uint32_t> busy_ = 0;
  std::atomic<bool> over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace neardup
