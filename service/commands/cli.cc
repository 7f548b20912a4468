#include "service/commands/cli.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/ascii.h"
#include "core/index/covering.h"
#include "service/commands/exit_code.h"
#include "service/commands/explain.h"
#include "service/commands/feed.h"
#include "service/commands/fingerprint.h"
#include "service/commands/path_input.h"
#include "service/commands/plan.h"
#include "service/commands/print_config.h"
#include "service/commands/report.h"
#include "service/commands/scan.h"
#include "service/commands/serve.h"
#include "service/commands/snapshot.h"
#include "service/commands/streams.h"
#include "service/commands/topics.h"
#include "service/commands/tune.h"
#include "service/commands/validate.h"
#include "service/commands/version.h"
#include "service/config.h"
#include "service/config_table.h"
#include "service/kafka/client.h"
#include "service/kafka/topics.h"
#include "service/log.h"
#include "service/pipeline/signer_settings.h"
#include "service/suggest.h"
#include "service/version.h"

extern char** environ;

namespace neardup {
namespace {

using Run = std::function<int(const ConfigSources&)>;

// A row of the table of contents. `setup` declares the command's own options and returns what runs it; the
// options live in that closure.
struct Command {
  const char* name;
  const char* about;     // one line, in the list of commands
  const char* examples;  // below its --help
  Run (*setup)(CLI::App& app);
};

int usage_error(const std::string& message, const std::string& command = "") {
  std::cerr << "neardup: " << message << "\nTry: neardup " << command << (command.empty() ? "" : " ")
            << "--help\n"
            << std::flush;
  return kExitUsage;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  const std::string near = closest(word, names);
  return near.empty() ? "" : "; did you mean " + near + "?";
}

const CLI::App* command_named(const std::string& name, const CLI::App& app) {
  const auto named = app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == name; });
  return named.empty() ? nullptr : named.front();
}

// `app` has commands of its own, and `rest` names none of them.
int which_of(const CLI::App& app, const std::vector<std::string>& rest) {
  std::vector<std::string> names;
  std::string choices;
  for (const CLI::App* const sub : app.get_subcommands(nullptr)) {
    names.push_back(sub->get_name());
    choices += (choices.empty() ? "" : ", ") + sub->get_name();
  }
  const auto word =
      std::find_if(rest.begin(), rest.end(), [](const std::string& w) { return !w.starts_with("-"); });
  const std::string wrong = word == rest.end()
                                ? "what to do is missing, one of " + choices
                                : "\"" + *word + "\" is not one of " + choices + did_you_mean(*word, names);
  return usage_error(app.get_name() + ": " + wrong, app.get_name());
}

// Loads the configuration, sets up the log as it says and goes on; or says what is wrong with it.
int with_config(const ConfigSources& sources, const std::function<int(const LoadedConfig&)>& run) {
  const Result<LoadedConfig> loaded = load_config(sources, check_property);
  if (!loaded) return report_config_error(loaded.error());
  configure_log(loaded->config.log);
  return run(*loaded);
}

// `--against "$INDEX"` with a variable that nobody set is a mistake, not the wish for none.
CLI::Validator names_something() {
  return {[](const std::string& word) -> std::string {
            return word.empty() ? "names nothing; is a variable not set?" : "";
          },
          ""};
}

CLI::Validator names_a_topic() {
  return {[](const std::string& name) -> std::string {
            const std::string why = refuse_topic(name);
            return why.empty() ? "" : name + ' ' + why;
          },
          ""};
}

// Settings are refused the same: the parser would read 010 as 8, and 0x10 as 16.
CLI::Validator decimal() {
  return {[](const std::string& word) -> std::string {
            const std::size_t digits = word.find_first_not_of(" \t\n\v\f\r+-");
            if (digits == std::string::npos || word[digits] != '0' || digits + 1 == word.size()) return "";
            return std::string_view("0123456789xX").find(word[digits + 1]) == std::string_view::npos
                       ? ""
                       : word + " is not decimal: write it without a 0 at its head";
          },
          ""};
}

// 5000000, 4.5M or 1.5GiB becomes the whole number that it says; `base`: what k is of 1, M of k, and so on.
CLI::Validator scaled(int base, const std::string& example) {
  return {[base, example](std::string& word) -> std::string {
            double number = 0;
            const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
            std::string unit = lower_case(std::string_view(end, word.data() + word.size()));
            unit.erase(0, unit.find_first_not_of(' '));
            if (base == 1024 && unit.ends_with("b"))
              unit.resize(unit.size() - (unit.ends_with("ib") ? 2 : 1));
            const std::size_t power = unit.empty() ? 0 : std::string_view(" kmgt").find(unit);
            const bool is_number = is_ascii_digit(word[0]) && error == std::errc() && unit.size() <= 1;
            if (!is_number || power == std::string_view::npos)
              return word + " is not a number like " + example;
            const double value = std::round(number * std::pow(base, power));
            if (value >= 0x1p63) return word + " is too much";
            word = std::to_string(static_cast<std::uint64_t>(value));
            return "";
          },
          ""};
}

// A place that was mistyped is told at once, and not when Kafka has answered.
CLI::Validator partition_or_all() {
  return {[](const std::string& word) -> std::string {
            const std::size_t colon = word.rfind(':');
            const std::string_view partition =
                colon == std::string::npos ? "" : std::string_view(word).substr(colon + 1);
            std::int32_t number = 0;
            const auto [end, error] =
                std::from_chars(partition.data(), partition.data() + partition.size(), number);
            const bool is_place =
                colon != 0 && error == std::errc() && number >= 0 && partition == std::to_string(number);
            return word == "all" || is_place ? "" : word + " is not TOPIC:PARTITION, and not all";
          },
          ""};
}

// CLI::Range takes what is neither below nor above.
CLI::Validator no_nan() {
  return {[](const std::string& word) -> std::string {
            double number = 0;
            return CLI::detail::lexical_cast(word, number) && std::isnan(number) ? word + " is no number"
                                                                                 : "";
          },
          ""};
}

Run setup_scan(CLI::App& app) {
  auto options = std::make_shared<ScanOptions>();
  app.add_option("paths", options->paths, "Files, folders, or - for standard input (default)");
  app.add_flag("-q,--quiet", options->quiet, "No progress and no summary");
  app.add_flag("--strict", options->strict, "End with 65 if any document was rejected");
  app.add_option_function<std::string>(
         "--print",
         [options](const std::string& what) {
           options->print.reset();
           for (const Verdict verdict : {Verdict::kUnique, Verdict::kDuplicate})
             if (what == name(verdict)) options->print = verdict;
         },
         "What to print: verdicts (default), or the documents that are unique, or duplicates")
      ->check(CLI::IsMember({"verdicts", "unique", "duplicate"}))
      ->type_name("WHAT");
  CLI::Option* const snapshot = app.add_option("--snapshot", options->snapshot,
                                               "Folder of an index to start from and to leave what is new in")
                                    ->check(names_something());
  app.add_option("--against", options->against,
                 "Folder of an index to ask: each document against it alone, nothing is remembered")
      ->check(names_something())
      ->excludes(snapshot);
  app.add_option("--threads", options->threads, "Signing threads; 0: as pipeline.threads says")
      ->check(decimal())
      ->check(CLI::Range(0, 256));
  return [options](const ConfigSources& sources) {
    return with_config(sources,
                       [&](const LoadedConfig& loaded) { return run_scan(*options, loaded.config); });
  };
}

Run setup_fingerprint(CLI::App& app) {
  auto options = std::make_shared<FingerprintCommandOptions>();
  app.add_option("paths", options->paths, "Files, folders, or - for standard input (default)");
  app.add_flag("--distance", options->distance, "Compare two: sources, or fingerprints of 16 hex digits");
  app.add_flag("--whole", options->whole, "Each file, or standard input, is one document, whatever its name");
  app.add_flag("--html", options->html, "Text is HTML too, whatever it looks like");
  app.add_flag("--json", options->json, "One JSON object a line");
  return [options](const ConfigSources& sources) {
    if (options->distance && options->paths.size() != 2) {
      return usage_error("--distance compares two: files, or fingerprints of 16 hex digits", "fingerprint");
    }
    return with_config(sources,
                       [&](const LoadedConfig& loaded) { return run_fingerprint(*options, loaded.config); });
  };
}

Run setup_explain(CLI::App& app) {
  auto options = std::make_shared<ExplainOptions>();
  const auto take = [options](const std::string& path) { options->paths.push_back(path); };
  app.add_option_function<std::string>("A", take, "A file of one document, or of two; -: standard input")
      ->required();
  app.add_option_function<std::string>("B", take, "A file of one document; -: standard input");
  app.add_flag("--whole", options->whole, "Each file, or standard input, is one document, whatever its name");
  app.add_flag("--html", options->html, "Text is HTML too, whatever it looks like");
  app.add_flag("--json", options->json, "For programs");
  return [options](const ConfigSources& sources) {
    return with_config(sources,
                       [&](const LoadedConfig& loaded) { return run_explain(*options, loaded.config); });
  };
}

Run setup_serve(CLI::App& app) {
  auto options = std::make_shared<ServeOptions>();
  app.add_flag("--fail-fast", options->fail_fast, "End with 69 when Kafka cannot be reached at start");
  // What was accepted is written into the journal: the option is needed once.
  Accepted& accepted = options->accepted;
  app.add_option("--accept-input-loss", accepted.input_loss,
                 "Input records at our position are gone; go on with what is there. As often as needed")
      ->check(partition_or_all())
      ->type_name("TOPIC:PARTITION|all")
      ->type_size(1)
      ->allow_extra_args(false);
  app.add_option("--accept-recreated-topic", accepted.recreated_topics,
                 "This input topic was deleted and made again; read it from its beginning")
      ->type_name("TOPIC")
      ->type_size(1)
      ->allow_extra_args(false);
  app.add_option_function<std::string>(
         "--accept-moved-offsets",
         [&accepted](const std::string& whose) {
           accepted.moved_offsets =
               whose == "journal" ? Accepted::MovedOffsets::kJournal : Accepted::MovedOffsets::kGroup;
         },
         "The group's offsets are not the journal's; whose count. The group's only to skip forward")
      ->check(CLI::IsMember({"journal", "group"}))
      ->type_name("WHOSE");
  app.add_flag("--accept-journal-loss", accepted.journal_loss,
               "The journal is gone; go on at the group's offsets with nothing remembered");
  return [options](const ConfigSources& sources) {
    return with_config(sources, [&](const LoadedConfig& loaded) { return run_serve(loaded, *options); });
  };
}

Run setup_topics(CLI::App& app) {
  auto options = std::make_shared<TopicsOptions>();
  app.require_subcommand(1);
  CLI::App* const create =
      app.add_subcommand("create", "Make the missing topics, with the settings they need");
  create
      ->add_option(
          "--partitions", options->partitions,
          "Of verdict and input topics; 0: as many as the input has, at most 8; 1 if it has none yet")
      ->check(decimal())
      ->check(CLI::Range(0, 10000));
  create
      ->add_option("--replication", options->replication,
                   "Replicas of each partition; -1: the cluster's default")
      ->check(decimal())
      ->check(CLI::Range(-1, 100));
  create->add_flag("--input", options->input, "Make the input topics too");
  create->add_flag("--alter", options->alter, "Mend wrong settings of topics that are there");
  app.add_subcommand("check", "Say what is wrong with the topics");
  for (CLI::App* const sub : app.get_subcommands(nullptr)) {
    sub->add_option("--timeout-ms", options->timeout_ms, "How long to wait for Kafka")
        ->check(decimal())
        ->check(CLI::Range(1000, static_cast<int>(kTopicsTimeoutMax.count())));
  }
  return [options, create](const ConfigSources& sources) {
    return with_config(sources, [&](const LoadedConfig& loaded) {
      return create->parsed() ? run_topics_create(*options, loaded) : run_topics_check(*options, loaded);
    });
  };
}

Run setup_feed(CLI::App& app) {
  auto options = std::make_shared<FeedOptions>();
  app.add_option("sources", options->sources, "Files, folders, or - for standard input (default)");
  app.add_option("--topic", options->topic, "Where to send them; else the first of kafka.topics.input")
      ->check(names_something())
      ->check(names_a_topic());
  app.add_option("--rate", options->rate, "Records per second; 0: as fast as Kafka takes them")
      ->check(decimal())
      ->check(CLI::Range(0.0, 1e7))
      ->check(no_nan());
  app.add_option("--url-prefix", options->url_prefix, "Put before a page's path to make its url");
  app.add_flag("-q,--quiet", options->quiet, "No progress and no summary");
  return [options](const ConfigSources& sources) {
    return with_config(sources, [&](const LoadedConfig& loaded) { return run_feed(*options, loaded); });
  };
}

Run setup_snapshot(CLI::App& app) {
  auto options = std::make_shared<SnapshotOptions>();
  app.require_subcommand(1);
  CLI::App* const inspect = app.add_subcommand("inspect", "What it holds, as its manifest says");
  app.add_subcommand("verify", "Read every record of it and say whether it is whole");
  for (CLI::App* const sub : app.get_subcommands(nullptr)) {
    sub->add_option("folder", options->folder, "The folder, as in snapshot.directory")->required();
    sub->add_flag("--json", options->json, "For programs");
  }
  return [options, inspect](const ConfigSources&) {
    return inspect->parsed() ? run_snapshot_inspect(*options) : run_snapshot_verify(*options);
  };
}

Run setup_plan(CLI::App& app) {
  auto options = std::make_shared<PlanOptions>();
  app.add_option("--documents", options->documents,
                 fmt::format("Uniques to hold: 5000000, 4.5M, 1G; default {}", options->documents))
      ->transform(scaled(1000, "5000000, 4.5M or 1G"))
      ->transform(decimal())  // before the other
      ->check(CLI::Range(std::uint64_t{1}, kPlanDocumentsMax));
  CLI::Option* const distance =
      app.add_option("--distance", options->distance, "Mode simhash with so many bits that may differ")
          ->check(decimal())
          ->check(CLI::Range(0, kCoveringDistanceMax));
  app.add_option("--memory", options->memory_bytes,
                 "What the index may take: 4GiB, 800MiB; 0: as much as it takes")
      ->transform(scaled(1024, "4GiB, 1.5GiB or 800MiB"))
      ->transform(decimal())  // before the other
      ->check(CLI::Range(std::uint64_t{0}, kPlanMemoryMax));
  app.add_option(
         "--name-bytes", options->name_bytes,
         fmt::format("Bytes of a unique's id and url together, on average, of one if they are equal: kept in "
                     "memory without index.directory; default {}",
                     options->name_bytes))
      ->check(decimal())
      ->check(CLI::Range(std::size_t{0}, kPlanNameBytesMax));
  app.add_flag("--json", options->json, "For programs");
  return [options, distance](const ConfigSources& sources) {
    return with_config(sources, [&](const LoadedConfig& loaded) {
      const DetectorOptions configured = resolve_detector_options(loaded.config);
      options->threshold_permille = configured.threshold_permille;
      options->verify_sketch = configured.verify_sketch;
      options->sketch = configured.sketch;
      options->gram_size = configured.gram_size;
      options->gram_units = configured.gram_units;
      options->measure = configured.measure;
      options->by_id = configured.by_id;
      options->names_in_file = !configured.directory.empty();
      options->mode = distance->empty() ? configured.mode : DetectorMode::kSimhash;
      if (distance->empty()) options->distance = configured.distance;
      return run_plan(*options);
    });
  };
}

Run setup_tune(CLI::App& app) {
  auto options = std::make_shared<TuneOptions>();
  app.add_option("paths", options->paths, "Files, folders, or - for standard input (default)");
  CLI::Option* const pairs =
      app.add_option("--pairs", options->pairs, "File of labelled pairs: id1<TAB>id2<TAB>label a line")
          ->type_name("FILE")
          ->check(names_something());
  app.add_option("--sample", options->sample,
                 fmt::format("Without --pairs: so many documents, all pairs compared exactly; default {}",
                             options->sample))
      ->check(decimal())
      ->check(CLI::Range(std::size_t{2}, kTuneSampleMax))
      ->excludes(pairs);
  app.add_option("--recall", options->recall_min,
                 fmt::format("What m must find of the same pairs; default {}", options->recall_min))
      ->check(decimal())
      ->check(CLI::Range(0.0, 1.0))
      ->check(no_nan());
  app.add_flag("--json", options->json, "For programs");
  return [options](const ConfigSources& sources) {
    return with_config(sources,
                       [&](const LoadedConfig& loaded) { return run_tune(*options, loaded.config); });
  };
}

Run setup_validate(CLI::App& app) {
  auto options = std::make_shared<ValidateOptions>();
  app.add_flag("--offline", options->offline, "Look at the configuration alone, not at Kafka");
  return [options](const ConfigSources& sources) { return run_validate(sources, *options); };
}

Run setup_print_config(CLI::App& app) {
  auto options = std::make_shared<PrintConfigOptions>();
  CLI::Option* const defaults =
      app.add_flag("--default", options->defaults, "The file of defaults, explained");
  app.add_flag("--markdown", options->markdown, "The reference of all settings")->excludes(defaults);
  return [options](const ConfigSources& sources) { return run_print_config(sources, *options); };
}

Run setup_version(CLI::App&) {
  return [](const ConfigSources&) { return run_version(); };
}

const Command kCommands[] = {
    {"serve", "Read documents from Kafka and publish a verdict for each, for as long as it runs",
     "  neardup serve -c neardup.yaml\n"
     "  neardup serve --set kafka.brokers=kafka:9092 --set kafka.topics.input=crawl\n"
     "  neardup serve -c neardup.yaml --accept-input-loss pages:3   after a halt that named it\n"
     "\n"
     "SIGTERM, SIGINT, SIGQUIT or SIGHUP: it finishes the batch in hand and ends with 0, mostly within a\n"
     "second; a second one ends it at once. SIGUSR1 and SIGUSR2 do nothing. Whatever ends it, SIGKILL too:\n"
     "the next start goes on where it was, and publishes no verdict twice.\n",
     setup_serve},
    {"topics", "Make or check the topics that serve needs",
     "  neardup topics create -c neardup.yaml                          those that are missing\n"
     "  neardup topics create -c neardup.yaml --input --partitions 16  the input topics too\n"
     "  neardup topics create -c neardup.yaml --alter                  and mend wrong settings\n"
     "  neardup topics check -c neardup.yaml\n",
     setup_topics},
    {"scan", kScanAbout, kScanHelp, setup_scan},
    {"fingerprint", kFingerprintAbout, kFingerprintHelp, setup_fingerprint},
    {"explain", kExplainAbout, kExplainHelp, setup_explain},
    {"feed", kFeedAbout, kFeedHelp, setup_feed},
    {"plan", kPlanAbout, kPlanHelp, setup_plan},
    {"tune", kTuneAbout, kTuneHelp, setup_tune},
    {"snapshot", kSnapshotAbout, kSnapshotHelp, setup_snapshot},
    {"validate", "Check a configuration",
     "  neardup validate -c neardup.yaml             the settings, then Kafka and its topics\n"
     "  neardup validate -c neardup.yaml --offline   the settings alone\n"
     "\n"
     "Files that are named must be readable. A folder that cannot be written to is worth a remark\n"
     "and no more: serve may be another user.\n",
     setup_validate},
    {"print-config", "Show the configuration and where each value is from",
     "  neardup print-config -c neardup.yaml         what would run, and why\n"
     "  neardup print-config --default > mine.yaml   a file to start from\n"
     "  neardup print-config --set batch.interval_ms=20\n",
     setup_print_config},
    {"version", "Show version, revision and compiler", "  neardup version\n", setup_version},
};

constexpr const char* kExamples =
    "Examples:\n"
    "  neardup print-config --default > neardup.yaml   a file to start from, every setting explained\n"
    "  neardup validate -c neardup.yaml                would it start?\n"
    "  neardup COMMAND --help                          more about one command\n"
    "\n"
    "Settings come from defaults, then the file, then NEARDUP_A__B=c of the environment, then --set a.b=c.\n"
    "Exit codes: 0 done, 64 wrong usage, 65 bad data, 66 no such input, 69 Kafka, port or folder not to be "
    "had,\n"
    "70 our mistake, 74 a file could not be read or written, 78 wrong configuration, 130 or 143 "
    "interrupted.\n";

// The endings of names are listed once, in path_input.h.
std::string with_endings(std::string help) {
  for (const auto& [place, endings] : {std::pair{std::string("{pages}"), alternatives(kPageEndings)},
                                       {"{lines}", alternatives(kLineEndings)}}) {
    if (const std::size_t at = help.find(place); at != std::string::npos)
      help.replace(at, place.size(), endings);
  }
  return help;
}

std::map<std::string, std::string> environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const std::size_t equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return variables;
}

void declare_sources(CLI::App& app, ConfigSources& sources) {
  app.add_option("-c,--config", sources.file, "YAML file of settings; else the one NEARDUP_CONFIG names")
      ->type_name("FILE")
      ->check(names_something());
  // One value each time, or `-X a=b scan` would take the command for a property.
  app.add_option("--set", sources.sets, "One setting, as often as needed: --set kafka.brokers=kafka:9092")
      ->type_name("NAME=VALUE")
      ->type_size(1)
      ->allow_extra_args(false);
  app.add_option("-X", sources.properties, "One property of librdkafka, as often as needed")
      ->type_name("PROPERTY=VALUE")
      ->type_size(1)
      ->allow_extra_args(false);
}

// The words as the parser wants them, the last one first. It tears a path like [a,b] apart, for a list: with
// a step before it, it is the same path and no list.
std::vector<std::string> words_of(int argc, const char* const* argv, const CLI::App& app) {
  std::vector<std::string> words;
  const CLI::App* command = &app;
  bool is_value = false;       // of the option before it
  bool options_ended = false;  // by --
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (is_value) {
      is_value = false;
    } else if (!options_ended && word.size() > 1 && word.starts_with('-')) {
      options_ended = word == "--";
      const CLI::Option* option = nullptr;
      for (const CLI::App* at = command; at != nullptr && option == nullptr; at = at->get_parent())
        option = at->get_option_no_throw(word);
      is_value = option != nullptr && option->get_items_expected_max() > 0;
    } else if (const CLI::App* const named = command_named(word, *command); named != nullptr) {
      command = named;
    } else if (word.starts_with('[') && word.ends_with(']')) {
      const auto takes_many = [](const CLI::Option* option) {
        return option->get_positional() && option->get_allow_extra_args();
      };
      if (!command->get_options(takes_many).empty()) word.insert(0, "./");
    }
    words.push_back(std::move(word));
  }
  std::ranges::reverse(words);
  return words;
}

// Words that are too much the parser would name the last one first.
std::string what_is_wrong(const CLI::ParseError& error, const CLI::App& app) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return error.what();
  const std::vector<std::string> words = app.remaining(true);
  std::string wrong =
      std::string("The following argument") + (words.size() > 1 ? "s were" : " was") + " not expected:";
  for (const std::string& word : words) wrong += " " + word;
  return wrong;
}

// Of `-X sasl.password: hunter2` the word that is too much is a secret, which whoever names wrong words must
// not repeat: the property is. Returns kExitOk if nothing is wrong with those that were given.
int report_wrong_properties(const CLI::App& app) {
  ConfigSources given;
  given.properties = app.get_option("-X")->results();
  for (const std::string& assignment : app.get_option("--set")->results()) {
    if (assignment.starts_with("kafka.properties.")) given.sets.push_back(assignment);
  }
  const Result<LoadedConfig> loaded = load_config(given);
  return loaded ? kExitOk : report_config_error(loaded.error());
}

int run(int argc, const char* const* argv) {
  ConfigSources sources;
  sources.environment = environment();

  CLI::App app(
      "neardup: says of each document of a stream whether it is new or a near-duplicate, exactly once.",
      "neardup");
  app.footer(kExamples);
  app.set_version_flag("--version", version_line());
  app.set_help_flag("-h,--help", "Show this help");
  app.require_subcommand(0, 1);
  app.fallthrough();  // -c, --set and -X may follow the command too
  declare_sources(app, sources);

  std::vector<std::pair<CLI::App*, Run>> commands;
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    CLI::App* const sub = app.add_subcommand(command.name, command.about);
    sub->footer("Examples:\n" + with_endings(command.examples));
    commands.emplace_back(sub, command.setup(*sub));
    names.emplace_back(command.name);
  }
  std::string topic;
  std::string subtopic;
  CLI::App* const help = app.add_subcommand("help", "Show this help, or that of a command");
  help->add_option("command", topic, "Command");
  help->add_option("subcommand", subtopic, "One of its own, as in `neardup help topics create`");
  names.emplace_back("help");

  const auto unknown_command = [&](const std::string& word) {
    return usage_error("unknown command \"" + word + "\"" + did_you_mean(word, names));
  };
  const auto show = [](const std::string& text) -> int {
    std::cout << text << std::flush;
    return kExitOk;
  };
  const auto show_topic = [&]() -> int {
    // Not app.help(), which is that of the command reached.
    if (topic.empty()) return show(app.get_formatter()->make_help(&app, app.get_name(), {}));
    if (const int wrong = report_wrong_properties(app); wrong != kExitOk) return wrong;
    const CLI::App* const command = command_named(topic, app);
    if (command == nullptr) return unknown_command(topic);
    if (subtopic.empty()) return show(command->help(app.get_name()));
    if (const CLI::App* const sub = command_named(subtopic, *command); sub != nullptr)
      return show(sub->help(app.get_name() + " " + topic));
    if (command->get_require_subcommand_min() > 0) return which_of(*command, {subtopic});
    return usage_error("help: \"" + subtopic + "\" is too much, " + topic + " has no commands of its own",
                       help->get_name());
  };
  const auto reached = [&]() -> const std::pair<CLI::App*, Run>* {
    for (const auto& command : commands) {
      if (command.first->parsed()) return &command;
    }
    return nullptr;
  };
  // Of a word that is in a command's place and none: help of something else would be taken for its own.
  const auto is_word = [](const std::string& word) { return !word.starts_with("-"); };
  const auto show_reached = [&]() -> int {
    const auto* const command = reached();
    const bool halfway = command != nullptr && command->first->get_require_subcommand_min() > 0 &&
                         command->first->get_subcommands().empty();
    const std::vector<std::string> rest = app.remaining(true);
    if ((command != nullptr && !halfway) || std::ranges::none_of(rest, is_word)) return show(app.help());
    if (const int wrong = report_wrong_properties(app); wrong != kExitOk) return wrong;
    return halfway ? which_of(*command->first, rest) : unknown_command(*std::ranges::find_if(rest, is_word));
  };

  try {
    app.parse(words_of(argc, argv, app));
  } catch (const CLI::CallForVersion&) {
    return run_version();
  } catch (const CLI::Success&) {  // --help, of whichever command was reached
    return topic.empty() ? show_reached() : show_topic();
  } catch (const CLI::ParseError& error) {
    if (const int wrong = report_wrong_properties(app); wrong != kExitOk) return wrong;
    if (help->parsed()) return usage_error("help: " + what_is_wrong(error, app), help->get_name());
    if (const auto* const command = reached(); command != nullptr) {
      const CLI::App& sub = *command->first;
      const bool halfway = sub.get_require_subcommand_min() > 0 && sub.get_subcommands().empty();
      std::string name = sub.get_name();
      for (const CLI::App* const part : sub.get_subcommands()) name += ' ' + part->get_name();
      return halfway ? which_of(sub, app.remaining(true)) : usage_error(what_is_wrong(error, app), name);
    }
    const std::vector<std::string> rest = app.remaining();
    const bool word = !rest.empty() && !rest.front().starts_with("-");
    return word ? unknown_command(rest.front()) : usage_error(what_is_wrong(error, app));
  }
  if (help->parsed()) return show_topic();
  const auto* const command = reached();
  if (command == nullptr) {
    std::cerr << app.help() << std::flush;
    return kExitUsage;
  }
  return command->second(sources);
}

// Most commands print through a buffer, and whether its bytes have a place to go shows when it is emptied.
int delivered(int code) {
  const bool complete = std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (complete) return code;
  std::cerr << "neardup: standard output: not all could be written\n" << std::flush;
  return code == kExitOk ? kExitIo : code;
}

}  // namespace

int run_cli(int argc, const char* const* argv) {
  occupy_standard_streams();
  end_by_signals();
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is a failed write, not a death
  try {
    return delivered(run(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "neardup: internal error: " << error.what() << '\n' << std::flush;
    return kExitInternal;
  }
}

}  // namespace neardup
