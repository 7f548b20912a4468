#include "service/config_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/ascii.h"
#include "core/cluster.h"
#include "core/covering_names.h"
#include "core/limits.h"

namespace neardup {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = kKiB * 1024;
constexpr std::int64_t kGiB = kMiB * 1024;

// at<&Config::kafka, &KafkaConfig::brokers> leads to config.kafka.brokers.
template <auto... Members>
Field at(Config& config) {
  return &(config.*....*Members);
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// ---- Why a word is refused. Each returns the words after "VALUE ", or "" for a good one. ----

std::string refuse_brokers(std::string_view value) {
  for (std::string_view broker : split(value, ',')) {
    // librdkafka skips blanks before a broker. Within one there are none, or a comma was forgotten.
    broker.remove_prefix(std::min(broker.find_first_not_of(' '), broker.size()));
    if (broker.find_first_of(" \t\r\n;") != std::string_view::npos) return "is not host:port,host:port";
    if (broker.find("://") != std::string_view::npos)
      return "is not host:port,host:port; the protocol is kafka.security_protocol";
    const std::size_t colon = broker.rfind(':');
    const std::string_view port = colon == std::string_view::npos ? "" : broker.substr(colon + 1);
    int number = 0;
    std::from_chars(port.data(), port.data() + port.size(), number);
    if (colon == 0 || !all_digits(port) || port.size() > 5 || number < 1 || number > 65535) {
      return "is not host:port,host:port";
    }
  }
  return "";
}

std::string refuse_empty(std::string_view value) { return value.empty() ? "is empty" : ""; }

// RFC 6901: every part begins with '/', and '~' is followed by 0 or 1. "" would be the whole record, which is
// no field.
std::string refuse_pointer(std::string_view value) {
  bool legal = value.starts_with('/');
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '~' && (i + 1 == value.size() || (value[i + 1] != '0' && value[i + 1] != '1')))
      legal = false;
  }
  if (legal) return "";
  return "is not a JSON pointer; write it as /field or /outer/inner, with ~1 for a slash and ~0 for a tilde "
         "inside a name";
}

// The HTTP library of Debian 12 is built without IPv6.
std::string refuse_address(std::string_view value) {
  if (value.empty()) return "";
  const std::vector<std::string_view> parts = split(value, '.');
  bool legal = parts.size() == 4;
  for (const std::string_view part : parts) {
    int number = 0;
    std::from_chars(part.data(), part.data() + part.size(), number);
    if (!all_digits(part) || part.size() > 3 || number > 255) legal = false;
  }
  return legal ? "" : "is not an IPv4 address like 127.0.0.1 or 0.0.0.0";
}

std::vector<std::string_view> covering_choices() {
  std::vector<std::string_view> choices = {"auto"};
  for (const CoveringName& covering : kCoveringNames) choices.push_back(covering.name);
  return choices;
}

// No host of a page has an empty label, or ends in a dot as some write it: such a one would match nothing.
std::string refuse_host(std::string_view value) {
  const std::vector<std::string_view> labels = split(value, '.');
  const bool legal = value.find_first_of("/:?#@[]*, \t\r\n") == std::string_view::npos &&
                     std::ranges::none_of(labels, [](std::string_view label) { return label.empty(); });
  return legal ? "" : "is not a host like example.org, to which all that lies below it belongs";
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kSections = {{
    {"kafka", "Where Kafka is and how to reach it."},
    {"kafka.topics", "Topics. All but the input are made by `neardup topics create`."},
    {"input", "What the input records look like."},
    {"input.fields",
     "Where the parts of a document lie: JSON pointers, the first that holds something usable wins. Empty: "
     "as the "
     "preset says."},
    {"html", "What of an HTML page is compared."},
    {"text", "Which ways of writing are one."},
    {"fingerprint",
     "What is counted in a fingerprint, the 64 bits by which mode simhash decides. In the other modes it "
     "changes signature and distance of a verdict, with content_words the runs of mode mgram, and which "
     "texts are rejected as no_tokens: those of "
     "which nothing counts. Changing what is in use needs a new journal."},
    {"detector",
     "When two documents are called duplicates. mode, verify and sketch, and content_words in gram_units, "
     "belong to what is remembered: changing one needs a new journal. All else here may be changed at any "
     "restart."},
    {"clusters",
     "Documents that say the same: a unique and its duplicates. Nothing here changes what is called a "
     "duplicate; all of it may be changed at any time."},
    {"index", "What is remembered of the uniques, and how long. What is forgotten is new again."},
    {"batch", "A batch is one Kafka transaction. It closes at whichever of the three comes first."},
    {"pipeline", "How the work is spread."},
    {"snapshot", "The journal on a local disk, so that a restart need not read it from Kafka."},
    {"output", "What verdict records look like."},
    {"http", "Health and metrics: /livez /readyz /metrics /status"},
    {"log", "Lines on stderr."},
}};

const std::vector<Setting>& table() {
  using K = KafkaConfig;
  using T = KafkaTopics;
  using F = InputFields;
  using P = FingerprintConfig;
  using D = DetectorConfig;
  static const std::vector<Setting> settings = {
      {.path = "kafka.brokers",
       .field = at<&Config::kafka, &K::brokers>,
       .about = "Bootstrap servers, host:port,host:port.",
       .refuse = refuse_brokers},
      {.path = "kafka.group",
       .field = at<&Config::kafka, &K::group>,
       .about = "Name of this deduplication. Instances that share it elect one writer; its readers are the "
                "groups GROUP-input and GROUP-journal.",
       .refuse = refuse_empty},
      {.path = "kafka.session_timeout_ms",
       .field = at<&Config::kafka, &K::session_timeout_ms>,
       .about = "How long a silent writer is waited for before a standby takes over. The brokers take what "
                "lies within their group.min.session.timeout.ms and group.max.session.timeout.ms: 6000 to "
                "1800000 if nobody changed them.",
       .unit = "ms",
       .min = 1000,
       .max = 300000},
      {.path = "kafka.metadata_interval_ms",
       .field = at<&Config::kafka, &K::metadata_interval_ms>,
       .about = "How often the writer looks, besides once for each batch, whether a topic was deleted and "
                "made again, or has new partitions.",
       .unit = "ms",
       .min = 200,
       .max = 60000},
      {.path = "kafka.topics.input",
       .field = at<&Config::kafka, &K::topics, &T::input>,
       .about = "Topics to read.",
       .refuse = refuse_topic},
      {.path = "kafka.topics.unique",
       .field = at<&Config::kafka, &K::topics, &T::unique>,
       .about = "Verdicts of documents seen for the first time.",
       .refuse = refuse_topic},
      {.path = "kafka.topics.unique_holds",
       .field = at<&Config::kafka, &K::topics, &T::unique_holds>,
       .about = "verdicts; or records: the new documents themselves as they came, with the verdict and where "
                "each lay in headers.",
       .choices = {"verdicts", "records"}},
      {.path = "kafka.topics.duplicate",
       .field = at<&Config::kafka, &K::topics, &T::duplicate>,
       .about = "Verdicts of duplicates, each naming its original.",
       .refuse = refuse_topic},
      {.path = "kafka.topics.dead_letter",
       .field = at<&Config::kafka, &K::topics, &T::dead_letter>,
       .about = "Records that could not be judged: raw bytes, with the reason in headers.",
       .refuse = refuse_topic},
      {.path = "kafka.topics.journal",
       .field = at<&Config::kafka, &K::topics, &T::journal>,
       .about = "The memory of the service: 1 partition, kept for ever. Never delete it. Its one writer has "
                "the transactional id JOURNAL-writer.",
       .refuse = refuse_topic},
      {.path = "kafka.security_protocol",
       .field = at<&Config::kafka, &K::security_protocol>,
       .about = "How to speak to the brokers.",
       .choices = {"plaintext", "ssl", "sasl_plaintext", "sasl_ssl"}},
      {.path = "kafka.sasl_mechanism",
       .field = at<&Config::kafka, &K::sasl_mechanism>,
       .about = "How to log in, with a sasl_* protocol.",
       .choices = {"", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"}},
      {.path = "kafka.sasl_username",
       .field = at<&Config::kafka, &K::sasl_username>,
       .about = "User; with OAUTHBEARER the client id."},
      {.path = "kafka.sasl_password_file",
       .field = at<&Config::kafka, &K::sasl_password_file>,
       .about = "File that holds the password; with OAUTHBEARER the client secret.",
       .file = true},
      {.path = "kafka.tls_ca_file",
       .field = at<&Config::kafka, &K::tls_ca_file>,
       .about = "PEM of the authorities to trust. Empty: the system's.",
       .file = true},
      {.path = "kafka.tls_certificate_file",
       .field = at<&Config::kafka, &K::tls_certificate_file>,
       .about = "PEM of the client's certificate, for mutual TLS.",
       .file = true},
      {.path = "kafka.tls_key_file",
       .field = at<&Config::kafka, &K::tls_key_file>,
       .about = "PEM of the client's key, for mutual TLS.",
       .file = true},
      {.path = "kafka.tls_key_password_file",
       .field = at<&Config::kafka, &K::tls_key_password_file>,
       .about = "File that holds the password of that key.",
       .file = true},
      {.path = "kafka.properties",
       .field = at<&Config::kafka, &K::properties>,
       .about = "Any other property of librdkafka, by its own name. No secrets, and none that exactly-once "
                "rests on."},

      {.path = "input.preset",
       .field = at<&Config::input, &InputConfig::preset>,
       .about = "Shape of the records: plain JSON, what a crawler sends, or raw: the value is the page.",
       .choices = {"json", "scrapy-cluster", "heritrix", "raw"}},
      {.path = "input.fields.id",
       .field = at<&Config::input, &InputConfig::fields, &F::id>,
       .about = "The document's name.",
       .refuse = refuse_pointer},
      {.path = "input.fields.url",
       .field = at<&Config::input, &InputConfig::fields, &F::url>,
       .about = "Where it was found.",
       .refuse = refuse_pointer},
      {.path = "input.fields.text",
       .field = at<&Config::input, &InputConfig::fields, &F::text>,
       .about = "Its plain text; of an array all strings, a line each. One that opens like a page is read as "
                "HTML.",
       .refuse = refuse_pointer},
      {.path = "input.fields.html",
       .field = at<&Config::input, &InputConfig::fields, &F::html>,
       .about = "Its HTML, used when there is no text.",
       .refuse = refuse_pointer},
      {.path = "input.fields.digest",
       .field = at<&Config::input, &InputConfig::fields, &F::digest>,
       .about =
           "The producer's digest of the content, used when there is neither: equal ones are duplicates.",
       .refuse = refuse_pointer},
      {.path = "input.fields.time",
       .field = at<&Config::input, &InputConfig::fields, &F::time>,
       .about = "When it was fetched: ISO 8601, digits like 20240501123000 or 20240501, or seconds or "
                "milliseconds since 1970.",
       .refuse = refuse_pointer},
      {.path = "input.fields.charset",
       .field = at<&Config::input, &InputConfig::fields, &F::charset>,
       .about = "Charset of a body in base64: its name, or a Content-Type.",
       .refuse = refuse_pointer},
      {.path = "input.id_from",
       .field = at<&Config::input, &InputConfig::id_from>,
       .about = "Sources of the id, tried in this order. Empty: as the preset says.",
       .choices = {"field", "key", "url"}},
      {.path = "input.base64",
       .field = at<&Config::input, &InputConfig::base64>,
       .about = "Is the body base64?",
       .choices = {"preset", "never", "always", "auto"}},
      {.path = "input.document_bytes_max",
       .field = at<&Config::input, &InputConfig::document_bytes_max>,
       .about = "A larger record or text is rejected as too_large.",
       .unit = "bytes",
       .min = kKiB,
       .max = std::int64_t{kDocumentBytesMax}},

      {.path = "html.extract",
       .field = at<&Config::html, &HtmlConfig::extract>,
       .about = "main: the article, without menus, footers and banners (all text where none is found); all: "
                "all text. "
                "Changing it needs a new journal.",
       .choices = {"main", "all"}},
      {.path = "text.chinese",
       .field = at<&Config::text, &TextConfig::chinese>,
       .about = "simplified: texts in traditional and in simplified characters are compared as one. Changing "
                "it needs "
                "a new journal.",
       .choices = {"as_is", "simplified"}},
      {.path = "fingerprint.kind",
       .field = at<&Config::fingerprint, &P::kind>,
       .about =
           "The 64 bits of a text: simhash, which estimates an angle, or minhash, a likeness of sets of "
           "words: "
           "by few bits it finds more small changes, and more that are none. Mode simhash decides by it; "
           "another kind needs a new journal.",
       .choices = {"simhash", "minhash"}},
      {.path = "fingerprint.features",
       .field = at<&Config::fingerprint, &P::features>,
       .about = "What a fingerprint is made of. words: each word, each character of a script without spaces, "
                "and each two of those side by side; shingles: runs of words; ngrams: runs of characters.",
       .choices = {"words", "shingles", "ngrams"}},
      {.path = "fingerprint.shingle_size",
       .field = at<&Config::fingerprint, &P::shingle_size>,
       .about =
           "Words, or characters of a script without spaces, in a shingle. From 2 on their order counts.",
       .min = 1,
       .max = 8},
      {.path = "fingerprint.ngram_size",
       .field = at<&Config::fingerprint, &P::ngram_size>,
       .about = "Characters in an n-gram.",
       .min = 2,
       .max = 8},
      {.path = "fingerprint.stop_words_file",
       .field = at<&Config::fingerprint, &P::stop_words_file>,
       .about = "Words that do not count in fingerprints, nor in mode mgram with content_words, one a line, "
                "UTF-8, '#' before a comment. In every mode a text of nothing else is rejected as no_tokens. "
                "Empty: all count.",
       .file = true},
      {.path = "fingerprint.idf_file",
       .field = at<&Config::fingerprint, &P::idf_file>,
       .about =
           "Weights of words in fingerprints, WORD<TAB>IDF a line; others weigh the median. In every mode a "
           "text in which nothing has a weight is rejected as no_tokens. Empty: all weigh the same.",
       .file = true},

      {.path = "detector.mode",
       .field = at<&Config::detector, &D::mode>,
       .about = "The rule of likeness. hybrid: pages by their shingles, short texts by their characters; "
                "simhash: 64-bit fingerprints within a Hamming distance; mgram: texts that share a run of "
                "gram_size characters or words, for short texts only.",
       .choices = {"hybrid", "simhash", "mgram"}},
      {.path = "detector.threshold",
       .field = at<&Config::detector, &D::threshold>,
       .about =
           "How alike duplicates are at least: the share of shingles that two pages have in common, or of "
           "characters that two short texts need not have changed (between texts of 4 characters or fewer no "
           "edit is found, whatever the threshold); in mode mgram by detector.measure. Below 0.8 pages are "
           "found "
           "as surely, but of short texts in mode hybrid the keys stay those for 0.8: they miss most of what "
           "is "
           "less alike, and one of up to 250 units and an earlier page of more than 312, or such a page and "
           "an earlier text of fewer than 200, are not compared.",
       .min = 500,
       .max = 1000},
      {.path = "detector.sketch",
       .field = at<&Config::detector, &D::sketch>,
       .about =
           "Memory of a page by which likeness is told: standard 96 bytes, compact 64, a little less exact.",
       .choices = {"standard", "compact"}},
      {.path = "detector.token_threshold",
       .field = at<&Config::detector, &D::token_threshold>,
       .about =
           "Share of a short text's words that may not be replaced by others, nor that of its characters "
           "by other codes, so that a form filled in anew is no duplicate. 0: any may.",
       .min = 0,
       .max = 1000},
      {.path = "detector.number_threshold",
       .field = at<&Config::detector, &D::number_threshold>,
       .about = "The same where a number is among several words replaced. Numbers between the same words are "
                "compared with each other, so two that changed places are replaced. Of texts of fewer than 8 "
                "words only numbers count: two replaced make another text, one does not. 0: any may.",
       .min = 0,
       .max = 1000},
      {.path = "detector.distance",
       .field = at<&Config::detector, &D::distance>,
       .about =
           "Mode simhash: bits in which fingerprints of duplicates may differ. 0 finds next to nothing but "
           "equal texts.",
       .unit = "bits",
       .min = 0,
       .max = kHammingDistanceMax},
      {.path = "detector.verify",
       .field = at<&Config::detector, &D::verify>,
       .about =
           "Mode simhash. sketch: what matches must also be as alike as the threshold says; off: it need "
           "not. By sketch a page is compared with all earlier uniques whose fingerprints are near, and "
           "nothing bounds them: 24 thousand pages of one template took 42 s, where mode hybrid takes 0.55 "
           "s.",
       .choices = {"off", "sketch"}},
      {.path = "detector.gram_size",
       .field = at<&Config::detector, &D::gram_size>,
       .about =
           "Mode mgram: texts are compared if they share a run of so many units. Shorter texts meet only "
           "their equals; 4 misses no text of 16 characters or more that is alike by .8, unless each run "
           "that the two share is in 64 earlier uniques already, or more than 1024 share runs with it. "
           "`neardup tune --pairs` recommends one.",
       .unit = "units",
       .min = 1,
       .max = kMgramSizeMax},
      {.path = "detector.gram_units",
       .field = at<&Config::detector, &D::gram_units>,
       .about = "Mode mgram: what a run is made of, of a text's first 1024 characters. content_words: words "
                "but for those of fingerprint.stop_words_file.",
       .choices = {"characters", "words", "content_words"}},
      {.path = "detector.measure",
       .field = at<&Config::detector, &D::measure>,
       .about =
           "Mode mgram: what detector.threshold is of. edit: the share of units that need not be changed; "
           "jaccard: of runs in common; cosine: of the counts of runs. An edit changes gram_size runs, so "
           "the latter two want a lower threshold.",
       .choices = {"edit", "jaccard", "cosine"}},

      {.path = "clusters.keep",
       .field = at<&Config::clusters, &ClustersConfig::keep>,
       .about =
           "Which of them represents the others in verdicts: the first seen, the one with the most words, "
           "the one with the latest time, or the one of the best source. Of equal ones the first seen.",
       .choices = {kKeepPolicyNames.begin(), kKeepPolicyNames.end()}},
      {.path = "clusters.priority_sources",
       .field = at<&Config::clusters, &ClustersConfig::priority_sources>,
       .about = "For keep: priority-source: hosts, the best first. What lies below a host is of it; those of "
                "no host named here are the last.",
       .refuse = refuse_host},
      {.path = "clusters.alarm_share",
       .field = at<&Config::clusters, &ClustersConfig::alarm_share>,
       .about =
           "Alarm when so much of the stream are duplicates of one document, or of documents of one host: "
           "a template that swallows all else, or a source that repeats itself. It ends below seven eighths "
           "of that.",
       .min = 1,
       .max = 1000},
      {.path = "clusters.alarm_window",
       .field = at<&Config::clusters, &ClustersConfig::alarm_window>,
       .about = "Of so many documents, the latest. A start begins with none.",
       .unit = "documents",
       .min = 1000,
       .max = 1'000'000},

      {.path = "index.directory",
       .field = at<&Config::index, &IndexConfig::directory>,
       .about =
           "Folder on a local disk for what names the uniques: id, url and place. The file there has no "
           "name and goes with the process. Empty: it is kept in memory, 40 bytes a unique and its id and "
           "url, once if they are equal, which may double what the index takes (`neardup plan "
           "--name-bytes`)."},
      {.path = "index.by_id",
       .field = at<&Config::index, &IndexConfig::by_id>,
       .about =
           "Know documents by their ids: a verdict then names the version before, and a record without a "
           "value deletes the document that its key names, whose text is new again. Takes 9.3 bytes of "
           "memory a unique. A journal that has deletions cannot be read without."},
      {.path = "index.covering",
       .field = at<&Config::index, &IndexConfig::covering>,
       .about =
           "Mode simhash: the tables that find fingerprints, as `neardup plan` names them and says what "
           "they cost. No verdict hangs on it, so it may change at any restart. auto: the fastest for most.",
       .choices = covering_choices()},
      {.path = "index.documents_max",
       .field = at<&Config::index, &IndexConfig::documents_max>,
       .about = "Uniques to remember: the newest. 0: any number. One more than the tables have room for ends "
                "the process; they hold 386 million short texts, 1.3 billion pages (666 million at a "
                "threshold of 0.5), 200 million texts of 40 runs in mode mgram, in mode simhash 648 million "
                "of covering 6x21 and 115 million of 4x16. `neardup plan` marks what is too many.",
       .unit = "documents",
       .min = 0,
       .max = 2'000'000'000},
      {.path = "index.age_max_hours",
       .field = at<&Config::index, &IndexConfig::age_max_hours>,
       .about = "How long a unique is remembered. 0: for ever.",
       .unit = "hours",
       .min = 0,
       .max = 876000},
      {.path = "index.age_clock",
       .field = at<&Config::index, &IndexConfig::age_clock>,
       .about =
           "What time it is: the latest that any document has told. event: the document's own time, at "
           "most that of its arrival; arrival: the record's timestamp, which a scan has not. One ahead of "
           "this machine's clock counts as now.",
       .choices = {"event", "arrival"}},
      {.path = "index.memory_limit",
       .field = at<&Config::index, &IndexConfig::memory_limit>,
       .about =
           "Memory that the index may take (neardup_index_bytes). Tables grow in steps of some MiB, so a "
           "limit below 64MiB is too small to work by. 0: what the process may have "
           "(neardup_memory_limit_bytes) but an eighth of it or, if that is more, 512MiB (or, if they are "
           "more, 300MiB, 12MiB for each thread, three times what batch.bytes_max is above 64MiB, and 64MiB "
           "with a snapshot.directory) or half of it, whichever is less; serve stops there, whatever "
           "at_memory_limit says.",
       .unit = "bytes",
       .min = 0,
       .max = 1024 * kGiB},
      {.path = "index.at_memory_limit",
       .field = at<&Config::index, &IndexConfig::at_memory_limit>,
       .about = "evict-oldest: the oldest are forgotten in time; stop: no more input is read until a restart "
                "with a higher limit.",
       .choices = {"evict-oldest", "stop"}},

      {.path = "batch.interval_ms",
       .field = at<&Config::batch, &BatchConfig::interval_ms>,
       .about = "Time after the first record. Verdicts are late by about this much; smaller costs the "
                "brokers more.",
       .unit = "ms",
       .min = 5,
       .max = 10000},
      {.path = "batch.documents_max",
       .field = at<&Config::batch, &BatchConfig::documents_max>,
       .about = "Number of records.",
       .unit = "records",
       .min = 1,
       .max = 1000000},
      {.path = "batch.bytes_max",
       .field = at<&Config::batch, &BatchConfig::bytes_max>,
       .about = "Size of its records as they wait in memory: with keys, headers, and 512 bytes around each.",
       .unit = "bytes",
       .min = kMiB,
       .max = kGiB},

      {.path = "pipeline.threads",
       .field = at<&Config::pipeline, &PipelineConfig::threads>,
       .about =
           "Threads that sign documents. 0: one for each core that the process may run on, and no more than "
           "its CPU limit (cpu.max of its control groups) comes to.",
       .unit = "threads",
       .min = 0,
       .max = 256},

      {.path = "snapshot.directory",
       .field = at<&Config::snapshot, &SnapshotConfig::directory>,
       .about = "Folder of this instance alone; it grows as the journal does. Empty: none."},
      {.path = "snapshot.interval_ms",
       .field = at<&Config::snapshot, &SnapshotConfig::interval_ms>,
       .about = "How often what is there is made durable. What came since is read from Kafka again after "
                "a kill or a power cut.",
       .unit = "ms",
       .min = 100,
       .max = 3600000},

      {.path = "output.headers",
       .field = at<&Config::output, &OutputConfig::headers>,
       .about = "packed: one header; full: one per field, which costs throughput; none.",
       .choices = {"packed", "full", "none"}},

      {.path = "http.address",
       .field = at<&Config::http, &HttpConfig::address>,
       .about = "IPv4 address to listen on. 0.0.0.0: all, for containers; empty: no server.",
       .refuse = refuse_address},
      {.path = "http.port",
       .field = at<&Config::http, &HttpConfig::port>,
       .about = "Port. 0: any free one, which the log names.",
       .min = 0,
       .max = 65535},

      {.path = "log.level",
       .field = at<&Config::log, &LogConfig::level>,
       .about = "Least important line to write.",
       .choices = {"debug", "info", "warning", "error"}},
      {.path = "log.format",
       .field = at<&Config::log, &LogConfig::format>,
       .about = "auto: text on a terminal, one JSON object a line elsewhere.",
       .choices = {"auto", "text", "json"}},
  };
  return settings;
}

// ---- Numbers ----

// Digits only: no sign, no leading zero, no hexadecimal, so that nobody reads 0123 as 83.
std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool leading_zero = text.size() > 1 && text.front() == '0';
  if (!all_digits(text) || leading_zero || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// Bytes, or KiB, MiB, GiB of them.
std::optional<std::int64_t> size_of(std::string_view text) {
  std::int64_t unit = 1;
  for (const auto& [suffix, bytes] :
       {std::pair{"KiB", kKiB}, std::pair{"MiB", kMiB}, std::pair{"GiB", kGiB}}) {
    if (text.ends_with(suffix)) {
      unit = bytes;
      text.remove_suffix(3);
      break;
    }
  }
  while (text.ends_with(' ')) text.remove_suffix(1);
  const std::optional<std::int64_t> number = whole_number(text);
  if (!number || *number > std::numeric_limits<std::int64_t>::max() / unit) return std::nullopt;
  return *number * unit;
}

std::string show_size(std::int64_t bytes) {
  if (bytes != 0 && bytes % kGiB == 0) return std::to_string(bytes / kGiB) + "GiB";
  if (bytes != 0 && bytes % kMiB == 0) return std::to_string(bytes / kMiB) + "MiB";
  if (bytes != 0 && bytes % kKiB == 0) return std::to_string(bytes / kKiB) + "KiB";
  return std::to_string(bytes);
}

// 0.8, .795 or 1, in thousandths.
std::optional<std::int64_t> share_of(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = point == std::string_view::npos ? "0" : text.substr(point + 1);
  if (text.empty()) return std::nullopt;
  if ((!whole.empty() && whole != "0" && whole != "1") || !all_digits(fraction) || fraction.size() > 3) {
    return std::nullopt;
  }
  std::int64_t thousandths = whole == "1" ? 1 : 0;
  for (std::size_t i = 0; i < 3; ++i) {
    thousandths = thousandths * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  }
  return thousandths;
}

std::string show_share(std::int64_t thousandths) {
  std::string digits = std::to_string(1000 + thousandths % 1000).substr(1);
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  return std::to_string(thousandths / 1000) + (digits.empty() ? "" : "." + digits);
}

std::string quoted(std::string_view value) {
  constexpr std::size_t kShown = 80;
  return '"' + std::string(value.substr(0, kShown)) + (value.size() > kShown ? "...\"" : "\"");
}

Error refused(std::string_view value, std::string_view why) {
  return {ErrorCode::kInvalid, quoted(value) + " " + std::string(why)};
}

Status check_word(const Setting& setting, std::string_view value) {
  // Whoever is handed it as a C string, as librdkafka or open(2), would see a part of it.
  if (value.find('\0') != std::string_view::npos) return Error{ErrorCode::kInvalid, "holds a NUL character"};
  if (!setting.choices.empty() &&
      std::find(setting.choices.begin(), setting.choices.end(), value) == setting.choices.end()) {
    return refused(value, "is not one of " + setting.range());
  }
  if (setting.refuse != nullptr) {
    if (const std::string why = setting.refuse(value); !why.empty()) return refused(value, why);
  }
  return {};
}

// ---- librdkafka's own properties ----

// A property that kafka.properties may not carry, and what to do instead.
struct Refusal {
  std::string_view property;
  std::string_view instead;
};

constexpr Refusal kRefusals[] = {
    // Secrets: a config file is copied, printed and committed; a secret's own file is not.
    {"sasl.password", "is a secret: put it into a file and name that in kafka.sasl_password_file"},
    {"sasl.oauthbearer.client.secret",
     "is a secret: put it into a file and name that in kafka.sasl_password_file"},
    {"sasl.oauthbearer.config", "may hold a secret: use kafka.sasl_username and kafka.sasl_password_file"},
    {"sasl.jaas.config",
     "is a property of Java's client: use kafka.sasl_username and kafka.sasl_password_file"},
    {"ssl.key.password", "is a secret: put it into a file and name that in kafka.tls_key_password_file"},
    {"ssl.key.pem", "is a secret: put it into a file and name that in kafka.tls_key_file"},
    {"ssl.keystore.password",
     "is a secret: use PEM files, kafka.tls_certificate_file and kafka.tls_key_file"},
    {"ssl.keystore.location",
     "needs a secret: use PEM files, kafka.tls_certificate_file and kafka.tls_key_file"},
    {"ssl.certificate.pem", "belongs into a file: name that in kafka.tls_certificate_file"},
    {"ssl.ca.pem", "belongs into a file: name that in kafka.tls_ca_file"},
    // Settings with a name of their own.
    {"bootstrap.servers", "has a setting of its own: kafka.brokers"},
    {"metadata.broker.list", "has a setting of its own: kafka.brokers"},
    {"group.id", "has a setting of its own: kafka.group"},
    {"session.timeout.ms", "has a setting of its own: kafka.session_timeout_ms"},
    {"security.protocol", "has a setting of its own: kafka.security_protocol"},
    {"sasl.mechanism", "has a setting of its own: kafka.sasl_mechanism"},
    {"sasl.mechanisms", "has a setting of its own: kafka.sasl_mechanism"},
    {"sasl.username", "has a setting of its own: kafka.sasl_username"},
    {"sasl.oauthbearer.client.id", "has a setting of its own: kafka.sasl_username"},
    {"ssl.ca.location", "has a setting of its own: kafka.tls_ca_file"},
    {"ssl.certificate.location", "has a setting of its own: kafka.tls_certificate_file"},
    {"ssl.key.location", "has a setting of its own: kafka.tls_key_file"},
    // What exactly-once rests on.
    {"transactional.id",
     "is what keeps a second writer out: it is always JOURNAL-writer, see kafka.topics.journal"},
    {"transaction.timeout.ms",
     "is fixed: what Kafka lost sight of is ended within 50 of the 60 seconds that it gives"},
    {"enable.idempotence", "must stay on: without it a retried send is a second verdict"},
    {"acks", "must stay \"all\": an acknowledged verdict may not be lost with one broker"},
    {"request.required.acks", "must stay \"all\": an acknowledged verdict may not be lost with one broker"},
    {"isolation.level", "must stay read_committed: the journal of a broken transaction is no truth"},
    {"enable.auto.commit", "must stay off: positions are committed with the verdicts, in one transaction"},
    {"enable.auto.offset.store",
     "must stay off: positions are committed with the verdicts, in one transaction"},
    {"auto.offset.reset", "must stay \"error\": a jump in the input would skip documents in silence"},
    {"partition.assignment.strategy", "is fixed: it decides how the one writer is elected"},
    {"group.protocol", "is fixed: it decides how the one writer is elected"},
    {"group.instance.id", "is fixed: it decides how the one writer is elected"},
    {"heartbeat.interval.ms", "follows kafka.session_timeout_ms: a sixth of it, and 500 ms at most"},
    {"max.poll.interval.ms", "follows kafka.session_timeout_ms: as long, and 30 s at least"},
    {"allow.auto.create.topics",
     "must stay off: a topic made by accident has the wrong settings; use neardup topics create"},
    {"enable.partition.eof", "must stay on for the journal: it tells where the journal ends"},
    {"test.mock.num.brokers",
     "must stay off: it puts a cluster in memory in the place of kafka.brokers, and verdicts are lost with "
     "it"},
    {"check.crcs", "must stay on: a record damaged on its way may not become a verdict"},
    {"delivery.report.only.error", "is fixed: it decides how a commit waits for its records"},
    {"message.timeout.ms", "is fixed: what is not delivered after 30 s is in doubt, and sent again"},
    {"delivery.timeout.ms", "is fixed: what is not delivered after 30 s is in doubt, and sent again"},
    {"queuing.strategy", "is bound to the order of records, which idempotence guards"},
    {"partitioner", "is fixed: a key lies where Java's client would put it"},
    {"batch.size", "is bound to the smallest max.message.bytes that the output topics may have"},
    {"message.max.bytes", "is bound to the largest record of the journal and of those that are passed on"},
    {"max.in.flight", "is bound to the order of records, which idempotence guards"},
    {"max.in.flight.requests.per.connection", "is bound to the order of records, which idempotence guards"},
    // What is fetched from each client, and no more.
    {"statistics.interval.ms", "is fixed: lag and brokers are read from the input's statistics"},
    {"enabled_events", "is fixed: nobody would fetch what it adds, and it would pile up"},
    {"log.queue", "is fixed: nobody would fetch what it adds, and it would pile up"},
};

// Properties that no list knows yet, but whose name says that they are secrets.
bool sounds_secret(std::string_view property) {
  const auto ends = [&](std::string_view tail) { return property.ends_with(tail); };
  return ends("password") || ends("passphrase") || ends("secret") || ends(".pem");
}

Status check_property(const std::string& property, const std::string& value) {
  // librdkafka takes a topic's property with this before it as well: topic.acks is acks.
  constexpr std::string_view kOfTopic = "topic.";
  // And knows none by capitals; but what stands behind SASL.PASSWORD is a secret all the same.
  const std::string name =
      lower_case(std::string_view(property).substr(property.starts_with(kOfTopic) ? kOfTopic.size() : 0));
  for (const Refusal& refusal : kRefusals) {
    if (name == refusal.property) return Error{ErrorCode::kInvalid, std::string(refusal.instead)};
  }
  if (sounds_secret(name)) {
    return Error{ErrorCode::kInvalid,
                 "is a secret, which a configuration may not hold: see the kafka.*_file settings"};
  }
  if (property.empty() || value.find('\0') != std::string::npos) {
    return Error{ErrorCode::kInvalid, "is not a property of librdkafka"};
  }
  return {};
}

std::string yaml_list(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) {
    if (out.size() > 1) out += ", ";
    out += yaml_scalar(item);
  }
  return out + "]";
}

}  // namespace

// What the broker enforces too, said before anything is sent.
std::string refuse_topic(std::string_view name) {
  const bool legal = !name.empty() && name.size() <= 249 && name != "." && name != ".." &&
                     std::all_of(name.begin(), name.end(), [](unsigned char c) {
                       return (c < 128 && std::isalnum(c) != 0) || c == '.' || c == '_' || c == '-';
                     });
  return legal ? "" : "is not a topic name (1 to 249 of letters, digits, '.', '_', '-')";
}

bool Setting::is_list() const {
  Config config;
  return std::holds_alternative<std::vector<std::string>*>(field(config));
}

bool Setting::is_map() const {
  Config config;
  return std::holds_alternative<PropertyMap*>(field(config));
}

std::string Setting::type() const {
  constexpr std::string_view kNames[] = {"text", "whole number", "size",         "share",
                                         "list", "map",          "true or false"};
  Config config;
  return std::string(kNames[field(config).index()]);
}

std::string Setting::range() const {
  Config config;
  const Field place = field(config);
  if (std::holds_alternative<std::size_t*>(place)) return show_size(min) + " .. " + show_size(max);
  if (std::holds_alternative<Permille*>(place)) return show_share(min) + " .. " + show_share(max);
  if (std::holds_alternative<int*>(place)) {
    return std::to_string(min) + " .. " + std::to_string(max) + (unit.empty() ? "" : " ") + std::string(unit);
  }
  std::string out;
  for (const std::string_view choice : choices) {
    if (!out.empty()) out += ", ";
    out += choice.empty() ? "\"\"" : choice;
  }
  return out;
}

std::span<const Setting> settings() { return table(); }

const Setting* find_setting(std::string_view path) {
  const auto found =
      std::find_if(table().begin(), table().end(), [&](const Setting& s) { return s.path == path; });
  return found == table().end() ? nullptr : &*found;
}

std::string_view section_about(std::string_view section) {
  for (const auto& [path, about] : kSections) {
    if (path == section) return about;
  }
  return "";
}

Status assign(const Setting& setting, Config& config, const std::string& value) {
  const Field place = setting.field(config);
  if (auto* const word = std::get_if<std::string*>(&place)) {
    if (const Status good = check_word(setting, value); !good) return good;
    **word = value;
    return {};
  }
  if (auto* const bytes = std::get_if<std::size_t*>(&place)) {
    const std::optional<std::int64_t> number = size_of(value);
    if (!number)
      return refused(value, "is not a size like 64MiB, 512KiB or 1048576 (" + setting.range() + ")");
    if (*number < setting.min || *number > setting.max) return refused(value, "is not in " + setting.range());
    **bytes = static_cast<std::size_t>(*number);
    return {};
  }
  if (auto* const share = std::get_if<Permille*>(&place)) {
    const std::optional<std::int64_t> number = share_of(value);
    if (!number)
      return refused(value, "is not a share like 0.8, of three decimals at most (" + setting.range() + ")");
    if (*number < setting.min || *number > setting.max) return refused(value, "is not in " + setting.range());
    (*share)->value = static_cast<int>(*number);
    return {};
  }
  if (auto* const number_field = std::get_if<int*>(&place)) {
    const std::optional<std::int64_t> number = whole_number(value);
    if (!number) return refused(value, "is not a whole number (" + setting.range() + ")");
    if (*number < setting.min || *number > setting.max) return refused(value, "is not in " + setting.range());
    **number_field = static_cast<int>(*number);
    return {};
  }
  if (auto* const flag = std::get_if<bool*>(&place)) {
    if (value != "true" && value != "false") return refused(value, "is not true or false");
    **flag = value == "true";
    return {};
  }
  return refused(value, setting.is_list() ? "is not a list" : "is not a map");
}

Status assign_list(const Setting& setting, Config& config, std::vector<std::string> items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (const Status good = check_word(setting, items[i]); !good) return good;
    if (std::find(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(i), items[i]) !=
        items.begin() + static_cast<std::ptrdiff_t>(i)) {
      return refused(items[i], "stands twice");
    }
  }
  *std::get<std::vector<std::string>*>(setting.field(config)) = std::move(items);
  return {};
}

Status assign_property(const Setting& setting, Config& config, const std::string& property,
                       const std::string& value) {
  if (const Status good = check_property(property, value); !good) return good;
  (*std::get<PropertyMap*>(setting.field(config)))[property] = value;
  return {};
}

std::string yaml_scalar(std::string_view text) {
  // Plain where every YAML reader agrees that it is a string; in double quotes, which is JSON too, elsewhere.
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '/' || c == '-' || c == ':';
  };
  constexpr std::string_view kWords[] = {
      "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE", "yes", "Yes", "YES", "no",
      "No",   "NO",   "on",   "On",   "ON",   "off",  "Off",   "OFF",   "y",     "Y",   "n",   "N"};
  const bool word = !text.empty() && std::all_of(text.begin(), text.end(), plain) && text.back() != ':' &&
                    text.front() != '-' && text.front() != ':' && text.front() != '.' &&
                    text.find_first_not_of("0123456789._:-eExX") != std::string_view::npos;
  if (word && std::find(std::begin(kWords), std::end(kWords), text) == std::end(kWords))
    return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      constexpr std::string_view kHex = "0123456789abcdef";
      out += "\\x";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string yaml_value(const Setting& setting, const Config& config) {
  Config copy = config;  // the table leads to places that may be written
  const Field place = setting.field(copy);
  if (auto* const word = std::get_if<std::string*>(&place)) return yaml_scalar(**word);
  if (auto* const number = std::get_if<int*>(&place)) return std::to_string(**number);
  if (auto* const flag = std::get_if<bool*>(&place)) return **flag ? "true" : "false";
  if (auto* const share = std::get_if<Permille*>(&place)) return show_share((*share)->value);
  if (auto* const bytes = std::get_if<std::size_t*>(&place))
    return show_size(static_cast<std::int64_t>(**bytes));
  if (auto* const items = std::get_if<std::vector<std::string>*>(&place)) return yaml_list(**items);
  std::string out = "{";
  for (const auto& [property, value] : *std::get<PropertyMap*>(place)) {
    if (out.size() > 1) out += ", ";
    out += yaml_scalar(property) + ": " + yaml_scalar(value);
  }
  return out + "}";
}

}  // namespace neardup
