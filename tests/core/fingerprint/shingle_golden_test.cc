// Are shingle signatures still what they were? Journals and snapshots hold them for years.
//
// tests/golden/shingle_signatures.jsonl has one text a line, by one of `text`, `base64` (bytes that are not
// UTF-8) or a rule for a long one (`repeat` a string `times` times; `count_to` n: the numbers from 0 with a
// space between them; `ideographs` n: n different enough Chinese characters), its canonical form (of a rule:
// the text itself), and its signature of the kind that its tokens choose:
//
//   kind, shingles, first, second   the minima, 24 times 8 digits; ffffffff for none
//   sketch, compact                 the bytes of the odd sketches of 96 and 64 bytes: bits, then sampled and
//                                   level, the lower byte first
//   minhash                         of the features of core/fingerprint/feature.h
//
// tests/support/shingle_signatures_test.py computes them all again from the canonical form, in another
// language.
//
// To add a line, write it without a signature and run this test with NEARDUP_GOLDEN_UPDATE=1: it fills in all
// of them. If a line that was there before changes, then stored signatures no longer compare with new ones:
// kSignatureVersion must be raised in the same commit.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fingerprint/feature.h"
#include "core/fingerprint/minhash.h"
#include "core/fingerprint/shingle_signer.h"
#include "core/fingerprint/signer.h"
#include "core/text/folder.h"
#include "core/text/tokenizer.h"
#include "core/text/utf8.h"
#include "tests/support/plain_base64.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFile = NEARDUP_SOURCE_DIR "/tests/golden/shingle_signatures.jsonl";

std::string hex(std::uint64_t value, int digits) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%0*llx", digits, static_cast<unsigned long long>(value));
  return text.data();
}

std::string hex(std::span<const std::uint32_t> values) {
  std::string text;
  for (const std::uint32_t value : values) text += hex(value, 8);
  return text;
}

template <std::size_t kBytes>
std::string hex(const OddSketch<kBytes>& sketch) {
  std::string text;
  for (const std::uint8_t byte : sketch.bits) text += hex(byte, 2);
  for (const std::uint16_t value : {sketch.sampled, sketch.level})
    text += hex(value & 0xFF, 2) + hex(value >> 8, 2);
  return text;
}

std::string text_of(const Json& line) {
  if (line.contains("text")) return line["text"];
  if (line.contains("base64")) return from_base64(line["base64"].get<std::string>());
  std::string text;
  if (line.contains("repeat")) {
    for (int i = 0; i < line.at("times").get<int>(); ++i) text += line["repeat"].get<std::string>();
  } else if (line.contains("count_to")) {
    for (int i = 0; i < line["count_to"].get<int>(); ++i) text += (i > 0 ? " " : "") + std::to_string(i);
  } else {
    for (std::uint64_t i = 0; i < line.at("ideographs").get<std::uint64_t>(); ++i) {
      std::array<char, 4> bytes;
      text.append(bytes.data(), encode_utf8(static_cast<char32_t>(0x4E00 + i * i * i % 19997), bytes.data()));
    }
  }
  return text;
}

struct Hashes {
  std::vector<std::uint64_t> tokens;
  std::vector<std::uint64_t> features;
};

Hashes hashes_of(std::string_view canonical) {
  Hashes hashes;
  TokenReader reader(canonical);
  for (Token token; reader.next(token);) {
    const std::uint64_t hash = token_feature(token.bytes);
    if (token.follows_character && token.kind == Token::Kind::kCharacter) {
      hashes.features.push_back(bigram_feature(hashes.tokens.back(), hash));
    }
    hashes.tokens.push_back(hash);
    hashes.features.push_back(hash);
  }
  return hashes;
}

template <std::size_t kBytes>
ShingleSignature<kBytes> sign(const CanonicalText& canonical, const Hashes& hashes) {
  static ShingleSigner<kBytes> signer;
  ShingleSignature<kBytes> signature;
  if (shingle_kind(canonical.tokens, canonical.characters) == ShingleKind::kWords) {
    signer.sign_words(hashes.tokens, signature);
  } else {
    signer.sign_characters(canonical.text, signature);
  }
  return signature;
}

Json signature_of(const CanonicalText& canonical) {
  const Hashes hashes = hashes_of(canonical.text);
  const auto standard = sign<kStandardSketchBytes>(canonical, hashes);
  const auto compact = sign<kCompactSketchBytes>(canonical, hashes);
  EXPECT_EQ(compact.minima, standard.minima);
  MinHash minhash;
  minhash.add(hashes.features);
  Signer signer({.fingerprint = FingerprintKind::kMinHash, .routes = RouteParts::kNone});
  Document document;
  document.body = std::string(std::string_view(canonical.text));
  Signature signature;
  if (!signer.sign(document, signature)) {
    EXPECT_EQ(signature.fingerprint, minhash.finish()) << document.body;
  }
  return {{"kind", standard.kind == ShingleKind::kWords ? "words" : "characters"},
          {"shingles", standard.shingles},
          {"first", hex(standard.minima.first)},
          {"second", hex(standard.minima.second)},
          {"sketch", hex(standard.sketch)},
          {"compact", hex(compact.sketch)},
          {"minhash", hex(minhash.finish().bits, 16)}};
}

TEST(ShingleGolden, every_text_has_the_signature_it_always_had) {
  const bool update = std::getenv("NEARDUP_GOLDEN_UPDATE") != nullptr;
  std::vector<Json> lines;
  std::ifstream in(kFile);
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  ASSERT_GE(lines.size(), 40U) << kFile;

  CanonicalText canonical;
  for (Json& line : lines) {
    SCOPED_TRACE(line.at("name").get<std::string>());
    const std::string text = text_of(line);
    canonicalize(text, canonical);
    const bool is_rule = !line.contains("text") && !line.contains("base64");
    if (update && !is_rule) line["canonical"] = canonical.text.view();
    EXPECT_EQ(is_rule ? text : line.at("canonical").get<std::string>(), canonical.text.view());
    const Json signature = signature_of(canonical);
    for (const auto& [name, value] : signature.items()) {
      if (update) line[name] = value;
      EXPECT_EQ(line.at(name), value) << name;
    }
  }
  if (!update) return;
  std::ofstream out(kFile);
  for (const Json& line : lines) out << line.dump() << "\n";
}

}  // namespace
}  // namespace neardup
