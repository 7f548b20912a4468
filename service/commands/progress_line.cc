#include "service/commands/progress_line.h"

#include <unistd.h>

#include <string>

#include "service/commands/streams.h"

namespace neardup {

ProgressLine::ProgressLine(int err, bool is_wanted) : err_(err), is_shown_(is_wanted && ::isatty(err) == 1) {}

// Whether anybody sees it changes nothing of the work.
void ProgressLine::write(std::string_view words) {
  static_cast<void>(write_all(err_, "\r\x1b[K" + std::string(words)));
  stands_ = true;
  written_ = Clock::now();
}

void ProgressLine::clear() {
  if (stands_) static_cast<void>(write_all(err_, "\r\x1b[K"));
  stands_ = false;
}

}  // namespace neardup
