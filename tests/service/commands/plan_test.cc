#include "service/commands/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "service/commands/cli.h"
#include "service/commands/exit_code.h"

namespace neardup {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Answer {
  int code;
  std::string out;
  std::string err;
};

Answer plan_command(std::vector<const char*> words) {
  words.insert(words.begin(), {"neardup", "plan"});
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run_cli(static_cast<int>(words.size()), words.data());
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

TEST(Plan, marks_the_one_to_take) {
  const Answer answer = plan_command({"--documents", "10M"});
  EXPECT_EQ(answer.code, kExitOk);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("10000000 documents within 3 bits"), HasSubstr("->  6x21 "),
                                HasSubstr("    4x16 "), HasSubstr("    20x32 ")));
}

TEST(Plan, speaks_to_programs) {
  const Answer answer = plan_command({"--documents", "1M", "--distance", "5", "--memory", "1GiB", "--json"});
  EXPECT_EQ(answer.code, kExitOk);
  const nlohmann::json plan = nlohmann::json::parse(answer.out);
  EXPECT_EQ(plan["documents"], 1'000'000);
  EXPECT_EQ(plan["memory_bytes"], std::uint64_t{1} << 30);
  EXPECT_TRUE(plan["plans"][0]["fits"]);
  EXPECT_GT(plan["plans"][0]["candidates"], 0);
}

TEST(Plan, takes_the_distance_of_the_configuration) {
  const Answer answer = plan_command({"--set", "detector.distance=2"});
  EXPECT_EQ(answer.code, kExitOk);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("within 2 bits"), HasSubstr("->  ")));
}

TEST(Plan, says_that_nothing_fits_and_what_would) {
  const Answer answer = plan_command({"--documents", "100M", "--memory", "1GiB"});
  EXPECT_EQ(answer.code, kExitUnavailable);
  EXPECT_THAT(answer.out, HasSubstr("does not fit"));
  EXPECT_THAT(answer.err,
              HasSubstr("no plan for 100000000 documents fits into 1073741824 bytes; the smallest takes"));
}

TEST(Plan, refuses_what_no_index_can_hold) {
  EXPECT_EQ(plan_command({"--documents", "0"}).code, kExitUsage);
  EXPECT_EQ(plan_command({"--documents", "5G"}).code, kExitUsage);
  EXPECT_EQ(plan_command({"--distance", "8"}).code, kExitUsage);
}

}  // namespace
}  // namespace neardup
