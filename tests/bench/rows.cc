#include "tests/bench/rows.h"
#include "tests/support/cpu_clock.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/base/check.h"
#include "core/base/isa.h"

namespace neardup {
namespace {

constexpr double kSecondsMin = .04;  // of work in one round, so that the clock's grain does not count
constexpr int kPassesMax = 10'000;

// What a group's process says of one row, by its place.
struct Line {
  std::size_t bytes = 0;
  std::size_t items = 0;
  double seconds = 0;
  std::uint64_t digest = 0;
  std::array<char, 64> name{};
};

Line run(const Row& row) {
  Line line{.bytes = row.bytes, .items = row.items};
  CHECK(row.name.size() < line.name.size(), "a row's name is too long");
  std::copy(row.name.begin(), row.name.end(), line.name.begin());
  line.digest = row.pass();  // warms what is kept
  const double start = cpu_seconds();
  int passes = 0;
  double seconds = 0;
  while (passes == 0 || (seconds < kSecondsMin && passes < kPassesMax)) {
    CHECK(row.pass() == line.digest, "a pass over the same input gave another answer");
    ++passes;
    seconds = cpu_seconds() - start;
  }
  line.seconds = seconds / passes;
  return line;
}

[[noreturn]] void run_group(const Group& group, int out) {
  if (!group.isa.empty()) setenv(kIsaVariable, group.isa.c_str(), 1);
  for (const Row& row : group.make()) {
    const Line line = run(row);
    CHECK(write(out, &line, sizeof line) == sizeof line, "cannot write into a pipe");
  }
  std::fflush(nullptr);
  _exit(0);
}

std::vector<Line> run_apart(const Group& group) {
  std::array<int, 2> ends{};
  CHECK(pipe(ends.data()) == 0, "no pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  CHECK(child >= 0, "cannot fork");
  if (child == 0) {
    close(ends[0]);
    run_group(group, ends[1]);
  }
  close(ends[1]);
  std::vector<Line> lines;
  for (Line line; read(ends[0], &line, sizeof line) == sizeof line;) lines.push_back(line);
  close(ends[0]);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
        "a group of rows failed: its message is above");
  return lines;
}

}  // namespace

std::map<std::string, Measured> measure(const std::vector<Group>& groups, int rounds) {
  std::map<std::string, std::vector<Line>> rounds_of;
  for (int round = 0; round < rounds; ++round) {
    for (const Group& group : groups) {
      for (const Line& line : run_apart(group)) {
        std::vector<Line>& lines = rounds_of[group.name + '/' + line.name.data()];
        CHECK(lines.empty() || lines.front().digest == line.digest, "two rounds gave different answers");
        lines.push_back(line);
      }
    }
  }
  std::map<std::string, Measured> result;
  for (auto& [name, lines] : rounds_of) {
    std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.seconds < b.seconds; });
    const Line& median = lines[lines.size() / 2];
    result[name] = {median.bytes, median.items, median.seconds, median.digest};
  }
  return result;
}

}  // namespace neardup
