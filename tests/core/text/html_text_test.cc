#include "core/text/html_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace neardup {
namespace {

std::string text_of(std::string_view html) {
  HtmlReader reader(HtmlExtract::kAll);
  return std::string(reader.read(html).text);
}

TEST(HtmlText, tags_vanish_and_text_stays) {
  EXPECT_EQ(text_of(""), "");
  EXPECT_EQ(text_of("no markup"), "no markup");
  EXPECT_EQ(text_of("<html><body><p class=x>Hello, <b>world</b>!</p></body></html>"), "Hello, world!");
}

TEST(HtmlText, inline_tags_do_not_split_words) {
  EXPECT_EQ(text_of("un<b>believ</b>able, <A HREF=x>in</A>side, so<wbr>long<my-tag>er</my-tag>"),
            "unbelievable, inside, solonger");
}

TEST(HtmlText, layout_tags_split_words) {
  EXPECT_EQ(text_of("one<br>two<BR/>three<p>four<div>five</div>six"), "one\ntwo\nthree\nfour\nfive\nsix");
  EXPECT_EQ(text_of("<ul><li>a<li>b</ul><table><tr><td>c<td>d<tr><th>e</table>f<h1>g</h1>h<img src=x>i"),
            "a\nb\nc\nd\ne\nf\ng\nh\ni");
}

TEST(HtmlText, tag_names_end_at_space_slash_or_bracket) {
  EXPECT_EQ(text_of("a<p/>b<p\nid=1>c<pp>d</pp>e"), "a\nb\ncde");
}

TEST(HtmlText, a_quoted_value_may_hold_brackets) {
  EXPECT_EQ(text_of("<a title=\"x > y\" href='<b>' z = \"'>'\">text</a>"), "text");
}

TEST(HtmlText, a_quote_matters_only_where_a_value_starts) {
  EXPECT_EQ(text_of("<a \"x>y\">z"), "y\">z");
  EXPECT_EQ(text_of("<a b=c\"d>e\">f"), "e\">f");
  EXPECT_EQ(text_of("<a =\"x>y\">z"), "y\">z");  // '=' starts the name here
  EXPECT_EQ(text_of("<a b=>c"), "c");
}

TEST(HtmlText, comments_vanish_however_they_end) {
  EXPECT_EQ(text_of("a<!-- b > c -- d -->e"), "ae");
  EXPECT_EQ(text_of("a<!-->b<!--->c<!---->d<!----->e"), "abcde");
  EXPECT_EQ(text_of("a<!-- b --!>c"), "ac");
  EXPECT_EQ(text_of("a<!-- <script> -->b"), "ab");
}

TEST(HtmlText, declarations_vanish_up_to_the_next_bracket) {
  EXPECT_EQ(text_of("<!DOCTYPE html><?xml version='1.0'?>a<![CDATA[b]]>c<!x>d</ e>f</>g"), "acdfg");
}

TEST(HtmlText, a_bracket_that_opens_no_tag_is_text) {
  EXPECT_EQ(text_of("1 < 2, 3<4, a<-b, <>, <"), "1 < 2, 3<4, a<-b, <>, <");
  EXPECT_EQ(text_of("x </"), "x </");
}

TEST(HtmlText, scripts_and_styles_are_dropped_with_their_content) {
  EXPECT_EQ(text_of("a<script>if (x<y) '<p>' </scripty> </script >b<STYLE>p{}</Style>c"), "abc");
  EXPECT_EQ(text_of("a<noscript>b<p></noscript>c<iframe>d</iframe>e"), "ac\ne");
}

TEST(HtmlText, a_script_in_a_comment_in_a_script_does_not_end_it) {
  EXPECT_EQ(text_of("<script><!-- document.write('<script>x</script>') --></script>a"), "a");
  EXPECT_EQ(text_of("<script><!-- x --></script>a"), "a");
  EXPECT_EQ(text_of("<script><!-- x </script>a"), "a");
  EXPECT_EQ(text_of("<script><!--><script></script>a"), "a");
}

TEST(HtmlText, templates_are_dropped_and_may_be_nested) {
  EXPECT_EQ(text_of("a<template>b<p>&amp;<template>c</template>d<title>e</title></template>f</template>g"),
            "afg");
}

TEST(HtmlText, title_and_textarea_are_text_without_tags) {
  EXPECT_EQ(text_of("<title>a <b> &amp; c</title>d"), "a <b> & c\nd");
  EXPECT_EQ(text_of("<textarea><p></textarea>x"), "<p>\nx");
  EXPECT_EQ(text_of("<xmp><b>&amp;</xmp>x"), "<b>&amp;\nx");
  EXPECT_EQ(text_of("a<plaintext>b</plaintext><p>"), "a\nb</plaintext><p>");
}

TEST(HtmlText, references_are_decoded_in_text_and_do_not_make_tags) {
  EXPECT_EQ(text_of("caf&eacute; &lt;p&gt; &#x4E2D;&#25991; AT&T &amp;lt; &copy2024"),
            "café <p> 中文 AT&T &lt; ©2024");
  EXPECT_EQ(text_of("a&<b>amp;"), "a&amp;");
}

TEST(HtmlText, what_the_page_leaves_open_ends_with_it) {
  for (const std::string_view rest :
       {"<b", "<b x", "<b x=", "<b x=\"y>z", "<b x='y>z", "</b", "<!-- x", "<!--", "<!doctype", "<?x",
        "<script>x", "<script><!--<script></script>x", "<style>x</style", "<template>x", "</ x"}) {
    EXPECT_EQ(text_of("a" + std::string(rest)), "a") << rest;
  }
  EXPECT_EQ(text_of("<title>a"), "a");
}

TEST(HtmlText, nul_and_invalid_bytes_are_copied) {
  const std::string_view html("a\0b<p\0>c<b>\xFF</b>\0<", 18);
  EXPECT_EQ(text_of(html), std::string_view("a\0bc\xFF\0<", 7));
}

TEST(HtmlText, a_reused_reader_knows_only_the_last_page) {
  for (const HtmlExtract extract : {HtmlExtract::kMain, HtmlExtract::kAll}) {
    HtmlReader reader(extract);
    reader.read("<title>first</title><p>a long first page<table><tr><td>with a table");
    const HtmlText second = reader.read("b");
    EXPECT_EQ(second.text, "b");
    EXPECT_EQ(second.title, "");
  }
}

TEST(HtmlText, white_space_is_folded) {
  EXPECT_EQ(text_of("  a \n\t b&nbsp;&#32; c <b> d</b>\r\n<p> e </p> "), "a b c d\ne");
}

TEST(HtmlText, the_first_title_is_told) {
  HtmlReader reader(HtmlExtract::kAll);
  EXPECT_EQ(reader.read("<head><title> A &amp; B\n</title><body>x<title>c</title>").title, "A & B");
  EXPECT_EQ(reader.read("<svg><title>icon</title></svg><title>page</title><p>x").title, "page");
  EXPECT_EQ(reader.read("<svg><title>icon</title></svg><p>x").title, "") << "that of a picture is none";
  EXPECT_EQ(reader.read("<p>x").title, "");
}

TEST(HtmlText, cdata_is_text_in_foreign_elements_only) {
  EXPECT_EQ(text_of("<svg><![CDATA[a<b>]]></svg>c<![CDATA[d]]>e"), "a<b>\nce");
}

TEST(HtmlText, a_tag_that_closes_itself_holds_nothing_in_foreign_elements_only) {
  for (const HtmlExtract extract : {HtmlExtract::kAll, HtmlExtract::kMain}) {
    HtmlReader reader(extract);
    const std::string rest = "</svg><p>The page goes on, and so on, until here.</p>" + std::string(64, ' ');
    for (const std::string_view tag : {"<style/>", "<script/>", "<SCRIPT SRC=x />", "<title/>", "<textarea/>",
                                       "<iframe/>", "<xmp/>", "<plaintext/>"}) {
      for (const std::string_view foreign : {"<svg>", "<math>", "<svg><g>"}) {
        const HtmlText read = reader.read("<p>One.</p>" + std::string(foreign) + std::string(tag) + rest);
        EXPECT_EQ(read.text, "One.\nThe page goes on, and so on, until here.") << foreign << tag;
        EXPECT_EQ(read.title, "") << foreign << tag;
      }
    }
    for (const std::string_view tag : {"<style/>", "<script/>", "<iframe/>"}) {  // the reader has met them
      EXPECT_EQ(reader.read("<p>One.</p><svg></svg>" + std::string(tag) + rest).text, "One.") << tag;
    }
  }
}

TEST(HtmlText, what_is_html_only_ends_svg_and_math_that_are_left_open) {
  const std::string half =
      "The first half of the article is a paragraph of some length, with a comma, as prose has.";
  std::string first;
  std::string expected;
  for (int i = 0; i < 6; ++i) {
    first += "<p>" + half + "</p>";
    expected += half + "\n";
  }
  const std::string second = "And this is the second half, which a browser shows, too.";
  for (const HtmlExtract extract : {HtmlExtract::kAll, HtmlExtract::kMain}) {
    HtmlReader reader(extract);
    for (const std::string_view open :
         {"<svg viewBox=\"0 0 1 1\"><path d=\"M0\"/>", "<svg><g><svg>", "<math><mrow>",
          "<math aria-hidden=true>", "<svg><foreignObject></foreignObject>", "<svg><title></title><g>",
          "<math><mi></mi>", "<svg><desc/>"}) {
      for (const std::string_view tag : {"p", "div", "P", "h2", "span", "table", "ul"}) {
        const std::string page = "<body>" + first + std::string(open) + "<" + std::string(tag) + ">" +
                                 second + "</" + std::string(tag) + "><script src=x />code</script><p>" +
                                 half;
        EXPECT_NE(reader.read(page).text.find(second), std::string_view::npos) << open << tag;
        EXPECT_EQ(reader.read(page).text.find("code"), std::string_view::npos) << open << tag;
      }
      // the <div> was open before, and its end ends the svg with it
      const std::string page =
          "<div>" + first + std::string(open) + "</div>" + "<script src=x />code</script>";
      EXPECT_EQ(reader.read(page).text, expected.substr(0, expected.size() - 1)) << open;
    }
  }
}

TEST(HtmlText, only_script_and_style_are_more_than_markup_in_svg_and_math) {
  for (const std::string_view tag : {"title", "textarea", "iframe", "noscript", "xmp", "plaintext"}) {
    for (const std::string_view foreign : {"svg", "math"}) {
      const std::string page = "<p>Before</p><" + std::string(foreign) + "><" + std::string(tag) + ">Logo</" +
                               std::string(foreign) + "><p>After</p>";
      EXPECT_EQ(text_of(page), "Before\nLogo\nAfter") << page;
      const std::string main(HtmlReader(HtmlExtract::kMain).read(page).text);
      EXPECT_EQ(main, foreign == "svg" ? "Before\nAfter" : "Before\nLogo\nAfter") << page;
    }
  }
  for (const HtmlExtract extract : {HtmlExtract::kAll, HtmlExtract::kMain}) {
    HtmlReader reader(extract);
    EXPECT_EQ(
        reader.read("<p>Before</p><svg><style>a<p>b</style><script>c<p>d</script></svg><p>After</p>").text,
        "Before\nAfter");
    EXPECT_EQ(reader.read("<p>Before</p><svg><foreignObject><textarea></svg></textarea></svg><p>After").text,
              extract == HtmlExtract::kAll ? "Before\n</svg>\nAfter" : "Before\nAfter");
  }
}

// The end of what is around it ends an <svg>: what comes then is HTML's again.
TEST(HtmlText, what_is_left_open_ends_with_the_element_around_it) {
  HtmlReader reader(HtmlExtract::kMain);
  for (const std::string_view tag : {"section", "article", "nav", "form", "header"}) {
    const std::string around(tag);
    EXPECT_EQ(
        reader.read("<" + around + "><svg><path></" + around + "><noscript>no script</noscript>in").text,
        "in")
        << tag;
    EXPECT_EQ(
        reader.read("<" + around + "><svg><foreignObject></" + around + "><svg><path><p>shown</p>").text,
        "shown")
        << tag;
  }
}

TEST(HtmlText, html_may_stand_in_some_elements_of_svg_and_math) {
  for (const std::string_view page :
       {"<svg><foreignObject><p>in</p><style/>x</style></foreignObject><style/></svg>out",
        "<svg><desc><div>in</div></desc><style/></svg>out",
        "<math><mtext><b>in</b></mtext><style/></math>out",
        "<svg><foreignObject><p>in<svg><path><p></foreignObject><style/></svg>out"}) {
    const std::string text = text_of(page);
    EXPECT_TRUE(text == "in\nout" || text == "inout") << page << text;
  }
  const std::string_view point =
      "<div>before<svg><foreignObject><p>in</p></foreignObject><g>in</svg>behind</div>";
  EXPECT_EQ(HtmlReader(HtmlExtract::kMain).read(point).text, "before\nbehind");
  EXPECT_EQ(text_of("<svg><foreignObject></svg><style/>gone"), "") << "the end of what is around it ends it";
}

// Runs of white space as one, none beside a line break or at the end.
std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    const bool after = out.empty() || out.back() == ' ' || out.back() == '\n';
    if (c == '\n' && !out.empty() && out.back() == ' ') {
      out.back() = '\n';
    } else if (!space || !after) {
      out += c;
    }
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == '\n')) out.pop_back();
  return out;
}

// A page made of known pieces says what they say.
TEST(HtmlText, seeded_pages_say_what_they_were_made_of) {
  constexpr std::uint64_t kSeed = 7;
  std::mt19937_64 random(kSeed);
  const struct {
    std::string_view html, text;
  } pieces[] = {
      {"word", "word"},
      {" ", " "},
      {"中文", "中文"},
      {"&lt;", "<"},
      {"&#38;", "&"},
      {"<b>", ""},
      {"</i >", ""},
      {"<a href=\">\" b='</script>'>", ""},
      {"<!-- <p> -->", ""},
      {"<script>var a = '<p>';</script>", ""},
      {"<style>\n</style\t>", ""},
      {"<template><p>x</template>", ""},
      {"<?php echo ?>", ""},
      {"<span/>", ""},
      {"<br>", "\n"},
      {"</p>", "\n"},
      {"<td colspan=2 >", "\n"},
  };
  for (int i = 0; i < 20000; ++i) {
    std::string html;
    std::string text;
    for (auto left = random() % 30; left > 0; --left) {
      const auto& piece = pieces[random() % std::size(pieces)];
      html += piece.html;
      if (piece.text != "\n") {
        text += piece.text;
      } else if (!text.empty() && text.back() != '\n') {
        text += '\n';
      }
    }
    ASSERT_EQ(text_of(html), folded(text)) << "seed " << kSeed << " case " << i << ": " << html;
  }
}

}  // namespace
}  // namespace neardup
