#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/folder.h"
#include "core/text/html_text.h"
#include "core/text/tokenizer.h"

namespace neardup {
namespace {

std::string main_of(std::string_view html) {
  HtmlReader reader;
  return std::string(reader.read(html).text);
}

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

constexpr std::string_view kParagraphs =
    "<p>The first paragraph of the article is long enough to vote, and it has a comma or two, as prose "
    "does.</p>\n"
    "<p>The second one goes on for a while, so that there is no doubt that this is the article of the page, "
    "whatever "
    "else stands around it, above it or below.</p>\n"
    "<p>And the third one ends it, with a last remark on what was said before, which is not much, but enough "
    "to make "
    "the text five hundred bytes long, so that no rule has to be relaxed.</p>\n"
    "<p>There is a fourth one after all, because five hundred bytes are more than one would think, when one "
    "has to "
    "write them.</p>\n";

// So that the article does not stand in a page twice.
constexpr std::string_view kMoreParagraphs =
    "<p>What came of it is told in a few words, because nothing did, or nothing that anybody would "
    "remember.</p>\n"
    "<p>There were those who had hoped for more, and those who had feared it, and both were wrong for once, "
    "as they said themselves, when they were asked.</p>\n"
    "<p>So it ends as it began, with a town on a river, a bridge that is too narrow, and a council that has "
    "more ideas than money.</p>\n";

// The article alone.
std::string article() {
  std::string text = main_of("<div>" + std::string(kParagraphs) + "</div>");
  EXPECT_TRUE(text.starts_with("The first") && text.ends_with("write them."));
  return text;
}

std::string more() { return main_of("<div>" + std::string(kMoreParagraphs) + "</div>"); }

TEST(HtmlMain, the_article_stays_and_what_stands_around_it_goes) {
  for (const std::string_view furniture : {
           "<nav><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul></nav>",
           "<div class=\"cookie-banner\"><p>We use cookies on this site, as all sites do, to know who you "
           "are.</p></div>",
           "<div class=sidebar><p>Somebody else wrote this, and it is about another thing, of "
           "course.</p></div>",
           "<footer><p>All of this belongs to us, and none of it to you, whoever you may be.</p></footer>",
           "<div style='display: none'><p>Nobody can see this, and so it is no text of the page at "
           "all.</p></div>",
           "<p hidden>Nobody can see this, and so it is no text of the page at all.</p>",
           "<div role=navigation>Here, there and everywhere you may go from here, if you like.</div>",
           "<select><option>one<option>two</select><button>Send</button>",
           "<template><p>A paragraph of a template, which is not a part of the page, or not "
           "yet.</p></template>",
           "<script>document.write('<p>one, two, three</p>')</script>",
           "<ul><li><a href=/1>Another story of the day</a><li><a href=/2>And one more for you</a></ul>",
       }) {
    EXPECT_EQ(main_of("<body>" + std::string(furniture) + "<div class=article>" + std::string(kParagraphs) +
                      "</div>"),
              article())
        << furniture;
    EXPECT_EQ(
        main_of("<body><div class=article>" + std::string(kParagraphs) + "</div>" + std::string(furniture)),
        article())
        << furniture;
  }
}

TEST(HtmlMain, small_furniture_inside_the_article_goes) {
  const std::string menu =
      "<div class=menu>" + std::string(600, 'x') + "</div>";  // so that there is some to drop
  for (const std::string_view furniture : {
           "<figure><img src=x><figcaption>What the picture shows</figcaption></figure>",
           "<div class=wp-caption><img src=x><div class='wp-caption-text'>What the picture shows</div></div>",
           "<p>Photo by Jane Doe</p>",
           "<div class=share-buttons><a href=#>Here</a> <a href=#>there</a></div>",
           "<span class=byline>Jane Doe</span>",
           "<p>Published 12 March 2024, 10:15</p>",
           "<p>2024年3月12日 10:15</p>",
           "<p>Read more: <a href=/x>another story</a></p>",
           "<p>相关阅读：<a href=/x>另一篇</a></p>",
           "<aside><p>By the way, something else happened too, and it is told here.</p></aside>",
           "<p>The mayor in front of the town hall that he had built. Photo: Jane Doe</p>",
           "<p>Das Rathaus im Schnee, von oben (Foto : J. Doe)</p>",
           "<p>The town hall in snow © The Agency</p>",
           "<figure><img src=x><span>What the picture shows, by The Agency</span></figure>",
           "<p>Am 24. März 2022 um 15:47 Uhr</p>",
           "<p>Publié le mardi 3 février 2015 à 10:15</p>",
           "<p>Von Jana Muster und Hans Beispiel</p>",
           "<p>　　来源：新华社</p>",
           "<p>【编辑：张三】</p>",
           "<p>（原标题：市政厅重建方案公布）</p>",
           "<p>编辑|张三 校对|李四</p>",
           "<p>关键词 >> 市政厅,重建</p>",
           "<p>新京报记者 张三 编辑 李四</p>",
           "<p>2019-09-07 09:59:22　来源: 新京报 举报</p>",
           "<p>未经授权，不得转载。</p>",
           "<p>"
           "免责声明：本文由读者提供，版权归原作者所有，转载请联系原作者并获许可，文章观点仅代表作者本人，不"
           "代表本站立场，"
           "若内容涉及投资建议，仅供参考，请勿作为投资依据。投资有风险，入市需谨慎。</p>",
           "<p>发表于 2019-9-7 10:12:33|<a href=/x>只看该作者</a></p>",
           "<p><a href=/x>Next message:</a> Re: the town hall</p>",
           "<p>Lees ook: <a href=/x>Een ander verhaal</a></p>",
           "<p>Czytaj też: <a href=/x>inny artykuł</a></p>",
           "<p>Quelle: Ministerium für Bildung</p>",
           "<h3>Das könnte Sie auch interessieren</h3><p><a href=/1>One</a></p><p><a href=/2>Two</a></p>",
           "<h3>Related articles</h3><ul><li><a href=/1>One</a><li><a href=/2>Two</a></ul>",
       }) {
    EXPECT_EQ(
        main_of(menu + "<div class=article>" + std::string(kParagraphs) + std::string(furniture) + "</div>"),
        article())
        << furniture;
  }
}

TEST(HtmlMain, a_link_that_says_what_announces_links_announces_none) {
  const auto entry = [](int i) {
    const std::string number = std::to_string(i);
    return "<div class=post><h2><a href=/" + number + ">The day number " + number +
           "</a></h2><p>On that day the mayor told us what he had told us before, in other words.</p>"
           "<a href=/more>Read more</a></div>";
  };
  const std::string entries =
      main_of("<nav><a href=/>Home</a> <a href=/about>About</a></nav><div class=posts>" + entry(1) +
              entry(2) + "</div>");
  for (const std::string_view heading : {"The day number 1", "The day number 2"}) {
    EXPECT_TRUE(holds(entries, heading)) << heading << entries;
  }
  std::string index = "<h1>Index of chapters</h1><ul>";
  for (int i = 0; i < 40; ++i)
    index += "<li><a href=/x>" + (i == 3 ? "Related links" : "Chapter number " + std::to_string(i)) + "</a>";
  EXPECT_TRUE(holds(main_of(index + "</ul>"), "Chapter number 39"));
}

TEST(HtmlMain, a_short_sentence_stays_whatever_it_begins_with) {
  const std::string menu = "<div class=menu>" + std::string(600, 'x') + "</div>";
  const auto text_with = [&](std::string_view line) {
    return main_of(menu + "<div class=article><p>" + std::string(line) + "</p>" + std::string(kParagraphs) +
                   "</div>");
  };
  for (const std::string_view line : {
           "Share prices fell sharply on Monday morning.",
           "Published in 1925, the novel became a classic.",
           "Print media have suffered for many years.",
           "Updated rules will take effect next May.",
           "Email is dead, said the inventor of it.",
           "Via Appia is the oldest of the roads.",
           "Teilen der Stadt fehlt seit gestern der Strom.",
           "记者从会上获悉，新规下月实施。",
       }) {
    EXPECT_EQ(text_with(line), std::string(line) + "\n" + article());
  }
  for (const std::string_view line : {
           "Share",
           "Via Reuters.",
           "Courtesy of the National Air and Space Museum.",
           "Written by Jane Doe and John Roe.",
           "Published on May 3, 2021, at 10:15 a.m.",
           "Comments are closed for this article.",
           "Sponsored: how to save on all of your bills.",
           "Log in to read the rest of this article.",
           "记者 张三 北京报道。",
       }) {
    EXPECT_EQ(text_with(line), article()) << line;
  }
}

TEST(HtmlMain, a_heading_that_repeats_the_title_goes_and_others_stay) {
  const std::string menu = "<div class=menu>" + std::string(600, 'x') + "</div>";
  const std::string page = "<title>A tale of two cities - The Daily</title>" + menu +
                           "<div class=article><h1>A tale of two cities</h1>" + std::string(kParagraphs) +
                           "<h2>What came of it</h2>" + std::string(kMoreParagraphs) + "</div>";
  EXPECT_EQ(main_of(page), article() + "\nWhat came of it\n" + more());
}

TEST(HtmlMain, documentation_keeps_its_sections_tables_and_code) {
  std::string page = "<div id=content>";
  std::string expected;
  for (const char* const name : {"One", "Two", "Three"}) {
    page += "<div class=sect1><h2>" + std::string(name) + "</h2><div class=sectionbody>" +
            std::string(kParagraphs) + "</div></div>";
    expected += (expected.empty() ? "" : "\n") + std::string(name) + "\n" + article();
  }
  page +=
      "<table><tr><th>Option</th><td>What it does</td></tr></table>"
      "<pre><span class=comment>// a comment</span>\nint x;</pre></div>";
  EXPECT_EQ(main_of(page), expected + "\nOption\nWhat it does\n// a comment int x;");
}

// White space and line breaks as one ' '.
std::string words_of(std::string_view html) {
  std::string text = main_of(html);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

TEST(HtmlMain, what_is_dropped_inside_a_line_parts_words_where_white_space_did_and_only_there) {
  for (const std::string_view page : {
           "<p>Hello <span hidden>x</span>world</p>",
           "<p>Hello<span hidden>x</span> world</p>",
           "<p>Hello <span hidden>x</span> world</p>",
           "<p>Hello<span hidden> x </span> world</p>",
           "<p>Hello<span hidden>x</span>&nbsp;world</p>",
           "<p>Hello<span hidden>x</span>&#32;world</p>",
           "<p>Hello<span hidden>x</span><br>world</p>",
           "<p>Hello<br><span hidden>x</span>world</p>",
           "<p>Hello<span hidden>x</span><i> </i>world</p>",
           "<p>Hello <span hidden></span>world</p>",
           "<p>Hello<span hidden> </span>world</p>",
           "<p>Hello<span hidden><b aria-hidden=true>x</b></span> world</p>",
           "<p>Hello<a hidden href=x>x</a> world</p>",
       }) {
    EXPECT_EQ(words_of(page), "Hello world") << page;
  }
  for (const std::string_view page : {
           "<p>un<span hidden>x</span>believable</p>",
           "<p>un<span hidden></span>believable</p>",
           "<p>un<span hidden><b aria-hidden=true></b></span>believable</p>",
           "<p>un<span hidden><b aria-hidden=true>x</b>y</span>believable</p>",
           "<p>un<span hidden></span><i hidden></i>believable</p>",
           "<p>un<a hidden href=x>x</a>believable</p>",
           "<p>un<span class=subtitle>believ</span>able</p>",
           "<p>un<span class=subtitle>believ<b class=credit></b></span>able</p>",
       }) {
    EXPECT_EQ(words_of(page), "unbelievable") << page;
  }
  EXPECT_EQ(words_of("<p>one <span class=subtitle>two</span> three</p>"), "one two three");
  EXPECT_EQ(words_of("<pre>one<b hidden>x</b> two<b hidden>x</b>fold</pre>"), "one twofold");
}

TEST(HtmlMain, a_line_that_begins_with_what_is_dropped_is_a_line_of_its_own) {
  EXPECT_EQ(main_of("<ul><li>one</li><li><span hidden>x</span>two</li></ul>"), "one\ntwo");
  EXPECT_EQ(main_of("<p>one</p><p><span hidden>x</span><b hidden>y</b>two</p>"), "one\ntwo");
  const std::string text = article();
  EXPECT_EQ(main_of("<div><h2>Overview</h2><p><span hidden>x</span>" + text + "</p><h2>Details</h2><p>" +
                    text + "</p></div>"),
            "Overview\n" + words_of(std::string("<p>") + text) + "\nDetails\n" +
                words_of(std::string("<p>") + text));
}

TEST(HtmlMain, what_is_hidden_ends_with_its_own_end_tag) {
  EXPECT_EQ(words_of("<p>one <span aria-hidden=true><span class=base><span class=strut></span>"
                     "<span class=mord>x</span><SPAN>y</SPAN></span>z</span> two</p>"),
            "one two");
  EXPECT_EQ(words_of("<p>one <b hidden><b><i>x</i></b><i>y</i></b> two</p>"), "one two");
  EXPECT_EQ(words_of("<p>one <b hidden><b>x</b><b/>y</b> two</p>"), "one two");
  EXPECT_EQ(words_of("<p>one <b hidden><b>x</p><p>two <b hidden>x</b> three</p>"), "one two three");
  EXPECT_EQ(words_of("<p>one <rt hidden><rt>x</rt></rt> two</p>"), "one two");
}

// More than are kept open: a list of countries has as many.
TEST(HtmlMain, what_has_no_end_tag_does_not_pile_up) {
  const struct {
    std::string_view before, unit, behind;
  } lists[] = {
      {"<select>", "<option value=i>Country i", "</select>"},
      {"<select>", "<option value=i/>Country i", "</select>"},
      {"<select>", "<optgroup label=x><option>a</option>", "</select>"},
      {"<select>", "<optgroup label=x><option>a", "</select>"},
      {"<datalist>", "<option>a", "</datalist>"},
      {"<table>", "<tbody>", "</table>"},
      {"<table>", "<tbody><tr><td hidden>x", "</table>"},
      {"<table>", "<thead hidden><tr><th>x<tbody><tr><td hidden>x<tfoot>", "</table>"},
  };
  for (const auto& list : lists) {
    std::string page = "<p>An introduction.</p>" + std::string(list.before);
    for (int i = 0; i < 300; ++i) page += list.unit;
    page += std::string(list.behind) + "<div hidden>x</div><div>" + std::string(kParagraphs) + "</div>";
    EXPECT_TRUE(main_of(page).ends_with(article())) << list.unit;
    EXPECT_EQ(main_of(page).find('x' + std::string("\n")), std::string::npos) << list.unit;
  }
}

TEST(HtmlMain, a_style_hides_by_its_own_properties_only) {
  const auto page_of = [](std::string_view style) {
    return "<p>one <b style=\"" + std::string(style) + "\">two</b></p>";
  };
  for (const std::string_view style : {
           "display:none",
           "color: red; display : none",
           "color:red;display:none!important",
           "DISPLAY: None",
           "visibility:hidden",
           "\n\tvisibility:\n\thidden;",
           "backface-visibility: visible; visibility: hidden",
           "display:block;display:none",
       }) {
    EXPECT_EQ(words_of(page_of(style)), "one") << style;
  }
  for (const std::string_view style : {
           "backface-visibility: hidden",
           "-webkit-backface-visibility:hidden",
           "--display:none",
           "display:inline",
           "display",
           "display:",
           "display none",
           "visibility: visible; overflow: hidden",
       }) {
    EXPECT_EQ(words_of(page_of(style)), "one two") << style;
  }
}

TEST(HtmlMain, what_parts_words_in_all_text_does_so_in_main_text) {
  HtmlReader all(HtmlExtract::kAll);
  for (const std::string_view page : {
           "<p>one<img src=x>two</p>",
           "<p>one<input>two</p>",
           "<p>one<iframe>x</iframe>two</p>",
           "<p>one<video></video>two</p>",
           "<p>one<object>two</object>three</p>",
           "<p>one<math>two</math>three</p>",
           "<p>one<svg/>two</p>",
           "<p>one</br>two</p>",
           "<p>one<span hidden></span><img src=x>two</p>",
           "<p>one<b class=subtitle><img src=x></b>two</p>",
           "<ruby>one<rt>two</rt>three</ruby>",
           "<ruby>one<rt class=subtitle>two</rt>three</ruby>",
       }) {
    std::string expected(all.read(page).text);
    std::replace(expected.begin(), expected.end(), '\n', ' ');
    EXPECT_EQ(words_of(page), expected) << page;
  }
  EXPECT_EQ(words_of("<p>one<textarea>x</textarea>two</p>"), "one two");
  EXPECT_EQ(words_of("<p>so<wbr>long<script>x</script>er</p>"), "solonger");
}

TEST(HtmlMain, a_table_of_contents_is_content_where_there_is_nothing_else) {
  std::string page = "<body><h1>Manual</h1><ul>";
  std::string expected = "Manual";
  for (int i = 1; i < 60; ++i) {
    page += "<li><a href=c" + std::to_string(i) + ".html>Chapter " + std::to_string(i) + "</a>";
    expected += "\nChapter " + std::to_string(i);
  }
  EXPECT_EQ(main_of(page), expected);
}

TEST(HtmlMain, where_nothing_is_found_it_is_all_text_and_that_is_said) {
  HtmlReader reader;
  for (const std::string_view page : {"<div style='display:none'>Only this</div>",
                                      "<select><option>Only this</select>", "<title>Only this</title>"}) {
    const HtmlText read = reader.read(page);
    EXPECT_EQ(read.text, "Only this") << page;
    EXPECT_TRUE(read.fell_back) << page;
  }
  for (const std::string_view page : {"", " ", "<p>", "<script>x</script>"}) {
    const HtmlText read = reader.read(page);
    EXPECT_EQ(read.text, "") << page;
    EXPECT_FALSE(read.fell_back) << page;
  }
  EXPECT_FALSE(reader.read("one word").fell_back);
}

TEST(HtmlMain, a_crumb_of_a_page_full_of_text_becomes_all_text_and_that_is_said) {
  HtmlReader reader;
  for (const std::string name : {"comment", "replies", "header-x", "extra"}) {
    for (const std::string_view crumb : {"<h1>Forum</h1>", "<p>|</p>"}) {
      std::string page(crumb);
      for (int i = 0; i < 20; ++i)
        page +=
            "<div class=" + name + "><p>Post " + std::to_string(i) + " says something, and more.</p></div>";
      const HtmlText read = reader.read(page);
      EXPECT_TRUE(read.fell_back) << page;
      EXPECT_NE(read.text.find("Post 0 says"), read.text.npos) << page;
      EXPECT_TRUE(read.text.ends_with("Post 19 says something, and more.")) << page;
    }
  }
}

// All pages of a shop say so much below. Where the page names that as its subject it is, whatever is around.
TEST(HtmlMain, a_piece_of_a_page_stands_for_all_of_it_only_where_the_page_says_so) {
  std::string goods;
  for (int i = 0; i < 300; ++i)
    goods += "<div><a href=x><img src=y></a><a href=x>Kettle no. " + std::to_string(i) +
             "</a> <span>19.90</span><button>Add to the basket</button></div>";
  const std::string owner =
      "<p>Kettles and Sons, 12 Long Lane, Little Town, is a limited company, registered in the county, with "
      "number 1234567. All our prices, unless we say otherwise, include taxes, and no kettle, big or small, "
      "leaves our house before it has been tried, cleaned and packed by hand, as in my grandfather's "
      "day.</p>";
  HtmlReader reader;
  const HtmlText whole = reader.read("<div>" + goods + "</div><div>" + owner + "</div>");
  EXPECT_NE(whole.text.find("Kettle no. 299 19.90"), whole.text.npos) << whole.text;
  EXPECT_NE(whole.text.find("grandfather"), whole.text.npos) << whole.text;
  for (const std::string& subject : {"<article>" + owner + "</article>", "<main>" + owner + "</main>",
                                     "<div><h1>About us</h1><div>" + owner + "</div></div>"}) {
    const HtmlText read = reader.read("<div>" + goods + "</div>" + subject);
    EXPECT_TRUE(read.text.ends_with("grandfather's day.")) << read.text;
    EXPECT_EQ(read.text.find("no. 299"), read.text.npos) << read.text;
  }
}

TEST(HtmlMain, a_short_text_in_a_page_full_of_links_is_its_main_text) {
  std::string page;
  for (int i = 0; i < 200; ++i) page += "<div class=menu><a href=x>Another place to go to</a></div>";
  HtmlReader reader;
  const HtmlText read = reader.read(page + "<div class=article><p>One short line of news.</p></div>" + page);
  EXPECT_EQ(read.text, "One short line of news.");
  EXPECT_FALSE(read.fell_back);
}

// Several paragraphs, each one long and with commas, about `what`.
std::string prose(std::string_view what, int paragraphs) {
  std::string text;
  for (int i = 0; i < paragraphs; ++i) {
    text += "<p>Of " + std::string(what) + " number " + std::to_string(i) +
            ", there is this to say, and more, if there is time: it is long, it has commas, and it means "
            "something to whoever reads it.</p>\n";
  }
  return text;
}

TEST(HtmlMain, a_link_reaches_over_the_blocks_inside_of_it) {
  std::string cards;
  for (int i = 0; i < 4; ++i) {
    cards += "<div><a href=/other><div><img src=x></div><div><h3>Another page, number " + std::to_string(i) +
             "</h3><div>What it says in short</div></div></a></div>";
  }
  const std::string sidebar = "<div class=sidebar>" + prose("side", 6) + "</div>";
  const std::string text =
      main_of("<article>" + prose("link", 6) + "<div>" + cards + "</div></article>" + sidebar);
  EXPECT_TRUE(holds(text, "Of link number 5"));
  EXPECT_FALSE(holds(text, "Another page") || holds(text, "What it says"));
  // One that is never closed ends with what it began in.
  EXPECT_TRUE(
      holds(main_of("<article><div><a href=/x>Home</div>" + prose("link", 6) + "</article>" + sidebar),
            "Of link number 5"));
}

TEST(HtmlMain, an_article_is_no_furniture_for_the_topics_in_its_class) {
  const std::string page = "<article id=post-7 class='post category-social-media tag-sponsor'>" +
                           prose("tweet", 6) + "</article><div>" + prose("shop", 6) + "</div>";
  EXPECT_TRUE(holds(main_of(page), "Of tweet number 5"));
}

TEST(HtmlMain, what_holds_the_heading_and_most_of_the_page_is_no_furniture) {
  const std::string other = "<div>" + prose("shop", 5) + "</div>";
  for (const std::string_view name : {"site menu-open", "wrap sidebar-right", "header"}) {
    const auto page = [&](const std::string& inside) {
      return "<div class='" + std::string(name) + "'>" + inside + "</div>" + other;
    };
    EXPECT_TRUE(holds(main_of(page("<h1>News</h1>" + prose("news", 9))), "Of news number 8")) << name;
    EXPECT_FALSE(holds(main_of(page(prose("news", 9))), "Of news")) << name;
    EXPECT_FALSE(holds(main_of(page("<h1>News</h1>" + prose("news", 2))), "Of news")) << name;
    EXPECT_TRUE(
        holds(main_of("<h1><img></h1>" + page("<h2>News</h2>" + prose("news", 9))), "Of news number 8"))
        << name;
    EXPECT_FALSE(holds(main_of(page("<h2>News</h2>" + prose("news", 2))), "Of news")) << name;
    EXPECT_FALSE(holds(main_of("<h1>Shop</h1>" + page("<h2>News</h2>" + prose("news", 9))), "Of news"))
        << name;
  }
  EXPECT_FALSE(
      holds(main_of(other + "<div class=comments><h2>News</h2>" + prose("news", 9) + "</div>"), "Of news"));
}

TEST(HtmlMain, a_post_is_no_furniture_for_the_topics_in_its_class) {
  for (const std::string_view name :
       {"post-12 hentry category-community", "type-post category-social-media"}) {
    const std::string post =
        "<div class='" + std::string(name) + "'><h2>News</h2>" + prose("news", 9) + "</div>";
    EXPECT_TRUE(holds(main_of("<h1>The site</h1>" + post + "<div>" + prose("shop", 5) + "</div>"),
                      "Of news number 8"))
        << name;
  }
}

TEST(HtmlMain, a_page_that_has_a_sidebar_is_none) {
  for (const std::string_view name :
       {"site has-sidebar", "page-with-sidebar", "layout no-sidebar", "without-sidebar"}) {
    const std::string page = "<div class='" + std::string(name) + "'>" + prose("news", 9) + "</div>";
    EXPECT_TRUE(holds(main_of(page + "<div>" + prose("shop", 5) + "</div>"), "Of news number 8")) << name;
  }
}

TEST(HtmlMain, how_an_element_looks_says_nothing_of_what_it_is) {
  const auto page = [](const std::string& article, const std::string& footer) {
    return "<div class='" + article + "'>" + prose("news", 4) + "</div><div class='" + footer + "'>" +
           prose("shop", 6) + "</div>";
  };
  const std::string neutral = main_of(page("one", "two"));
  EXPECT_EQ(main_of(page("overflow-hidden mx-auto", "text-sm text-gray-500")), neutral);
  EXPECT_EQ(main_of(page("flex  md:hidden", "text-2xl text-center")), neutral);
  EXPECT_FALSE(holds(main_of(page("hidden", "text-block")), "Of news number 3")) << "these do";
}

TEST(HtmlMain, a_correspondent_is_no_respondent) {
  const std::string shop = "<div>" + prose("shop", 5) + "</div>";
  const auto page = [&](const std::string& name) {
    return "<div class='" + name + "'>" + prose("news", 9) + "</div>" + shop;
  };
  EXPECT_TRUE(holds(main_of(page("our-correspondent")), "Of news number 8"));
  EXPECT_FALSE(holds(main_of(page("comment-respond")), "Of news number 8"));
  EXPECT_FALSE(holds(main_of(page("respond")), "Of news number 8"));
}

// What pages have that is no prose, each with "Alder" in it, or short prose.
std::vector<std::string> plain_bodies() {
  std::string table = "<table>";
  std::string lyrics = "<p>";
  std::string code = "<pre>struct Alder;\n";
  std::string words = "<p>Alder";
  for (int i = 0; i < 40; ++i) {
    const std::string number = std::to_string(i);
    table += "<tr><td>Alder " + number + "<td>" + number + "<td>team Dunmore";
    lyrics += "Alder, said the wind, number " + number + "<br>";
    code += "struct node" + number + " { int value; };\n";
    words += " goes on and on without a stop " + number;
  }
  const std::string facts =
      "<table><tr><th>Place<td>Alder on the lake<tr><th>Rooms<td>five and a half<tr><th>Area<td>140 square "
      "metres<tr><th>Built<td>in the nineties</table><div>A bright house with a view.</div>";
  const std::string notes =
      "<p>The ferry to Alder leaves at nine from the old quay.</p><p>Bring warm clothes and something to "
      "eat.</p><p>Children under ten travel free with us.</p>";
  return {table + "</table>", lyrics + "</p>", code + "</pre>", words + "</p>", facts, notes};
}

// Paragraphs that win the vote against all of them.
std::string small_print() {
  std::string text;
  for (const std::string_view what : {"archive", "office", "database"}) {
    text += "<p>The " + std::string(what) +
            " of the foundation is run without any profit, and depends on the donations of its users and "
            "friends.</p>";
  }
  return text;
}

constexpr std::string_view kMenu = "<ul><li><a href=/>Homepage</a><li><a href=/n>Latest news items</a></ul>";

TEST(HtmlMain, a_footer_or_an_aside_is_never_the_article) {
  for (const std::string& body : plain_bodies()) {
    for (const std::string_view tag : {"footer", "aside"}) {
      const std::string end = "<" + std::string(tag) + ">" + small_print() + "</" + std::string(tag) + ">";
      const auto text_of = [&](const std::string& around, const std::string& behind) {
        return main_of(std::string(kMenu) + around + "<div class=c>" + body + "</div>" + behind + end);
      };
      for (const std::string& text : {text_of("<main>", "</main>"), text_of("<article>", "</article>")}) {
        EXPECT_TRUE(holds(text, "Alder")) << tag << body;
        EXPECT_FALSE(holds(text, "foundation")) << tag << body;
      }
      if (tag == "footer") {
        EXPECT_TRUE(holds(text_of("<h1>Results</h1>", ""), "Alder")) << body;
      }
    }
  }
}

// Where little is left, furniture may be the text; but two small pages with one footer would be one text.
TEST(HtmlMain, a_footer_of_a_small_page_is_one_by_its_name_or_role_too) {
  for (const std::string_view footer : {"<div class=footer>", "<div id=site-footer>",
                                        "<section class=PageFooter>", "<div role=contentinfo>"}) {
    const std::string text = main_of(std::string(kMenu) + "<div class=c>" + prose("news", 1) + "</div>" +
                                     std::string(footer) + "<p>" + small_print() + "</p></div>");
    EXPECT_TRUE(holds(text, "Of news") && !holds(text, "foundation")) << footer << text;
  }
  const std::string all = main_of("<div class=footer>" + prose("news", 1) + "</div>");
  EXPECT_TRUE(holds(all, "Of news")) << "there is nothing else";
}

// Who wins the vote has paragraphs; who has none, and is most of the page, is not lost for that.
TEST(HtmlMain, most_of_a_page_is_kept_though_it_has_no_paragraphs) {
  const std::vector<std::string> bodies = plain_bodies();
  for (const std::string& body : {bodies[0], bodies[1], bodies[2], bodies[3]}) {
    const std::string text =
        main_of(std::string(kMenu) + "<div class=c>" + body + "</div><div class=sidebar>" + prose("side", 1) +
                "</div><div id=bottom>" + small_print() + "</div>");
    EXPECT_TRUE(holds(text, "Alder")) << body;
    EXPECT_FALSE(holds(text, "Of side")) << body;
  }
  // what is mostly links is a list of them, with the article or without
  std::string cards;
  for (int i = 0; i < 40; ++i)
    cards += "<div><a href=/x>Another story, number " + std::to_string(i) + "</a></div>";
  EXPECT_FALSE(
      holds(main_of("<div>" + prose("news", 2) + "</div><div>" + cards + "</div>"), "Another story"));
}

TEST(HtmlMain, lines_that_say_they_are_furniture_do_not_stand_for_the_page) {
  const std::string text = main_of(
      std::string(kMenu) +
      "<div class=ev><h1>Open day</h1><dl><dt>Date<dd>12 June 2021, 10 to 17 hours<dt>Place<dd>Old school, "
      "gymnasium<dt>Admission<dd>Free for all visitors</dl><p>Come and see the model of the new "
      "terminal.</p></div><div id=bottom><p>Copyright 2024 Example Corporation, all rights reserved "
      "worldwide</p><p><a href=/i>Imprint information</a> | <a href=/p>Privacy policy page</a></p></div>");
  EXPECT_TRUE(holds(text, "Old school") && holds(text, "Come and see")) << text;
  EXPECT_FALSE(holds(text, "Copyright")) << text;
}

TEST(HtmlMain, a_footer_that_is_most_of_the_article_is_its_text) {
  const std::string other = "<div>" + prose("shop", 5) + "</div>";
  for (const std::string_view tag : {"footer", "aside"}) {
    const std::string begin = "<" + std::string(tag) + ">";
    const std::string end = "</" + std::string(tag) + ">";
    const auto text_of = [&](const std::string& article) {
      return main_of(other + "<article>" + article + "</article><footer>" + prose("us", 1) + "</footer>");
    };
    const std::string transcript = text_of("<div>A film.</div>" + begin + prose("film", 6) + end);
    EXPECT_TRUE(holds(transcript, "Of film number 5") && !holds(transcript, "Of us")) << transcript;
    const std::string text = text_of("<div>" + prose("film", 6) + "</div>" + begin + prose("foot", 1) + end);
    EXPECT_TRUE(holds(text, "Of film number 5") && !holds(text, "Of foot")) << text;
  }
  EXPECT_TRUE(holds(main_of("<div>" + prose("left", 2) + "</div><aside>" + prose("right", 6) + "</aside>"),
                    "Of right number 5"));
}

TEST(HtmlMain, prose_stays_in_the_article_whatever_it_is_called) {
  std::string page;
  for (int i = 0; i < 8; ++i) {
    const std::string what = "part" + std::to_string(i);
    page += (i % 3 == 0   ? "<div>"
             : i % 3 == 1 ? "<div class=scroll-tool>"
                          : "<div><img src=1><img src=2>") +
            prose(what, 1) + "</div>";
  }
  const std::string text =
      main_of("<article>" + page + "<div class=tool><p>Zoom in</p></div></article><div class=sidebar>" +
              prose("side", 6) + "</div>");
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(holds(text, "Of part" + std::to_string(i))) << text;
  EXPECT_FALSE(holds(text, "Zoom in"));
}

TEST(HtmlMain, sections_of_one_kind_are_one_article_without_headings_too) {
  std::string page;
  for (int i = 0; i < 5; ++i) {
    page += "<div class=row><div><img src=x></div><div class=inner>" +
            prose("row" + std::to_string(i), i == 0 ? 6 : 2) + "</div></div>";
  }
  const std::string text =
      main_of("<div>" + page + "</div><div class=sidebar>" + prose("side", 1) + "</div>");
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(holds(text, "Of row" + std::to_string(i))) << text;
  EXPECT_FALSE(holds(text, "Of side"));
}

TEST(HtmlMain, captions_go_unless_they_are_the_text) {
  const auto figures = [](int count) {
    std::string html;
    for (int i = 0; i < count; ++i) {
      html += "<figure><img src=x><figcaption>Costume number " + std::to_string(i) +
              ", for which a hat, a coat and a long scarf will do, and which nobody else will "
              "wear.</figcaption></figure>";
    }
    return html;
  };
  EXPECT_FALSE(holds(main_of("<article>" + prose("party", 6) + figures(2) + "</article>"), "Costume number"));
  const std::string show = main_of("<article>" + prose("party", 2) + figures(20) + "</article>");
  EXPECT_TRUE(holds(show, "Costume number 0") && holds(show, "Costume number 19")) << show;
}

TEST(HtmlMain, beside_the_text_of_a_page_laid_out_by_a_table_stand_menus) {
  std::string menu;
  for (const char* const name : {"Home", "Archive of the year", "Weather", "Letters", "Guestbook"})
    menu += std::string("<a href=/x>Menu: ") + name + "</a><br>";
  const std::string words =
      "The council closed the bridge, said the mayor.<br><br>It has cracks, and repair, as ever, "
      "costs more than was thought.<br><br>The next meeting, open to all, is on Tuesday.";
  const auto framed = [&](const std::string& cell) {
    return main_of("<body><table><tr><td width=150>" + menu + "<td>" + cell + "<td><table><tr><td>" + menu +
                   "<form><input name=q></form>Visitors: 12345</table></table></body>");
  };
  for (const std::string& cell : {words, "<font face=arial>" + words + "</font>", "<p>" + words,
                                  "<table><tr><td>Bridge<tr><td>" + words + "</table>"}) {
    const std::string text = framed(cell);
    EXPECT_TRUE(holds(text, "The council") && holds(text, "Tuesday")) << text;
    EXPECT_FALSE(holds(text, "Menu")) << text;
  }
  // A table that lists something is no frame.
  std::string list = "<body><table>";
  for (int i = 0; i < 12; ++i)
    list += "<tr><td><a href=/x>Listed number " + std::to_string(i) + "</a><td>" + prose("item", 1);
  const std::string text = main_of(list + "</table></body>");
  EXPECT_TRUE(holds(text, "Listed number 0") && holds(text, "Listed number 11")) << text;
  // Nor is one of links alone.
  EXPECT_TRUE(holds(main_of("<body><table><tr><td>" + menu + "<td>" + menu + "</table></body>"), "Menu"));
}

TEST(HtmlMain, lines_of_links_with_bars_between_them_are_menus) {
  const auto text_with = [](const std::string& bar, int links, const std::string& tag) {
    std::string menu = "[ ";
    for (int i = 0; i < links; ++i)
      menu += (i > 0 ? bar : "") + "<a href=/x>Menu " + std::to_string(i) + "</a>";
    return main_of("<body><" + tag + ">" + menu + " ]</" + tag + "><hr>" + prose("page", 4) + "</body>");
  };
  for (const char* const bar : {" | ", "｜", " · ", " • "}) {
    for (const char* const tag : {"center", "div", "p", "font"})
      EXPECT_FALSE(holds(text_with(bar, 4, tag), "Menu")) << bar << tag;
    EXPECT_TRUE(holds(text_with(bar, 3, "center"), "Menu")) << bar << ": too few to tell";
  }
  EXPECT_TRUE(holds(text_with(", ", 9, "center"), "Menu")) << "an enumeration";
  EXPECT_TRUE(holds(text_with(" | and what nobody has linked | ", 4, "center"), "Menu"));
}

TEST(HtmlMain, a_list_around_or_beside_an_article_is_no_table_of_contents) {
  std::string links;
  for (int i = 0; i < 200; ++i)
    links += "<li><a href=/x>Other page number " + std::to_string(i) + "</a></li>";
  const auto text_with = [&](const std::string& list, int paragraphs, const std::string& behind) {
    return main_of("<body>" + list + "<div class=content>" + prose("bridge", paragraphs) + behind);
  };
  const std::string around = "<ul class=main><li><ul>" + links + "</ul><li>";
  const std::string beside = "<div id=toc><ul>" + links + "</ul></div>";
  for (const std::string& list : {around, beside}) {
    const std::string text = text_with(list, 9, "</div></body>");
    EXPECT_TRUE(holds(text, "Of bridge number 8"));
    EXPECT_FALSE(holds(text, "Other page"));
  }
  EXPECT_TRUE(holds(text_with(beside, 4, "</div></body>"), "Other page")) << "an introduction";
  EXPECT_TRUE(holds(text_with("", 9, "<ul>" + links + "</ul></div></body>"), "Other page"))
      << "in the article";
}

TEST(HtmlMain, what_hides_all_of_a_page_is_shown_by_scripts) {
  const std::string article = "<div class=content>" + prose("bridge", 8) + "</div>";
  const std::string more = "<div style='display:none'>" + prose("cookies", 8) + "</div>";
  const std::string text =
      main_of("<body><p>Loading ...</p><div style='display: none'>" + more + article + "</div></body>");
  EXPECT_TRUE(holds(text, "Of bridge number 7"));
  EXPECT_FALSE(holds(text, "cookies")) << "hidden in what is shown";
  EXPECT_FALSE(holds(main_of("<body>" + article + more + "</body>"), "cookies"));
}

TEST(HtmlMain, what_is_hidden_beside_a_short_text_stays_so) {
  const std::string news = "Nothing is said of this bridge but that it was opened on Monday, at last.";
  const std::string terms = "<div class=modal style='display:none'>" + prose("terms", 20) + "</div>";
  EXPECT_EQ(main_of("<body><h1>News</h1><p>" + news + "</p>" + terms + "</body>"), "News\n" + news);
}

TEST(HtmlMain, a_short_text_is_kept_though_a_line_of_it_goes) {
  const std::string menu = "<div><a href=/x>" + std::string(3000, 'x') + "</a></div>";
  const std::string text =
      main_of("<body>" + menu + "<div class=article>" + prose("bridge", 1) +
              "<p>That is all there is to say, for now, of the bridge and its toll.</p>" +
              "<p>Photo by Jane Doe, who went there on a Monday morning</p></div></body>");
  EXPECT_TRUE(holds(text, "for now, of the bridge and"));
  EXPECT_FALSE(holds(text, "Photo"));
  EXPECT_FALSE(holds(text, "xxx"));
}

// As a program writes a manual that calls what was said in its sources comments, beside a short form.
TEST(HtmlMain, comments_are_the_text_of_a_page_that_begins_with_them) {
  const auto comments = [](const std::string& subject, int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += "<li><h4>def " + subject + std::to_string(i) + "</h4><div class='comment full'><p>What " +
              subject + std::to_string(i) +
              " does, and what it never does, is said here, in so many words, for all who have to call "
              "it.</p></div>";
    return "<div id=comment>" + prose(subject, 1) + "</div><ol>" + text + "</ol>";
  };
  const std::string form = "<div id=filter><ol><li>Alphabetic<li>By inheritance<li>Hide all</ol></div>";
  const std::string manual = main_of("<div><h1>Scheduler</h1>" + form + comments("member", 20) + "</div>");
  EXPECT_TRUE(holds(manual, "Of member number 0"));
  EXPECT_TRUE(holds(manual, "What member19 does"));
  // below an article they are its readers', however many
  const std::string blog =
      main_of("<h1>Title</h1><div>" + prose("text", 9) + "</div>" + comments("reply", 40));
  EXPECT_TRUE(holds(blog, "Of text number 8"));
  EXPECT_FALSE(holds(blog, "reply"));
  for (const std::string open : {"<body class='post comments-open'>", "<body><article class=comments-open>",
                                 "<body><div class=comments-open>"}) {
    const std::string page = main_of(open + "<h1>Title</h1><div>" + prose("text", 9) +
                                     "</div><div class=comment>" + prose("reply", 3) + "</div>");
    EXPECT_TRUE(holds(page, "Of text number 8")) << open;
    EXPECT_FALSE(holds(page, "reply")) << open;
  }
  // and one above an article is as well
  const std::string last = "<div class=last-comment>" + prose("reply", 1) + "</div>";
  EXPECT_FALSE(holds(main_of(last + "<div>" + prose("text", 9) + "</div>" + last), "reply"));
}

// As programs write them that make manuals: the type of each parameter leads to its page.
TEST(HtmlMain, functions_side_by_side_are_text_however_many_types_are_links) {
  const std::string type = "<a href=t>xmlNodePointer</a> nodeToRead ";
  const auto function = [&](const std::string& name, int types) {
    std::string text = "<div class=refsect><h3>" + name + " ()</h3><div>int " + name + " (";
    for (int i = 0; i < types; ++i) text += type;
    return text + ")</div><div>Says whether " + name +
           " may be called at all, and returns 0 if not</div></div>";
  };
  const auto page = [&](const std::string& functions) {
    return main_of("<body><div>" + prose("text", 9) + functions + "</div><div class=menu>" +
                   prose("menu", 9) + "</div></body>");
  };
  const std::string three = page(function("openIt", 0) + function("readIt", 4) + function("closeIt", 1));
  EXPECT_TRUE(holds(three, "whether openIt may"));
  EXPECT_TRUE(holds(three, "whether readIt may"));
  EXPECT_TRUE(holds(three, "whether closeIt may"));
  EXPECT_FALSE(holds(page(function("readIt", 4)), "whether readIt may"));
  EXPECT_FALSE(holds(page(function("openIt", 0) + function("readIt", 4)), "whether readIt may"));
  EXPECT_FALSE(
      holds(page(function("openIt", 0) + function("readIt", 200) + function("closeIt", 1)), "readIt"));
}

TEST(HtmlMain, lines_of_short_links_are_menus_without_bars_too) {
  const auto line_of = [](const std::string& between, int links, const std::string& words) {
    std::string line;
    for (int i = 0; i < links; ++i) line += (i > 0 ? between : "") + "<a href=/x>" + words + "</a>";
    return line;
  };
  const std::string text = prose("page", 4);
  for (const char* const between : {" ", "", "&nbsp; "}) {
    for (const std::string& page : {"<table><tr><td>" + line_of(between, 5, "Menu") + "<p>" + text +
                                        line_of(between, 5, "Menu") + "</table>",
                                    "<div>" + line_of(between, 5, "Menu") + "</div>" + text})
      EXPECT_FALSE(holds(main_of("<body>" + page + "</body>"), "Menu")) << page;
  }
  for (const std::string& line :
       {line_of(" ", 3, "Menu"), line_of(", ", 9, "Menu"),
        line_of(" ", 5, "Menu of a town hall that has a long name"), line_of(" ", 13, "Menu"),
        line_of(" ", 5, "Menu") + ".", "<pre>" + line_of(" ", 5, "Menu") + "</pre>",
        line_of(" ", 4, "Menu") + " are what is linked here"})
    EXPECT_TRUE(holds(main_of("<body><div>" + line + "</div>" + text + "</body>"), "Menu")) << line;
}

// As the programs write them that most forums run.
TEST(HtmlMain, who_wrote_a_post_and_what_can_be_done_with_it_are_no_part_of_it) {
  for (const auto& [before, between, behind] : std::vector<std::array<std::string, 3>>{
           {"<table><tr><td class=pls><div>Jane Doe</div><p>345</p>Senior member</td><td class=plc>", "",
            "<div><a href=/x>回复</a></div></td></tr></table>"},
           {"<div class=post><dl class=postprofile><dt>Jane Doe</dt><dd>Senior member</dd></dl>",
            "<div class=content>", "</div><div><a href=/x>Reply with quote</a></div></div>"},
           {"<div class=post><div class=userinfo><a href=/x>Jane Doe</a><div>Senior member</div></div>",
            "<div>", "</div><div>Join Date: Jan 2006</div></div>"},
       }) {
    std::string thread;
    std::string wanted;
    for (int i = 0; i < 5; ++i) {
      const std::string words =
          "Post number " + std::to_string(i) +
          " says, as posts do, what its writer thinks of it, and that it could be better, or worse.";
      thread += before + between + "<div>" + words + "</div>" + behind;
      wanted += (i == 0 ? "" : "\n") + words;
    }
    EXPECT_EQ(main_of("<body><div class=thread>" + thread + "</div></body>"), wanted) << before;
  }
}

TEST(HtmlMain, a_list_of_comments_is_no_table_of_contents) {
  std::string list;
  for (int i = 0; i < 40; ++i)
    list += "<li><p>I think so too and like to say it once more for those who did not hear it</p>";
  const std::string text = main_of("<div><h2>News</h2><div class=article>" + prose("report", 4) +
                                   "</div></div><div><ul>" + list + "</ul></div>");
  EXPECT_TRUE(holds(text, "Of report number 3"));
  EXPECT_FALSE(holds(text, "I think so"));
}

TEST(HtmlMain, a_few_paragraphs_that_are_links_go_and_many_stay) {
  const std::string sidebar = "<div class=sidebar>" + prose("side", 9) + "</div>";
  const auto text_with = [&](const std::string& lines) {
    return main_of("<article>" + prose("link", 3) + lines + prose("end", 3) + "</article>" + sidebar);
  };
  const std::string link = "<a href=/x>What happened elsewhere on the same day</a>";
  EXPECT_FALSE(holds(text_with("<p>" + link + "</p>"), "elsewhere"));
  EXPECT_FALSE(holds(text_with("<p>In another paper: " + link + "</p>"), "elsewhere"));
  EXPECT_TRUE(holds(text_with("<p>It is not known " + link + "</p>"), "elsewhere"));
  EXPECT_TRUE(
      holds(text_with("<p><a href=/x>It happened elsewhere, and on another day.</a></p>"), "elsewhere"));
  EXPECT_TRUE(holds(text_with("<p><a href=/x>www.elsewhere.example/on-the-same-day</a></p>"), "elsewhere"));
  std::string many;
  for (int i = 0; i < 12; ++i) many += "<p>" + link + "</p>";
  EXPECT_TRUE(holds(text_with(many), "elsewhere"));
}

TEST(HtmlMain, an_article_may_begin_in_its_header) {
  const std::string lead =
      "Whoever reads this has read what the whole article says in two sentences. The rest of it says so in "
      "more words, as is the custom.";
  const std::string other = "<div><p>" + lead + " This is about another article, which is above.</p></div>";
  for (const std::string_view tag : {"article", "main", "div"}) {
    const auto page = [&](const std::string& header) {
      return other + "<" + std::string(tag) + "><div><h1>Title</h1><div>" + header +
             "</div></div><div><div class=body>" + std::string(kParagraphs) + "</div></div></" +
             std::string(tag) + ">";
    };
    EXPECT_EQ(main_of(page("<p>" + lead + "</p>")), lead + "\n" + article());
    EXPECT_EQ(main_of(page("<div>" + lead + "</div>")), lead + "\n" + article());
    EXPECT_EQ(main_of(page("<p>In short.</p>")), article());
    EXPECT_EQ(main_of(page("<p><a href=/x>" + lead + "</a></p>")), article());
    EXPECT_EQ(main_of(page("What Somebody wrote about this <p>" + lead + "</p>")), article());
  }
  const auto below = [&](const std::string& header) {
    return main_of(other + "<div><div>" + header + "</div><div><div class=body>" + std::string(kParagraphs) +
                   "</div></div></div>");
  };
  EXPECT_EQ(below("<header><h2>Title</h2><p>" + lead + "</p></header>"), lead + "\n" + article());
  EXPECT_EQ(below("<header><p>" + lead + "</p></header>"), article());
  EXPECT_EQ(below("<h2>Another title</h2><p>" + lead + "</p>"), article());
  const auto behind = [&](int others) {
    std::string page = "<main>";
    for (int k = 0; k < others; ++k) page += "<div><div><img src=x></div><p>" + lead + "</p></div>";
    return main_of(page + "<div><div><img src=x></div><div class=body>" + prose("body", 9) +
                   "</div></div></main>" + other);
  };
  EXPECT_TRUE(holds(behind(2), lead));
  EXPECT_TRUE(holds(behind(10), "Of body number 8"));
  EXPECT_FALSE(holds(behind(10), lead));
}

// ---- ids that are made of headings ----

// Three chapters, two of them about what could be furniture, as different programs write them.
constexpr std::string_view kTitles[] = {"Windows", "Menus", "Related work"};
constexpr std::string_view kSlugs[] = {"windows", "menus", "related-work"};

// `section` with $T for the title, $I for the id and $P for the text of each chapter.
std::string chapters(std::string_view section) {
  std::string page;
  for (std::size_t i = 0; i < std::size(kTitles); ++i) {
    std::string chapter(section);
    const auto put = [&](std::string_view mark, std::string_view text) {
      for (std::size_t at = chapter.find(mark); at != chapter.npos; at = chapter.find(mark, at + text.size()))
        chapter.replace(at, mark.size(), text);
    };
    put("$T", kTitles[i]);
    put("$I", kSlugs[i]);
    put("$P", prose(kSlugs[i], 3));
    page += chapter;
  }
  return page;
}

TEST(HtmlMain, a_chapter_whose_id_is_made_of_its_heading_is_no_furniture) {
  for (const std::string_view section : {
           "<section id=\"$I\"><h2>$T<a class=\"headerlink\" href=\"#$I\">¶</a></h2>$P</section>",
           "<div class=\"section\" id=\"$I\"><h2>$T<a class=\"headerlink\" href=\"#$I\">¶</a></h2>$P</div>",
           "<section id=\"$I\"><span id=\"label-$I\"></span><h2>$T</h2>$P</section>",
           "<section id=\"$I\" class=\"level2\"><h2>$T</h2>$P</section>",
           "<section id='$I'><h2><span class=header-section-number>1.2</span> $T</h2>$P</section>",
           "<section id='$I-2'><h2>$T</h2>$P</section>",
           "<div class=\"section\" id=\"$I\"><h1><a class=\"toc-backref\" href=\"#id2\">$T</a></h1>$P</div>",
           "<section class=\"section\" id=\"$I\"><div class=\"titlepage\"><div><div><h2 "
           "class=\"title\">$T</h2>"
           "</div></div></div>$P</section>",
           "<ul class=\"member-list\"><li><section class=\"detail\" id=\"$I(java.awt.Frame)\"><h3>$T</h3>$P"
           "</section></li></ul>",
       }) {
    std::string page = "<h1>Manual</h1>" + chapters(section);
    const std::string text = main_of("<body><div class=document>" + page + "</div><div id=menu>" +
                                     prose("furniture", 1) + "</div>");
    for (std::size_t i = 0; i < std::size(kTitles); ++i) {
      EXPECT_TRUE(holds(text, kTitles[i])) << section << text;
      EXPECT_TRUE(holds(text, "Of " + std::string(kSlugs[i]) + " number 2")) << section << text;
    }
    EXPECT_FALSE(holds(text, "furniture")) << section;
  }
}

TEST(HtmlMain, an_id_is_made_of_its_heading_though_a_word_for_section_stands_before) {
  for (const std::string_view begin :
       {"<section id=sec-$I><h2>$T</h2>",
        "<section id=s-$I><span id=$I></span><h2>$T<a href='#$I'>¶</a></h2>"}) {
    std::string page = "<h1>Manual</h1>";
    for (const std::string_view title : {"Colours", "Fonts", "Menus", "Keys"}) {
      for (std::size_t i = 0; i < begin.size(); ++i) {
        if (begin[i] != '$') {
          page += begin[i];
        } else {
          page += title;  // a word in lower case is the same to the reader
          ++i;
        }
      }
      page += prose(std::string(title), 2) + "</section>";
    }
    EXPECT_TRUE(holds(main_of("<div class=manual>" + page + "</div>"), "Of Menus number 1")) << begin;
  }
}

TEST(HtmlMain, an_id_is_a_name_of_furniture_where_it_is_not_one_of_several_chapters) {
  const std::string article = "<h1>News</h1>" + prose("news", 6);
  const std::string comments = prose("comment", 3);
  for (const std::string& page : {
           "<main>" + article + "</main><section id=comments><h2>Comments</h2>" + comments + "</section>",
           "<main>" + article + "<section id=comments><h2>Comments</h2>" + comments + "</section></main>",
           "<section id=news>" + article + "</section><section id=comments><h2>Comments</h2>" + comments +
               "</section><section id=related><h2>Related</h2>" + comments + "</section>",
           "<main><section><h2>One</h2>" + prose("news", 6) + "</section><section><h2>Two</h2>" +
               prose("two", 3) + "</section><section id=comments><h2>Comments</h2>" + comments +
               "</section></main>",
           "<main><section id=one><h2>One</h2>" + prose("news", 6) +
               "</section><section id=two><h2>Two</h2>" + prose("two", 3) +
               "</section><section id=comments><h2>What you think</h2>" + comments + "</section></main>",
           "<main><section id=one><h2>One</h2>" + prose("news", 6) +
               "</section><section id=two><h2>Two</h2>" + prose("two", 3) +
               "</section><section id=comments class=comments><h2>Comments</h2>" + comments +
               "</section></main>",
           "<div id=menu><p><a href=#menu>Menu</a></p>" + comments + "</div>" + article,
       }) {
    const std::string text = main_of(page);
    EXPECT_TRUE(holds(text, "Of news number 5")) << page;
    EXPECT_FALSE(holds(text, "Of comment")) << page;
  }
}

TEST(HtmlMain, a_heading_or_a_term_whose_id_says_the_same_stays) {
  const std::string sidebar = "<div class=sidebar>" + prose("side", 9) + "</div>";
  for (const std::string_view heading : {
           "<h2 id=related-work>Related work</h2>",
           "<div class=\"mw-heading mw-heading2\"><h2 id=\"Related_work\">Related work</h2></div>",
           "<h2><span class=\"mw-headline\" id=\"Related_work\">Related work</span></h2>",
           "<h2 id=sec-related><a class=header href=#sec-related>Related work</a></h2>",
           "<dl><dt id=\"related.work\"><code>Related work</code><a href=\"#related.work\">¶</a></dt></dl>",
       }) {
    const std::string text =
        main_of("<main>" + prose("one", 4) + std::string(heading) + prose("two", 4) + "</main>" + sidebar);
    EXPECT_TRUE(holds(text, "Related work")) << heading << text;
  }
}

TEST(HtmlMain, a_word_in_a_line_is_no_furniture_whatever_its_name) {
  const std::string text = main_of(
      "<div class=body>" + prose("menus", 4) +
      "<p>To save it, choose <span class=\"guimenu\">the File menu</span> and there <b class=menu>Save "
      "as</b>, which asks for a name.</p></div>");
  EXPECT_TRUE(holds(text, "choose the File menu and there Save as, which"));
}

TEST(HtmlMain, a_question_that_is_a_button_is_text) {
  const auto page = [](std::string_view open, std::string_view close) {
    std::string html = "<main><h1>Questions</h1>";
    for (int i = 0; i < 6; ++i) {
      html += std::string(open) + "<button type=button>How is number " + std::to_string(i) +
              " done?</button>" + std::string(close) + prose("answers", 1);
    }
    return html + "</main>";
  };
  EXPECT_TRUE(holds(main_of(page("<h3>", "</h3>")), "How is number 5 done?"));
  EXPECT_TRUE(holds(main_of(page("<dl><dt>", "</dt></dl>")), "How is number 5 done?"));
  EXPECT_FALSE(holds(main_of(page("<h3>An answer ", "</h3>")), "How is")) << "beside the words of a heading";
  EXPECT_FALSE(holds(main_of(page("<div>", "</div>")), "How is"));
}

TEST(HtmlMain, a_caption_is_text_where_it_is_not_of_a_picture) {
  const std::string listing =
      "<figure><pre>int main() { return the_answer_to_everything_that_was_asked; }</pre><figcaption>Listing "
      "1: a program</figcaption></figure>";
  EXPECT_TRUE(
      holds(main_of("<article>" + prose("code", 4) + listing + "<img src=x></article>"), "Listing 1"));
  const std::string named = "<pre>int main() {}</pre><p><span class=caption>Listing 2: another</span></p>";
  EXPECT_TRUE(holds(main_of("<article>" + prose("code", 4) + named + "</article>"), "Listing 2"));
  EXPECT_FALSE(holds(main_of("<article>" + prose("code", 4) + named + "<img src=x></article>"), "Listing 2"));
}

TEST(HtmlMain, a_sidebar_behind_a_paragraph_is_a_box_of_the_article) {
  const std::string box = "<p class=title><b>A box</b></p>" + prose("boxes", 1);
  for (const std::string& sidebar :
       {"<div class=sidebar>" + box + "</div>",
        "<div class=\"sidebarblock\"><div class=\"content\"><div class=\"paragraph\">" + box +
            "</div></div></div>",
        "<aside><h5>A box</h5>" + prose("boxes", 1) + "</aside>"}) {
    const std::string text =
        main_of("<div class=navheader><a href=/1>Next</a></div><div class=chapter><h1>It</h1>" +
                prose("bridges", 3) + sidebar + prose("rivers", 3) + "</div>");
    EXPECT_TRUE(holds(text, "Of boxes number 0") && holds(text, "A box")) << sidebar;
    const std::string beside = main_of("<div id=page><div class=post><h1>It</h1>" + prose("bridges", 5) +
                                       "</div>" + sidebar + "</div>");
    EXPECT_FALSE(holds(beside, "Of boxes")) << "beside the column of text: " << sidebar;
    const std::string first =
        main_of("<div id=page>" + sidebar + "<h1>It</h1>" + prose("bridges", 5) + "</div>");
    EXPECT_FALSE(holds(first, "Of boxes")) << "before the text: " << sidebar;
  }
  const std::string links =
      main_of("<div class=chapter><h1>It</h1>" + prose("bridges", 5) +
              "<div class=sidebar><p>More of this, that and others is here, and "
              "there:<ul><li><a href=/1>One more story of the day, perhaps two</a><li><a "
              "href=/2>Another one</a></ul></div></div>");
  EXPECT_FALSE(holds(links, "One more story"));
}

// All pages of a site have its sidebar: as part of their text it would make short articles one.
TEST(HtmlMain, neither_a_sidebar_nor_comments_are_part_of_a_short_article) {
  for (const std::string_view name : {"sidebar", "comments"}) {
    const std::string beside = "<div class=" + std::string(name) + ">" + prose("side", 12) + "</div></div>";
    const std::string article =
        main_of("<div><div class=col><h1>It</h1>" + prose("story", 3) + "</div>" + beside);
    EXPECT_TRUE(holds(article, "Of story number 2") && !holds(article, "Of side")) << name << article;
    const std::string crumb =
        main_of("<div><div class=col><h1>It</h1>" + prose("story", 1) + "</div>" + beside);
    EXPECT_TRUE(holds(crumb, "Of side")) << name << ": the page is that where next to nothing is beside it";
  }
}

TEST(HtmlMain, sections_of_other_names_are_one_article_in_its_main) {
  std::string methods;
  for (int i = 0; i < 30; ++i) methods += "<h4>set</h4><pre>void set(int value)</pre>";
  EXPECT_TRUE(holds(main_of("<main><div class=about>" + prose("classes", 3) +
                            "</div><div class=details><div>" + methods + "</div></div></main>"),
                    "void set"));
}

TEST(HtmlMain, the_largest_of_several_sections_is_not_all_of_the_article) {
  const auto section = [](const std::string& word, const std::string& text) {
    return "<div class=section><h2>On " + word + "</h2>" + text + "</div>";
  };
  std::string parts;
  for (const std::string_view word : {"fish", "boats", "rain", "ice", "mills"})
    parts += "<div class=part><h3>On it</h3>" + prose(std::string(word), 3) + "</div>";
  EXPECT_TRUE(holds(main_of("<body><div>" + section("bridges", "<p>There are three of them.</p>") +
                            section("rivers", parts) + section("towns", prose("towns", 4)) + "</div></body>"),
                    "There are three of them."));
}

TEST(HtmlMain, a_chapter_before_the_largest_is_text_if_it_says_as_much) {
  std::string listing;
  for (int i = 0; i < 60; ++i) listing += "f(a, b, c, d, e);\n";
  const std::string chapters = "<div class=first>" + prose("tides", 6) + "</div><div class=second-content>" +
                               "<h2>The program</h2><p>It is this one, and no other, as we have said.<pre>" +
                               listing + "</pre></div>";
  const std::string page = main_of("<body><div>" + chapters + "</div></body>");
  EXPECT_TRUE(holds(page, "f(a, b, c, d, e)"));
  EXPECT_TRUE(holds(page, "tides"));
}

// As manuals have it: lists of what there is, in which the types are links, and a box that explains each.
// Where little is around an article, with links, it is a sidebar.
TEST(HtmlMain, what_stands_before_the_longest_part_is_text_though_types_in_it_are_links) {
  const auto functions = [](int count, const std::string& about) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      if (i > 0 && i % 7 == 0) text += "</ul><ul>";
      text += "<li><a href=t>Painter</a> get" + std::to_string(i) + "()<p>Gives " + about +
              ", and keeps it, too.</p>";
    }
    return "<ul>" + text + "</ul>";
  };
  const auto page = [&](int before, int after) {
    std::string longest;
    for (int i = 0; i < after; ++i) longest += "<p>What a colour is, and what it is not, was told above.</p>";
    return main_of("<body><div class=menu>" + prose("menu", 9) + "</div><div>" +
                   functions(before, "a brush") + "<div>" + longest + "</div></div></body>");
  };
  EXPECT_TRUE(holds(page(35, 40), "Gives a brush"));
  EXPECT_FALSE(holds(page(14, 20), "Gives a brush"));
}

TEST(HtmlMain, a_list_of_lists_is_one_text) {
  const auto part = [](const std::string& subject, int items) {
    std::string list;
    for (int i = 0; i < items; ++i)
      list += "<li><div class=para>Look at " + subject + " " + std::to_string(i) +
              ", then at what is below it, and set it right.</div>";
    return "<li><div class=para>The " + subject + ":</div><div class=items><ul>" + list + "</ul></div>";
  };
  const std::string check =
      main_of("<body><div class=menu>" + prose("menu", 9) + "</div><div><h2>Checklist</h2><ul>" +
              part("roof", 15) + part("wall", 40) + part("cellar", 15) + "</ul></div></body>");
  EXPECT_TRUE(holds(check, "wall 39"));
  EXPECT_TRUE(holds(check, "roof 0"));
  EXPECT_TRUE(holds(check, "cellar 6"));
}

TEST(HtmlMain, teasers_are_text_where_there_is_little_else) {
  const auto teaser = [](const std::string& word, int sentences) {
    return "<div class=teaser><h2>On " + word + "</h2>" + prose(word, sentences) + "</div>";
  };
  const std::string list =
      teaser("bridges", 1) + teaser("rivers", 4) + teaser("towns", 1) + teaser("mills", 1);
  EXPECT_TRUE(holds(main_of("<body><div>" + list + "</div></body>"), "On mills"));
  EXPECT_FALSE(
      holds(main_of("<body><div><h1>Fish</h1>" + prose("fish", 30) + teaser("mills", 1) + "</div></body>"),
            "On mills"));
}

TEST(HtmlMain, what_banners_say_is_text_where_no_banner_is) {
  const std::string phrase = "<p>We use cookies to know who you are, said the owner of the shop.</p>";
  const std::string button = "<button>Accept</button>";
  const auto text_of = [](const std::string& title, const std::string& before, const std::string& inside) {
    return main_of("<title>" + title + "</title>" + before + "<article><h1>" + title + "</h1>" +
                   prose("laws", 3) + inside + prose("rules", 3) + "</article>");
  };
  EXPECT_TRUE(holds(text_of("A law", "", phrase), "We use cookies"));
  EXPECT_TRUE(holds(text_of("A law", "", "<div>" + phrase + button + "</div>"), "We use cookies"));
  EXPECT_FALSE(holds(main_of("<div><div>" + phrase + button + "</div>" + prose("laws", 6) + "</div>"),
                     "We use cookies"));
  EXPECT_TRUE(holds(main_of("<title>Our cookies</title><div><div>" + phrase + button + "</div>" +
                            prose("laws", 6) + "</div>"),
                    "We use cookies"))
      << "a page about them";
  EXPECT_TRUE(holds(main_of("<div>" + phrase + prose("laws", 6) + "</div>"), "We use cookies"))
      << "nothing to click";
}

TEST(HtmlMain, an_answer_to_a_comment_stays_where_the_comment_does) {
  std::string comments = "<div class=comment>" + prose("ends", 1) + "</div>";
  for (int level = 0; level < 4; ++level)
    comments = "<div class=comment>" + prose("remarks", 1) + "<div>" + comments + comments + "</div></div>";
  const std::string link = "<div><p><a href=/x>A link to somewhere</a></p></div>";
  EXPECT_TRUE(
      holds(main_of("<body><div>" + link + "<div>" + comments + "</div></div></body>"), "Of ends number 0"));
}

TEST(HtmlMain, an_article_that_stands_twice_is_kept_once) {
  const std::string words[] = {"bridges", "rivers", "towns", "roads"};
  std::string once;
  for (const std::string& word : words) once += "<h3>On " + word + "</h3>" + prose(word, 2);
  const std::string twice =
      main_of("<div><div class=text>" + once + "</div><div class=print>" + once + "</div></div>");
  EXPECT_EQ(twice, main_of("<div><div class=text>" + once + "</div></div>"));

  std::string scattered;
  for (const std::string& word : words) scattered += prose(word, 1) + prose(word, 1);
  const std::string text = main_of("<div>" + scattered + "</div>");
  EXPECT_NE(text.find("Of roads number 0"), text.rfind("Of roads number 0")) << "each again at its place";
}

TEST(HtmlMain, a_list_of_links_with_a_word_on_each_is_no_menu_behind_an_introduction) {
  const auto list = [](std::string_view behind_link) {
    std::string html;
    for (int i = 0; i < 60; ++i) {
      html += "<li><a href=/x" + std::to_string(i) + ">Library number " + std::to_string(i) + "</a> " +
              std::string(behind_link);
    }
    return "<ul>" + html + "</ul>";
  };
  const std::string described = list("reads and writes what others have written");
  const std::string intro = prose("libraries", 18);
  for (const std::string& page : {"<div><div class=intro>" + intro + "</div>" + described + "</div>",
                                  "<main><div>" + intro + "</div><div>" + described + "</div></main>"})
    EXPECT_TRUE(holds(main_of(page), "Library number 59")) << page;
  EXPECT_FALSE(holds(main_of("<div><div class=intro>" + intro + "</div>" + list("") + "</div>"), "Library"));
}

TEST(HtmlMain, a_commentary_and_remarks_are_no_comments_of_readers) {
  const std::string other = "<div>" + prose("shop", 5) + "</div>";
  for (const std::string_view name : {"commentary", "bible-commentary", "remarks", "section remark"}) {
    EXPECT_TRUE(holds(main_of("<div class='" + std::string(name) + "'>" + prose("law", 9) + "</div>" + other),
                      "Of law number 8"))
        << name;
  }
  for (const std::string_view name : {"comments", "commentaires", "comment-area", "remark42"}) {
    EXPECT_FALSE(
        holds(main_of("<div class='" + std::string(name) + "'>" + prose("law", 9) + "</div>" + other),
              "Of law number 8"))
        << name;
  }
}

TEST(HtmlMain, text_that_begins_as_furniture_does_stays) {
  const std::string menu = "<div class=menu>" + std::string(600, 'x') + "</div>";
  const auto keeps = [&](const std::string& part) {
    return main_of(menu + "<div class=article>" + std::string(kParagraphs) + part +
                   std::string(kMoreParagraphs) + "</div>") != article() + "\n" + more();
  };
  for (const std::string_view line : {
           "Show more than ten results with the option -n.",
           "JavaScript is a language that runs in all browsers.",
           "Skip to the next chapter if you know all of this.",
           "Get the latest version of the program before you go on with the next step.",
           "Most readers agree that the second part is better than the first one, and so do I",
           "More from habit than from need, she went there every day of the week but one",
           "By signing up you accept the rules that are set out in this document.",
           "利用規約に同意した場合、次の画面に進みます。",
           "上一篇文章介绍了安装的步骤，本文说明怎样配置。",
           "发布于二零一九年的版本修复了这个问题。",
           "未经授权的访问会被记录下来，并通知管理员。",
           "免责声明是合同的一部分，签字前应当仔细阅读。",
           "前の記事では設定の方法を紹介しました、今回はその続きです。",
           "编辑器支持语法高亮和自动补全",
           "2019年12月10日发布第三季度财务报告",
           "1998年12月 访问日本东京大学和早稻田大学",
           "2008年10月编辑出版《中国诗歌选集》三卷本",
           "2019年12月10日评论家们一致认为这部影片是年度最佳",
           "发表于2019年10月7日的《自然》杂志",
           "标签/关键词是搜索引擎优化中最重要的部分，应当认真填写。",
           "图片|视频|文字三种形式的内容，都可以上传到平台上。",
           "主编：我们为什么要办这份杂志？",
           "语文 数学 英语",
           "2019年9月7日作者回到了故乡，再也没有离开。",
       }) {
    EXPECT_TRUE(keeps("<p>" + std::string(line) + "</p>")) << line;
  }
  for (const std::string_view line :
       {"Show more than ten results", "Skip to the next match", "Print this text", "JavaScript is a language",
        "Get the latest release"}) {
    EXPECT_TRUE(keeps("<ul><li>" + std::string(line) + "</li><li>Another item</li></ul>")) << line;
    EXPECT_TRUE(keeps("<h3>" + std::string(line) + "</h3>")) << line;
  }
  for (const std::string_view line :
       {"Show more", "Skip to content", "Read more about the town hall", "Share on Facebook",
        "Follow us on our way, and never miss a thing that happens there, wherever it may be.",
        "Related article: what else happened on that day in the town hall, and who was there to see it "
        "happen",
        "JavaScript is disabled in your browser, so that this page does not work as it should."}) {
    EXPECT_FALSE(keeps("<p>" + std::string(line) + "</p>")) << line;
  }
  for (const std::string_view line : {"See also", "Voir aussi"}) {
    const std::string page = main_of("<body>" + std::string(kParagraphs) + "<h3>" + std::string(line) +
                                     "</h3><p><a href=/1>One page</a></p><p><a href=/2>Another one</a></p>");
    EXPECT_TRUE(holds(page, line) && holds(page, "Another one")) << "a section of a manual";
    EXPECT_FALSE(keeps("<p>" + std::string(line) + ": <a href=/1>One page</a></p>")) << line;
  }
  for (const std::string_view line : {"Show more", "Related articles", "More from our authors"})
    EXPECT_FALSE(keeps("<h3>" + std::string(line) + "</h3>")) << line;
}

// ---- whole pages, in several languages ----

// Runs of four tokens, with how often they occur.
std::map<std::string, int> grams_of(std::string_view text) {
  CanonicalText canonical;
  canonicalize(text, canonical);
  std::vector<std::string> tokens;
  TokenReader reader(canonical.text);
  for (Token token; reader.next(token);) tokens.emplace_back(token.bytes);
  std::map<std::string, int> grams;
  for (std::size_t i = 0; i + 4 <= tokens.size(); ++i) {
    ++grams[tokens[i] + ' ' + tokens[i + 1] + ' ' + tokens[i + 2] + ' ' + tokens[i + 3]];
  }
  return grams;
}

double f1(std::string_view text, std::string_view gold) {
  const std::map<std::string, int> found = grams_of(text);
  const std::map<std::string, int> wanted = grams_of(gold);
  int common = 0;
  int all = 0;
  for (const auto& [gram, times] : found) {
    all += times;
    const auto same = wanted.find(gram);
    if (same != wanted.end()) common += std::min(times, same->second);
  }
  for (const auto& [gram, times] : wanted) all += times;
  return 2.0 * common / all;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// News, forums, manuals, shops and blogs in English, Chinese, Japanese and Korean, with menus, banners,
// comments and lists of links around them. A level that a page has reached is held.
TEST(HtmlMain, pages_in_many_languages_keep_their_article_and_little_else) {
  double sum = 0;
  int pages = 0;
  for (const auto& entry : std::filesystem::directory_iterator(NEARDUP_SOURCE_DIR "/tests/golden/html")) {
    if (entry.path().extension() != ".html") continue;
    const std::string gold = content_of(std::filesystem::path(entry.path()).replace_extension(".txt"));
    const double score = f1(main_of(content_of(entry.path())), gold);
    EXPECT_GE(score, .97) << entry.path().filename();
    sum += score;
    ++pages;
  }
  EXPECT_GE(pages, 20);
  EXPECT_GE(sum / pages, .99);
}

// Where nearly all of the page is kept, lines that say the title are no furniture. That is so of the attempt
// whose text is taken, whatever a later one, which found less, made of the page.
TEST(HtmlMain, what_a_later_attempt_found_does_not_change_the_lines_of_the_one_that_is_taken) {
  constexpr std::string_view kTitle = "A title of some length";
  constexpr std::string_view kSentence = "A sentence, with a comma, of some length, that votes.";
  constexpr std::string_view kLong =
      "Longer text, which has, as it were, a few commas, and votes a bit more than the others do, all of "
      "them, "
      "and so it goes on for a while, until it ends.";
  const auto page_of = [&](std::string_view end) {
    return "<title>" + std::string(kTitle) + "</title><p>" + std::string(kTitle) + "</p>" + std::string(end);
  };
  // relaxed: all of the page is taken, with a sidebar that holds most of it; where no name counts it is less
  EXPECT_EQ(main_of(page_of("<p>" + std::string(kSentence) + "</p><div class=sidebar><p>" +
                            std::string(kSentence) + "</p><p>" + std::string(kLong) + "</p>")),
            std::string(kTitle) + "\n" + std::string(kSentence) + "\n" + std::string(kSentence) + "\n" +
                std::string(kLong));
  // next to nothing was found, and all but the furniture, of which there is none, is taken
  EXPECT_EQ(main_of(page_of("<div class=meta><p>" + std::string(kSentence) + "</p><div>")),
            std::string(kTitle) + "\n" + std::string(kSentence));
}

// A reader remembers tags and names from page to page.
TEST(HtmlMain, what_was_read_before_does_not_change_what_a_page_says) {
  constexpr std::string_view kTags[] = {"<div class=\"content\">",
                                        "<div class='content'>",
                                        "<div hidden class=\"content\">",
                                        "<DIV CLASS=content>",
                                        "<div class=\"a > b\">",
                                        "<div class=\"a \" id=\"> b\">",
                                        "<div title='>' hidden>",
                                        "<div class=\"sidebar-ad\">",
                                        "<div class=\"sidebar-ax\">",
                                        "<p>",
                                        "<p >",
                                        "<p/>",
                                        "<p hidden>",
                                        "<p id=\"n1\" class=\"byline\">",
                                        "<p id=\"n2\" class=\"byline\">",
                                        "<span class=\"comment\">",
                                        "<span class=\"share\"/>",
                                        "<pre>",
                                        "</pre>",
                                        "<a href=\"#x\">",
                                        "<a href=\"/x\">",
                                        "<a name=x>",
                                        "<section id=\"menu1\">",
                                        "<section id=\"menu2\">",
                                        "</section>",
                                        "<h2 id=\"menu2\">",
                                        "</h2>",
                                        "<a href=\"#menu1\">",
                                        "<a href=\"#menu2\">",
                                        "</a>",
                                        "</div>",
                                        "</p>",
                                        "<x-y>",
                                        "</x-y>",
                                        "<svg/>",
                                        "<svg>",
                                        "</svg>",
                                        "<li class=\"menu\">",
                                        "<td role=\"navigation\">",
                                        "<p style=\"display:none\">",
                                        "<br>"};
  constexpr std::uint64_t kSeed = 5;
  std::mt19937_64 random(kSeed);
  HtmlReader warm;
  for (int round = 0; round < 3000; ++round) {
    std::string page;
    for (int i = 0; i < 20; ++i) {
      page += kTags[random() % std::size(kTags)];
      page += "Some words, and more of them " + std::to_string(i) + ".";
    }
    page += std::string(64, ' ');  // so that the last tags are looked up too
    EXPECT_EQ(warm.read(page).text, main_of(page)) << page;
  }
}

}  // namespace
}  // namespace neardup
