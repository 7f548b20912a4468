#include "core/fingerprint/stop_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/limits.h"
#include "core/text/folder.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string canonical(std::string_view text) {
  CanonicalText out;
  canonicalize(text, out);
  return std::string(out.text.view());
}

StopWords words(std::string_view file) {
  Result<StopWords> parsed = StopWords::parse(file);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return *std::move(parsed);
}

std::string refusal(std::string_view file) {
  const Result<StopWords> parsed = StopWords::parse(file);
  return parsed ? "accepted" : parsed.error().message;
}

// What is left of `text`, folded again.
std::string rest(const StopWords& stop, std::string_view text) {
  std::string out = "unchanged";
  const std::string before = canonical(text);
  return stop.cut(before, out) ? canonical(out) : before;
}

TEST(StopWords, are_removed_wherever_they_stand_as_whole_words) {
  const StopWords stop = words("the\nof\n");
  EXPECT_EQ(rest(stop, "The price of the theory, of"), "price theory");
  EXPECT_EQ(rest(stop, "often gather"), "often gather");
  EXPECT_EQ(rest(stop, "the of THE"), "");
}

TEST(StopWords, a_text_without_any_is_left_alone) {
  std::string out = "as it was";
  EXPECT_FALSE(words("the\n").cut("price of a loaf", out));
  EXPECT_EQ(out, "as it was");
}

TEST(StopWords, are_folded_like_the_documents) {
  EXPECT_EQ(rest(words("ＴＨＥ\nété\n"), "the loaf of Ete"), "loaf of");
}

TEST(StopWords, what_is_left_is_as_if_written_so) {
  const StopWords stop = words("的\nthe\n");
  EXPECT_EQ(rest(stop, "我的书"), "我书");       // characters close up
  EXPECT_EQ(rest(stop, "我 the 书"), "我书");    // around a word too
  EXPECT_EQ(rest(stop, "한 the 국"), "한 국");   // Hangul keeps its spaces
  EXPECT_EQ(rest(stop, "abc的def"), "abc def");  // words do not grow together
}

TEST(StopWords, of_entries_that_begin_together_the_longest_is_removed) {
  const StopWords stop = words("因为\n因为所以\nin\nin spite of\n");
  EXPECT_EQ(rest(stop, "因为天气"), "天气");
  EXPECT_EQ(rest(stop, "因为所以天气"), "天气");
  EXPECT_EQ(rest(stop, "因为所天气"), "所天气");
  EXPECT_EQ(rest(stop, "In spite, of rain in spite rain"), "rain spite rain");
  EXPECT_EQ(rest(stop, "in spite"), "spite");
}

TEST(StopWords, the_search_goes_on_behind_what_was_removed) {
  EXPECT_EQ(rest(words("a b\nb c\n"), "a b c"), "c");
  EXPECT_EQ(rest(words("a b\nb c\n"), "x b c a b y"), "x y");
}

TEST(StopWords, comments_blank_lines_and_editors_habits_are_forgiven) {
  const StopWords stop = words("\xEF\xBB\xBF# English\r\nthe\r\n\r\n  of \t# little\n，\n--\nc#x");
  EXPECT_EQ(stop.size(), 3U);
  EXPECT_EQ(rest(stop, "little of the c x english"), "little english");
}

TEST(StopWords, have_one_digest_for_one_set) {
  const Digest128 digest = words("the\nof\n").digest();
  EXPECT_EQ(words("# mine\nOF\nthe\nthe\n").digest(), digest);
  EXPECT_NE(words("the\n").digest(), digest);
  EXPECT_NE(words("the of\n").digest(), digest);
}

TEST(StopWords, a_wrong_file_is_refused_with_line_and_way_out) {
  EXPECT_THAT(refusal(""), HasSubstr("holds no word; write one a line"));
  EXPECT_THAT(refusal("# only\n，\n"), HasSubstr("holds no word"));
  EXPECT_THAT(refusal("the\n\xD6\xD0\n"), StartsWith("line 2: is not UTF-8: save the file as UTF-8"));
  EXPECT_THAT(refusal("\n" + std::string(kWordLineBytesMax + 1, 'x')),
              StartsWith("line 2: has 4097 bytes; an entry has at most 4096"));
  EXPECT_EQ(refusal(std::string(kWordLineBytesMax, 'x')), "accepted");
  std::string many = "一二三四五六七八九十百千万日月水";
  EXPECT_EQ(refusal(many), "accepted");
  EXPECT_EQ(refusal("a\n" + many + "火"),
            "line 2: \"" + many + "火\": has 17 words; a stop phrase has at most 16: write one a line");
}

TEST(StopWords, hostile_files_and_texts_cost_no_more_than_their_size) {
  std::mt19937_64 draw(4);
  const std::string_view bytes = "ab \n#\t\r*\xE4\xB8\xAD\xFF";
  for (int round = 0; round < 2000; ++round) {
    std::string file;
    while (file.size() < 200) file += bytes[draw() % (round % 2 == 0 ? 8 : bytes.size())];
    const Result<StopWords> stop = StopWords::parse(file);
    if (stop) static_cast<void>(rest(*stop, file));
  }
  // Every token begins an entry that almost stands there.
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "a ";
  EXPECT_EQ(rest(words("a a a a a a a a a a a a a a a b\n"), text).size(), text.size() - 1);
}

}  // namespace
}  // namespace neardup
