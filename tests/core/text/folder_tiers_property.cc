// The folder's vector tiers against its scalar definition: the same bits, nothing read that is not there.
//
// NEARDUP_CASES multiplies the number of cases; evaluation_sets_fold_alike folds every line of every *.jsonl
// file below NEARDUP_DATA, a directory, which tests/bench/evaluation.py finds and names.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/folder.h"
#include "core/text/utf8.h"
#include "tests/core/text/folder_tiers.h"
#include "tests/core/text/random_text.h"
#include "tests/support/every_tier.h"

namespace neardup {
namespace {

constexpr std::uint64_t kSeed = 20240301;

std::uint64_t cases(std::uint64_t base) {
  const char* const factor = std::getenv("NEARDUP_CASES");
  return factor == nullptr ? base : base * std::strtoull(factor, nullptr, 10);
}

// A place for bytes with a page before and a page after that nobody may touch.
class GuardedBytes {
 public:
  static constexpr std::size_t kSize = 4096;

  GuardedBytes() {
    EXPECT_EQ(kSize % static_cast<std::size_t>(getpagesize()), 0U);
    pages_ = static_cast<char*>(mmap(nullptr, 3 * kSize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_EQ(mprotect(pages_ + kSize, kSize, PROT_READ | PROT_WRITE), 0);
  }
  ~GuardedBytes() { munmap(pages_, 3 * kSize); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  // A copy of `bytes` that ends where the page ends, or starts where it starts.
  std::string_view at_end(std::string_view bytes) { return put(pages_ + 2 * kSize - bytes.size(), bytes); }
  std::string_view at_start(std::string_view bytes) { return put(pages_ + kSize, bytes); }

 private:
  static std::string_view put(char* to, std::string_view bytes) {
    std::memcpy(to, bytes.data(), bytes.size());
    return {to, bytes.size()};
  }

  char* pages_;
};

class FolderTiers : public testing::Test {
 protected:
  void TearDown() override { skip_unless_every_tier_ran(); }
};

TEST_F(FolderTiers, short_mixtures_fold_alike) {
  RandomText random(kSeed);
  CanonicalText out;
  for (std::uint64_t i = 0; i < cases(400000); ++i) {
    std::string bytes = random.valid(1 + random.below(120));
    if (random.below(3) == 0) random.damage(bytes, 1 + random.below(4));
    canonicalize_by_all(bytes, out);
    if (testing::Test::HasFailure()) FAIL() << "seed " << kSeed << " case " << i << ": " << hex(bytes);
  }
}

TEST_F(FolderTiers, running_text_folds_alike) {
  RandomText random(kSeed + 1);
  CanonicalText out;
  for (std::uint64_t i = 0; i < cases(400000); ++i) {
    std::string bytes = random.running(1 + random.below(200));
    if (random.below(3) == 0) random.damage(bytes, 1 + random.below(8));
    canonicalize_by_all(bytes, out);
    if (testing::Test::HasFailure()) FAIL() << "seed " << kSeed + 1 << " case " << i << ": " << hex(bytes);
  }
}

TEST_F(FolderTiers, random_bytes_fold_alike) {
  RandomText random(kSeed + 2);
  CanonicalText out;
  std::string bytes;
  for (std::uint64_t i = 0; i < cases(200000); ++i) {
    bytes.resize(random.below(200));
    for (char& byte : bytes) byte = static_cast<char>(random.below(256));
    canonicalize_by_all(bytes, out);
    if (testing::Test::HasFailure()) FAIL() << "seed " << kSeed + 2 << " case " << i << ": " << hex(bytes);
  }
}

// Any two bytes among ideographs, with one more behind them or not, and at the end of the text.
TEST_F(FolderTiers, what_resembles_an_ideograph_folds_alike) {
  std::string chinese;
  while (chinese.size() < 130) chinese += "\u4e2d\u6587";
  CanonicalText out;
  for (unsigned first = 0xC0; first <= 0xFF; ++first) {
    for (unsigned second = 0x7F; second <= 0xC0; ++second) {
      for (const std::size_t place : {0U, 57U, 60U, 63U, 129U}) {
        for (const std::string_view behind : {"", "\x80", "\xB8", "a"}) {
          const std::string bytes = {static_cast<char>(first), static_cast<char>(second)};
          const std::string before = chinese.substr(0, place);
          canonicalize_by_all(before + bytes + std::string(behind) + chinese, out);
          canonicalize_by_all(before + bytes + std::string(behind), out);
          if (testing::Test::HasFailure()) FAIL() << place << ": " << hex(bytes + std::string(behind));
        }
      }
    }
  }
}

// Chinese whose blocks of 64 bytes end before, behind and within a character of any kind, whole or cut, with
// any other behind it.
TEST_F(FolderTiers, blocks_that_end_within_a_character_fold_alike) {
  constexpr std::string_view kPieces[] = {"中",     "か",   "\u3099",   "、",   "－",       "Ａ", "é",
                                          "\u00A0", "한",   "가",       "🔎",   "x",        "7",  " ",
                                          "\n",     "\xE4", "\xE4\xB8", "\xB8", "\xE3\x81", ""};
  std::string chinese;
  while (chinese.size() < 66) chinese += "中文";
  CanonicalText out;
  for (std::size_t at = 58; at <= 66; ++at) {
    std::string before = "abc" + chinese;
    before = before.substr(3 - at % 3, at);
    for (const std::string_view first : kPieces) {
      for (const std::string_view second : kPieces) {
        for (const std::string_view third : kPieces) {
          const std::string bytes = before + std::string(first) + std::string(second) + std::string(third);
          canonicalize_by_all(bytes, out);
          canonicalize_by_all(bytes + chinese + chinese, out);
          if (testing::Test::HasFailure()) FAIL() << at << ": " << hex(bytes);
        }
      }
    }
  }
}

// English with a character of several bytes here and there, at each place near a block's end; damaged too.
TEST_F(FolderTiers, one_character_among_ascii_folds_alike) {
  std::string english;
  while (english.size() < 200) english += "a Word ";
  CanonicalText out;
  const auto check = [&](char32_t first, char32_t last) {
    for (char32_t c = first; c <= last; ++c) {
      char bytes[4];
      const std::string character(bytes, encode_utf8(c, bytes));
      for (const std::size_t place : {0U, 20U, 60U, 61U, 62U, 63U, 64U}) {
        std::string text = english;
        text.replace(place, character.size(), character);
        canonicalize_by_all(text, out);
        text.erase(place + character.size() - 1, 1);
        canonicalize_by_all(text, out);
        if (testing::Test::HasFailure())
          FAIL() << "U+" << std::hex << unsigned{c} << " at " << std::dec << place;
      }
    }
  };
  check(0x80, 0xFF);
  check(0x2000, 0x2FFF);
  check(0x1F000, 0x1FBFF);
}

TEST_F(FolderTiers, documents_fold_alike) {
  RandomText random(kSeed + 3);
  CanonicalText out;
  for (std::uint64_t i = 0; i < cases(300); ++i) {
    std::string bytes = random.running(40000);
    if (random.below(2) == 0) random.damage(bytes, 1 + random.below(50));
    canonicalize_by_all(bytes, out);
    if (testing::Test::HasFailure()) FAIL() << "seed " << kSeed + 3 << " case " << i;
  }
}

// Each length at each place in a vector, since the end is fixed; a kernel that reads on meets the guard page.
TEST_F(FolderTiers, no_length_reads_beyond_its_bytes) {
  RandomText random(kSeed + 4);
  GuardedBytes guarded;
  CanonicalText out;
  for (std::size_t size = 0; size <= 300; ++size) {
    for (std::uint64_t i = 0; i < cases(20); ++i) {
      std::string bytes = i % 2 == 0 ? random.running(1200) : random.valid(600);
      while (bytes.size() < size) bytes += "ab, 年。 é";
      bytes.resize(size);  // may end within a character
      canonicalize_by_all(guarded.at_end(bytes), out);
      canonicalize_by_all(guarded.at_start(bytes), out);
      if (testing::Test::HasFailure()) FAIL() << "seed " << kSeed + 4 << " case " << i << ": " << hex(bytes);
    }
  }
}

TEST_F(FolderTiers, text_that_grows_at_every_character_fits) {
  CanonicalText out;
  for (const std::string_view unit : {"年a", "a年", "年é", "한年", "ﷺ年", "ﷺ", "½年", "a年\n"}) {
    for (const std::size_t times : {1U, 20U, 64U, 1000U, 30000U}) {
      std::string bytes;
      for (std::size_t i = 0; i < times; ++i) bytes += unit;
      canonicalize_by_all(bytes, out);
    }
  }
}

// What is behind the text is part of what a reader may rely on.
TEST_F(FolderTiers, zeros_follow_the_text) {
  RandomText random(kSeed + 5);
  CanonicalText out;
  for (const Isa tier : tiers()) {
    for (int i = 0; i < 1000; ++i) {
      internal::canonicalize_by(tier, random.running(300), out);
      const std::string_view behind(out.text.data() + out.text.size(), PaddedBytes::kPadding);
      ASSERT_EQ(behind.find_first_not_of('\0'), std::string_view::npos) << isa_name(tier);
    }
  }
}

TEST_F(FolderTiers, evaluation_sets_fold_alike) {
  const char* const folder = std::getenv("NEARDUP_DATA");
  if (folder == nullptr) GTEST_SKIP() << "NEARDUP_DATA names no directory";
  CanonicalText out;
  std::uint64_t texts = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (file.path().extension() != ".jsonl") continue;
    std::ifstream lines(file.path());
    for (std::string line; std::getline(lines, line);) {
      canonicalize_by_all(line, out);
      const nlohmann::json document = nlohmann::json::parse(line);
      for (const nlohmann::json& field : document) {
        if (!field.is_string()) continue;
        canonicalize_by_all(field.get_ref<const std::string&>(), out);
        ++texts;
      }
      if (testing::Test::HasFailure()) FAIL() << file.path() << ": " << line;
    }
  }
  EXPECT_GT(texts, 0U);
  RecordProperty("texts", std::to_string(texts));
}

}  // namespace
}  // namespace neardup
