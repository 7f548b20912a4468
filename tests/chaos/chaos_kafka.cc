#include "tests/chaos/chaos_kafka.h"

#include <signal.h>

#include <sstream>

namespace neardup {

ChaosKafka::ChaosKafka(int nodes) {
  std::string ports;
  for (int i = 0; i < nodes; ++i) {
    proxies_.push_back(std::make_unique<KafkaProxy>(rules_));
    const std::string port = std::to_string(proxies_.back()->port());
    ports += (i == 0 ? "" : ",") + port;
    proxied_servers_ += (i == 0 ? "" : ",") + ("127.0.0.1:" + port);
  }
  // A dead member is waited for as long as its session, so sessions are as short as they may be; what a round
  // leaves behind goes at once.
  kafka_ = std::make_unique<PrivateKafka>("--nodes " + std::to_string(nodes) + " --proxies " + ports +
                                          " --set group.min.session.timeout.ms=500" +
                                          " --set log.segment.delete.delay.ms=1000");
  std::istringstream targets(kafka_->proxied_servers());
  for (const auto& proxy : proxies_) {
    std::string target;
    std::getline(targets, target, ',');
    proxy->connect_to(std::stoi(target.substr(target.rfind(':') + 1)));
  }
}

std::size_t ChaosKafka::cut_all() {
  std::size_t cut = 0;
  for (const auto& proxy : proxies_) cut += proxy->cut_all();
  return cut;
}

void ChaosKafka::kill(int node) const { kafka_->run("kill " + std::to_string(node)); }
void ChaosKafka::create_fragile_topic(const std::string& topic, std::int32_t partitions, int node) const {
  kafka_->run("topic " + topic + " " + std::to_string(partitions) + " on=" + std::to_string(node) +
              " min.insync.replicas=1");
}
void ChaosKafka::terminate(int node) const { kafka_->run("stop " + std::to_string(node)); }
void ChaosKafka::restart(int node) const { kafka_->run("restart " + std::to_string(node)); }
void ChaosKafka::stop(int node) const { ::kill(kafka_->pid_of_node(node), SIGSTOP); }
void ChaosKafka::go_on(int node) const { ::kill(kafka_->pid_of_node(node), SIGCONT); }

}  // namespace neardup
