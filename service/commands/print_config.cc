#include "service/commands/print_config.h"

#include <iostream>

#include "service/commands/exit_code.h"
#include "service/commands/report.h"
#include "service/kafka/client.h"

namespace neardup {

int run_print_config(const ConfigSources& sources, const PrintConfigOptions& options) {
  if (options.defaults) {
    std::cout << default_config_yaml() << std::flush;
    return kExitOk;
  }
  if (options.markdown) {
    std::cout << config_reference_markdown() << std::flush;
    return kExitOk;
  }
  const Result<LoadedConfig> loaded = load_config(sources, check_property);
  if (!loaded) return report_config_error(loaded.error());
  std::cout << print_config(*loaded) << std::flush;
  return kExitOk;
}

}  // namespace neardup
