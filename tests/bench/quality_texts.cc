// Texts for tests/bench/verdict_quality.py, as JSON lines {"id", "text"}.
//
//   quality_texts notices SEED COUNT      notices of all forms, COUNT of each; after every fourth an edited
//                                         copy of it, whose id ends with ".edited"
//   quality_texts respelled SEED < DOCS   the canonical texts of the documents, in another spelling
//
// Another spelling exchanges the letters of the Latin alphabet for each other, as a seed has it, likewise the
// digits, and the characters of Han, Hangul, hiragana, katakana and Thai. Which texts are equal, how many
// edits they are apart, which shingles they share and what is a number: all of that stays as it was. But
// every hash is another. So what verdicts change by is what hashing decides, and no detector needs a seed for
// it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/fingerprint/signer.h"
#include "core/text/folder.h"
#include "core/text/utf8.h"
#include "tests/support/generated_notices.h"
#include "tests/support/number_argument.h"

namespace neardup {
namespace {

void write(const std::string& id, std::string_view text) {
  std::cout << nlohmann::json{{"id", id}, {"text", text}}.dump() << '\n';
}

int write_notices(std::uint64_t seed, std::size_t count) {
  GeneratedNotices notices(seed);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t form = 0; form < GeneratedNotices::forms(); ++form) {
      const GeneratedNotices::Pair pair = notices.pair(form);
      const std::string id = std::to_string(form) + '/' + std::to_string(i);
      write(id, pair.notice);
      if (i % 4 == 0) write(id + ".edited", pair.edited);
    }
  }
  return 0;
}

// A character for a character: the alphabets' own, in an order drawn from the seed.
class Spelling {
 public:
  explicit Spelling(std::uint64_t seed) : random_(seed) {
    exchange(U'a', U'z');
    exchange(U'0', U'9');
    exchange(0x4E00, 0x9FA5);  // Han
    exchange(0xAC00, 0xD7A3);  // Hangul
    exchange(0x3041, 0x3096);  // hiragana
    exchange(0x30A1, 0x30FA);  // katakana
    exchange(0x0E01, 0x0E2E);  // Thai consonants
  }

  std::string respelled(std::string_view text) const {
    std::string out;
    while (!text.empty()) {
      const DecodedCodePoint next = decode_utf8(text);
      const auto found = to_.find(next.code_point);
      char bytes[4];
      out.append(bytes, encode_utf8(found == to_.end() ? next.code_point : found->second, bytes));
      text.remove_prefix(next.size);
    }
    return out;
  }

 private:
  // Those that canonical text may hold.
  void exchange(char32_t first, char32_t last) {
    std::vector<char32_t> letters;
    CanonicalText canonical;
    for (char32_t c = first; c <= last; ++c) {
      char bytes[4];
      const std::string_view letter(bytes, static_cast<std::size_t>(encode_utf8(c, bytes) - bytes));
      canonicalize(letter, canonical);
      if (canonical.text.view() == letter) letters.push_back(c);
    }
    std::vector<char32_t> drawn = letters;
    for (std::size_t i = drawn.size(); i > 1; --i) std::swap(drawn[i - 1], drawn[random_() % i]);
    for (std::size_t i = 0; i < letters.size(); ++i) to_[letters[i]] = drawn[i];
  }

  std::mt19937_64 random_;
  std::unordered_map<char32_t, char32_t> to_;
};

int write_respelled(std::uint64_t seed) {
  const Spelling spelling(seed);
  Signer signer;
  CanonicalText again;
  Document document;
  Signature signature;
  for (std::string line; std::getline(std::cin, line);) {
    const auto record = nlohmann::json::parse(line);
    const bool is_html = !record.contains("text");
    document.format = is_html ? Document::Format::kHtml : Document::Format::kText;
    document.body = record[is_html ? "html" : "text"].get<std::string>();
    std::string text;
    if (!signer.sign(document, signature)) text = spelling.respelled(signer.canonical().text);
    canonicalize(text, again);
    CHECK(again.text.view() == text, "another spelling is canonical, too");
    write(record["id"].get<std::string>(), text);
  }
  return 0;
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  const auto number = [&](std::size_t i) {
    return i < arguments.size() ? neardup::number_argument<std::uint64_t>(arguments[i]) : std::nullopt;
  };
  const auto seed = number(1);
  const auto count = number(2);
  if (arguments.size() == 3 && arguments[0] == "notices" && seed && count)
    return neardup::write_notices(*seed, *count);
  if (arguments.size() == 2 && arguments[0] == "respelled" && seed) return neardup::write_respelled(*seed);
  std::fprintf(stderr, "usage: quality_texts notices SEED COUNT | respelled SEED < DOCS\n");
  return 64;
}
