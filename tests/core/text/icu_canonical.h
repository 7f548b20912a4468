// The canonical form as its definition in core/text/README.md reads, step by step, by ICU: slow and obvious.
#pragma once

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace neardup::icu_oracle {

using CodePoints = std::vector<UChar32>;

inline CodePoints code_points(const icu::UnicodeString& string) {
  CodePoints result;
  for (int i = 0; i < string.length(); i = string.moveIndex32(i, 1)) result.push_back(string.char32At(i));
  return result;
}

inline icu::UnicodeString normalized(const icu::Normalizer2* form, const icu::UnicodeString& string) {
  UErrorCode error = U_ZERO_ERROR;
  icu::UnicodeString result = form->normalize(string, error);
  if (U_FAILURE(error)) throw std::runtime_error(u_errorName(error));
  return result;
}

inline bool is_mark(UChar32 c) { return (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0; }
inline bool is_voicing_mark(UChar32 c) { return c == 0x3099 || c == 0x309A; }

inline UScriptCode script(UChar32 c) {
  UErrorCode error = U_ZERO_ERROR;
  return uscript_getScript(c, &error);
}

inline bool is_kept(UChar32 c) {
  if (!is_mark(c)) return (U_GET_GC_MASK(c) & (U_GC_L_MASK | U_GC_N_MASK)) != 0;
  return u_getIntPropertyValue(c, UCHAR_INDIC_SYLLABIC_CATEGORY) != U_INSC_OTHER &&
         script(c) != USCRIPT_INHERITED && script(c) != USCRIPT_COMMON;
}

inline bool is_token_character(UChar32 c) {
  for (const UScriptCode each : {USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA, USCRIPT_THAI, USCRIPT_LAO,
                                 USCRIPT_KHMER, USCRIPT_MYANMAR, USCRIPT_LANNA, USCRIPT_NEW_TAI_LUE,
                                 USCRIPT_TAI_LE, USCRIPT_TAI_VIET, USCRIPT_AHOM}) {
    if (uscript_hasScript(c, each) != 0) return true;
  }
  return false;
}

inline bool stays_composed(UChar32 c) {
  const UScriptCode s = script(c);
  return s == USCRIPT_HAN || s == USCRIPT_HIRAGANA || s == USCRIPT_KATAKANA || s == USCRIPT_HANGUL;
}

// Kept marks count as letters where normalisation reorders and composes, so they go through it as characters
// of a private-use plane.
inline constexpr UChar32 kDisguise = 0xF0000;
inline bool needs_disguise(UChar32 c) {
  return c < kDisguise && is_mark(c) && is_kept(c) && u_getCombiningClass(c) != 0;
}

inline icu::UnicodeString disguised(const icu::UnicodeString& string, const icu::Normalizer2* nfkd) {
  icu::UnicodeString result;
  for (const UChar32 c : code_points(string)) {
    icu::UnicodeString parts;
    bool changed = false;
    for (const UChar32 part : code_points(normalized(nfkd, icu::UnicodeString(c)))) {
      changed = changed || needs_disguise(part);
      parts.append(needs_disguise(part) ? kDisguise + part : part);
    }
    if (changed) {
      result.append(parts);
    } else if (c >= kDisguise) {
      result.append(u' ');  // a private-use character of the text itself: a separator
    } else {
      result.append(c);
    }
  }
  return result;
}

// The canonical text of `bytes`.
inline std::string canonical(std::string_view bytes) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* const nfkc_casefold = icu::Normalizer2::getNFKCCasefoldInstance(error);
  const icu::Normalizer2* const nfd = icu::Normalizer2::getNFDInstance(error);
  const icu::Normalizer2* const nfkd = icu::Normalizer2::getNFKDInstance(error);
  const icu::Normalizer2* const nfc = icu::Normalizer2::getNFCInstance(error);

  // Decode (one U+FFFD, which is no letter, for each maximal subpart), fold, decompose, drop marks.
  icu::UnicodeString kept;
  const auto decoded =
      icu::UnicodeString::fromUTF8(icu::StringPiece(bytes.data(), static_cast<int>(bytes.size())));
  const icu::UnicodeString folded = normalized(nfkc_casefold, disguised(decoded, nfkd));
  for (const UChar32 c : code_points(normalized(nfd, folded))) {
    if (is_voicing_mark(c)) {
      // Composes with the kana before it, or vanishes.
      const UChar32 last = kept.isEmpty() ? 0 : kept.char32At(kept.length() - 1);
      const UChar32 composed = nfc->composePair(last, c);
      if (composed >= 0) kept.replace(kept.length() - U16_LENGTH(last), U16_LENGTH(last), composed);
    } else if (!is_mark(c) || is_kept(c)) {
      kept.append(c);
    }
  }
  // Compose Hangul (and kana, which is composed already), and only those.
  CodePoints characters;
  for (const UChar32 c : code_points(normalized(nfc, kept))) {
    if (c >= kDisguise) {
      characters.push_back(c - kDisguise);
    } else if (stays_composed(c)) {
      characters.push_back(c);
    } else {
      for (const UChar32 part : code_points(normalized(nfd, icu::UnicodeString(c))))
        characters.push_back(part);
    }
  }
  // Tokens and spaces.
  CodePoints text;
  bool separated = false;
  for (const UChar32 c : characters) {
    if (!is_kept(c)) {
      separated = true;
      continue;
    }
    if (!text.empty()) {
      const bool after_character = is_token_character(text.back());
      const bool character = is_token_character(c);
      const bool space = character || after_character ? !(character && after_character) : separated;
      if (space) text.push_back(' ');
    }
    text.push_back(c);
    separated = false;
  }
  // Kept marks in canonical order, thirty at a time.
  const auto order = [](UChar32 c) { return u_getCombiningClass(c); };
  for (auto begin = text.begin(); begin != text.end();) {
    auto end = begin;
    while (end != text.end() && order(*end) != 0 && end - begin < 30) ++end;
    for (auto mark = begin; mark != end; ++mark) {
      const auto place =
          std::upper_bound(begin, mark, *mark, [&](UChar32 a, UChar32 b) { return order(a) < order(b); });
      std::rotate(place, mark, mark + 1);
    }
    begin = end == begin ? begin + 1 : end;
  }
  std::string result;
  for (const UChar32 c : text) icu::UnicodeString(c).toUTF8String(result);
  return result;
}

}  // namespace neardup::icu_oracle
