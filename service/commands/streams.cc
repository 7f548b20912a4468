#include "service/commands/streams.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace neardup {

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

std::atomic<bool> SignalScope::interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

SignalScope::SignalScope() {
  interrupted.store(false);
  struct sigaction on_interrupt{};
  on_interrupt.sa_handler = [](int) { interrupted.store(true); };
  on_interrupt.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &on_interrupt, &interrupt_before_);
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &pipe_before_);
}

SignalScope::~SignalScope() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGPIPE, &pipe_before_, nullptr);
}

}  // namespace neardup
