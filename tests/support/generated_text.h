// Pages that look like English to everything that counts words: a vocabulary of 20 000 in which word r comes
// up as often as 1/(r + 2.7) says (Zipf and Mandelbrot), sentences, ids and urls, as the JSON records of a
// crawler. The 40 commonest words are the same on every page; the others rank differently on each, as its
// subject has it.
//
// One in five repeats an earlier page: half of these word for word, half with one word put in. The same seed
// gives the same bytes everywhere.
//
// Cost: some microseconds a page, so that making them does not hide what is measured with them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {

class GeneratedText {
 public:
  GeneratedText(std::size_t record_bytes, std::uint64_t seed) : record_bytes_(record_bytes), seed_(seed) {
    make_vocabulary();
  }

  struct Page {
    std::string id;
    std::string record;  // JSON, about record_bytes long
  };

  // Page 0, then 1, 2, ...
  void next(Page& page) {
    const std::uint64_t number = origins_.size();
    std::mt19937_64 draw(seed_ + number);
    const std::uint64_t kind = number == 0 ? 9 : draw() % 10;
    origins_.push_back(kind < 2 ? origins_[draw() % number] : static_cast<std::uint32_t>(number));

    std::array<char, 32> id{};
    std::snprintf(id.data(), id.size(), "page-%010llu", static_cast<unsigned long long>(number));
    page.id = id.data();
    page.record = R"({"id":")" + page.id + R"(","url":"https://www.example.org/)" + words_[number % 1000] +
                  '/' + std::to_string(number) + R"(.html","text":")";
    write_text(origins_.back(), kind == 1, page.record);
    page.record += "\"}";
  }

 private:
  static constexpr std::size_t kWords = 20000;
  static constexpr std::size_t kCommonWords = 40;
  static constexpr std::size_t kDraws = 65536;  // 16 random bits choose a word

  void make_vocabulary() {
    static constexpr std::array<std::string_view, kCommonWords> kCommon = {
        "the", "of",  "and",  "to",   "a",   "in",    "that", "is",    "was",  "he",
        "for", "it",  "with", "as",   "his", "on",    "be",   "at",    "by",   "had",
        "not", "are", "but",  "from", "or",  "have",  "an",   "they",  "you",  "were",
        "her", "all", "she",  "one",  "we",  "there", "been", "their", "more", "would"};
    static constexpr std::array<std::string_view, 24> kSyllables = {
        "con", "ter", "al", "ing", "ma",  "re", "ion", "de",  "per", "ti",  "com", "ex",
        "en",  "ble", "lo", "sur", "ver", "ni", "ous", "pre", "tra", "est", "um",  "ly"};
    words_.assign(kCommon.begin(), kCommon.end());
    for (std::size_t rank = words_.size(); rank < kWords; ++rank) {
      std::string word;
      for (std::size_t rest = rank; rest > 0; rest /= kSyllables.size())
        word += kSyllables[rest % kSyllables.size()];
      words_.push_back(word);
    }
    const auto share = [](std::size_t rank) { return 1 / (static_cast<double>(rank) + 2.7); };
    double whole = 0;
    for (std::size_t rank = 1; rank <= kWords; ++rank) whole += share(rank);
    double below = 0;
    for (std::size_t rank = 1; rank <= kWords; ++rank) {
      below += static_cast<double>(kDraws) * share(rank) / whole;
      while (static_cast<double>(draws_.size()) < below && draws_.size() < kDraws)
        draws_.push_back(static_cast<std::uint16_t>(rank - 1));
    }
    while (draws_.size() < kDraws) draws_.push_back(0);  // what rounding left
  }

  void write_text(std::uint64_t origin, bool changed, std::string& out) const {
    std::mt19937_64 draw(~seed_ - origin);
    const std::size_t subject = draw() % (kWords - kCommonWords);
    std::uint64_t bits = 0;
    for (std::size_t count = 0; out.size() + 2 < record_bytes_; ++count) {
      bits = count % 4 == 0 ? draw() : bits >> 16;
      if (count > 0) out += count % 16 == 0 ? ". " : " ";
      const std::size_t rank = draws_[bits % kDraws];
      out += words_[rank < kCommonWords ? rank : kCommonWords + (rank + subject) % (kWords - kCommonWords)];
      if (changed && count == 40) out += " moreover";
    }
    out += '.';
  }

  std::size_t record_bytes_;
  std::uint64_t seed_;
  std::vector<std::string> words_;
  std::vector<std::uint16_t> draws_;    // random bits to rank
  std::vector<std::uint32_t> origins_;  // page to the page whose text it has
};

}  // namespace neardup
