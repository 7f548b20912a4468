#include "core/fingerprint/shingle_signer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/text/utf8.h"
#include "tests/reference/naive_shingles.h"

namespace neardup {
namespace {

using Tokens = std::vector<std::uint64_t>;

Tokens tokens(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  Tokens result(count);
  for (std::uint64_t& token : result) token = draw() % 5 == 0 ? 7 : draw();  // "the"
  return result;
}

// Canonical text need not make sense: code points of one to four bytes.
std::string text(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::string result(4 * count, '\0');
  char* end = result.data();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t kind = draw() % 20;
    const char32_t c = kind < 14   ? 0x4E00 + static_cast<char32_t>(draw() % 3000)
                       : kind < 17 ? 'a' + static_cast<char32_t>(draw() % 26)
                       : kind < 18 ? U' '
                       : kind < 19 ? 0x430 + static_cast<char32_t>(draw() % 32)
                                   : 0x20000 + static_cast<char32_t>(draw() % 40000);
    end = encode_utf8(c, end);
  }
  result.resize(static_cast<std::size_t>(end - result.data()));
  return result;
}

template <std::size_t kBytes>
void expect_words_as_defined(const Tokens& units) {
  static ShingleSigner<kBytes> signer;
  ShingleSignature<kBytes> signature;
  signer.sign_words(units, signature);
  ASSERT_EQ(signature, reference::signature<kBytes>(ShingleKind::kWords, units)) << units.size();
  const Tokens expected = reference::kept(reference::shingles(ShingleKind::kWords, units));
  ASSERT_EQ(Tokens(signer.shingles().begin(), signer.shingles().end()), expected) << units.size();
}

template <std::size_t kBytes>
void expect_characters_as_defined(const std::string& canonical) {
  static ShingleSigner<kBytes> signer;
  const Tokens units = reference::characters(canonical);
  ShingleSignature<kBytes> signature;
  signer.sign_characters(canonical, signature);
  ASSERT_EQ(signature, reference::signature<kBytes>(ShingleKind::kCharacters, units)) << units.size();
  const Tokens expected = reference::kept(reference::shingles(ShingleKind::kCharacters, units));
  ASSERT_EQ(Tokens(signer.shingles().begin(), signer.shingles().end()), expected) << units.size();
}

TEST(ShingleSigner, signs_every_length_of_short_text_as_defined) {
  for (std::size_t size = 0; size <= 300; ++size) {
    expect_words_as_defined<kStandardSketchBytes>(tokens(size, size));
    expect_words_as_defined<kCompactSketchBytes>(tokens(size, size));
    expect_characters_as_defined<kStandardSketchBytes>(text(size, size));
    expect_characters_as_defined<kCompactSketchBytes>(text(size, size));
  }
}

// Portions are 6144 tokens or bytes, 2048 shingles are kept whole, samples begin at 720 and 1104.
TEST(ShingleSigner, signs_around_every_border_as_defined) {
  for (const std::size_t border : {720, 1104, 1500, 2048, 2050, 4096, 4098, 6144}) {
    for (std::size_t size = border - 6; size <= border + 6; ++size) {
      expect_words_as_defined<kStandardSketchBytes>(tokens(size, size));
      expect_words_as_defined<kCompactSketchBytes>(tokens(size, size));
      expect_characters_as_defined<kStandardSketchBytes>(text(size, size));
    }
  }
  for (std::size_t spaces = 0; spaces < 8; ++spaces) {  // the portion's end in each byte of a character
    for (const std::string_view character : {"a", "я", "字", "𠀀"}) {
      std::string canonical(spaces, 'x');
      while (canonical.size() < 6144 + 40) canonical += character;
      expect_characters_as_defined<kStandardSketchBytes>(canonical);
      for (int cut = 0; cut < 14; ++cut) {
        canonical.resize(canonical.size() - character.size());
        expect_characters_as_defined<kStandardSketchBytes>(canonical);
      }
    }
  }
}

TEST(ShingleSigner, signs_long_and_repetitive_texts_as_defined) {
  expect_words_as_defined<kStandardSketchBytes>(tokens(100000, 1));
  expect_characters_as_defined<kCompactSketchBytes>(text(100000, 1));
  Tokens repeated;
  std::string repeated_text;
  for (int i = 0; i < 700; ++i) {
    for (const std::uint64_t token : tokens(130, 9)) repeated.push_back(token);
    repeated_text += text(130, 9);
  }
  expect_words_as_defined<kStandardSketchBytes>(repeated);
  expect_words_as_defined<kCompactSketchBytes>(repeated);
  expect_characters_as_defined<kStandardSketchBytes>(repeated_text);
  expect_words_as_defined<kStandardSketchBytes>(Tokens(50000, 3));
}

TEST(ShingleSigner, portions_of_any_size_give_the_same_signature) {
  std::mt19937_64 draw(8);
  ShingleSigner<kStandardSketchBytes> signer;
  for (const ShingleKind kind : {ShingleKind::kWords, ShingleKind::kCharacters}) {
    for (const std::size_t size : {1, 2, 4, 7, 40, 700, 5000, 20000}) {
      for (const std::size_t portion_max : {1, 3, 5, 100, 2048, 9000}) {
        Tokens units = tokens(size, size + portion_max);
        if (draw() % 2 == 0) {  // and when the sample is drawn again
          for (std::size_t i = 50; i < size; ++i) units[i] = units[i - 50];
        }
        ShingleSignature<kStandardSketchBytes> signature;
        signer.begin(kind, size);
        do {
          for (std::span<const std::uint64_t> rest = units; !rest.empty();) {
            const std::size_t portion = std::min<std::size_t>(rest.size(), 1 + draw() % portion_max);
            signer.add(rest.first(portion));
            rest = rest.subspan(portion);
          }
        } while (!signer.finish(signature));
        ASSERT_EQ(signature, reference::signature<kStandardSketchBytes>(kind, units))
            << size << ' ' << portion_max;
        const Tokens kept(signer.shingles().begin(), signer.shingles().end());
        ASSERT_EQ(kept.size(), reference::kept(reference::shingles(kind, units)).size());
      }
    }
  }
}

TEST(ShingleSigner, what_was_signed_before_leaves_no_trace) {
  ShingleSigner<kStandardSketchBytes> used;
  ShingleSignature<kStandardSketchBytes> signature;
  for (const std::size_t size : {5000, 3, 100000, 0, 300, 1}) {
    used.sign_characters(text(size, 5), signature);
    used.sign_words(tokens(size, 5), signature);
    ShingleSigner<kStandardSketchBytes> fresh;
    ShingleSignature<kStandardSketchBytes> expected;
    fresh.sign_words(tokens(size, 5), expected);
    EXPECT_EQ(signature, expected);
  }
}

TEST(ShingleSigner, one_text_may_be_signed_by_both_kinds) {
  ShingleSigner<kStandardSketchBytes> signer;
  ShingleSignature<kStandardSketchBytes> words;
  ShingleSignature<kStandardSketchBytes> characters;
  signer.sign_words(tokens(50, 1), words);
  signer.sign_characters(text(50, 1), characters);
  EXPECT_EQ(words.kind, ShingleKind::kWords);
  EXPECT_EQ(words.shingles, 48U);
  EXPECT_EQ(characters.kind, ShingleKind::kCharacters);
  EXPECT_EQ(characters.shingles, 46U);
}

// The kind that suits the text, of its tokens or its code points; the stream is the caller's, used before.
TEST(ShingleSigner, a_text_is_signed_by_the_kind_that_suits_it) {
  std::string english;
  std::string chinese;
  for (int i = 0; i < 5000; ++i) {
    english += "word" + std::to_string(i * i % 3001) + " and ";
    chinese += i % 3 == 0 ? "春节" : "你好吗";
  }
  static ShingleSigner<96> signer;
  static TokenStream stream;
  for (const auto& [bytes, kind] :
       {std::pair{&english, ShingleKind::kWords}, {&chinese, ShingleKind::kCharacters}}) {
    CanonicalText canonical;
    canonicalize(*bytes, canonical);
    ShingleSignature<96> signature;
    signer.sign(canonical, stream, signature);
    ShingleSignature<96> expected;
    if (kind == ShingleKind::kCharacters) {
      signer.sign_characters(canonical.text, expected);
    } else {
      Tokens hashes;
      stream.open(canonical.text);
      for (TokenBatch batch; stream.next(batch);)
        hashes.insert(hashes.end(), batch.hashes, batch.hashes + batch.size);
      signer.sign_words(hashes, expected);
    }
    EXPECT_EQ(signature.kind, kind);
    EXPECT_EQ(signature, expected);
  }
}

}  // namespace
}  // namespace neardup
