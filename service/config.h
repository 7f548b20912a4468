// Which settings are there, and what are they?
//
// Config is the whole configuration as values; `load_config` accepts it whole or refuses it whole, and then
// names every mistake, not the first alone. A default stands here, once. Everything else of a setting stands
// once in the table of config_table.cc: its YAML path, unit, range and one line for people. From that table
// come the parser, the refusal of unknown keys (with a suggestion), `print-config`, and the checks that
// config/, the chart and the docs name the same settings.
//
// Precedence: default < file < environment < --set and -X.
//   NEARDUP_A__B=c      sets a.b; two underscores go one level down, the case of letters does not count.
//                       Below kafka.properties one underscore stands for a dot:
//                       NEARDUP_KAFKA__PROPERTIES__LINGER_MS.
//   --set a.b=c         lists are separated by commas, or written as YAML: [/a, /b]
//   -X property=value   is --set kafka.properties.property=value, for librdkafka's own properties
// Secrets come from files only: a `*_file` setting names the file, its content is never printed, logged or
// exported.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace neardup {

struct KafkaTopics {
  std::vector<std::string> input = {"pages"};
  std::string unique = "neardup.unique";
  std::string duplicate = "neardup.duplicate";
  std::string dead_letter = "neardup.dead-letter";
  std::string journal = "neardup.journal";
  std::string unique_holds = "verdicts";  // verdicts | records
};

struct KafkaConfig {
  std::string brokers = "127.0.0.1:9092";  // bootstrap servers, host:port,host:port
  std::string group = "neardup";           // election and input positions
  int session_timeout_ms = 10000;          // 1000 .. 300000: how long a dead leader is waited for
  int metadata_interval_ms = 5000;  // 200 .. 60000: how often the topics' ids and partitions are looked at
  KafkaTopics topics;
  std::string security_protocol = "plaintext";  // plaintext | ssl | sasl_plaintext | sasl_ssl
  std::string sasl_mechanism;                   // PLAIN | SCRAM-SHA-256 | SCRAM-SHA-512 | OAUTHBEARER
  std::string sasl_username;                    // with OAUTHBEARER: the client id
  std::string sasl_password_file;               // with OAUTHBEARER: the client secret
  std::string tls_ca_file;
  std::string tls_certificate_file;
  std::string tls_key_file;
  std::string tls_key_password_file;
  std::map<std::string, std::string> properties;  // any librdkafka property; may not carry a secret
};

// Where the parts of a document lie in an input record. Each list holds JSON pointers; the first that is
// there wins. An empty list means: what the preset says.
struct InputFields {
  std::vector<std::string> id;
  std::vector<std::string> url;
  std::vector<std::string> text;
  std::vector<std::string> html;
  std::vector<std::string> digest;  // of the content, where that is not sent
  std::vector<std::string> time;
  std::vector<std::string> charset;  // of a body in base64: a name or a Content-Type
};

struct InputConfig {
  std::string preset = "json";  // json | scrapy-cluster | heritrix | raw
  InputFields fields;
  std::vector<std::string> id_from;  // of field, key, url: tried in this order; empty: what the preset says
  std::string base64 = "preset";     // preset | never | always | auto: is the body base64?
  std::size_t document_bytes_max = std::size_t{10}
                                   << 20;  // 1 KiB .. kDocumentBytesMax, of record and of text
};

// What of a document is compared. All of it is part of what a signature means: a journal is bound to it.
struct HtmlConfig {
  std::string extract = "main";  // main | all: what of a page is compared
};

struct TextConfig {
  std::string chinese = "as_is";  // as_is | simplified
};

// What is counted in a fingerprint (core/fingerprint/feature_options.h). What is in use is part of what a
// signature means: a journal is bound to it.
struct FingerprintConfig {
  std::string kind = "simhash";    // simhash | minhash
  std::string features = "words";  // words | shingles | ngrams
  int shingle_size = 3;            // 1 .. 8 tokens
  int ngram_size = 4;              // 2 .. 8 code points
  std::string stop_words_file;
  std::string idf_file;
};

// A share, in thousandths: written 0.8.
struct Permille {
  int value = 0;
};

struct DetectorConfig {
  std::string mode = "hybrid";            // hybrid | simhash | mgram
  Permille threshold{800};                // .5 .. 1 of similarity
  std::string sketch = "standard";        // standard | compact
  Permille token_threshold{800};          // 0 .. 1 of a short text's tokens
  Permille number_threshold{920};         // the same where numbers differ
  int distance = 3;                       // 0 .. kHammingDistanceMax bits
  std::string verify = "off";             // off | sketch
  int gram_size = 4;                      // 1 .. kMgramSizeMax units
  std::string gram_units = "characters";  // characters | words | content_words
  std::string measure = "edit";           // edit | jaccard | cosine
};

struct ClustersConfig {
  std::string keep = "first";                 // first | longest | newest | priority-source
  std::vector<std::string> priority_sources;  // hosts, the best first
  Permille alarm_share{200};                  // .001 .. 1
  int alarm_window = 65536;                   // 1000 .. 1000000 documents
};

struct IndexConfig {
  std::string directory;                         // "" keeps all in memory
  bool by_id = false;                            // documents are known by their ids
  std::string covering = "auto";                 // auto | a name of core/covering_names.h
  int documents_max = 0;                         // 0 .. 2000000000; 0: no bound
  int age_max_hours = 0;                         // 0 .. 876000; 0: no bound
  std::string age_clock = "event";               // event | arrival
  std::size_t memory_limit = 0;                  // bytes; 0: by what the process may have, if that is known
  std::string at_memory_limit = "evict-oldest";  // evict-oldest | stop
};

struct BatchConfig {
  int interval_ms = 100;                          // 5 .. 10000: a batch closes so long after its first record
  int documents_max = 10000;                      // 1 .. 1000000
  std::size_t bytes_max = std::size_t{64} << 20;  // 1 MiB .. 1 GiB of records
};

struct PipelineConfig {
  int threads = 0;  // 0 .. 256 signing threads; 0: one for each usable core
};

struct SnapshotConfig {
  std::string directory;    // "" keeps none
  int interval_ms = 60000;  // 100 .. 3600000
};

struct OutputConfig {
  std::string headers = "packed";  // packed | full | none
};

struct HttpConfig {
  std::string address = "127.0.0.1";  // "" turns the server off
  int port = 9301;                    // 0 .. 65535; 0: any free port, which the log names
};

struct LogConfig {
  std::string level = "info";   // debug | info | warning | error
  std::string format = "auto";  // auto | text | json; auto: text on a terminal, json elsewhere
};

struct Config {
  KafkaConfig kafka;
  InputConfig input;
  HtmlConfig html;
  TextConfig text;
  FingerprintConfig fingerprint;
  DetectorConfig detector;
  ClustersConfig clusters;
  IndexConfig index;
  BatchConfig batch;
  PipelineConfig pipeline;
  SnapshotConfig snapshot;
  OutputConfig output;
  HttpConfig http;
  LogConfig log;
};

// Where settings come from. Without a file, NEARDUP_CONFIG of `environment` names it; without that there is
// none.
struct ConfigSources {
  std::optional<std::string> file;
  std::vector<std::string> sets;        // "a.b=c", in the order given: the last one wins
  std::vector<std::string> properties;  // "property=value", after the sets
  std::map<std::string, std::string> environment;
};

struct LoadedConfig {
  Config config;
  // Setting, or kafka.properties.NAME, to "default", "FILE:LINE", "env NAME", "--set" or "-X".
  std::map<std::string, std::string> origin;
  // What a person adds to another subcommand so that it finds the same Kafka and topics, for a shell:
  // " -c FILE", and what arguments and variables say of kafka, " --set kafka.group=a -X client.id=b".
  std::string kafka_options = {};
};

// Whether librdkafka takes a property, which is asked by who knows it. Error kInvalid, without the value.
using PropertyCheck = std::function<Status(const std::string& property, const std::string& value)>;

// Errors: kInvalid, or kNotFound and kIo for the file itself; the message has one line a mistake, also of
// those that `check` finds.
Result<LoadedConfig> load_config(const ConfigSources& sources, const PropertyCheck& check = {});

// Is every file that a setting names there and readable? Content is not looked at.
Status check_files(const Config& config);

// The resolved configuration as YAML, with the origin of each value that is not the default beside it.
std::string print_config(const LoadedConfig& loaded);

// Every setting with its default, explained: what config/neardup.yaml is.
std::string default_config_yaml();

// The same as a table: what config/settings.md is.
std::string config_reference_markdown();

}  // namespace neardup
