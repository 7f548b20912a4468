#include "core/text/charset.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/cpu_clock.h"

namespace neardup {
namespace {

std::string_view named(std::string_view label) {
  const auto charset = charset_named(label);
  return charset ? name(*charset) : "(none)";
}

std::string_view in_page(std::string_view html) {
  const auto charset = charset_in_page(html);
  return charset ? name(*charset) : "(none)";
}

std::string_view declared(std::string_view text) {
  const auto charset = charset_declared(text);
  return charset ? name(*charset) : "(none)";
}

TEST(Charset, a_label_names_what_browsers_take_it_for) {
  EXPECT_EQ(named("gb2312"), "gb18030");
  EXPECT_EQ(named("GBK"), "gb18030");
  EXPECT_EQ(named("iso-8859-1"), "windows-1252");
  EXPECT_EQ(named("latin1"), "windows-1252");
  EXPECT_EQ(named("us-ascii"), "windows-1252");
  EXPECT_EQ(named("iso-8859-9"), "windows-1254");
  EXPECT_EQ(named("tis-620"), "windows-874");
  EXPECT_EQ(named("Shift-JIS"), "shift_jis");
  EXPECT_EQ(named("windows-31j"), "shift_jis");
  EXPECT_EQ(named("ks_c_5601-1987"), "euc-kr");
  EXPECT_EQ(named("big5-hkscs"), "big5");
  EXPECT_EQ(named("utf-16"), "utf-16le");
  EXPECT_EQ(named("\t\n UTF8\r "), "utf-8");
}

// Scrapy's `encoding` is a name of Python's, whatever the page said: cp932 of Shift_JIS, big5hkscs of Big5.
TEST(Charset, what_python_java_and_node_call_a_charset_names_it_too) {
  for (const std::string_view label : {"cp932", "CP932", "shift_jis_2004", "MS932", "sjis", "windows_31j"})
    EXPECT_EQ(named(label), "shift_jis") << label;
  for (const std::string_view label : {"euc_jp", "EUC-JP", "eucjp", "ujis"})
    EXPECT_EQ(named(label), "euc-jp");
  for (const std::string_view label : {"cp949", "MS949", "euc_kr", "x-windows-949", "uhc"})
    EXPECT_EQ(named(label), "euc-kr") << label;
  for (const std::string_view label : {"big5hkscs", "Big5_HKSCS", "cp950", "x-windows-950"})
    EXPECT_EQ(named(label), "big5") << label;
  for (const std::string_view label : {"cp936", "gb_18030", "EUC_CN", "x-mswin-936"})
    EXPECT_EQ(named(label), "gb18030") << label;
  for (const std::string_view label : {"latin_1", "latin-1", "iso8859_1", "ISO8859-1", "win1252"})
    EXPECT_EQ(named(label), "windows-1252") << label;
  EXPECT_EQ(named("iso2022_jp"), "iso-2022-jp");
  EXPECT_EQ(named("koi8_r"), "koi8-r");
  EXPECT_EQ(named("cp874"), "windows-874");
  EXPECT_EQ(named("tis_620"), "windows-874");
  EXPECT_EQ(named("mac-roman"), "macintosh");
  EXPECT_EQ(named("mac_cyrillic"), "x-mac-cyrillic");
  EXPECT_EQ(named("utf_16_le"), "utf-16le");
  EXPECT_EQ(named("utf-8-sig"), "utf-8");
  EXPECT_EQ(named("iso8859_2"), "iso-8859-2");
  EXPECT_EQ(named("--__"), "(none)");
  EXPECT_EQ(named(std::string(100'000, '-') + "gbk"), "gb18030");
}

TEST(Charset, every_name_is_a_label_of_itself) {
  for (const std::string_view name : kCharsetNames) EXPECT_EQ(named(name), name);
}

TEST(Charset, what_the_standard_refuses_names_nothing) {
  for (const std::string_view label :
       {"replacement", "hz-gb-2312", "iso-2022-kr", "iso-2022-cn", "x-user-defined", "utf-7", "utf-32", "",
        " ", "gb2312x", "../../etc/passwd"}) {
    EXPECT_EQ(named(label), "(none)") << label;
  }
  EXPECT_EQ(named(std::string(100'000, 'u')), "(none)");
}

// Passing over the spaces at its end once for each of its words would take a minute.
TEST(Charset, a_long_content_type_takes_no_longer_than_its_bytes) {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += "charset ";
  const double started = cpu_seconds();
  EXPECT_EQ(declared(text + std::string(2'000'000, ' ')), "(none)");
  EXPECT_EQ(declared(text + std::string(2'000'000, ' ') + "=utf-8"), "utf-8");
  EXPECT_LT(cpu_seconds() - started, 2);
}

TEST(Charset, a_content_type_names_one_in_its_parameter) {
  EXPECT_EQ(declared("text/html; charset=GBK"), "gb18030");
  EXPECT_EQ(declared("text/html;charset=\"utf-8\""), "utf-8");
  EXPECT_EQ(declared("text/html; CHARSET = 'big5' ; x=y"), "big5");
  EXPECT_EQ(declared("text/html;charset=koi8-r;q=1"), "koi8-r");
  EXPECT_EQ(declared("text/html; charset=gb2312, text/html"), "gb18030") << "two headers made one";
  EXPECT_EQ(declared("euc-jp"), "euc-jp") << "some producers send the label alone";
  EXPECT_EQ(declared(" text/html; charset=utf-8 \t"), "utf-8");
  for (const std::string_view none : {"text/html", "text/html; charset", "text/html; charset=",
                                      "charset=\"utf-8", "text/html; charset=nonsense", ""}) {
    EXPECT_EQ(declared(none), "(none)") << none;
  }
}

TEST(Charset, a_page_names_one_in_its_head) {
  EXPECT_EQ(in_page("<meta charset=gbk>"), "gb18030");
  EXPECT_EQ(in_page("<!DOCTYPE html>\n<html><head><META CHARSET='Big5'/>"), "big5");
  EXPECT_EQ(in_page("<meta http-equiv=Content-Type content=\"text/html; charset=euc-kr\">"), "euc-kr");
  EXPECT_EQ(in_page("<meta content='text/html; charset=koi8-r' http-equiv='Content-Type'>"), "koi8-r");
  EXPECT_EQ(in_page("<?xml version=\"1.0\" encoding=\"Shift_JIS\"?><html>"), "shift_jis");
  EXPECT_EQ(in_page("<meta name=a content=b><meta charset=utf-8>"), "utf-8");
  EXPECT_EQ(in_page("<meta/charset=utf-8>"), "utf-8");
}

TEST(Charset, a_page_that_names_utf_16_in_ascii_is_utf_8) {
  EXPECT_EQ(in_page("<meta charset=utf-16>"), "utf-8");
  EXPECT_EQ(in_page("<meta charset=utf-16be>"), "utf-8");
}

TEST(Charset, what_only_looks_like_a_declaration_is_none) {
  for (const std::string_view none :
       {"<!-- <meta charset=gbk> -->", "<a title='<meta charset=gbk>'>", "<metal charset=gbk>",
        "meta charset=gbk", "<meta name=x content='text/html; charset=gbk'>", "<meta charset=nonsense>",
        "<meta charset=>", "<meta charset", "<meta", "<", "", "<! <meta charset=gbk>",
        "</p <meta charset=gbk>", "<meta data-charset=gbk>", "<p =<p>"}) {
    EXPECT_EQ(in_page(none), "(none)") << none;
  }
  EXPECT_EQ(in_page("<!--><meta charset=gbk>"), "gb18030") << "a comment that ends at once";
  EXPECT_EQ(in_page("<meta charset=nonsense><meta charset=gbk>"), "gb18030");
}

TEST(Charset, only_the_head_is_looked_at) {
  const std::string fill(kCharsetHeadBytes - 18, ' ');
  EXPECT_EQ(in_page(fill + "<meta charset=gbk>"), "gb18030");
  EXPECT_EQ(in_page(fill + " <meta charset=gbk>"), "(none)") << "cut off by the end of the head";
}

}  // namespace
}  // namespace neardup
