#include "service/kafka/client.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string_view>
#include <tuple>

#include "service/log.h"

namespace neardup {
namespace {

constexpr std::size_t kSecretBytesMax = 65536;
constexpr const char* kPasswordSetting = "kafka.sasl_password_file";

// A secret is the file's content without its last line break.
Result<std::string> read_secret(const std::string& setting, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::kInvalid, setting + ": cannot read the file " + path};
  std::string content(kSecretBytesMax + 1, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  // A folder can be opened like a file, but not read.
  if (file.bad()) return Error{ErrorCode::kInvalid, setting + ": cannot read " + path + "; is it a file?"};
  content.resize(static_cast<std::size_t>(file.gcount()));
  if (content.size() > kSecretBytesMax)
    return Error{ErrorCode::kInvalid, setting + ": the file " + path + " is too large"};
  while (!content.empty() && (content.back() == '\n' || content.back() == '\r')) content.pop_back();
  if (content.empty()) return Error{ErrorCode::kInvalid, setting + ": the file " + path + " is empty"};
  // librdkafka would take what lies before it, and the broker say no more than that the login is wrong.
  if (content.find('\0') != std::string::npos) {
    return Error{ErrorCode::kInvalid,
                 setting + ": the file " + path + " holds a zero byte; write it as UTF-8"};
  }
  return content;
}

// An outage says the same thing dozens of times a second, by every client that the service has.
LogLimiter& limiter() {
  static LogLimiter limiter;
  return limiter;
}

// A number, or an address or a partition: "5000ms", "1/1", "[0]:", "ipv4#127.0.0.1:9092", "kafka-1:9092/1:".
bool varies(std::string_view word) {
  if (word.empty()) return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (word.starts_with('[') || is_digit(word.front())) return std::ranges::any_of(word, is_digit);
  const std::size_t port = word.find_last_of(":#", word.size() - 2) + 1;
  return port > 0 && port < word.size() && is_digit(word[port]);
}

// What is the same in all lines of one fault, and another for another topic: neither where (each client tells
// it of each of its connections, and most of them twice: as an error and as a line of its log) nor how often,
// so without librdkafka's words on these, and without addresses, times and partitions.
std::string fault_of(std::string_view text) {
  if (text.starts_with("[thrd:")) text.remove_prefix(std::min(text.size(), text.find("]: ") + 3));
  text =
      text.substr(0, text.find(" (after "));  // "5000ms in state CONNECT, 3 identical error(s) suppressed)"
  std::string fault;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const bool is_coordinator = word == "GroupCoordinator:" || word == "TxnCoordinator:";
    if (!is_coordinator && !varies(word)) fault.append(word).append(" ");
  }
  return fault;
}

ClientListener& listener_of(void* opaque) { return *static_cast<ClientListener*>(opaque); }

void hear_error(rd_kafka_t& client, int code, const char* reason, ClientListener& listener) {
  listener.on_error(code, reason);
  if (code == RD_KAFKA_RESP_ERR__AUTHENTICATION) listener.renew_password(client);
}

void error_callback(rd_kafka_t* client, int code, const char* reason, void* opaque) {
  hear_error(*client, code, reason, listener_of(opaque));
}

void log_callback(const rd_kafka_t* client, int level, const char* facility, const char* text) {
  listener_of(rd_kafka_opaque(client)).on_log(level, facility, text);
}

int statistics_callback(rd_kafka_t*, char* json, std::size_t size, void* opaque) {
  ClientListener& listener = listener_of(opaque);
  if (listener.on_statistics) listener.on_statistics({json, size});
  return 0;  // librdkafka frees the document
}

void delivery_callback(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
    listener_of(opaque).count_delivered();
  } else {
    listener_of(opaque).on_undelivered(message->err);
  }
}

void rebalance_callback(rd_kafka_t* client, rd_kafka_resp_err_t error,
                        rd_kafka_topic_partition_list_t* partitions, void* opaque) {
  listener_of(opaque).on_rebalance(client, error, partitions);
}

// `error`: the answer did not come. What it says, if it came, is for librdkafka.
rd_kafka_resp_err_t answer_callback(rd_kafka_t* client, int, const char*, std::int32_t, std::int16_t api,
                                    std::int16_t, std::int32_t, std::size_t, std::int64_t,
                                    rd_kafka_resp_err_t error, void*) {
  listener_of(rd_kafka_opaque(client)).on_answer(api, error);
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

// Why it is refused; "" if it is not.
std::string refuse_property(rd_kafka_conf_t& conf, const std::string& property, const std::string& value) {
  std::array<char, 512> why{};
  if (rd_kafka_conf_set(&conf, property.c_str(), value.c_str(), why.data(), why.size()) == RD_KAFKA_CONF_OK)
    return "";
  std::string refusal = why.data();
  // It says a wrong word back, which may be a secret in the wrong place.
  if (refusal.starts_with("Invalid value \""))
    refusal = "Invalid value for configuration property \"" + property + "\"";
  return refusal;
}

Status set_property(rd_kafka_conf_t& conf, const std::string& property, const std::string& value) {
  const std::string refusal = refuse_property(conf, property, value);
  if (refusal.empty()) return {};
  return Error{ErrorCode::kInvalid, "kafka property " + property + ": " + refusal};
}

constexpr const char* kInterceptor = "neardup";

rd_kafka_resp_err_t listen_to_answers(rd_kafka_t* client, const rd_kafka_conf_t*, void*, char*, std::size_t) {
  return rd_kafka_interceptor_add_on_response_received(client, kInterceptor, answer_callback, nullptr);
}

}  // namespace

void ClientListener::on_error(int code, const char* reason) {
  const auto error = static_cast<rd_kafka_resp_err_t>(code);
  probe_.kafka_error(name_, rd_kafka_err2name(error));
  if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {  // why was said of each of them
    log_debug("kafka {}: {}: {}", name_, rd_kafka_err2name(error), reason);
  } else {
    // All of them tell of a broker that is away; what else one is refused another one may not be.
    const bool is_network = error == RD_KAFKA_RESP_ERR__TRANSPORT || error == RD_KAFKA_RESP_ERR__RESOLVE ||
                            error == RD_KAFKA_RESP_ERR__TIMED_OUT;
    limiter().log(LogLevel::kWarning, (is_network ? "" : name_ + " ") + fault_of(reason), "kafka {}: {}: {}",
                  name_, rd_kafka_err2name(error), reason);
  }
}

void ClientListener::on_log(int level, const char* facility, const char* text) {
  const LogLevel ours = level <= 3 ? LogLevel::kError : level <= 4 ? LogLevel::kWarning : LogLevel::kDebug;
  if (ours == LogLevel::kDebug) {  // was asked for, all of it
    log_debug("kafka {}: {}: {}", name_, facility, text);
  } else {
    limiter().log(ours, fault_of(text), "kafka {}: {}: {}", name_, facility, text);
  }
}

void ClientListener::on_answer(std::int16_t api, rd_kafka_resp_err_t error) {
  // Produce, AddPartitionsToTxn, AddOffsetsToTxn, EndTxn, TxnOffsetCommit.
  static constexpr std::array<std::int16_t, 5> kOfTransactions = {0, 24, 25, 26, 28};
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR || std::ranges::find(kOfTransactions, api) == kOfTransactions.end())
    return;
  unanswered_.store(true, std::memory_order_release);
}

void ClientListener::on_undelivered(rd_kafka_resp_err_t error) {
  probe_.kafka_error(name_, rd_kafka_err2name(error));
  last_undelivered_.store(error, std::memory_order_relaxed);
  undelivered_.fetch_add(1, std::memory_order_release);
}

void ClientListener::set_password_file(const std::string& path) {
  const std::scoped_lock lock(password_file_mutex_);
  password_file_ = path;
}

void ClientListener::renew_password(rd_kafka_t& client) {
  const std::string file = [&] {
    const std::scoped_lock lock(password_file_mutex_);
    return password_file_;
  }();
  if (file.empty()) return;
  const Result<std::string> password = read_secret(kPasswordSetting, file);
  if (!password) {  // it may be about to be written: the next refusal asks again
    limiter().log(LogLevel::kWarning, name_ + password.error().message, "kafka {}: {}", name_,
                  password.error().message);
    return;
  }
  std::size_t size = 0;  // with the zero byte
  if (rd_kafka_conf_get(rd_kafka_conf(&client), "sasl.username", nullptr, &size) != RD_KAFKA_CONF_OK) return;
  std::string username(size, '\0');
  rd_kafka_conf_get(rd_kafka_conf(&client), "sasl.username", username.data(), &size);
  const RdKafka<rd_kafka_error_t> error(
      rd_kafka_sasl_set_credentials(&client, username.c_str(), password->c_str()));
  if (error) limiter().log(LogLevel::kWarning, name_ + "password", "kafka {}: {}", name_, describe(*error));
}

namespace {

// Whether what a client is made of may be otherwise a moment later.
bool names_files(const KafkaConfig& config) {
  return std::ranges::any_of(
      std::array{&config.sasl_password_file, &config.tls_ca_file, &config.tls_certificate_file,
                 &config.tls_key_file, &config.tls_key_password_file},
      [](const std::string* path) { return !path->empty(); });
}

// To go behind what librdkafka says, which names no file; empty: all are there.
std::string unreadable_file(const KafkaConfig& config) {
  Config all;
  all.kafka = config;
  const Status files = check_files(all);
  return files ? "" : "; " + files.error().message;
}

Result<RdKafka<rd_kafka_t>> make_client_now(rd_kafka_type_t type, const KafkaConfig& config,
                                            const ClientProperties& properties, ClientListener& listener) {
  RdKafka<rd_kafka_conf_t> conf(rd_kafka_conf_new());

  ClientProperties all = {
      {"bootstrap.servers", config.brokers},
      {"client.id", "neardup-" + listener.name()},
      {"security.protocol", config.security_protocol},
      {"enable.metrics.push", "false"},
      // A restarted broker must be found again in a second, not in ten.
      {"reconnect.backoff.ms", "50"},
      {"reconnect.backoff.max.ms", "1000"},
      {"topic.metadata.refresh.interval.ms", "10000"},
  };
  if (type == RD_KAFKA_CONSUMER) all.emplace_back("allow.auto.create.topics", "false");
  if (!config.sasl_mechanism.empty()) all.emplace_back("sasl.mechanism", config.sasl_mechanism);
  // OAUTHBEARER has a client id and a client secret where the others have a user name and a password.
  const bool oauth = config.sasl_mechanism == "OAUTHBEARER";
  if (!config.sasl_username.empty()) {
    all.emplace_back(oauth ? "sasl.oauthbearer.client.id" : "sasl.username", config.sasl_username);
  }
  if (!config.tls_ca_file.empty()) all.emplace_back("ssl.ca.location", config.tls_ca_file);
  if (!config.tls_certificate_file.empty())
    all.emplace_back("ssl.certificate.location", config.tls_certificate_file);
  if (!config.tls_key_file.empty()) all.emplace_back("ssl.key.location", config.tls_key_file);
  all.insert(all.end(), properties.begin(), properties.end());
  // The operator has the last word; what exactly-once rests on was refused when the configuration was read.
  for (const auto& [property, value] : config.properties) all.emplace_back(property, value);
  for (const auto& [property, value] : all) {
    if (Status status = set_property(*conf, property, value); !status) return status.error();
  }
  for (const auto& [setting, property, path] :
       {std::tuple{kPasswordSetting, oauth ? "sasl.oauthbearer.client.secret" : "sasl.password",
                   &config.sasl_password_file},
        std::tuple{"kafka.tls_key_password_file", "ssl.key.password", &config.tls_key_password_file}}) {
    if (path->empty()) continue;
    Result<std::string> secret = read_secret(setting, *path);
    if (!secret) return secret.error();
    if (Status status = set_property(*conf, property, *secret); !status) {
      return Error{ErrorCode::kInvalid,
                   std::string(setting) + ": librdkafka refuses the value of this secret"};
    }
  }

  listener.set_password_file(oauth ? "" : config.sasl_password_file);
  rd_kafka_conf_set_opaque(conf.get(), &listener);
  rd_kafka_conf_set_error_cb(conf.get(), error_callback);
  rd_kafka_conf_set_log_cb(conf.get(), log_callback);
  if (listener.on_statistics) rd_kafka_conf_set_stats_cb(conf.get(), statistics_callback);
  if (listener.on_rebalance) rd_kafka_conf_set_rebalance_cb(conf.get(), rebalance_callback);
  if (type == RD_KAFKA_PRODUCER) {
    rd_kafka_conf_interceptor_add_on_new(conf.get(), kInterceptor, listen_to_answers, nullptr);
    if (listener.failures_only) {
      rd_kafka_conf_set_events(conf.get(), RD_KAFKA_EVENT_DR);
    } else {
      rd_kafka_conf_set_dr_msg_cb(conf.get(), delivery_callback);
    }
  }

  std::array<char, 512> why{};
  rd_kafka_t* client = rd_kafka_new(type, conf.get(), why.data(), why.size());
  if (client == nullptr) {
    // It has threads, and there may be none to be had for now.
    if (rd_kafka_last_error() == RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE)
      return Error{ErrorCode::kUnavailable, std::string("making a client of Kafka: ") + why.data()};
    return Error{ErrorCode::kInvalid, std::string("kafka settings: ") + why.data() + unreadable_file(config)};
  }
  static_cast<void>(conf.release());  // the client owns it now
  if (type == RD_KAFKA_CONSUMER && !listener.events_apart) rd_kafka_poll_set_consumer(client);
  return RdKafka<rd_kafka_t>(client);
}

}  // namespace

Result<RdKafka<rd_kafka_t>> make_client(rd_kafka_type_t type, const KafkaConfig& config,
                                        const ClientProperties& properties, ClientListener& listener,
                                        const std::stop_token& stop, const SecondLook& files) {
  for (Looks looks(files, stop);;) {
    Result<RdKafka<rd_kafka_t>> client = make_client_now(type, config, properties, listener);
    const bool may_pass = !client && client.error().code == ErrorCode::kInvalid && names_files(config);
    if (!may_pass) return client;
    if (!looks.once_more()) {
      if (!looks.stopped()) return client;
      return Error{ErrorCode::kUnavailable, "asked to stop while " + client.error().message};
    }
    limiter().log(LogLevel::kWarning, listener.name() + client.error().message,
                  "kafka {}: {}; it may be about to be written: looking again", listener.name(),
                  client.error().message);
  }
}

Status check_property(const std::string& property, const std::string& value) {
  const RdKafka<rd_kafka_conf_t> conf(rd_kafka_conf_new());
  const std::string refusal = refuse_property(*conf, property, value);
  if (refusal.empty()) return {};
  return Error{ErrorCode::kInvalid, refusal};
}

void take_failures(rd_kafka_t& client, rd_kafka_queue_t& queue, ClientListener& listener) {
  while (const RdKafka<rd_kafka_event_t> event{rd_kafka_queue_poll(&queue, 0)}) {
    if (rd_kafka_event_type(event.get()) == RD_KAFKA_EVENT_ERROR)
      hear_error(client, rd_kafka_event_error(event.get()), rd_kafka_event_error_string(event.get()),
                 listener);
    if (rd_kafka_event_type(event.get()) != RD_KAFKA_EVENT_DR) continue;
    while (const rd_kafka_message_t* const message = rd_kafka_event_message_next(event.get())) {
      if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) listener.on_undelivered(message->err);
    }
  }
}

ClientProperties consumer_properties(std::string group) {
  return {
      {"group.id", std::move(group)},
      {"isolation.level", "read_committed"},
      {"enable.auto.commit", "false"},
      {"auto.offset.reset", "error"},  // anything else jumps over records in silence
      {"check.crcs", "true"},
      {"enable.partition.eof", "true"},
      {"fetch.queue.backoff.ms", "5"},
      {"queued.max.messages.kbytes", "65536"},
  };
}

std::string librdkafka_version() { return rd_kafka_version_str(); }

std::string describe(rd_kafka_resp_err_t error) {
  return std::string(rd_kafka_err2name(error)) + ": " + rd_kafka_err2str(error);
}

std::string describe(const rd_kafka_error_t& error) {
  return std::string(rd_kafka_error_name(&error)) + ": " + rd_kafka_error_string(&error);
}

rd_kafka_resp_err_t list_offsets_error(const rd_kafka_topic_partition_t& answer) {
  if (answer.err != RD_KAFKA_RESP_ERR_NO_ERROR) return answer.err;
  return answer.offset < 0 ? RD_KAFKA_RESP_ERR__TIMED_OUT : RD_KAFKA_RESP_ERR_NO_ERROR;
}

RdKafka<rd_kafka_topic_partition_list_t> partition_list(int size_hint) {
  return RdKafka<rd_kafka_topic_partition_list_t>(rd_kafka_topic_partition_list_new(size_hint));
}

}  // namespace neardup
