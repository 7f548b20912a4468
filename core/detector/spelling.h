// Are two tokens one word, which one text misspells or a scanner misread?
//
//   colour color · organise organize · centre center · application applicatlon      misspelt
//   please p1ease · copy c0py                                                       misread
//
// Of two spellings few letters differ: one, or a fifth of those of the longer word, and of less than
// kSpellingLettersMin letters it takes no more than one to make another word. An edit is a letter changed,
// put in or left out, or two neighbours that changed places. So `monday` and `sunday`, `june` and `july`,
// `north` and `south` are two words.
//
// A scanner reads a digit for a letter, so what is misread is as long as the word. A digit put in (`gate7`
// for `gate`) says something, as do all digits of a number: of two numbers neither is misread.
//
// Cost:    some ten nanoseconds; at most 4^kSpellingEditsMax steps of it.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace neardup {

inline constexpr std::size_t kSpellingLettersMin = 4;
inline constexpr unsigned kSpellingEditsMax = 3;  // however long the word

// The edits between two spellings of a word, the same either way round; nothing if they are two words.
std::optional<unsigned> misspelt_letters(std::span<const char32_t> a, std::span<const char32_t> b);

// The same of places that differ. REQUIRES: one of them has digits, the other one has none.
std::optional<unsigned> misread_letters(std::span<const char32_t> a, std::span<const char32_t> b);

}  // namespace neardup
