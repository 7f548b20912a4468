#include "service/commands/report.h"

#include <iostream>
#include <string>

#include "service/commands/exit_code.h"

namespace neardup {
namespace {

// In one piece: clients of Kafka may be writing their log beside it.
void write_lines(std::string_view message) {
  std::string lines;
  for (;;) {
    const std::size_t end = message.find('\n');
    lines.append("neardup: ").append(message.substr(0, end)).append("\n");
    if (end == std::string_view::npos) break;
    message.remove_prefix(end + 1);
  }
  std::cerr << lines << std::flush;
}

}  // namespace

int report_error(const Error& error) {
  write_lines(error.message);
  return exit_code(error.code);
}

int report_config_error(const Error& error) {
  write_lines(error.message);
  return kExitConfig;
}

}  // namespace neardup
