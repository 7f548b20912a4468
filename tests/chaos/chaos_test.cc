// A few rounds of each sort of fault, on one Kafka of one node; ./dev chaos --rounds runs more, of all sorts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>

#include "service/fault_point.h"
#include "tests/chaos/round.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Runs the faults as one round, and expects each of them to have struck and every verdict to be right.
RoundReport run(const std::string& name, std::uint64_t seed, const std::vector<ChaosFault>& faults,
                int nodes = 1) {
  ChaosKafka kafka(nodes);
  RoundPlan plan;
  plan.seed = seed;
  plan.name = "test-" + name;
  plan.faults = faults;
  const RoundReport report = run_round(kafka, plan);
  EXPECT_THAT(report.findings.violations, IsEmpty());
  EXPECT_GE(report.findings.verdicts, plan.documents_min);
  EXPECT_EQ(report.findings.lost + report.findings.doubled + report.findings.wrong, 0U);
  for (const ChaosFault fault : faults) {
    const auto kind = static_cast<std::size_t>(fault);
    EXPECT_GT(report.faults[kind], 0U) << kChaosFaultNames[kind];
  }
  std::printf("table: chaos: %s | %zu faults, %llu verdicts | decided again in the journal's order | \n",
              name.c_str(), faults.size(), static_cast<unsigned long long>(report.findings.verdicts));
  return report;
}

TEST(Chaos, twenty_kills_of_the_service_change_no_verdict) {
  std::vector<ChaosFault> faults = {ChaosFault::kKill, ChaosFault::kKill, ChaosFault::kKill,
                                    ChaosFault::kKill};
  for (int i = 0; i < 5; ++i) faults.push_back(ChaosFault::kKillBoth);
  for (int i = 0; i < 6; ++i) faults.push_back(ChaosFault::kKillAtPoint);
  EXPECT_GE(run("kills", 1, faults).kills, 20U);
}

TEST(Chaos, a_broker_that_is_killed_ended_or_stopped_changes_no_verdict) {
  run("broker", 3, {ChaosFault::kBrokerKill, ChaosFault::kBrokerStop, ChaosFault::kBrokerTerminate});
}

TEST(Chaos, a_network_that_loses_the_answers_of_commits_changes_no_verdict) {
  const RoundReport report =
      run("network", 4,
          {ChaosFault::kCommitUnanswered, ChaosFault::kCommitLate, ChaosFault::kProxyCutAll,
           ChaosFault::kCommitUnanswered, ChaosFault::kCommitLate});
  EXPECT_GT(report.recycles_found, 0U);
  EXPECT_GT(report.recycles_resent, 0U);
}

TEST(Chaos, a_kafka_that_loses_the_end_of_a_transaction_changes_no_verdict) {
  run("markers", 6, {ChaosFault::kMarkersLost}, 3);
}

TEST(Chaos, zombies_change_no_verdict) {
  run("zombies", 5,
      {ChaosFault::kZombie, ChaosFault::kTwoWriters, ChaosFault::kZombie, ChaosFault::kTwoWriters,
       ChaosFault::kTwoWriters});
}

TEST(Chaos, fault_points_are_in_the_test_build_alone) {
  const std::string shipped = bytes_of(NEARDUP_BINARY);
  const std::string chaos = bytes_of(NEARDUP_CHAOS_BINARY);
  for (const char* const trace : {"pass_fault_point", "fault_limit", "CHAOS_FAULT", "verdicts-queued"}) {
    EXPECT_NE(chaos.find(trace), std::string::npos) << trace;
    EXPECT_EQ(shipped.find(trace), std::string::npos) << trace;
  }
}

TEST(Chaos, a_round_is_drawn_from_its_seed_alone) {
  bool three = false;
  ChaosCounts drawn{};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const DrawnRound round = draw_round(seed);
    EXPECT_EQ(round.plan.faults, draw_round(seed).plan.faults);
    EXPECT_EQ(round.nodes, draw_round(seed).nodes);
    EXPECT_THAT(round.plan.faults, ::testing::Contains(ChaosFault::kKill));
    three = three || round.nodes == 3;
    for (const ChaosFault fault : round.plan.faults) ++drawn[static_cast<std::size_t>(fault)];
  }
  EXPECT_TRUE(three);
  for (std::size_t i = 0; i < drawn.size(); ++i) EXPECT_GT(drawn[i], 10U) << kChaosFaultNames[i];
}

}  // namespace
}  // namespace neardup
