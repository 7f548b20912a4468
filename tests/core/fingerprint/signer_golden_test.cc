// Are signatures still what they were? Journals and snapshots hold them for years.
//
// tests/golden/signatures.jsonl has one text a line, by one of `text`, `html`, `base64` (bytes that are not
// UTF-8) or a rule for a long one (`repeat` a string `times` times; `count_to` n: the numbers from 0, a space
// behind each), and the signature it must have; a text without tokens has none. `wide` is the fingerprint's
// second word, for 128 bits. tests/reference/signature.py computes the same from the specification.
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
#include <string>
#include <string_view>
#include <vector>

#include "core/fingerprint/signer.h"
#include "core/text/folder.h"
#include "tests/core/fingerprint/tiers.h"
#include "tests/support/plain_base64.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFile = NEARDUP_SOURCE_DIR "/tests/golden/signatures.jsonl";

std::string hex(std::uint64_t value) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

Document document_of(const Json& line) {
  Document document;
  document.id = line.at("name");
  if (line.contains("text")) {
    document.body = line["text"];
  } else if (line.contains("html")) {
    document.body = line["html"];
    document.format = Document::Format::kHtml;
  } else if (line.contains("base64")) {
    document.body = from_base64(line["base64"].get<std::string>());
  } else if (line.contains("repeat")) {
    for (int i = 0; i < line.at("times").get<int>(); ++i) document.body += line["repeat"].get<std::string>();
  } else {
    for (int i = 0; i < line.at("count_to").get<int>(); ++i) document.body += std::to_string(i) + " ";
  }
  return document;
}

std::vector<Json> read_lines() {
  std::vector<Json> lines;
  std::ifstream file(kFile);
  for (std::string line; std::getline(file, line);) lines.push_back(Json::parse(line));
  return lines;
}

std::uint64_t second_word(std::string_view text) {
  CanonicalText canonical;
  canonicalize(text, canonical);
  TierReader reader(isa());
  reader.read(canonical.text);
  return reader.wide_fingerprint[1];
}

Json signature_of(const Document& document, Signer& signer) {
  Signature signature;
  if (signer.sign(document, signature)) return {{"tokens", 0}};
  Json json = {{"tokens", signature.tokens},
               {"exact", hex(signature.exact.high) + hex(signature.exact.low)},
               {"fingerprint", hex(signature.fingerprint.bits)}};
  if (document.format == Document::Format::kText) json["wide"] = hex(second_word(document.body));
  return json;
}

TEST(SignerGolden, every_text_has_the_signature_it_always_had) {
  const char* const update = std::getenv("NEARDUP_GOLDEN_UPDATE");
  std::vector<Json> lines = read_lines();
  ASSERT_GE(lines.size(), 20U) << kFile;
  Signer signer;
  for (Json& line : lines) {
    SCOPED_TRACE(line.at("name").get<std::string>());
    const Json computed = signature_of(document_of(line), signer);
    if (update != nullptr) line.update(computed);
    for (const auto& [key, value] : computed.items()) EXPECT_EQ(line.at(key), value) << key;
  }
  if (update != nullptr) {
    std::ofstream file(kFile);
    for (const Json& line : lines) file << line.dump() << "\n";
  }
}

}  // namespace
}  // namespace neardup
