#include "service/commands/streams.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "core/text/utf8.h"
#include "service/commands/exit_code.h"

namespace neardup {

void occupy_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest number that is free is this one; the wrong way round, so that nobody takes it for a stream.
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

std::ptrdiff_t read_some(int fd, char* to, std::size_t size) {
  std::ptrdiff_t got = 0;
  do {
    got = ::read(fd, to, size);
  } while (got < 0 && errno == EINTR);
  return got;
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

std::string harmless(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const DecodedCodePoint c = decode_utf8(text);
    const bool is_control = c.code_point < 0x20 || (c.code_point >= 0x7F && c.code_point < 0xA0);
    if (is_control || c.code_point == kNotUtf8) {
      out += '?';
    } else {
      out += text.substr(0, c.size);
    }
    text.remove_prefix(c.size);
  }
  return out;
}

void end_by_signals() {
  if (::getpid() != 1) return;
  struct sigaction end{};
  end.sa_handler = [](int number) { ::_exit(128 + number); };
  for (const int number : {SIGINT, SIGTERM, SIGQUIT, SIGHUP}) sigaction(number, &end, nullptr);
}

namespace {

// What the handler says: it may not make a string.
std::array<char, 8192> read_error;
std::size_t read_error_bytes = 0;

}  // namespace

void end_by_read_errors(const std::string& directory) {
  if (directory.empty()) return;
  // The pages of the program itself are mapped as well, and may lie on the same disk.
  const std::string line = "index.directory: a page of the file in " + directory +
                           " cannot be read, or one of this program (a disk error). That file is a cache, "
                           "nothing is lost with it: name another folder, and start again\n";
  read_error_bytes = line.copy(read_error.data(), read_error.size());
  struct sigaction end{};
  end.sa_flags = SA_SIGINFO;
  end.sa_sigaction = [](int number, siginfo_t* about, void*) {
    if (about->si_code != BUS_ADRERR) {  // somebody sent it, or the memory is broken
      ::signal(number, SIG_DFL);
      ::raise(number);
      return;
    }
    (void)write_all(STDERR_FILENO, {read_error.data(), read_error_bytes});
    ::_exit(kExitIo);
  };
  sigaction(SIGBUS, &end, nullptr);
}

namespace {

std::atomic<int> first_signal{0};

}  // namespace

std::atomic<bool> SignalScope::interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler sets them");

int SignalScope::exit_code() { return 128 + first_signal.load(); }

SignalScope::SignalScope() {
  first_signal.store(0);
  interrupted.store(false);
  struct sigaction ask{};
  ask.sa_handler = [](int number) {
    int none = 0;
    if (!first_signal.compare_exchange_strong(none, number)) ::_exit(128 + number);
    interrupted.store(true);
  };
  sigaction(SIGINT, &ask, &interrupt_before_);
  sigaction(SIGTERM, &ask, &terminate_before_);
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &pipe_before_);
}

SignalScope::~SignalScope() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
  sigaction(SIGPIPE, &pipe_before_, nullptr);
}

}  // namespace neardup
