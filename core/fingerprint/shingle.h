// Which overlapping pieces of a text are compared, and what 64 bits stand for each?
//
// Its shingles: all runs of three consecutive tokens or, where tokens are single characters, of five
// consecutive code points of the canonical text, spaces included. The share of the shingles that two texts
// have in common is how alike they are.
//
//   words        the quick brown fox       the·quick·brown  quick·brown·fox
//   characters   春节 2021 年              春节␣20  节␣202  ␣2021  2021␣  021␣年
//
// The kind is chosen per document: characters iff more than a tenth of its tokens are token characters (Han,
// kana, Thai and its kin, Hangul). Three of those would be little more than a word, and chance repeats them;
// five code points of English, on the other hand, are one word, cut anywhere. No one kind serves all scripts:
// in streams of real pages either of them lost what this choice finds (F1 of .89 to .94 against .99). A text
// shorter than one shingle has one: all of it. A text without tokens has none.
//
// A shingle's hash is made of the hashes of its units, of tokens (feature.h) or of code points,
//
//   finish(unit[0] ^ rotate(unit[1], 24) ^ rotate(unit[2], 48) ^ ...)
//
// so each unit is hashed once, however many shingles it is in. The rotations tell the order apart; an odd
// number of them never cancels a run of one repeated unit. What later uses a hash takes one half each: the
// high half says where (bin, bit of the sketch), the low half is the value by which shingles are drawn.
//
// Multiplications, shifts and additions only: the same bits on every CPU, eight at a time in vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace neardup {

enum class ShingleKind : std::uint8_t { kWords, kCharacters };

// The units of one shingle.
constexpr std::size_t shingle_width(ShingleKind kind) { return kind == ShingleKind::kWords ? 3 : 5; }

// The kind of a text, of whose `tokens` so many are `characters`, as CanonicalText counts them.
constexpr ShingleKind shingle_kind(std::uint64_t tokens, std::uint64_t characters) {
  return characters * 10 > tokens ? ShingleKind::kCharacters : ShingleKind::kWords;
}

// How many shingles a text of so many units has.
constexpr std::uint64_t shingle_count(ShingleKind kind, std::uint64_t units) {
  const std::uint64_t width = shingle_width(kind);
  return units >= width ? units - width + 1 : units > 0 ? 1 : 0;
}

std::size_t code_point_count(std::string_view canonical);

// Writes the hash of each code point to `hashes` and returns their number. May write, without meaning, up to
// kUnitSlack places more. REQUIRES: canonical text; room for its code points and kUnitSlack more.
inline constexpr std::size_t kUnitSlack = 16;
std::size_t hash_characters(std::string_view canonical, std::uint64_t* hashes);

// Writes the hashes of shingle_count(kind, units.size()) shingles, in the order of the text.
void hash_shingles(ShingleKind kind, std::span<const std::uint64_t> units, std::uint64_t* shingles);

}  // namespace neardup
