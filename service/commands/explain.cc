#include "service/commands/explain.h"

#include <fmt/core.h>

#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/base/check.h"
#include "core/detector.h"
#include "core/explanation.h"
#include "core/fingerprint/hamming.h"
#include "core/fingerprint/long_signature.h"
#include "core/fingerprint/shingle.h"
#include "service/codec/preset.h"
#include "service/commands/document_reader.h"
#include "service/commands/exit_code.h"
#include "service/commands/report.h"
#include "service/pipeline/signer_settings.h"

namespace neardup {

const char kExplainAbout[] = "Show every number by which one document is, or is not, a duplicate of another";

const char kExplainHelp[] =
    "  neardup explain monday.html tuesday.html           would tuesday be a duplicate, and why?\n"
    "  neardup explain -c neardup.yaml a.jsonl b.jsonl    with the settings of a service: as it decides\n"
    "  neardup explain two.jsonl                          the first and the second line\n"
    "  jq -c 'select(.id == \"x\" or .id == \"y\")' crawl.jsonl | neardup explain -\n"
    "  neardup explain --set detector.mode=simhash --set detector.distance=2 a.txt b.txt\n"
    "  neardup explain --json a.txt b.txt | jq .reason\n"
    "\n"
    "The first document is known, the second one is judged. Sources are read as `neardup scan` reads them,\n"
    "two of one document each or one of two; with --whole each file, or standard input, is one document.\n"
    "Bands are numbered from 0; one is shared as it is, or with a\n"
    "second minimum of B in the place of a first. Where an estimate decides, the exact value stands beside\n"
    "it. In an index other documents come before: there the leader is the earliest one that is alike.\n"
    "Where one is a digest in place of a text (input.fields.digest), it tells whether the two are equal.\n"
    "Exit codes: 0 done, duplicate or not; 65 a source holds more or fewer documents, or a document was\n"
    "rejected; 66 a file could not be read; 74 the output was not written, or its reader went away; 78 "
    "wrong\n"
    "configuration; 130 or 143 interrupted.\n";

namespace {

using Json = nlohmann::ordered_json;

struct Side {
  std::string name;
  ExplainedText text;
};

std::string_view name_of(ShingleKind kind) { return kind == ShingleKind::kWords ? "words" : "characters"; }

std::string_view name_of(FingerprintKind kind) {
  return kFingerprintKindNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(MgramMeasure measure) {
  return kMgramMeasureNames[static_cast<std::size_t>(measure)];
}

std::string share(int permille) { return fmt::format("{:.3f}", permille / 1000.0); }

std::string list(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (const std::size_t number : numbers) text += fmt::format("{}{}", text.empty() ? "" : " ", number);
  return text.empty() ? "none" : text;
}

double cjk_share(const ExplainedText& text) {
  return static_cast<double>(text.characters) / static_cast<double>(text.signature.tokens);
}

bool is_digest(const Side& side) { return !side.text.producers_digest.empty(); }

std::string digits(Digest128 digest) { return fmt::format("{:016x}{:016x}", digest.high, digest.low); }

// By which routes a text asks.
std::string_view asks_as(const RouteSignature& route, DetectorMode mode) {
  if (mode == DetectorMode::kSimhash) return "fingerprint";
  if (mode == DetectorMode::kMgram) return "m-grams";
  if (!route.asks_as_short()) return "page";
  return route.asks_as_page() ? "short and page" : "short";
}

// As what it is stored for those that ask.
std::vector<std::string> stored_as(const RouteSignature& route, DetectorMode mode) {
  std::vector<std::string> forms;
  if (mode == DetectorMode::kSimhash) forms.emplace_back("fingerprint");
  if (mode == DetectorMode::kMgram) forms.emplace_back("m-grams");
  if (route.has_short) forms.emplace_back("short");
  for (const LongSignature& page : route.long_span()) {
    forms.push_back(
        fmt::format("{} of {}", mode == DetectorMode::kSimhash ? "sketch" : "page", name_of(page.kind)));
  }
  return forms;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// 2 numbers and 1 other tokens (codes of 31 in 91 characters)
std::string replaced_text(const ReplacedTokens& replaced) {
  std::string text = fmt::format("{} numbers and {} other tokens", replaced.numbers, replaced.others);
  if (replaced.code_characters > 0)
    text += fmt::format(" (codes of {} in {} characters)", replaced.code_characters, replaced.characters);
  return text;
}

// The reason in a sentence. Of pages that are alike by both kinds of shingle the detector tells one estimate.
std::string sentence(const Explanation& found, const Decision& decision, const DetectorOptions& options) {
  const int wanted = estimate_min(options.threshold_permille);
  switch (found.reason) {
    case Reason::kSameText:
      return "Both have the same canonical text.";
    case Reason::kNoText:
      return "Of a digest in place of a text it can be told whether another one is equal, and nothing else.";
    case Reason::kShortAlike:
      return fmt::format("Both are short, and {} edits in {} characters are within the {} that are allowed.",
                         found.short_text->edits, found.short_text->length_max, found.short_text->edits_max);
    case Reason::kPageAlike:
      return fmt::format("Their sketches estimate a similarity of {}, and {} is enough.",
                         share(decision.similarity_permille), share(wanted));
    case Reason::kMgramsAlike:
      return fmt::format("They share {} runs, and by {} are alike by {}, and {} is enough.",
                         found.mgrams->shared, name_of(options.measure),
                         share(static_cast<int>(found.mgrams->by(options.measure))),
                         share(static_cast<int>(options.threshold_permille)));
    case Reason::kFingerprintsNear:
      return fmt::format("Their fingerprints differ in {} bits, and {} may differ{}.", found.distance,
                         options.distance,
                         options.verify_sketch ? fmt::format("; their sketches agree by an estimate of {}",
                                                             share(decision.similarity_permille))
                                               : "");
    case Reason::kOtherRoute:
      return "A is stored as nothing that B asks for: they differ too much in length or in script.";
    case Reason::kTooManyEdits:
      return fmt::format("{} edits in {} characters are more than the {} that detector.threshold allows.",
                         found.short_text->edits, found.short_text->length_max, found.short_text->edits_max);
    case Reason::kTokensReplaced: {
      const ReplacedTokens& replaced = found.short_text->replaced;
      const bool numbers_are_refused = is_same_filling(
          replaced, {.tokens_permille = options.short_tokens_permille, .numbers_permille = 0});
      return fmt::format(
          "The same form filled in twice: {} of {} are replaced, more than detector.{} allows.",
          replaced_text(replaced), replaced.tokens,
          numbers_are_refused ? "number_threshold" : "token_threshold");
    }
    case Reason::kSketchesDiffer:
      return fmt::format("Their sketches estimate a similarity of {}, and {} is needed.",
                         share(*found.best_page()->estimate_permille), share(wanted));
    case Reason::kMgramsDiffer:
      return fmt::format("By {} they are alike by {}, and detector.threshold wants {}.",
                         name_of(options.measure), share(static_cast<int>(found.mgrams->by(options.measure))),
                         share(static_cast<int>(options.threshold_permille)));
    case Reason::kNothingShared:
      if (found.mgrams) {
        return fmt::format(
            "They are alike, but share no run of {} units by which B would meet A: a miss; a smaller "
            "detector.gram_size misses less.",
            options.gram_size);
      }
      return "They are alike, but share no band or key by which B would meet A: a miss.";
    case Reason::kFingerprintsFar:
      return fmt::format("Their fingerprints differ in {} bits, and detector.distance allows {}.",
                         found.distance, options.distance);
  }
  return "";
}

std::string verdict_of(const Decision& decision) {
  if (decision.verdict == Verdict::kUnique) return "B is unique beside A";
  return fmt::format("B is a duplicate of A, kind {}, similarity {}", name(decision.kind),
                     share(decision.similarity_permille));
}

class Report {
 public:
  Report(const std::array<Side, 2>& sides, const Explanation& found, const Decision& decision,
         const DetectorOptions& options)
      : sides_(sides), found_(found), decision_(decision), options_(options) {}

  std::string text() {
    sides();
    row("exact digest", found_.is_same_text ? "equal" : "different");
    if (has_texts()) comparison();
    text_ += fmt::format("\n{}.\n{}\n", verdict_of(decision_), because());
    return std::move(text_);
  }

  Json json() const {
    Json all = {{"verdict", name(decision_.verdict)}};
    if (decision_.verdict == Verdict::kDuplicate) {
      all["kind"] = name(decision_.kind);
      all["similarity"] = decision_.similarity_permille / 1000.0;
    }
    all["reason"] = name(found_.reason);
    all["because"] = because();
    all["mode"] = kDetectorModeNames[static_cast<std::size_t>(options_.mode)];
    all["threshold"] = options_.threshold_permille / 1000.0;
    all["estimate_min"] = estimate_min(options_.threshold_permille) / 1000.0;
    all["documents"] = {side_json(sides_[0]), side_json(sides_[1])};
    all["same_text"] = found_.is_same_text;
    if (!has_texts()) return all;
    all["distance"] = found_.distance;
    all["distance_max"] = options_.distance;
    all["pages"] = Json::array();
    for (const PageComparison& page : found_.pages) all["pages"].push_back(page_json(page));
    if (found_.short_text) all["short"] = short_json(*found_.short_text);
    if (found_.mgrams) all["mgrams"] = mgrams_json(*found_.mgrams);
    return all;
  }

 private:
  bool has_texts() const { return !is_digest(sides_[0]) && !is_digest(sides_[1]); }

  std::string because() const {
    if (found_.is_same_text && !has_texts()) return "Both have the same digest of their producer's.";
    return sentence(found_, decision_, options_);
  }

  void comparison() {
    row("fingerprints",
        fmt::format("{} of {} bits differ (mode simhash: at most {}), {} {}", found_.distance,
                    kFingerprintBits, options_.distance,
                    options_.fingerprint == FingerprintKind::kSimHash ? "cosine" : "likeness of words",
                    share(similarity_permille(found_.distance, options_.fingerprint))));
    for (const PageComparison& page : found_.pages) pages(page);
    if (found_.short_text) short_texts(*found_.short_text);
    if (found_.mgrams) mgrams(*found_.mgrams);
  }

  void row(std::string_view what, std::string_view value) {
    text_ += fmt::format("{:<18} {}\n", what, value);
  }

  void sides() {
    const char* letter = "A";
    for (const Side& side : sides_) {
      const ExplainedText& text = side.text;
      row(letter, harmless(side.name));
      letter = "B";
      if (is_digest(side)) {
        row("  digest", harmless(text.producers_digest));
        continue;
      }
      row("  canonical",
          fmt::format(
              "{} bytes, {} tokens, {}, CJK share {:.3f}", text.canonical.size(), text.signature.tokens,
              text.route.has_short ? fmt::format("{} characters, {} units", text.route.short_text.text.size(),
                                                 text.route.short_text.units)
                                   : fmt::format("{} characters", code_point_count(text.canonical)),
              cjk_share(text)));
      if (text.fell_back) row("  main text", "none that could be told: this is all of the page's text");
      row("  asks as", asks_as(text.route, options_.mode));
      row("  is stored as", joined(stored_as(text.route, options_.mode)));
      row("  fingerprint", fmt::format("{:016x}", text.signature.fingerprint.bits));
    }
    text_ += '\n';
  }

  void pages(const PageComparison& page) {
    row(fmt::format("by {}", name_of(page.kind)),
        fmt::format("{} and {} shingles, {} in common: similarity {}, exactly",
                    sides_[0].text.shingles(page.kind).size(), sides_[1].text.shingles(page.kind).size(),
                    page.common, share(page.jaccard_permille)));
    if (!page.estimate_permille) {
      row("  sketches", page.is_stored  ? "B has none of this kind"
                        : page.is_asked ? "A has none of this kind"
                                        : "none of this kind");
      return;
    }
    row("  sketches", fmt::format("estimate {}, enough from {} on{}", share(*page.estimate_permille),
                                  share(estimate_min(options_.threshold_permille)),
                                  page.is_asked ? "" : "; not asked, since B asks as a short text"));
    if (options_.mode != DetectorMode::kHybrid) return;
    bands(page.bands, options_.layout().bands, options_.layout().width);
  }

  void short_texts(const ShortComparison& texts) {
    row("as short texts",
        fmt::format("{} edits in {} characters, at most {}: similarity {}, exactly", texts.edits,
                    texts.length_max, texts.edits_max, share(static_cast<int>(texts.similarity_permille))));
    const ReplacedTokens& replaced = texts.replaced;
    row("  replaced",
        fmt::format("{} of {} and {}{}: {}", replaced_text(replaced), replaced.tokens, replaced.tokens_fewer,
                    replaced.misspelt > 0 ? fmt::format(", and {} misspelt", replaced.misspelt) : "",
                    !texts.is_same_filling               ? "another filling"
                    : replaced.tokens_fewer < kTokensMin ? "too few words to judge"
                                                         : "within the limits"));
    row("  limits", fmt::format("token_threshold {}, number_threshold {}",
                                share(static_cast<int>(options_.short_tokens_permille)),
                                share(static_cast<int>(options_.short_numbers_permille))));
    bands(texts.bands, kShortBands, kBandMinima);
    row("  one-deletion keys", fmt::format("{} shared", texts.tiny_keys));
  }

  void mgrams(const MgramComparison& texts) {
    const auto& [a, b] = sides_;
    row("by m-grams",
        fmt::format("m = {} {}: {} and {} grams, {} in common{}", options_.gram_size,
                    units(options_.gram_units), a.text.route.mgrams.grams.size(),
                    b.text.route.mgrams.grams.size(), texts.shared,
                    texts.is_cut ? fmt::format("; of the first {} characters", kMgramTextMax) : ""));
    row("  edit", fmt::format("{} edits in {} units: similarity {}, exactly", texts.edits, texts.units_max,
                              share(static_cast<int>(texts.by(MgramMeasure::kEdit)))));
    row("  jaccard, cosine", fmt::format("{}, {}", share(static_cast<int>(texts.by(MgramMeasure::kJaccard))),
                                         share(static_cast<int>(texts.by(MgramMeasure::kCosine)))));
    row("  asked", fmt::format("{} of {}", name_of(options_.measure),
                               share(static_cast<int>(options_.threshold_permille))));
  }

  void bands(const MetBands& met, std::size_t count, std::size_t width) {
    row("  bands", fmt::format("of {} x {} shared as they are: {}; by a second minimum: {}", count, width,
                               list(met.same), list(met.by_second)));
  }

  Json side_json(const Side& side) const {
    const ExplainedText& text = side.text;
    if (is_digest(side))
      return {{"id", side.name}, {"digest", text.producers_digest}, {"exact", digits(text.signature.exact)}};
    Json json = {{"id", side.name},
                 {"bytes", text.canonical.size()},
                 {"characters", code_point_count(text.canonical)},
                 {"tokens", text.signature.tokens},
                 {"cjk_share", cjk_share(text)},
                 {"fell_back", text.fell_back},
                 {"exact", digits(text.signature.exact)},
                 {name_of(options_.fingerprint), fmt::format("{:016x}", text.signature.fingerprint.bits)},
                 {"asks_as", asks_as(text.route, options_.mode)},
                 {"stored_as", stored_as(text.route, options_.mode)}};
    if (text.route.has_short) json["units"] = text.route.short_text.units;
    return json;
  }

  static Json bands_json(const MetBands& met) {
    return {{"same", met.same}, {"by_second_minimum", met.by_second}};
  }

  Json page_json(const PageComparison& page) const {
    Json json = {
        {"kind", name_of(page.kind)},
        {"shingles", {sides_[0].text.shingles(page.kind).size(), sides_[1].text.shingles(page.kind).size()}},
        {"common", page.common},
        {"similarity", page.jaccard_permille / 1000.0},
        {"stored", page.is_stored},
        {"asked", page.is_asked}};
    if (page.estimate_permille) {
      json["estimate"] = *page.estimate_permille / 1000.0;
      if (options_.mode == DetectorMode::kHybrid) json["bands"] = bands_json(page.bands);
    }
    return json;
  }

  Json short_json(const ShortComparison& texts) const {
    return {{"length_max", texts.length_max},
            {"edits", texts.edits},
            {"edits_max", texts.edits_max},
            {"similarity", texts.similarity_permille / 1000.0},
            {"replaced_numbers", texts.replaced.numbers},
            {"replaced_by_place", texts.replaced.by_place},
            {"replaced_others", texts.replaced.others},
            {"misspelt", texts.replaced.misspelt},
            {"replaced_code_characters", texts.replaced.code_characters},
            {"tokens", {texts.replaced.tokens, texts.replaced.tokens_fewer}},
            {"token_threshold", options_.short_tokens_permille / 1000.0},
            {"number_threshold", options_.short_numbers_permille / 1000.0},
            {"same_filling", texts.is_same_filling},
            {"bands", bands_json(texts.bands)},
            {"one_deletion_keys", texts.tiny_keys}};
  }

  Json mgrams_json(const MgramComparison& texts) const {
    const auto& [a, b] = sides_;
    Json json = {{"m", options_.gram_size},
                 {"units", units(options_.gram_units)},
                 {"grams", {a.text.route.mgrams.grams.size(), b.text.route.mgrams.grams.size()}},
                 {"common", texts.shared},
                 {"units_max", texts.units_max},
                 {"edits", texts.edits},
                 {"measure", name_of(options_.measure)},
                 {"cut", texts.is_cut}};
    for (std::size_t i = 0; i < kMgramMeasureNames.size(); ++i) {
      json[std::string(kMgramMeasureNames[i])] = texts.permille[i] / 1000.0;
    }
    return json;
  }

  static std::string_view units(MgramUnits over) { return kMgramUnitsNames[static_cast<std::size_t>(over)]; }

  const std::array<Side, 2>& sides_;
  const Explanation& found_;
  const Decision& decision_;
  const DetectorOptions& options_;
  std::string text_;
};

Arrival arrival_of(const Side& side, std::int64_t offset) {
  return {.id = side.name,
          .url = {},
          .source = {.topic = 0, .partition = 0, .offset = offset},
          .signature = side.text.signature,
          .route = &side.text.route};
}

// Reads the two documents. Returns kExitOk, or what the exit code must be.
int read_sides(const ExplainOptions& options, DocumentReader& reader, Signer& signer,
               std::array<Side, 2>& sides) {
  const std::size_t wanted = options.paths.size() == 1 ? 2 : 1;
  std::size_t side = 0;
  for (const std::string& path : options.paths) {
    std::size_t read = 0;
    std::optional<RejectReason> reason;
    std::string rejected;
    const int ended = reader.read({path}, [&](const ReadDocument& document) {
      if (++read > wanted) return false;
      Side& into = sides[side++];
      into.name = document.name();
      if (options.html && document.document.format != Document::Format::kDigest)
        document.document.format = Document::Format::kHtml;
      reason = document.reason ? document.reason : sign_to_explain(signer, document.document, into.text);
      if (reason) rejected = into.name;
      return !reason;
    });
    if (ended != kExitOk) return ended;
    if (reason) {
      reader.complain(fmt::format("{} has no signature to explain: rejected as {}{}", harmless(rejected),
                                  name(*reason), reader.or_whole(*reason)));
      return kExitData;
    }
    if (read != wanted) {
      reader.complain(
          fmt::format("{} holds {} document{}; explain compares two: give two sources of one, or "
                      "one of two",
                      path, read > wanted ? "more than " + std::to_string(wanted) : std::to_string(read),
                      (read > wanted ? wanted : read) == 1 ? "" : "s"));
      return kExitData;
    }
  }
  return kExitOk;
}

}  // namespace

int run_explain(const ExplainOptions& options, const Config& config, const Streams& streams) {
  CHECK(options.paths.size() == 1 || options.paths.size() == 2, "the command line is checked");
  const Preset preset = resolve_preset_of_lines(config.input);
  const Result<SignerOptions> signing = resolve_signer_options(config);
  if (!signing) return report_config_error(signing.error());
  const SignalScope signals;
  DocumentReader reader(config, preset, streams);
  if (options.whole) reader.take_whole();
  if (const std::string remark = idf_remark(config, *signing); !remark.empty()) reader.complain(remark);
  Signer signer(*signing);
  std::array<Side, 2> sides;
  if (const int failed = read_sides(options, reader, signer, sides); failed != kExitOk) return failed;

  DetectorOptions detecting = resolve_detector_options(config);
  detecting.directory.clear();  // that of the service: two documents need no file
  Detector detector(detecting);
  detector.apply(arrival_of(sides[0], 0));
  const Decision decision = detector.check(arrival_of(sides[1], 1));
  const Explanation found = explain(sides[0].text, sides[1].text, detecting);
  Report report(sides, found, decision, detecting);
  const std::string output =
      options.json ? report.json().dump(2, ' ', false, Json::error_handler_t::replace) + '\n' : report.text();
  return reader.write(output);
}

}  // namespace neardup
