// In which scripts is this text written?
//
// Counts the letters of a canonical text by script. Letters are what counts there besides digits: characters
// of category L, and the marks that folding keeps (vowel signs); digits and spaces belong to no script. One
// that several scripts share (ー, 々) is kana's or Han's if it extends to those.
//
// Cost: one look-up in a table (script_table.py) per code point.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace neardup {

enum class Script : std::uint8_t {  // in the order of script_table.py
  kLatin,
  kHan,
  kKana,  // hiragana and katakana
  kHangul,
  kThai,
  kCyrillic,
  kArabic,
  kOther,
};
inline constexpr std::size_t kScripts = 8;
inline constexpr std::array<std::string_view, kScripts> kScriptNames = {
    "latin", "han", "kana", "hangul", "thai", "cyrillic", "arabic", "other"};

using ScriptCounts = std::array<std::uint64_t, kScripts>;  // letters, by Script

// REQUIRES: canonicalize() made it.
ScriptCounts count_scripts(std::string_view canonical);

namespace internal {

inline constexpr int kScriptBlockBits = 7;

extern const std::uint8_t kScriptIndex[];
extern const std::uint8_t kScriptBlocks[];

}  // namespace internal
}  // namespace neardup
