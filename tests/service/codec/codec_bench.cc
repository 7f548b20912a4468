// How fast does a record become a document?
//
//   codec_bench             the table; the figures go to build/bench/codec.json as well
//   codec_bench tiny        a few records, nothing written
//   codec_bench CORPUS      one row alone, codec only, for a profiler; nothing written
//
// Beside DocumentCodec, in the same run: a simdjson DOM of the whole record and a copy of its text, and
// nlohmann's; all must give the same text. CPU time of the one thread, the median of several passes, GB/s of
// the record's bytes. NEARDUP_ISA=avx2 or scalar shows the other tiers.
#include <simdjson.h>
#include <ctime>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/base/isa.h"
#include "service/codec/base64.h"
#include "service/codec/document_codec.h"
#include "tests/support/bench_report.h"
#include "tests/support/cpu_clock.h"
#include "tests/support/generated_text.h"

namespace neardup {
namespace {

struct Corpus {
  std::string name;
  std::string field;  // empty: the record is the page
  std::string base64 = "never";
  std::vector<std::string> records = {};
};

std::string english(GeneratedText& pages) {
  GeneratedText::Page page;
  pages.next(page);
  return nlohmann::json::parse(page.record)["text"];
}

// Common characters of a zipfian vocabulary, a comma or full stop every dozen, some Latin words and figures.
std::string chinese(std::size_t bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text;
  const auto append = [&](std::uint64_t c) {  // U+0800 .. U+FFFF
    text += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
             static_cast<char>(0x80 | (c & 0x3F))};
  };
  while (text.size() < bytes) {
    const std::uint64_t draw = random();
    if (draw % 13 == 0) {
      append(draw & 0x100 ? U'，' : U'。');
    } else if (draw % 97 == 0) {
      text += " 2024 Linux ";
    } else {
      append(U'一' + (draw >> 8) % (64U << ((draw >> 40) % 8)));
    }
  }
  return text;
}

// Lines of markup around short paragraphs: line ends and quoted attributes, which JSON escapes.
std::string page(GeneratedText& pages, std::size_t bytes, std::uint64_t seed) {
  const std::string words = english(pages);
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<title>Page</title>\n</head>\n<body>\n";
  std::mt19937_64 random(seed);
  for (std::size_t at = 0; html.size() < bytes && at < words.size();) {
    const std::size_t size = 40 + random() % 160;
    html += "<div class=\"row\">\n  <p id=\"p" + std::to_string(at) + "\" class=\"body\">" +
            words.substr(at, size) + " <a href=\"/page/" + std::to_string(random() % 100000) +
            ".html\">more</a></p>\n</div>\n";
    at += size;
  }
  return html + "</body>\n</html>\n";
}

std::string record_of(std::string_view field, const std::string& text, std::size_t number, bool ascii) {
  const nlohmann::ordered_json record = {
      {"id", "doc-" + std::to_string(number)},
      {"url", "https://www.example.org/a/" + std::to_string(number) + ".html"},
      {"ts", "2024-05-01T12:30:45Z"},
      {"status", 200},
      {"headers", {{"Content-Type", "text/html; charset=utf-8"}, {"Server", "nginx"}, {"Vary", "Accept"}}},
      {std::string(field), text}};
  return record.dump(-1, ' ', ascii);
}

// As it comes from the web: markup in ASCII, text in GB2312's common characters.
std::string gbk_page(std::size_t bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string html = "<!DOCTYPE html>\n<html><head><meta charset=gb2312></head>\n<body>\n";
  while (html.size() < bytes) {
    html += "<div class=\"row\"><p class=\"body\">";
    for (std::uint64_t i = 20 + random() % 80; i > 0; --i) {
      html += {static_cast<char>(0xB0 + random() % 40), static_cast<char>(0xA1 + random() % 94)};
    }
    html += "</p>\n<a href=\"/page/" + std::to_string(random() % 100000) + ".html\">more of it</a></div>\n";
  }
  return html + "</body>\n</html>\n";
}

std::vector<Corpus> corpora(std::size_t records) {
  Corpus en{"en_11k", "text"};
  Corpus en_short{"en_short", "text"};
  Corpus zh{"zh_5k", "text"};
  Corpus zh_ascii{"zh_5k_ascii", "text"};
  Corpus html{"html_20k", "html"};
  Corpus base64{"html_20k_base64", "html", "auto"};
  Corpus gbk{"html_20k_gbk", ""};  // raw
  GeneratedText long_texts(11'000, 1);
  GeneratedText short_texts(300, 2);
  GeneratedText page_texts(20'000, 3);
  for (std::size_t i = 0; i < records; ++i) {
    en.records.push_back(record_of("text", english(long_texts), i, false));
    en_short.records.push_back(record_of("text", english(short_texts), i, false));
    zh.records.push_back(record_of("text", chinese(5'000, i), i, false));
    zh_ascii.records.push_back(record_of("text", chinese(5'000, i), i, true));
    html.records.push_back(record_of("html", page(page_texts, 20'000, i), i, false));
    gbk.records.push_back(gbk_page(20'000, i));
    base64.records.push_back(record_of("html", encode_base64(page(page_texts, 20'000, i)), i, false));
  }
  return {en, en_short, zh, zh_ascii, html, base64, gbk};
}

struct Figure {
  double gbps = 0;
  std::uint64_t answers = 0;  // a digest of all texts
};

// `read` turns a record into a view of its text.
template <typename Read>
Figure measure(const Corpus& corpus, int passes, Read read) {
  Figure figure;
  double bytes = 0;
  for (const std::string& record : corpus.records) {
    bytes += static_cast<double>(record.size());
    const std::string_view text = read(record);
    figure.answers = figure.answers * 31 + digest128(text).low;
  }
  const int repeats = std::max(1, static_cast<int>(2e7 / bytes));
  std::vector<double> seconds;
  for (int pass = 0; pass < passes; ++pass) {
    const double start = cpu_seconds();
    std::size_t sum = 0;
    for (int i = 0; i < repeats; ++i) {
      for (const std::string& record : corpus.records) sum += read(record).size();
    }
    seconds.push_back((cpu_seconds() - start) / repeats);
    CHECK(sum > 0, "texts are not empty");
  }
  std::ranges::sort(seconds);
  figure.gbps = bytes / seconds[seconds.size() / 2] * 1e-9;
  return figure;
}

int run(std::string_view word) {
  const bool tiny = word == "tiny";
  const bool alone = !tiny && !word.empty();
  const int passes = tiny ? 1 : alone ? 99 : 9;
  const std::vector<Corpus> measured = corpora(tiny ? 3 : 200);
  if (alone && std::none_of(measured.begin(), measured.end(),
                            [&](const Corpus& corpus) { return corpus.name == word; })) {
    std::fprintf(stderr, "usage: codec_bench [tiny | CORPUS]; there are:");
    for (const Corpus& corpus : measured) std::fprintf(stderr, " %s", corpus.name.c_str());
    std::fprintf(stderr, "\n");
    return 64;
  }
  BenchReport report;
  report.text("isa", isa_name(isa()));
  std::printf("one thread, GB/s of records, %s\n%-16s %8s %12s %10s\n", std::string(isa_name(isa())).c_str(),
              "", "codec", "simdjson DOM", "nlohmann");
  for (const Corpus& corpus : measured) {
    if (alone && corpus.name != word) continue;
    InputConfig input;
    input.base64 = corpus.base64;
    if (corpus.field.empty()) input.preset = "raw";
    DocumentCodec codec(resolve_preset(input), input);
    Document document;
    const Figure own = measure(corpus, passes, [&](const std::string& bytes) {
      Record record;
      record.value = bytes;
      record.key = "key";
      CHECK(!codec.decode(record, document), "every record is a document");
      return std::string_view(document.body);
    });
    report.number(corpus.name + "_gbps", own.gbps, 2);
    std::printf("%-16s %8.2f", corpus.name.c_str(), own.gbps);
    if (corpus.base64 == "never" && !corpus.field.empty() && !alone) {
      simdjson::dom::parser parser;
      std::string body;
      const Figure dom = measure(corpus, passes, [&](const std::string& bytes) {
        std::string_view text;
        CHECK(parser.parse(bytes.data(), bytes.size())[corpus.field].get(text) == simdjson::SUCCESS,
              "it is there");
        body = text;
        return std::string_view(body);
      });
      const Figure slow = measure(corpus, tiny ? 1 : 3, [&](const std::string& bytes) {
        body = nlohmann::json::parse(bytes)[corpus.field].get_ref<const std::string&>();
        return std::string_view(body);
      });
      CHECK(own.answers == dom.answers && own.answers == slow.answers, "all read the same text");
      report.number(corpus.name + "_simdjson_dom_gbps", dom.gbps, 2);
      report.number(corpus.name + "_nlohmann_gbps", slow.gbps, 3);
      std::printf(" %12.2f %10.2f", dom.gbps, slow.gbps);
    }
    std::printf("\n");
  }
  if (word.empty()) report.write("codec");
  return 0;
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) { return neardup::run(argc > 1 ? argv[1] : ""); }
