#include "service/codec/base64.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace neardup {
namespace {

std::string decoded(std::string_view text) {
  std::string out = "left over from before";
  return decode_base64(text, out) ? out : "(refused)";
}

TEST(Base64, decodes_and_encodes_the_vectors_of_rfc_4648) {
  constexpr std::pair<std::string_view, std::string_view> kVectors[] = {{"", ""},
                                                                        {"f", "Zg=="},
                                                                        {"fo", "Zm8="},
                                                                        {"foo", "Zm9v"},
                                                                        {"foob", "Zm9vYg=="},
                                                                        {"fooba", "Zm9vYmE="},
                                                                        {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : kVectors) {
    EXPECT_EQ(decoded(text), bytes);
    EXPECT_EQ(encode_base64(bytes), text);
  }
}

TEST(Base64, decodes_and_encodes_every_byte_value) {
  const std::string bytes("\x00\xFF\xFE\x80\x81\x7F\xFB\xF0", 8);
  EXPECT_EQ(decoded("AP/+gIF/+/A="), bytes);
  EXPECT_EQ(encode_base64(bytes), "AP/+gIF/+/A=");
}

TEST(Base64, the_alphabet_for_urls_is_one_too_but_not_both_at_once) {
  EXPECT_EQ(decoded("--__"), "\xFB\xEF\xFF");
  EXPECT_EQ(decoded("++//"), "\xFB\xEF\xFF");
  EXPECT_EQ(decoded("+-/_"), "(refused)");
}

TEST(Base64, line_ends_may_stand_anywhere) {
  EXPECT_EQ(decoded("Zm9v\r\nYmFy\n"), "foobar");
  EXPECT_EQ(decoded("Z\nm8\n=\n"), "fo");
}

TEST(Base64, the_padding_may_be_left_out_but_not_half_of_it) {
  EXPECT_EQ(decoded("Zg"), "f");
  EXPECT_EQ(decoded("Zm8\n"), "fo");
  EXPECT_EQ(decoded("-_8"), "\xFB\xFF");
  EXPECT_EQ(decoded("Zg="), "(refused)");
}

TEST(Base64, blanks_may_stand_around_it) {
  EXPECT_EQ(decoded(" \tZm9vYg==\t "), "foob");
  EXPECT_EQ(decoded(" "), "");
  EXPECT_EQ(decoded("Zm9v YmFy"), "(refused)");
}

TEST(Base64, everything_else_is_refused) {
  for (const std::string_view bad :
       {"Z", "Zg===", "Zm8==", "Zm9v=", "Zm9vY", "=", "====", "Zg==Zg==", "Z=g=", "Zm9 v", "Zm9\tv",
        "Zm9-Zm9+", "Z/9v_w==", "Zm9v\xC3", "<p>a</p>", "Zh==", "Zm9=", "Zh", "Zm9"}) {
    EXPECT_EQ(decoded(bad), "(refused)") << bad;
  }
}

}  // namespace
}  // namespace neardup
