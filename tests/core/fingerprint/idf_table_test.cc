#include "core/fingerprint/idf_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/fingerprint/feature.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;

IdfTable table(std::string_view file) {
  Result<IdfTable> parsed = IdfTable::parse(file);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return *std::move(parsed);
}

std::string refusal(std::string_view file) {
  const Result<IdfTable> parsed = IdfTable::parse(file);
  return parsed ? "accepted" : parsed.error().message;
}

std::int32_t weight(std::string_view number) {
  return table("word\t" + std::string(number) + "\n").weight(token_feature("word"));
}

TEST(IdfTable, weighs_words_characters_and_pairs_of_characters) {
  const IdfTable idf = table("Loaf\t2\n春\t3\n春节\t4.5\n");
  EXPECT_EQ(idf.size(), 3U);
  EXPECT_EQ(idf.weight(token_feature("loaf")), 2 * IdfTable::kOne);
  EXPECT_EQ(idf.weight(token_feature("春")), 3 * IdfTable::kOne);
  EXPECT_EQ(idf.weight(bigram_feature(token_feature("春"), token_feature("节"))), 4.5 * IdfTable::kOne);
}

TEST(IdfTable, an_unknown_feature_weighs_the_median) {
  const std::uint64_t unknown = token_feature("unknown");
  EXPECT_EQ(table("a\t1\nb\t9\nc\t3\n").weight(unknown), 3 * IdfTable::kOne);
  EXPECT_EQ(table("a\t1\nb\t9\nc\t3\nd\t4\n").weight(unknown), 3 * IdfTable::kOne);  // the lower of 3 and 4
  EXPECT_EQ(table("a\t1\n").weight(unknown), IdfTable::kOne);
}

TEST(IdfTable, lines_that_are_no_feature_are_counted_and_left_aside) {
  const IdfTable idf = table("new york\t5\n人民银行\t6\n，\t1\nloaf\t2\n한국\t3\n한 국\t4\n");
  EXPECT_EQ(idf.skipped(), 4U);
  EXPECT_EQ(idf.size(), 2U);
}

TEST(IdfTable, of_lines_that_fold_to_one_word_the_smaller_idf_counts) {
  for (const char* file : {"The\t5\nthe\t2\n", "the\t2\nThe\t5\n"}) {
    EXPECT_EQ(table(file).weight(token_feature("the")), 2 * IdfTable::kOne) << file;
  }
}

TEST(IdfTable, numbers_are_read_exactly_and_rounded_half_up) {
  EXPECT_EQ(weight("0"), 0);
  EXPECT_EQ(weight("1"), 256);
  EXPECT_EQ(weight("007.2500000000000000000"), 1856);
  EXPECT_EQ(weight("0.001953124"), 0);    // just below 0.5 / 256
  EXPECT_EQ(weight("0.001953125"), 1);    // exactly that
  EXPECT_EQ(weight("63.000"), 63 * 256);  // kIdfMax
  EXPECT_EQ(weight("11.739204307083542"), 3005);
}

TEST(IdfTable, numbers_are_read_as_programs_write_them) {
  EXPECT_EQ(weight(".5"), 128);
  EXPECT_EQ(weight("5."), 5 * 256);
  EXPECT_EQ(weight("1e-3"), 0);
  EXPECT_EQ(weight("2e-3"), 1);
  EXPECT_EQ(weight("7.25E0"), 1856);
  EXPECT_EQ(weight("0.725e+01"), 1856);
  EXPECT_EQ(weight("1173.9204307083542e-2"), 3005);
  EXPECT_EQ(weight("1.953125e-3"), 1);     // exactly 0.5 / 256
  EXPECT_EQ(weight("1.953124999e-3"), 0);  // its decimals beyond the ninth left out
  EXPECT_EQ(weight("6.3e1"), 63 * 256);    // kIdfMax
  EXPECT_EQ(weight("630000e-4"), 63 * 256);
  EXPECT_EQ(weight("00000000000000063"), 63 * 256);
  EXPECT_EQ(weight("1e-99999999999999999999"), 0);
  EXPECT_EQ(weight("0e99999999999999999999"), 0);
  EXPECT_EQ(weight("." + std::string(100, '0') + "1e102"), 10 * 256);
  EXPECT_EQ(weight("1" + std::string(100, '0') + "e-100"), 256);
}

TEST(IdfTable, comments_and_spaces_in_place_of_tabs_are_forgiven) {
  const IdfTable idf = table("\xEF\xBB\xBF# word idf\r\nloaf 2.5\r\n\n  bread \t 1 # common\n");
  EXPECT_EQ(idf.weight(token_feature("loaf")), 640);
  EXPECT_EQ(idf.weight(token_feature("bread")), 256);
}

TEST(IdfTable, has_one_digest_for_one_set_of_weights) {
  const Digest128 digest = table("loaf\t2\nbread\t1\n").digest();
  EXPECT_EQ(table("# mine\nBREAD 1.0\nloaf\t2.0001\n").digest(), digest);
  EXPECT_NE(table("loaf\t2\nbread\t1.5\n").digest(), digest);
  EXPECT_NE(table("loaf\t2\n").digest(), digest);
}

TEST(IdfTable, a_wrong_file_is_refused_with_line_value_and_way_out) {
  for (const char* wrong : {"loaf",
                            "7.25",
                            "loaf\t-1",
                            "loaf\t-0",
                            "loaf\t+1",
                            "loaf\tnan",
                            "loaf\tinf",
                            "loaf\t1,5",
                            "loaf\t.",
                            "loaf\t63.000000000001",
                            "loaf\t64",
                            "loaf\t99999999999999999999",
                            "loaf\t1.2.3",
                            "loaf\t0x1",
                            "loaf\t1e",
                            "loaf\t1e+",
                            "loaf\te5",
                            "loaf\t.e1",
                            "loaf\t1e5.5",
                            "loaf\t1e--1",
                            "loaf\t1e2",
                            "loaf\t6.3000000000001e1",
                            "loaf\t1e99999999999999999999"}) {
    EXPECT_EQ(refusal("a\t1\n" + std::string(wrong)),
              "line 2: \"" + std::string(wrong) +
                  "\": does not end with an idf, a number of 0 to 63; write WORD<TAB>IDF, as in loaf\t7.25");
  }
  EXPECT_THAT(refusal(""), HasSubstr("weighs no word; write WORD<TAB>IDF"));
  EXPECT_THAT(refusal("new york\t5\n"), HasSubstr("weighs no word"));
  EXPECT_THAT(refusal("\xFF\t1\n"), HasSubstr("line 1: is not UTF-8"));
}

}  // namespace
}  // namespace neardup
