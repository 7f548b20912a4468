#include "service/codec/json_mend.h"

#include <gtest/gtest.h>

#include <string>

namespace neardup {
namespace {

std::string mended(std::string_view json) {
  std::string out = "left over from before";
  return mend_json(json, out) ? out : "(nothing to mend)";
}

TEST(JsonMend, a_lone_surrogate_becomes_the_replacement_character) {
  EXPECT_EQ(mended(R"({"a":"x\ud83d"})"), R"({"a":"x\ufffd"})");
  EXPECT_EQ(mended(R"(["\uDE00y"])"), R"(["\ufffdy"])");
  EXPECT_EQ(mended(R"(["\ud83d\ud83d\ude00"])"), R"(["\ufffd\ud83d\ude00"])");
}

TEST(JsonMend, whole_pairs_and_other_escapes_stay) {
  EXPECT_EQ(mended(R"(["\ud83d\ude00\u00e9\n\"\\"])"), "(nothing to mend)");
  EXPECT_EQ(mended(R"(["\\ud83d"])"), "(nothing to mend)") << "an escaped backslash and five letters";
}

TEST(JsonMend, a_number_beyond_64_bits_becomes_the_string_of_its_digits) {
  EXPECT_EQ(mended("[123456789012345678901234567890]"), R"(["123456789012345678901234567890"])");
  EXPECT_EQ(mended("{\"a\": -9223372036854775809 ,\"b\":1}"), R"({"a": "-9223372036854775809" ,"b":1})");
  EXPECT_EQ(mended("[1e999]"), R"(["1e999"])");
  EXPECT_EQ(mended("[18446744073709551615,-9223372036854775808,1e308]"), "(nothing to mend)");
  EXPECT_EQ(mended(R"(["123456789012345678901234567890"])"), "(nothing to mend)") << "inside a string";
}

TEST(JsonMend, what_is_no_number_by_the_grammar_stays_broken) {
  for (const std::string_view bad : {"[0123456789012345678901234567890]", "[1e9999.]", "[--1]", "[1.e999]",
                                     "[123456789012345678901234567890-]"}) {
    EXPECT_EQ(mended(bad), "(nothing to mend)") << bad;
  }
}

TEST(JsonMend, cut_short_anywhere_it_ends_quietly) {
  const std::string whole = R"({"a":"\ud83d\ude00","b":-1.5e+999,"c":"\"})";
  std::string out;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);  // its own allocation, so that a sanitizer sees its end
    (void)mend_json(cut, out);
    EXPECT_LE(out.size(), cut.size() + 2);
  }
}

}  // namespace
}  // namespace neardup
