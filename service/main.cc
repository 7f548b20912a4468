// The table of contents is service/commands/cli.cc.
#include <cstddef>
#include <limits>

#include "service/commands/cli.h"

// Read by jemalloc as the process starts (CMakeLists.txt). Batches come and go several times a second, and
// with them tens of megabytes that librdkafka allocates on one thread and frees on another: memory that was
// freed is kept for a minute, large pieces too, and threads share a few arenas.
//
// For each batch of records lz4 asks for 68 KiB of zeros. A thread that has such a piece of its own clears
// it; else jemalloc gives it back to the system, which interrupts all cores, and touches it page by page.
//
// The first arena is made before that is read, and would give back at once what is free in 8 MiB together.
extern "C" {
extern const char* const malloc_conf;
const char* const malloc_conf =
    "narenas:4,dirty_decay_ms:60000,muzzy_decay_ms:60000,oversize_threshold:0,tcache_max:81920";

// Sanitizers bring a malloc that has none.
[[gnu::weak]] int mallctl(const char* name, void* old, std::size_t* old_bytes, void* set, std::size_t bytes);
}

int main(int argc, char** argv) {
  std::size_t never = std::numeric_limits<std::size_t>::max();
  if (mallctl != nullptr) mallctl("arena.0.oversize_threshold", nullptr, nullptr, &never, sizeof never);
  return neardup::run_cli(argc, argv);
}
