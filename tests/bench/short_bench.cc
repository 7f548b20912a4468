// How long does a short text take, from its canonical form to the answer, and what does a unique cost?
//
//   short_bench          sentences of real pages, English and Chinese, and generated notices; the figures
//                        go to build/bench/short.json
//   short_bench tiny     generated notices only, a few, nothing written
//
// Texts go through as a batch would: each is signed, the next ones are prefetched, each is asked for and
// remembered if it is new. Exact copies were taken out before, as the detector does. CPU time of the thread;
// figures are of the last fifth of the stream, when the index is largest.
//
// The same by m-grams (detector.mode: mgram), with the load of their buckets beside that of the four blocks
// of 16 bits by which the classic SimHash index finds within 3 bits: how many texts share a bucket with one.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/detector/mgram_route.h"
#include "core/detector/short_route.h"
#include "core/fingerprint/signer.h"
#include "core/index/bucket_table.h"
#include "core/text/folder.h"
#include "core/text/html_text.h"
#include "tests/bench/corpora.h"
#include "tests/support/bench_report.h"
#include "tests/support/cpu_clock.h"
#include "tests/support/generated_notices.h"

namespace neardup {
namespace {

// Canonical texts, none twice.
class Texts {
 public:
  void add(std::string_view text) {
    canonicalize(text, canonical_);
    if (canonical_.text.empty()) return;
    const std::string_view bytes = canonical_.text;
    if (seen_.insert(digest64(bytes)).second) all_.emplace_back(bytes);
  }
  // As add, by lines and sentences.
  void add_sentences(std::string_view text) {
    static constexpr std::array<std::string_view, 5> kEnds = {"\n", ". ", "。", "！", "？"};
    while (!text.empty()) {
      std::size_t end = text.size();
      std::size_t next = end;
      for (const std::string_view mark : kEnds) {
        const std::size_t at = text.substr(0, end).find(mark);
        if (at == std::string_view::npos) continue;
        end = at;
        next = at + mark.size();
      }
      if (end >= 12) add(text.substr(0, end));
      text.remove_prefix(next);
    }
  }
  // In an order that mixes the pages.
  std::vector<std::string> take() {
    std::shuffle(all_.begin(), all_.end(), std::mt19937_64(7));
    seen_.clear();
    return std::exchange(all_, {});
  }

 private:
  CanonicalText canonical_;
  std::unordered_set<std::uint64_t> seen_;
  std::vector<std::string> all_;
};

struct Cost {
  double sign = 0;
  double find = 0;
  double insert = 0;
  std::uint64_t met = 0;
  std::uint64_t candidates = 0;
  std::uint64_t compared = 0;
  std::uint64_t texts = 0;
  std::uint64_t inserted = 0;
};

void run(const char* name, const std::vector<std::string>& texts, BenchReport& report) {
  constexpr std::size_t kBatch = 64;
  constexpr std::size_t kAhead = 2;
  ShortRoute route({});
  ShortSigner signer;
  const auto work = std::make_unique<ShortWork>();
  std::vector<ShortSignature> signatures(kBatch);
  std::vector<std::size_t> met;
  Cost cost;
  Sequence next = 0;
  std::uint64_t too_long = 0;
  std::string answers;
  ByteWriter writer(answers);
  for (std::size_t at = 0; at < texts.size();) {
    const bool measured = at >= texts.size() - texts.size() / 5;
    std::size_t count = 0;
    const double begin = cpu_seconds();
    for (; at < texts.size() && count < kBatch; ++at) {
      const bool is_short = signer.sign(texts[at], signatures[count]) && signatures[count].is_short();
      too_long += !is_short;
      count += is_short;
    }
    const double signed_at = cpu_seconds();
    double inserting = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i == 0) {
        for (std::size_t k = 0; k < std::min(kAhead, count); ++k) route.prefetch(signatures[k]);
      }
      if (i + kAhead < count) route.prefetch(signatures[i + kAhead]);
      if (i + 1 < count) route.prefetch_rest(signatures[i + 1]);
      const auto match = route.find(signatures[i], *work);
      writer.u64(match ? match->sequence : ~std::uint64_t{0});
      if (measured) {
        cost.met += work->met();
        cost.candidates += work->candidates();
        cost.compared += work->compared();
        met.push_back(work->met());
      }
      if (match) continue;
      const double insert_begin = cpu_seconds();
      route.insert(next++, signatures[i], *work);
      inserting += cpu_seconds() - insert_begin;
      cost.inserted += measured;
    }
    if (!measured) continue;
    cost.sign += signed_at - begin;
    cost.find += cpu_seconds() - signed_at - inserting;
    cost.insert += inserting;
    cost.texts += count;
  }
  std::sort(met.begin(), met.end());
  const auto texts_measured = static_cast<double>(cost.texts);
  const auto each = [&](double seconds) { return seconds * 1e6 / texts_measured; };
  const auto share = [&](std::uint64_t n) { return static_cast<double>(n) / texts_measured; };
  const ShortIndex& index = route.index();
  const auto uniques = static_cast<double>(index.rows());
  const double bytes = static_cast<double>(index.bytes()) / uniques;
  const double text_bytes = static_cast<double>(index.text_bytes()) / uniques;
  const BucketTable& table = index.postings().table();
  const double posting_bytes = static_cast<double>(table.bytes()) / static_cast<double>(table.postings());
  std::printf("%s: %zu texts (%llu too long), %llu uniques, answers %016llx\n", name, texts.size(),
              static_cast<unsigned long long>(too_long), static_cast<unsigned long long>(index.rows()),
              static_cast<unsigned long long>(digest64(answers)));
  std::printf("  us a text        sign %.2f  find %.2f  insert %.2f (of the new ones %.2f)  sum %.2f\n",
              each(cost.sign), each(cost.find), each(cost.insert),
              cost.inserted > 0 ? cost.insert * 1e6 / static_cast<double>(cost.inserted) : 0,
              each(cost.sign + cost.find + cost.insert));
  std::printf("  a text meets     %.1f uniques (p99 %zu, most %zu), %.2f after the filters, %.2f compared\n",
              share(cost.met), met[met.size() * 99 / 100], met.back(), share(cost.candidates),
              share(cost.compared));
  std::printf("  bytes a unique   %.1f, of which text %.1f, postings %.1f of %.2f bytes each\n", bytes,
              text_bytes, static_cast<double>(table.postings()) / uniques, posting_bytes);
  std::printf("  crowded keys     %llu full, %zu features hot, %llu bands of uniques not posted\n",
              static_cast<unsigned long long>(index.postings().full_keys()), index.postings().hot().size(),
              static_cast<unsigned long long>(index.postings().not_posted()));
  const std::string prefix = std::string(name) + '.';
  report.number(prefix + "uniques", uniques);
  report.number(prefix + "sign_us", each(cost.sign), 2);
  report.number(prefix + "find_us", each(cost.find), 2);
  report.number(prefix + "insert_us", each(cost.insert), 2);
  report.number(prefix + "met", share(cost.met), 1);
  report.number(prefix + "candidates", share(cost.candidates), 2);
  report.number(prefix + "bytes_per_unique", bytes, 1);
  report.number(prefix + "text_bytes_per_unique", text_bytes, 1);
}

// How many texts are in the buckets of an index.
struct Load {
  std::uint64_t buckets = 0;  // that have any
  std::uint64_t postings = 0;
  std::uint64_t largest = 0;

  double mean() const { return static_cast<double>(postings) / static_cast<double>(buckets); }
};

// Of four tables by 16 bits each.
Load simhash_load(const std::vector<std::uint64_t>& fingerprints) {
  constexpr unsigned kBlocks = 4;
  constexpr unsigned kBits = 16;
  std::vector<std::uint32_t> counts(kBlocks << kBits);
  for (const std::uint64_t fingerprint : fingerprints) {
    for (unsigned block = 0; block < kBlocks; ++block) {
      ++counts[block << kBits | (fingerprint >> (kBits * block) & ((1U << kBits) - 1))];
    }
  }
  Load load;
  for (const std::uint32_t count : counts) {
    load.buckets += count > 0;
    load.postings += count;
    load.largest = std::max<std::uint64_t>(load.largest, count);
  }
  return load;
}

void run_mgrams(const char* name, const std::vector<std::string>& texts, BenchReport& report) {
  constexpr std::size_t kTextsMax = 50'000;  // every gram is a posting and most texts of a form are compared
  MgramRoute route({});
  MgramSigner signer({});
  Signer fingerprints({.routes = RouteParts::kNone});
  MgramSignature signature;
  const auto work = std::make_unique<MgramWork>();
  std::vector<std::uint64_t> words;
  const std::size_t count = std::min(texts.size(), kTextsMax);
  double sign = 0;
  double find = 0;
  double insert = 0;
  std::uint64_t met = 0;
  std::uint64_t compared = 0;
  std::uint64_t truncated = 0;
  std::string answers;
  ByteWriter writer(answers);
  for (std::size_t i = 0; i < count; ++i) {
    double begin = cpu_seconds();
    signer.sign(texts[i], signature);
    const double signed_at = cpu_seconds();
    const auto match = route.find(signature, *work);
    const double found_at = cpu_seconds();
    writer.u64(match ? match->sequence : ~std::uint64_t{0});
    if (!match) {
      route.insert(words.size(), signature);
      const double inserted_at = cpu_seconds();
      if (i >= count - count / 5) insert += inserted_at - found_at;
      Document document;
      document.body = texts[i];
      Signature signed_text;
      if (!fingerprints.sign(document, signed_text)) words.push_back(signed_text.fingerprint.bits);
    }
    truncated += work->is_truncated();
    if (i < count - count / 5) continue;
    sign += signed_at - begin;
    find += found_at - signed_at;
    met += work->met();
    compared += work->compared();
  }
  const MgramIndex& index = route.index();
  const BucketTable& table = index.table();
  const Load grams{index.buckets(), table.postings(), index.largest_bucket()};
  const Load blocks = simhash_load(words);
  const auto measured = static_cast<double>(count / 5);
  const auto uniques = static_cast<double>(index.rows());
  const double posting_bytes = static_cast<double>(table.bytes()) / static_cast<double>(table.postings());
  std::printf("%s by m-grams: %zu texts, %.0f uniques, answers %016llx\n", name, count, uniques,
              static_cast<unsigned long long>(digest64(answers)));
  std::printf(
      "  us a text        sign %.2f  find %.2f  insert %.2f; meets %.1f, %.2f compared, %llu met too many\n",
      sign * 1e6 / measured, find * 1e6 / measured, insert * 1e6 / measured,
      static_cast<double>(met) / measured, static_cast<double>(compared) / measured,
      static_cast<unsigned long long>(truncated));
  std::printf("  bytes a unique   %.1f, of which postings %.1f of %.2f bytes each\n",
              static_cast<double>(index.bytes()) / uniques, static_cast<double>(grams.postings) / uniques,
              posting_bytes);
  std::printf(
      "  load of buckets  m-grams %.2f texts (most %llu, %llu refused), %.2f buckets a unique; SimHash "
      "blocks "
      "%.2f (most %llu), %llu of 262144 in use\n",
      grams.mean(), static_cast<unsigned long long>(grams.largest),
      static_cast<unsigned long long>(index.refused()), static_cast<double>(grams.buckets) / uniques,
      blocks.mean(), static_cast<unsigned long long>(blocks.largest),
      static_cast<unsigned long long>(blocks.buckets));
  const std::string prefix = std::string(name) + ".mgram.";
  report.number(prefix + "find_us", find * 1e6 / measured, 2);
  report.number(prefix + "bytes_per_unique", static_cast<double>(index.bytes()) / uniques, 1);
  report.number(prefix + "load", grams.mean(), 2);
  report.number(prefix + "simhash_load", blocks.mean(), 2);
  report.number(prefix + "simhash_load_most", static_cast<double>(blocks.largest));
}

void run_table(std::uint64_t uniques, BenchReport& report) {
  constexpr int kBands = 10;
  constexpr int kProbes = 50;
  std::mt19937_64 random(1);
  BucketTable table;
  double begin = cpu_seconds();
  for (Ordinal ordinal = 0; ordinal < uniques; ++ordinal) {
    for (int band = 0; band < kBands; ++band) table.insert(random(), ordinal);
  }
  const double insert_ns = (cpu_seconds() - begin) * 1e9 / static_cast<double>(uniques * kBands);
  const std::uint64_t rounds = std::min<std::uint64_t>(uniques, 100'000);
  std::uint64_t met = 0;
  begin = cpu_seconds();
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::array<Key, kProbes> keys;
    for (Key& key : keys) key = random();
    table.probe(keys, [&](std::size_t, Ordinal) { ++met; });
  }
  const double probe_ns = (cpu_seconds() - begin) * 1e9 / static_cast<double>(rounds * kProbes);
  const double bytes = static_cast<double>(table.bytes()) / static_cast<double>(table.postings());
  std::printf(
      "bucket table: %llu postings, %.2f bytes each, insert %.0f ns, probe %.0f ns in batches of %d, met "
      "%llu\n",
      static_cast<unsigned long long>(table.postings()), bytes, insert_ns, probe_ns, kProbes,
      static_cast<unsigned long long>(met));
  report.number("table.postings", static_cast<double>(table.postings()));
  report.number("table.bytes_per_posting", bytes, 2);
  report.number("table.insert_ns", insert_ns, 1);
  report.number("table.probe_ns", probe_ns, 1);
}

std::vector<std::string> notices(std::size_t count) {
  GeneratedNotices generated(3);
  Texts texts;
  for (std::size_t i = 0; i < count; ++i) {
    const GeneratedNotices::Pair pair = generated.pair(i % GeneratedNotices::forms());
    texts.add(pair.notice);
    if (i % 10 == 0) texts.add(pair.edited);
  }
  return texts.take();
}

std::vector<std::string> sentences(const std::vector<Page>& pages) {
  Texts texts;
  HtmlReader reader(HtmlExtract::kAll);
  for (const Page& page : pages) texts.add_sentences(reader.read(page.html).text);
  return texts.take();
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  using namespace neardup;
  const bool tiny = argc == 2 && std::string_view(argv[1]) == "tiny";
  if (argc > 1 && !tiny) {
    std::fprintf(stderr, "usage: short_bench [tiny]\n");
    return 64;
  }
  BenchReport report;
  run_table(tiny ? 1000 : 1'500'000, report);
  const auto run_both = [&](const char* name, const std::vector<std::string>& texts) {
    run(name, texts, report);
    run_mgrams(name, texts, report);
  };
  run_both("notices", notices(tiny ? 3000 : 200'000));
  if (tiny) return 0;
  const Corpora corpora = load_corpora();
  run_both("sentences_en", sentences(corpora.en));
  run_both("sentences_zh", sentences(corpora.zh));
  report.write("short");
}
