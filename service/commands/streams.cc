#include "service/commands/streams.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace neardup {

void occupy_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest number that is free is this one; the wrong way round, so that nobody takes it for a stream.
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      // Whoever shares this stream may have made it one that does not wait.
      pollfd room{fd, POLLOUT, 0};
      (void)::poll(&room, 1, -1);
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
