#include "service/commands/fingerprint.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/decision.h"
#include "core/fingerprint/hamming.h"
#include "core/fingerprint/shingle_signer.h"
#include "core/fingerprint/signer.h"
#include "core/fingerprint/token_stream.h"
#include "core/text/script.h"
#include "service/codec/preset.h"
#include "service/commands/document_reader.h"
#include "service/commands/exit_code.h"
#include "service/commands/rejects.h"
#include "service/commands/report.h"
#include "service/pipeline/signer_settings.h"

namespace neardup {

const char kFingerprintAbout[] = "Print the fingerprints of files, folders or standard input, or a distance";

const char kFingerprintHelp[] =
    "  neardup fingerprint page.html notes.txt            a line each: SimHash, tokens, features, scripts, "
    "id\n"
    "  neardup fingerprint --json crawl.jsonl             for programs: one JSON object a line, with the "
    "sketch\n"
    "  neardup fingerprint --whole README.rst page.asp    each is one document, whatever its name\n"
    "  curl -s https://example.org/ | neardup fingerprint --whole --html -\n"
    "  neardup fingerprint --distance a.html b.html       how alike are two pages?\n"
    "  neardup fingerprint --distance 9f0c5e2d7b41a860 9f0c5e2d7b41a861\n"
    "  neardup fingerprint -c neardup.yaml page.html      with the settings of a service: as its verdicts "
    "sign\n"
    "\n"
    "Files, folders and records are read as `neardup scan` reads them. The fingerprint (fingerprint.kind) "
    "is\n"
    "16 hex digits; in mode simhash `serve` calls two documents near duplicates if theirs differ in at most\n"
    "detector.distance bits. `neardup explain` tells what any mode makes of two documents. Features are "
    "what\n"
    "has a vote on its bits, by the settings of fingerprint; scripts are shares of the letters. Where a "
    "record\n"
    "has a digest in place of a text (input.fields.digest), the fingerprint is a hash of that: of equal "
    "ones\n"
    "the same, and near no other.\n"
    "With --whole each file, or standard input, is one document, and with --html besides one page of HTML.\n"
    "With --distance each of the two is a source of one document, or 16 hex digits (a file of such a name "
    "is\n"
    "written ./NAME); similarity is what the distance stands for, of a SimHash the cosine.\n"
    "Exit codes: 0 done, rejects or not; 65 every document was rejected, there is none to compare, or the "
    "folders\n"
    "hold nothing to read; 66 a file could not be read, the others were; 74 the output was not written, or "
    "its reader went away; 78 wrong\n"
    "configuration; 130 or 143 interrupted.\n";

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFingerprintDigits = 16;

struct Row {
  std::optional<RejectReason> reason;
  Signature signature;                              // of a document that is not rejected
  std::size_t features = 0;                         // of which its fingerprint is made
  bool fell_back = false;                           // as Signer::fell_back
  std::string digest;                               // the producer's, in place of a text; else empty
  ScriptCounts scripts;                             // of a text
  ShingleSignature<kStandardSketchBytes> shingles;  // the same, of JSON
};

std::string hex(Fingerprint fingerprint) { return fmt::format("{:016x}", fingerprint.bits); }

// The bytes of the sketch in their order, then how many shingles were sampled and at which level, the lower
// byte of each first.
std::string hex(const StandardSketch& sketch) {
  std::string text;
  for (const std::uint8_t byte : sketch.bits) text += fmt::format("{:02x}", byte);
  for (const std::uint16_t number : {sketch.sampled, sketch.level}) {
    text += fmt::format("{:02x}{:02x}", number & 0xFF, number >> 8);
  }
  return text;
}

std::string hex(Digest128 digest) { return fmt::format("{:016x}{:016x}", digest.high, digest.low); }

std::optional<Fingerprint> fingerprint_of_hex(std::string_view text) {
  Fingerprint fingerprint;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fingerprint.bits, 16);
  if (text.size() != kFingerprintDigits || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return fingerprint;
}

std::uint64_t letters_of(const ScriptCounts& scripts) {
  std::uint64_t letters = 0;
  for (const std::uint64_t count : scripts) letters += count;
  return letters;
}

// `part` of `whole` in units of 1/scale, rounded half up.
std::uint64_t share(std::uint64_t part, std::uint64_t whole, std::uint64_t scale) {
  return (part * scale + whole / 2) / whole;
}

// "han 91 %, latin 9 %": the largest first, nothing below half a percent.
std::string shares_for_people(const ScriptCounts& scripts) {
  const std::uint64_t letters = letters_of(scripts);
  if (letters == 0) return "no letters";
  std::array<std::size_t, kScripts> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return scripts[a] != scripts[b] ? scripts[a] > scripts[b] : a < b;
  });
  std::string text;
  for (const std::size_t i : order) {
    const std::uint64_t percent = share(scripts[i], letters, 100);
    if (percent > 0) text += fmt::format("{}{} {} %", text.empty() ? "" : ", ", kScriptNames[i], percent);
  }
  return text;
}

Json shares_for_programs(const ScriptCounts& scripts) {
  Json shares = Json::object();
  for (std::size_t i = 0; i < kScripts; ++i) {
    if (scripts[i] == 0) continue;
    shares[std::string(kScriptNames[i])] =
        static_cast<double>(share(scripts[i], letters_of(scripts), 1000)) / 1000;
  }
  return shares;
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

class Fingerprints {
 public:
  Fingerprints(const FingerprintCommandOptions& options, const Config& config, const Preset& preset,
               const SignerOptions& signing, const Streams& streams)
      : options_(options),
        config_(config),
        reader_(config, preset, streams),
        kind_(signing.fingerprint),
        signer_(signing) {
    if (options.whole) reader_.take_whole();
    if (const std::string remark = idf_remark(config, signing); !remark.empty()) reader_.complain(remark);
  }

  int print() {
    std::uint64_t all = 0;
    Rejects rejects;
    Row row;
    const auto take = [&](const ReadDocument& read) {
      sign(read, row);
      ++all;
      if (row.reason) rejects.add(*row.reason);
      output_ += options_.json ? json_line(row, read) : text_line(row, read);
      return true;
    };
    const int ended = reader_.read(options_.paths, take, [&] { return flush(); });
    if (ended != kExitOk) return ended;
    if (rejects.all() < all || all == 0) return kExitOk;
    const bool none_is_json = rejects.of(RejectReason::kNotJson) == all;
    reader_.complain(rejects.no_document(config_) +
                     (none_is_json ? reader_.or_whole(RejectReason::kNotJson) : ""));
    return kExitData;
  }

  int compare() {
    std::array<Fingerprint, 2> pair{};
    for (std::size_t i = 0; i < pair.size(); ++i) {
      if (const int failed = operand(options_.paths[i], pair[i]); failed != kExitOk) return failed;
    }
    const int distance = hamming_distance(pair[0], pair[1]);
    const double similarity = similarity_permille(distance, kind_) / 1000.0;
    output_ = options_.json ? dump({{"distance", distance},
                                    {"similarity", similarity},
                                    {kind_name(), {hex(pair[0]), hex(pair[1])}}})
                            : fmt::format("distance {}  similarity {:.3f}\n", distance, similarity);
    return flush() ? kExitOk : kExitIo;
  }

 private:
  void sign(const ReadDocument& read, Row& row) {
    row.reason = read.reason;
    row.digest.clear();
    const bool is_digest = read.document.format == Document::Format::kDigest;
    if (options_.html && !is_digest) read.document.format = Document::Format::kHtml;
    if (!row.reason) row.reason = signer_.sign(read.document, row.signature);
    if (row.reason) return;
    if (is_digest) {
      row.digest = read.document.body;
      return;
    }
    row.features = signer_.features();
    row.fell_back = signer_.fell_back();
    row.scripts = count_scripts(signer_.canonical().text);
    if (options_.json) shingles_.sign(signer_.canonical(), tokens_, row.shingles);
  }

  static std::string text_line(const Row& row, const ReadDocument& read) {
    const std::string id = harmless(read.name());
    if (row.reason) return fmt::format("{:-<16}  rejected: {:<49}  {}\n", "", name(*row.reason), id);
    if (!row.digest.empty()) {
      return fmt::format("{}  digest alone: {:<45}  {}\n", hex(row.signature.fingerprint),
                         harmless(row.digest), id);
    }
    return fmt::format("{}  {:>8} tokens  {:>8} features  {:<24}  {}\n", hex(row.signature.fingerprint),
                       row.signature.tokens, row.features, shares_for_people(row.scripts), id);
  }

  std::string kind_name() const {
    return std::string(kFingerprintKindNames[static_cast<std::size_t>(kind_)]);
  }

  std::string json_line(const Row& row, const ReadDocument& read) {
    Json json = Json::object();
    if (!read.document.id.empty()) json["id"] = read.document.id;
    if (row.reason) {
      json["reason"] = name(*row.reason);
    } else {
      json[kind_name()] = hex(row.signature.fingerprint);
      json["exact"] = hex(row.signature.exact);
    }
    if (!row.digest.empty()) {
      json["digest"] = row.digest;
    } else if (!row.reason) {
      json["tokens"] = row.signature.tokens;
      json["features"] = row.features;
      json["fell_back"] = row.fell_back;
      json["shingles"] = {{"kind", row.shingles.kind == ShingleKind::kWords ? "words" : "characters"},
                          {"count", row.shingles.shingles},
                          {"sketch", hex(row.shingles.sketch)}};
      json["scripts"] = shares_for_programs(row.scripts);
    }
    json["source"] = {{"topic", read.topic}, {"offset", read.document.source.offset}};
    return dump(json);
  }

  // The fingerprint that `text` is or names.
  int operand(const std::string& text, Fingerprint& fingerprint) {
    if (const std::optional<Fingerprint> given = fingerprint_of_hex(text)) {
      fingerprint = *given;
      return kExitOk;
    }
    std::vector<Row> rows;
    const int ended = reader_.read({text}, [&](const ReadDocument& read) {
      sign(read, rows.emplace_back());
      return rows.size() < 2;
    });
    if (ended != kExitOk) return ended;
    if (rows.size() != 1) {
      reader_.complain(text + (rows.empty() ? " holds no document" : " holds more than one document") +
                       "; --distance compares one with one" +
                       (rows.empty() || !rows[0].reason ? "" : reader_.or_whole(*rows[0].reason)));
      return kExitData;
    }
    if (rows[0].reason) {
      reader_.complain(text + " has no fingerprint: rejected as " + std::string(name(*rows[0].reason)) +
                       reader_.or_whole(*rows[0].reason));
      return kExitData;
    }
    if (!rows[0].digest.empty()) {
      reader_.complain(text +
                       " holds a digest in place of a text: it has no distance; `neardup explain` tells " +
                       "whether another is equal");
      return kExitData;
    }
    fingerprint = rows[0].signature.fingerprint;
    return kExitOk;
  }

  // False: nobody will read what is written any more.
  bool flush() { return reader_.write(std::exchange(output_, {})) == kExitOk; }

  const FingerprintCommandOptions& options_;
  const Config& config_;
  DocumentReader reader_;
  FingerprintKind kind_;
  Signer signer_;
  TokenStream tokens_;
  ShingleSigner<kStandardSketchBytes> shingles_;
  std::string output_;
};

}  // namespace

int run_fingerprint(const FingerprintCommandOptions& options, const Config& config, const Streams& streams) {
  CHECK(!options.distance || options.paths.size() == 2, "the command line is checked");
  const Preset preset = resolve_preset_of_lines(config.input);
  const Result<SignerOptions> signing = resolve_signer_options(config);
  if (!signing) return report_config_error(signing.error());
  const SignalScope signals;
  Fingerprints fingerprints(options, config, preset, *signing, streams);
  return options.distance ? fingerprints.compare() : fingerprints.print();
}

}  // namespace neardup
