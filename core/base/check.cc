#include "core/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace neardup {

void check_failed(const char* file, int line, const char* expression, const char* reason) {
  std::fprintf(stderr, "%s:%d: invariant broken: %s%s%s\n", file, line, expression, *reason ? ": " : "",
               reason);
  std::fflush(stderr);
  std::abort();
}

}  // namespace neardup
