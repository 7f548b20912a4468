#include "core/text/charset_decoder.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "core/text/utf8.h"
#include "tests/support/icu_encode.h"
#include "tests/support/language_texts.h"

namespace neardup {
namespace {

struct Outcome {
  std::string_view charset;
  std::string text;
  std::size_t undecodable = 0;
};

Outcome decoded(std::string_view bytes, const CharsetHints& hints = {}) {
  CharsetDecoder decoder;
  Outcome outcome;
  outcome.text = "left over from before";
  const DecodedText got = decoder.decode(bytes, hints, outcome.text);
  outcome.charset = name(got.charset);
  outcome.undecodable = got.undecodable;
  return outcome;
}

Outcome decoded_as(Charset charset, std::string_view bytes) {
  CharsetDecoder decoder;
  Outcome outcome;
  outcome.undecodable = decoder.decode_as(charset, bytes, outcome.text).undecodable;
  return outcome;
}

std::string_view text_in(std::string_view language) {
  for (const LanguageText& entry : kLanguageTexts) {
    if (entry.language == language) return entry.text;
  }
  ADD_FAILURE() << language;
  return "";
}

TEST(CharsetDecoder, a_byte_order_mark_decides_and_is_gone) {
  const CharsetHints wrong{Charset::kEucKr, true};
  EXPECT_EQ(decoded("\xEF\xBB\xBFgr\xC3\xBCn", wrong).text, "grün");
  EXPECT_EQ(decoded(std::string_view("\xFF\xFEg\0\xFC\0", 6), wrong).text, "gü");
  EXPECT_EQ(decoded(std::string_view("\xFE\xFF\0g\0\xFC", 6), wrong).text, "gü");
  EXPECT_EQ(decoded(std::string_view("\xFE\xFF\0g\0\xFC", 6), wrong).charset, "utf-16be");
}

TEST(CharsetDecoder, ascii_and_utf_8_stay_what_they_are) {
  for (const std::string_view text : {"", "plain words", "grün", "北京 news — “quoted” 😀"}) {
    EXPECT_EQ(decoded(text).text, text);
    EXPECT_EQ(decoded(text).charset, "utf-8");
    EXPECT_EQ(decoded(text).undecodable, 0U);
  }
}

TEST(CharsetDecoder, a_declared_charset_is_believed) {
  // Two characters of GBK: not enough for detection.
  EXPECT_EQ(decoded("\xD6\xD0\xCE\xC4", {Charset::kGb18030, false}).text, "中文");
  EXPECT_EQ(decoded("<meta charset=gb2312>\xD6\xD0\xCE\xC4", {std::nullopt, true}).text,
            "<meta charset=gb2312>中文");
  EXPECT_EQ(decoded("<meta charset=gb2312>\xD6\xD0\xCE\xC4", {Charset::kBig5, true}).charset, "big5")
      << "the sender's word goes before the page's";
  EXPECT_EQ(decoded("<meta charset=big5>\xD6\xD0\xCE\xC4", {std::nullopt, false}).text.find("中"),
            std::string::npos)
      << "in a text that is no page, a meta says nothing";
}

// Where a server names no charset, HTTP libraries say iso-8859-1 or us-ascii, which is windows-1252.
TEST(CharsetDecoder, the_page_goes_before_a_hint_that_is_a_guess) {
  const CharsetHints guessed{Charset::kWindows1252, true};
  const auto meta = [](Charset charset) { return "<meta charset=" + std::string(name(charset)) + ">"; };
  for (const LanguageText& language : kLanguageTexts) {
    for (const Charset charset : language.charsets) {
      const std::string head = meta(charset);
      const Outcome got = decoded(head + encode(language.text, charset), guessed);
      EXPECT_EQ(got.charset, decoded(head + encode(language.text, charset), {charset, true}).charset);
      EXPECT_EQ(got.text, decoded(head + encode(language.text, charset), {charset, true}).text)
          << language.language << " " << head;
    }
  }
  EXPECT_EQ(decoded("<meta charset=gb2312>\xD6\xD0\xCE\xC4", guessed).text, "<meta charset=gb2312>中文");
  EXPECT_EQ(decoded("<meta charset=gb2312>\xD6\xD0\xCE\xC4", {Charset::kWindows1252, false}).charset,
            "windows-1252")
      << "in a text that is no page, a meta says nothing";
}

TEST(CharsetDecoder, a_hint_of_windows_1252_counts_where_the_page_says_nothing_or_what_does_not_fit) {
  const CharsetHints latin{Charset::kWindows1252, true};
  const std::string french =
      encode("Le café était fermé, où est passé l’été ? Déjà là.", Charset::kWindows1252);
  for (const std::string_view meta :
       {"", "<meta charset=utf-8>", "<meta charset=gb2312>", "<meta charset=big5>",
        "<meta charset=shift_jis>", "<meta charset=euc-jp>", "<meta charset=euc-kr>",
        "<meta charset=iso-8859-1>"}) {
    const Outcome got = decoded("<html>" + std::string(meta) + "<p>" + french, latin);
    EXPECT_EQ(got.charset, "windows-1252") << meta;
    EXPECT_EQ(got.undecodable, 0U) << meta;
  }
}

TEST(CharsetDecoder, the_page_goes_before_detection_where_the_hint_does_not_fit) {
  const std::string page = "<meta charset=gbk>\xD6\xD0\xCE\xC4";  // too short to detect
  EXPECT_EQ(decoded(page, {Charset::kUtf8, true}).text, "<meta charset=gbk>中文");
  EXPECT_EQ(decoded("<meta charset=big5>\xA4\xA4\xA4\xE5", {Charset::kUtf8, true}).text,
            "<meta charset=big5>中文");
  const std::string chinese = encode(text_in("zh-Hans"), Charset::kGb18030);
  EXPECT_EQ(decoded("<meta charset=iso-8859-1>" + chinese, {Charset::kUtf8, true}).charset, "gb18030")
      << "what fits anything tells nothing";
}

TEST(CharsetDecoder, valid_utf_8_wins_over_a_wrong_declaration) {
  for (const Charset wrong :
       {Charset::kGb18030, Charset::kWindows1252, Charset::kShiftJis, Charset::kIso8859_2}) {
    EXPECT_EQ(decoded("四个汉字", {wrong, false}).text, "四个汉字") << name(wrong);
    EXPECT_EQ(decoded("naïve café, déjà", {wrong, false}).text, "naïve café, déjà") << name(wrong);
  }
  // Three characters could be an accident, so that who declares something else is believed, unless it does
  // not fit.
  EXPECT_EQ(decoded("CAF\xC9\x92S", {Charset::kWindows1252, false}).text, "CAFÉ’S");
  EXPECT_EQ(decoded("\xE4\xB8\xAD", {Charset::kGb18030, false}).text, "中");
  EXPECT_EQ(decoded("\xC3\xBB", {Charset::kWindows1251, false}).text, "Г»");
}

// The usual mistake: a server's default, and pages of a word or an apostrophe beyond ASCII.
TEST(CharsetDecoder, what_nobody_writes_in_a_latin_charset_is_utf_8_however_little_it_is) {
  for (const Charset wrong : {Charset::kWindows1252, Charset::kIso8859_15, Charset::kWindows1254}) {
    for (const std::string_view text : {"Müller", "it’s", "© 2024", "A – B — C", "日本", "😀"})
      EXPECT_EQ(decoded(text, {wrong, false}).text, text) << name(wrong);
  }
  EXPECT_EQ(decoded("<meta charset=windows-1252><title>Müller</title>", {std::nullopt, true}).text,
            "<meta charset=windows-1252><title>Müller</title>");
}

TEST(CharsetDecoder, what_could_be_meant_in_a_latin_charset_is_as_declared) {
  EXPECT_EQ(decoded("CAFÉ’S", {Charset::kWindows1252, false}).charset, "utf-8");
  EXPECT_EQ(decoded("CAF\xC9\x92S it\xE2\x80\x99s", {Charset::kWindows1252, false}).charset, "windows-1252");
}

TEST(CharsetDecoder, ascii_is_ascii_whatever_is_declared) {
  for (const std::string_view charset : kCharsetNames) {
    EXPECT_EQ(decoded("four words of ascii\n", {charset_named(charset), false}).text, "four words of ascii\n")
        << charset;
  }
}

// Latin letters in UTF-16 are ASCII with zeros, and those of other alphabets ASCII with control characters.
TEST(CharsetDecoder, a_declared_utf_16_is_believed_where_no_byte_is_beyond_ascii) {
  for (const Charset charset : {Charset::kUtf16Le, Charset::kUtf16Be}) {
    for (const std::string_view text :
         {"Hello", "Hello world", "a", "Привет", "Γειά", "ไทย", "Hello\nनमस्ते"}) {
      const Outcome got = decoded(encode(text, charset), {charset, false});
      EXPECT_EQ(got.text, text) << name(charset);
      EXPECT_EQ(got.charset, name(charset)) << text;
    }
    for (const std::string_view ascii : {"a\n", "\na", "\t\t\n\r", ""}) {
      EXPECT_EQ(decoded(ascii, {charset, false}).text, ascii) << name(charset);
    }
    const std::string_view zeros("a zero\0in ascii, which\0ends\0\0", 28);
    EXPECT_EQ(decoded(zeros, {charset, false}).text, zeros) << name(charset);
  }
}

TEST(CharsetDecoder, utf_8_with_a_few_wrong_bytes_is_utf_8) {
  const std::string text(text_in("ru"));
  EXPECT_EQ(decoded("Этой весно\xD0").text, "Этой весно\uFFFD") << "cut inside of a character";
  EXPECT_EQ(decoded("Этой весно\xD0").undecodable, 1U);
  const Outcome spoilt = decoded(text.substr(0, 500) + "\xFF\xE4\xB8 " + text.substr(500));
  EXPECT_EQ(spoilt.charset, "utf-8");
  EXPECT_EQ(spoilt.undecodable, 2U);
  EXPECT_EQ(decoded(text.substr(0, 500) + "\xFF" + text.substr(500), {Charset::kUtf8, false}).charset,
            "utf-8");
}

TEST(CharsetDecoder, a_last_letter_that_could_begin_a_character_of_utf_8_is_a_letter) {
  EXPECT_EQ(decoded("Le caf\xE9").text, "Le café");
  EXPECT_EQ(decoded("Le caf\xE9").undecodable, 0U);
  EXPECT_EQ(decoded("Le caf\xE9", {Charset::kUtf8, false}).text, "Le caf\uFFFD")
      << "the sender's word counts";
}

TEST(CharsetDecoder, utf_8_with_a_few_wrong_bytes_wins_over_a_wrong_declaration) {
  const std::string russian(text_in("ru"));
  const std::string spoilt = russian.substr(0, 500) + "\xFF\xE4\xB8 " + russian.substr(500);
  for (const Charset wrong :
       {Charset::kGb18030, Charset::kWindows1252, Charset::kShiftJis, Charset::kIso8859_2}) {
    const Outcome got = decoded(spoilt, {wrong, false});
    EXPECT_EQ(got.text, russian.substr(0, 500) + "\uFFFD\uFFFD " + russian.substr(500)) << name(wrong);
    EXPECT_EQ(got.charset, "utf-8") << name(wrong);
  }
  const std::string chinese(text_in("zh-Hans"));
  const std::string lacking = chinese.substr(0, 301) + chinese.substr(302);  // one byte in a character
  EXPECT_EQ(decoded(lacking, {Charset::kGb18030, false}).text,
            chinese.substr(0, 300) + "\uFFFD" + chinese.substr(303));
  // One wrong for each character is no UTF-8.
  EXPECT_EQ(decoded("\xC3\xA9\xE9 \xC3\xA9\xE9", {Charset::kWindows1252, false}).text, "Ã©é Ã©é");
}

// Teasers that are cut by bytes, one for each ten characters beyond ASCII.
TEST(CharsetDecoder, utf_8_with_many_wrong_bytes_is_utf_8_unless_another_charset_is_declared_and_fits) {
  const std::string czech = "Městská rada schválila rozpočet, příští schůze je v červnu";
  std::string spoilt;
  for (int i = 0; i < 9; ++i) spoilt += czech + "\xC5 ";
  for (const CharsetHints& hints : {CharsetHints{Charset::kUtf8, false}, CharsetHints{}}) {
    const Outcome got = decoded(spoilt, hints);
    EXPECT_EQ(got.charset, "utf-8");
    EXPECT_EQ(got.undecodable, 9U);
    EXPECT_TRUE(got.text.starts_with(czech)) << got.text;
  }
  EXPECT_EQ(decoded(spoilt, {Charset::kWindows1252, false}).charset, "windows-1252") << "fits, as always";
  const std::string half = "é\xC3 à\xC3 è\xC3 ç\xC3 ";
  EXPECT_EQ(decoded(half, {Charset::kUtf8, false}).undecodable, 4U);
  EXPECT_NE(decoded(half).charset, "utf-8");
}

TEST(CharsetDecoder, text_in_another_charset_is_no_broken_utf_8) {
  CharsetDecoder decoder;
  std::string text;
  std::size_t looked_at = 0;
  for (const LanguageText& language : kLanguageTexts) {
    for (const Charset charset : language.charsets) {
      const std::string bytes = encode(language.text, charset);
      if (charset == Charset::kUtf8 || is_utf8(bytes)) continue;
      for (std::size_t size = 40; size <= bytes.size(); size += 40) {
        const std::string_view cut = std::string_view(bytes).substr(0, size);
        for (const CharsetHints& hints : {CharsetHints{Charset::kUtf8, false}, CharsetHints{}}) {
          if (is_utf8(cut)) continue;
          EXPECT_NE(decoder.decode(cut, hints, text).charset, Charset::kUtf8)
              << language.language << " " << name(charset) << " " << size;
          ++looked_at;
        }
      }
    }
  }
  EXPECT_GT(looked_at, 1000U);
}

TEST(CharsetDecoder, text_in_the_charset_it_declares_is_not_taken_for_utf_8) {
  CharsetDecoder decoder;
  std::string text;
  std::string by_name;
  for (const LanguageText& language : kLanguageTexts) {
    for (const Charset charset : language.charsets) {
      const std::string bytes = encode(language.text, charset);
      for (std::size_t size = 40; size <= bytes.size(); size += 40) {
        const std::string cut = bytes.substr(0, size);
        decoder.decode(cut, {charset, false}, text);
        decoder.decode_as(charset, cut, by_name);
        EXPECT_EQ(text, by_name) << language.language << " " << name(charset) << " " << size;
      }
    }
  }
}

TEST(CharsetDecoder, a_declaration_that_does_not_fit_gives_way_to_detection) {
  const std::string gbk = encode(text_in("zh-Hans"), Charset::kGb18030);
  EXPECT_EQ(decoded(gbk, {Charset::kUtf8, false}).text, text_in("zh-Hans"));
  const std::string japanese = encode(text_in("ja"), Charset::kShiftJis);
  EXPECT_EQ(decoded(japanese, {Charset::kEucJp, false}).text, text_in("ja"));
  const std::string korean = encode(text_in("ko"), Charset::kEucKr);
  EXPECT_EQ(decoded("<html><meta charset=utf-8><p>" + korean, {std::nullopt, true}).text,
            "<html><meta charset=utf-8><p>" + std::string(text_in("ko")));
}

// With a byte that no charset has before them, these lines tell detection nothing; its second try has to
// begin at a line, as the middle of them all is inside of a character.
TEST(CharsetDecoder, the_second_try_of_detection_begins_with_a_whole_character) {
  constexpr std::string_view kLines =
      "床前明月光疑是地上霜\n举头望明月低头思故乡\n白日依山尽黄河入海流\n"
      "欲穷千里目更上一层楼\n春眠不觉晓处处闻啼鸟\n夜来风雨声花落知多少\n"
      "千山鸟飞绝万径人踪灭\n孤舟蓑笠翁独钓寒江雪\n红豆生南国春来发几枝\n";
  const std::string bytes = "\xFF\n" + encode(kLines, Charset::kGb18030);
  EXPECT_EQ(CharsetDecoder().detect(bytes), Charset::kGb18030);
  EXPECT_EQ(decoded(bytes).text, "\uFFFD\n" + std::string(kLines));
}

TEST(CharsetDecoder, detection_looks_behind_long_ascii) {
  const std::string russian = encode(text_in("ru"), Charset::kWindows1251);
  const std::string ascii(20000, 'a');
  EXPECT_EQ(CharsetDecoder().detect(ascii + russian), Charset::kWindows1251);
  EXPECT_EQ(decoded(ascii + russian).text, ascii + std::string(text_in("ru")));
  EXPECT_EQ(CharsetDecoder().detect(ascii), std::nullopt);
}

TEST(CharsetDecoder, utf_16_without_a_mark_shows_by_its_zeros) {
  const std::string page = "<html><p>" + std::string(text_in("zh-Hans")) + "</p></html>";
  EXPECT_EQ(decoded(encode(page, Charset::kUtf16Le)).text, page);
  EXPECT_EQ(decoded(encode(page, Charset::kUtf16Be)).text, page);
  EXPECT_EQ(decoded(std::string_view("zero\0inside", 11)).text, std::string_view("zero\0inside", 11));
  for (const std::string_view text :
       {"Hello", "Hello world", "Привет мир", "Γειά σου", "Café", "مرحبا", "ไทย"}) {
    EXPECT_EQ(decoded(encode(text, Charset::kUtf16Le)).text, text) << "short, and without markup";
    EXPECT_EQ(decoded(encode(text, Charset::kUtf16Be)).text, text);
  }
  for (const std::string_view text : {"a\nb\nc\nd\n", "1\t2\t3\t4\t", "\r\n\r\n\r\n"}) {
    EXPECT_EQ(decoded(text).text, text);
  }
}

TEST(CharsetDecoder, lines_that_end_with_a_zero_are_no_utf_16) {
  for (const std::string_view language : {"fr", "ru", "zh-Hans"}) {
    for (const std::string_view lines :
         {std::string_view("ab\n\0cd\n\0", 8), std::string_view("ab\0 cd\0 ", 8)}) {
      const std::string text = std::string(lines) + std::string(text_in(language));
      EXPECT_EQ(decoded(text).text, text);
      EXPECT_EQ(decoded(text, {Charset::kUtf8, false}).text, text);
      EXPECT_EQ(decoded(text).charset, "utf-8");
    }
  }
  // What is nothing beyond ASCII in UTF-16 has control characters where others have a zero.
  for (const std::string_view text : {"Это и то и всё", "नमस्ते दुनिया और सब", "ทุก คน และ ใคร"}) {
    EXPECT_EQ(decoded(encode(text, Charset::kUtf16Le)).text, text);
    EXPECT_EQ(decoded(encode(text, Charset::kUtf16Be)).text, text);
  }
}

TEST(CharsetDecoder, utf_16_that_is_broken_is_replaced) {
  EXPECT_EQ(decoded_as(Charset::kUtf16Le, std::string_view("\x3D\xD8\x00\xDE", 4)).text, "😀");
  EXPECT_EQ(decoded_as(Charset::kUtf16Le, std::string_view("\x3D\xD8\x41\x00", 4)).text, "\uFFFDA");
  EXPECT_EQ(decoded_as(Charset::kUtf16Be, std::string_view("\xDE\x00\x00\x41\x00", 5)).text, "\uFFFDA\uFFFD");
}

TEST(CharsetDecoder, undecodable_bytes_are_replaced_and_counted_and_never_take_ascii_with_them) {
  const Outcome got = decoded_as(Charset::kGb18030, "a\xFF<b>\xD6<p>\xD6\xD0\xD6");
  EXPECT_EQ(got.text, "a\uFFFD<b>\uFFFD<p>中\uFFFD");
  EXPECT_EQ(got.undecodable, 3U);
  EXPECT_EQ(decoded_as(Charset::kShiftJis, "\x82\"x").text, "\uFFFD\"x");
  EXPECT_EQ(decoded_as(Charset::kEucJp, "\x90\xC6\xFC\x8F\xA1").text, "\uFFFD日\uFFFD");
  EXPECT_EQ(decoded_as(Charset::kWindows1252, "\x81").text, "\u0081") << "as browsers do";
  EXPECT_EQ(decoded_as(Charset::kIso8859_8, "\xFF").undecodable, 1U);
}

TEST(CharsetDecoder, characters_at_the_seams_of_long_runs_are_whole) {
  const std::string ascii(200, 'a');
  // A second byte that is ASCII, before and after runs that are copied as they are.
  const std::string katakana = "\x83\x41";  // ア
  EXPECT_EQ(decoded_as(Charset::kShiftJis, ascii + katakana + ascii + katakana).text,
            ascii + "ア" + ascii + "ア");
  const std::string four = "\x81\x30\x81\x30";  // U+0080
  EXPECT_EQ(decoded_as(Charset::kGb18030, ascii + four + std::string(40, '0') + four).text,
            ascii + "\u0080" + std::string(40, '0') + "\u0080");
  EXPECT_EQ(decoded_as(Charset::kGb18030, "\x81\x30" + std::string(40, '0')).text,
            "\uFFFD0" + std::string(40, '0'));
  EXPECT_EQ(decoded_as(Charset::kBig5, "\x88\x62" + ascii).text, "\u00CA\u0304" + ascii)
      << "one that iconv holds back";
  EXPECT_EQ(decoded_as(Charset::kBig5, "\x88\x66" + ascii + "\x88\x66").text, "\u00CA" + ascii + "\u00CA");
}

TEST(CharsetDecoder, the_euro_of_gbk_and_the_escapes_of_iso_2022_jp_are_known) {
  EXPECT_EQ(decoded_as(Charset::kGb18030, "\x80 5").text, "€ 5");
  EXPECT_EQ(decoded_as(Charset::kIso2022Jp, "\x1B$BF|K\\\x1B(B x \x1B(I1\x1B(J!").text, "日本 x ｱ!");
  EXPECT_EQ(decoded_as(Charset::kIso2022Jp, "\x1B$BF\x1B(B\x80").undecodable, 2U);
  EXPECT_EQ(decoded("\x1B$BF|K\\\x1B(B").charset, "iso-2022-jp");
}

// The decoder only ever moves forward, and detection has a bound: all of it takes some seconds.
TEST(CharsetDecoder, large_bodies_are_decoded_in_linear_time) {
  const std::size_t size = std::size_t{1} << 20;
  for (const std::string_view piece : {"\x81", "\xFF", "\xE4\xB8", "\x81\x30", "\x1B$B", "\xC3\xA9\xFF",
                                       "\xD6\xD0<", "<meta ", "\x80", "a\xE9", "\xA4\xA2"}) {
    std::string bytes;
    while (bytes.size() < size) bytes += piece;
    CharsetDecoder decoder;
    std::string text;
    decoder.decode(bytes, {std::nullopt, true}, text);
    EXPECT_LE(text.size(), bytes.size() * 3);
    for (const Charset charset : {Charset::kGb18030, Charset::kBig5, Charset::kShiftJis, Charset::kEucJp,
                                  Charset::kIso2022Jp, Charset::kEucKr, Charset::kUtf16Be, Charset::kUtf8}) {
      decoder.decode_as(charset, bytes, text);
      EXPECT_LE(text.size(), bytes.size() * 3 + 3) << name(charset);
    }
  }
}

}  // namespace
}  // namespace neardup
