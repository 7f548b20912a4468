// A crawl made from a seed: pages in families of near-duplicates, some exact copies, English and Chinese
// words, and, when asked for, records that are no documents, pages that come again and pages that are
// deleted. Every fifth record has headers: one of its trace, and one that means nothing to us. The same seed
// gives the same bytes everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace neardup {

struct GeneratedRecord {
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

struct CrawlShape {
  std::size_t documents = 1000;
  std::size_t families = 250;  // pages of one family share their text but for a few words
  std::size_t words = 200;     // of a page
  double broken_share = 0;     // records that must be rejected
  std::size_t pages = 0;       // that come again and again; 0: each comes once
  double deleted_share = 0;    // records that delete the page of one before
};

inline std::vector<GeneratedRecord> generate_crawl(const CrawlShape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto family_text = [&](std::uint64_t family) {
    std::mt19937_64 own(family * 0x9E3779B97F4A7C15 + seed);
    std::string text;
    for (std::size_t i = 0; i < shape.words; ++i) {
      const std::uint64_t word = own();
      if (word % 5 == 0) {
        const auto point = static_cast<unsigned>(0x4E00 + (word >> 8) % 5000);  // a Han character
        text += static_cast<char>(0xE0 | (point >> 12));
        text += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
        text += static_cast<char>(0x80 | (point & 0x3F));
      } else {
        text += 'w' + std::to_string((word >> 8) % 20000) + ' ';
      }
    }
    return text;
  };
  std::vector<GeneratedRecord> records;
  records.reserve(shape.documents);
  for (std::size_t i = 0; i < shape.documents; ++i) {
    GeneratedRecord record;
    const std::string number = std::to_string(shape.pages > 0 ? random() % shape.pages : i);
    record.key = "k" + number;
    const double draw = static_cast<double>(random() % 1000000) / 1e6;
    if (draw < shape.broken_share) {
      if (random() % 2 == 0) {
        record.value = "this is not JSON";
      }  // else: no value at all
    } else if (draw < shape.broken_share + shape.deleted_share) {
      record.key = "d" + std::to_string(random() % (shape.pages > 0 ? shape.pages : i + 1));
    } else {
      std::string text = family_text(random() % shape.families);
      if (random() % 2 == 0) text += "extra" + std::to_string(random() % 3);
      record.value = R"({"id":"d)" + number + R"(","url":"http://example.org/)" + number + R"(","text":")" +
                     text + "\"}";
    }
    if (i % 5 == 0) {
      record.headers = {{"crawler", "spider-" + std::to_string(i)},
                        {"traceparent", "00-trace-" + std::to_string(i) + "-01"}};
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace neardup
