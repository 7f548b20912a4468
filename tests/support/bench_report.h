// Where do a benchmark's figures go, so that another command can compare them with an earlier run's?
//
// Into build/bench/NAME.json: one flat object of name to number or text, in the order given, closed by what
// the figures hang on: machine, compiler, commit.
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "tests/support/shell_word.h"

namespace neardup {

inline std::string machine_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  }
  return "unknown";
}

inline std::string commit_name() {
  std::string line;
  const std::string command =
      "git -C " + shell_word(NEARDUP_SOURCE_DIR) + " describe --always --dirty --abbrev=7 2>/dev/null";
  if (std::FILE* const pipe = popen(command.c_str(), "r")) {
    for (int c = std::fgetc(pipe); c != EOF && c != '\n'; c = std::fgetc(pipe))
      line.push_back(static_cast<char>(c));
    pclose(pipe);
  }
  return line.empty() ? "unknown" : line;
}

class BenchReport {
 public:
  // Names and texts go out as they are. REQUIRES: none holds a quote, a backslash or a control character.
  void number(std::string_view name, double value, int decimals = 0) {
    std::array<char, 64> digits{};
    std::snprintf(digits.data(), digits.size(), "%.*f", decimals, value);
    add(name, digits.data());
  }
  void text(std::string_view name, std::string_view value) { add(name, '"' + std::string(value) + '"'); }

  // Writes build/bench/NAME.json in the place of an earlier one.
  void write(const std::string& name) {
    text("machine", machine_name());
    text("compiler", __VERSION__);
    text("commit", commit_name());
    const std::filesystem::path folder = NEARDUP_SOURCE_DIR "/build/bench";
    std::filesystem::create_directories(folder);
    std::ofstream file(folder / (name + ".json"));
    std::string_view separator = "{";
    for (const std::string& field : fields_) {
      file << separator << field;
      separator = ", ";
    }
    file << "}\n";
    CHECK(file.flush().good(), "cannot write below build/bench");
  }

 private:
  void add(std::string_view name, const std::string& value) {
    fields_.push_back('"' + std::string(name) + "\": " + value);
  }

  std::vector<std::string> fields_;
};

}  // namespace neardup
