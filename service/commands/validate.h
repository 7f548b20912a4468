// `neardup validate`: would `serve` start with this?
#pragma once

#include "service/config.h"

namespace neardup {

struct ValidateOptions {
  bool offline = false;  // look at the configuration and the files it names alone, not at Kafka
};

int run_validate(const ConfigSources& sources, const ValidateOptions& options);

}  // namespace neardup
