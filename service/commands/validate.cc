#include "service/commands/validate.h"

#include <algorithm>
#include <iostream>

#include "service/commands/exit_code.h"
#include "service/commands/plan.h"
#include "service/commands/report.h"
#include "service/commands/topics.h"
#include "service/kafka/client.h"
#include "service/pipeline/signer_settings.h"

namespace neardup {

int run_validate(const ConfigSources& sources, const ValidateOptions& options) {
  const Result<LoadedConfig> loaded = load_config(sources);
  if (!loaded) return report_config_error(loaded.error());
  if (const Status files = check_files(loaded->config); !files) return report_config_error(files.error());
  if (const Result<SignerOptions> signing = resolve_signer_options(loaded->config); !signing) {
    return report_config_error(signing.error());
  }
  if (const Status properties = check_properties(loaded->config.kafka); !properties) {
    return report_config_error(properties.error());
  }
  const DetectorOptions detector = resolve_detector_options(loaded->config);
  const auto given = std::count_if(loaded->origin.begin(), loaded->origin.end(),
                                   [](const auto& origin) { return origin.second != "default"; });
  std::cout << "The configuration is valid: " << given << (given == 1 ? " setting is" : " settings are")
            << " given, the others are defaults.\n"
            << threshold_caveat(detector.mode, detector.threshold_permille);
  if (options.offline) return kExitOk;
  std::cout << std::flush;
  return run_topics_check({}, loaded->config);
}

}  // namespace neardup
