// What each option does, seen in fingerprints: weights, words without spaces, stop words, the order of words.
#include "core/fingerprint/weighted_simhash.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/fingerprint/feature.h"
#include "core/fingerprint/hamming.h"
#include "core/fingerprint/signer.h"
#include "core/fingerprint/simhash.h"
#include "core/text/utf8.h"

namespace neardup {
namespace {

std::shared_ptr<const StopWords> stop_words(std::string_view file) {
  return std::make_shared<const StopWords>(*StopWords::parse(file));
}

std::shared_ptr<const IdfTable> idf_table(std::string_view file) {
  return std::make_shared<const IdfTable>(*IdfTable::parse(file));
}

FeatureOptions shingles(int size) {
  FeatureOptions options;
  options.source = FeatureSource::kShingles;
  options.shingle_size = size;
  return options;
}

FeatureOptions ngrams(int size) {
  FeatureOptions options;
  options.source = FeatureSource::kNgrams;
  options.ngram_size = size;
  return options;
}

// With every feature weighed alike, so that the options are not the default ones.
FeatureOptions words() {
  FeatureOptions options;
  options.idf = idf_table("any\t1\n");
  return options;
}

std::optional<Fingerprint> hash_of(const FeatureOptions& options, std::string_view text) {
  CanonicalText canonical;
  canonicalize(text, canonical);
  return WeightedSimHash(options).hash(canonical.text);
}

Fingerprint fingerprint(const FeatureOptions& options, std::string_view text) {
  const std::optional<Fingerprint> hash = hash_of(options, text);
  EXPECT_TRUE(hash) << text;
  return hash.value_or(Fingerprint{});
}

std::uint64_t below(std::mt19937_64& draw, std::uint64_t bound) { return draw() % bound; }

// Words, characters without spaces, and some of every script.
std::string random_text(std::mt19937_64& draw, std::size_t tokens) {
  constexpr std::array<const char*, 8> kOthers = {"한국어를", "ภาษา",     "カタカナ", "привет",
                                                  "مرحبا",    "２０２１", "—",        "naïve"};
  std::string text;
  for (std::size_t i = 0; i < tokens; ++i) {
    switch (below(draw, 4)) {
      case 0:
        text += "w" + std::to_string(below(draw, 50)) + " ";
        break;
      case 1:
        text += kOthers[below(draw, kOthers.size())];
        break;
      default:
        std::array<char, 4> bytes{};
        text.append(bytes.data(), encode_utf8(static_cast<char32_t>(0x4E00 + below(draw, 60)), bytes.data()));
    }
  }
  return text;
}

// ---- The definition ----

// The slow and obvious twin: features in a list, sums in 64 bits.
struct TwinFeature {
  std::uint64_t hash;
  std::int64_t weight;
  bool bigram = false;
};

Fingerprint twin(const std::vector<TwinFeature>& features) {
  std::array<std::array<int, 8192>, 2> taken{};
  std::array<std::int64_t, 64> sums{};
  for (const auto& [feature, weight, bigram] : features) {
    if (weight == 0 || taken[bigram ? 1 : 0][feature >> 51]++ >= 16) continue;
    for (std::size_t bit = 0; bit < 64; ++bit) sums[bit] += (feature >> bit & 1) != 0 ? weight : -weight;
  }
  Fingerprint result;
  for (std::size_t bit = 0; bit < 64; ++bit) {
    const bool one = sums[bit] != 0 ? sums[bit] > 0 : (kTieBits[0] >> bit & 1) != 0;
    result.bits |= std::uint64_t{one} << bit;
  }
  return result;
}

TEST(WeightedSimHash, alike_weights_give_the_fingerprint_of_the_default) {
  std::mt19937_64 draw(2);
  for (const std::size_t tokens : {1, 2, 3, 10, 100, 5000, 60000}) {
    CanonicalText canonical;
    canonicalize(random_text(draw, tokens), canonical);
    WeightedSimHash weighted(words());
    EXPECT_EQ(weighted.hash(canonical.text), simhash(canonical.text)) << tokens;
    Document document;
    document.body = canonical.text.view();
    Signer signer;
    Signature signature;
    ASSERT_EQ(signer.sign(document, signature), std::nullopt);
    EXPECT_EQ(weighted.features(), signer.features()) << tokens;
  }
}

TEST(WeightedSimHash, agrees_with_the_obvious_twin_in_every_mode) {
  std::mt19937_64 draw(3);
  std::string file;
  for (int i = 0; i < 40; ++i) file += "w" + std::to_string(i) + "\t" + std::to_string(i / 4) + ".3\n";
  for (int i = 0; i < 20; ++i) {
    std::array<char, 4> bytes{};
    char* const end = encode_utf8(static_cast<char32_t>(0x4E00 + 3 * i), bytes.data());
    file += std::string(bytes.data(), end) + "\t" + std::to_string(i) + "\n";
  }
  const auto idf = idf_table(file);
  for (int round = 0; round < 300; ++round) {
    CanonicalText canonical;
    canonicalize(random_text(draw, 1 + below(draw, 400)), canonical);
    if (canonical.tokens == 0) continue;
    std::vector<std::uint64_t> tokens;
    std::vector<TwinFeature> features;
    TokenReader reader(canonical.text);
    for (Token token; reader.next(token);) {
      tokens.push_back(token_feature(token.bytes));
      features.push_back({tokens.back(), idf->weight(tokens.back())});
      if (token.kind != Token::Kind::kCharacter || !token.follows_character) continue;
      const std::uint64_t bigram = bigram_feature(tokens[tokens.size() - 2], tokens.back());
      features.push_back({bigram, idf->weight(bigram), true});
    }
    FeatureOptions options;
    options.idf = idf;
    ASSERT_EQ(WeightedSimHash(options).hash(canonical.text), twin(features));

    for (std::size_t size = 1; size <= 8; ++size) {
      features.clear();
      const std::size_t run = std::min(size, tokens.size());
      for (std::size_t begin = 0; begin + run <= tokens.size(); ++begin) {
        std::uint64_t feature = tokens[begin];
        std::int64_t weight = idf->weight(tokens[begin]);
        for (std::size_t i = 1; i < run; ++i) {
          feature = bigram_feature(feature, tokens[begin + i]);
          weight += idf->weight(tokens[begin + i]);
        }
        features.push_back({feature, weight / static_cast<std::int64_t>(run)});
      }
      options = shingles(static_cast<int>(size));
      options.idf = idf;
      ASSERT_EQ(WeightedSimHash(options).hash(canonical.text), twin(features)) << size;
    }

    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < canonical.text.size(); ++i) {
      if ((static_cast<unsigned char>(canonical.text.data()[i]) & 0xC0) != 0x80) starts.push_back(i);
    }
    starts.push_back(canonical.text.size());
    for (std::size_t size = 2; size <= 8; ++size) {
      features.clear();
      const std::size_t run = std::min(size, starts.size() - 1);
      for (std::size_t i = 0; i + run < starts.size(); ++i) {
        features.push_back(
            {token_feature(canonical.text.view().substr(starts[i], starts[i + run] - starts[i])), 1});
      }
      ASSERT_EQ(WeightedSimHash(ngrams(static_cast<int>(size))).hash(canonical.text), twin(features)) << size;
    }
  }
}

TEST(WeightedSimHash, an_object_keeps_nothing_of_the_texts_before) {
  FeatureOptions options = shingles(3);
  options.stop_words = stop_words("the\n");
  WeightedSimHash used(options);
  for (const char* text : {"the price of the loaf of the day", "of", "another text with more words in it",
                           "the the", "the price of the loaf of the day"}) {
    CanonicalText canonical;
    canonicalize(text, canonical);
    EXPECT_EQ(used.hash(canonical.text), hash_of(options, text)) << text;
  }
}

// ---- Weights ----

TEST(WeightedSimHash, boosting_a_feature_moves_only_the_bits_where_it_decides) {
  const std::string text = "the quick brown fox jumps over the lazy dog near the old stone bridge at noon";
  const std::uint64_t fox = token_feature("fox");
  Fingerprint before;
  std::uint64_t moved = 0;
  for (int boost = 1; boost <= 40; ++boost) {
    FeatureOptions options;
    // Of the two words the lower idf is the median: all others weigh 1.
    options.idf = idf_table("fox\t" + std::to_string(boost) + "\nother\t1\n");
    const Fingerprint now = fingerprint(options, text);
    if (boost > 1) {
      const std::uint64_t flipped = before.bits ^ now.bits;
      EXPECT_EQ(flipped & ~(before.bits ^ fox), 0U) << "a bit moved where it agreed with fox already";
      EXPECT_EQ((now.bits ^ fox) & flipped, 0U) << "a bit moved away from fox";
      moved |= flipped;
    }
    before = now;
  }
  EXPECT_NE(moved, 0U);
  EXPECT_EQ(before.bits, fox) << "outweighing all others together, it decides every bit";
}

TEST(WeightedSimHash, a_rare_word_counts_more_than_a_common_one) {
  const std::string base = "report of the meeting on the harbour and the ships in the bay of the town";
  FeatureOptions options;
  options.idf = idf_table(
      "the\t0.1\nof\t0.1\non\t0.1\nand\t0.1\nin\t0.1\nany\t6\nother\t6\nmore\t6\nwords\t6\n"
      "here\t6\nso\t6\n");
  const Fingerprint weighed = fingerprint(options, base);
  const std::string filler = base + " of the and in on the of";
  EXPECT_LT(hamming_distance(weighed, fingerprint(options, filler)),
            hamming_distance(fingerprint(words(), base), fingerprint(words(), filler)));
}

TEST(WeightedSimHash, a_weight_of_zero_is_no_vote) {
  FeatureOptions options;
  options.idf = idf_table("the\t0\nany\t1\nother\t1\n");
  EXPECT_EQ(fingerprint(options, "the price of the loaf"), fingerprint(options, "price of loaf"));
  EXPECT_EQ(hash_of(options, "the the"), std::nullopt);
}

TEST(WeightedSimHash, the_largest_weights_overflow_nothing) {
  FeatureOptions options;
  options.idf = idf_table("any\t63\n");
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i) + " ";
  EXPECT_EQ(fingerprint(options, text), fingerprint(words(), text));
}

// ---- Stop words and punctuation ----

TEST(WeightedSimHash, stop_words_are_removed_before_hashing_in_every_mode) {
  for (FeatureOptions options : {FeatureOptions(), shingles(3), ngrams(4)}) {
    options.stop_words = stop_words("the\nof\na\n的\n因为\n");
    for (const auto& [with, without] : {std::pair{"The price of a loaf of the bread", "price loaf bread"},
                                        {"我的书因为天气", "我书天气"}}) {
      EXPECT_EQ(fingerprint(options, with), fingerprint(options, without)) << with;
    }
    EXPECT_NE(fingerprint(options, "price of bread"), fingerprint(options, "price of loaf"));
    EXPECT_EQ(hash_of(options, "the of 的"), std::nullopt);
  }
}

TEST(WeightedSimHash, punctuation_of_any_width_counts_in_no_mode) {
  const std::array<const char*, 70> symbols = {
      "!",  "\"", "#",  "$",  "%",  "&",  "'",  "(",  ")",  "*",  "+",  ",",  "-",  ".",
      "/",  ":",  ";",  "<",  "=",  ">",  "?",  "@",  "[",  "\\", "]",  "^",  "_",  "`",
      "{",  "|",  "}",  "~",  "，", "。", "、", "；", "：", "？", "！", "…",  "—",  "·",
      "“",  "”",  "‘",  "’",  "（", "）", "《", "》", "〈", "〉", "【", "】", "「", "」",
      "『", "』", "〔", "〕", "～", "＃", "％", "＆", "＊", "＠", "＋", "－", "＝", "￥"};
  for (const FeatureOptions& options : {words(), shingles(1), shingles(3), ngrams(2), ngrams(4)}) {
    const Fingerprint latin = fingerprint(options, "one two three four");
    const Fingerprint han = fingerprint(options, "春节假期共七天");
    for (const std::string symbol : symbols) {
      EXPECT_EQ(fingerprint(options, "one" + symbol + " two " + symbol + "three" + symbol + "four" + symbol),
                latin)
          << symbol;
      EXPECT_EQ(fingerprint(options, symbol + "春节" + symbol + "假期共" + symbol + symbol + "七天"), han)
          << symbol;
    }
  }
}

// ---- The order of words ----

TEST(WeightedSimHash, the_order_of_words_matters_from_two_tokens_a_shingle_on) {
  const std::string ordered = "the man who bit the dog ran home before the rain came over the hill at night";
  const std::string mixed = "the dog who bit the man came home before the night ran over the hill at rain";
  EXPECT_EQ(fingerprint(shingles(1), ordered), fingerprint(shingles(1), mixed));
  EXPECT_EQ(fingerprint(words(), ordered), fingerprint(words(), mixed));
  for (int size = 2; size <= FeatureOptions::kShingleSizeMax; ++size) {
    EXPECT_NE(fingerprint(shingles(size), ordered), fingerprint(shingles(size), mixed)) << size;
  }
}

TEST(WeightedSimHash, a_text_shorter_than_a_shingle_or_an_ngram_is_one) {
  EXPECT_EQ(fingerprint(shingles(8), "one two").bits,
            bigram_feature(token_feature("one"), token_feature("two")));
  EXPECT_EQ(fingerprint(shingles(8), "one").bits, token_feature("one"));
  EXPECT_EQ(fingerprint(ngrams(8), "春节七").bits, token_feature("春节七"));
}

// ---- Words without spaces ----

// Chinese as far as counting goes: words of one to three characters, some far more common than others, and no
// space.
class MadeChinese {
 public:
  explicit MadeChinese(std::uint64_t seed) : draw_(seed) {
    for (int i = 0; i < 3000; ++i) {
      std::string word;
      for (std::uint64_t length = 1 + below(draw_, 3); length > 0; --length) {
        std::array<char, 4> bytes{};
        word.append(bytes.data(),
                    encode_utf8(static_cast<char32_t>(0x4E00 + below(draw_, 2500)), bytes.data()));
      }
      words_.push_back(word);
    }
  }

  std::vector<std::string> text(std::size_t size) {
    std::vector<std::string> out;
    const std::uint64_t subject = below(draw_, words_.size());
    while (out.size() < size) {
      const std::uint64_t rank = below(draw_, words_.size()) * below(draw_, words_.size()) / words_.size();
      out.push_back(words_[rank < 20 ? rank : (rank + subject) % words_.size()]);
    }
    return out;
  }

  // One word in `every` is another one.
  std::vector<std::string> edited(std::vector<std::string> text, std::uint64_t every) {
    for (std::string& word : text) {
      if (below(draw_, every) == 0) word = words_[below(draw_, words_.size())];
    }
    return text;
  }

 private:
  std::mt19937_64 draw_;
  std::vector<std::string> words_;
};

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += word;
  return out;
}

TEST(WeightedSimHash, ngrams_find_what_characters_and_bigrams_find_in_text_without_spaces) {
  MadeChinese chinese(5);
  constexpr int kPairs = 200;
  std::array<int, 2> found{};
  std::array<int, 2> wrong{};
  const std::array<FeatureOptions, 2> modes = {words(), ngrams(2)};
  std::array<std::optional<Fingerprint>, 2> last;
  for (int pair = 0; pair < kPairs; ++pair) {
    const std::vector<std::string> original = chinese.text(800);
    const std::vector<std::string> copy = chinese.edited(original, 400);
    for (std::size_t mode = 0; mode < modes.size(); ++mode) {
      const Fingerprint first = fingerprint(modes[mode], joined(original));
      found[mode] += hamming_distance(first, fingerprint(modes[mode], joined(copy))) <= 3 ? 1 : 0;
      wrong[mode] += last[mode] && hamming_distance(first, *last[mode]) <= 3 ? 1 : 0;
      last[mode] = first;
    }
  }
  EXPECT_GE(found[0], kPairs * 85 / 100);
  EXPECT_GE(found[1], kPairs * 85 / 100);
  EXPECT_LE(std::abs(found[0] - found[1]), kPairs * 10 / 100) << found[0] << " and " << found[1];
  EXPECT_EQ(wrong, (std::array<int, 2>{}));
  ::testing::Test::RecordProperty("found", std::to_string(found[0]) + " and " + std::to_string(found[1]));
}

TEST(WeightedSimHash, a_text_without_spaces_is_more_than_one_word_in_every_mode) {
  for (const FeatureOptions& options : {words(), shingles(3), ngrams(2)}) {
    const std::string text = "今年春节假期从二月十一日开始共七天请大家注意安全早日回家和家人团聚一起吃年夜饭";
    const int near = hamming_distance(fingerprint(options, text), fingerprint(options, text + "好"));
    const int far =
        hamming_distance(fingerprint(options, text),
                         fingerprint(options, "本市昨日召开会议讨论交通建设问题并决定修建新的地铁线路"));
    EXPECT_LT(near, 10);
    EXPECT_GT(far, 15);
  }
}

// ---- Through the signer ----

TEST(Signer, says_how_many_features_have_a_vote) {
  const auto features = [](const SignerOptions& options, std::string_view text) {
    Signer signer(options);
    Document document;
    Signature signature;
    for (const std::string_view body : {std::string_view("of a text before"), text}) {
      document.body = body;
      EXPECT_EQ(signer.sign(document, signature), std::nullopt) << body;
    }
    return signer.features();
  };
  std::string repeated;
  for (int i = 0; i < 40; ++i) repeated += "loaf ";
  EXPECT_EQ(features({}, "new york city"), 3U);
  EXPECT_EQ(features({}, "Hello 東京"), 4U) << "three tokens, and a bigram of characters";
  EXPECT_EQ(features({}, repeated), 16U) << "the cap";

  const SignerOptions minhash = {.fingerprint = FingerprintKind::kMinHash};
  EXPECT_EQ(features(minhash, "Hello 東京"), 4U);
  EXPECT_EQ(features(minhash, repeated), 40U) << "no cap";

  SignerOptions options;
  options.features.stop_words = stop_words("new york\nof\n");
  EXPECT_EQ(features(options, "new york city"), 1U);
  options.features.idf = idf_table("any\t2\nthe\t0\nprice\t9\n");
  EXPECT_EQ(features(options, "the price of the loaf"), 2U) << "votes count once, whatever they weigh";
  options.features = ngrams(4);
  EXPECT_EQ(features(options, "new york city"), 10U);
  options.features = shingles(2);
  EXPECT_EQ(features(options, "new york city"), 2U);

  Document digest;
  digest.format = Document::Format::kDigest;
  digest.body = "sha1:AAAA";
  Signer signer;
  Signature signature;
  ASSERT_EQ(signer.sign(digest, signature), std::nullopt);
  EXPECT_EQ(signer.features(), 0U);
}

TEST(Signer, takes_the_options_and_leaves_digest_and_tokens_alone) {
  Document document;
  document.body = "The price of the loaf";
  Signature plain;
  ASSERT_EQ(Signer().sign(document, plain), std::nullopt);
  SignerOptions options;
  options.features.stop_words = stop_words("the\nof\n");
  Signer signer(options);
  Signature cut;
  ASSERT_EQ(signer.sign(document, cut), std::nullopt);
  EXPECT_EQ(cut.exact, plain.exact);
  EXPECT_EQ(cut.tokens, plain.tokens);
  EXPECT_EQ(cut.fingerprint, fingerprint(words(), "price loaf"));
  EXPECT_EQ(signer.canonical().text.view(), "the price of the loaf");

  document.body = "Of the";
  EXPECT_EQ(signer.sign(document, cut), RejectReason::kNoTokens) << "nothing is left to compare";
}

TEST(SignerOptions, the_text_names_what_is_not_the_default) {
  SignerOptions options;
  EXPECT_EQ(options.text(), "");
  options.features = shingles(4);
  EXPECT_EQ(options.text(), "fingerprint.features=shingles fingerprint.shingle_size=4");
  options.features = ngrams(2);
  options.features.shingle_size = 8;  // of no effect
  EXPECT_EQ(options.text(), "fingerprint.features=ngrams fingerprint.ngram_size=2");
  options.features = {};
  options.features.stop_words = stop_words("the\nof\n");
  options.features.idf = idf_table("loaf\t2\n");
  const std::string text = options.text();
  EXPECT_EQ(text.substr(0, 28), "fingerprint.stop_words_file=");
  EXPECT_NE(text.find(" fingerprint.idf_file="), std::string::npos);
  options.features.stop_words = stop_words("# reordered\nof\nthe\n");
  EXPECT_EQ(options.text(), text);
  options.features.stop_words = stop_words("of\n");
  EXPECT_NE(options.text(), text);
  options.features = ngrams(2);
  options.html_extract = HtmlExtract::kAll;
  options.fold.chinese = ChineseForm::kSimplified;
  EXPECT_EQ(options.text(),
            "html.extract=all text.chinese=simplified fingerprint.features=ngrams fingerprint.ngram_size=2");
}

TEST(Signer, traditional_and_simplified_characters_are_one_text_if_so_wished) {
  SignerOptions options;
  options.fold.chinese = ChineseForm::kSimplified;
  Signer signer(options);
  Signer plain;
  const auto exact = [](Signer& by, const char* body) {
    Document document;
    document.body = body;
    Signature signature;
    EXPECT_EQ(by.sign(document, signature), std::nullopt);
    return signature.exact;
  };
  EXPECT_EQ(exact(signer, "漢語的書寫"), exact(signer, "汉语的书写"));
  EXPECT_NE(exact(plain, "漢語的書寫"), exact(plain, "汉语的书写"));
}

TEST(StopWords, are_folded_like_the_documents) {
  const Result<StopWords> words = StopWords::parse("漢語\n", {ChineseForm::kSimplified});
  ASSERT_TRUE(words);
  std::string left;
  EXPECT_TRUE(words->cut("汉语", left));
}

}  // namespace
}  // namespace neardup
