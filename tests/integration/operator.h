// What an operator's hands can do to a cluster while the service runs, or while it does not.
//
// Each returns when the cluster has done it, and throws when it refuses.
#pragma once

#include <cstdint>
#include <string>

#include "service/config.h"

namespace neardup {

// Deletes the topic and waits until it is gone.
void delete_topic(const Config& config, const std::string& topic);

void add_partitions(const Config& config, const std::string& topic, std::int32_t total);

// Deletes the records before `offset`, as retention does.
void delete_records(const Config& config, const std::string& topic, std::int32_t partition,
                    std::int64_t offset);

// Sets a setting of a topic: "retention.ms", "1000".
void set_topic(const Config& config, const std::string& topic, const std::string& setting,
               const std::string& value);

// Forbids everybody to do `operation` with a topic or a group. The rest of what was allowed stays so.
enum class Resource : std::uint8_t { kTopic, kGroup };
enum class Operation : std::uint8_t { kRead, kWrite, kDescribe, kDescribeConfigs };
void forbid(const Config& config, Resource resource, const std::string& name, Operation operation);

// Sets the group's position. The group must have no member.
void move_group(const Config& config, const std::string& topic, std::int32_t partition, std::int64_t offset);

}  // namespace neardup
