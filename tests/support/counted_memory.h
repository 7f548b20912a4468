// How often is memory asked for, and how much is held?
//
// Counts every operator new and delete of the program, whatever thread calls them. They are replaced here, so
// one file of a program may include this, and no more.
#pragma once

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace neardup {

inline std::atomic<std::size_t> memory_allocations{0};
inline std::atomic<std::size_t> memory_held{0};  // bytes

namespace counted_memory {

inline void* counted(void* memory) noexcept {
  memory_allocations.fetch_add(1, std::memory_order_relaxed);
  memory_held.fetch_add(malloc_usable_size(memory), std::memory_order_relaxed);
  return memory;
}

inline void* counted_or_thrown(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return counted(memory);
}

inline void* aligned(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(step, (size + step) / step * step);
}

inline void give_back(void* memory) noexcept {
  memory_held.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
  std::free(memory);
}

}  // namespace counted_memory
}  // namespace neardup

[[gnu::noinline]] void* operator new(std::size_t size) {
  return neardup::counted_memory::counted_or_thrown(std::malloc(size != 0 ? size : 1));
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return neardup::counted_memory::counted(std::malloc(size != 0 ? size : 1));
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return neardup::counted_memory::counted_or_thrown(neardup::counted_memory::aligned(size, alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { neardup::counted_memory::give_back(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  neardup::counted_memory::give_back(memory);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  neardup::counted_memory::give_back(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  neardup::counted_memory::give_back(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  neardup::counted_memory::give_back(memory);
}
