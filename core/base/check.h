// How does the code say "this cannot be"?
//
// CHECK states an invariant and is on in every build: when it fails we were wrong, the process ends with the
// place and the reason on stderr, the open transaction never commits, and a restart replays. DCHECK is the
// same for inner loops, on only where NEARDUP_DCHECK is defined. Neither may ever depend on a message's
// content: bad input is data.
#pragma once

namespace neardup {
[[noreturn]] void check_failed(const char* file, int line, const char* expression, const char* reason);
}  // namespace neardup

#define CHECK(expression, reason)                       \
  (static_cast<bool>(expression) ? static_cast<void>(0) \
                                 : ::neardup::check_failed(__FILE__, __LINE__, #expression, reason))

#ifdef NEARDUP_DCHECK
#define DCHECK(expression) CHECK(expression, "")
#else
#define DCHECK(expression) static_cast<void>(0)
#endif
