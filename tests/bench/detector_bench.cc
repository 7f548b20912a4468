// How fast are documents decided, and what does a unique cost?
//
//   detector_bench               all rows; the figures go to build/bench/detector.json (detector.py adds the
//                                peers'). It takes minutes, and 3 GB of memory
//   detector_bench ROW...        only these of lines, templates, shorts, floods, compact, texts and standard,
//                                which is texts and then millions more; nothing written
//   detector_bench small ROW...  a tenth of it, nothing written
//   detector_bench tiny ROW...   a few documents, no real pages, nothing written
//   detector_bench lines N       N of the JSON lines, for the peers and for `neardup scan`
//
// Documents are of real sentences (corpora.h), every other one English or Chinese, some 2 KB each. In every
// sentence a word is exchanged, or a character, so that a stream of millions of them repeats little by
// chance. Of twenty documents one repeats an earlier one, two do so with some sentences exchanged, and one
// shares half of its sentences with one; the others are new. Pages of templates are of 70 % boilerplate,
// which one of 64 templates has in common. Millions more are tokens drawn at random, which are signed as
// those of a text are: making ten million texts takes far longer than deciding them. Short texts are the
// beginnings of two sentences. A flood is as many documents as an attacker would send: one page over and
// over; one page with another word each time; pages that have nothing in common but the keys of all their
// bands, so that every one meets all others and is new.
//
// Crowded keys are bounded, which may cost an answer: so copies of what was decided are asked for, with words
// put in, that are alike enough by far. Texts that crowd no key are beside those that do.
//
// CPU time of one thread, and what those do for it that clear memory and write the file of uniques
// (tests/support/work_clock.h); medians and p99.9 of batches are of the thread that decides, the latter by
// the clock on the wall as well, since CPU time stands still while one waits. What is timed is named in each
// row; documents are made, and for the rows of the index signed, outside of it. What names the uniques lies
// in a file, as index.directory has it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/detector.h"
#include "core/fingerprint/shingle_signer.h"
#include "core/fingerprint/signer.h"
#include "core/text/html_text.h"
#include "service/codec/document_codec.h"
#include "service/codec/preset.h"
#include "service/config.h"
#include "tests/bench/corpora.h"
#include "tests/support/bench_report.h"
#include "tests/support/cpu_clock.h"
#include "tests/support/number_argument.h"
#include "tests/support/work_clock.h"

namespace neardup {
namespace {

constexpr std::size_t kDocumentBytes = 2000;
constexpr std::size_t kBatch = 64;
constexpr std::size_t kTemplates = 64;

struct Sizes {
  std::size_t lines;      // to decision
  std::size_t smaller;    // uniques, at which a look-up is timed
  std::size_t larger;     // likewise
  std::size_t compact;    // uniques with compact sketches
  std::size_t templates;  // pages
  std::size_t shorts;     // uniques
  std::size_t flood;      // documents of each
};
constexpr Sizes kFull = {1'000'000, 1'500'000, 10'000'000, 1'500'000, 300'000, 1'000'000, 1'000'000};
constexpr Sizes kSmall = {100'000, 300'000, 1'000'000, 300'000, 50'000, 100'000, 100'000};
constexpr Sizes kTiny = {2'000, 2'000, 10'000, 2'000, 1'000, 2'000, 2'000};

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

  // Of the first halves of two sentences.
  void short_text(std::uint64_t number, std::string& out) const {
    out.clear();
    std::mt19937_64 draw(number);
    const Sentences& sentences = number % 2 == 0 ? corpus_.en : corpus_.zh;
    for (int i = 0; i < 2; ++i) {
      const std::string& sentence = sentences.all[draw() % sentences.all.size()];
      const std::size_t half = sentences.place(sentence, 0x8000);
      out.append(sentence, 0, half > 0 ? half : sentence.size());
    }
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

// Decides a batch, the next documents on their way; returns CPU seconds of this thread. What helpers still do
// for it is their clock's, over many batches: making and signing documents gives them nothing to do.
double decide(Detector& detector, std::vector<SignedDocument>& batch, std::uint64_t first) {
  constexpr std::size_t kAhead = 2;
  const double started = cpu_seconds();
  const auto arrival = [&](std::size_t i) { return batch[i].arrival(first + i); };
  for (std::size_t i = 0; i < std::min(kAhead, batch.size()); ++i) detector.prefetch(arrival(i));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (i + kAhead < batch.size()) detector.prefetch(arrival(i + kAhead));
    if (i + 1 < batch.size()) detector.prefetch_rest(arrival(i + 1));
    detector.apply(arrival(i));
  }
  return cpu_seconds() - started;
}

struct Cost {
  double us_per_document = 0;
  double helpers_us_per_document = 0;  // of them
  double us_of_median = 0;             // by the median of the batches: less of what else the machine did
  double batch_p999_ms = 0;
  double batch_p999_wall_ms = 0;
  double bytes_per_unique = 0;
  double cluster_bytes_per_unique = 0;  // of them: clusters, and the window that is watched
  double rss_per_unique = 0;
  double text_bytes = 0;  // of a short text's canonical form in UTF-8
  std::uint64_t uniques = 0;
  std::uint64_t state = 0;  // of its digest: the same as long as a change only makes it faster
};

double rss_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages >> pages;
  return static_cast<double>(pages) * 4096;
}

enum class Made : std::uint8_t { kTexts, kPages, kTokens, kShorts };

enum class Flood : std::uint8_t { kOnePage, kOneWord, kAllKeys };

// Documents of random tokens, which are enough to sign a page by. Document n is a function of n, and is to
// the others as in Documents.
class TokenDocuments {
 public:
  explicit TokenDocuments(BandLayout layout) : layout_(layout), tokens_(kTokens) {}

  void sign(std::uint64_t number, SignedDocument& document) {
    const std::uint64_t kind = mixed(number) % 20;
    const std::uint64_t earlier = mixed(number) % (number + 1);
    const std::uint64_t whole = kind <= 3 ? earlier : number;
    const std::size_t every = kind == 1 || kind == 2 ? kTokens / 5 : kind == 3 ? 2 : kTokens + 1;
    for (std::size_t i = 0; i < kTokens; ++i) {
      tokens_[i] = mixed(((i + 1) % every == 0 ? number : whole) << 16 | i);
    }
    sign_tokens(document);
    make_bands(layout_, document.route.longs[0]);
  }

  void sign(Flood flood, std::uint64_t number, SignedDocument& document) {
    const std::uint64_t whole = flood == Flood::kAllKeys ? number : 0;
    for (std::size_t i = 0; i < kTokens; ++i) tokens_[i] = mixed(whole << 16 | i);
    if (flood == Flood::kOneWord) tokens_[mixed(number) % kTokens] = mixed(number);
    sign_tokens(document);
    LongSignature& page = document.route.longs[0];
    if (flood == Flood::kAllKeys) {
      for (std::size_t i = 0; i < kMinimaBins; ++i) page.minima.first[i] = static_cast<std::uint32_t>(i);
    }
    make_bands(layout_, page);
  }

 private:
  static constexpr std::size_t kTokens = 330;  // as of 2 KB of English

  void sign_tokens(SignedDocument& document) {
    signer_.sign_words(tokens_, made_);
    document.signature.exact = digest128({reinterpret_cast<const char*>(tokens_.data()), kTokens * 8});
    document.signature.fingerprint.bits = tokens_[0];
    document.signature.tokens = kTokens;
    document.route.has_short = false;
    document.route.long_count = 1;
    LongSignature& page = document.route.longs[0];
    page.kind = made_.kind;
    page.shingles = made_.shingles;
    page.minima = made_.minima;
    page.standard = made_.sketch;
    signer_.take_shingles(page.sample);
  }

  static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
  }

  BandLayout layout_;
  ShingleSigner<kStandardSketchBytes> signer_;
  ShingleSignature<kStandardSketchBytes> made_;
  std::vector<std::uint64_t> tokens_;
};

class IndexRow {
 public:
  IndexRow(const Documents& documents, SketchSize sketch)
      : documents_(documents), token_documents_(DetectorOptions().layout()), rss_before_(rss_bytes()) {
    DetectorOptions options;
    options.sketch = sketch;
    options.directory = std::filesystem::temp_directory_path();
    detector_.emplace(options);
    SignerOptions signing;
    signing.sketch = sketch;
    signing.routes = options.routes();
    signing.layout = options.layout();
    signer_.emplace(signing);
  }

  // Goes on until there are `uniques`; the cost is of the last tenth. REQUIRES: kTokens for standard
  // sketches.
  Cost grow_to(std::uint64_t uniques, Made made) {
    std::vector<double> batches;
    std::vector<double> walls;
    double seconds = 0;
    std::uint64_t documents = 0;
    std::optional<HelpersClock> helpers;  // of the last tenth
    while (detector_->size() < uniques) {
      sign(made);
      if (!helpers && is_last_tenth(uniques)) {
        await_helpers();
        helpers.emplace();
      }
      const double wall = clock_seconds(CLOCK_MONOTONIC);
      const double cost = decide(*detector_, batch_, next_);
      next_ += kBatch;
      if (!helpers) continue;
      walls.push_back(clock_seconds(CLOCK_MONOTONIC) - wall);
      batches.push_back(cost);
      seconds += cost;
      documents += kBatch;
    }
    const double helped = helpers->lap();
    seconds += helped;
    std::sort(batches.begin(), batches.end());
    std::sort(walls.begin(), walls.end());
    const auto count = static_cast<double>(detector_->size());
    return {.us_per_document = seconds * 1e6 / static_cast<double>(documents),
            .helpers_us_per_document = helped * 1e6 / static_cast<double>(documents),
            .us_of_median = batches[batches.size() / 2] * 1e6 / kBatch,
            .batch_p999_ms = batches[batches.size() * 999 / 1000] * 1e3,
            .batch_p999_wall_ms = walls[walls.size() * 999 / 1000] * 1e3,
            .bytes_per_unique = static_cast<double>(detector_->bytes()) / count,
            .cluster_bytes_per_unique = static_cast<double>(detector_->cluster_counts().bytes) / count,
            .rss_per_unique = (rss_bytes() - rss_before_) / count,
            .text_bytes = static_cast<double>(text_bytes_) / static_cast<double>(next_),
            .uniques = detector_->size(),
            .state = detector_->state_digest().low};
  }

  // What share of copies of uniques is known that have so many words put in. REQUIRES: no kTokens.
  double found(Made made, std::size_t words) {
    constexpr std::uint64_t kAsked = 10'000;
    const std::uint64_t step = std::max<std::uint64_t>(1, next_ / kAsked);
    std::uint64_t uniques = 0;
    std::uint64_t known = 0;
    SignedDocument copy;
    const auto decided = [&] {
      CHECK(!signer_->sign(document_, copy.signature, copy.route), "a document of the benchmark");
      return detector_->check(copy.arrival(next_));
    };
    for (std::uint64_t number = 0; number < next_; number += step) {
      write(made, number);
      const Decision itself = decided();
      if (itself.verdict != Verdict::kDuplicate || itself.kind != DuplicateKind::kExact) continue;
      if (detector_->unique(itself.sequence).source.offset != static_cast<std::int64_t>(number)) continue;
      ++uniques;
      put_in(words, document_.body);
      known += decided().verdict == Verdict::kDuplicate;
    }
    return static_cast<double>(known) / static_cast<double>(uniques);
  }

 private:
  bool is_last_tenth(std::uint64_t uniques) const { return detector_->size() * 10 >= uniques * 9; }

  void write(Made made, std::uint64_t number) {
    if (made == Made::kPages) {
      documents_.page(number, document_.body);
    } else if (made == Made::kShorts) {
      documents_.short_text(number, document_.body);
    } else {
      documents_.text(number, document_.body);
    }
  }

  // At even distances, between words or characters.
  static void put_in(std::size_t words, std::string& text) {
    const std::size_t size = text.size();
    for (std::size_t i = words; i > 0; --i) {
      std::size_t at = size * i / (words + 1);
      while (at < size && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
      const bool is_chinese = (static_cast<unsigned char>(text[at]) & 0x80) != 0;
      if (!is_chinese) at = std::min(text.find(' ', at), text.size());
      text.insert(at, is_chinese ? "又" : " too");
    }
  }

  void sign(Made made) {
    batch_.resize(kBatch);
    for (std::size_t i = 0; i < kBatch; ++i) {
      const std::uint64_t number = next_ + i;
      batch_[i].id = "page-" + std::to_string(number);
      batch_[i].url = "https://www.example.org/" + std::to_string(number);
      if (made == Made::kTokens) {
        token_documents_.sign(number, batch_[i]);
        continue;
      }
      write(made, number);
      CHECK(!signer_->sign(document_, batch_[i].signature, batch_[i].route), "a document of the benchmark");
      for (const char32_t c : batch_[i].route.short_text.text)
        text_bytes_ += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    }
  }

  const Documents& documents_;
  TokenDocuments token_documents_;
  double rss_before_;
  std::optional<Detector> detector_;
  std::optional<Signer> signer_;
  Document document_;
  std::vector<SignedDocument> batch_;
  std::uint64_t next_ = 0;
  std::uint64_t text_bytes_ = 0;
};

struct FloodCost {
  double first_us = 0;  // a document, of the first tenth
  double last_us = 0;
  double batch_p999_ms = 0;
  std::uint64_t uniques = 0;
  std::uint64_t truncated = 0;  // look-ups
};

// Decides so many documents of a flood.
FloodCost endure(Flood flood, std::size_t count) {
  DetectorOptions options;
  options.directory = std::filesystem::temp_directory_path();
  Detector detector(options);
  TokenDocuments documents(options.layout());
  std::vector<SignedDocument> batch(kBatch);
  std::vector<double> costs;
  const std::size_t batches = (count + kBatch - 1) / kBatch;
  const std::size_t tenth = batches / 10 + 1;
  double helped[3] = {};  // in the first tenth, between, in the last one
  HelpersClock helpers;
  for (std::size_t done = 0; done < batches;) {
    const std::uint64_t first = done * kBatch;
    for (std::size_t i = 0; i < kBatch; ++i) documents.sign(flood, first + i, batch[i]);
    costs.push_back(decide(detector, batch, first));
    ++done;
    if (done == tenth) helped[0] = helpers.lap();
    if (done == batches - tenth) helped[1] = helpers.lap();
  }
  helped[2] = helpers.lap();
  const auto mean_us = [&](auto begin, double more) {
    return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(tenth), more) * 1e6 /
           static_cast<double>(tenth * kBatch);
  };
  FloodCost cost{.first_us = mean_us(costs.begin(), helped[0]),
                 .last_us = mean_us(costs.end() - static_cast<std::ptrdiff_t>(tenth), helped[2]),
                 .batch_p999_ms = 0,
                 .uniques = detector.size(),
                 .truncated = detector.lookup_counts().truncated};
  std::sort(costs.begin(), costs.end());
  cost.batch_p999_ms = costs[costs.size() * 999 / 1000] * 1e3;
  return cost;
}

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
  DocumentCodec codec(resolve_preset(input), input);
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
  HelpersClock helpers;
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
  cost.decide_us += helpers.lap();
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
      "  %-44s %7.2f us/document (%.2f of them helpers', median %.2f), p99.9 of %zu: %.3f ms (wall %.3f)\n",
      what, cost.us_per_document, cost.helpers_us_per_document, cost.us_of_median, kBatch, cost.batch_p999_ms,
      cost.batch_p999_wall_ms);
  std::printf("  %-44s %7.1f B each, %.1f of them for clusters (RSS %.1f) of %llu uniques, state %08llx\n",
              "", cost.bytes_per_unique, cost.cluster_bytes_per_unique, cost.rss_per_unique,
              static_cast<unsigned long long>(cost.uniques),
              static_cast<unsigned long long>(cost.state & 0xFFFFFFFF));
  std::fflush(stdout);
}

constexpr std::size_t kWordsPutIn = 5;

void say_found(const char* name, double share, BenchReport& report) {
  std::printf("  %-44s %7.2f %% of copies with words put in are found\n", "", share * 100);
  std::fflush(stdout);
  report.number(name, share, 4);
}

// Which rows are asked for; all, if none is named.
class Rows {
 public:
  static constexpr std::string_view kNames[] = {"lines",   "templates", "shorts",  "floods",
                                                "compact", "texts",     "standard"};

  explicit Rows(std::span<char* const> names) : names_(names.begin(), names.end()) {}

  bool has(std::string_view name) const {
    return names_.empty() || std::find(names_.begin(), names_.end(), name) != names_.end();
  }
  bool are_known() const {
    return std::all_of(names_.begin(), names_.end(), [](std::string_view name) {
      return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
    });
  }

 private:
  std::vector<std::string_view> names_;
};

void run(const Documents& documents, const Sizes& sizes, const Rows& rows, BenchReport& report) {
  if (rows.has("lines")) {
    const LinesCost lines = from_lines(documents, sizes.lines);
    std::printf("  %-44s %7.0f documents/s: decode %.2f, sign %.2f, decide %.2f us; %.0f %% unique\n",
                "JSON lines of 2 KB to decisions", lines.documents_per_s, lines.decode_us, lines.sign_us,
                lines.decide_us, lines.unique_share * 100);
    std::fflush(stdout);
    report.number("docs_per_s", lines.documents_per_s);
  }
  if (rows.has("templates")) {
    IndexRow row(documents, SketchSize::kStandard);
    const Cost cost = row.grow_to(sizes.templates, Made::kPages);
    say("pages of 70 % boilerplate", cost);
    report.number("template_us_per_doc", cost.us_per_document, 3);
    report.number("template_batch_p999_ms", cost.batch_p999_ms, 3);
    report.number("template_batch_p999_wall_ms", cost.batch_p999_wall_ms, 3);
    say_found("template_found", row.found(Made::kPages, kWordsPutIn), report);
  }
  if (rows.has("compact")) {
    IndexRow row(documents, SketchSize::kCompact);
    const Cost cost = row.grow_to(sizes.compact, Made::kTexts);
    say("long texts, compact", cost);
    report.number("bytes_long_compact", cost.bytes_per_unique, 1);
  }
  if (rows.has("texts") || rows.has("standard")) {
    IndexRow row(documents, SketchSize::kStandard);
    const Cost smaller = row.grow_to(sizes.smaller, Made::kTexts);
    say("long texts", smaller);
    report.number("us_per_doc_1500k", smaller.us_per_document, 3);
    report.number("batch_p999_ms_1500k", smaller.batch_p999_ms, 3);
    report.number("batch_p999_wall_ms_1500k", smaller.batch_p999_wall_ms, 3);
    report.number("bytes_long_standard", smaller.bytes_per_unique, 1);
    report.number("rss_long_standard", smaller.rss_per_unique, 1);
    say_found("long_found", row.found(Made::kTexts, kWordsPutIn), report);
    if (rows.has("standard")) {
      const Cost larger = row.grow_to(sizes.larger, Made::kTokens);
      say("the same, and random tokens", larger);
      report.number("us_per_doc_10m", larger.us_per_document, 3);
      report.number("batch_p999_ms_10m", larger.batch_p999_ms, 3);
      report.number("batch_p999_wall_ms_10m", larger.batch_p999_wall_ms, 3);
      report.number("bytes_long_standard_10m", larger.bytes_per_unique, 1);
    }
  }
  if (rows.has("shorts")) {
    IndexRow row(documents, SketchSize::kStandard);
    const Cost cost = row.grow_to(sizes.shorts, Made::kShorts);
    say("short texts", cost);
    std::printf("  %-44s %7.1f B of them are its text, %.1f are not\n", "", cost.text_bytes,
                cost.bytes_per_unique - cost.text_bytes);
    report.number("short_us_per_doc", cost.us_per_document, 3);
    report.number("bytes_short_beside_text", cost.bytes_per_unique - cost.text_bytes, 1);
    report.number("bytes_short_text", cost.text_bytes, 1);
    say_found("short_found", row.found(Made::kShorts, 1), report);
  }
  if (rows.has("floods")) {
    for (const auto& [flood, name, about] :
         {std::tuple{Flood::kOnePage, "flood_page", "one page over and over"},
          std::tuple{Flood::kOneWord, "flood_word", "one page, another word in each"},
          std::tuple{Flood::kAllKeys, "flood_keys", "other pages, the same keys"}}) {
      const FloodCost cost = endure(flood, sizes.flood);
      std::printf(
          "  flood: %-37s %7.2f us/document at first, %.2f at last, p99.9 of %zu: %.3f ms; %llu uniques, "
          "%llu bands not posted\n",
          about, cost.first_us, cost.last_us, kBatch, cost.batch_p999_ms,
          static_cast<unsigned long long>(cost.uniques), static_cast<unsigned long long>(cost.truncated));
      std::fflush(stdout);
      report.number(std::string(name) + "_first_us", cost.first_us, 3);
      report.number(std::string(name) + "_last_us", cost.last_us, 3);
    }
  }
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
  const std::span<char* const> words(argv + 1, static_cast<std::size_t>(argc - 1));
  const std::string_view verb = words.empty() ? "" : words[0];
  const bool is_sized = verb == "tiny" || verb == "small";
  const Rows rows(is_sized ? words.subspan(1) : words);
  const std::optional<std::uint64_t> lines =
      verb == "lines" && words.size() == 2 ? number_argument<std::uint64_t>(words[1]) : std::nullopt;
  if (!rows.are_known() && !lines) {
    std::fprintf(stderr, "usage: detector_bench [tiny | small] [ROW...], or lines N; rows:");
    for (const std::string_view name : Rows::kNames) std::fprintf(stderr, " %s", name.data());
    std::fprintf(stderr, "\n");
    return 64;
  }
  BenchReport report;
  if (verb == "tiny") {
    const Corpus corpus = Corpus::made();
    run(Documents(corpus), kTiny, rows, report);
    return 0;
  }
  const Corpus corpus = Corpus::real();
  const Documents documents(corpus);
  if (lines) {
    print_lines(documents, *lines);
    return 0;
  }
  run(documents, verb == "small" ? kSmall : kFull, rows, report);
  if (words.empty()) report.write("detector");
}
