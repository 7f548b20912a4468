// Which charset do these words mean?
//
// Charsets and their labels are those of the WHATWG Encoding standard, which is what pages are written for: a
// label names what browsers take it for ("gb2312" is gb18030, "iso-8859-1" is windows-1252, "shift-jis" is
// Windows' own). Its encodings "replacement" (hz-gb-2312, iso-2022-kr, ...) and "x-user-defined" are no
// charsets here: they name nothing, like an unknown label. Besides, the names that codecs of Python, Java and
// Node have for them ("cp932", "euc_jp", "big5hkscs"): crawlers tell by those what they found out.
//
// A charset can be told by a Content-Type, or by a page itself:
//
//   text/html; charset="GBK"            <meta charset=gbk>        <?xml version="1.0" encoding="gbk"?>
//                                       <meta http-equiv=Content-Type content="text/html; charset=gbk">
//
// Threads: pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace neardup {

enum class Charset : std::uint8_t {
  kUtf8,
  kGb18030,  // and GBK, GB2312
  kBig5,     // with Hong Kong's characters
  kShiftJis,
  kEucJp,
  kIso2022Jp,
  kEucKr,  // and Windows' 949
  kUtf16Le,
  kUtf16Be,
  // From here on one byte is one character.
  kIbm866,
  kIso8859_2,
  kIso8859_3,
  kIso8859_4,
  kIso8859_5,
  kIso8859_6,
  kIso8859_7,
  kIso8859_8,
  kIso8859_10,
  kIso8859_13,
  kIso8859_14,
  kIso8859_15,
  kIso8859_16,
  kKoi8R,
  kKoi8U,
  kMacintosh,
  kWindows874,
  kWindows1250,
  kWindows1251,
  kWindows1252,
  kWindows1253,
  kWindows1254,
  kWindows1255,
  kWindows1256,
  kWindows1257,
  kWindows1258,
  kMacCyrillic,
};

inline constexpr std::array<std::string_view, 36> kCharsetNames = {
    "utf-8",        "gb18030",      "big5",         "shift_jis",    "euc-jp",       "iso-2022-jp",
    "euc-kr",       "utf-16le",     "utf-16be",     "ibm866",       "iso-8859-2",   "iso-8859-3",
    "iso-8859-4",   "iso-8859-5",   "iso-8859-6",   "iso-8859-7",   "iso-8859-8",   "iso-8859-10",
    "iso-8859-13",  "iso-8859-14",  "iso-8859-15",  "iso-8859-16",  "koi8-r",       "koi8-u",
    "macintosh",    "windows-874",  "windows-1250", "windows-1251", "windows-1252", "windows-1253",
    "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258", "x-mac-cyrillic"};
static_assert(kCharsetNames.size() == static_cast<std::size_t>(Charset::kMacCyrillic) + 1);

constexpr std::string_view name(Charset charset) { return kCharsetNames[static_cast<std::size_t>(charset)]; }

constexpr bool is_utf16(std::optional<Charset> charset) {
  return charset == Charset::kUtf16Le || charset == Charset::kUtf16Be;
}

// Case, dashes, underscores and white space around it do not matter.
std::optional<Charset> charset_named(std::string_view label);

// What the charset parameter of a Content-Type names; or, since producers have fields for that too, a label
// alone.
std::optional<Charset> charset_declared(std::string_view content_type_or_label);

// What a page says of itself in its first kCharsetHeadBytes, as a browser looks before it parses: not in
// comments, not in other tags' attributes. A page that can be read so is not UTF-16, whatever it says: then
// it is UTF-8.
std::optional<Charset> charset_in_page(std::string_view html);
inline constexpr std::size_t kCharsetHeadBytes = 4096;  // browsers look at 1024; many heads are longer

}  // namespace neardup
