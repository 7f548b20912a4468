// How is a UTF-8 text written in another charset? By ICU, which shares nothing with our decoder.
#pragma once

#include <unicode/normalizer2.h>
#include <unicode/ucnv.h>
#include <unicode/unistr.h>

#include <array>
#include <string>
#include <string_view>

#include "core/base/check.h"
#include "core/text/charset.h"

namespace neardup {

// ICU's names of what the standard means by ours.
inline const char* icu_name(Charset charset) {
  static constexpr std::array<const char*, kCharsetNames.size()> kNames = {
      "UTF-8",        "gb18030",      "Big5-HKSCS",   "ibm-943_P15A-2003", "EUC-JP",       "ISO-2022-JP",
      "windows-949",  "UTF-16LE",     "UTF-16BE",     "ibm-866",           "ISO-8859-2",   "ISO-8859-3",
      "ISO-8859-4",   "ISO-8859-5",   "ISO-8859-6",   "ISO-8859-7",        "ISO-8859-8",   "ISO-8859-10",
      "ISO-8859-13",  "ISO-8859-14",  "ISO-8859-15",  "ISO-8859-15",       "KOI8-R",       "KOI8-U",
      "macintosh",    "windows-874",  "windows-1250", "windows-1251",      "windows-1252", "windows-1253",
      "windows-1254", "windows-1255", "windows-1256", "windows-1257",      "windows-1258", "x-mac-cyrillic"};
  return kNames[static_cast<std::size_t>(charset)];
}

// Windows' Vietnamese has letters and, apart from them, tones: ế is ê and an acute.
inline icu::UnicodeString tones_apart(const icu::UnicodeString& text) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* const nfc = icu::Normalizer2::getNFCInstance(error);
  const icu::Normalizer2* const nfd = icu::Normalizer2::getNFDInstance(error);
  icu::UnicodeString apart;
  icu::UnicodeString letter;
  icu::UnicodeString tone;
  const auto close = [&] {
    apart += nfc->normalize(letter, error);
    apart += tone;
    letter.remove();
    tone.remove();
  };
  const icu::UnicodeString parts = nfd->normalize(text, error);
  for (int i = 0; i < parts.length(); ++i) {
    const char16_t c = parts[i];
    const bool is_tone = c == 0x300 || c == 0x301 || c == 0x303 || c == 0x309 || c == 0x323;
    const bool is_mark = is_tone || c == 0x302 || c == 0x306 || c == 0x31B;
    if (!is_mark) close();
    (is_tone ? tone : letter) += c;
  }
  close();
  CHECK(U_SUCCESS(error) != 0, "ICU has its normalizers");
  return apart;
}

// REQUIRES: the charset has all characters of the text (those it lacks become '?', as ICU is told here).
inline std::string encode(std::string_view utf8, Charset charset) {
  icu::UnicodeString text = icu::UnicodeString::fromUTF8({utf8.data(), static_cast<int>(utf8.size())});
  if (charset == Charset::kWindows1258) text = tones_apart(text);
  UErrorCode error = U_ZERO_ERROR;
  UConverter* const converter = ucnv_open(icu_name(charset), &error);
  CHECK(U_SUCCESS(error) != 0, "ICU has this converter");
  ucnv_setSubstString(converter, u"?", 1, &error);
  std::string bytes(static_cast<std::size_t>(text.length()) * 8 + 16, '\0');
  const int size = ucnv_fromUChars(converter, bytes.data(), static_cast<int>(bytes.size()), text.getBuffer(),
                                   text.length(), &error);
  ucnv_close(converter);
  CHECK(U_SUCCESS(error) != 0, "ICU encodes");
  bytes.resize(static_cast<std::size_t>(size));
  return bytes;
}

inline std::string decode_by_icu(std::string_view bytes, const char* charset) {
  UErrorCode error = U_ZERO_ERROR;
  UConverter* const converter = ucnv_open(charset, &error);
  CHECK(U_SUCCESS(error) != 0, "ICU has this converter");
  icu::UnicodeString text;
  const int room = static_cast<int>(bytes.size()) * 2 + 16;
  const int size = ucnv_toUChars(converter, text.getBuffer(room), room, bytes.data(),
                                 static_cast<int>(bytes.size()), &error);
  text.releaseBuffer(U_SUCCESS(error) != 0 ? size : 0);
  ucnv_close(converter);
  std::string utf8;
  text.toUTF8String(utf8);
  return utf8;
}

}  // namespace neardup
