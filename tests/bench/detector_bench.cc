// How fast are documents decided, and what does a unique cost?
//
//   detector_bench               all rows; the figures go to build/bench/detector.json (detector.py adds the
//                                peers'). It takes minutes, and 3 GB of memory
//   detector_bench small         a tenth of it, nothing written
//   detector_bench tiny          a few documents, no real pages, nothing written
//   detector_bench lines N       N of the JSON lines, for the peers and for `neardup scan`
//
// Documents are of real sentences (corpora.h), every other one English or Chinese, some 2 KB each. In every
// sentence a word is exchanged, or a character, so that a stream of millions of them repeats little by
// chance. Of twenty documents one repeats an earlier one, two do so with some sentences exchanged, and one
// shares half of its sentences with one; the others are new. Pages of templates are of 70 % boilerplate,
// which one of 64 templates has in common.
//
// CPU time of one thread. What is timed is named in each row; documents are made, and for the rows of the
// index signed, outside of it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "core/detector.h"
#include "core/fingerprint/signer.h"
#include "core/text/html_text.h"
#include "service/codec/document_codec.h"
#include "service/codec/preset.h"
#include "service/config.h"
#include "tests/bench/corpora.h"
#include "tests/support/bench_report.h"
#include "tests/support/cpu_clock.h"

namespace neardup {
namespace {

constexpr std::size_t kDocumentBytes = 2000;
constexpr std::size_t kBatch = 64;
constexpr std::size_t kTemplates = 64;

struct Sizes {
  std::size_t lines;      // to decision
  std::size_t smaller;    // uniques, at which a look-up is timed
  std::size_t larger;     // likewise; 0: not
  std::size_t templates;  // pages
};
constexpr Sizes kFull = {1'000'000, 1'500'000, 10'000'000, 300'000};
constexpr Sizes kTiny = {2'000, 2'000, 0, 1'000};

// Sentences of one language, and the words (or characters) they are made of.
struct Sentences {
  std::vector<std::string> all;
  std::vector<std::string> words;
  bool is_chinese = false;

  void add(std::string_view text) {
    static constexpr std::string_view kEnds[] = {"\n", ". ", "。"};
    while (!text.empty()) {
      std::size_t end = text.size();
      std::size_t next = end;
      for (const std::string_view mark : kEnds) {
        const std::size_t at = text.substr(0, end).find(mark);
        if (at == std::string_view::npos) continue;
        end = at;
        next = at + mark.size();
      }
      if (end >= 40 && end <= 400) {
        all.emplace_back(text.substr(0, end));
        const std::size_t begin = place(all.back(), 0);
        words.push_back(all.back().substr(begin, width(all.back(), begin)));
      }
      text.remove_prefix(next);
    }
  }

  // Where a word or character begins that can be exchanged, near a share of 2^-16ths of the sentence.
  std::size_t place(std::string_view sentence, std::uint64_t share) const {
    std::size_t at = sentence.size() * (share & 0xFFFF) >> 16;
    if (is_chinese) {
      while (at > 0 && (static_cast<unsigned char>(sentence[at]) & 0xC0) == 0x80) --at;
    } else {
      while (at > 0 && sentence[at - 1] != ' ') --at;
    }
    return at;
  }
  std::size_t width(std::string_view sentence, std::size_t at) const {
    std::size_t end = at + 1;
    if (is_chinese) {
      while (end < sentence.size() && (static_cast<unsigned char>(sentence[end]) & 0xC0) == 0x80) ++end;
    } else {
      end = std::min(sentence.find(' ', at), sentence.size());
    }
    return end - at;
  }

  void append(std::uint64_t draw, std::string& out) const {
    const std::string& sentence = all[draw % all.size()];
    const std::size_t at = place(sentence, draw >> 32);
    out.append(sentence, 0, at);
    out += words[(draw >> 20) % words.size()];
    out.append(sentence, at + width(sentence, at));
    out += is_chinese ? "。" : ". ";
  }
};

struct Corpus {
  Sentences en;
  Sentences zh;

  static Corpus real() {
    Corpus corpus;
    corpus.zh.is_chinese = true;
    const Corpora pages = load_corpora();
    HtmlReader reader(HtmlExtract::kMain);
    for (const Page& page : pages.en) corpus.en.add(reader.read(page.html).text);
    for (const Page& page : pages.zh) corpus.zh.add(reader.read(page.html).text);
    return corpus;
  }

  static Corpus made() {
    Corpus corpus;
    corpus.zh.is_chinese = true;
    std::mt19937_64 random(1);
    for (int i = 0; i < 500; ++i) {
      std::string english;
      std::string chinese;
      for (int k = 0; k < 12; ++k) {
        english += "word" + std::to_string(random() % 3000) + ' ';
        const unsigned c = 0x4E00U + static_cast<unsigned>(random() % 3000);
        const std::array<char, 3> character = {static_cast<char>(0xE0 | c >> 12),
                                               static_cast<char>(0x80 | (c >> 6 & 0x3F)),
                                               static_cast<char>(0x80 | (c & 0x3F))};
        chinese.append(character.data(), character.size());
        chinese.append(character.data(), character.size());
      }
      corpus.en.add(english);
      corpus.zh.add(chinese);
    }
    return corpus;
  }
};

// Document n is a function of n.
class Documents {
 public:
  explicit Documents(const Corpus& corpus) : corpus_(corpus) {}

  void text(std::uint64_t number, std::string& out) const {
    out.clear();
    std::mt19937_64 draw(number);
    const std::uint64_t kind = draw() % 20;
    const std::uint64_t earlier = number > 1 ? draw() % (number / 2) * 2 + number % 2 : number;
    if (kind == 0) {
      text_of(earlier, 0, 0, out);
    } else if (kind <= 2) {
      text_of(earlier, number, 20, out);
    } else if (kind == 3) {
      text_of(earlier, number, 2, out);
    } else {
      text_of(number, 0, 0, out);
    }
  }

  // Of 70 % boilerplate.
  void page(std::uint64_t number, std::string& out) const {
    out.clear();
    std::mt19937_64 boilerplate(number % kTemplates);
    const Sentences& sentences = number % 2 == 0 ? corpus_.en : corpus_.zh;
    while (out.size() < kDocumentBytes * 7 / 10) sentences.append(boilerplate(), out);
    std::mt19937_64 own(~number);
    while (out.size() < kDocumentBytes) sentences.append(own(), out);
  }

  void line(std::uint64_t number, std::string& text_of_it, std::string& out) const {
    text(number, text_of_it);
    out = R"({"id":"page-)" + std::to_string(number) + R"(","url":"https://www.example.org/)" +
          std::to_string(number % 1000) + '/' + std::to_string(number) + R"(.html","text":")";
    for (const char c : text_of_it) {
      if (c == '"' || c == '\\') out += '\\';
      if (static_cast<unsigned char>(c) >= 0x20) out += c;
    }
    out += "\"}";
  }

 private:
  // Sentences of document `number`, but of each `every` one another.
  void text_of(std::uint64_t number, std::uint64_t other, std::size_t every, std::string& out) const {
    const Sentences& sentences = number % 2 == 0 ? corpus_.en : corpus_.zh;
    std::mt19937_64 draw(~number);
    std::mt19937_64 another(other + 0x5EED);
    for (std::size_t i = 1; out.size() < kDocumentBytes; ++i) {
      const std::uint64_t drawn = draw();
      sentences.append(every > 0 && i % every == 0 ? another() : drawn, out);
    }
  }

  const Corpus& corpus_;
};

struct SignedDocument {
  std::string id;
  std::string url;
  Signature signature;
  RouteSignature route;

  Arrival arrival(std::uint64_t number) const {
    return {.id = id,
            .url = url,
            .source = {0, 0, static_cast<std::int64_t>(number)},
            .event_time_ms = 0,
            .signature = signature,
            .route = &route};
  }
};

// Decides a batch, the next documents on their way; returns CPU seconds.
double decide(Detector& detector, std::vector<SignedDocument>& batch, std::uint64_t first) {
  constexpr std::size_t kAhead = 3;
  const double started = cpu_seconds();
  for (std::size_t i = 0; i < kAhead; ++i) detector.prefetch(batch[i].arrival(first + i));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (i + kAhead < batch.size()) detector.prefetch(batch[i + kAhead].arrival(first + i + kAhead));
    detector.apply(batch[i].arrival(first + i));
  }
  return cpu_seconds() - started;
}

struct Cost {
  double us_per_document = 0;
  double batch_p999_ms = 0;
  double bytes_per_unique = 0;
  double cluster_bytes_per_unique = 0;  // of them: clusters, and the window that is watched
  double rss_per_unique = 0;
  std::uint64_t uniques = 0;
};

double rss_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages >> pages;
  return static_cast<double>(pages) * 4096;
}

class IndexRow {
 public:
  IndexRow(const Documents& documents, SketchSize sketch, bool is_template)
      : documents_(documents), is_template_(is_template), rss_before_(rss_bytes()) {
    DetectorOptions options;
    options.sketch = sketch;
    detector_.emplace(options);
    SignerOptions signing;
    signing.sketch = sketch;
    signing.routes = options.routes();
    signing.layout = options.layout();
    signer_.emplace(signing);
  }

  // Goes on until there are `uniques`; the cost is of the last tenth.
  Cost grow_to(std::uint64_t uniques) {
    std::vector<double> batches;
    double seconds = 0;
    std::uint64_t documents = 0;
    while (detector_->size() < uniques) {
      sign();
      const double cost = decide(*detector_, batch_, next_);
      next_ += kBatch;
      if (detector_->size() * 10 < uniques * 9) continue;
      batches.push_back(cost);
      seconds += cost;
      documents += kBatch;
    }
    std::sort(batches.begin(), batches.end());
    const auto count = static_cast<double>(detector_->size());
    return {.us_per_document = seconds * 1e6 / static_cast<double>(documents),
            .batch_p999_ms = batches[batches.size() * 999 / 1000] * 1e3,
            .bytes_per_unique = static_cast<double>(detector_->bytes()) / count,
            .cluster_bytes_per_unique = static_cast<double>(detector_->cluster_counts().bytes) / count,
            .rss_per_unique = (rss_bytes() - rss_before_) / count,
            .uniques = detector_->size()};
  }

 private:
  void sign() {
    batch_.resize(kBatch);
    for (std::size_t i = 0; i < kBatch; ++i) {
      const std::uint64_t number = next_ + i;
      if (is_template_) {
        documents_.page(number, document_.body);
      } else {
        documents_.text(number, document_.body);
      }
      batch_[i].id = "page-" + std::to_string(number);
      batch_[i].url = "https://www.example.org/" + std::to_string(number);
      CHECK(!signer_->sign(document_, batch_[i].signature, batch_[i].route), "a document of the benchmark");
    }
  }

  const Documents& documents_;
  bool is_template_;
  double rss_before_;
  std::optional<Detector> detector_;
  std::optional<Signer> signer_;
  Document document_;
  std::vector<SignedDocument> batch_;
  std::uint64_t next_ = 0;
};

struct LinesCost {
  double documents_per_s = 0;
  double decode_us = 0;
  double sign_us = 0;
  double decide_us = 0;
  double unique_share = 0;
};

// JSON lines to decisions, by the parts that `neardup scan` is made of.
LinesCost from_lines(const Documents& documents, std::size_t count) {
  const InputConfig input;
  DocumentCodec codec(*resolve_preset(input), input);
  const DetectorOptions options;
  Detector detector(options);
  SignerOptions signing;
  signing.routes = options.routes();
  signing.layout = options.layout();
  Signer signer(signing);
  std::vector<std::string> lines(kBatch);
  std::vector<Document> decoded(kBatch);
  std::vector<SignedDocument> batch(kBatch);
  std::string text;
  LinesCost cost;
  for (std::uint64_t first = 0; first < count; first += kBatch) {
    for (std::size_t i = 0; i < kBatch; ++i) documents.line(first + i, text, lines[i]);
    double mark = cpu_seconds();
    const auto lap = [&mark](double& sum) {
      const double now = cpu_seconds();
      sum += now - mark;
      mark = now;
    };
    for (std::size_t i = 0; i < kBatch; ++i) {
      const Record record{.source = {}, .key = std::nullopt, .value = lines[i], .headers = {}};
      CHECK(!codec.decode(record, decoded[i]), "a line of the benchmark");
    }
    lap(cost.decode_us);
    for (std::size_t i = 0; i < kBatch; ++i) {
      batch[i].id = decoded[i].id;
      batch[i].url = decoded[i].url;
      CHECK(!signer.sign(decoded[i], batch[i].signature, batch[i].route), "a document of the benchmark");
    }
    lap(cost.sign_us);
    cost.decide_us += decide(detector, batch, first);
  }
  const auto documents_done = static_cast<double>((count + kBatch - 1) / kBatch * kBatch);
  cost.documents_per_s = documents_done / (cost.decode_us + cost.sign_us + cost.decide_us);
  cost.unique_share = static_cast<double>(detector.size()) / documents_done;
  for (double* const seconds : {&cost.decode_us, &cost.sign_us, &cost.decide_us}) {
    *seconds *= 1e6 / documents_done;
  }
  return cost;
}

void say(const char* what, const Cost& cost) {
  std::printf(
      "  %-44s %7.2f us/document, p99.9 of %zu: %.3f ms, %llu uniques, %.1f B each, %.1f of them for "
      "clusters "
      "(RSS %.1f)\n",
      what, cost.us_per_document, kBatch, cost.batch_p999_ms, static_cast<unsigned long long>(cost.uniques),
      cost.bytes_per_unique, cost.cluster_bytes_per_unique, cost.rss_per_unique);
  std::fflush(stdout);
}

void run(const Documents& documents, const Sizes& sizes, bool writes) {
  BenchReport report;
  const LinesCost lines = from_lines(documents, sizes.lines);
  std::printf("  %-44s %7.0f documents/s: decode %.2f, sign %.2f, decide %.2f us; %.0f %% unique\n",
              "JSON lines of 2 KB to decisions", lines.documents_per_s, lines.decode_us, lines.sign_us,
              lines.decide_us, lines.unique_share * 100);
  report.number("docs_per_s", lines.documents_per_s);
  {
    IndexRow row(documents, SketchSize::kStandard, true);
    const Cost cost = row.grow_to(sizes.templates);
    say("pages of 70 % boilerplate", cost);
    report.number("template_us_per_doc", cost.us_per_document, 3);
    report.number("template_batch_p999_ms", cost.batch_p999_ms, 3);
  }
  {
    IndexRow row(documents, SketchSize::kCompact, false);
    const Cost cost = row.grow_to(sizes.smaller / 3);
    say("long texts, compact", cost);
    report.number("bytes_long_compact", cost.bytes_per_unique, 1);
  }
  IndexRow row(documents, SketchSize::kStandard, false);
  const Cost smaller = row.grow_to(sizes.smaller);
  say("long texts", smaller);
  report.number("us_per_doc_1500k", smaller.us_per_document, 3);
  report.number("batch_p999_ms_1500k", smaller.batch_p999_ms, 3);
  report.number("bytes_long_standard", smaller.bytes_per_unique, 1);
  report.number("rss_long_standard", smaller.rss_per_unique, 1);
  if (sizes.larger > 0) {
    const Cost larger = row.grow_to(sizes.larger);
    say("the same, of more", larger);
    report.number("us_per_doc_10m", larger.us_per_document, 3);
    report.number("batch_p999_ms_10m", larger.batch_p999_ms, 3);
    report.number("bytes_long_standard_10m", larger.bytes_per_unique, 1);
  }
  if (writes) report.write("detector");
}

void print_lines(const Documents& documents, std::uint64_t count) {
  std::string text;
  std::string line;
  for (std::uint64_t i = 0; i < count; ++i) {
    documents.line(i, text, line);
    std::puts(line.c_str());
  }
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  using namespace neardup;
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "tiny") {
    const Corpus corpus = Corpus::made();
    run(Documents(corpus), kTiny, false);
  } else if (verb == "lines" && argc == 3) {
    const Corpus corpus = Corpus::real();
    print_lines(Documents(corpus), std::strtoull(argv[2], nullptr, 10));
  } else if (argc == 1 || (verb == "small" && argc == 2)) {
    const Corpus corpus = Corpus::real();
    run(Documents(corpus), argc == 1 ? kFull : Sizes{100'000, 300'000, 0, 50'000}, argc == 1);
  } else {
    std::fprintf(stderr, "usage: detector_bench [tiny | small | lines N]\n");
    return 64;
  }
}
