// What do these bytes say, in UTF-8?
//
// For bytes that came without a promise: the value of a raw record, a body out of base64. (The strings of a
// JSON record are Unicode already.) Whose word counts, from the first on:
//
//   1  a byte order mark: UTF-8, UTF-16
//   2  the bytes: markup and spaces with a zero each are UTF-16, unless that is not declared and the bytes
//      are valid UTF-8 too, with few zeros or control characters on that side, like lines that end with a
//      zero; so are three letters and more that have a zero or another control character each; ASCII with
//      ISO-2022-JP's escapes is that; valid UTF-8 with four multi-byte characters or more is UTF-8, whatever
//      is declared, since text in another charset hardly ever looks like it. With fewer (or none, where all
//      charsets but UTF-16 agree) it is UTF-8 too, unless another one is declared that fits as well, a Latin
//      one (windows-1252 ...) only if somebody could write what they show as in it, which is not so of "Ã¼"
//      and "â€™"; or UTF-16, if there are none, and in a quarter of the pairs of bytes one half is a zero or
//      another control character. What is not quite valid is UTF-8 as well, whatever is declared, while that
//      fits: one undecodable sequence at most for 16 multi-byte characters.
//   3  what is declared: the hint, and if there is none, or it does not fit, by the page itself. Not if the
//      hint is windows-1252 (iso-8859-1, us-ascii): so HTTP libraries say where the server said nothing, and
//      if a server says so of a page in another charset, no browser shows that page. Then the page goes first
//      and the hint second. (A page's own windows-1252, which fits anything, is no second: many templates
//      say so.) What is declared is believed while it fits in the same sense;
//      UTF-8 while there are four multi-byte characters, and as many as undecodable sequences: teasers are
//      cut in the middle of a character. (What is ASCII but for one cut off is UTF-8 only if declared.) Where
//      nothing is declared that fits, twice as many are asked for: text in other charsets has half as many.
//   4  detection (uchardet), by the lines and stretches between tags that have bytes beyond ASCII, each from
//      shortly before the first of those, at most 16 KiB in all; preferred to what was declared only if it
//      leaves fewer undecodable sequences
//   5  windows-1252, where none of this helps
//
// Undecodable sequences become U+FFFD, one each, and are counted; a character cut off by the end of the bytes
// is one as well, but says nothing against a charset.
//
// Decoding is glibc's iconv's, whose tables are the standard's but for some rare characters (see README.md);
// only charsets of charset.h reach it. Single bytes go through tables filled from it once.
//
// Cost:    linear. Valid UTF-8 costs a look and a copy, runs of ASCII a copy in every charset. Nothing is
//          allocated once `text` has grown, but by uchardet where it is asked.
// Threads: one decoder per thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/text/charset.h"

namespace neardup {

// Do they begin with UTF-16's byte order mark, of either order?
bool begins_with_utf16_mark(std::string_view bytes);
// Which UTF-16 bytes without a mark are, by the zeros and control characters in them.
std::optional<Charset> utf16_by_zeros(std::string_view bytes, std::optional<Charset> declared = std::nullopt);
// In a quarter of the pairs of bytes that half is one where `utf16` has the upper one.
bool has_halves_of_utf16(std::string_view bytes, Charset utf16);

struct CharsetHints {
  std::optional<Charset> declared;  // by who sent the bytes
  bool html = false;                // a page, which may declare one
};

struct DecodedText {
  Charset charset;
  std::size_t undecodable;  // sequences that became U+FFFD
};

class CharsetDecoder {
 public:
  // Opens all converters, so that a machine without them shows at the start and not at some document.
  CharsetDecoder();
  ~CharsetDecoder();
  CharsetDecoder(CharsetDecoder&&) noexcept;
  CharsetDecoder& operator=(CharsetDecoder&&) noexcept;

  // Replaces `text` by what `bytes` say. REQUIRES: `bytes` is no view of `text`.
  DecodedText decode(std::string_view bytes, const CharsetHints& hints, std::string& text);

  // The same in a charset that is known.
  DecodedText decode_as(Charset charset, std::string_view bytes, std::string& text);

  // What detection alone says; nothing: it has no idea.
  std::optional<Charset> detect(std::string_view bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace neardup
