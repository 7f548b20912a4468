// How fast does a page become its signature, beside the programs that one would use instead?
//
//   fingerprint_bench         all rows; the figures go to build/bench/fingerprint.json as well
//   fingerprint_bench tiny    few pages, made of golden ones, one round; nothing written
//   fingerprint_bench ROW     the rows whose names hold this, as "text zh"; nothing written
//
// Real pages (corpora.h): English and Chinese documentation, as text, as JSON messages (in UTF-8 and, as many
// producers write it, in \uXXXX) and as HTML messages. The text of a page is what libxml2 finds in it, spaces
// and all. English texts are those of 6 to 20 KB, 11 KB on average: the size of an article, where a page of a
// reference book is half of that or hundreds of times as much. One thread, CPU time (rows.h). The peers read
// the very same bytes.
//
// What a row stops at:
//
//   text, json          canonical text, digest and SimHash
//   sketch              canonical text, and the minima and the sketch of its shingles
//   short, signature,   both: canonical text, digest, SimHash, and the minima and the sketch of one kind of
//   html                shingle, whatever the length of the text
//   service, short      what `neardup serve` and `scan` do: Signer with the routes of mode hybrid. A text up
//   service             to the bound of short ones (route_signature.h) has its characters, grams, minima and
//                       bands, a longer one the minima, the sketch and the bands of each kind of shingle that
//                       may suit it, one near that bound both. Tokens are read once for SimHash and shingles
// The digest of what a row makes is in its time: of all parts of a short text some .15 us. Every tier's must
// be the scalar tier's, and that of text the plain definition's; else the program fails, and nothing is
// written.
//
// "Plain" is the definition as one writes it down: the folder's scalar tier, then one token, one feature, one
// counter at a time (tests/reference). "scalar" is the portable tier, which counts sideways too.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/base/isa.h"
#include "core/detector.h"
#include "core/document.h"
#include "core/fingerprint/route_signature.h"
#include "core/fingerprint/shingle_signer.h"
#include "core/fingerprint/signer.h"
#include "core/fingerprint/simhash.h"
#include "core/fingerprint/token_stream.h"
#include "core/text/folder.h"
#include "core/text/html_text.h"
#include "service/codec/document_codec.h"
#include "service/codec/preset.h"
#include "service/config.h"
#include "tests/bench/corpora.h"
#include "tests/bench/peers/libxml2.h"
#include "tests/bench/rows.h"
#include "tests/reference/plain_simhash.h"
#include "tests/support/bench_report.h"
#include "tests/support/shell_word.h"

namespace neardup {
namespace {

constexpr int kRounds = 5;
constexpr std::size_t kEnglishBytesMin = 6'000, kEnglishBytesMax = 20'000;
constexpr std::size_t kShortBytesMin = 60, kShortBytesMax = 200;
constexpr std::size_t kShortTexts = 20'000;
// Pages of about 9 KB and of about 80 KB.
constexpr std::size_t kSmallPageMin = 7'000, kSmallPageMax = 11'000;
constexpr std::size_t kLargePageMin = 60'000, kLargePageMax = 110'000;

using Strings = std::vector<std::string>;

// Texts that lie side by side, as the records of one fetch do. Strings of their own lie between the pages
// they are of, and a short text is sooner signed than found there: a fifth of its time went into waiting for
// memory.
class Lines {
 public:
  Lines() = default;
  explicit Lines(const Strings& lines) {
    for (const std::string& line : lines) bytes_.insert(bytes_.end(), line.begin(), line.end());
    std::size_t at = 0;
    for (const std::string& line : lines) {
      views_.emplace_back(bytes_.data() + at, line.size());
      at += line.size();
    }
  }
  auto begin() const { return views_.begin(); }
  auto end() const { return views_.end(); }
  std::size_t size() const { return views_.size(); }

 private:
  std::vector<char> bytes_;
  std::vector<std::string_view> views_;
};

struct Inputs {
  Strings en_text, zh_text;        // what libxml2 finds in the pages, English of kEnglishBytesMin to Max
  Lines en_short, zh_short;        // lines of these, 60 to 200 bytes
  Strings en_json, zh_json;        // messages with the text, UTF-8
  Strings en_ascii, zh_ascii;      // the same with \uXXXX
  Strings en_html, zh_html;        // messages with the page
  Strings en_page, zh_page;        // the pages themselves
  Strings small_page, large_page;  // those of a size, both languages
};

template <typename Texts>
std::size_t total_bytes(const Texts& texts) {
  std::size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  return bytes;
}

std::string message(const Page& page, std::string_view field, const std::string& content, bool ascii) {
  const nlohmann::ordered_json json = {
      {"id", page.id},
      {"url", page.url},
      {"timestamp", "2026-02-03T04:05:06Z"},
      {"status", 200},
      {"headers", {{"content-type", "text/html; charset=utf-8"}, {"server", "nginx"}}},
      {field, content}};
  return json.dump(-1, ' ', ascii, nlohmann::json::error_handler_t::replace);
}

struct TextBytes {
  std::size_t min = 0;
  std::size_t max = std::string::npos;
};

void add_pages(const std::vector<Page>& pages, TextBytes wanted, Strings& text, Strings& json, Strings& ascii,
               Strings& html, Strings& page_bytes, Strings& lines) {
  for (const Page& page : pages) {
    const std::string all = peers::libxml2_text(page.html);
    if (all.size() >= wanted.min && all.size() <= wanted.max) {
      text.push_back(all);
      json.push_back(message(page, "text", all, false));
      ascii.push_back(message(page, "text", all, true));
    }
    html.push_back(message(page, "html", page.html, false));
    page_bytes.push_back(page.html);
    for (std::size_t at = 0; at < all.size() && lines.size() < kShortTexts;) {
      const std::size_t end = std::min(all.find('\n', at), all.size());
      if (end - at >= kShortBytesMin && end - at <= kShortBytesMax) lines.push_back(all.substr(at, end - at));
      at = end + 1;
    }
  }
}

// Those of `pages` with `min` to `max` bytes.
void add_of_size(const Strings& pages, std::size_t min, std::size_t max, Strings& found) {
  std::copy_if(pages.begin(), pages.end(), std::back_inserter(found),
               [&](const std::string& page) { return page.size() >= min && page.size() <= max; });
}

// A small page, an article and a large page: the bodies of several checked-in pages of a language in a row.
std::vector<Page> made_pages(const std::string& language) {
  Strings golden;
  for (const char* const kind : {"blog", "docs", "forum", "news"}) {
    std::ifstream file(NEARDUP_SOURCE_DIR "/tests/golden/html/" + language + "-" + kind + ".html");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    const std::size_t body = page.find("<body>"), end = page.find("</body>");
    CHECK(body < end && end != std::string::npos, "a golden page is not there, or has no body");
    golden.push_back(page.substr(body, end - body));
  }
  std::vector<Page> pages;
  for (const std::size_t count : {4U, 12U, 30U}) {
    Page page = {std::to_string(count), "http://example.org/" + std::to_string(count), ""};
    for (std::size_t i = 0; i < count; ++i) page.html += golden[i % golden.size()];
    pages.push_back(std::move(page));
  }
  return pages;
}

Inputs make_inputs(bool tiny) {
  const Corpora corpora = tiny ? Corpora{made_pages("en"), made_pages("zh-hans")} : load_corpora();
  Inputs in;
  Strings en_lines, zh_lines;
  add_pages(corpora.en, {kEnglishBytesMin, kEnglishBytesMax}, in.en_text, in.en_json, in.en_ascii, in.en_html,
            in.en_page, en_lines);
  add_pages(corpora.zh, {}, in.zh_text, in.zh_json, in.zh_ascii, in.zh_html, in.zh_page, zh_lines);
  in.en_short = Lines(en_lines);
  in.zh_short = Lines(zh_lines);
  for (const Strings* pages : {&in.en_page, &in.zh_page}) {
    add_of_size(*pages, kSmallPageMin, kSmallPageMax, in.small_page);
    add_of_size(*pages, kLargePageMin, kLargePageMax, in.large_page);
  }
  for (const Strings* each : {&in.en_text, &in.zh_text, &in.small_page, &in.large_page})
    CHECK(!each->empty(), "a row has nothing to read");
  CHECK(in.en_short.size() > 0 && in.zh_short.size() > 0, "a row has nothing to read");
  return in;
}

// A row whose pass is `work` on each string in turn; the digest mixes its answers in their order.
template <typename Texts, typename Work>
Row row_of(std::string name, const Texts& input, std::shared_ptr<Work> work) {
  return {std::move(name), total_bytes(input), input.size(), [&input, work] {
            std::uint64_t digest = 0;
            for (const auto& text : input) digest = digest * 0x9E3779B97F4A7C15 + (*work)(text);
            return digest;
          }};
}

template <typename Work, typename Texts>
Row row(std::string name, const Texts& input, Work work = Work()) {
  return row_of(std::move(name), input, std::make_shared<Work>(std::move(work)));
}

// --- ours

std::uint64_t digest_of(const Signature& signature) {
  return signature.fingerprint.bits ^ signature.exact.low ^ signature.tokens;
}

struct TextToSimHash {
  CanonicalText canonical;
  TokenStream tokens{isa()};
  SimHasher simhasher{isa()};
  std::uint64_t operator()(std::string_view text) {
    canonicalize(text, canonical);
    tokens.open(canonical.text);
    for (TokenBatch batch; tokens.next(batch);) simhasher.add(batch);
    return simhasher.finish()[0];
  }
};

struct PlainSimHash {
  CanonicalText canonical;
  std::uint64_t operator()(std::string_view text) {
    internal::canonicalize_by(Isa::kScalar, text, canonical, {});
    return reference::plain_simhash(reference::tokens_of(canonical.text));
  }
};

struct Fold {
  CanonicalText canonical;
  std::uint64_t operator()(std::string_view text) {
    canonicalize(text, canonical);
    return canonical.tokens;
  }
};

template <typename T>
std::string_view bytes_of(const T& value) {
  static_assert(std::has_unique_object_representations_v<T>);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// The text as the detector of long texts wants it: minima and sketch as well.
class Shingles {
 public:
  std::uint64_t operator()(const CanonicalText& canonical) {
    signer_.sign(canonical, tokens_, signature_);
    return signature_.shingles ^ digest64(bytes_of(signature_.minima)) ^
           digest64(bytes_of(signature_.sketch));
  }

 private:
  TokenStream tokens_;
  ShingleSigner<kStandardSketchBytes> signer_;
  ShingleSignature<kStandardSketchBytes> signature_;
};

class TextToSketch {
 public:
  std::uint64_t operator()(std::string_view text) {
    canonicalize(text, canonical_);
    return shingles_(canonical_);
  }

 private:
  CanonicalText canonical_;
  Shingles shingles_;
};

// SimHash, minima and sketch of any text.
class TextToSignature {
 public:
  std::uint64_t operator()(std::string_view text) {
    document_.body = text;
    Signature signature;
    if (signer_.sign(document_, signature)) return 0;
    return digest_of(signature) ^ shingles_(signer_.canonical());
  }

 private:
  Document document_;
  Signer signer_;
  Shingles shingles_;
};

template <typename T>
std::uint64_t digest_of_all(std::span<const T> values) {
  static_assert(std::has_unique_object_representations_v<T>);
  return digest64({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

// All that deciding needs of the text. A page's sample of shingles takes part by its size and its ends: it is
// up to 16 KiB, and made on the way to the minima.
std::uint64_t digest_of(const RouteSignature& route) {
  std::uint64_t digest = 0;
  const auto add = [&digest](std::uint64_t part) { digest = digest * 0x9E3779B97F4A7C15 + part; };
  if (route.has_short) {
    const ShortSignature& text = route.short_text;
    add(text.classes.bits + text.units);
    add(digest_of_all(std::span<const char32_t>(text.text)));
    add(digest_of_all(std::span<const std::uint32_t>(text.features)));
    add(digest_of_all(text.band_span()));
    for (const Key key : text.tiny_span()) add(key);
  }
  for (const LongSignature& page : route.long_span()) {
    add(static_cast<std::uint64_t>(page.kind) + page.shingles);
    add(digest64(bytes_of(page.minima)));
    add(digest64(bytes_of(page.standard)));
    add(digest_of_all(page.band_span()));
    add(page.sample.size());
    if (!page.sample.empty()) add(page.sample.front() ^ page.sample.back());
  }
  return digest;
}

// What the service does with a document.
class ServiceSigner {
 public:
  std::uint64_t operator()(const Document& document) {
    Signature signature;
    if (signer_.sign(document, signature, route_)) return 0;
    return digest_of(signature) ^ digest_of(route_);
  }

 private:
  static SignerOptions options() {
    const DetectorOptions detector;
    return {.routes = detector.routes(), .sketch = detector.sketch, .layout = detector.layout()};
  }

  Signer signer_{options()};
  RouteSignature route_;
};

class TextToServiceSignature {
 public:
  std::uint64_t operator()(std::string_view text) {
    document_.body = text;
    return signer_(document_);
  }

 private:
  Document document_;
  ServiceSigner signer_;
};

// Page bytes to text.
template <HtmlExtract kExtract>
class Reader {
 public:
  std::uint64_t operator()(std::string_view page) { return digest128(reader_.read(page).text).low; }

 private:
  HtmlReader reader_{kExtract};
};

// The same and nothing else: its text is not read.
struct Extract {
  HtmlReader reader{HtmlExtract::kMain};
  std::uint64_t operator()(std::string_view page) { return reader.read(page).text.size(); }
};

class MessageDecoder {
 public:
  const Document& operator()(std::string_view message) {
    const Record record{.source = {}, .key = std::nullopt, .value = message, .headers = {}};
    CHECK(!codec_.decode(record, document_), "a message of the benchmark was rejected");
    return document_;
  }

 private:
  DocumentCodec codec_{resolve_preset(InputConfig{}), InputConfig{}};
  Document document_;
};

class MessageToSignature {
 public:
  std::uint64_t operator()(std::string_view message) {
    Signature signature;
    if (signer_.sign(decoder_(message), signature)) return 0;
    return digest_of(signature) ^ (whole_ ? shingles_(signer_.canonical()) : 0);
  }

 protected:
  bool whole_ = false;  // minima and sketch too

 private:
  MessageDecoder decoder_;
  Signer signer_;
  Shingles shingles_;
};

struct MessageToWholeSignature : MessageToSignature {
  MessageToWholeSignature() { whole_ = true; }
};

class MessageToServiceSignature {
 public:
  std::uint64_t operator()(std::string_view message) { return signer_(decoder_(message)); }

 private:
  MessageDecoder decoder_;
  ServiceSigner signer_;
};

std::vector<Row> our_rows(const Inputs& in) {
  return {
      row<Fold>("fold en", in.en_text),
      row<Fold>("fold zh", in.zh_text),
      row<TextToSimHash>("text en", in.en_text),
      row<TextToSimHash>("text zh", in.zh_text),
      row<MessageToSignature>("json en", in.en_json),
      row<MessageToSignature>("json zh", in.zh_json),
      row<MessageToSignature>("json zh ascii", in.zh_ascii),
      row<TextToSketch>("sketch en", in.en_text),
      row<TextToSketch>("sketch zh", in.zh_text),
      row<MessageToWholeSignature>("signature en", in.en_json),
      row<MessageToWholeSignature>("signature zh", in.zh_json),
      row<Reader<HtmlExtract::kAll>>("reader en", in.en_page),
      row<Reader<HtmlExtract::kAll>>("reader zh", in.zh_page),
      row<Reader<HtmlExtract::kMain>>("main text en", in.en_page),
      row<Reader<HtmlExtract::kMain>>("main text zh", in.zh_page),
      row<Extract>("extract 9k", in.small_page),
      row<Extract>("extract 80k", in.large_page),
      row<TextToSignature>("short en", in.en_short),
      row<TextToSignature>("short zh", in.zh_short),
      row<TextToServiceSignature>("short service en", in.en_short),
      row<TextToServiceSignature>("short service zh", in.zh_short),
      row<MessageToServiceSignature>("service en", in.en_json),
      row<MessageToServiceSignature>("service zh", in.zh_json),
      row<MessageToWholeSignature>("html en", in.en_html),
      row<MessageToWholeSignature>("html zh", in.zh_html),
      row<MessageToServiceSignature>("service html en", in.en_html),
      row<MessageToServiceSignature>("service html zh", in.zh_html),
  };
}

// --- peers

using VanillaSimhash = std::uint64_t (*)(const char*, std::size_t);

struct Vanilla {
  std::string name;
  VanillaSimhash simhash;
};

// The builds of peers/vanilla.cc.
std::vector<Vanilla> vanilla_builds() {
  std::vector<Vanilla> builds;
  for (std::string_view left = NEARDUP_VANILLA_BUILDS; !left.empty();) {
    const std::size_t end = std::min(left.find(','), left.size());
    const std::string path(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    CHECK(library != nullptr, "cannot load a build of peers/vanilla.cc");
    const std::size_t name = path.rfind("vanilla_") + std::strlen("vanilla_");
    builds.push_back({path.substr(name, path.rfind('.') - name),
                      reinterpret_cast<VanillaSimhash>(dlsym(library, "vanilla_simhash"))});
  }
  return builds;
}

std::vector<Row> peer_rows(const Inputs& in) {
  std::vector<Row> rows;
  for (const Vanilla& build : vanilla_builds()) {
    rows.push_back(row("text en " + build.name, in.en_text,
                       [build](const std::string& text) { return build.simhash(text.data(), text.size()); }));
    rows.push_back(row("json en " + build.name, in.en_json, [build](const std::string& message) {
      const nlohmann::json json = nlohmann::json::parse(message);
      const auto& text = json["text"].get_ref<const std::string&>();
      return build.simhash(text.data(), text.size());
    }));
  }
  rows.push_back(row<PlainSimHash>("plain en", in.en_text));
  rows.push_back(row<PlainSimHash>("plain zh", in.zh_text));
  const auto sax = [](const std::string& page) { return std::uint64_t{peers::libxml2_sax_text_bytes(page)}; };
  rows.push_back(row("reader en libxml2", in.en_page, sax));
  rows.push_back(row("reader zh libxml2", in.zh_page, sax));
  return rows;
}

// --- the table

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Figures {
  std::map<std::string, Measured> rows;

  const Measured& at(const std::string& name) const {
    const auto found = rows.find(name);
    CHECK(found != rows.end(), "a row was not measured");
    return found->second;
  }
  // How many times faster `name` is than `other`, on the same input.
  double ratio(const std::string& name, const std::string& other) const {
    return at(other).seconds / at(name).seconds;
  }
};

void print(const Figures& figures) {
  std::printf("\n%-34s %10s %14s  %s\n", "row", "MB/s", "documents/s", "digest");
  for (const auto& [name, row] : figures.rows) {
    std::printf("%-34s %10.0f %14.0f  %016llx\n", name.c_str(), row.bytes_per_second() / 1e6,
                row.items_per_second(), static_cast<unsigned long long>(row.digest));
  }
}

// Whether every row of ours gave the same answers in each tier, and `text` those of the plain definition.
bool is_same_everywhere(const Figures& figures) {
  std::size_t compared = 0;
  std::size_t different = 0;
  const auto compare = [&](const std::string& name, const std::string& other) {
    ++compared;
    if (figures.at(name).digest == figures.at(other).digest) return;
    ++different;
    std::printf("DIFFERENT ANSWERS: %s and %s\n", name.c_str(), other.c_str());
  };
  for (const auto& [name, measured] : figures.rows) {
    const std::size_t slash = name.find('/');
    const std::string tier = name.substr(0, slash);
    if (tier != "peer" && tier != "scalar") compare(name, "scalar" + name.substr(slash));
  }
  compare("scalar/text en", "peer/plain en");
  compare("scalar/text zh", "peer/plain zh");
  std::printf("\n%zu of %zu digests are those of the scalar tier, and its SimHash the plain definition's\n",
              compared - different, compared);
  return different == 0;
}

// How much faster two threads are than one at SimHash, minima and sketch of English texts, each with a signer
// of its own; what the service makes beside these is each thread's own as well. Medians of interleaved runs,
// by the clock on the wall, since it is the machine's second core that is asked about.
double two_threads(const Inputs& in) {
  constexpr int kRuns = 9, kPasses = 60;  // a new thread may share our core for a tick, which is not to count
  const auto work = [&in] {
    TextToSignature signer;
    for (int pass = 0; pass < kPasses; ++pass) {
      for (const std::string& text : in.en_text) signer(text);
    }
  };
  std::vector<double> ratios;
  for (int i = 0; i < kRuns; ++i) {
    const double start = wall_seconds();
    work();
    const double one = wall_seconds() - start;
    std::thread other(work);
    work();
    other.join();
    ratios.push_back(2 * one / (wall_seconds() - start - one));
  }
  std::sort(ratios.begin(), ratios.end());
  return ratios[ratios.size() / 2];
}

// lexbor is at hand as a Python package only: bytes a second, or nothing if it cannot be installed.
std::optional<double> lexbor_speed(std::string_view language) {
  const std::string command = shell_word(NEARDUP_SOURCE_DIR "/tests/bench/peers/lexbor.sh") + " " +
                              shell_word(corpora_folder() + '/' + std::string(language) + ".jsonl");
  std::FILE* const pipe = popen(command.c_str(), "r");
  CHECK(pipe != nullptr, "cannot run tests/bench/peers/lexbor.sh");
  double speed = 0;
  const bool found = std::fscanf(pipe, "%lf", &speed) == 1;
  return pclose(pipe) == 0 && found ? std::optional(speed) : std::nullopt;
}

// The reader beside lexbor's DOM and its text, the slower of both languages.
std::optional<double> reader_vs_lexbor(const Figures& figures) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::string language : {"en", "zh"}) {
    const std::optional<double> speed = lexbor_speed(language);
    if (!speed) {
      std::printf("lexbor (selectolax) cannot be installed: it is left out\n");
      return std::nullopt;
    }
    std::printf("%-34s %10.0f\n", ("peer/reader " + language + " lexbor").c_str(), *speed / 1e6);
    const Measured& ours = figures.at(std::string(isa_name(cpu_isa())) + "/reader " + language);
    least = std::min(least, ours.bytes_per_second() / *speed);
  }
  return least;
}

std::string best_vanilla(const Figures& figures, const std::string& row) {
  std::string best;
  for (const auto& [name, measured] : figures.rows) {
    if (!name.starts_with("peer/" + row + ' ')) continue;
    if (best.empty() || measured.seconds < figures.at(best).seconds) best = name;
  }
  return best;
}

// What the product is held to, from the rows.
void report(const Figures& figures, double threads2) {
  BenchReport report;
  const std::string best(isa_name(cpu_isa()));
  const auto figure = [&](std::string_view name, double value, const char* meaning) {
    std::printf("%-26s %8.2f  %s\n", std::string(name).c_str(), value, meaning);
    report.number(name, value, 3);
  };
  const auto gbps = [&](const std::string& row) {
    return figures.at(best + '/' + row).bytes_per_second() / 1e9;
  };
  const std::string vanilla = best_vanilla(figures, "text en");
  const std::string ordinary = best_vanilla(figures, "json en");
  std::printf("\nbest tier here: %s; best build of the vanilla loop: %s\n", best.c_str(), vanilla.c_str());
  figure("text_en_vs_vanilla", figures.ratio(best + "/text en", vanilla),
         "text to SimHash, English, beside the vanilla loop");
  // "scalar" in this key is the definition, one counter at a time (row plain), as what one would have without
  // kernels; the tier that is called scalar is faster than that, and is the next figure's.
  figure("text_zh_vs_scalar", figures.ratio(best + "/text zh", "peer/plain zh"),
         "the same, Chinese, beside the plain definition, one counter at a time; not our scalar tier");
  figure("text_zh_vs_portable", figures.ratio(best + "/text zh", "scalar/text zh"),
         "and beside our scalar tier, which is portable and counts sideways");
  if (cpu_isa() >= Isa::kAvx2) {
    figure("avx2_en_vs_vanilla", figures.ratio("avx2/text en", vanilla),
           "the AVX2 tier beside the vanilla loop");
  }
  figure("json_en_gbps", gbps("json en"), "GB/s, JSON message to SimHash, English");
  figure("json_en_vs_nlohmann", figures.ratio(best + "/json en", ordinary),
         "beside nlohmann and the vanilla loop");
  figure("signature_en_gbps", gbps("signature en"),
         "GB/s, JSON message to SimHash, minima and sketch, English");
  figure("signature_zh_gbps", gbps("signature zh"), "the same, Chinese");
  figure("json_zh_ascii_gbps", gbps("json zh ascii"), "GB/s, Chinese in \\uXXXX to SimHash");
  figure("signature_service_en_gbps", gbps("service en"),
         "GB/s, JSON message to all that the service makes of it, English");
  figure("signature_service_zh_gbps", gbps("service zh"), "the same, Chinese");
  figure("html_gbps", std::min(gbps("html en"), gbps("html zh")),
         "GB/s, HTML message to SimHash, minima and sketch");
  figure("html_service_gbps", std::min(gbps("service html en"), gbps("service html zh")),
         "GB/s, HTML message to all that the service makes of it");
  figure("extract_9k_gbps", gbps("extract 9k"), "GB/s, pages of 9 KB to their main text, nothing else");
  figure("extract_80k_gbps", gbps("extract 80k"), "the same, pages of 80 KB");
  figure("reader_vs_libxml2",
         std::min(figures.ratio(best + "/reader en", "peer/reader en libxml2"),
                  figures.ratio(best + "/reader zh", "peer/reader zh libxml2")),
         "HTML to all its text, beside libxml2's SAX parser");
  if (const std::optional<double> ratio = reader_vs_lexbor(figures)) {
    figure("reader_vs_lexbor", *ratio, "beside lexbor's DOM and its text, through selectolax");
  }
  const auto mps = [&](const std::string& row) {
    return std::min(figures.at(best + '/' + row + " en").items_per_second(),
                    figures.at(best + '/' + row + " zh").items_per_second()) /
           1e6;
  };
  figure("short_mps", mps("short"),
         "million texts of 60 to 200 bytes a second to SimHash, minima and sketch of shingles");
  figure("short_service_mps", mps("short service"),
         "the same texts to what the service makes of them: SimHash, characters, grams, bands of both");
  figure("threads2", threads2, "two threads beside one, text to SimHash, minima and sketch, English");
  report.write("fingerprint");
}

// Those whose names hold `named`.
std::vector<Row> only(std::string_view named, std::vector<Row> rows) {
  std::erase_if(rows, [named](const Row& row) { return row.name.find(named) == std::string::npos; });
  return rows;
}

int run(bool tiny, std::string_view named) {
  const Inputs in = make_inputs(tiny);
  std::vector<Group> groups;
  for (const Isa isa : {Isa::kScalar, Isa::kAvx2, Isa::kAvx512}) {
    const std::string name(isa_name(isa));
    if (isa <= cpu_isa()) {
      groups.push_back({name, name, [&] { return only(named, our_rows(in)); }});
    } else {
      std::printf("this CPU has no %s: its rows are left out\n", name.c_str());
    }
  }
  groups.push_back({"peer", "", [&] { return only(named, peer_rows(in)); }});
  const Figures figures{measure(groups, tiny ? 1 : kRounds)};
  print(figures);
  if (!named.empty()) return 0;
  if (!is_same_everywhere(figures)) return 1;
  if (!tiny) report(figures, two_threads(in));
  return 0;
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  const std::string_view word = argc == 2 ? argv[1] : "";
  if (argc > 2 || word.starts_with('-')) {
    std::fprintf(stderr, "usage: fingerprint_bench [tiny | ROW]\n");
    return 64;
  }
  const bool tiny = word == "tiny";
  return neardup::run(tiny, tiny ? "" : word);
}
