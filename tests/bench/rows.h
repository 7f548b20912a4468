// How fast is a piece of work, on a machine that others use too?
//
// A row is a name and a pass over some input. Rows are measured in rounds: each round runs every group of
// rows in a process of its own, one group after the other, so that a slow minute of the machine falls on all
// of them and the medians' ratios stand. A process of its own also lets each group choose its vector
// instructions, which are decided once a process.
//
//   figure    CPU time of the thread for one pass, the median over the rounds
//   digest    what the pass returned; two rounds of a row that differ end the program. Which rows are to have
//             one digest, whoever names them knows, and compares
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace neardup {

struct Row {
  std::string name;
  std::size_t bytes = 0;  // of input of one pass
  std::size_t items = 0;
  std::function<std::uint64_t()> pass;  // returns a digest of its answers
};

struct Group {
  std::string name;                        // of its rows: "name/row"
  std::string isa;                         // value of NEARDUP_ISA; empty: as it is
  std::function<std::vector<Row>()> make;  // runs in the group's process, outside the measured time
};

struct Measured {
  std::size_t bytes = 0;
  std::size_t items = 0;
  double seconds = 0;  // median, of one pass
  std::uint64_t digest = 0;

  double bytes_per_second() const { return static_cast<double>(bytes) / seconds; }
  double items_per_second() const { return static_cast<double>(items) / seconds; }
};

// The rows by "group/row". Each is run long enough in each round to be measured.
std::map<std::string, Measured> measure(const std::vector<Group>& groups, int rounds);

}  // namespace neardup
