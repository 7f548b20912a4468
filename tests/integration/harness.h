// What the integration tests share: a real Kafka, the real program, and a reader of what it published.
//
// The Kafka is started once for all of them (ctest's fixture integration/kafka_start); each test makes topics
// of its own in it. NEARDUP_KAFKA_DIR is that cluster's folder, NEARDUP_BINARY the program.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "service/codec/verdict_codec.h"
#include "service/config.h"
#include "service/journal/record.h"
#include "tests/support/child_process.h"
#include "tests/support/generated_crawl.h"

namespace neardup {

// Bootstrap servers of the fixture's Kafka. Fails the test program when there is none.
std::string test_kafka();

// `kafka.sh WORDS` on the fixture's Kafka: "kill 1", "restart 1".
void run_kafka(const std::string& words);

// Topics and group of one test, all named after it.
Config test_config(const std::string& name);

// `neardup topics create` with that many partitions everywhere but in the journal.
void create_test_topics(const Config& config, std::int32_t partitions);

// `record` i goes to partition i % partitions. Returns the count per partition.
std::vector<std::int64_t> send_records(const Config& config, const std::vector<GeneratedRecord>& records,
                                       std::int32_t partitions);

// The program as a child process.
class ServiceProcess : public ChildProcess {
 public:
  // Starts `neardup ARGUMENTS...` with the settings of `config`; its log goes to LOG_FOLDER/NAME.log.
  ServiceProcess(const std::string& name, const Config& config,
                 const std::vector<std::string>& arguments = {"serve"});
};

using Place = std::pair<std::int32_t, std::int64_t>;  // partition, offset

// All that was committed.
struct Published {
  std::map<Place, std::vector<ParsedVerdict>> verdicts;  // by input place; one each is what we promise
  std::map<Place, std::vector<std::string>> rejected;    // reasons of dead letters
  std::map<Place, std::string> dead_letter_values;
  std::map<Place, std::string> passed_on;  // values of uniques, where their topic holds records
  std::vector<std::string> journal;        // records in order
  std::size_t count = 0;
};
// Where the topic of uniques holds records, a verdict is what their headers say. REQUIRES: then
// output.headers is full.
Published read_published(const Config& config);

// Reads until `count` verdicts are committed. Throws, with the service's log, when it ended or takes two
// minutes.
Published wait_for_verdicts(ServiceProcess& service, const Config& config, std::size_t count);

// GTest expectations: every input place has exactly one verdict, and an independent detector that compares
// each document with every unique before it, replaying the journal's order, agrees with each of them: with
// whose text is the same in every case, with whose is alike in all but a few.
void expect_exactly_one_verdict(const Published& published, const std::vector<std::int64_t>& counts);
// REQUIRES: nothing is forgotten or deleted.
void expect_brute_force_agrees(const Published& published, const std::vector<GeneratedRecord>& records,
                               std::int32_t partitions);

}  // namespace neardup
