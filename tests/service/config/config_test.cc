#include "service/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "service/config_table.h"
#include "service/suggest.h"

namespace neardup {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// A file that lives as long as this object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) {
    char name[] = "/tmp/neardup-config-XXXXXX";
    const int fd = mkstemp(name);
    EXPECT_GE(fd, 0);
    close(fd);
    path_ = name;
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Result<LoadedConfig> load_yaml(const std::string& yaml, ConfigSources sources = {}) {
  const TemporaryFile file(yaml);
  sources.file = file.path();
  return load_config(sources);
}

// The message of what must be refused, with the file's name cut down to FILE.
std::string refusal(const std::string& yaml) {
  const TemporaryFile file(yaml);
  ConfigSources sources;
  sources.file = file.path();
  const Result<LoadedConfig> loaded = load_config(sources);
  if (loaded) return "accepted";
  std::string message = loaded.error().message;
  for (std::size_t at; (at = message.find(file.path())) != std::string::npos;) {
    message.replace(at, file.path().size(), "FILE");
  }
  return message;
}

std::string refusal_of_set(const std::string& assignment) {
  const Result<LoadedConfig> loaded =
      load_config({.file = {}, .sets = {assignment}, .properties = {}, .environment = {}});
  return loaded ? "accepted" : loaded.error().message;
}

std::string refusal_of_property(const std::string& assignment) {
  const Result<LoadedConfig> loaded =
      load_config({.file = {}, .sets = {}, .properties = {assignment}, .environment = {}});
  return loaded ? "accepted" : loaded.error().message;
}

std::string refusal_of_variable(const std::string& name, const std::string& value) {
  const Result<LoadedConfig> loaded =
      load_config({.file = {}, .sets = {}, .properties = {}, .environment = {{name, value}}});
  return loaded ? "accepted" : loaded.error().message;
}

// ---- Sources and their order ----

TEST(Config, nothing_given_is_the_defaults) {
  const Result<LoadedConfig> loaded = load_config({});
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->config.kafka.brokers, "127.0.0.1:9092");
  EXPECT_THAT(loaded->config.kafka.topics.input, ElementsAre("pages"));
  EXPECT_EQ(loaded->origin.at("kafka.brokers"), "default");
}

TEST(Config, every_default_is_one_that_the_table_accepts) {
  Config config;
  for (const Setting& setting : settings()) {
    const Field place = setting.field(config);
    if (const auto* word = std::get_if<std::string*>(&place)) {
      EXPECT_TRUE(assign(setting, config, **word)) << setting.path;
    } else if (const auto* number = std::get_if<int*>(&place)) {
      EXPECT_TRUE(assign(setting, config, std::to_string(**number))) << setting.path;
    } else if (const auto* bytes = std::get_if<std::size_t*>(&place)) {
      EXPECT_TRUE(assign(setting, config, std::to_string(**bytes))) << setting.path;
    }
    EXPECT_FALSE(setting.about.empty()) << setting.path;
    EXPECT_TRUE(setting.about.ends_with('.') || setting.about.ends_with('?')) << setting.path;
  }
}

TEST(Config, a_later_source_wins_and_its_name_is_kept) {
  const std::string yaml = "batch:\n  interval_ms: 20\n  documents_max: 30\n  bytes_max: 2MiB\n";
  const Result<LoadedConfig> loaded = load_yaml(
      yaml, {.file = {},
             .sets = {"batch.bytes_max=4MiB", "batch.bytes_max=8MiB"},
             .properties = {"linger.ms=3"},
             .environment = {{"NEARDUP_BATCH__DOCUMENTS_MAX", "40"}, {"neardup_batch__bytes_max", "3MiB"}}});
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->config.batch.interval_ms, 20);
  EXPECT_EQ(loaded->config.batch.documents_max, 40);
  EXPECT_EQ(loaded->config.batch.bytes_max, std::size_t{8} << 20);
  EXPECT_EQ(loaded->config.kafka.properties.at("linger.ms"), "3");
  EXPECT_THAT(loaded->origin.at("batch.interval_ms"), testing::EndsWith(":2"));
  EXPECT_EQ(loaded->origin.at("batch.documents_max"), "env NEARDUP_BATCH__DOCUMENTS_MAX");
  EXPECT_EQ(loaded->origin.at("batch.bytes_max"), "--set");
  EXPECT_EQ(loaded->origin.at("kafka.properties.linger.ms"), "-X");
}

// Whoever types "neardup topics create" with them makes the topics of this Kafka, in whatever shell.
TEST(Config, the_options_by_which_another_subcommand_finds_the_same_kafka) {
  EXPECT_EQ(load_config({})->kafka_options, "");
  const TemporaryFile file("batch: {interval_ms: 20}\n");
  const auto loaded =
      load_config({.file = file.path(),
                   .sets = {"kafka.group=a b's", "http.port=9000", "kafka.topics.input=[pages, more]"},
                   .properties = {"client.rack=eu-1"},
                   .environment = {{"NEARDUP_KAFKA__BROKERS", "a:1,b:2"},
                                   {"NEARDUP_HTTP__ADDRESS", "127.0.0.1"},
                                   {"NEARDUP_KAFKA__PROPERTIES__LINGER_MS", "7"}}});
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->kafka_options, " -c " + file.path() +
                                       " --set kafka.brokers=a:1,b:2 -X linger.ms=7 --set "
                                       R"('kafka.group=a b'\''s' --set 'kafka.topics.input=[pages, more]')"
                                       " -X client.rack=eu-1");
}

TEST(Config, the_environment_names_the_file_unless_the_flag_does) {
  const TemporaryFile file("http: {port: 1}\n");
  const TemporaryFile other("http: {port: 2}\n");
  ConfigSources sources;
  sources.environment["NEARDUP_CONFIG"] = file.path();
  ASSERT_EQ(load_config(sources)->config.http.port, 1);
  EXPECT_EQ(load_config(sources)->kafka_options, " -c " + file.path());
  sources.file = other.path();
  EXPECT_EQ(load_config(sources)->config.http.port, 2);
  EXPECT_EQ(load_config(sources)->kafka_options, " -c " + other.path());
  sources.file = std::nullopt;
  sources.environment["neardup_config"] = other.path();
  EXPECT_EQ(load_config(sources)->config.http.port, 1) << "the one in capitals";
  sources.environment.erase("NEARDUP_CONFIG");
  EXPECT_EQ(load_config(sources)->config.http.port, 2);
}

TEST(Config, lists_come_as_commas_or_as_yaml) {
  ConfigSources sources;
  sources.sets = {"kafka.topics.input=a, b", "input.fields.text=[/x, \"/y,z\"]", "input.fields.id="};
  const Result<LoadedConfig> loaded = load_config(sources);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_THAT(loaded->config.kafka.topics.input, ElementsAre("a", "b"));
  EXPECT_THAT(loaded->config.input.fields.text, ElementsAre("/x", "/y,z"));
  EXPECT_TRUE(loaded->config.input.fields.id.empty());
}

TEST(Config, one_word_in_yaml_is_a_list_of_one) {
  EXPECT_THAT(load_yaml("kafka: {topics: {input: news}}")->config.kafka.topics.input, ElementsAre("news"));
}

TEST(Config, properties_come_from_all_four_sources) {
  ConfigSources sources;
  sources.sets = {"kafka.properties.fetch.min.bytes=1"};
  sources.properties = {"client.rack=a=b"};
  sources.environment = {{"NEARDUP_KAFKA__PROPERTIES__LINGER_MS", "5"}};
  const Result<LoadedConfig> loaded =
      load_yaml("kafka:\n  properties:\n    batch.num.messages: 100\n", sources);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_THAT(loaded->config.kafka.properties,
              ElementsAre(testing::Pair("batch.num.messages", "100"), testing::Pair("client.rack", "a=b"),
                          testing::Pair("fetch.min.bytes", "1"), testing::Pair("linger.ms", "5")));
}

TEST(Config, sizes_are_bytes_or_binary_units) {
  for (const auto& [text, bytes] : {std::pair{"1048576", std::size_t{1} << 20},
                                    {"1024KiB", std::size_t{1} << 20},
                                    {"64MiB", std::size_t{64} << 20},
                                    {"64 MiB", std::size_t{64} << 20},
                                    {"1GiB", std::size_t{1} << 30}}) {
    ConfigSources sources;
    sources.sets = {std::string("batch.bytes_max=") + text};
    const Result<LoadedConfig> loaded = load_config(sources);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->config.batch.bytes_max, bytes) << text;
  }
}

TEST(Config, empty_sections_and_files_are_the_defaults) {
  for (const char* yaml :
       {"", "# nothing\n", "---\n", "kafka:\nbatch:\n", "kafka:\n  topics:\n  properties:\n"}) {
    EXPECT_EQ(refusal(yaml), "accepted") << yaml;
  }
}

// ---- Refusals ----

TEST(Config, an_unknown_name_is_refused_with_line_and_suggestion) {
  EXPECT_EQ(refusal("kafka:\n  brokrs: a:1\n"),
            "FILE:2: unknown setting \"kafka.brokrs\"; did you mean kafka.brokers?");
  EXPECT_EQ(refusal("brokers: a:1\n"), "FILE:1: unknown setting \"brokers\"; did you mean kafka.brokers?");
  EXPECT_EQ(refusal("zzzzzzzz: 1\n"), "FILE:1: unknown setting \"zzzzzzzz\"");
  EXPECT_EQ(refusal("kafka:\n  topics:\n    inputs: [a]\n"),
            "FILE:3: unknown setting \"kafka.topics.inputs\"; did you mean kafka.topics.input?");
  EXPECT_EQ(refusal_of_set("batch.interval=5"),
            "--set: unknown setting \"batch.interval\"; did you mean batch.interval_ms?");
  EXPECT_EQ(refusal_of_variable("NEARDUP_KAFKA_BROKERS", "a:1"),
            "env: unknown setting \"NEARDUP_KAFKA_BROKERS\"; did you mean NEARDUP_KAFKA__BROKERS?");
}

TEST(Config, every_mistake_is_named_at_once) {
  const std::string message = refusal("batch:\n  interval_ms: 1\n  documents_max: x\nhttp:\n  prt: 1\n");
  EXPECT_EQ(message,
            "FILE:2: batch.interval_ms: \"1\" is not in 5 .. 10000 ms\n"
            "FILE:3: batch.documents_max: \"x\" is not a whole number (1 .. 1000000 records)\n"
            "FILE:5: unknown setting \"http.prt\"; did you mean http.port?");
}

TEST(Config, ranges_hold_at_both_ends) {
  for (const Setting& setting : settings()) {
    if (setting.type() != "whole number" && setting.type() != "size") continue;
    Config config;
    EXPECT_TRUE(assign(setting, config, std::to_string(setting.min))) << setting.path;
    EXPECT_TRUE(assign(setting, config, std::to_string(setting.max))) << setting.path;
    EXPECT_FALSE(assign(setting, config, std::to_string(setting.max + 1))) << setting.path;
    EXPECT_FALSE(assign(setting, config, std::to_string(setting.min - 1))) << setting.path;
  }
}

TEST(Config, a_switch_is_true_or_false) {
  EXPECT_TRUE(load_yaml("index: {by_id: true}")->config.index.by_id);
  EXPECT_FALSE(load_yaml("index: {by_id: false}")->config.index.by_id);
  for (const char* text : {"", "yes", "on", "1", "True"}) {
    EXPECT_THAT(refusal_of_set(std::string("index.by_id=") + text), HasSubstr("is not true or false"))
        << text;
  }
}

TEST(Config, a_number_is_plain_digits) {
  for (const char* text :
       {"", " 5", "+5", "-5", "05", "0x10", "1e3", "5.0", "100ms", "99999999999999999999", "five"}) {
    EXPECT_THAT(refusal_of_set(std::string("batch.interval_ms=") + text), HasSubstr("is not a whole number"))
        << text;
  }
  for (const char* text : {"", "64M", "64MB", "64mib", "MiB", "1.5MiB", "-1", "9223372036854775807GiB"}) {
    EXPECT_THAT(refusal_of_set(std::string("batch.bytes_max=") + text), HasSubstr("is not a size like 64MiB"))
        << text;
  }
  for (const char* text :
       {"", ".", "1.", "0.8345", "80%", "-0.5", "2"}) {  // empty: 0, at which any may differ
    EXPECT_THAT(refusal_of_set(std::string("detector.token_threshold=") + text), HasSubstr("is not")) << text;
  }
}

// It would be keep: first without a word.
TEST(Config, the_best_source_needs_sources) {
  EXPECT_EQ(
      refusal("clusters: {keep: priority-source}\n"),
      "clusters.keep (FILE:1): is priority-source, and clusters.priority_sources names none, so that it "
      "would be first; name hosts, the best first");
  EXPECT_EQ(refusal("clusters: {keep: priority-source, priority_sources: [example.org]}\n"), "accepted");
  EXPECT_THAT(refusal("clusters: {keep: priority-source, priority_sources: 'example.org,example.com'}\n"),
              HasSubstr("is not a host"));
  EXPECT_EQ(refusal("clusters: {priority_sources: [example.org]}\n"), "accepted");
}

TEST(Config, words_outside_the_choice_are_refused) {
  EXPECT_EQ(refusal_of_set("log.level=loud"),
            "--set: log.level: \"loud\" is not one of debug, info, warning, error");
  EXPECT_THAT(refusal_of_set("input.id_from=field,hash"),
              HasSubstr("\"hash\" is not one of field, key, url"));
  EXPECT_EQ(refusal_of_set("input.preset=scrapy_cluster"),
            "--set: input.preset: \"scrapy_cluster\" is not one of json, scrapy-cluster, heritrix, raw");
  for (const std::string bad : {"", "text", "/a~", "/a~2", "$.text"}) {
    EXPECT_EQ(refusal_of_set("input.fields.html=/html," + bad),
              "--set: input.fields.html: \"" + bad +
                  "\" is not a JSON pointer; write it as /field or /outer/inner, with ~1 for a slash and ~0 "
                  "for a tilde inside a name");
  }
  EXPECT_THAT(refusal_of_set("kafka.topics.unique=a b"), HasSubstr("is not a topic name"));
  EXPECT_THAT(refusal_of_set("http.address=::1"), HasSubstr("is not an IPv4 address"));
  EXPECT_THAT(refusal_of_set("http.address=localhost"), HasSubstr("is not an IPv4 address"));
  EXPECT_THAT(refusal_of_set("kafka.group="), HasSubstr("is empty"));
  EXPECT_EQ(refusal_of_set("clusters.priority_sources=example.org,localhost"), "accepted");
  for (const char* host : {"http://example.org", "example.org/", "example.org:80", ".example.org",
                           "*.example.org", "example.org.", "example..org", "*", "."}) {
    EXPECT_THAT(refusal_of_set(std::string("clusters.priority_sources=") + host),
                HasSubstr("is not a host like example.org"))
        << host;
  }
  EXPECT_THAT(refusal_of_set("kafka.brokers=http://kafka:9092"),
              HasSubstr("is not host:port,host:port; the protocol is kafka.security_protocol"));
  for (const char* brokers : {"", "kafka", "kafka:", ":9092", "kafka:0", "kafka:70000", "a:1,,b:2", "a:1,",
                              "a:1 b:2", "a:1;b:2", "a b:1", "a:1 ,b:2", "a:1, :2"}) {
    EXPECT_THAT(refusal_of_set(std::string("kafka.brokers=") + brokers), HasSubstr("is not host:port"))
        << brokers;
  }
  EXPECT_EQ(refusal_of_set("kafka.brokers=a:1,[::1]:2"), "accepted");
  EXPECT_EQ(refusal_of_set("kafka.brokers=a:1, b:2"), "accepted");
}

TEST(Config, what_is_not_the_shape_of_a_setting_is_refused) {
  EXPECT_EQ(refusal("kafka: 5\n"), "FILE:1: kafka: is a section, not a value");
  EXPECT_EQ(refusal("[a, b]\n"), "FILE:1: is not a map of settings");
  EXPECT_EQ(refusal("kafka:\n  brokers: [a:1, b:2]\n"),
            "FILE:2: kafka.brokers: is one value, not a list or a map");
  EXPECT_EQ(refusal("kafka:\n  brokers:\n"),
            "FILE:2: kafka.brokers: has no value; leave the line out for the default");
  EXPECT_EQ(refusal("kafka:\n  topics:\n    input: [[a]]\n"),
            "FILE:3: kafka.topics.input: is a list of words: [a, b]");
  EXPECT_EQ(refusal("kafka:\n  topics:\n    input: [a, a]\n"),
            "FILE:3: kafka.topics.input: \"a\" stands twice");
  EXPECT_EQ(refusal("kafka.brokers: a:1\n"),
            "FILE:1: kafka.brokers: is written nested in YAML: one level for each part of the name");
  EXPECT_EQ(refusal("http: {port: 1}\n---\nhttp: {port: 2}\n"),
            "FILE: holds more than one YAML document (a line '---' begins another)");
  EXPECT_THAT(refusal("? [a]\n: b\n"), HasSubstr("a key is not a word"));
  EXPECT_EQ(refusal_of_set("kafka.properties=a"),
            "--set: kafka.properties: is set property by property: kafka.properties.NAME");
  EXPECT_EQ(refusal_of_set("kafka.group"), "--set kafka.group: is not NAME=VALUE");
  EXPECT_EQ(refusal_of_property("linger"), "-X linger: is not PROPERTY=VALUE");
}

TEST(Config, a_key_that_stands_twice_is_refused) {
  EXPECT_EQ(refusal("http:\n  port: 1\n  port: 2\n"), "FILE:3: http.port: stands twice");
  EXPECT_EQ(refusal("http:\n  port: 1\nlog:\nhttp:\n  port: 2\n"), "FILE:4: http: stands twice");
  EXPECT_EQ(refusal("kafka:\n  properties:\n    a.b: 1\n    a.b: 2\n"),
            "FILE:4: kafka.properties.a.b: stands twice");
}

TEST(Config, a_value_that_a_library_would_cut_off_is_refused) {
  EXPECT_EQ(refusal("kafka:\n  group: \"a\\0b\"\n"), "FILE:2: kafka.group: holds a NUL character");
  EXPECT_EQ(refusal("snapshot:\n  directory: \"/a\\0/b\"\n"),
            "FILE:2: snapshot.directory: holds a NUL character");
}

TEST(Config, hostile_files_are_refused_and_cost_little) {
  EXPECT_THAT(refusal("kafka: {brokers: \"a:1\"\n"), HasSubstr("is not YAML"));
  EXPECT_THAT(refusal("a: \"\\q\"\n"), HasSubstr("is not YAML"));
  EXPECT_THAT(refusal("\tkafka: 1\n"), Not(HasSubstr("accepted")));
  EXPECT_THAT(refusal(std::string(50000, '[')), HasSubstr("is not YAML"));
  EXPECT_THAT(refusal(std::string(50000, '{')), HasSubstr("is not YAML"));
  EXPECT_THAT(refusal("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b, *b]\n"), HasSubstr("unknown setting \"c\""));
  EXPECT_THAT(refusal("kafka: *nothing\n"), HasSubstr("is not YAML"));
  EXPECT_THAT(refusal(std::string("\0\x01\xFF\xFE garbage", 12)), Not(HasSubstr("accepted")));
  EXPECT_THAT(refusal(std::string((1U << 20) + 1, '#')), HasSubstr("larger than 1 MiB"));
  EXPECT_THAT(
      refusal("kafka:\n  group: " + std::string(1000, 'x') + "\n  brokers: " + std::string(9000, 'y')),
      AllOf(HasSubstr("yyy...\""), testing::SizeIs(testing::Lt(300))));
}

TEST(Config, a_file_that_cannot_be_read_is_named) {
  ConfigSources sources;
  sources.file = "/nonexistent/neardup.yaml";
  EXPECT_EQ(load_config(sources).error().code, ErrorCode::kNotFound);
  EXPECT_THAT(load_config(sources).error().message, HasSubstr("/nonexistent/neardup.yaml: "));
  sources.file = "/tmp";
  EXPECT_EQ(load_config(sources).error().code, ErrorCode::kIo);
  sources.file = "/dev/zero";
  EXPECT_THAT(load_config(sources).error().message, HasSubstr("larger than 1 MiB"));
}

TEST(Config, variables_of_others_are_left_alone) {
  for (const auto& [name, value] : {std::pair{"NEARDUP_CACHE", "/x"},
                                    {"NEARDUP_ISA", "scalar"},
                                    {"NEARDUP_KAFKA_DIR", "/x"},
                                    {"NEARDUP_KAFKA_HEAP_MB", "1024"},
                                    {"NEARDUP_KAFKA_JIT", "full"},
                                    {"NEARDUP_CMAKE_ARGS", "-Dx"},
                                    {"NEARDUP_DATA", "/x"},
                                    {"NEARDUP_CASES", "10"},
                                    {"NEARDUP_GOLDEN_UPDATE", "1"},
                                    {"PATH", "/bin"},
                                    // What Kubernetes sets for Services named neardup and neardup-http.
                                    {"NEARDUP_SERVICE_HOST", "10.0.0.1"},
                                    {"NEARDUP_SERVICE_PORT", "9301"},
                                    {"NEARDUP_SERVICE_PORT_HTTP", "9301"},
                                    {"NEARDUP_PORT", "tcp://10.0.0.1:9301"},
                                    {"NEARDUP_HTTP_PORT", "tcp://10.0.0.1:9301"},
                                    {"NEARDUP_PORT_9301_TCP", "tcp://10.0.0.1:9301"},
                                    {"NEARDUP_PORT_9301_TCP_ADDR", "10.0.0.1"}}) {
    EXPECT_EQ(refusal_of_variable(name, value), "accepted") << name;
  }
  EXPECT_THAT(refusal_of_variable("NEARDUP_HTTP_PORT", "9301"),
              HasSubstr("did you mean NEARDUP_HTTP__PORT?"));
}

TEST(Config, secrets_are_refused_wherever_they_come_from_and_not_repeated) {
  for (const auto& [property, instead] :
       {std::pair{"sasl.password", "kafka.sasl_password_file"},
        {"ssl.key.password", "kafka.tls_key_password_file"},
        {"ssl.key.pem", "kafka.tls_key_file"},
        {"ssl.certificate.pem", "kafka.tls_certificate_file"},
        {"ssl.keystore.password", "kafka.tls_key_file"},
        {"sasl.oauthbearer.client.secret", "kafka.sasl_password_file"},
        {"some.new.secret", "kafka.*_file"},
        {"sasl.jaas.config", "kafka.sasl_password_file"},
        {"sasl.oauthbearer.assertion.private.key.passphrase", "kafka.*_file"}}) {
    const std::string assignment = std::string(property) + "=hunter2";
    for (const std::string& message :
         {refusal_of_property(assignment), refusal_of_set("kafka.properties." + assignment),
          refusal("kafka: {properties: {" + std::string(property) + ": hunter2}}")}) {
      EXPECT_THAT(message, AllOf(HasSubstr(instead), HasSubstr(property), Not(HasSubstr("hunter2"))));
    }
  }
  EXPECT_THAT(refusal_of_variable("NEARDUP_KAFKA__PROPERTIES__SASL_PASSWORD", "hunter2"),
              AllOf(HasSubstr("kafka.sasl_password_file"), Not(HasSubstr("hunter2"))));
}

TEST(Config, a_mistyped_assignment_is_named_without_what_may_be_a_secret) {
  // base64 ends with '=', so the first one may lie behind the secret.
  for (const char* const torn :
       {":hunter2", ": hunter2", " hunter2", ":hunter2=", " = hunter2", "\thunter2="}) {
    const std::string assignment = std::string("sasl.password") + torn;
    EXPECT_EQ(refusal_of_property(assignment), "-X sasl.password: is not PROPERTY=VALUE");
    EXPECT_EQ(refusal_of_set("kafka.properties." + assignment),
              "--set kafka.properties.sasl.password: is not NAME=VALUE");
    EXPECT_THAT(
        refusal("kafka: {properties: {\"" + assignment + "\": x}}"),
        AllOf(HasSubstr("kafka.properties.sasl.password: is not PROPERTY=VALUE"), Not(HasSubstr("hunter2"))));
  }
  EXPECT_THAT(refusal("kafka:\n  properties:\n    sasl.password=hunter2: 1\n    sasl.password=hunter2: 2\n"),
              AllOf(HasSubstr("stands twice"), Not(HasSubstr("hunter2"))));
  EXPECT_THAT(refusal_of_variable("NEARDUP_KAFKA__PROPERTIES__SASL_PASSWORD:hunter2", ""),
              AllOf(StartsWith("env NEARDUP_KAFKA__PROPERTIES__SASL_PASSWORD: "), Not(HasSubstr("hunter2"))));
  EXPECT_THAT(refusal_of_set("kafka.sasl_password:hunter2="), Not(HasSubstr("hunter2")));
  EXPECT_THAT(refusal_of_property("=hunter2"), Not(HasSubstr("hunter2")));
}

TEST(Config, properties_that_exactly_once_rests_on_are_refused) {
  for (const char* property :
       {"transactional.id", "transaction.timeout.ms", "enable.idempotence", "isolation.level",
        "enable.auto.commit", "auto.offset.reset", "group.id", "acks", "bootstrap.servers",
        "security.protocol", "partition.assignment.strategy", "heartbeat.interval.ms", "max.poll.interval.ms",
        "batch.size", "message.max.bytes"}) {
    EXPECT_THAT(refusal_of_property(std::string(property) + "=x"),
                HasSubstr(std::string("kafka.properties.") + property));
  }
}

TEST(Config, a_property_is_refused_by_its_other_name_too) {
  for (const char* property : {"auto.offset.reset", "acks", "request.required.acks", "enable.auto.commit"}) {
    EXPECT_THAT(refusal_of_property("topic." + std::string(property) + "=x"),
                HasSubstr("kafka.properties.topic." + std::string(property) + ": must stay"));
  }
  EXPECT_THAT(refusal_of_property("SASL.PASSWORD=hunter2"),
              AllOf(HasSubstr("kafka.sasl_password_file"), Not(HasSubstr("hunter2"))));
  EXPECT_THAT(refusal_of_property("topic.sasl.password=hunter2"),
              AllOf(HasSubstr("kafka.sasl_password_file"), Not(HasSubstr("hunter2"))));
  for (const char* taken : {"topic.metadata.refresh.interval.ms=5000", "topic.compression.level=9"})
    EXPECT_EQ(refusal_of_property(taken), "accepted");
}

TEST(Config, a_cluster_in_memory_is_no_kafka) {
  EXPECT_THAT(refusal_of_property("test.mock.num.brokers=3"),
              HasSubstr("kafka.properties.test.mock.num.brokers: must stay off"));
}

// They would have no effect on the verdicts, or end the instance as soon as it is elected.
TEST(Config, properties_that_the_writer_cannot_have_otherwise_are_refused) {
  for (const char* property :
       {"message.timeout.ms", "delivery.timeout.ms", "partitioner", "queuing.strategy"}) {
    EXPECT_THAT(refusal_of_property(std::string(property) + "=1"),
                HasSubstr(std::string("kafka.properties.") + property + ": is "));
    EXPECT_THAT(refusal_of_property("topic." + std::string(property) + "=1"),
                HasSubstr("kafka.properties.topic." + std::string(property) + ": is "));
  }
}

// Events that nobody fetches stay in a client's queue for as long as it lives.
TEST(Config, properties_that_make_events_are_refused) {
  for (const char* property : {"statistics.interval.ms", "enabled_events", "log.queue"}) {
    EXPECT_THAT(refusal_of_property(std::string(property) + "=1"),
                HasSubstr(std::string("kafka.properties.") + property + ": is fixed"));
  }
}

TEST(Config, topics_must_differ) {
  EXPECT_EQ(
      refusal_of_set("kafka.topics.unique=pages"),
      "kafka.topics.unique (--set): \"pages\" is kafka.topics.input too; each needs a topic of its own");
  EXPECT_THAT(refusal_of_set("kafka.topics.journal=neardup.unique"), HasSubstr("kafka.topics.unique too"));
  EXPECT_THAT(refusal_of_set("kafka.topics.input="), HasSubstr("there is nothing to read"));
}

TEST(Config, half_a_login_is_refused) {
  EXPECT_THAT(refusal("kafka: {security_protocol: sasl_ssl}"),
              HasSubstr("sasl_ssl needs kafka.sasl_mechanism"));
  EXPECT_THAT(
      refusal("kafka: {security_protocol: sasl_ssl, sasl_mechanism: PLAIN}"),
      AllOf(HasSubstr("PLAIN needs kafka.sasl_username"), HasSubstr("PLAIN needs kafka.sasl_password_file")));
  const std::string oauth = "kafka: {security_protocol: sasl_ssl, sasl_mechanism: OAUTHBEARER";
  EXPECT_THAT(refusal(oauth + "}"), HasSubstr("needs kafka.properties.sasl.oauthbearer.method: oidc"));
  EXPECT_EQ(refusal(oauth + ", properties: {sasl.oauthbearer.method: oidc}}"), "accepted");
  EXPECT_EQ(refusal(oauth + ", properties: {enable.sasl.oauthbearer.unsecure.jwt: true}}"), "accepted");
  EXPECT_THAT(refusal("kafka: {sasl_username: me}"),
              HasSubstr("has no effect while kafka.security_protocol is plaintext"));
  EXPECT_THAT(refusal("kafka: {tls_ca_file: /ca}"), HasSubstr("use ssl or sasl_ssl"));
  EXPECT_THAT(refusal("kafka: {security_protocol: ssl, tls_certificate_file: /c}"),
              HasSubstr("needs kafka.tls_key_file"));
  EXPECT_EQ(refusal("kafka: {security_protocol: ssl, tls_certificate_file: /c, tls_key_file: /k}"),
            "accepted");
}

TEST(Config, raw_refuses_what_it_could_only_ignore) {
  EXPECT_EQ(refusal("input: {preset: raw, fields: {text: /text, time: [/a, /b]}, id_from: [field, key]}"),
            "input.fields.text (FILE:1): preset \"raw\" has no fields; remove it, or choose preset \"json\"\n"
            "input.fields.time (FILE:1): preset \"raw\" has no fields; remove it, or choose preset \"json\"\n"
            "input.id_from (FILE:1): with preset \"raw\" only the key can name a document; write [key]");
  EXPECT_EQ(refusal("input: {preset: raw, fields: {text: []}, id_from: key}"), "accepted");
}

TEST(Config, idf_weights_are_refused_where_there_are_no_words) {
  EXPECT_EQ(refusal("detector: {mode: mgram, gram_units: content_words}"),
            "detector.gram_units (FILE:1): content_words are the words but for fingerprint.stop_words_file, "
            "which names none; name a list, or use words");
  EXPECT_EQ(refusal("fingerprint: {features: ngrams, idf_file: /idf}"),
            "fingerprint.idf_file (FILE:1): weighs words, and fingerprint.features is ngrams; use words or "
            "shingles");
  EXPECT_EQ(refusal("fingerprint: {features: shingles, idf_file: /idf}"), "accepted");
}

TEST(Config, a_minhash_is_of_all_words_alike) {
  EXPECT_EQ(refusal("fingerprint: {kind: minhash}"), "accepted");
  EXPECT_EQ(
      refusal("fingerprint: {kind: minhash, features: shingles}"),
      "fingerprint.kind (FILE:1): is minhash, which is of all words alike; leave fingerprint.features at "
      "words, and stop_words_file and idf_file empty, or use simhash");
  EXPECT_THAT(refusal("fingerprint: {kind: minhash, stop_words_file: /s}"), HasSubstr("fingerprint.kind"));
  EXPECT_THAT(refusal("fingerprint: {kind: crc}"), HasSubstr("fingerprint.kind"));
}

TEST(Config, a_covering_that_would_miss_some_is_refused_by_name) {
  EXPECT_EQ(refusal("index: {covering: 2x32}"),
            "index.covering (FILE:1): 2x32 finds all within 1 bits, and detector.distance is 3");
  EXPECT_THAT(refusal("index: {covering: 5x13}"), HasSubstr("index.covering"));
  for (const char* const covering : {"auto", "6x21", "8x24", "4x16", "20x32"}) {
    EXPECT_EQ(refusal(std::string("index: {covering: ") + covering + "}"), "accepted");
  }
  EXPECT_EQ(refusal("{detector: {distance: 1}, index: {covering: 2x32}}"), "accepted");
}

TEST(Config, files_that_settings_name_are_looked_for) {
  Config config;
  EXPECT_TRUE(check_files(config));
  const TemporaryFile password("hunter2\n");
  config.kafka.sasl_password_file = password.path();
  EXPECT_TRUE(check_files(config));
  config.kafka.tls_ca_file = "/nonexistent/ca.crt";
  EXPECT_EQ(check_files(config).error().message,
            "kafka.tls_ca_file: /nonexistent/ca.crt is not a readable file, or empty");
}

// ---- The texts made of the table ----

TEST(ConfigText, the_file_of_defaults_is_current_and_loads_as_the_defaults) {
  const std::string path = std::string(NEARDUP_SOURCE_DIR) + "/config/neardup.yaml";
  EXPECT_EQ(content_of(path), default_config_yaml())
      << "run: neardup print-config --default > config/neardup.yaml";
  ConfigSources sources;
  sources.file = path;
  const Result<LoadedConfig> loaded = load_config(sources);
  ASSERT_TRUE(loaded) << loaded.error().message;
  const LoadedConfig defaults = *load_config({});
  for (const Setting& setting : settings()) {
    EXPECT_EQ(yaml_value(setting, loaded->config), yaml_value(setting, defaults.config)) << setting.path;
    if (!setting.is_map()) {
      EXPECT_THAT(loaded->origin.at(std::string(setting.path)), HasSubstr("neardup.yaml:"));
    }
  }
}

TEST(ConfigText, the_reference_is_current) {
  EXPECT_EQ(content_of(std::string(NEARDUP_SOURCE_DIR) + "/config/settings.md"), config_reference_markdown())
      << "run: neardup print-config --markdown > config/settings.md";
}

TEST(ConfigText, every_file_in_config_loads_and_is_named_in_its_readme) {
  const std::string folder = std::string(NEARDUP_SOURCE_DIR) + "/config";
  const std::string readme = content_of(folder + "/README.md");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    ++files;
    ConfigSources sources;
    sources.file = entry.path();
    const Result<LoadedConfig> loaded = load_config(sources);
    EXPECT_TRUE(loaded) << loaded.error().message;
    EXPECT_THAT(readme, HasSubstr("(" + entry.path().filename().string() + ")"));
  }
  EXPECT_GE(files, 4);
}

TEST(ConfigText, what_is_printed_loads_to_the_same_and_names_its_origins) {
  ConfigSources sources;
  sources.sets = {"kafka.topics.input=[a, b]", "kafka.group=it's: \"quoted\" # \\ \t\x01",
                  "kafka.sasl_username=",      "input.fields.text=[\"/a b\", /c]",
                  "kafka.tls_ca_file=null",    "kafka.security_protocol=ssl",
                  "batch.bytes_max=1048577"};
  sources.properties = {"linger.ms=7", "client.rack=yes"};
  const Result<LoadedConfig> loaded = load_config(sources);
  ASSERT_TRUE(loaded) << loaded.error().message;
  const std::string text = print_config(*loaded);
  EXPECT_THAT(text, HasSubstr("input: [a, b]  # --set\n"));
  EXPECT_THAT(text, HasSubstr("linger.ms: \"7\"  # -X\n"));
  EXPECT_THAT(text, HasSubstr("interval_ms: 100\n"));
  const Result<LoadedConfig> again = load_yaml(text);
  ASSERT_TRUE(again) << again.error().message << "\n" << text;
  for (const Setting& setting : settings()) {
    EXPECT_EQ(yaml_value(setting, again->config), yaml_value(setting, loaded->config)) << setting.path;
  }
  EXPECT_EQ(again->config.kafka.group, loaded->config.kafka.group);
}

TEST(ConfigText, printing_never_opens_a_secret_file) {
  const TemporaryFile password("hunter2");
  ConfigSources sources;
  sources.sets = {"kafka.security_protocol=sasl_ssl", "kafka.sasl_mechanism=PLAIN", "kafka.sasl_username=me",
                  "kafka.sasl_password_file=" + password.path()};
  const std::string text = print_config(*load_config(sources));
  EXPECT_THAT(text, AllOf(HasSubstr(password.path()), Not(HasSubstr("hunter2"))));
}

// ---- Suggestions ----

TEST(Suggest, distance_counts_insertions_deletions_and_replacements) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("same", "same"), 0U);
}

TEST(Suggest, the_nearest_is_named_or_none) {
  const std::vector<std::string> commands = {"serve", "scan", "validate"};
  EXPECT_EQ(closest("srve", commands), "serve");
  EXPECT_EQ(closest("SCAN", commands), "scan");
  EXPECT_EQ(closest("explain", commands), "");
  EXPECT_EQ(closest("", commands), "");
  EXPECT_EQ(closest(std::string(100000, 'x'), commands), "");
}

}  // namespace
}  // namespace neardup
