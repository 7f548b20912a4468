// How does a command say that it failed?
#pragma once

#include "core/base/result.h"

namespace neardup {

// Both write "neardup: ..." to stderr, a line of the message each, and return the exit code.
int report_error(const Error& error);
int report_config_error(
    const Error& error);  // always kExitConfig: a missing file is a wrong configuration too

}  // namespace neardup
