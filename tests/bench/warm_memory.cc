#include "tests/bench/warm_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace neardup {
namespace {

constexpr std::size_t kStep = std::size_t{1} << 20;  // of which one page stays

}  // namespace

WarmMemory::WarmMemory(std::size_t bytes_max) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t free = static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
  bytes_ = std::min(bytes_max, free / 2) / kStep * kStep;
  if (bytes_ == 0) return;
  void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no memory to warm");
  begin_ = static_cast<char*>(memory);
  madvise(begin_, bytes_, MADV_NOHUGEPAGE);
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t at = 0; at < bytes_; at += page) *static_cast<volatile char*>(begin_ + at) = 1;
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  touched_gbps_ = static_cast<double>(bytes_) / 1e9 / time.count();
  for (std::size_t at = 0; at < bytes_; at += kStep) madvise(begin_ + at + page, kStep - page, MADV_DONTNEED);
}

WarmMemory::~WarmMemory() {
  if (begin_ != nullptr) munmap(begin_, bytes_);
}

}  // namespace neardup
