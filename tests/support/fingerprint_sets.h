// Sets of fingerprints that an index meets, or that someone thought up against it. From a seed, the same
// everywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

namespace neardup {

inline constexpr std::array<std::string_view, 7> kFingerprintSets = {
    "random", "clustered", "one_key", "one_half", "equal", "counter", "gray_code"};

template <class Word>
Word random_word(std::mt19937_64& random) {
  const std::array<std::uint64_t, 2> bits = {random(), random()};
  Word word;
  std::memcpy(static_cast<void*>(&word), bits.data(), sizeof(word));
  return word;
}

template <class Word>
void flip_bit(Word& word, std::uint64_t bit) {
  std::array<unsigned char, sizeof(Word)> bytes;
  std::memcpy(bytes.data(), &word, sizeof(word));
  bytes[bit / 8] ^= static_cast<unsigned char>(1U << (bit % 8));
  std::memcpy(static_cast<void*>(&word), bytes.data(), sizeof(word));
}

// `flips` different bits.
template <class Word>
Word flipped(Word word, int flips, std::mt19937_64& random) {
  std::array<bool, 8 * sizeof(Word)> done{};
  while (flips > 0) {
    const std::uint64_t bit = random() % done.size();
    if (done[bit]) continue;
    done[bit] = true;
    flip_bit(word, bit);
    --flips;
  }
  return word;
}

// A word with `value` in the bits from `from` on, and zeros elsewhere.
template <class Word>
Word word_with(std::uint64_t value, std::size_t from = 0) {
  Word word{};
  for (std::size_t bit = 0; bit < 64 && from + bit < 8 * sizeof(Word); ++bit) {
    if ((value >> bit & 1) != 0) flip_bit(word, from + bit);
  }
  return word;
}

template <class Word>
std::vector<Word> fingerprint_set(std::string_view name, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr std::size_t kWidth = 8 * sizeof(Word);
  std::vector<Word> words;
  words.reserve(count);
  while (words.size() < count) {
    const std::uint64_t i = words.size();
    if (name == "clustered" && i > 0 && random() % 10 != 0) {
      words.push_back(flipped(words[random() % i], static_cast<int>(random() % 8), random));
    } else if (name == "one_key") {  // the lower half is the same but for one in eight
      Word word = word_with<Word>(random() & 0xFFFFFFFF, kWidth / 2);
      if (random() % 8 == 0) flip_bit(word, random() % (kWidth / 2));
      words.push_back(word);
    } else if (name == "one_half") {  // the same in every second bit
      Word word{};
      for (std::size_t bit = 0; bit < kWidth; bit += 2) {
        if (random() % 2 == 0) flip_bit(word, bit);
      }
      words.push_back(word);
    } else if (name == "equal") {  // two words, over and over
      words.push_back(i % 7 == 3 ? word_with<Word>(7) : word_with<Word>(~std::uint64_t{0}));
    } else if (name == "counter") {
      words.push_back(word_with<Word>(i));
    } else if (name == "gray_code") {
      words.push_back(word_with<Word>(i ^ (i >> 1), kWidth / 4));
    } else {
      words.push_back(random_word<Word>(random));
    }
  }
  return words;
}

}  // namespace neardup
