#include "service/commands/report.h"

#include <iostream>
#include <string>

#include "service/commands/exit_code.h"

namespace neardup {
namespace {

void write_lines(std::string_view message) {
  for (;;) {
    const std::size_t end = message.find('\n');
    std::cerr << "neardup: " << message.substr(0, end) << '\n';
    if (end == std::string_view::npos) break;
    message.remove_prefix(end + 1);
  }
  std::cerr << std::flush;
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
