// How is a line of memory asked for before it is read, for sure?
//
// GCC takes a function that does nothing but __builtin_prefetch for one without effect, and leaves out its
// calls: whole loops of them, in silence. An empty asm is an effect that costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace neardup {

inline void prefetch_line(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");
}

// So that it may be written: of a line that another core has read, that spares the second way to it.
inline void prefetch_line_to_write(const void* address) {
#if defined(__x86_64__)
  // The builtin asks for this only where the whole program may. A processor that does not know it skips it.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
  asm volatile("");
#endif
}

namespace internal {

template <class Prefetch>
void for_each_line(const void* begin, std::size_t bytes, Prefetch prefetch) {
  constexpr std::size_t kLineBytes = 64;
  const char* const at = static_cast<const char*>(begin);
  const std::size_t before = reinterpret_cast<std::uintptr_t>(begin) % kLineBytes;
  for (std::size_t line = 0; line < before + bytes; line += kLineBytes) prefetch(at - before + line);
}

}  // namespace internal

// All lines of so many bytes.
inline void prefetch_lines(const void* begin, std::size_t bytes) {
  internal::for_each_line(begin, bytes, [](const void* line) { prefetch_line(line); });
}
inline void prefetch_lines_to_write(const void* begin, std::size_t bytes) {
  internal::for_each_line(begin, bytes, [](const void* line) { prefetch_line_to_write(line); });
}

}  // namespace neardup
