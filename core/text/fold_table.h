// What does one code point become in the canonical form?
//
// The canonical form (README.md) of almost every code point does not hang on its neighbours, so it is a
// table, written by fold_table.py out of Unicode data. An entry is either an action or a place in the pool of
// sequences, for the code points that become others (É -> e, ㈱ -> ( 株 ), ﷺ -> four words):
//
//   15           11 10      3 2      0
//   [ 0 0 0 0 0 | order    | action  ]     entry < kFirstSequence
//   [ kFirstSequence + place         ]     kFoldSequences[place] code points follow, each folding to itself
//
// `order` is the canonical combining class of a kept mark (a vowel sign, say), 0 for everything else.
#pragma once

#include <cstddef>
#include <cstdint>

namespace neardup {
namespace internal {

enum class FoldAction : std::uint8_t {  // in the order of fold_table.py
  kSeparator,
  kNothing,    // vanishes and separates nothing: accents, soft hyphen, joiners, variation selectors
  kWord,       // a character of a word
  kCharacter,  // a token of its own
  kHangul,     // a token of its own that keeps the spaces of its word; jamo and syllables compose with what
               // follows
  kKana,       // a token of its own; composes with a voicing mark that follows
  kVoicing,    // U+3099, U+309A: change the kana before them, else vanish
};

using FoldEntry = std::uint16_t;

struct KanaPair {
  char16_t kana;
  char16_t voiced;      // with U+3099
  char16_t semivoiced;  // with U+309A; 0 where there is none
};

inline constexpr int kFoldBlockBits = 6;
inline constexpr FoldEntry kFirstSequence = 1 << 11;
inline constexpr std::size_t kFoldBytesMax = 64;  // canonical text of one code point, with its spaces

extern const KanaPair kKanaPairs[];  // by kana
extern const std::size_t kKanaPairCount;
extern const std::uint16_t kFoldIndex[];
extern const FoldEntry kFoldBlocks[];
extern const char32_t kFoldSequences[];

// REQUIRES: code_point <= U+10FFFF.
inline FoldEntry fold_entry(char32_t code_point) {
  const std::size_t block = kFoldIndex[code_point >> kFoldBlockBits];
  return kFoldBlocks[block << kFoldBlockBits | (code_point & ((1U << kFoldBlockBits) - 1))];
}

inline FoldAction fold_action(FoldEntry entry) { return static_cast<FoldAction>(entry & 7); }
inline unsigned fold_order(FoldEntry entry) { return entry >> 3; }

}  // namespace internal

// Whether a code point of canonical text is a token of its own (a Han ideograph, a kana, a Thai letter ...).
inline bool is_token_character(char32_t code_point) {
  const internal::FoldEntry entry = internal::fold_entry(code_point);
  const internal::FoldAction action = internal::fold_action(entry);
  return entry < internal::kFirstSequence &&
         (action == internal::FoldAction::kCharacter || action == internal::FoldAction::kKana);
}

// Whether a code point of canonical text is Hangul: a token of its own too, but within a word.
inline bool is_hangul(char32_t code_point) {
  return internal::fold_entry(code_point) == static_cast<internal::FoldEntry>(internal::FoldAction::kHangul);
}

}  // namespace neardup
