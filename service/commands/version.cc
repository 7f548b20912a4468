#include "service/commands/version.h"

#include <iostream>

#include "service/commands/exit_code.h"
#include "service/version.h"

namespace neardup {

int run_version() {
  std::cout << version_line() << '\n' << std::flush;
  return kExitOk;
}

}  // namespace neardup
