// The chart's example for Strimzi says what `topics create` would: those topics belong to their operator.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "service/kafka/topics.h"

namespace neardup {
namespace {

std::map<std::string, TopicDescription> topics_of_chart() {
  std::map<std::string, TopicDescription> topics;
  const YAML::Node values = YAML::LoadFile(NEARDUP_SOURCE_DIR "/charts/neardup/ci/strimzi-mtls-values.yaml");
  for (const YAML::Node& object : values["extraObjects"]) {
    if (!object.IsMap() || object["kind"].as<std::string>() != "KafkaTopic") continue;
    TopicDescription topic{.name = object["metadata"]["name"].as<std::string>(),
                           .partitions = object["spec"]["partitions"].as<std::int32_t>(),
                           .replicas = object["spec"]["replicas"].as<std::int32_t>()};
    for (const auto& setting : object["spec"]["config"])
      topic.settings[setting.first.as<std::string>()] = setting.second.as<std::string>();
    topics[topic.name] = topic;
  }
  return topics;
}

TEST(ChartTopics, are_what_create_makes) {
  const KafkaTopics names;
  std::map<std::string, TopicDescription> topics = topics_of_chart();
  EXPECT_EQ(topics.size(), 4U);
  for (const auto& [name, topic] : topics) {
    for (const TopicSetting& wanted : wanted_settings(names, name, topics))
      EXPECT_EQ(topic.settings.contains(wanted.name) ? topic.settings.at(wanted.name) : "", wanted.value)
          << name << ": " << wanted.name;
  }
  for (const std::string& input : names.input) topics[input] = {.name = input, .partitions = 8};
  for (const TopicProblem& problem : check_topics(names, topics))
    ADD_FAILURE() << problem.topic << ": " << problem.what;
  for (const TopicProblem& warning : warn_of_topics(names, topics))
    ADD_FAILURE() << warning.topic << ": " << warning.what;
}

}  // namespace
}  // namespace neardup
