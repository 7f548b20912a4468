// A Kafka whose nodes can be hurt, and the network before them.
//
// PrivateKafka with a proxy before each node: who comes by `proxied_servers` meets the proxies' rules and
// never another address; who comes by `servers` does not.
//
// Threads: one caller; rules from any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/chaos/kafka_proxy.h"
#include "tests/support/private_kafka.h"

namespace neardup {

class ChaosKafka {
 public:
  // `nodes`: 1 or 3. Returns when it is ready.
  explicit ChaosKafka(int nodes);

  int nodes() const { return static_cast<int>(proxies_.size()); }
  const std::string& servers() const { return kafka_->servers(); }
  const std::string& proxied_servers() const { return proxied_servers_; }
  // For files that shall go with it.
  const std::string& folder() const { return kafka_->folder(); }

  // With one replica of each partition, on `node`: without it they have no leader.
  void create_fragile_topic(const std::string& topic, std::int32_t partitions, int node) const;

  ProxyRules& rules() { return rules_; }
  std::size_t cut_all();

  // Of nodes 1 .. nodes().
  void kill(int node) const;
  void terminate(int node) const;
  void restart(int node) const;  // returns when all of the cluster is ready
  void stop(int node) const;     // SIGSTOP
  void go_on(int node) const;

 private:
  ProxyRules rules_;
  std::vector<std::unique_ptr<KafkaProxy>> proxies_;
  std::unique_ptr<PrivateKafka> kafka_;
  std::string proxied_servers_;
};

}  // namespace neardup
