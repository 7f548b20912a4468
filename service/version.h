// Which neardup is this?
#pragma once

#include <string>
#include <string_view>

namespace neardup {

struct BuildInfo {
  std::string_view version;   // 0.1.0
  std::string_view revision;  // of git, when the build tree was configured; "unknown" outside a checkout
  std::string_view compiler;  // gcc 12.2.0
};

const BuildInfo& build_info();

// "neardup 0.1.0 (1286978, gcc 12.2.0)"
std::string version_line();

}  // namespace neardup
