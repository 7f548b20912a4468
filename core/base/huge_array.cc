#include "core/base/huge_array.h"

#include <sys/mman.h>

#include "core/base/check.h"

namespace neardup::internal {

void* huge_chunk() {
  // Twice the address space, and back goes what lies before and behind the aligned half.
  void* const space = mmap(nullptr, 2 * kHugeBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(space != MAP_FAILED, "out of memory");
  char* const begin = static_cast<char*>(space);
  const std::size_t before = (kHugeBytes - reinterpret_cast<std::uintptr_t>(begin) % kHugeBytes) % kHugeBytes;
  char* const chunk = begin + before;
  if (before > 0) munmap(begin, before);
  munmap(chunk + kHugeBytes, kHugeBytes - before);
#ifdef MADV_HUGEPAGE
  madvise(chunk, kHugeBytes, MADV_HUGEPAGE);  // a wish: without it all is slower, nothing is wrong
#endif
  return chunk;
}

void give_back(void* chunk) { munmap(chunk, kHugeBytes); }

}  // namespace neardup::internal
