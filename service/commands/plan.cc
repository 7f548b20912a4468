#include "service/commands/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "core/fingerprint/mgram_signature.h"
#include "core/fingerprint/route_signature.h"
#include "core/index/bucket_table.h"
#include "core/index/mgram_index.h"
#include "core/index/planner.h"
#include "core/limits.h"
#include "service/commands/exit_code.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMebibyte = 1 << 20;

// Of every unique: the place of its entry in the log, a posting in the exact index.
constexpr double kPostingBytes = 8.5;
constexpr double kUniqueBytes = 4 + kPostingBytes;
// Digest and fingerprint, 24 bytes; place, time, tokens and lengths, 14 to 18 (unique_log.h).
constexpr double kEntryBytes = 40;
constexpr double kDensePostingBytes = 6.9;
constexpr double kWhose = .3;             // the unique that a row belongs to
constexpr double kForm = 1;               // in which form a text is
constexpr double kShortPostings = 10.35;  // ten bands, and some of one-deletion keys
// Of a gram: many texts share one, and what lies under one key is not parted, so lines are less full.
constexpr double kGramPostingBytes = 11;

constexpr std::array<unsigned, 11> kSimilarities = {500, 550, 600, 650, 700, 750, 800, 850, 900, 950, 1000};

// What is kept of a unique, and what it takes.
struct Kind {
  std::string_view name;
  std::string_view about;
  double bytes = 0;
  std::uint64_t documents_max = 0;  // so many there is room for
};

// Of texts with so many postings, in a table with room for `postings_max`.
std::uint64_t room_for(std::uint64_t postings_max, double postings) {
  return std::min(kUniquesMax, static_cast<std::uint64_t>(static_cast<double>(postings_max) / postings));
}

constexpr std::size_t kShortCharacters = 60;
constexpr std::size_t kBothCharacters = 270;
static_assert(kBothCharacters >= kLongStoredUnitsMin && kBothCharacters <= kShortStoredUnitsMax);

// Of each unique, in memory.
double names_in_memory(const PlanOptions& options) {
  return options.names_in_file ? 0 : names_bytes(options.name_bytes);
}

// What the file of index.directory will hold.
double file_bytes(const PlanOptions& options) {
  return options.names_in_file ? names_bytes(options.name_bytes) * static_cast<double>(options.documents) : 0;
}

// What a unique takes of any kind, beside what finds it by its likeness.
double bytes_besides(const PlanOptions& options) {
  return (options.by_id ? kIdBytes : 0) + names_in_memory(options);
}

template <std::size_t kCount>
std::array<Kind, kCount> with_names(std::array<Kind, kCount> kinds, const PlanOptions& options) {
  for (Kind& kind : kinds) kind.bytes += bytes_besides(options);
  return kinds;
}

std::string names_note(const PlanOptions& options) {
  if (!options.names_in_file) {
    return fmt::format(
        "{:.0f} bytes of each name it: {} its id and url (--name-bytes), the others its digest, place and "
        "time.\n"
        "With index.directory they lie in a file.\n",
        names_in_memory(options), options.name_bytes);
  }
  return fmt::format(
      "0 bytes of each name it: its id and url ({}, --name-bytes), digest, place and time lie in the\n"
      "file of index.directory, {:.0f} MiB.\n",
      options.name_bytes, file_bytes(options) / kMebibyte);
}

std::array<Kind, 5> hybrid_kinds(BandLayout layout, const PlanOptions& options) {
  const std::uint64_t pages = room_for(BucketTable::kPostingsMax, static_cast<double>(layout.bands));
  const std::uint64_t shorts = room_for(BucketTable::kPostingsMaxDense, kShortPostings);
  return with_names<5>(
      {{{"page_standard", "page, detector.sketch: standard", page_bytes(SketchSize::kStandard, layout),
         pages},
        {"page_compact", "page, detector.sketch: compact", page_bytes(SketchSize::kCompact, layout), pages},
        {"short_latin", "short text of 60 Latin letters", short_text_bytes(kShortCharacters, kLatinBytes),
         shorts},
        {"short_cjk", "short text of 60 CJK characters", short_text_bytes(kShortCharacters, kCjkBytes),
         shorts},
        {"both_latin", "text of 270 letters, kept as both",
         both_bytes(SketchSize::kStandard, layout, kBothCharacters, kLatinBytes), std::min(pages, shorts)}}},
      options);
}

// A word of Latin text and the space behind it; a character of Chinese is a word of its own.
constexpr std::size_t kWordCharacters = 6;

Kind mgram_kind(std::string_view name, std::string_view about, const PlanOptions& options,
                std::size_t characters, double bytes_of_character) {
  const bool is_of_words = options.gram_units != MgramUnits::kCharacters && bytes_of_character == kLatinBytes;
  const std::size_t units = is_of_words ? characters / kWordCharacters : characters;
  const std::size_t grams = units < options.gram_size ? 1 : units - options.gram_size + 1;
  return {name, about, mgram_text_bytes(grams, characters, bytes_of_character),
          room_for(BucketTable::kPostingsMax, static_cast<double>(grams))};
}

std::array<Kind, 3> mgram_kinds(const PlanOptions& options) {
  return with_names<3>(
      {{mgram_kind("short_latin", "text of 60 Latin letters", options, kShortCharacters, kLatinBytes),
        mgram_kind("short_cjk", "text of 60 CJK characters", options, kShortCharacters, kCjkBytes),
        mgram_kind("long_latin", "text of 1024 Latin letters and more", options, kMgramTextMax,
                   kLatinBytes)}},
      options);
}

std::uint64_t total(const Kind& kind, const PlanOptions& options) {
  return static_cast<std::uint64_t>(kind.bytes * static_cast<double>(options.documents));
}

std::uint64_t total(const Forecast& forecast, const PlanOptions&) { return forecast.bytes; }

// A Kind or a Forecast. Tables end before memory does where there is enough of it, and the process with them.
template <class Row>
bool has_room(const Row& row, const PlanOptions& options) {
  return options.documents <= row.documents_max;
}

template <class Row>
bool fits(const Row& row, const PlanOptions& options) {
  return has_room(row, options) && (options.memory_bytes == 0 || total(row, options) <= options.memory_bytes);
}

template <class Row>
const char* remark(const Row& row, const PlanOptions& options) {
  if (!has_room(row, options)) return "  no index surely holds so many";
  return fits(row, options) ? "" : "  does not fit";
}

void print_hybrid_table(const PlanOptions& options, BandLayout layout) {
  const double threshold = options.threshold_permille / 1000.0;
  std::cout << fmt::format(
      "Mode hybrid, threshold {:.3g}: {} bands of {} minima. Two pages of this similarity meet, so that "
      "their\n"
      "sketches are compared, with probability:\n\n    similarity ",
      threshold, layout.bands, layout.width);
  for (const unsigned similarity : kSimilarities) std::cout << fmt::format(" {:>5.2f}", similarity / 1000.0);
  std::cout << "\n    recall     ";
  for (const unsigned similarity : kSimilarities) {
    std::cout << fmt::format(" {:>5.3f}", band_recall(layout, similarity / 1000.0));
  }
  std::cout << fmt::format("\n\n{} uniques, if all of them are:\n\n    {:<34} bytes/unique       memory\n",
                           options.documents, "");
  for (const Kind& kind : hybrid_kinds(layout, options)) {
    std::cout << fmt::format("    {:<34} {:>12.1f} {:>8.0f} MiB{}\n", kind.about, kind.bytes,
                             static_cast<double>(total(kind, options)) / kMebibyte, remark(kind, options));
  }
  std::cout << '\n'
            << names_note(options) << "`neardup tune` says which threshold suits your documents.\n"
            << threshold_caveat(options.mode, options.threshold_permille);
}

Json kind_json(const Kind& kind, const PlanOptions& options) {
  return {{"kind", kind.name},
          {"bytes_per_unique", kind.bytes},
          {"bytes", total(kind, options)},
          {"documents_max", kind.documents_max},
          {"fits", fits(kind, options)}};
}

// What all modes tell.
void add_names(Json& answer, const PlanOptions& options) {
  answer["name_bytes"] = options.name_bytes;
  answer["names_bytes_per_unique"] = names_in_memory(options);
  answer["file_bytes"] = static_cast<std::uint64_t>(file_bytes(options));
}

void print_hybrid_json(const PlanOptions& options, BandLayout layout) {
  Json recall = Json::array();
  for (const unsigned similarity : kSimilarities) {
    recall.push_back(
        {{"similarity", similarity / 1000.0}, {"recall", band_recall(layout, similarity / 1000.0)}});
  }
  Json uniques = Json::array();
  for (const Kind& kind : hybrid_kinds(layout, options)) uniques.push_back(kind_json(kind, options));
  Json answer = {{"mode", "hybrid"},
                 {"documents", options.documents},
                 {"threshold", options.threshold_permille / 1000.0},
                 {"memory_bytes", options.memory_bytes},
                 {"bands", layout.bands},
                 {"minima", layout.width},
                 {"recall", std::move(recall)},
                 {"uniques", std::move(uniques)}};
  add_names(answer, options);
  std::cout << answer.dump(2) << '\n';
}

constexpr std::array<unsigned, 10> kGramSizes = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24};

// What is said of a size: texts that share no run are missed, by jaccard and cosine none that is alike.
std::string sure_text(unsigned m, const PlanOptions& options) {
  if (options.measure != MgramMeasure::kEdit) return "any";
  const std::optional<std::size_t> units = sure_units(m, options.threshold_permille);
  return units ? fmt::format("{}", *units) : "never";
}

void print_mgram_table(const PlanOptions& options) {
  std::cout << fmt::format(
      "Mode mgram, {} of {:.3g} and more, runs of {} {}. A text that is alike is surely met from so many "
      "units "
      "on:\n\n    m           ",
      kMgramMeasureNames[static_cast<std::size_t>(options.measure)], options.threshold_permille / 1000.0,
      options.gram_size, kMgramUnitsNames[static_cast<std::size_t>(options.gram_units)]);
  for (const unsigned m : kGramSizes) std::cout << fmt::format(" {:>5}", m);
  std::cout << "\n    units       ";
  for (const unsigned m : kGramSizes) std::cout << fmt::format(" {:>5}", sure_text(m, options));
  std::cout << fmt::format("\n\n{} uniques, if all of them are:\n\n    {:<36} bytes/unique       memory\n",
                           options.documents, "");
  for (const Kind& kind : mgram_kinds(options)) {
    std::cout << fmt::format("    {:<36} {:>12.1f} {:>8.0f} MiB{}\n", kind.about, kind.bytes,
                             static_cast<double>(total(kind, options)) / kMebibyte, remark(kind, options));
  }
  std::cout << fmt::format(
      "\nA look-up meets {} texts of each run and compares {} at most, those that share most runs; what is "
      "beyond\n"
      "is counted, and may be missed. `neardup tune --pairs` says which m suits your documents.\n{}",
      MgramIndex::kBucketTextsMax, MgramIndex::kRowsMax, names_note(options));
}

void print_mgram_json(const PlanOptions& options) {
  Json sizes = Json::array();
  for (const unsigned m : kGramSizes) {
    Json size = {{"m", m}, {"sure_units", nullptr}};
    if (options.measure != MgramMeasure::kEdit) {
      size["sure_units"] = 1;
    } else if (const auto units = sure_units(m, options.threshold_permille)) {
      size["sure_units"] = *units;
    }
    sizes.push_back(std::move(size));
  }
  Json uniques = Json::array();
  for (const Kind& kind : mgram_kinds(options)) uniques.push_back(kind_json(kind, options));
  Json answer = {{"mode", "mgram"},
                 {"documents", options.documents},
                 {"threshold", options.threshold_permille / 1000.0},
                 {"measure", kMgramMeasureNames[static_cast<std::size_t>(options.measure)]},
                 {"m", options.gram_size},
                 {"gram_units", kMgramUnitsNames[static_cast<std::size_t>(options.gram_units)]},
                 {"memory_bytes", options.memory_bytes},
                 {"bucket_texts_max", MgramIndex::kBucketTextsMax},
                 {"compared_max", MgramIndex::kRowsMax},
                 {"sizes", std::move(sizes)},
                 {"uniques", std::move(uniques)}};
  add_names(answer, options);
  std::cout << answer.dump(2) << '\n';
}

// Does the smallest fit of those that have room?
template <class Rows>
int answer_of(const Rows& rows, const PlanOptions& options) {
  std::cout << std::flush;
  std::uint64_t documents_max = 0;
  std::optional<std::uint64_t> smallest;
  for (const auto& row : rows) {
    documents_max = std::max(documents_max, row.documents_max);
    if (!has_room(row, options)) continue;
    smallest = std::min(smallest.value_or(total(row, options)), total(row, options));
    if (fits(row, options)) return kExitOk;
  }
  std::cerr << (smallest
                    ? fmt::format("neardup: no plan for {} documents fits into {} bytes; the smallest takes "
                                  "{}\n",
                                  options.documents, options.memory_bytes, *smallest)
                    : fmt::format("neardup: no index surely holds {} documents; it does so up to {}\n",
                                  options.documents, documents_max));
  return kExitUnavailable;
}

int plan_hybrid(const PlanOptions& options) {
  const BandLayout layout = band_layout(options.threshold_permille);
  options.json ? print_hybrid_json(options, layout) : print_hybrid_table(options, layout);
  return answer_of(hybrid_kinds(layout, options), options);
}

int plan_mgram(const PlanOptions& options) {
  options.json ? print_mgram_json(options) : print_mgram_table(options);
  return answer_of(mgram_kinds(options), options);
}

// Can a service be told this distance? The others are to compare.
bool is_configurable(const PlanOptions& options) { return options.distance <= kHammingDistanceMax; }
static_assert(kHammingDistanceMax == 3 && kCoveringDistanceMax == 7, "kPlanHelp names them");

void print_table(const std::vector<Forecast>& forecasts, const PlanOptions& options) {
  std::cout << fmt::format("{} documents within {} bits, fingerprints with independent bits:\n\n",
                           options.documents, options.distance)
            << "    covering   tables   candidates    lines   bytes/document       memory\n";
  for (const Forecast& f : forecasts) {
    const bool is_to_take = &f == &forecasts.front() && fits(f, options) && is_configurable(options);
    const char* const mark = is_to_take ? "->" : "";
    std::cout << fmt::format("{:>2}  {:<9} {:>7} {:>12.1f} {:>8.1f} {:>16.1f} {:>8.0f} MiB{}\n", mark,
                             f.covering->name, f.covering->tables(), f.candidates, f.lines,
                             f.bytes_per_document(options.documents),
                             static_cast<double>(f.bytes) / kMebibyte, remark(f, options));
  }
  std::cout
      << "\ncandidates: entries a look-up compares; lines: cache lines it reads. Of real text count 1.3 to\n"
         "3 times the candidates, and up to a third more memory.\n"
      << names_note(options);
  if (!is_configurable(options)) {
    std::cout << fmt::format(
        "detector.distance goes up to {}: this is to compare only, and no service can be told so.\n",
        kHammingDistanceMax);
  }
  if (options.verify_sketch) {
    std::cout << fmt::format("Of each document {:.1f} bytes are its sketch, for detector.verify: sketch.\n",
                             sketch_bytes(options.sketch));
  }
  if (options.by_id) std::cout << fmt::format("Of each document {} bytes are for index.by_id.\n", kIdBytes);
}

void print_json(const std::vector<Forecast>& forecasts, const PlanOptions& options) {
  Json plans = Json::array();
  for (const Forecast& f : forecasts) {
    plans.push_back({{"covering", f.covering->name},
                     {"tables", f.covering->tables()},
                     {"candidates", f.candidates},
                     {"lines", f.lines},
                     {"bytes_per_document", f.bytes_per_document(options.documents)},
                     {"bytes", f.bytes},
                     {"documents_max", f.documents_max},
                     {"fits", fits(f, options)}});
  }
  Json answer = {{"mode", "simhash"},
                 {"documents", options.documents},
                 {"distance", options.distance},
                 {"configurable", is_configurable(options)},
                 {"sketch_bytes", options.verify_sketch ? sketch_bytes(options.sketch) : 0},
                 {"memory_bytes", options.memory_bytes},
                 {"plans", std::move(plans)}};
  add_names(answer, options);
  std::cout << answer.dump(2) << '\n';
}

}  // namespace

const char* const kPlanHelp =
    "  neardup plan --documents 100M                  a hundred million uniques\n"
    "  neardup plan --documents 50M --memory 16GiB    what fits\n"
    "  neardup plan --set detector.threshold=0.7      how sure are its pairs to meet?\n"
    "  neardup plan --set detector.mode=mgram         which texts are surely met?\n"
    "  neardup plan --documents 1M --distance 2 --json\n"
    "\n"
    "Of the configured detector.mode; --distance asks about mode simhash, whose first row is the one to "
    "take,\n"
    "up to 3, as far as detector.distance goes; 4 to 7 are to compare only.\n"
    "The memory is all that the index counts as its own (neardup_index_bytes). Without index.directory what\n"
    "names the uniques is part of it: 40 bytes each, and id and url as they came, once if they are equal.\n"
    "69 is the exit code if nothing fits into --memory, or no index surely holds so many.\n";

double names_bytes(std::size_t name_bytes) { return kEntryBytes + static_cast<double>(name_bytes); }

double sketch_bytes(SketchSize sketch) { return kWhose + static_cast<double>(bytes_of(sketch)); }

double page_bytes(SketchSize sketch, BandLayout layout) {
  return kUniqueBytes + sketch_bytes(sketch) + kPostingBytes * static_cast<double>(layout.bands);
}

double short_text_bytes(std::size_t characters, double bytes_of_character) {
  constexpr double kRecord = 16 + kWhose;
  return kUniqueBytes + kRecord + kDensePostingBytes * kShortPostings + kForm +
         static_cast<double>(characters) * bytes_of_character;
}

double both_bytes(SketchSize sketch, BandLayout layout, std::size_t characters, double bytes_of_character) {
  return page_bytes(sketch, layout) + short_text_bytes(characters, bytes_of_character) - kUniqueBytes;
}

double mgram_text_bytes(std::size_t grams, std::size_t characters, double bytes_of_character) {
  constexpr double kRecord = 20;
  return kUniqueBytes + kRecord + kGramPostingBytes * static_cast<double>(grams) + kForm +
         static_cast<double>(characters) * bytes_of_character;
}

// e edits cut the n - e units that they do not touch into e + 1 runs at most, and one of these has at least
// (n - e) / (e + 1) units, rounded up: n / (e + 1), rounded down.
std::optional<std::size_t> sure_units(unsigned m, unsigned threshold_permille) {
  std::optional<std::size_t> from;
  for (std::size_t units = kMgramTextMax; units > 0; --units) {
    const std::size_t edits = units * (1000 - threshold_permille) / 1000;
    if (units / (edits + 1) < m) break;
    from = units;
  }
  return from;
}

std::string_view threshold_caveat(DetectorMode mode, unsigned threshold_permille) {
  if (mode != DetectorMode::kHybrid || threshold_permille >= DetectorOptions{}.threshold_permille) return "";
  return "Of short texts (up to 250 letters, or 125 Chinese characters) a threshold below 0.8 misses most of "
         "what\n"
         "is less alike than that, unless their changes sit together; and one that is a fifth shorter or "
         "longer\n"
         "than a page, or more, is not compared with it.\n";
}

int run_plan(const PlanOptions& options) {
  if (options.mode == DetectorMode::kHybrid) return plan_hybrid(options);
  if (options.mode == DetectorMode::kMgram) return plan_mgram(options);
  const std::vector<Forecast> forecasts =
      plan({.documents = options.documents,
            .distance = options.distance,
            .memory_bytes = options.memory_bytes,
            .bytes_besides = kUniqueBytes + bytes_besides(options) +
                             (options.verify_sketch ? sketch_bytes(options.sketch) : 0)});
  options.json ? print_json(forecasts, options) : print_table(forecasts, options);
  return answer_of(forecasts, options);
}

}  // namespace neardup
