// How is a line of memory asked for before it is read, for sure?
//
// GCC takes a function that does nothing but __builtin_prefetch for one without effect, and leaves out its
// calls: whole loops of them, in silence. An empty asm is an effect that costs nothing.
#pragma once

namespace neardup {

inline void prefetch_line(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");
}

}  // namespace neardup
