#include "service/commands/topics.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <vector>

#include "service/commands/exit_code.h"
#include "service/commands/report.h"
#include "service/kafka/topics.h"

namespace neardup {

int run_topics_create(const TopicsOptions& options, const LoadedConfig& loaded) {
  const Status created =
      create_topics(loaded.config.kafka,
                    {.partitions = options.partitions,
                     .replication = options.replication,
                     .input = options.input,
                     .alter = options.alter},
                    std::chrono::milliseconds(options.timeout_ms),
                    [](const TopicChange& change) { fmt::print("{}: {}\n", change.topic, change.done); });
  if (!created) return report_error(created.error());
  return run_topics_check(options, loaded);
}

int run_topics_check(const TopicsOptions& options, const LoadedConfig& loaded) {
  const KafkaConfig& kafka = loaded.config.kafka;
  const auto timeout = std::chrono::milliseconds(options.timeout_ms);
  const auto rights = missing_rights(kafka, timeout);
  if (!rights) return report_error(rights.error());
  for (const std::string& right : rights->missing) std::cerr << right << ": not allowed to this user\n";
  for (const std::string& untold : rights->untold)
    std::cerr << "warning: " << untold << ": whether this user is allowed what it needs is not known\n";
  if (!rights->untold.empty())
    std::cerr << "  mend it: check again when Kafka coordinates groups; its own log says why it does not\n";
  if (!rights->missing.empty())
    std::cerr << "  mend them: ACLs, as \"What Kafka must allow\" in service/README.md has them\n";
  const auto described = describe_topics(kafka, topic_names(kafka.topics), timeout);
  if (!described) return report_error(described.error());
  const std::vector<TopicProblem> problems = check_topics(kafka.topics, *described, loaded.kafka_options);
  for (const TopicProblem& problem : problems) {
    std::cerr << problem.topic << ": " << problem.what << "\n  mend it: " << problem.mend << '\n';
  }
  for (const TopicProblem& warning : warn_of_topics(kafka.topics, *described, loaded.kafka_options)) {
    std::cerr << "warning: " << warning.topic << ": " << warning.what << "\n  mend it: " << warning.mend
              << '\n';
  }
  if (!problems.empty() || !rights->missing.empty()) return kExitConfig;
  fmt::print("all {} topics are right\n", described->size());
  return kExitOk;
}

}  // namespace neardup
