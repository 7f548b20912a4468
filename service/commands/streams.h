// Where does a command read and write, and what ends it early?
#pragma once

#include <signal.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

namespace neardup {

// Tests put their own in place.
struct Streams {
  int in = 0;
  int out = 1;
  int err = 2;
};

// Sees to it that 0, 1 and 2 are taken. One that is closed (`>&-`) would go to the next file that is opened,
// the lock of an index say, and what was meant for a reader would be written there. Reads and writes of it
// go on to fail.
void occupy_standard_streams();

// read(2) until it answers. -1: it failed, errno says why.
std::ptrdiff_t read_some(int fd, char* to, std::size_t size);

// 0, or the errno that stopped it.
int write_all(int fd, std::string_view bytes);

// Ids come from the web, names of files from whoever packed them; what they say to a terminal is theirs no
// longer. '?' for each control character, of C0 and C1 (U+009B is as good as ESC [), and for what is not
// UTF-8, which some terminals read as such.
std::string harmless(std::string_view text);

// The first process of a container has no default actions: a signal without a handler is ignored, SIGTERM
// too, and nothing but SIGKILL would end a command. REQUIRES: there is one thread.
void end_by_signals();

// From now on a page of a mapped file that the disk cannot give ends the process with its reason and kExitIo,
// and not with a bare SIGBUS. `directory`: index.directory, where such a file lies (cold_store.h); empty:
// there is none, and nothing changes. REQUIRES: nobody has made that file yet.
void end_by_read_errors(const std::string& directory);

// While one lives: the first SIGINT or SIGTERM asks for a good end, which `interrupted` tells, and a second
// one ends at once; a closed output is an error of write(2), not a death.
class SignalScope {
 public:
  static std::atomic<bool> interrupted;
  static int exit_code();  // 128 + the first signal. REQUIRES: interrupted

  SignalScope();
  ~SignalScope();
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

 private:
  struct sigaction interrupt_before_{};
  struct sigaction terminate_before_{};
  struct sigaction pipe_before_{};
};

}  // namespace neardup
