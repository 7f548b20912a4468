#include "tests/chaos/kafka_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace neardup {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kChunkBytes = std::size_t{64} << 10;
constexpr int kLookEveryMs = 50;  // whether the listener shall stop
constexpr std::int16_t kUnknownApi = -1;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

int connect_to_loopback(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  if (fd >= 0 && connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

bool read_all(int fd, std::uint8_t* into, std::size_t count) {
  while (count > 0) {
    const ssize_t got = recv(fd, into, count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int fd, const std::uint8_t* from, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = send(fd, from, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    from += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

std::uint32_t number_at(const std::uint8_t* bytes, int count) {
  std::uint32_t number = 0;
  for (int i = 0; i < count; ++i) number = number << 8 | bytes[i];
  return number;
}

}  // namespace

std::string_view name(KafkaApi api) {
  switch (api) {
    case KafkaApi::kProduce:
      return "Produce";
    case KafkaApi::kFetch:
      return "Fetch";
    case KafkaApi::kListOffsets:
      return "ListOffsets";
    case KafkaApi::kMetadata:
      return "Metadata";
    case KafkaApi::kFindCoordinator:
      return "FindCoordinator";
    case KafkaApi::kJoinGroup:
      return "JoinGroup";
    case KafkaApi::kHeartbeat:
      return "Heartbeat";
    case KafkaApi::kSyncGroup:
      return "SyncGroup";
    case KafkaApi::kInitProducerId:
      return "InitProducerId";
    case KafkaApi::kAddPartitionsToTxn:
      return "AddPartitionsToTxn";
    case KafkaApi::kAddOffsetsToTxn:
      return "AddOffsetsToTxn";
    case KafkaApi::kEndTxn:
      return "EndTxn";
    case KafkaApi::kTxnOffsetCommit:
      return "TxnOffsetCommit";
  }
  return "unknown";
}

void ProxyRules::add(const ProxyRule& rule) {
  const std::lock_guard lock(mutex_);
  rules_.push_back(rule);
}

void ProxyRules::clear() {
  const std::lock_guard lock(mutex_);
  rules_.clear();
}

std::optional<ProxyRule> ProxyRules::take(ProxyRule::On on, std::int16_t api, std::uint32_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto rule = std::ranges::find_if(rules_, [&](const ProxyRule& r) {
    return r.on == on && static_cast<std::int16_t>(r.api) == api && r.times > 0 && bytes >= r.bytes_min;
  });
  if (rule == rules_.end()) return std::nullopt;
  --rule->times;
  ++struck_;
  return *rule;
}

// One client's way to the broker.
struct KafkaProxy::Connection {
  Connection(ProxyRules& the_rules, int from, int to) : rules(the_rules), client(from), broker(to) {
    for (const int fd : {client, broker}) {
      const int on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    requests = std::thread([this] {
      while (pass_request()) {
      }
      shutdown(broker, SHUT_WR);  // the broker may still answer what it has
      ++ended;
    });
    answers = std::thread([this] {
      while (pass_answer()) {
      }
      shutdown(client, SHUT_RDWR);
      ++ended;
    });
  }
  ~Connection() {
    cut();
    requests.join();
    answers.join();
    close(client);
    close(broker);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void cut() {
    {
      const std::lock_guard lock(mutex);
      is_cut = true;
    }
    woken.notify_all();
    shutdown(client, SHUT_RDWR);
    shutdown(broker, SHUT_RDWR);
  }

  bool pass_request() {
    std::array<std::uint8_t, 12> head{};  // length, API key, version, correlation id
    if (!read_all(client, head.data(), head.size())) return false;
    const auto api = static_cast<std::int16_t>(number_at(head.data() + 4, 2));
    {
      const std::lock_guard lock(mutex);
      pending[number_at(head.data() + 8, 4)] = api;
    }
    return pass(ProxyRule::On::kRequest, api, client, broker, head.data(), head.size());
  }

  bool pass_answer() {
    std::array<std::uint8_t, 8> head{};  // length, correlation id
    if (!read_all(broker, head.data(), head.size())) return false;
    std::int16_t api = kUnknownApi;
    {
      const std::lock_guard lock(mutex);
      if (const auto node = pending.extract(number_at(head.data() + 4, 4))) api = node.mapped();
    }
    return pass(ProxyRule::On::kAnswer, api, broker, client, head.data(), head.size());
  }

  // The rest of a frame whose first bytes are `head`.
  bool pass(ProxyRule::On on, std::int16_t api, int from, int to, const std::uint8_t* head,
            std::size_t head_bytes) {
    const std::uint32_t length = number_at(head, 4);
    if (length + 4 < head_bytes || length > kFrameBytesMax) return false;
    const std::optional<ProxyRule> rule = rules.take(on, api, length);
    if (rule && rule->act == ProxyRule::Act::kCut) {
      cut();
      return false;
    }
    if (rule && rule->act == ProxyRule::Act::kDelay) {
      std::unique_lock lock(mutex);
      woken.wait_for(lock, rule->delay, [&] { return is_cut; });
    }
    const bool dropped = rule && rule->act == ProxyRule::Act::kDrop;
    const bool damaged = rule && rule->act == ProxyRule::Act::kDamage;
    const std::size_t middle = (length + 4 - head_bytes) / 2;  // of what is left
    if (!dropped && !write_all(to, head, head_bytes)) return false;
    std::array<std::uint8_t, kChunkBytes> chunk;
    for (std::size_t left = length + 4 - head_bytes; left > 0;) {
      const std::size_t count = std::min(left, chunk.size());
      if (!read_all(from, chunk.data(), count)) return false;
      if (damaged && left > middle && left - count <= middle) chunk[left - middle - 1] ^= 1;
      if (!dropped && !write_all(to, chunk.data(), count)) return false;
      left -= count;
    }
    return true;
  }

  ProxyRules& rules;
  int client;
  int broker;
  std::mutex mutex;
  std::condition_variable woken;
  bool is_cut = false;
  std::unordered_map<std::uint32_t, std::int16_t> pending;  // API by correlation id
  std::atomic<int> ended{0};                                // threads
  std::thread requests;
  std::thread answers;
};

KafkaProxy::KafkaProxy(ProxyRules& rules) : rules_(rules) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (listener_ < 0 || bind(listener_, any, sizeof address) != 0 || listen(listener_, 64) != 0 ||
      getsockname(listener_, any, &size) != 0)
    throw std::runtime_error("no port for the proxy");
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

KafkaProxy::~KafkaProxy() {
  stop_ = true;
  acceptor_.join();
  close(listener_);
  connections_.clear();
}

std::size_t KafkaProxy::cut_all() {
  const std::lock_guard lock(mutex_);
  std::size_t cut = 0;
  for (const auto& connection : connections_) {
    if (connection->ended == 2) continue;
    connection->cut();
    ++cut;
  }
  return cut;
}

void KafkaProxy::reap() {
  const std::lock_guard lock(mutex_);
  connections_.remove_if([](const auto& connection) { return connection->ended == 2; });
}

void KafkaProxy::accept_all() {
  while (!stop_) {
    reap();
    pollfd waiting = {.fd = listener_, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, kLookEveryMs) <= 0) continue;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    const int broker = target_ == 0 ? -1 : connect_to_loopback(target_);
    const std::lock_guard lock(mutex_);
    if (broker < 0 || connections_.size() >= kConnectionsMax) {
      close(client);
      if (broker >= 0) close(broker);
      continue;
    }
    connections_.push_back(std::make_unique<Connection>(rules_, client, broker));
  }
}

}  // namespace neardup
