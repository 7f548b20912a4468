#include "tests/integration/harness.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include "core/fingerprint/signer.h"
#include "service/codec/document_codec.h"
#include "service/codec/preset.h"
#include "service/journal/chain.h"
#include "service/kafka/log_reader.h"
#include "service/kafka/sender.h"
#include "service/kafka/topics.h"
#include "tests/reference/hybrid_rules.h"

namespace neardup {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Probe& no_probe() {
  static Probe probe;
  return probe;
}

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

StateBoard& no_board() {
  static StateBoard board;
  return board;
}

void or_throw(const Status& status) {
  if (!status) throw std::runtime_error(status.error().message);
}

std::optional<std::string> header(const Record& record, std::string_view name) {
  for (const Header& h : record.headers) {
    if (h.name == name && h.value) return std::string(*h.value);
  }
  return std::nullopt;
}

void read_topic(const Config& config, const std::string& topic,
                const std::function<void(const Record&)>& take) {
  const auto described = describe_topics(config.kafka, {topic}, milliseconds(10000));
  if (!described) throw std::runtime_error(described.error().message);
  for (std::int32_t partition = 0; partition < described->at(topic).partitions; ++partition) {
    auto reader =
        KafkaLogReader::open(config.kafka, topic, partition, no_probe(), no_board(), std::stop_token());
    if (!reader) throw std::runtime_error(reader.error().message);
    or_throw((*reader)->read_records_to_end([&](const Record& record, double) -> Status {
      take(record);
      return {};
    }));
  }
}

// Of a unique that was passed on.
ParsedVerdict verdict_of_headers(const Record& record) {
  ParsedVerdict verdict;
  verdict.id = record.key.value_or("");
  EXPECT_EQ(header(record, "neardup-verdict"), "unique");
  verdict.seq = std::stoull(header(record, "neardup-seq").value());
  verdict.signature = Fingerprint{std::stoull(header(record, "neardup-signature").value(), nullptr, 16)};
  verdict.source = {header(record, "neardup-topic").value(),
                    std::stoi(header(record, "neardup-partition").value()),
                    std::stoll(header(record, "neardup-offset").value())};
  return verdict;
}

}  // namespace

std::string test_kafka() {
  std::string servers = slurp(NEARDUP_TEST_KAFKA "/bootstrap.servers");
  while (!servers.empty() && servers.back() == '\n') servers.pop_back();
  if (servers.empty())
    throw std::runtime_error("no Kafka in " NEARDUP_TEST_KAFKA
                             ": run these tests by ctest or ./dev test, which start one");
  return servers;
}

void run_kafka(const std::string& words) {
  const std::string command = "NEARDUP_KAFKA_DIR='" NEARDUP_TEST_KAFKA "' '" NEARDUP_SOURCE_DIR
                              "/tests/support/kafka.sh' " +
                              words + " >>'" NEARDUP_TEST_LOGS "/kafka.log' 2>&1";
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error("kafka.sh " + words + " failed: see " NEARDUP_TEST_LOGS "/kafka.log");
}

Config test_config(const std::string& name) {
  Config config;
  config.kafka.brokers = test_kafka();
  config.kafka.group = name;
  config.kafka.session_timeout_ms = 6000;
  config.kafka.topics = {
      {name + ".pages"}, name + ".unique", name + ".duplicate", name + ".dead-letter", name + ".journal"};
  config.http.address = "";
  return config;
}

void create_test_topics(const Config& config, std::int32_t partitions) {
  const auto changes =
      create_topics(config.kafka, {.partitions = partitions, .input = true}, std::chrono::seconds(30));
  if (!changes) throw std::runtime_error(changes.error().message);
}

std::vector<std::int64_t> send_records(const Config& config, const std::vector<GeneratedRecord>& records,
                                       std::int32_t partitions) {
  auto sender = KafkaSender::open(config.kafka, config.kafka.topics.input.front(), no_probe());
  if (!sender) throw std::runtime_error(sender.error().message);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(partitions));
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto partition = static_cast<std::int32_t>(i % counts.size());
    or_throw((*sender)->send(records[i].key, records[i].value, {}, partition));
    ++counts[static_cast<std::size_t>(partition)];
  }
  or_throw((*sender)->finish(std::chrono::seconds(60)));
  return counts;
}

ServiceProcess::ServiceProcess(const std::string& name, const Config& config,
                               const std::vector<std::string>& arguments)
    : ChildProcess(neardup_words(NEARDUP_BINARY, arguments, config), NEARDUP_TEST_LOGS "/" + name + ".log") {}

Published read_published(const Config& config) {
  Published published;
  const KafkaTopics& topics = config.kafka.topics;
  for (const std::string& topic : {topics.unique, topics.duplicate}) {
    const bool holds_records = topic == topics.unique && topics.unique_holds == "records";
    read_topic(config, topic, [&](const Record& record) {
      const Result<ParsedVerdict> verdict =
          holds_records ? verdict_of_headers(record) : parse_verdict_json(record.value.value_or(""));
      if (!verdict) throw std::runtime_error("not a verdict: " + std::string(record.value.value_or("")));
      EXPECT_EQ(verdict->verdict == Verdict::kDuplicate, topic == topics.duplicate);
      EXPECT_EQ(record.key, verdict->id) << "the key of a verdict is the document's id";
      EXPECT_TRUE(header(record, config.output.headers == "full" ? "neardup-verdict" : kVerdictHeaderName));
      const Place place = {verdict->source.partition, verdict->source.offset};
      published.verdicts[place].push_back(*verdict);
      if (holds_records) published.passed_on[place] = record.value.value_or("");
      ++published.count;
    });
  }
  read_topic(config, topics.dead_letter, [&](const Record& record) {
    const Place place = {std::stoi(header(record, "neardup-partition").value()),
                         std::stoll(header(record, "neardup-offset").value())};
    EXPECT_EQ(header(record, "neardup-topic"), topics.input.front());
    published.rejected[place].push_back(header(record, "neardup-reason").value());
    published.dead_letter_values[place] = std::string(record.value.value_or(""));
    ++published.count;
  });
  read_topic(config, topics.journal,
             [&](const Record& record) { published.journal.emplace_back(record.value.value()); });
  return published;
}

Published wait_for_verdicts(ServiceProcess& service, const Config& config, std::size_t count) {
  const auto end = steady_clock::now() + std::chrono::seconds(120);
  // The journal alone tells how far the verdicts are: it is committed with them.
  auto journal = KafkaLogReader::open(config.kafka, config.kafka.topics.journal, 0, no_probe(), no_board(),
                                      std::stop_token());
  if (!journal) throw std::runtime_error(journal.error().message);
  std::size_t covered = 0;
  for (;;) {
    or_throw((*journal)->read_to_end([&](std::string_view bytes, double) -> Status {
      const Result<JournalRecord> record = decode_journal_record(bytes);
      if (!record) return record.error();
      covered += record->counts.verdicts();
      return {};
    }));
    if (covered >= count) return read_published(config);
    if (service.wait(milliseconds(0)) || steady_clock::now() >= end) {
      throw std::runtime_error(std::to_string(covered) + " of " + std::to_string(count) +
                               " verdicts, and the service says:\n" + service.log());
    }
    std::this_thread::sleep_for(milliseconds(100));
  }
}

void expect_exactly_one_verdict(const Published& published, const std::vector<std::int64_t>& counts) {
  std::size_t expected = 0;
  for (std::size_t partition = 0; partition < counts.size(); ++partition) {
    for (std::int64_t offset = 0; offset < counts[partition]; ++offset) {
      const Place place = {static_cast<std::int32_t>(partition), offset};
      const auto verdict = published.verdicts.find(place);
      const auto rejected = published.rejected.find(place);
      const std::size_t verdicts = (verdict == published.verdicts.end() ? 0 : verdict->second.size()) +
                                   (rejected == published.rejected.end() ? 0 : rejected->second.size());
      ASSERT_EQ(verdicts, 1U) << "partition " << partition << " offset " << offset;
      ++expected;
    }
  }
  EXPECT_EQ(published.count, expected) << "verdicts of offsets that were never written";
}

void expect_brute_force_agrees(const Published& published, const std::vector<GeneratedRecord>& records,
                               std::int32_t partitions) {
  const InputConfig input;
  const Preset preset = resolve_preset(input);
  DocumentCodec codec(preset, input);
  Signer signer;

  // The journal tells the order of the uniques, and with it every answer: a document's leader is the
  // lowest-numbered unique of all that match it. Had a lower one come later, the leader itself would have
  // been its duplicate.
  JournalChain chain;
  struct Known {
    Place place;
    Signature signature;
    std::string id;
  };
  std::vector<Known> uniques;
  std::map<Place, std::size_t> batch_end;  // uniques known at the end of the batch that covers a place
  for (const std::string& bytes : published.journal) {
    const Result<JournalRecord> record = decode_journal_record(bytes);
    ASSERT_TRUE(record) << record.error().message;
    const Status status = chain.accept(*record, bytes);
    ASSERT_TRUE(status) << status.error().message;
    for (const Unique& unique : record->uniques) {
      uniques.push_back(
          {{unique.source.partition, unique.source.offset}, unique.signature, std::string(unique.id)});
    }
    for (const JournalPosition& position : record->positions) {
      for (std::int64_t offset = position.from; offset < position.next; ++offset) {
        ASSERT_TRUE(batch_end.try_emplace({position.partition, offset}, uniques.size()).second)
            << "covered twice";
      }
    }
  }
  std::map<Place, std::size_t> sequence_of;
  for (std::size_t i = 0; i < uniques.size(); ++i) sequence_of[uniques[i].place] = i;

  std::map<Place, RouteSignature> routes;
  std::map<Place, Signature> signatures;
  std::map<Place, Document> documents;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Place place = {static_cast<std::int32_t>(i % static_cast<std::size_t>(partitions)),
                         static_cast<std::int64_t>(i / static_cast<std::size_t>(partitions))};
    Record record;
    record.source = {0, place.first, place.second};
    if (records[i].key) record.key = *records[i].key;
    if (records[i].value) record.value = *records[i].value;
    Document document;
    std::optional<RejectReason> reason = codec.decode(record, document);
    if (!reason) reason = signer.sign(document, signatures[place], routes[place]);
    if (reason) {
      ASSERT_TRUE(published.rejected.contains(place)) << "record " << i;
      EXPECT_EQ(published.rejected.at(place).front(), name(*reason));
      continue;
    }
    documents[place] = std::move(document);
  }

  // Every look-up finds what is alike, but for the few in a hundred that share no key.
  reference::HybridRules rules;
  std::size_t compared = 0;
  std::size_t missed = 0;
  for (const auto& [place, document] : documents) {
    SCOPED_TRACE(document.id);
    const Signature& signature = signatures.at(place);
    ASSERT_TRUE(published.verdicts.contains(place));
    const ParsedVerdict& verdict = published.verdicts.at(place).front();
    EXPECT_EQ(verdict.id, document.id);
    EXPECT_EQ(verdict.signature, signature.fingerprint);

    const auto own = sequence_of.find(place);
    const std::size_t before = own != sequence_of.end() ? own->second : batch_end.at(place);
    std::optional<std::size_t> leader;
    for (std::size_t s = 0; s < before && !leader; ++s) {
      if (uniques[s].signature.exact == signature.exact) leader = s;
    }
    const bool exact = leader.has_value();
    for (std::size_t s = 0; s < before && !leader; ++s) {
      if (rules.match(routes.at(place), routes.at(uniques[s].place))) leader = s;
    }
    if (own != sequence_of.end()) {
      missed += leader.has_value() ? 1 : 0;
      EXPECT_EQ(verdict.verdict, Verdict::kUnique);
      EXPECT_FALSE(exact) << "the same text was called unique before";
      EXPECT_EQ(verdict.seq, own->second);
      EXPECT_EQ(uniques[own->second].signature, signature);
    } else {
      ASSERT_TRUE(leader) << "was called a duplicate but matches no unique";
      EXPECT_EQ(verdict.verdict, Verdict::kDuplicate);
      EXPECT_EQ(verdict.kind == DuplicateKind::kExact, exact);
      const Place named = {verdict.duplicate_of->source.partition, verdict.duplicate_of->source.offset};
      ASSERT_TRUE(sequence_of.contains(named));
      const std::size_t sequence = sequence_of.at(named);
      EXPECT_EQ(verdict.duplicate_of->id, uniques[sequence].id);
      EXPECT_GE(sequence, *leader);
      if (exact) {
        EXPECT_EQ(sequence, *leader) << "the same text is not that of the original";
      } else {
        EXPECT_TRUE(rules.match(routes.at(place), routes.at(named)));
      }
      missed += sequence > *leader ? 1 : 0;
    }
    ++compared;
  }
  EXPECT_LE(missed * 50, compared) << missed << " of " << compared;
  EXPECT_EQ(compared + published.rejected.size(), records.size());
}

}  // namespace neardup
