// The slow and obvious twin of TokenStream and SimHasher: one token, one feature, one counter at a time. Of
// the code it checks it shares the tokenizer and the hash of one feature.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/fingerprint/feature.h"
#include "core/fingerprint/simhash.h"
#include "core/text/tokenizer.h"

namespace neardup::reference {

// The votes on kBits bits.
template <std::size_t kBits>
class Accumulator {
 public:
  using Bits = std::bitset<kBits>;

  // Votes `weight` times for the 1 bits of `hash` and against its 0 bits.
  void add(const Bits& hash, std::int32_t weight) {
    for (std::size_t bit = 0; bit < kBits; ++bit) sums_[bit] += hash[bit] ? weight : -weight;
  }

  std::int32_t sum(std::size_t bit) const { return sums_[bit]; }

  // 1 where the sum is positive, 0 where it is negative, the bit of `ties` where it is zero.
  Bits majority(const Bits& ties) const {
    Bits result;
    for (std::size_t bit = 0; bit < kBits; ++bit) {
      result[bit] = sums_[bit] == 0 ? ties[bit] : sums_[bit] > 0;
    }
    return result;
  }

 private:
  std::array<std::int32_t, kBits> sums_{};
};

// Occurrences by slot.
class Slots {
 public:
  // Whether one more counts.
  bool take(std::uint64_t feature) { return occurrences_[feature >> 51]++ < 16; }

 private:
  std::array<int, 8192> occurrences_{};
};

struct PlainToken {
  std::uint64_t hash;
  bool character;
  bool joined;
  bool counts;

  friend bool operator==(const PlainToken&, const PlainToken&) = default;
};

inline std::vector<PlainToken> tokens_of(std::string_view canonical) {
  std::vector<PlainToken> tokens;
  Slots slots;
  TokenReader reader(canonical);
  for (Token token; reader.next(token);) {
    const bool character = token.kind == Token::Kind::kCharacter;
    const std::uint64_t hash = token_feature(token.bytes);
    tokens.push_back({hash, character, character && token.follows_character, slots.take(hash)});
  }
  return tokens;
}

// Calls `vote(feature)` for each vote of the text.
template <class Vote>
void each_vote(const std::vector<PlainToken>& tokens, Vote vote) {
  Slots bigrams;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].counts) vote(tokens[i].hash);
    if (!tokens[i].joined) continue;
    const std::uint64_t bigram = bigram_feature(tokens[i - 1].hash, tokens[i].hash);
    if (bigrams.take(bigram)) vote(bigram);
  }
}

inline std::uint64_t plain_simhash(const std::vector<PlainToken>& tokens) {
  Accumulator<64> votes;
  each_vote(tokens, [&](std::uint64_t feature) { votes.add(feature, 1); });
  return votes.majority(kTieBits[0]).to_ullong();
}

inline std::array<std::uint64_t, 2> wide_simhash(const std::vector<PlainToken>& tokens) {
  std::array<Accumulator<64>, 2> votes;
  each_vote(tokens, [&](std::uint64_t feature) {
    votes[0].add(feature, 1);
    votes[1].add(wide_feature(feature), 1);
  });
  return {votes[0].majority(kTieBits[0]).to_ullong(), votes[1].majority(kTieBits[1]).to_ullong()};
}

}  // namespace neardup::reference
