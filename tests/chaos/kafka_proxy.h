// What if the network loses one answer, and that one only?
//
// A TCP proxy in front of one broker, on loopback. It reads Kafka's framing (a length, then of a request its
// API key, version and correlation id, of an answer the correlation id alone) and passes all of it on as it
// is, but for what a rule names: requests or answers of one API are cut, delayed, dropped or damaged.
//
//   client ──► request thread ──► broker     a pair of threads for each connection; what is delayed holds up
//   client ◄── answer thread  ◄── broker     what comes behind it on its connection, as in a full buffer
//
// A request that is delayed still goes out when its client has gone: so it reaches the broker late, as one
// that was lost on its way and found again.
//
// Threads: rules may be changed and counts read from any thread.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

namespace neardup {

// Kafka's numbers.
enum class KafkaApi : std::int16_t {
  kProduce = 0,
  kFetch = 1,
  kListOffsets = 2,
  kMetadata = 3,
  kFindCoordinator = 10,
  kJoinGroup = 11,
  kHeartbeat = 12,
  kSyncGroup = 14,
  kInitProducerId = 22,
  kAddPartitionsToTxn = 24,
  kAddOffsetsToTxn = 25,
  kEndTxn = 26,
  kTxnOffsetCommit = 28,
};
std::string_view name(KafkaApi api);

struct ProxyRule {
  enum class Act : std::uint8_t { kCut, kDelay, kDrop, kDamage };  // kDamage: a bit in the middle is another
  enum class On : std::uint8_t { kRequest, kAnswer };

  KafkaApi api = KafkaApi::kEndTxn;
  On on = On::kAnswer;
  Act act = Act::kDrop;
  std::chrono::milliseconds delay{0};  // for kDelay
  int times = 1;                       // then the rule is spent
  std::uint32_t bytes_min = 0;         // smaller frames are passed on
};

// The rules of all proxies of a cluster.
class ProxyRules {
 public:
  void add(const ProxyRule& rule);
  void clear();
  // How often a rule has struck.
  std::uint64_t struck() const { return struck_; }

  // What happens to this frame; spends one of the rule's times.
  std::optional<ProxyRule> take(ProxyRule::On on, std::int16_t api, std::uint32_t bytes);

 private:
  std::mutex mutex_;
  std::vector<ProxyRule> rules_;
  std::atomic<std::uint64_t> struck_{0};
};

class KafkaProxy {
 public:
  static constexpr std::size_t kConnectionsMax = 256;
  static constexpr std::uint32_t kFrameBytesMax = std::uint32_t{512} << 20;

  // Listens on a free port, and refuses who comes until it is told where to connect to. Throws when there is
  // no port.
  explicit KafkaProxy(ProxyRules& rules);
  // Cuts all connections.
  ~KafkaProxy();
  KafkaProxy(const KafkaProxy&) = delete;
  KafkaProxy& operator=(const KafkaProxy&) = delete;

  int port() const { return port_; }
  void connect_to(int port) { target_ = port; }
  // Cuts the connections there are. Returns how many.
  std::size_t cut_all();

 private:
  struct Connection;

  void accept_all();
  void reap();

  ProxyRules& rules_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> target_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // of the list
  std::list<std::unique_ptr<Connection>> connections_;
  std::thread acceptor_;
};

}  // namespace neardup
