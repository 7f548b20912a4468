#include "service/commands/validate.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <tuple>

#include "service/commands/exit_code.h"
#include "service/commands/plan.h"
#include "service/commands/report.h"
#include "service/commands/topics.h"
#include "service/kafka/client.h"
#include "service/kafka/writer.h"
#include "service/pipeline/signer_settings.h"

namespace neardup {
namespace {

// What keeps this user from writing into a folder, or from making it there; "" if nothing does.
std::string hindrance(const std::filesystem::path& folder, bool is_made) {
  std::error_code error;
  std::filesystem::path there = std::filesystem::absolute(folder, error);
  while (is_made && !std::filesystem::exists(there, error) && there != there.root_path())
    there = there.parent_path();
  if (!std::filesystem::is_directory(there, error)) return there.string() + " is not a folder";
  if (::access(there.c_str(), W_OK | X_OK) == 0) return "";
  return "this user cannot write to " + there.string() + ": " + std::strerror(errno);
}

constexpr std::size_t kMemoryLimitUsualMin = std::size_t{64} << 20;  // as its text in config_table.cc says

// Remarks only: serve may be another user, to whom a supervisor gives folders that are not there yet, and a
// few documents may be all there are.
void remark_on(const Config& config) {
  for (const auto& [setting, folder, is_made] :
       {std::tuple{"snapshot.directory", &config.snapshot.directory, true},
        std::tuple{"index.directory", &config.index.directory, false}}) {
    if (folder->empty()) continue;
    if (const std::string why = hindrance(*folder, is_made); !why.empty())
      std::cerr << "neardup: remark: " << setting << ": " << why << '\n';
  }
  if (config.index.memory_limit > 0 && config.index.memory_limit < kMemoryLimitUsualMin) {
    std::cerr << "neardup: remark: index.memory_limit: " << config.index.memory_limit
              << " bytes: below 64MiB is too small to work by\n";
  }
  std::cerr << std::flush;
}

}  // namespace

int run_validate(const ConfigSources& sources, const ValidateOptions& options) {
  const Result<LoadedConfig> loaded = load_config(sources, check_property);
  if (!loaded) return report_config_error(loaded.error());
  if (const Status files = check_files(loaded->config); !files) return report_config_error(files.error());
  if (const Result<SignerOptions> signing = resolve_signer_options(loaded->config); !signing) {
    return report_config_error(signing.error());
  }
  if (const Status writer = check_writer_properties(loaded->config.kafka); !writer)
    return report_config_error(writer.error());
  remark_on(loaded->config);
  const DetectorOptions detector = resolve_detector_options(loaded->config);
  const auto given = std::count_if(loaded->origin.begin(), loaded->origin.end(),
                                   [](const auto& origin) { return origin.second != "default"; });
  std::cout << "The configuration is valid: " << given << (given == 1 ? " setting is" : " settings are")
            << " given, the others are defaults.\n"
            << threshold_caveat(detector.mode, detector.threshold_permille);
  if (options.offline) return kExitOk;
  std::cout << std::flush;
  return run_topics_check({}, *loaded);
}

}  // namespace neardup
