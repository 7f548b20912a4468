// `neardup print-config`: what would this configuration amount to?
#pragma once

#include "service/config.h"

namespace neardup {

struct PrintConfigOptions {
  bool defaults = false;  // the file of defaults instead
  bool markdown = false;  // the reference for people instead
};

// Writes to stdout; mistakes go to stderr. Secrets cannot appear: settings only name the files that hold
// them.
int run_print_config(const ConfigSources& sources, const PrintConfigOptions& options);

}  // namespace neardup
