// Pages made to be slow. Not a clock but the steps are counted: eight times the page may take a little more
// than eight times the steps, and never more than so many for each byte.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/html_text.h"

namespace neardup {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

struct Trap {
  std::string_view name;
  std::string_view start;
  std::string_view unit;
  std::string_view nest = {};  // behind the start, as often as containers may be nested
};

constexpr Trap kTraps[] = {
    {"nested divs", "", "<div>"},
    {"nested divs with text", "", "<div>some text, and more of it, to vote for those around it"},
    {"nested divs, each with a dead sibling", "", "<div><nav>x</nav>"},
    {"divs that are closed", "", "<div>a</div>"},
    {"nested spans with a class", "", "<span class=share>x"},
    {"end tags of what is open far outside", "<section><table><tr><td>", "<div></section>"},
    {"end tags of nothing", "", "</section>"},
    {"paragraphs", "", "<p>A sentence, with a comma, of some length, and a second one."},
    {"headings like the title", "<title>A title of some length</title>",
     "<h2>A title of some length</h2>x<div>"},
    {"long headings", "<title>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab</title>",
     "<h1>aaaaaaaaaaaaaaaaaa</h1><p>b"},
    {"nested tables", "", "<table><tr><td>cell"},
    {"rows", "<table>", "<tr><td>a, b<td>c"},
    {"nested lists", "", "<ul><li><a href=x>item</a>"},
    {"items", "<ul>", "<li>item"},
    {"definitions", "<dl>", "<dt>a<dd>b"},
    {"options", "<select>", "<option>a"},
    {"options of nothing", "", "<div><option>"},
    {"table bodies", "<table>", "<tbody>"},
    {"spans in a hidden span", "<span hidden>", "<span>x</b>"},
    {"definitions in hidden spans", "", "<dd>", "<i hidden>"},
    {"items in hidden spans", "", "<li>", "<i hidden>"},
    {"paragraphs in hidden spans", "", "<p>", "<i hidden>"},
    {"end tags of nothing in hidden spans", "", "</b>", "<i hidden>"},
    {"longer end tags of nothing in hidden spans", "", "</bb>", "<ii hidden>"},
    {"end tags of nothing in divs", "", "</p>", "<div>"},
    {"end tags of nothing in lists", "", "</ul>", "<ol>"},
    {"paragraphs behind a button in one", "<p><button>", "<p>", "<i hidden>"},
    {"definitions behind a table in one", "<dd><table>", "<dd>", "<div>"},
    {"pictures that are left", "", "<svg><b>", "<i hidden>"},
    {"end tags behind a cell", "<p><td>", "</p>", "<div>"},
    {"a long attribute", "<p title=\"", "x > ' <"},
    {"a long class", "<p class=\"", "comment sidebar article "},
    {"a long style", "<p style=\"", "display: display "},
    {"many attributes", "<p ", "class=a id=b style='c' "},
    {"unclosed quotes", "", "<a b=\"c>d "},
    {"unclosed single quotes", "", "<a b='c>d "},
    {"references", "", "&amp;&notit;"},
    {"names that are none", "", "&CounterClockwiseContourIntegra"},
    {"numbers without an end", "", "&#1234567890"},
    {"one number", "&#", "0"},
    {"ampersands", "", "&"},
    {"tags in tags", "", "<a<a<a"},
    {"less-than signs", "", "<"},
    {"slashes", "<a ", "/"},
    {"equals signs", "<a ", "="},
    {"comments that do not end", "", "<!--"},
    {"a comment with dashes", "<!--", "-->x<!-- --!"},
    {"a comment with brackets", "<!--", ">"},
    {"scripts in comments in a script", "<script>", "<!--<script>"},
    {"ends of scripts that are none", "<script>", "</script"},
    {"ends of titles that are none", "<title>", "</titl&amp;"},
    {"nested asides with headings", "", "<aside class=sidebar>x<h2>x</h2>"},
    {"footers in nested divs", "", "<footer>x</footer>", "<div>"},
    {"nested sidebars and headlines of nothing", "<h2>x</h2>", "<h1></h1>", "<div class=sidebar>"},
    {"sections called as furniture", "", "<section id=menu><h2>Menu</h2>x</section>"},
    {"nested sections called as furniture", "", "<section id=menu><h2>Menu<a href=#menu>x</a></h2>"},
    {"empty sections called as furniture", "", "<section id=menu></section>", "<div id=menu>"},
    {"templates", "", "<template>x"},
    {"hidden", "", "<div hidden>x"},
    {"breaks", "<div>", "x<br><br>"},
    {"links", "", "<a href=x>a link</a> "},
    {"nested links", "", "<a href=x>a"},
    {"CDATA", "<svg>", "<![CDATA[ ]] >"},
    {"a mix", "", "<ul><li><a href=x>a</a><table><td>b</ul><p>c</table></div><div class=sidebar>d, e<h2>f"},
};

std::string page_of(const Trap& trap, std::size_t size) {
  constexpr int kDepthMax = 256;
  std::string page(trap.start);
  for (int i = 0; i < kDepthMax; ++i) page += trap.nest;
  while (page.size() < size) page += trap.unit;
  return page;
}

std::uint64_t steps_of(HtmlExtract extract, std::string_view page) {
  HtmlReader reader(extract);
  reader.read(page);
  return reader.steps();
}

TEST(HtmlHostile, steps_grow_with_the_size_of_the_page_and_no_faster) {
  for (const Trap& trap : kTraps) {
    const std::string small = page_of(trap, kMiB);
    const std::string large = page_of(trap, 8 * kMiB);
    for (const HtmlExtract extract : {HtmlExtract::kAll, HtmlExtract::kMain}) {
      const std::uint64_t few = steps_of(extract, small);
      const std::uint64_t many = steps_of(extract, large);
      EXPECT_GT(few, kMiB / 64) << trap.name << ": each block of 64 bytes is a step at least";
      EXPECT_LT(many, 9 * few) << trap.name;
      EXPECT_LT(many, 64 * large.size()) << trap.name;
    }
  }
}

// kMain has no room for more containers than kHtmlContainersMax, and says all there is then.
TEST(HtmlHostile, a_page_of_more_containers_than_memory_is_kept_for_is_read_all_the_same) {
  std::string page = "<div>first</div>";
  while (page.size() < 8 * kMiB) page += "<p>x";
  HtmlReader reader(HtmlExtract::kMain);
  const HtmlText read = reader.read(page);
  EXPECT_TRUE(read.fell_back);
  EXPECT_EQ(read.text.substr(0, 9), "first\nx\nx");
  EXPECT_EQ(read.text.size(), 5 + 2 * ((page.size() - 16) / 4));
}

// Nor for more blocks than kHtmlBlocksMax: rules make them without a container.
TEST(HtmlHostile, a_page_of_more_blocks_than_memory_is_kept_for_is_read_all_the_same) {
  std::string start = "<nav>menu</nav><article>";
  std::string all = "menu";
  for (int i = 0; i < 20; ++i) {
    const std::string sentence = "A sentence, with a comma, of some length, and a second one.";
    start += "<p>" + sentence + "</p>";
    all += "\n" + sentence;
  }
  HtmlReader reader(HtmlExtract::kMain);
  for (const std::size_t blocks : {1U << 10, 1U << 20}) {
    std::string page = start;
    std::string text = all;
    for (std::size_t i = 0; i < blocks; ++i) {
      page += "a<hr>";
      text += "\na";
    }
    const HtmlText read = reader.read(page);
    const bool searched = blocks < 1U << 20;
    EXPECT_EQ(read.fell_back, !searched) << blocks;
    EXPECT_TRUE(read.text == (searched ? text.substr(5) : text)) << blocks << " " << read.text.size();
  }
}

TEST(HtmlHostile, hundred_thousand_levels_deep_is_text_all_the_same) {
  std::string page;
  for (int i = 0; i < 100000; ++i) page += "<div>";
  page += "<p>Deep down there is a sentence, and it is found.</p>";
  for (int i = 0; i < 100000; ++i) page += "</div>";
  page += "<p>And one behind, which is found too.";
  HtmlReader reader(HtmlExtract::kMain);
  const std::string_view text = reader.read(page).text;
  EXPECT_NE(text.find("Deep down"), text.npos);
  EXPECT_NE(text.find("And one behind"), text.npos);
}

TEST(HtmlHostile, invalid_utf8_does_no_harm) {
  for (const HtmlExtract extract : {HtmlExtract::kAll, HtmlExtract::kMain}) {
    HtmlReader reader(extract);
    EXPECT_EQ(reader.read("<p>\xFF\xE3\x80 a \xEF\xBC</p><p \xFF=\xFE\">\xC2</p>").text,
              "\xFF\xE3\x80 a \xEF\xBC\n\xC2");
  }
}

}  // namespace
}  // namespace neardup
