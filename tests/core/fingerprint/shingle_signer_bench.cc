// How long does a shingle signature take? CPU time of one thread, median of rounds, texts in the cache:
//
//   shingle_signer_bench [ROUNDS] [DOCS.jsonl...]
//
// Texts are generated (words as often as in English, ideographs as often as in Chinese), or the field `text`
// of the files given. The tier is the one in use: NEARDUP_ISA chooses another. Ends with a digest of the
// signatures, so that faster never quietly means different.

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/base/isa.h"
#include "core/fingerprint/feature.h"
#include "core/fingerprint/minhash.h"
#include "core/fingerprint/shingle_signer.h"
#include "core/text/folder.h"
#include "core/text/tokenizer.h"
#include "core/text/utf8.h"
#include "tests/support/cpu_clock.h"
#include "tests/support/generated_text.h"
#include "tests/support/number_argument.h"

namespace neardup {
namespace {

struct Text {
  std::string canonical;
  std::vector<std::uint64_t> tokens;
  ShingleKind kind;
};

constexpr std::size_t kBytesMax = 300000;  // of the texts of one row, so that they stay in the cache

template <class Work>
double median_seconds(int rounds, const Work& work) {
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) {
    const double begin = cpu_seconds();
    work();
    seconds.push_back(cpu_seconds() - begin);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

Text text_of(const std::string& body) {
  CanonicalText canonical;
  canonicalize(body, canonical);
  Text text{std::string(canonical.text.view()), {}, shingle_kind(canonical.tokens, canonical.characters)};
  TokenReader reader(text.canonical);
  for (Token token; reader.next(token);) {
    text.tokens.push_back(token_feature(token.bytes));
  }
  return text;
}

std::uint64_t digest = 0;

void print_row(const std::string& name, const std::vector<Text>& texts, int rounds) {
  if (texts.empty()) return;
  ShingleSigner<kStandardSketchBytes> signer;
  std::vector<ShingleSignature<kStandardSketchBytes>> signatures(texts.size());
  const double signing = median_seconds(rounds, [&] {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i].kind == ShingleKind::kWords) {
        signer.sign_words(texts[i].tokens, signatures[i]);
      } else {
        signer.sign_characters(texts[i].canonical, signatures[i]);
      }
    }
  });
  const double estimating = median_seconds(rounds, [&] {
    for (int repeat = 0; repeat < 100; ++repeat) {
      for (std::size_t i = 0; i + 1 < texts.size(); ++i) {
        digest +=
            static_cast<std::uint64_t>(similarity_permille(signatures[i].sketch, signatures[i + 1].sketch));
      }
    }
  });
  const double hashing = median_seconds(rounds, [&] {
    MinHash minhash;
    for (const Text& text : texts) {
      minhash.clear();
      minhash.add(text.tokens);
      digest += minhash.finish().bits;
    }
  });
  double bytes = 0;
  double shingles = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    bytes += static_cast<double>(texts[i].canonical.size());
    shingles += signatures[i].shingles;
    digest = (digest ^ signatures[i].minima.first[i % kMinimaBins]) * 0x9E3779B97F4A7C15;
  }
  const auto count = static_cast<double>(texts.size());
  const double pairs = std::max(1.0, 100 * (count - 1));
  std::printf("%-28s %7.0f %8.0f %8.3f %8.0f %9.1f %8.0f\n", name.c_str(), bytes / count, shingles / count,
              signing * 1e6 / (bytes / 1024), signing * 1e9 / count, estimating * 1e9 / pairs,
              hashing * 1e9 / count);
}

std::vector<Text> english(std::size_t bytes) {
  GeneratedText pages(bytes, 1);
  GeneratedText::Page page;
  std::vector<Text> texts;
  for (std::size_t all = 0; all < kBytesMax && texts.size() < 2000; all += bytes) {
    pages.next(page);
    texts.push_back(text_of(page.record.substr(page.record.find("\"text\":\"") + 8)));
  }
  return texts;
}

std::vector<Text> chinese(std::size_t bytes) {
  std::mt19937_64 draw(2);
  std::vector<Text> texts;
  for (std::size_t all = 0; all < kBytesMax && texts.size() < 2000; all += bytes) {
    std::string body;
    while (body.size() < bytes) {
      std::array<char, 4> character;
      const std::uint64_t rank = draw() % 3000 * (draw() % 3000) / 3000;  // the common ones more often
      body.append(character.data(), encode_utf8(0x4E00 + static_cast<char32_t>(rank * 7), character.data()));
      if (draw() % 80 == 0) body += " 2021 ";
    }
    texts.push_back(text_of(body));
  }
  return texts;
}

void run(int rounds, int files, char** names) {
  std::printf("tier %s\n%-28s %7s %8s %8s %8s %9s %8s\n", std::string(isa_name(isa())).c_str(), "texts",
              "bytes", "shingles", "us/KB", "ns/text", "ns/estim.", "minhash");
  for (int file = 0; file < files; ++file) {
    std::array<std::vector<Text>, 2> texts;
    std::array<std::size_t, 2> bytes{};
    std::ifstream in(names[file]);
    for (std::string line; std::getline(in, line);) {
      Text text = text_of(nlohmann::json::parse(line).value("text", ""));
      const auto kind = static_cast<std::size_t>(text.kind);
      if (text.tokens.empty() || bytes[kind] > kBytesMax) continue;
      bytes[kind] += text.canonical.size();
      texts[kind].push_back(std::move(text));
    }
    print_row(std::string(names[file]) + " words", texts[0], rounds);
    print_row(std::string(names[file]) + " characters", texts[1], rounds);
  }
  if (files == 0) {
    for (const std::size_t size : {200, 1000, 5000, 30000}) print_row("english", english(size), rounds);
    for (const std::size_t size : {100, 300, 1300, 8000}) print_row("chinese", chinese(size), rounds);
  }
  std::printf("digest %016llx\n", static_cast<unsigned long long>(digest));
}

}  // namespace
}  // namespace neardup

int main(int count, char** arguments) {
  const int rounds = neardup::number_argument<int>(count > 1 ? arguments[1] : "15").value_or(0);
  if (rounds <= 0) {
    std::fprintf(stderr, "usage: shingle_signer_bench [ROUNDS] [DOCS.jsonl...]\n");
    return 64;
  }
  neardup::run(rounds, std::max(0, count - 2), arguments + 2);
}
