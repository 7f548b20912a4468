// `neardup topics create|check`: the topics that the service needs, with the settings that exactly-once
// needs.
#pragma once

#include <cstdint>

#include "service/config.h"

namespace neardup {

struct TopicsOptions {
  std::int32_t partitions = 0;    // 0: as many as the input has, at most 8
  std::int32_t replication = -1;  // -1: the cluster's default
  bool input = false;             // create the input topics as well
  bool alter = false;             // mend wrong settings of topics that exist
  int timeout_ms = 15000;
};

int run_topics_create(const TopicsOptions& options, const LoadedConfig& loaded);
int run_topics_check(const TopicsOptions& options, const LoadedConfig& loaded);

}  // namespace neardup
