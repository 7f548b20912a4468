#include "service/commands/cli.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "service/commands/exit_code.h"
#include "service/commands/path_input.h"
#include "service/commands/streams.h"
#include "service/config.h"
#include "service/version.h"
#include "tests/support/folder_test.h"

namespace neardup {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Answer {
  int code;
  std::string out;
  std::string err;
};

Answer neardup_cli(std::vector<const char*> words) {
  words.insert(words.begin(), "neardup");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run_cli(static_cast<int>(words.size()), words.data());
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

TEST(Cli, no_command_shows_the_help_and_is_wrong_usage) {
  const Answer answer = neardup_cli({});
  EXPECT_EQ(answer.code, kExitUsage);
  EXPECT_EQ(answer.out, "");
  EXPECT_THAT(answer.err, HasSubstr("Examples:"));
}

TEST(Cli, help_is_given_in_every_way_people_ask_for_it) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"--help"}, {"-h"}, {"help"}, {"help", "help"}}) {
    const Answer answer = neardup_cli(words);
    EXPECT_EQ(answer.code, kExitOk);
    EXPECT_THAT(answer.out, AllOf(HasSubstr("validate"), HasSubstr("Examples:"), HasSubstr("Exit codes:"),
                                  HasSubstr("130 or 143 interrupted")));
  }
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"validate", "--help"}, {"help", "validate"}, {"validate", "-h"}}) {
    const Answer answer = neardup_cli(words);
    EXPECT_EQ(answer.code, kExitOk);
    EXPECT_THAT(answer.out,
                AllOf(HasSubstr("Usage: neardup validate"), HasSubstr("--offline"), HasSubstr("Examples:")));
  }
}

TEST(Cli, help_lists_the_commands_and_knows_their_commands) {
  EXPECT_EQ(neardup_cli({"help"}).out, neardup_cli({"--help"}).out);
  EXPECT_THAT(neardup_cli({"help"}).out, HasSubstr("\n  print-config  "));
  EXPECT_THAT(neardup_cli({"help", "--help"}).out, HasSubstr("Usage: neardup help [OPTIONS] [command]"));
  for (const auto& [command, sub] : {std::pair{"topics", "create"}, {"snapshot", "verify"}}) {
    const Answer answer = neardup_cli({"help", command, sub});
    EXPECT_EQ(answer.code, kExitOk) << answer.err;
    EXPECT_EQ(answer.out, neardup_cli({command, sub, "--help"}).out);
    EXPECT_THAT(answer.out, HasSubstr(std::string("Usage: neardup ") + command + " " + sub));
  }
}

TEST(Cli, an_error_of_help_is_its_own) {
  const std::pair<std::vector<const char*>, const char*> cases[] = {
      {{"help", "scan", "extra"},
       "help: \"extra\" is too much, scan has no commands of its own\nTry: neardup help --help\n"},
      {{"help", "scan", "--nothing"},
       "help: The following argument was not expected: --nothing\nTry: neardup help --help\n"},
      {{"help", "topics", "create", "more"},
       "help: The following argument was not expected: more\nTry: neardup help --help\n"},
      {{"help", "topics", "creat"},
       "topics: \"creat\" is not one of create, check; did you mean create?\nTry: neardup topics --help\n"},
  };
  for (const auto& [words, says] : cases) {
    const Answer answer = neardup_cli(words);
    EXPECT_EQ(answer.code, kExitUsage);
    EXPECT_EQ(answer.out, "");
    EXPECT_EQ(answer.err, std::string("neardup: ") + says);
  }
}

TEST(Cli, version_names_version_revision_and_compiler) {
  for (const std::vector<const char*>& words : {std::vector<const char*>{"version"}, {"--version"}}) {
    const Answer answer = neardup_cli(words);
    EXPECT_EQ(answer.code, kExitOk);
    EXPECT_EQ(answer.out, version_line() + "\n");
  }
  EXPECT_THAT(version_line(),
              testing::MatchesRegex("neardup [0-9]+\\.[0-9]+\\.[0-9]+ \\(.+, (gcc|clang) .+\\)"));
}

TEST(Cli, an_unknown_command_is_wrong_usage_with_a_suggestion) {
  EXPECT_EQ(neardup_cli({"valdate"}).code, kExitUsage);
  EXPECT_THAT(neardup_cli({"valdate"}).err,
              StartsWith("neardup: unknown command \"valdate\"; did you mean validate?\n"));
  EXPECT_THAT(neardup_cli({"help", "valdate"}).err, HasSubstr("did you mean validate?"));
  EXPECT_THAT(neardup_cli({"qqqqqq"}).err, StartsWith("neardup: unknown command \"qqqqqq\"\n"));
}

TEST(Cli, help_of_an_unknown_command_is_the_same_error) {
  for (const char* help : {"--help", "-h"}) {
    for (const std::vector<const char*>& words :
         {std::vector<const char*>{"valdate"}, {"topics", "creat"}, {"--set", "log.level=info", "qqqqqq"}}) {
      std::vector<const char*> asks = words;
      asks.push_back(help);
      const Answer answer = neardup_cli(asks);
      EXPECT_EQ(answer.code, kExitUsage) << words.back();
      EXPECT_EQ(answer.out, "");
      EXPECT_EQ(answer.err, neardup_cli(words).err);
    }
  }
  EXPECT_EQ(neardup_cli({"topics", "--help"}).code, kExitOk);
  EXPECT_EQ(neardup_cli({"scan", "page.html", "--help"}).code, kExitOk);
}

TEST(Cli, an_unknown_command_of_a_command_is_named_with_its_choices) {
  const std::pair<std::vector<const char*>, const char*> cases[] = {
      {{"topics", "creat"}, "topics: \"creat\" is not one of create, check; did you mean create?"},
      {{"topics", "--set", "log.level=info", "qqqqqq"}, "topics: \"qqqqqq\" is not one of create, check"},
      {{"snapshot", "inspct", "idx"},
       "snapshot: \"inspct\" is not one of inspect, verify; did you mean inspect?"},
      {{"topics"}, "topics: what to do is missing, one of create, check"},
  };
  for (const auto& [words, says] : cases) {
    const Answer answer = neardup_cli(words);
    EXPECT_EQ(answer.code, kExitUsage);
    EXPECT_EQ(answer.err, std::string("neardup: ") + says + "\nTry: neardup " + words[0] + " --help\n");
  }
}

TEST(Cli, the_settings_in_examples_are_accepted) {
  std::size_t examples = 0;
  for (const char* command : {"serve", "topics", "scan", "fingerprint", "explain", "feed", "plan", "tune",
                              "snapshot", "validate", "print-config"}) {
    std::istringstream help(neardup_cli({command, "--help"}).out);
    for (std::string line; std::getline(help, line);) {
      if (!line.starts_with("  neardup ")) continue;
      std::istringstream words(line);
      std::vector<std::string> sets;
      for (std::string word; words >> word;) {
        if (word == "--set" && words >> word) sets.push_back(word);
      }
      std::vector<const char*> arguments = {"print-config"};
      for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set.c_str()});
      const Answer answer = neardup_cli(arguments);
      EXPECT_EQ(answer.code, kExitOk) << line << "\n" << answer.err;
      examples += sets.empty() ? 0 : 1;
    }
  }
  EXPECT_GE(examples, 3U);
}

TEST(Cli, help_has_defaults_and_exit_codes) {
  EXPECT_THAT(neardup_cli({"help", "explain"}).out, HasSubstr("neardup explain [OPTIONS] A [B]\n"));
  EXPECT_THAT(neardup_cli({"help", "plan"}).out, HasSubstr("5000000, 4.5M, 1G; default 10000000\n"));
  EXPECT_THAT(
      neardup_cli({"help", "tune"}).out,
      AllOf(HasSubstr("compared exactly; default 1000\n"), HasSubstr("same pairs; default 0.95\n"),
            HasSubstr("an id of theirs is not there, none is the same, or no document\nwas found; 66")));
  for (const char* command : {"scan", "fingerprint", "explain", "tune"}) {
    std::string help = neardup_cli({"help", command}).out;
    std::ranges::replace(help, '\n', ' ');
    EXPECT_THAT(help, AllOf(HasSubstr(" 74 "), HasSubstr(", or its reader went away; 78 wrong configuration"),
                            HasSubstr("130 or 143 interrupted")))
        << command;
  }
}

TEST(Cli, help_names_every_ending_that_is_read) {
  const std::string pages = alternatives(kPageEndings);
  EXPECT_EQ(pages, ".html, .htm, .xhtml, .txt or .md");
  EXPECT_THAT(neardup_cli({"help", "scan"}).out,
              AllOf(HasSubstr(pages), HasSubstr(alternatives(kLineEndings))));
  EXPECT_THAT(neardup_cli({"help", "feed"}).out, HasSubstr("Pages (" + pages + ")"));
}

// What a start would refuse: librdkafka takes each of them, but not all together.
TEST(Cli, validate_refuses_properties_that_do_not_go_together) {
  const auto validate = [](const char* property) {
    return neardup_cli({"validate", "--offline", "--set", "kafka.brokers=127.0.0.1:1", "--set",
                        "kafka.topics.input=[pages]", "-X", property});
  };
  const Answer answer = validate("linger.ms=60000");
  EXPECT_EQ(answer.code, kExitConfig);
  EXPECT_THAT(answer.err, AllOf(HasSubstr("kafka settings: "), HasSubstr("linger.ms")));
  EXPECT_EQ(answer.out, "");
  EXPECT_EQ(validate("linger.ms=6").code, kExitOk);
}

TEST(Cli, wrong_options_are_wrong_usage) {
  for (const std::vector<const char*>& words : {std::vector<const char*>{"--nothing"},
                                                {"validate", "--nothing"},
                                                {"validate", "more"},
                                                {"validate", "-c"},
                                                {"version", "validate"},
                                                {"print-config", "--default", "--markdown"},
                                                {"--set"}}) {
    const Answer answer = neardup_cli(words);
    EXPECT_EQ(answer.code, kExitUsage);
    EXPECT_THAT(answer.err, StartsWith("neardup: "));
    EXPECT_EQ(answer.out, "");
  }
}

TEST(Cli, numbers_out_of_range_are_wrong_usage) {
  for (const std::vector<const char*>& words : {std::vector<const char*>{"plan", "--memory", "-1"},
                                                {"plan", "--memory", "99999999999999999999"},
                                                {"plan", "--memory", "2TiB"},
                                                {"plan", "--documents", "-1"},
                                                {"plan", "--distance", "8"},
                                                {"tune", "--recall", "nan", "/dev/null"},
                                                {"tune", "--recall", "1.5", "/dev/null"},
                                                {"feed", "--rate", "NaN", "/dev/null"},
                                                {"feed", "--rate", "inf", "/dev/null"},
                                                {"scan", "--threads", "257", "/dev/null"}}) {
    const Answer answer = neardup_cli(words);
    EXPECT_EQ(answer.code, kExitUsage) << words[1] << " " << words[2];
    EXPECT_THAT(answer.err, StartsWith(std::string("neardup: ") + words[1] + ": ")) << words[2];
  }
  EXPECT_EQ(neardup_cli({"plan", "--memory", "4GiB"}).code, kExitOk);
  EXPECT_EQ(neardup_cli({"plan", "--memory", "0"}).code, kExitOk);
}

TEST(Cli, numbers_are_decimal) {
  for (const std::vector<const char*>& words : {std::vector<const char*>{"plan", "--documents", "010"},
                                                {"plan", "--documents", "010M"},
                                                {"plan", "--documents=0x10"},
                                                {"plan", "--memory", "0X10GiB"},
                                                {"plan", "--memory", "00"},
                                                {"plan", "--distance", "03"},
                                                {"tune", "--sample", "010", "/dev/null"},
                                                {"tune", "--recall", "0x1p-1", "/dev/null"},
                                                {"feed", "--rate", "010", "/dev/null"},
                                                {"scan", "--threads", "+010", "/dev/null"},
                                                {"topics", "create", "--partitions", "010"},
                                                {"topics", "create", "--replication", "-01"},
                                                {"topics", "check", "--timeout-ms", "010000"}}) {
    const Answer answer = neardup_cli(words);
    EXPECT_EQ(answer.code, kExitUsage) << words[0] << " " << words[1];
    EXPECT_THAT(answer.err, HasSubstr(" is not decimal: write it without a 0 at its head\n")) << words[1];
  }
  for (const std::vector<const char*>& words : {std::vector<const char*>{"plan", "--documents", "10"},
                                                {"plan", "--documents", "10M"},
                                                {"plan", "--distance", "0"},
                                                {"plan", "--memory", "0"},
                                                {"scan", "--threads", "0", "-q", "/dev/null"}}) {
    const Answer answer = neardup_cli(words);
    EXPECT_EQ(answer.code, kExitOk) << words[0] << " " << words[1] << " " << words[2] << answer.err;
  }
}

TEST(Cli, what_kafka_would_take_for_no_topic_is_refused_before_it_is_asked) {
  const Answer answer = neardup_cli({"feed", "--topic", "a b", "/dev/null"});
  EXPECT_EQ(answer.code, kExitUsage);
  EXPECT_THAT(answer.err, HasSubstr("--topic: a b is not a topic name (1 to 249 of "));
}

TEST(Cli, a_name_that_is_empty_is_not_taken_for_none) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"scan", "--snapshot", "", "/dev/null"},
        {"scan", "--against", "", "/dev/null"},
        {"feed", "--topic", "", "/dev/null"},
        {"tune", "--pairs", "", "/dev/null"},
        {"print-config", "-c", ""}}) {
    const Answer answer = neardup_cli(words);
    EXPECT_EQ(answer.code, kExitUsage);
    EXPECT_THAT(answer.err, HasSubstr("names nothing; is a variable not set?\n")) << words[1];
  }
  setenv("NEARDUP_CONFIG", "", 1);
  const Answer answer = neardup_cli({"print-config"});
  unsetenv("NEARDUP_CONFIG");
  EXPECT_EQ(answer.code, kExitConfig);
  EXPECT_EQ(answer.err, "neardup: NEARDUP_CONFIG: is empty; name a file, or unset it\n");
}

TEST(Cli, who_used_a_command_wrongly_is_sent_to_its_own_help) {
  for (const std::vector<const char*>& words : {std::vector<const char*>{"scan", "--nothing"},
                                                {"plan", "--documents", "many"},
                                                {"explain"},
                                                {"fingerprint", "--distance", "one"}}) {
    EXPECT_THAT(neardup_cli(words).err,
                testing::EndsWith(std::string("\nTry: neardup ") + words[0] + " --help\n"));
  }
  EXPECT_THAT(neardup_cli({"topics", "create", "--nothing"}).err,
              testing::EndsWith("\nTry: neardup topics create --help\n"));
  EXPECT_THAT(neardup_cli({"--nothing"}).err, testing::EndsWith("\nTry: neardup --help\n"));
}

TEST(Cli, words_that_are_too_much_are_named_in_the_order_given) {
  const std::pair<std::vector<const char*>, const char*> cases[] = {
      {{"print-config", "one", "two", "three"},
       "s were not expected: one two three\nTry: neardup print-config"},
      {{"version", "--one", "two"}, "s were not expected: --one two\nTry: neardup version"},
      {{"topics", "create", "one", "--two", "three"},
       "s were not expected: one --two three\nTry: neardup topics create"},
      {{"scan", "a", "--one", "b", "--two"}, "s were not expected: --one --two\nTry: neardup scan"},
      {{"--one", "version", "--two"}, "s were not expected: --one --two\nTry: neardup version"},
      {{"help", "topics", "create", "one", "two"}, "s were not expected: one two\nTry: neardup help"},
      {{"--one", "--two"}, "s were not expected: --one --two\nTry: neardup"},
      {{"explain", "a", "b", "c"}, " was not expected: c\nTry: neardup explain"},
      {{"version", "--one"}, " was not expected: --one\nTry: neardup version"},
  };
  for (const auto& [words, says] : cases) {
    const Answer answer = neardup_cli(words);
    EXPECT_EQ(answer.code, kExitUsage);
    EXPECT_THAT(answer.err, HasSubstr(std::string("The following argument") + says + " --help\n"));
  }
}

TEST(Cli, what_a_person_accepts_is_named_to_the_letter) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"serve", "--accept-moved-offsets", "both"},
        {"serve", "--accept-moved-offsets"},
        {"serve", "--accept-input-loss"},
        {"serve", "--accept-input-loss", "pages"},
        {"serve", "--accept-input-loss", ":3"},
        {"serve", "--accept-input-loss", "pages:"},
        {"serve", "--accept-input-loss", "pages:03"},
        {"serve", "--accept-input-loss", "pages:-1"},
        {"serve", "--accept-input-loss", "pages:0", "--accept-input-loss", "All"},
        {"serve", "--accept"}}) {
    EXPECT_EQ(neardup_cli(words).code, kExitUsage) << words.back();
  }
  EXPECT_EQ(neardup_cli({"serve", "--accept-input-loss", "pages"}).err,
            "neardup: --accept-input-loss: pages is not TOPIC:PARTITION, and not all\n"
            "Try: neardup serve --help\n");
  for (const char* place : {"pages:0", "pages:12", "all"}) {
    EXPECT_EQ(neardup_cli({"serve", "--accept-input-loss", place, "--set", "log.level=loud"}).code,
              kExitConfig)
        << place;
  }
  EXPECT_THAT(neardup_cli({"help", "serve"}).out,
              AllOf(HasSubstr("--accept-moved-offsets"), HasSubstr("{journal,group}"),
                    HasSubstr("--accept-input-loss TOPIC:PARTITION|all")));
}

TEST(Cli, settings_may_stand_before_or_after_the_command) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"--set", "http.port=1", "-X", "linger.ms=2", "print-config"},
        {"print-config", "--set", "http.port=1", "-X", "linger.ms=2"},
        {"--set", "http.port=1", "print-config", "-X", "linger.ms=2"},
        {"--set=http.port=9", "print-config", "--set=http.port=1", "-Xlinger.ms=2"}}) {
    const Answer answer = neardup_cli(words);
    EXPECT_EQ(answer.code, kExitOk) << answer.err;
    EXPECT_THAT(answer.out, AllOf(HasSubstr("port: 1  # --set\n"), HasSubstr("linger.ms: \"2\"  # -X\n")));
  }
}

TEST(Cli, the_environment_is_read) {
  setenv("NEARDUP_HTTP__PORT", "77", 1);
  const Answer answer = neardup_cli({"print-config"});
  unsetenv("NEARDUP_HTTP__PORT");
  EXPECT_THAT(answer.out, HasSubstr("port: 77  # env NEARDUP_HTTP__PORT\n"));
}

TEST(Cli, a_wrong_configuration_ends_with_78_and_names_every_mistake) {
  for (const char* command : {"validate", "print-config"}) {
    const Answer answer = neardup_cli({command, "--set", "http.prt=1", "--set", "log.level=loud"});
    EXPECT_EQ(answer.code, kExitConfig);
    EXPECT_EQ(answer.out, "");
    EXPECT_EQ(answer.err,
              "neardup: --set: unknown setting \"http.prt\"; did you mean http.port?\n"
              "neardup: --set: log.level: \"loud\" is not one of debug, info, warning, error\n");
    EXPECT_EQ(neardup_cli({command, "-c", "/nonexistent.yaml"}).code, kExitConfig);
  }
}

TEST(Cli, validate_offline_looks_for_the_files_too) {
  const std::string minimal = std::string(NEARDUP_SOURCE_DIR) + "/config/minimal.yaml";
  const Answer good = neardup_cli({"validate", "--offline", "-c", minimal.c_str()});
  EXPECT_EQ(good.code, kExitOk) << good.err;
  EXPECT_EQ(good.out, "The configuration is valid: 3 settings are given, the others are defaults.\n");
  const std::string sasl = std::string(NEARDUP_SOURCE_DIR) + "/config/sasl-ssl.yaml";
  const Answer missing = neardup_cli({"validate", "--offline", "-c", sasl.c_str()});
  EXPECT_EQ(missing.code, kExitConfig);
  EXPECT_THAT(missing.err,
              HasSubstr("kafka.sasl_password_file: /run/secrets/neardup/password is not a readable file"));
}

TEST(Cli, validate_offline_knows_the_properties_of_librdkafka) {
  const Answer wrong = neardup_cli(
      {"validate", "--offline", "-X", "linger.mss=20", "-X", "fetch.wait.max.ms=soon", "-X", "linger.ms=20"});
  EXPECT_EQ(wrong.code, kExitConfig) << "serve would end with it";
  EXPECT_EQ(wrong.out, "");
  EXPECT_EQ(wrong.err,
            "neardup: -X: kafka.properties.linger.mss: No such configuration property: \"linger.mss\"\n"
            "neardup: -X: kafka.properties.fetch.wait.max.ms: Invalid value for configuration property "
            "\"fetch.wait.max.ms\"\n");
}

TEST(Cli, validate_refuses_what_no_command_would_read_records_by) {
  for (const std::vector<const char*>& given :
       {std::vector<const char*>{"--set", "input.preset=raw", "--set", "input.fields.text=/text"},
        {"--set", "input.preset=raw", "--set", "input.id_from=url"},
        {"--set", "input.preset=yaml"},
        {"--set", "input.fields.text=[\"\"]"}}) {
    std::vector<const char*> validate = {"validate", "--offline"};
    std::vector<const char*> scan = {"scan", "/dev/null"};
    validate.insert(validate.end(), given.begin(), given.end());
    scan.insert(scan.end(), given.begin(), given.end());
    const Answer answer = neardup_cli(validate);
    EXPECT_EQ(answer.code, kExitConfig) << answer.out;
    EXPECT_THAT(answer.err, AllOf(StartsWith("neardup: "), HasSubstr("--set"), HasSubstr("input.")));
    EXPECT_EQ(answer.err, neardup_cli(scan).err);
  }
}

TEST(Cli, the_value_of_a_mistyped_property_is_not_repeated) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"print-config", "-X", "sasl.password:hunter2"},
        {"print-config", "-X", "sasl.password:hunter2="},
        {"print-config", "-X", "sasl.password:", "hunter2"},
        {"print-config", "-X", "sasl.password=", "hunter2"},
        {"print-config", "--set", "kafka.properties.sasl.password:", "hunter2"},
        {"-X", "sasl.password", "=", "hunter2", "print-config"},
        {"-X", "sasl.password:", "hunter2"},
        {"-X", "sasl.password:", "hunter2", "--help"},
        {"help", "-X", "sasl.password:", "hunter2"},
        {"help", "topics", "-X", "sasl.password:", "hunter2"},
        {"-Xsasl.password:hunter2", "validate", "--offline"},
        {"validate", "--offline", "-X", "security.protocol=hunter2"},
        {"validate", "--offline", "-X", "debug=hunter2"}}) {
    const Answer answer = neardup_cli(words);
    EXPECT_EQ(answer.code, kExitConfig) << answer.err;
    EXPECT_THAT(answer.out + answer.err, Not(HasSubstr("hunter2")));
    EXPECT_THAT(answer.err,
                AnyOf(HasSubstr("sasl.password"), HasSubstr("security.protocol"), HasSubstr("debug")));
  }
}

using CliFolders = FolderTest;

TEST_F(CliFolders, validate_remarks_on_one_that_serve_could_not_use) {
  const Answer wrong = neardup_cli({"validate", "--offline", "--set", "snapshot.directory=/dev/null/a/b",
                                    "--set", "index.directory=/nonexistent"});
  EXPECT_EQ(wrong.code, kExitOk) << "it may be there for another user";
  EXPECT_EQ(wrong.err,
            "neardup: remark: snapshot.directory: /dev/null is not a folder\n"
            "neardup: remark: index.directory: /nonexistent is not a folder\n");
  const std::string snapshot = "snapshot.directory=" + (folder_ / "not-there-yet" / "snapshot").string();
  const std::string index = "index.directory=" + folder_.string();
  const Answer right =
      neardup_cli({"validate", "--offline", "--set", snapshot.c_str(), "--set", index.c_str()});
  EXPECT_EQ(right.code, kExitOk);
  EXPECT_EQ(right.err, "");
}

TEST_F(CliFolders, mistakes_in_properties_are_named_with_all_the_others) {
  const std::string file = write("neardup.yaml",
                                 "kafka:\n  properties: {enable.idempotence: false, sasl.password: hunter2,\n"
                                 "    foo.bar: hunter2, linger.ms: hunter2}\nbatch:\n  interval_ms: 1\n");
  for (const char* command : {"validate", "print-config", "scan", "serve"}) {
    const Answer answer = neardup_cli(
        {command, "-c", file.c_str(), "--set", "kafka.properties.foo=hunter2", "--set", "http.port=x"});
    EXPECT_EQ(answer.code, kExitConfig) << command;
    EXPECT_THAT(answer.out + answer.err, Not(HasSubstr("hunter2")));
    EXPECT_THAT(answer.err,
                AllOf(StartsWith("neardup: " + file + ":2: kafka.properties.enable.idempotence: "),
                      HasSubstr(file + ":2: kafka.properties.sasl.password: "),
                      HasSubstr(file + ":3: kafka.properties.foo.bar: No such configuration property"),
                      HasSubstr(file + ":3: kafka.properties.linger.ms: Invalid value"),
                      HasSubstr(file + ":5: batch.interval_ms: "),
                      HasSubstr("--set: kafka.properties.foo: No such"), HasSubstr("--set: http.port: ")));
  }
}

TEST_F(CliFolders, validate_remarks_on_memory_that_is_too_little) {
  const Answer little = neardup_cli({"validate", "--offline", "--set", "index.memory_limit=1KiB"});
  EXPECT_EQ(little.code, kExitOk) << "the setting takes it";
  EXPECT_EQ(little.err,
            "neardup: remark: index.memory_limit: 1024 bytes: below 64MiB is too small to work by\n");
  for (const char* enough : {"index.memory_limit=64MiB", "index.memory_limit=0"})
    EXPECT_EQ(neardup_cli({"validate", "--offline", "--set", enough}).err, "") << enough;
}

TEST(Cli, print_config_writes_the_files_of_the_config_folder) {
  EXPECT_EQ(neardup_cli({"print-config", "--default"}).out, default_config_yaml());
  EXPECT_EQ(neardup_cli({"print-config", "--markdown"}).out, config_reference_markdown());
}

// What a process ends with that does `work`, which returns it.
template <class Work>
int exit_code_of_child(Work work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The same of a command before which `prepare` ran.
template <class Prepare>
int exit_code_after(Prepare prepare, std::vector<const char*> words) {
  return exit_code_of_child([&] {
    prepare();
    words.insert(words.begin(), "neardup");
    return run_cli(static_cast<int>(words.size()), words.data());
  });
}

class CliStreams : public FolderTest {};

TEST_F(CliStreams, what_was_meant_for_a_closed_stream_is_not_written_into_a_file) {
  const std::string input = write("in.jsonl", R"({"id":"a","text":"the bridge over the old river opens"})");
  for (const int closed : {STDOUT_FILENO, STDERR_FILENO}) {
    const std::string index = (folder_ / ("index" + std::to_string(closed))).string();
    const int code =
        exit_code_after([&] { close(closed); }, {"scan", "--snapshot", index.c_str(), input.c_str()});
    EXPECT_EQ(code, closed == STDOUT_FILENO ? kExitIo : kExitOk);
    EXPECT_EQ(std::filesystem::file_size(index + "/lock"), 0U) << read(index + "/lock");
  }
  EXPECT_EQ(exit_code_after([] { close(STDIN_FILENO); }, {"scan", "-"}), kExitIo);
}

// The parser would take them for lists: of "a" and "b", and of none, which means standard input.
TEST_F(CliStreams, a_path_in_brackets_is_one_path) {
  const std::string one = R"({"id":"one","text":"the bridge over the old river opens"})";
  const std::string other = R"({"id":"other","text":"ten minutes of rain and the roads were under water"})";
  write("[]", one);
  write("[a,b]", one + "\n" + other);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"scan", "-q", "[]"},
        {"scan", "[]", "-q"},
        {"--set", "log.level=info", "scan", "--threads", "1", "-q", "--", "[]"},
        {"fingerprint", "[]"},
        {"fingerprint", "--json", "[a,b]"},
        {"explain", "[a,b]"},
        {"explain", "--set=log.level=info", "[]", "[]"},
        {"fingerprint", "--distance", "[]", "[]"}}) {
    const Answer answer = neardup_cli(words);
    EXPECT_EQ(answer.code, kExitOk) << words[0] << " " << words[1] << ": " << answer.err;
    const std::string last = words.back();
    EXPECT_THAT(answer.out, Not(testing::IsEmpty()));
    if (last == "[a,b]") {
      EXPECT_THAT(answer.out, AllOf(HasSubstr("one"), HasSubstr("other")));
    }
  }
  EXPECT_THAT(neardup_cli({"scan", "[no,such]"}).err, StartsWith("neardup: ./[no,such]: No such file"));
  EXPECT_THAT(neardup_cli({"scan", "--set", "[x]", "[]"}).err, HasSubstr("--set [x]: is not NAME=VALUE"));
  EXPECT_THAT(neardup_cli({"--set", "[x]", "scan", "[]"}).err, HasSubstr("--set [x]: is not NAME=VALUE"));
  EXPECT_THAT(neardup_cli({"[x]"}).err, StartsWith("neardup: unknown command \"[x]\""));
  std::filesystem::current_path(before);
}

TEST_F(CliStreams, a_scan_prints_verdicts_or_the_documents_that_are_asked_for) {
  const std::string text = R"(,"text":"the bridge over the old river opens"})";
  const std::string one = R"({"id":"one")" + text + "\n";
  const std::string two = R"({"id":"two")" + text + "\n";
  const std::string input = write("in.jsonl", one + two);
  const auto printed = [&](const char* what) {
    return neardup_cli({"scan", "-q", "--print", what, input.c_str()});
  };
  EXPECT_EQ(printed("unique").out, one);
  EXPECT_EQ(printed("duplicate").out, two);
  EXPECT_EQ(printed("verdicts").out, neardup_cli({"scan", "-q", input.c_str()}).out);
  EXPECT_EQ(printed("rejected").code, kExitUsage);
  EXPECT_THAT(printed("rejected").err, HasSubstr("--print: rejected not in {verdicts,unique,duplicate}"));
}

TEST(Cli, what_could_not_be_printed_ends_with_74) {
  for (const std::vector<const char*>& words : {std::vector<const char*>{"print-config", "--default"},
                                                {"plan"},
                                                {"validate", "--offline"},
                                                {"version"},
                                                {"scan", "--help"}}) {
    const auto to_full_disk = [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); };
    EXPECT_EQ(exit_code_after(to_full_disk, words), kExitIo) << words.front();
  }
}

TEST_F(CliStreams, what_nobody_thought_of_ends_with_70_and_its_words) {
  struct Wrong : std::streambuf {
    int overflow(int /*c*/) override { throw std::runtime_error("we were wrong"); }
  } wrong;
  const std::string said = (folder_ / "said").string();
  const auto break_it = [&] {
    std::cout.rdbuf(&wrong);
    std::cout.exceptions(std::ios::badbit);
    std::cerr.tie(nullptr);
    dup2(open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  };
  EXPECT_EQ(exit_code_after(break_it, {"version"}), kExitInternal);
  EXPECT_EQ(read(said), "neardup: internal error: we were wrong\n");
}

// As `ulimit -f` sets it. The verdicts, and with a folder what is remembered, are larger.
TEST_F(CliStreams, a_limit_on_file_sizes_ends_a_scan_with_its_reason) {
  std::string lines;
  for (int i = 0; i < 1000; ++i) {
    lines += R"({"id":")" + std::to_string(i) + R"(","text":")";
    for (int word = 0; word < 20; ++word) lines += "w" + std::to_string(20 * i + word) + " ";
    lines += "\"}\n";
  }
  const std::string input = write("in.jsonl", lines);
  const std::string index = (folder_ / "index").string();
  const std::string said = (folder_ / "said").string();
  const auto limit_files = [&](const std::string& output) {
    return [&said, output] {
      std::signal(SIGXFSZ, SIG_DFL);  // this process may have ignored it before
      dup2(open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
      dup2(open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
      const rlimit limit{8192, 8192};
      setrlimit(RLIMIT_FSIZE, &limit);
    };
  };
  EXPECT_EQ(exit_code_after(limit_files((folder_ / "out").string()), {"scan", input.c_str()}), kExitIo);
  EXPECT_THAT(read(said), HasSubstr("standard output: File too large"));
  EXPECT_EQ(exit_code_after(limit_files("/dev/null"), {"scan", "--snapshot", index.c_str(), input.c_str()}),
            kExitIo);
  EXPECT_THAT(read(said), HasSubstr("File too large"));
}

// Runs `words` as the first process of a namespace, an input before it that says nothing, and asks it by
// SIGTERM to end until it does. nullopt: this user may make no namespace. -1: it had to be killed.
std::optional<int> exit_code_as_first_process(std::vector<const char*> words) {
  constexpr int kMayNot = 200;
  const int code = exit_code_of_child([&] {
    if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) return kMayNot;
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return kMayNot;
    const pid_t first = fork();
    if (first == 0) {
      dup2(ends[0], STDIN_FILENO);
      words.insert(words.begin(), "neardup");
      _exit(run_cli(static_cast<int>(words.size()), words.data()));
    }
    int status = 0;
    for (int look = 0; look < 200 && waitpid(first, &status, WNOHANG) == 0; ++look) {
      kill(first, look < 199 ? SIGTERM : SIGKILL);
      usleep(50'000);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
  });
  if (code == kMayNot) return std::nullopt;
  return code == 255 ? -1 : code;
}

TEST(Cli, the_first_process_of_a_container_ends_when_it_is_asked_to) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"scan", "--quiet", "-"},
        {"feed", "--quiet", "--set", "kafka.brokers=127.0.0.1:1", "-"},
        {"topics", "check", "--timeout-ms", "60000", "--set", "kafka.brokers=127.0.0.1:1"}}) {
    const std::optional<int> code = exit_code_as_first_process(words);
    if (!code) GTEST_SKIP() << "this user may make no namespace";
    EXPECT_EQ(*code, 128 + SIGTERM) << words.front();
  }
}

TEST_F(CliStreams, a_feed_whose_words_nobody_takes_ends_as_well_as_it_did) {
  const std::string input = write("in.jsonl", "");
  const auto to_full_disk = [] { dup2(open("/dev/full", O_WRONLY), STDERR_FILENO); };
  EXPECT_EQ(exit_code_after(to_full_disk, {"feed", "--set", "kafka.brokers=127.0.0.1:1", input.c_str()}),
            kExitOk);
}

// A supervisor that reads our words no more, and asks us to end all the same.
TEST_F(CliStreams, a_service_whose_words_nobody_reads_ends_when_it_is_asked_to) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK), 0);
  while (::write(ends[1], "x", 1) == 1) {
  }
  ASSERT_EQ(fcntl(ends[1], F_SETFL, 0), 0);
  const int code = exit_code_of_child([&] {
    sigset_t early;  // one that comes before its time is kept for the service
    sigemptyset(&early);
    sigaddset(&early, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &early, nullptr);
    const pid_t service = fork();
    if (service == 0) {
      dup2(ends[1], STDERR_FILENO);
      const std::vector<const char*> words = {"neardup", "serve",        "--set", "kafka.brokers=127.0.0.1:1",
                                              "--set",   "http.address="};
      _exit(run_cli(static_cast<int>(words.size()), words.data()));
    }
    int status = SIGKILL;  // unless it ends by itself
    for (int look = 0; look < 600 && waitpid(service, &status, WNOHANG) == 0; ++look) {
      if (look == 20) kill(service, SIGTERM);
      if (look == 599) kill(service, SIGKILL);
      usleep(50'000);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
  });
  for (const int end : ends) close(end);
  EXPECT_EQ(code, kExitOk);
}

TEST(Streams, an_output_that_does_not_wait_is_waited_for) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK), 0);
  const std::string sent(1'000'000, 'x');  // more than a pipe holds
  std::size_t received = 0;
  std::thread reader([&] {
    std::string bytes(65536, '\0');
    pollfd more{ends[0], POLLIN, 0};
    while (poll(&more, 1, -1) == 1) {
      const ssize_t got = ::read(ends[0], bytes.data(), bytes.size());
      if (got == 0) return;
      if (got > 0) received += static_cast<std::size_t>(got);
    }
  });
  EXPECT_EQ(write_all(ends[1], sent), 0);
  close(ends[1]);
  reader.join();
  close(ends[0]);
  EXPECT_EQ(received, sent.size());
}

TEST(ExitCode, every_kind_of_error_has_its_sysexit) {
  EXPECT_EQ(exit_code(ErrorCode::kInvalid), 78);
  EXPECT_EQ(exit_code(ErrorCode::kUnavailable), 69);
  EXPECT_EQ(exit_code(ErrorCode::kCorrupt), 65);
  EXPECT_EQ(exit_code(ErrorCode::kContradiction), 65);
  EXPECT_EQ(exit_code(ErrorCode::kIo), 74);
  EXPECT_EQ(exit_code(ErrorCode::kNotFound), 74);
}

}  // namespace
}  // namespace neardup
