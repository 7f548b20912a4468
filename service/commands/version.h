// `neardup version`: which build is this?
#pragma once

namespace neardup {

int run_version();

}  // namespace neardup
