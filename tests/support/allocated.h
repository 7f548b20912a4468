// How much memory is in use?
//
// Bytes of the heap, whatever thread asked for them. Zero where a sanitizer has an allocator of its own,
// which does not tell: a test that measures memory has nothing to measure there, and skips.
#pragma once

#include <malloc.h>

#include <cstddef>

namespace neardup {

inline std::size_t allocated() {
  const struct mallinfo2 about = mallinfo2();
  return about.uordblks + about.hblkhd;
}

}  // namespace neardup
