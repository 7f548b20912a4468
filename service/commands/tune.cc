#include "service/commands/tune.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/check.h"
#include "core/detector.h"
#include "core/explanation.h"
#include "core/fingerprint/hamming.h"
#include "core/fingerprint/mgram_signature.h"
#include "core/limits.h"
#include "core/text/utf8.h"
#include "service/codec/preset.h"
#include "service/commands/document_reader.h"
#include "service/commands/exit_code.h"
#include "service/commands/rejects.h"
#include "service/commands/report.h"
#include "service/commands/sorted_runs.h"
#include "service/pipeline/signer_settings.h"

namespace neardup {

const char kTuneAbout[] = "Recommend a threshold by labelled pairs, or by a sample compared one with all";

const char kTuneHelp[] =
    "  neardup tune --pairs labels.tsv crawl.jsonl        by pairs that people have judged\n"
    "  neardup tune --sample 2000 crawl.jsonl             by the exact similarity of all pairs of a sample\n"
    "  neardup tune --pairs labels.tsv --recall 0.99 crawl.jsonl\n"
    "  neardup tune --pairs labels.tsv --json crawl.jsonl | jq .recommended\n"
    "  neardup tune --set detector.threshold=0.7 --sample 2000 crawl.jsonl    what .7 and more finds\n"
    "\n"
    "A line of labels is id1<TAB>id2<TAB>label: 1 the same, 0 not, or a similarity, which counts as the\n"
    "same from the configured detector.threshold on; so does the exact similarity in a sample: of shingles,\n"
    "or by edits if both are short. The second document is judged after the first. Tables: thresholds of\n"
    "mode hybrid; distances k of mode simhash; m, the length of a run of characters that both have (of "
    "their\n"
    "first 1024), where the largest m of enough recall is the cheapest.\n"
    "If detector.mode is mgram, thresholds are of its measure, runs of its units, and what a look-up "
    "compares is\n"
    "told for each m too, of the first 20000 documents.\n"
    "Of a sample each pair that is alike takes 8 bytes: 1.6 GB of 20000 documents that all say the same.\n"
    "Exit codes: 0 done; 65 the pairs are wrong, an id of theirs is not there, none is the same, or no "
    "document\n"
    "was found; 66 a file could not be read; 74 the output was not written, or its reader went away; 78 "
    "wrong\n"
    "configuration; 130 or 143 interrupted.\n";

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<unsigned, 10> kThresholds = {500, 550, 600, 650, 700, 750, 800, 850, 900, 950};
constexpr std::array<unsigned, 8> kDistances = {0, 1, 2, 3, 4, 5, 6, 7};  // beyond the setting's, to compare
static_assert(kDistances[kHammingDistanceMax] == kHammingDistanceMax, "the first are those that it takes");
constexpr std::array<unsigned, 14> kRuns = {1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 32};
static_assert(kRuns.back() <= SortedRuns::kLengthMax, "longer ones are not told apart");
constexpr std::uint64_t kRunDocumentsMax = 20'000;             // read by a detector for each m
constexpr std::size_t kLabelBytesMax = 2 * kIdBytesMax + 256;  // of a line: two ids and a number
constexpr std::uint64_t kSampleSeed = 20'210'701;

struct Label {
  std::string first;
  std::string second;
  double similarity = 0;
  std::size_t line = 0;
};

// A pair of texts, by their places, and whether it is to be called the same. Of a sample there may be as many
// as it has documents, squared, by two.
struct Pair {
  std::uint32_t first = 0;
  std::uint32_t second : 31 = 0;
  std::uint32_t is_same : 1 = 0;
};
static_assert(sizeof(Pair) == 8);
constexpr bool is_same(const Pair& pair) { return pair.is_same != 0; }

// What one value of a setting makes of the pairs.
struct Row {
  unsigned value = 0;
  std::uint64_t found = 0;   // of the same
  std::uint64_t missed = 0;  // of the same
  std::uint64_t wrong = 0;   // called the same
  // Of a threshold, over all documents; of an m, in mode mgram, over those its detector read.
  double candidates = 0;  // compared, for each document
  double bytes = 0;       // of memory, for each unique

  void count(bool is_same, bool is_called_same) {
    if (is_same) {
      ++(is_called_same ? found : missed);
    } else if (is_called_same) {
      ++wrong;
    }
  }

  static double share(std::uint64_t part, std::uint64_t whole, double of_nothing) {
    return whole == 0 ? of_nothing : static_cast<double>(part) / static_cast<double>(whole);
  }
  double precision() const { return share(found, found + wrong, 1); }
  double recall() const { return share(found, found + missed, 0); }
  double f1() const { return share(2 * found, 2 * found + wrong + missed, 0); }
};

using Rows = std::vector<Row>;

// `line` without its end of line. Nothing: it is no pair.
std::optional<Label> parse_label(std::string_view line) {
  const std::size_t first = line.find('\t');
  const std::size_t second = first == std::string_view::npos ? first : line.find('\t', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::string_view number = line.substr(second + 1);
  Label label{.first = std::string(line.substr(0, first)),
              .second = std::string(line.substr(first + 1, second - first - 1))};
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), label.similarity);
  const bool is_whole = error == std::errc() && end == number.data() + number.size();
  if (!is_whole || !(label.similarity >= 0 && label.similarity <= 1)) return std::nullopt;
  if (label.first.empty() || label.second.empty()) return std::nullopt;
  return label;
}

Result<std::vector<Label>> read_labels(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{ErrorCode::kNotFound, fmt::format("--pairs: {}: {}", path, std::strerror(errno))};
  std::vector<Label> labels;
  std::size_t number = 0;
  std::vector<char> room(kLabelBytesMax + 1);  // what is no text may have no end of line at all
  while (in.getline(room.data(), static_cast<std::streamsize>(room.size())) ||
         (in.gcount() > 0 && !in.bad())) {
    ++number;
    // Counted is the end of the line, too, where there is one.
    std::string_view line(room.data(), static_cast<std::size_t>(in.gcount()) - (in.good() ? 1 : 0));
    const bool is_cut = in.fail();
    if (number == 1) line = without_mark(line);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    std::optional<Label> label = is_cut ? std::nullopt : parse_label(line);
    if (!label) {
      return Error{
          ErrorCode::kCorrupt,
          fmt::format("--pairs: {}: line {}: {}write id1<TAB>id2<TAB>label, the "
                      "label a number of 0 to 1",
                      path, number, is_cut ? fmt::format("is longer than {} bytes; ", kLabelBytesMax) : "")};
    }
    label->line = number;
    labels.push_back(*std::move(label));
  }
  if (in.bad()) return Error{ErrorCode::kNotFound, fmt::format("--pairs: {}: cannot be read", path)};
  if (labels.empty()) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("--pairs: {}: holds no pair; write id1<TAB>id2<TAB>label, one a line", path)};
  }
  return labels;
}

// What its runs are made of.
std::u32string units_of(const ExplainedText& text) {
  if (text.route.has_mgrams) return {text.route.mgrams.units.begin(), text.route.mgrams.units.end()};
  std::u32string characters;
  std::string_view canonical = text.canonical;
  while (!canonical.empty() && characters.size() < kMgramTextMax) {
    const DecodedCodePoint decoded = decode_utf8(canonical);
    characters.push_back(decoded.code_point);
    canonical.remove_prefix(decoded.size);
  }
  return characters;
}

// Of the rows of highest F1 the one of fewest candidates, and of those the last; null if none finds anything.
const Row* best_f1(std::span<const Row> rows) {
  const Row* best = nullptr;
  for (const Row& row : rows) {
    if (row.f1() == 0) continue;
    if (best == nullptr || row.f1() > best->f1() ||
        (row.f1() == best->f1() && row.candidates <= best->candidates)) {
      best = &row;
    }
  }
  return best;
}

class Tune {
 public:
  Tune(const TuneOptions& options, const Config& config, const Preset& preset, const SignerOptions& signing,
       const Streams& streams)
      : options_(options),
        config_(config),
        detecting_(resolve_detector_options(config)),
        reader_(config, preset, streams),
        signer_(signing) {
    for (const unsigned threshold : kThresholds) {
      detecting_.threshold_permille = threshold;
      detectors_.emplace_back(detecting_);
    }
    same_from_ = config.detector.threshold.value;
    if (!is_mgram()) return;
    DetectorOptions of_run = resolve_detector_options(config);
    for (const unsigned m : kRuns) {
      of_run.gram_size = m;
      run_detectors_.emplace_back(of_run);
      MgramOptions grams = of_run.mgrams();
      grams.stop_words = signing.mgrams.stop_words;
      run_signers_.emplace_back(grams);
    }
  }

  // Waits for --pairs as long as it takes, so no SignalScope may live yet.
  int read_pairs() {
    if (options_.pairs.empty()) return kExitOk;
    Result<std::vector<Label>> labels = read_labels(options_.pairs);
    if (!labels) {
      reader_.complain(labels.error().message);
      return labels.error().code == ErrorCode::kNotFound ? kExitNoInput : kExitData;
    }
    labels_ = *std::move(labels);
    for (const Label& label : labels_) {
      wanted_.emplace(label.first, kAbsent);
      wanted_.emplace(label.second, kAbsent);
    }
    return kExitOk;
  }

  int run() {
    const int read =
        reader_.read(options_.paths, [&](const ReadDocument& document) { return take(document); });
    if (read != kExitOk) return read;
    if (documents_ == 0) {
      reader_.complain(rejects_.no_document(config_));
      return kExitData;
    }
    if (const int failed = labels_.empty() ? pair_sample() : pair_labels(); failed != kExitOk) return failed;
    if (std::ranges::none_of(pairs_, is_same)) {
      reader_.complain(
          fmt::format("no pair is the same, of similarity {:.3g} or more, so nothing can be found; {}",
                      same_from_ / 1000.0,
                      labels_.empty() ? "take a larger --sample or a lower detector.threshold"
                                      : "label some 1 in --pairs"));
      return kExitData;
    }
    if (const int failed = judge(); failed != kExitOk) return failed;
    const std::string output =
        options_.json ? json().dump(2, ' ', false, Json::error_handler_t::replace) + '\n' : text();
    return reader_.write(output);
  }

 private:
  static constexpr std::size_t kAbsent = ~std::size_t{0};

  // Every detector reads the document; its text is kept if a pair names it or the sample has it.
  bool take(const ReadDocument& read) {
    auto reason = read.reason;
    // Thresholds are of texts.
    if (!reason && read.document.format == Document::Format::kDigest) reason = RejectReason::kMissingText;
    if (!reason) reason = signer_.sign(read.document, signature_, route_);
    if (reason) {
      rejects_.add(*reason);
      return true;
    }
    ++documents_;
    reader_.progress().show([this] { return fmt::format("{} documents read", documents_); });
    const Arrival arrival{.id = read.document.id,
                          .url = read.document.url,
                          .source = read.document.source,
                          .event_time_ms = read.document.event_time_ms,
                          .signature = signature_,
                          .route = &route_};
    for (Detector& detector : detectors_) {
      for (std::size_t i = 0; i < route_.long_count; ++i) {
        make_bands(detector.options().layout(), route_.longs[i]);
      }
      detector.apply(arrival);
    }
    for (std::size_t i = 0; i < detectors_.size(); ++i) candidates_[i] += detectors_[i].candidates();
    if (is_mgram() && documents_ <= kRunDocumentsMax) {
      for (std::size_t i = 0; i < run_detectors_.size(); ++i) {
        run_signers_[i].sign(signer_.canonical().text, route_.mgrams);
        run_detectors_[i].apply(arrival);
        run_candidates_[i] += run_detectors_[i].candidates();
      }
    }
    if (const std::optional<std::size_t> at = place_of(read.document.id)) keep(read.document, *at);
    return true;
  }

  // Where in texts_ the document belongs, if it does. A sample is drawn evenly: the n-th document takes the
  // place of another one with probability sample / n.
  std::optional<std::size_t> place_of(const std::string& id) {
    if (!labels_.empty()) {
      const auto found = wanted_.find(id);
      if (found == wanted_.end() || found->second != kAbsent) return std::nullopt;
      return found->second = texts_.size();
    }
    if (texts_.size() < options_.sample) return texts_.size();
    const std::uint64_t drawn = random_() % documents_;
    if (drawn >= options_.sample) return std::nullopt;
    return drawn;
  }

  void keep(const Document& document, std::size_t at) {
    if (at == texts_.size()) {
      texts_.emplace_back();
      order_.emplace_back();
    }
    static_cast<void>(sign_to_explain(signer_, document, texts_[at]));  // it has been signed once
    order_[at] = documents_;
  }

  int pair_labels() {
    std::size_t absent = 0;
    const Label* first_absent = nullptr;
    for (const Label& label : labels_) {
      const std::size_t first = wanted_.at(label.first);
      const std::size_t second = wanted_.at(label.second);
      if (first == kAbsent || second == kAbsent) {
        ++absent;
        if (first_absent == nullptr) first_absent = &label;
        continue;
      }
      keep_pair(first, second, label.similarity * 1000 >= same_from_);
    }
    if (first_absent == nullptr) return kExitOk;
    const bool is_first = wanted_.at(first_absent->first) == kAbsent;
    reader_.complain(fmt::format(
        "--pairs: {}: line {}: no document has the id \"{}\" ({} of {} lines name one that is not there, or "
        "was rejected); name the file that holds it too, or leave the line out",
        options_.pairs, first_absent->line, harmless(is_first ? first_absent->first : first_absent->second),
        absent, labels_.size()));
    return kExitData;
  }

  // All pairs of the sample are compared. Those are kept of which any row of a table might say more than no.
  int pair_sample() {
    std::vector<std::size_t> by_order(texts_.size());
    for (std::size_t i = 0; i < by_order.size(); ++i) by_order[i] = i;
    std::ranges::sort(by_order, {}, [&](std::size_t i) { return order_[i]; });
    for (std::size_t j = 1; j < by_order.size(); ++j) {
      if (SignalScope::interrupted.load()) return SignalScope::exit_code();
      for (std::size_t i = 0; i < j; ++i) compare(by_order[i], by_order[j]);
      reader_.progress().show([&] {
        return fmt::format("{} of {} documents compared with all before them", j + 1, by_order.size());
      });
    }
    return kExitOk;
  }

  void compare(std::size_t first, std::size_t second) {
    const ExplainedText& a = texts_[first];
    const ExplainedText& b = texts_[second];
    ++compared_;
    const int similarity = exact_similarity_permille(a, b, detecting_);
    // An estimate is seldom .15 off, so what is less alike than that would be called the same by none.
    const bool counts = similarity >= static_cast<int>(kThresholds.front()) - 150 ||
                        hamming_distance(a.signature.fingerprint, b.signature.fingerprint) <=
                            static_cast<int>(kDistances.back());
    if (counts) keep_pair(first, second, similarity >= same_from_);
  }

  void keep_pair(std::size_t first, std::size_t second, bool same) {
    constexpr std::uint32_t kPlaces = std::uint32_t{1} << 31;
    CHECK(texts_.size() <= kPlaces, "as many documents are not held");
    Pair pair;
    pair.first = static_cast<std::uint32_t>(first);
    pair.second = static_cast<std::uint32_t>(second) % kPlaces;
    pair.is_same = same ? 1 : 0;
    pairs_.push_back(pair);
  }

  int judge() {
    for (const unsigned threshold : kThresholds) thresholds_.push_back({.value = threshold});
    for (const unsigned k : kDistances) distances_.push_back({.value = k});
    for (const unsigned m : kRuns) runs_.push_back({.value = m});
    for (std::size_t begin = 0; begin < kThresholds.size();) {
      std::size_t end = begin + 1;
      while (end < kThresholds.size() && layout(end) == layout(begin)) ++end;
      if (!judge_by_thresholds(begin, end)) return SignalScope::exit_code();
      begin = end;
    }
    if (!judge_by_fingerprints_and_runs()) return SignalScope::exit_code();
    for (std::size_t t = 0; t < kThresholds.size(); ++t) {
      thresholds_[t].candidates = static_cast<double>(candidates_[t]) / static_cast<double>(documents_);
      thresholds_[t].bytes = bytes_per_unique(detectors_[t]);
    }
    for (std::size_t i = 0; i < run_detectors_.size(); ++i) {
      const auto read = static_cast<double>(std::min(documents_, kRunDocumentsMax));
      runs_[i].candidates = static_cast<double>(run_candidates_[i]) / read;
      runs_[i].bytes = bytes_per_unique(run_detectors_[i]);
    }
    return kExitOk;
  }

  BandLayout layout(std::size_t threshold) const { return detectors_[threshold].options().layout(); }

  static double bytes_per_unique(const Detector& detector) {
    return static_cast<double>(detector.bytes()) / static_cast<double>(detector.size());
  }

  // Of the thresholds [begin, end), which have one layout: what is measured of a pair does for all of them.
  bool judge_by_thresholds(std::size_t begin, std::size_t end) {
    for (ExplainedText& text : texts_) {
      for (std::size_t i = 0; i < text.route.long_count; ++i) make_bands(layout(begin), text.route.longs[i]);
    }
    const std::string by = fmt::format("thresholds {:.2f} to {:.2f}", kThresholds[begin] / 1000.0,
                                       kThresholds[end - 1] / 1000.0);
    return each_pair(by, [&](const Pair& pair) {
      const ExplainedText& later = texts_[pair.second];
      const Explanation found = explain(texts_[pair.first], later, detectors_[begin].options());
      for (std::size_t t = begin; t < end; ++t) {
        const Reason reason = reason_of(found, later, detectors_[t].options());
        thresholds_[t].count(pair.is_same, is_duplicate(reason));
      }
    });
  }

  bool judge_by_fingerprints_and_runs() {
    std::vector<SortedRuns> runs;
    for (const ExplainedText& text : texts_) runs.emplace_back(units_of(text));
    return each_pair("fingerprints and runs", [&](const Pair& pair) {
      const Signature& a = texts_[pair.first].signature;
      const Signature& b = texts_[pair.second].signature;
      const bool is_same_text = a.exact == b.exact;
      const auto distance = static_cast<unsigned>(hamming_distance(a.fingerprint, b.fingerprint));
      for (Row& row : distances_) row.count(pair.is_same, is_same_text || distance <= row.value);
      const unsigned run = runs[pair.first].longest_in_common(runs[pair.second]);
      for (Row& row : runs_) row.count(pair.is_same, is_same_text || run >= row.value);
    });
  }

  // False if a signal came before all were judged.
  template <class Judge>
  bool each_pair(std::string_view by, Judge judge) {
    std::size_t done = 0;
    for (const Pair& pair : pairs_) {
      if (SignalScope::interrupted.load()) return false;
      judge(pair);
      ++done;
      reader_.progress().show(
          [&] { return fmt::format("{} of {} pairs judged by {}", done, pairs_.size(), by); });
    }
    return true;
  }

  // The largest m that finds enough; null if none does.
  const Row* best_run() const {
    const Row* best = nullptr;
    for (const Row& row : runs_) {
      if (row.recall() >= options_.recall_min) best = &row;
    }
    return best;
  }

  bool is_mgram() const { return detecting_.mode == DetectorMode::kMgram; }
  std::string_view mode() const { return kDetectorModeNames[static_cast<std::size_t>(detecting_.mode)]; }

  const Row* best_threshold() const { return best_f1(thresholds_); }
  // Of those that the setting takes.
  const Row* best_distance() const {
    return best_f1(std::span(distances_).first(static_cast<std::size_t>(kHammingDistanceMax) + 1));
  }

  std::string because_of_threshold() const {
    const Row* const best = best_threshold();
    if (best == nullptr) return "detector.threshold: none finds any of the same pairs";
    return fmt::format(
        "detector.threshold {:.2f}: the highest F1, {:.3f}, and of equals the fewest candidates",
        best->value / 1000.0, best->f1());
  }
  std::string because_of_distance() const {
    const Row* const best = best_distance();
    const Row* const of_mode = best_threshold();
    std::string why =
        best == nullptr
            ? fmt::format("k: none up to {} finds any of the same pairs", kHammingDistanceMax)
            : fmt::format("k {}: the highest F1 by fingerprints alone, {:.3f}, against {:.3f} of mode {}",
                          best->value, best->f1(), of_mode == nullptr ? 0.0 : of_mode->f1(), mode());
    if (const Row* const of_all = best_f1(distances_);
        of_all != nullptr && of_all->f1() > (best == nullptr ? 0.0 : best->f1())) {
      why += fmt::format("; k {} has {:.3f}, but detector.distance goes up to {}", of_all->value,
                         of_all->f1(), kHammingDistanceMax);
    }
    return why;
  }
  std::string because_of_run() const {
    const Row* const best = best_run();
    if (best == nullptr) return fmt::format("m: none has a recall of {:.3g}", options_.recall_min);
    return fmt::format("m {}: the longest run by which {:.3g} or more of the same pairs meet, recall {:.3f}",
                       best->value, options_.recall_min, best->recall());
  }

  std::string_view truth() const { return labels_.empty() ? "sample" : "labels"; }
  std::size_t same() const { return static_cast<std::size_t>(std::ranges::count_if(pairs_, is_same)); }

  // Of a sample only those pairs are listed that are alike, so who else shares a run is not known.
  bool knows_wrong_runs() const { return !labels_.empty(); }

  std::string text() const {
    std::string out = fmt::format("{} documents, {} rejected", documents_, rejects_.all());
    if (rejects_.all() > 0) out += fmt::format(" ({})", rejects_.list());
    out += labels_.empty() ? fmt::format("; {} sampled, {} pairs compared exactly", texts_.size(), compared_)
                           : fmt::format("; {} labelled pairs", pairs_.size());
    out += fmt::format(", {} the same (similarity {:.3g} or more)\n", same(), same_from_ / 1000.0);

    out += "\n  threshold  precision  recall     F1   candidates  bytes/unique\n";
    for (const Row& row : thresholds_) {
      out += fmt::format("{}      {:>4.2f}  {:>9.3f}  {:>6.3f}  {:>5.3f}  {:>11.2f}  {:>12.0f}\n",
                         mark(row, best_threshold()), row.value / 1000.0, row.precision(), row.recall(),
                         row.f1(), row.candidates, row.bytes);
    }
    out += "\n          k  precision  recall     F1\n";
    for (const Row& row : distances_) {
      out += fmt::format("{} {:>9}  {:>9.3f}  {:>6.3f}  {:>5.3f}\n", mark(row, best_distance()), row.value,
                         row.precision(), row.recall(), row.f1());
    }
    out += fmt::format("\n          m  {}{}\n", knows_wrong_runs() ? "precision  recall     F1" : "recall",
                       is_mgram() ? "   candidates  bytes/unique" : "");
    for (const Row& row : runs_) {
      out += fmt::format("{} {:>9}  ", mark(row, best_run()), row.value);
      out += knows_wrong_runs()
                 ? fmt::format("{:>9.3f}  {:>6.3f}  {:>5.3f}", row.precision(), row.recall(), row.f1())
                 : fmt::format("{:>6.3f}", row.recall());
      if (is_mgram()) out += fmt::format("  {:>11.2f}  {:>12.0f}", row.candidates, row.bytes);
      out += '\n';
    }
    out +=
        "\ncandidates: compared for each document; bytes: with the ids and urls that index.directory puts "
        "into\na file, and memory grows in steps, so of few documents they are many.\n\n";
    for (const std::string& why : {because_of_threshold(), because_of_distance(), because_of_run()}) {
      out += why + ".\n";
    }
    return out;
  }

  static const char* mark(const Row& row, const Row* best) { return &row == best ? "->" : "  "; }

  static Json table(const Rows& rows, const char* name, unsigned parts, bool knows_wrong) {
    Json all = Json::array();
    for (const Row& row : rows) {
      Json json = Json::object();
      if (parts == 1) {
        json[name] = row.value;
      } else {
        json[name] = static_cast<double>(row.value) / parts;
      }
      json["recall"] = row.recall();
      if (knows_wrong) {
        json["precision"] = row.precision();
        json["f1"] = row.f1();
      }
      if (row.bytes > 0) {
        json["candidates"] = row.candidates;
        json["bytes_per_unique"] = row.bytes;
      }
      all.push_back(std::move(json));
    }
    return all;
  }

  Json json() const {
    Json recommended = {{"threshold", nullptr},
                        {"distance", nullptr},
                        {"m", nullptr},
                        {"because", {because_of_threshold(), because_of_distance(), because_of_run()}}};
    if (best_threshold() != nullptr) recommended["threshold"] = best_threshold()->value / 1000.0;
    if (best_distance() != nullptr) recommended["distance"] = best_distance()->value;
    if (best_run() != nullptr) recommended["m"] = best_run()->value;
    Json reasons = Json::object();
    for (std::size_t i = 0; i < kRejectReasonNames.size(); ++i) {
      if (const std::uint64_t count = rejects_.of(static_cast<RejectReason>(i)); count > 0)
        reasons[std::string(kRejectReasonNames[i])] = count;
    }
    return {{"mode", mode()},
            {"documents", documents_},
            {"rejected", rejects_.all()},
            {"reasons", std::move(reasons)},
            {"truth", truth()},
            {"pairs", labels_.empty() ? compared_ : pairs_.size()},
            {"same", same()},
            {"same_from", same_from_ / 1000.0},
            {"thresholds", table(thresholds_, "threshold", 1000, true)},
            {"distances", table(distances_, "k", 1, true)},
            {"runs", table(runs_, "m", 1, knows_wrong_runs())},
            {"recommended", std::move(recommended)}};
  }

  const TuneOptions& options_;
  const Config& config_;
  DetectorOptions detecting_;
  DocumentReader reader_;
  Signer signer_;
  int same_from_ = 0;  // permille

  std::vector<Label> labels_;                            // with --pairs
  std::unordered_map<std::string, std::size_t> wanted_;  // id to place in texts_; asked, never walked
  std::mt19937_64 random_{kSampleSeed};

  Signature signature_;  // of the document in hand
  RouteSignature route_;
  std::vector<Detector> detectors_;  // of kThresholds
  std::array<std::uint64_t, kThresholds.size()> candidates_{};
  std::vector<Detector> run_detectors_;  // of kRuns, in mode mgram
  std::vector<MgramSigner> run_signers_;
  std::array<std::uint64_t, kRuns.size()> run_candidates_{};
  std::uint64_t documents_ = 0;
  Rejects rejects_;

  std::vector<ExplainedText> texts_;
  std::vector<std::uint64_t> order_;  // of texts_: the number of the document
  std::vector<Pair> pairs_;
  std::uint64_t compared_ = 0;
  Rows thresholds_;
  Rows distances_;
  Rows runs_;
};

}  // namespace

int run_tune(const TuneOptions& options, const Config& config, const Streams& streams) {
  Config tuned = config;
  if (tuned.detector.mode == "simhash") tuned.detector.mode = "hybrid";  // a mode whose threshold is sought
  tuned.index.directory.clear();  // that of the service: nothing is asked for what names uniques
  const Preset preset = resolve_preset_of_lines(tuned.input);
  const Result<SignerOptions> signing = resolve_signer_options(tuned);
  if (!signing) return report_config_error(signing.error());
  Tune tune(options, tuned, preset, *signing, streams);
  if (const int failed = tune.read_pairs(); failed != kExitOk) return failed;
  const SignalScope signals;
  return tune.run();
}

}  // namespace neardup
