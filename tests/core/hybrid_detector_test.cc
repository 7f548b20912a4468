// Mode hybrid: pages by their shingles, short texts by their characters, as a user sees it.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/detector.h"
#include "core/detector/kept_form.h"
#include "tests/support/signed_text.h"

namespace neardup {
namespace {

// Words that mean nothing, the same for the same seed.
std::vector<std::string> words(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<std::string> made;
  for (std::size_t i = 0; i < count; ++i) {
    std::string word;
    for (std::uint64_t letters = 3 + random() % 6; letters > 0; --letters) {
      word += static_cast<char>('a' + random() % 26);
    }
    made.push_back(word);
  }
  return made;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + " ";
  return text;
}

// Han characters from U+4E00 on.
std::string han(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const auto c = static_cast<unsigned>(0x4E00 + random() % 3000);
    text += static_cast<char>(0xE0 | c >> 12);
    text += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (c & 0x3F));
  }
  return text;
}

class HybridDetector : public testing::Test {
 protected:
  Decision apply(const std::string& text) { return detector_.apply(signer_.sign(text).arrival()); }

  Detector detector_{DetectorOptions{}};
  TextSigner signer_;
};

TEST_F(HybridDetector, a_page_with_some_words_changed_is_near_and_says_how_alike_it_is) {
  std::vector<std::string> page = words(1, 400);
  ASSERT_EQ(apply(joined(page)).verdict, Verdict::kUnique);
  ASSERT_EQ(apply(joined(words(2, 400))).verdict, Verdict::kUnique) << "other words";
  page[100] = "another";
  page[200] = "thing";
  const Decision decision = apply(joined(page));
  EXPECT_EQ(decision.verdict, Verdict::kDuplicate);
  EXPECT_EQ(decision.kind, DuplicateKind::kNear);
  EXPECT_EQ(decision.sequence, 0U);
  // 6 of 398 shingles replaced: 392 / 404.
  EXPECT_NEAR(decision.similarity_permille, 970, 20);
  EXPECT_GT(decision.distance, 0);
  EXPECT_LT(decision.distance, 16);
}

TEST_F(HybridDetector, a_page_of_half_other_words_is_unique) {
  std::vector<std::string> page = words(1, 400);
  apply(joined(page));
  const std::vector<std::string> other = words(2, 200);
  std::copy(other.begin(), other.end(), page.begin());
  EXPECT_EQ(apply(joined(page)).verdict, Verdict::kUnique);
}

TEST_F(HybridDetector, chinese_pages_are_compared_by_characters) {
  const std::string page = han(1, 300);
  ASSERT_EQ(apply(page).verdict, Verdict::kUnique);
  ASSERT_EQ(apply(han(2, 300)).verdict, Verdict::kUnique);
  const Decision decision = apply(page.substr(0, 450) + han(3, 3) + page.substr(450));
  EXPECT_EQ(decision.kind, DuplicateKind::kNear);
  EXPECT_EQ(decision.sequence, 0U);
  EXPECT_NEAR(decision.similarity_permille, 980, 20);
}

TEST_F(HybridDetector, short_texts_are_compared_by_edits) {
  ASSERT_EQ(apply("Win a free phone now, call 08000 123456 before Sunday").verdict, Verdict::kUnique);
  ASSERT_EQ(apply("The meeting is moved to Thursday at ten, room four").verdict, Verdict::kUnique);
  const Decision decision = apply("Win a free phone today, call 08000 123456 before Sunday");
  EXPECT_EQ(decision.verdict, Verdict::kDuplicate);
  EXPECT_EQ(decision.kind, DuplicateKind::kShort);
  EXPECT_EQ(decision.sequence, 0U);
  EXPECT_EQ(decision.similarity_permille, 1000 * (54 - 4) / 54) << "now, today: four edits";
  EXPECT_EQ(name(decision.kind), "short");
}

TEST_F(HybridDetector, the_same_text_written_otherwise_is_exact) {
  apply("Hello, World! How are you today?");
  const Decision decision = apply("HELLO   world; how are you -- today");
  EXPECT_EQ(decision.kind, DuplicateKind::kExact);
  EXPECT_EQ(decision.similarity_permille, 1000);
  EXPECT_EQ(decision.distance, 0);
}

TEST_F(HybridDetector, the_first_seen_of_all_that_are_alike_is_the_answer) {
  // 0 and 1 differ in a third of their words; the page in hand in a tenth from each.
  const std::vector<std::string> page = words(1, 600);
  std::vector<std::string> first = page;
  std::vector<std::string> second = page;
  const std::vector<std::string> other = words(2, 120);
  std::copy(other.begin(), other.begin() + 60, first.begin());
  std::copy(other.begin() + 60, other.end(), second.begin() + 300);
  ASSERT_EQ(apply(joined(first)).verdict, Verdict::kUnique);
  ASSERT_EQ(apply(joined(second)).verdict, Verdict::kUnique);
  EXPECT_EQ(apply(joined(page)).sequence, 0U);
}

// A text of so many units of Latin letters.
std::string of_units(std::uint64_t seed, std::size_t units) {
  std::string text = joined(words(seed, units / 3));
  text.resize(units);
  for (char& c : text) {
    if (c == ' ' && &c == &text.back()) c = 'x';
  }
  return text;
}

// A text on one side of the boundary is found from the other side, whichever came first.
TEST(HybridBoundary, a_text_and_its_copy_may_straddle_it) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::string just_short = of_units(seed, 248);
    const std::string just_long = just_short + "abc";  // 251 units
    for (const bool short_first : {true, false}) {
      Detector detector{DetectorOptions{}};
      TextSigner signer;
      const SignedText first = signer.sign(short_first ? just_short : just_long);
      const SignedText second = signer.sign(short_first ? just_long : just_short);
      ASSERT_NE(first.route.asks_as_page(), second.route.asks_as_page());
      ASSERT_EQ(detector.apply(first.arrival()).verdict, Verdict::kUnique);
      const Decision decision = detector.apply(second.arrival());
      ASSERT_EQ(decision.verdict, Verdict::kDuplicate) << seed << " " << short_first;
      EXPECT_EQ(decision.kind, short_first ? DuplicateKind::kNear : DuplicateKind::kShort);
    }
  }
}

// Another letter in every so many places.
std::string with_letters_changed(std::string text, std::size_t every) {
  for (std::size_t i = every / 2; i < text.size(); i += every) text[i] = text[i] == 'q' ? 'j' : 'q';
  return text;
}

// A letter changed takes three shingles with it, so by shingles these are not alike; by characters they are.
TEST(HybridBoundary, which_of_a_text_and_its_copy_comes_first_does_not_matter) {
  TextSigner signer;
  for (const auto& [longer, shorter] :
       {std::pair(251U, 249U), std::pair(290U, 240U), std::pair(312U, 300U)}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const std::string text = of_units(seed, longer);
      const std::string copy = with_letters_changed(text.substr(0, shorter - 1) + "x", 50);
      for (const bool longer_first : {true, false}) {
        SCOPED_TRACE(std::to_string(longer) + (longer_first ? " before " : " after ") +
                     std::to_string(shorter) + ", seed " + std::to_string(seed));
        Detector detector{DetectorOptions{}};
        ASSERT_EQ(detector.apply(signer.sign(longer_first ? text : copy).arrival()).verdict,
                  Verdict::kUnique);
        const Decision decision = detector.apply(signer.sign(longer_first ? copy : text).arrival());
        EXPECT_EQ(decision.verdict, Verdict::kDuplicate);
        EXPECT_EQ(decision.kind, DuplicateKind::kShort);
        EXPECT_GE(decision.similarity_permille, 800);
      }
    }
  }
}

// One is alike by its characters alone; of the other, whose halves changed places, by its shingles alone.
TEST(HybridBoundary, the_first_seen_is_the_answer_by_whichever_route_it_is_met) {
  TextSigner signer;
  const std::string text = of_units(3, 280);
  const std::string by_characters = with_letters_changed(text, 50);
  const std::string by_shingles = text.substr(140) + " " + text.substr(0, 140);
  for (const bool characters_first : {true, false}) {
    Detector detector{DetectorOptions{}};
    for (const bool characters : {characters_first, !characters_first}) {
      ASSERT_EQ(detector.apply(signer.sign(characters ? by_characters : by_shingles).arrival()).verdict,
                Verdict::kUnique);
    }
    const Decision decision = detector.apply(signer.sign(text).arrival());
    EXPECT_EQ(decision.sequence, 0U);
    EXPECT_EQ(decision.kind, characters_first ? DuplicateKind::kShort : DuplicateKind::kNear);
  }
}

TEST(HybridBoundary, what_a_text_is_stored_as_hangs_on_its_units) {
  TextSigner signer;
  const auto parts = [&](std::size_t units) {
    const RouteSignature route = signer.sign(of_units(7, units)).route;
    return std::pair(route.has_short, route.long_count > 0);
  };
  EXPECT_EQ(parts(199), std::pair(true, false));
  EXPECT_EQ(parts(200), std::pair(true, true));
  EXPECT_EQ(parts(250), std::pair(true, true));
  EXPECT_EQ(parts(312), std::pair(true, true));
  EXPECT_EQ(parts(313), std::pair(false, true));
}

TEST(HybridBoundary, what_a_text_asks_as_hangs_on_its_units) {
  TextSigner signer;
  const auto asks_as = [&](std::size_t units) {
    const RouteSignature route = signer.sign(of_units(7, units)).route;
    return std::pair(route.asks_as_short(), route.asks_as_page());
  };
  EXPECT_EQ(asks_as(199), std::pair(true, false));
  EXPECT_EQ(asks_as(250), std::pair(true, false));
  EXPECT_EQ(asks_as(251), std::pair(true, true));
  EXPECT_EQ(asks_as(312), std::pair(true, true));
  EXPECT_EQ(asks_as(313), std::pair(false, true));
}

// English pages with a tenth of Chinese: a sentence more or less carries a copy across the seam.
TEST(HybridSeam, a_page_and_its_copy_may_be_of_two_kinds_of_shingle) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::string english = joined(words(seed, 500));
    const SignedText words_kind = TextSigner().sign(english + han(seed, 54));       // 54 of 554 tokens
    const SignedText characters_kind = TextSigner().sign(english + han(seed, 58));  // 58 of 558
    ASSERT_EQ(words_kind.route.longs[0].kind, ShingleKind::kWords);
    ASSERT_EQ(characters_kind.route.longs[0].kind, ShingleKind::kCharacters);
    ASSERT_EQ(words_kind.route.long_count, 2U);
    Detector detector{DetectorOptions{}};
    detector.apply(words_kind.arrival());
    found += detector.apply(characters_kind.arrival()).verdict == Verdict::kDuplicate ? 1 : 0;
  }
  EXPECT_EQ(found, 20);
}

TEST(HybridOptions, the_threshold_decides) {
  std::vector<std::string> page = words(1, 900);
  std::vector<std::string> changed = page;
  for (std::size_t i = 0; i < changed.size(); i += 30) changed[i] = "x";  // 30 words: 810 / 988 = .82
  for (const unsigned threshold : {500U, 600U, 700U, 780U, 860U, 950U}) {
    const DetectorOptions options{.threshold_permille = threshold};
    Detector detector(options);
    TextSigner signer(SignerOptions{.layout = options.layout()});
    detector.apply(signer.sign(joined(page)).arrival());
    EXPECT_EQ(detector.apply(signer.sign(joined(changed)).arrival()).verdict,
              threshold < 820 ? Verdict::kDuplicate : Verdict::kUnique)
        << threshold;
  }
}

TEST(HybridOptions, a_compact_sketch_takes_fewer_bytes_and_finds_the_same) {
  const auto run = [](SketchSize size) {
    Detector detector(DetectorOptions{.sketch = size});
    TextSigner signer(SignerOptions{.sketch = size});
    std::vector<Verdict> verdicts;
    for (std::uint64_t i = 0; i < 200; ++i) {
      std::vector<std::string> page = words(i % 100, 300);
      if (i >= 100) page[150] = "changed";
      verdicts.push_back(detector.apply(signer.sign(joined(page)).arrival()).verdict);
    }
    return verdicts;
  };
  EXPECT_EQ(run(SketchSize::kStandard), run(SketchSize::kCompact));
}

TEST(HybridDeathTest, a_document_signed_for_fingerprints_alone_is_our_own_mistake) {
  Detector detector{DetectorOptions{}};
  Arrival arrival;
  arrival.id = "a";
  EXPECT_DEATH(detector.apply(arrival), "signed for another mode");
}

TEST(SimhashWithSketches, a_match_of_fingerprints_must_be_alike_by_its_sketch) {
  const DetectorOptions options{.mode = DetectorMode::kSimhash, .verify_sketch = true};
  TextSigner signer(SignerOptions{.routes = options.routes(), .layout = options.layout()});
  SignedText page = signer.sign(joined(words(1, 400)));
  SignedText other = signer.sign(joined(words(2, 400)));
  other.signature.fingerprint = page.signature.fingerprint;
  std::vector<std::string> changed = words(1, 400);
  changed[7] = "seven";
  SignedText copy = signer.sign(joined(changed));
  copy.signature.fingerprint = page.signature.fingerprint;

  Detector detector(options);
  EXPECT_EQ(detector.apply(page.arrival()).verdict, Verdict::kUnique);
  EXPECT_EQ(detector.apply(other.arrival()).verdict, Verdict::kUnique) << "same fingerprint, other words";
  EXPECT_EQ(detector.candidates(), 2U) << "a fingerprint and a sketch";
  const Decision decision = detector.apply(copy.arrival());
  EXPECT_EQ(decision.verdict, Verdict::kDuplicate);
  EXPECT_EQ(decision.sequence, 0U);
  EXPECT_NEAR(decision.similarity_permille, 985, 15);
}

TEST(SimhashWithSketches, uniques_that_come_back_take_the_memory_that_they_took) {
  const DetectorOptions options{
      .mode = DetectorMode::kSimhash,
      .verify_sketch = true,
      .clusters = {.guard = {.window = 1}},  // which watches the live ones only
  };
  TextSigner signer(SignerOptions{.routes = options.routes(), .layout = options.layout()});
  SignedText page = signer.sign(joined(words(1, 400)));
  constexpr std::size_t kUniques = 20'000;
  std::vector<std::string> kept(kUniques);
  std::vector<Unique> uniques;
  Detector live(options);
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < kUniques; ++i) {
    page.signature.exact = {random(), random()};
    page.signature.fingerprint = {random()};
    ASSERT_EQ(live.apply(page.arrival(), &kept[i]).verdict, Verdict::kUnique);
    uniques.push_back(page.unique(kept[i]));
  }
  Detector restored(options);
  ASSERT_TRUE(restored.restore(uniques));
  EXPECT_EQ(restored.state_digest(), live.state_digest());
  // A batch of exact hashes makes room for the most lines that it may need. Bands take none: there are none.
  EXPECT_LT(restored.bytes(), live.bytes() + (std::size_t{64} << 10));
}

}  // namespace
}  // namespace neardup
