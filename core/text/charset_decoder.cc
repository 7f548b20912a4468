#include "core/text/charset_decoder.h"

#include <iconv.h>
#include <uchardet/uchardet.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/check.h"
#include "core/base/free_memory.h"
#include "core/text/utf8.h"

namespace neardup {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kMarkLe = "\xFF\xFE";
constexpr std::string_view kMarkBe = "\xFE\xFF";
// What HTTP libraries say of a page of which the server said nothing.
constexpr Charset kCharsetOfGuesses = Charset::kWindows1252;
constexpr std::size_t kUtf8CharactersSure = 4;  // so many multi-byte characters are UTF-8 by no accident
// What UTF-8 with wrong bytes in it needs for each of them.
constexpr std::size_t kCharactersIfDeclared = 1;
constexpr std::size_t kCharactersIfNot = 2;
constexpr std::size_t kUtf16LookBytes = 1024;  // from the first on
constexpr std::size_t kUtf16LettersSure = 3;   // of one half so many controls, and no others, are no accident
constexpr std::size_t kDetectionBytes = std::size_t{16} << 10;
constexpr std::size_t kDetectionAsciiBytes = 64;             // at most, at the start of each piece
constexpr std::size_t kKeptBytesMax = std::size_t{1} << 20;  // what a huge text needed is given back
constexpr std::size_t kCharacterBytesMax = 4;
constexpr std::size_t kChunk = 4096;
constexpr std::size_t kAsciiRun = 32;  // shorter ones are not worth a call of their own

// What iconv knows the charsets of several bytes by, in their order of Charset; empty: not its work.
constexpr std::array<const char*, 9> kIconvNames = {
    "", "GB18030", "BIG5-HKSCS", "CP932", "EUC-JP-MS", "EUC-JP-MS", "UHC", "", ""};
// And those of one byte, from kIbm866 on.
constexpr std::array<const char*, 27> kIconvSingleNames = {
    "IBM866",     "ISO-8859-2",  "ISO-8859-3",  "ISO-8859-4",  "ISO-8859-5",  "ISO-8859-6",  "ISO-8859-7",
    "ISO-8859-8", "ISO-8859-10", "ISO-8859-13", "ISO-8859-14", "ISO-8859-15", "ISO-8859-16", "KOI8-R",
    "KOI8-U",     "MACINTOSH",   "CP874",       "CP1250",      "CP1251",      "CP1252",      "CP1253",
    "CP1254",     "CP1255",      "CP1256",      "CP1257",      "CP1258",      "MAC-UK"};
constexpr auto kSingleFirst = static_cast<std::size_t>(Charset::kIbm866);
static_assert(kIconvNames.size() == kSingleFirst &&
              kSingleFirst + kIconvSingleNames.size() == kCharsetNames.size());

unsigned char byte(char c) { return static_cast<unsigned char>(c); }
bool is_ascii(char c) { return byte(c) < 0x80; }

class Converter {
 public:
  explicit Converter(const char* charset) : handle_(iconv_open("UTF-8", charset)) {
    CHECK(reinterpret_cast<std::intptr_t>(handle_) != -1, "glibc's converters (gconv) are not installed");
  }
  ~Converter() { iconv_close(handle_); }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;

  void reset() { iconv(handle_, nullptr, nullptr, nullptr, nullptr); }

  // Moves both on; says why it stopped: 0 at the end of `in`, EILSEQ, EINVAL (cut short) or E2BIG (no room).
  int convert(std::string_view& in, char*& out, std::size_t room) {
    char* from = const_cast<char*>(in.data());  // iconv's signature; it does not write there
    std::size_t left = in.size();
    const std::size_t result = iconv(handle_, &from, &left, &out, &room);
    const int why = result == static_cast<std::size_t>(-1) ? errno : 0;
    in.remove_prefix(in.size() - left);
    return why;
  }

  // Some charsets hold a character back, as its accents may follow: out with it, at most 8 bytes.
  void flush(char*& out) {
    std::size_t room = kHeldBytesMax;
    iconv(handle_, nullptr, nullptr, &out, &room);
  }
  static constexpr std::size_t kHeldBytesMax = 8;

 private:
  iconv_t handle_;
};

// The UTF-8 of one byte of 0x80 and above, in a charset where that is a character.
struct Character {
  std::array<char, 3> bytes{};
  std::uint8_t size = 0;
  bool undecodable = false;
};
using SingleTable = std::array<Character, 128>;

// Where the standard says something else than iconv, which is nearly nowhere: what windows-125x leaves open
// below 0xA0 is a control character there.
std::optional<char32_t> whatwg_character(Charset charset, unsigned value, bool open) {
  const bool is_windows = charset >= Charset::kWindows874 && charset <= Charset::kWindows1258;
  if (open && is_windows && value < 0xA0) return value;
  if (charset == Charset::kKoi8U && value == 0xAE) return U'\u045E';
  if (charset == Charset::kKoi8U && value == 0xBE) return U'\u040E';
  if (charset == Charset::kMacintosh && value == 0xC6) return U'\u2206';
  if (charset == Charset::kMacintosh && value == 0xF0) return U'\uF8FF';
  if (charset == Charset::kWindows1255 && value == 0xCA) return U'\u05BA';
  if (charset == Charset::kMacCyrillic && value == 0xFF) return U'\u20AC';
  return std::nullopt;
}

SingleTable make_single_table(Charset charset) {
  Converter converter(kIconvSingleNames[static_cast<std::size_t>(charset) - kSingleFirst]);
  SingleTable table;
  for (unsigned value = 0x80; value < 0x100; ++value) {
    Character& character = table[value - 0x80];
    std::array<char, 16> utf8{};
    char* end = utf8.data();
    const char one = static_cast<char>(value);
    std::string_view in(&one, 1);
    converter.reset();
    const bool open = converter.convert(in, end, utf8.size()) != 0;
    if (!open) converter.flush(end);
    if (const auto other = whatwg_character(charset, value, open)) {
      end = encode_utf8(*other, utf8.data());
    } else if (open) {
      character.undecodable = true;
      end = std::ranges::copy(kReplacement, utf8.data()).out;
    }
    character.size = static_cast<std::uint8_t>(end - utf8.data());
    CHECK(character.size <= character.bytes.size(), "single bytes are characters of the first plane");
    std::copy_n(utf8.begin(), character.size, character.bytes.begin());
  }
  return table;
}

const SingleTable& single_table(Charset charset) {
  static const auto tables = [] {
    std::array<SingleTable, kIconvSingleNames.size()> all;
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = make_single_table(static_cast<Charset>(kSingleFirst + i));
    return all;
  }();
  return tables[static_cast<std::size_t>(charset) - kSingleFirst];
}

// A string that grows by what is written to it. It keeps the size it once had until done(), so that room is
// not filled with zeros again and again.
class Output {
 public:
  explicit Output(std::string& text) : text_(text) {}

  // The end of what was written, with `size` bytes behind it.
  char* room(std::size_t size) {
    if (text_.size() - used_ < size) text_.resize(std::max(used_ + size, text_.size() * 2));
    return text_.data() + used_;
  }
  void wrote_to(const char* end) { used_ = static_cast<std::size_t>(end - text_.data()); }
  void append(std::string_view bytes) { wrote_to(std::ranges::copy(bytes, room(bytes.size())).out); }
  void done() { text_.resize(used_); }

 private:
  std::string& text_;
  std::size_t used_ = 0;
};

// What a charset made of the bytes.
struct Tally {
  std::size_t undecodable = 0;
  std::size_t beyond_ascii = 0;  // characters, at least
  bool cut_short = false;        // of the undecodable, one is a character cut off by the end

  bool fits() const { return (undecodable - (cut_short ? 1 : 0)) * 16 <= beyond_ascii; }
  // Of UTF-8, which no other charset looks like for long, less is asked: so many characters to each sequence
  // that is none.
  bool has_utf8(std::size_t characters) const {
    return beyond_ascii >= kUtf8CharactersSure && undecodable * characters <= beyond_ascii;
  }
};

std::size_t ascii_prefix(std::string_view bytes) {
  std::size_t size = 0;
  std::uint64_t eight = 0;
  while (bytes.size() - size >= sizeof eight) {
    std::memcpy(&eight, bytes.data() + size, sizeof eight);
    if ((eight & 0x8080808080808080) != 0) break;
    size += sizeof eight;
  }
  while (size < bytes.size() && is_ascii(bytes[size])) ++size;
  return size;
}

// How many bytes come before the next long run of ASCII, and the first of its bytes, which may yet belong to
// the character before.
std::size_t stretch_beyond_ascii(std::string_view bytes) {
  std::size_t size = 0;
  while (size < bytes.size()) {
    const std::size_t run = ascii_prefix(bytes.substr(size, kAsciiRun));
    if (run == kAsciiRun) return size + 1;
    size += run + 1;
  }
  return bytes.size();
}

// Without a last character that the end has cut off.
std::string_view whole_characters(std::string_view bytes) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
    const unsigned char lead = byte(bytes[bytes.size() - back]);
    if (lead < 0x80) break;
    if (lead >= 0xC0) {
      const std::size_t due = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
      return due > back ? bytes.substr(0, bytes.size() - back) : bytes;
    }
  }
  return bytes;
}

// One byte is one character, and most letters are Latin.
bool is_latin(Charset charset) {
  constexpr std::array kLatin = {Charset::kIso8859_2,   Charset::kIso8859_3,   Charset::kIso8859_4,
                                 Charset::kIso8859_10,  Charset::kIso8859_13,  Charset::kIso8859_14,
                                 Charset::kIso8859_15,  Charset::kIso8859_16,  Charset::kWindows1250,
                                 Charset::kWindows1252, Charset::kWindows1254, Charset::kWindows1257,
                                 Charset::kWindows1258};
  return std::ranges::find(kLatin, charset) != kLatin.end();
}

// What a character beyond ASCII shows as in a Latin charset nobody writes, like "Ã¼" and "â€™"; but somebody
// may write "CAFÉ’S", which is valid UTF-8 as well.
bool is_no_latin(std::string_view utf8) {
  while (!utf8.empty()) {
    const auto lead = static_cast<unsigned char>(utf8.front());
    if (lead > 0xC3 && lead < 0xE0) return false;
    utf8.remove_prefix(decode_utf8(utf8).size);
    utf8.remove_prefix(ascii_prefix(utf8));
  }
  return true;
}

// How many multi-byte characters, as far as it matters.
std::size_t count_characters(std::string_view utf8) {
  std::size_t characters = 0;
  while (characters < kUtf8CharactersSure) {
    utf8.remove_prefix(ascii_prefix(utf8));
    if (utf8.empty()) break;
    utf8.remove_prefix(decode_utf8(utf8).size);
    ++characters;
  }
  return characters;
}

// Ends where UTF-8 cannot fit any more even if all that follows were characters of two bytes: a text that is
// mostly beyond ASCII, in another charset, is given up within its first twentieth.
Tally tally_utf8(std::string_view bytes) {
  Tally tally;
  while (!bytes.empty()) {
    bytes.remove_prefix(ascii_prefix(bytes));
    if (bytes.empty()) break;
    const DecodedCodePoint decoded = decode_utf8(bytes);
    if (decoded.code_point != kNotUtf8) {
      ++tally.beyond_ascii;
    } else {
      ++tally.undecodable;
      tally.cut_short = decoded.size == bytes.size() && whole_characters(bytes).empty();
      if (tally.undecodable - 1 > tally.beyond_ascii + bytes.size() / 2) break;
    }
    bytes.remove_prefix(decoded.size);
  }
  return tally;
}

// Is the upper half of each pair of bytes a zero or another of the first control characters, none that texts
// have? So it is of Latin, Greek, Cyrillic, Arabic and Thai letters, and of no other text.
bool has_all_halves_of_utf16(std::string_view bytes, Charset utf16) {
  const std::string_view head = bytes.substr(0, kUtf16LookBytes);
  if (head.size() < 2 * kUtf16LettersSure) return false;
  for (std::size_t i = utf16 == Charset::kUtf16Be ? 0 : 1; i < head.size(); i += 2) {
    if (byte(head[i]) >= 0x10 || (head[i] >= '\t' && head[i] <= '\r')) return false;
  }
  return true;
}

bool has_controls(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return byte(c) < 0x20 && (c < '\t' || c > '\r'); });
}

bool has_iso2022jp_escapes(std::string_view ascii) {
  for (std::size_t at = 0; (at = ascii.find('\x1B', at)) != std::string_view::npos; ++at) {
    const std::string_view escape = ascii.substr(at + 1, 2);
    if (escape == "$B" || escape == "$@") return true;
  }
  return false;
}

bool is_foreign(Charset charset, unsigned char value) {
  if (charset == Charset::kBig5) return value == 0x80 || value == 0xFF;
  const bool is_euc = charset == Charset::kEucJp || charset == Charset::kIso2022Jp;
  return is_euc && ((value >= 0x80 && value < 0xA0 && value != 0x8E && value != 0x8F) || value == 0xFF);
}

}  // namespace

bool begins_with_utf16_mark(std::string_view bytes) {
  return bytes.starts_with(kMarkLe) || bytes.starts_with(kMarkBe);
}

// In UTF-16 a half of each Latin letter is a zero, and one of each letter of most other alphabets is a
// control character (Cyrillic or Thai may be nothing beyond ASCII there); other texts have few of either.
bool has_halves_of_utf16(std::string_view bytes, Charset utf16) {
  const std::string_view head = bytes.substr(0, kUtf16LookBytes);
  std::size_t controls = 0;
  for (std::size_t i = utf16 == Charset::kUtf16Be ? 0 : 1; i < head.size(); i += 2)
    controls += byte(head[i]) < 0x20 ? 1 : 0;
  return controls * 4 >= head.size() / 2;
}

// In UTF-16 the other half of a space or of markup is a zero; other texts have none. (Of all of ASCII that
// would be true as well, but U+4E00, the commonest of Chinese, looks like an N the other way round.) Lines
// or records that end with a zero look the same in some places, but are valid UTF-8 with few zeros else. A
// short text may have no markup, and no more than one space.
std::optional<Charset> utf16_by_zeros(std::string_view bytes, std::optional<Charset> declared) {
  constexpr std::string_view kMarks = " \n<>/=\"";
  std::size_t little = 0;
  std::size_t big = 0;
  const std::string_view head = bytes.substr(0, kUtf16LookBytes);
  for (std::size_t i = 0; i + 1 < head.size(); i += 2) {
    little += head[i + 1] == '\0' && kMarks.find(head[i]) != std::string_view::npos ? 1 : 0;
    big += head[i] == '\0' && kMarks.find(head[i + 1]) != std::string_view::npos ? 1 : 0;
  }
  std::optional<Charset> found;
  if (little >= 2 && big * 4 <= little) found = Charset::kUtf16Le;
  if (big >= 2 && little * 4 <= big) found = Charset::kUtf16Be;
  if (!found) {
    const bool is_little = has_all_halves_of_utf16(bytes, Charset::kUtf16Le);
    const bool is_big = has_all_halves_of_utf16(bytes, Charset::kUtf16Be);
    if (is_little != is_big) return is_little ? Charset::kUtf16Le : Charset::kUtf16Be;
  }
  if (!found || found == declared || has_halves_of_utf16(bytes, *found)) return found;
  return is_utf8(whole_characters(head)) ? std::nullopt : found;
}

struct CharsetDecoder::State {
  std::array<std::unique_ptr<Converter>, kIconvNames.size()> converters;
  std::unique_ptr<uchardet, decltype(&uchardet_delete)> detector{uchardet_new(), uchardet_delete};
  std::string sample;   // what detection looks at
  std::string scratch;  // what that says
  std::string shifted;  // ISO-2022-JP as EUC-JP

  State() {
    for (std::size_t i = 0; i < kIconvNames.size(); ++i) {
      if (*kIconvNames[i] != '\0') converters[i] = std::make_unique<Converter>(kIconvNames[i]);
    }
    single_table(Charset::kIbm866);  // and with it all
  }

  Tally run(Charset charset, std::string_view bytes, std::string& text);
  static Tally utf8(std::string_view bytes, Output& out);
  static Tally utf16(std::string_view bytes, bool big, Output& out);
  static Tally single(Charset charset, std::string_view bytes, Output& out);
  Tally multi(Charset charset, std::string_view bytes, Output& out);
  void shift_iso2022jp(std::string_view bytes);
  void take_sample(std::string_view bytes);
  std::optional<Charset> ask_detector(std::string_view bytes) const;
};

Tally CharsetDecoder::State::run(Charset charset, std::string_view bytes, std::string& text) {
  Output out(text);
  Tally tally;
  switch (charset) {
    case Charset::kUtf8:
      tally = utf8(bytes, out);
      break;
    case Charset::kUtf16Le:
    case Charset::kUtf16Be:
      tally = utf16(bytes, charset == Charset::kUtf16Be, out);
      break;
    case Charset::kIso2022Jp:
      shift_iso2022jp(bytes);
      tally = multi(charset, shifted, out);
      if (shifted.capacity() > kKeptBytesMax) free_memory(shifted);
      break;
    default:
      tally = static_cast<std::size_t>(charset) >= kSingleFirst ? single(charset, bytes, out)
                                                                : multi(charset, bytes, out);
  }
  out.done();
  return tally;
}

Tally CharsetDecoder::State::utf8(std::string_view bytes, Output& out) {
  Tally tally;
  if (const std::string_view whole = whole_characters(bytes); is_utf8(whole)) {
    out.append(whole);
    bytes.remove_prefix(whole.size());
  }
  while (!bytes.empty()) {
    const std::size_t plain = ascii_prefix(bytes);
    out.append(bytes.substr(0, plain));
    bytes.remove_prefix(plain);
    if (bytes.empty()) break;
    const DecodedCodePoint decoded = decode_utf8(bytes);
    const bool valid = decoded.code_point != kNotUtf8;
    out.append(valid ? bytes.substr(0, decoded.size) : kReplacement);
    ++(valid ? tally.beyond_ascii : tally.undecodable);
    tally.cut_short = !valid && decoded.size == bytes.size() && whole_characters(bytes).empty();
    bytes.remove_prefix(decoded.size);
  }
  return tally;
}

Tally CharsetDecoder::State::utf16(std::string_view bytes, bool big, Output& out) {
  const auto unit_at = [&](std::size_t at) -> char32_t {
    const unsigned first = byte(bytes[at]);
    const unsigned second = byte(bytes[at + 1]);
    return big ? first << 8 | second : second << 8 | first;
  };
  Tally tally;
  std::size_t at = 0;
  while (at + 2 <= bytes.size()) {
    char* end = out.room(kChunk * kCharacterBytesMax);
    for (std::size_t i = 0; i < kChunk && at + 2 <= bytes.size(); ++i) {
      char32_t code_point = unit_at(at);
      at += 2;
      if (code_point >= 0xD800 && code_point < 0xE000) {
        const char32_t low = code_point < 0xDC00 && at + 2 <= bytes.size() ? unit_at(at) : 0;
        if (low >= 0xDC00 && low < 0xE000) {
          code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
          at += 2;
        } else {
          code_point = 0xFFFD;
          ++tally.undecodable;
        }
      }
      tally.beyond_ascii += code_point >= 0x80 ? 1 : 0;
      end = encode_utf8(code_point, end);
    }
    out.wrote_to(end);
  }
  if (at < bytes.size()) {
    out.append(kReplacement);
    ++tally.undecodable;
    tally.cut_short = true;
  }
  return tally;
}

Tally CharsetDecoder::State::single(Charset charset, std::string_view bytes, Output& out) {
  const SingleTable& table = single_table(charset);
  Tally tally;
  while (!bytes.empty()) {
    const std::size_t plain = ascii_prefix(bytes);
    out.append(bytes.substr(0, plain));
    bytes.remove_prefix(plain);
    const std::string_view chunk = bytes.substr(0, kChunk);
    char* end = out.room(chunk.size() * sizeof(Character::bytes));
    std::size_t taken = 0;
    for (; taken < chunk.size(); ++taken) {
      if (is_ascii(chunk[taken])) {
        if (ascii_prefix(chunk.substr(taken, kAsciiRun)) == kAsciiRun) break;
        *end++ = chunk[taken];
        continue;
      }
      const Character& character = table[byte(chunk[taken]) - 0x80U];
      std::memcpy(end, character.bytes.data(), character.bytes.size());
      end += character.size;
      ++tally.beyond_ascii;
      tally.undecodable += character.undecodable ? 1 : 0;
    }
    out.wrote_to(end);
    bytes.remove_prefix(taken);
  }
  return tally;
}

Tally CharsetDecoder::State::multi(Charset charset, std::string_view bytes, Output& out) {
  Converter& converter = *converters[static_cast<std::size_t>(charset)];
  converter.reset();
  Tally tally;
  while (!bytes.empty()) {
    const std::size_t plain = ascii_prefix(bytes);
    out.append(bytes.substr(0, plain));
    bytes.remove_prefix(plain);
    const std::size_t stretch = stretch_beyond_ascii(bytes);
    std::string_view in = bytes.substr(0, stretch);
    // So many bytes up to one that no text in this charset has; iconv would take some of those for controls.
    std::size_t native_size = 0;
    tally.beyond_ascii += stretch / 2;
    while (!in.empty()) {
      while (native_size < in.size() && !is_foreign(charset, byte(in[native_size]))) ++native_size;
      std::string_view native = in.substr(0, native_size);
      const std::size_t room = std::min(kChunk, native.size()) * 2 + kCharacterBytesMax;
      char* end = out.room(room + Converter::kHeldBytesMax);
      const int why = converter.convert(native, end, room);
      if (why != E2BIG) converter.flush(end);
      out.wrote_to(end);
      in.remove_prefix(native_size - native.size());
      native_size = native.size();
      if (why == E2BIG || in.empty()) continue;

      const unsigned char lead = byte(in.front());
      if (charset == Charset::kGb18030 && lead == 0x80) {  // GBK's euro sign
        out.append("\u20AC");
        in.remove_prefix(1);
        --native_size;
        continue;
      }
      out.append(kReplacement);
      ++tally.undecodable;
      tally.cut_short = why == EINVAL && native_size == in.size() && stretch == bytes.size();
      // As in the standard a byte of ASCII is never part of what is undecodable, and of two bytes beyond it
      // the second goes with the first, if that can be one's.
      const bool takes_second = native_size > 1 && lead > 0x80 && lead < 0xFF && !is_ascii(in[1]);
      const std::size_t taken = tally.cut_short ? in.size() : takes_second ? 2 : 1;
      in.remove_prefix(taken);
      native_size -= std::min(native_size, taken);
    }
    bytes.remove_prefix(stretch);
  }
  return tally;
}

// Its two-byte characters are those of EUC-JP without the high bits, between escapes.
void CharsetDecoder::State::shift_iso2022jp(std::string_view bytes) {
  enum class Mode : std::uint8_t { kAscii, kKatakana, kDouble };
  Mode mode = Mode::kAscii;
  shifted.clear();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (c == '\x1B') {
      const std::string_view escape = bytes.substr(at + 1, 2);
      const bool to_ascii = escape == "(B" || escape == "(J";
      const bool to_double = escape == "$B" || escape == "$@";
      if (to_ascii || to_double || escape == "(I") {
        mode = to_ascii ? Mode::kAscii : to_double ? Mode::kDouble : Mode::kKatakana;
        at += 2;
        continue;
      }
    }
    if (mode == Mode::kAscii || byte(c) <= 0x20 || byte(c) >= 0x7F) {
      shifted += is_ascii(c) ? c : '\xFF';  // which is no character of EUC-JP
    } else {
      if (mode == Mode::kKatakana) shifted += '\x8E';
      shifted += static_cast<char>(byte(c) | 0x80);
      if (mode == Mode::kDouble && at + 1 < bytes.size() && byte(bytes[at + 1]) > 0x20 &&
          byte(bytes[at + 1]) < 0x7F) {
        shifted += static_cast<char>(byte(bytes[++at]) | 0x80);
      }
    }
  }
}

CharsetDecoder::CharsetDecoder() : state_(std::make_unique<State>()) {}
CharsetDecoder::~CharsetDecoder() = default;
CharsetDecoder::CharsetDecoder(CharsetDecoder&&) noexcept = default;
CharsetDecoder& CharsetDecoder::operator=(CharsetDecoder&&) noexcept = default;

DecodedText CharsetDecoder::decode_as(Charset charset, std::string_view bytes, std::string& text) {
  return {charset, state_->run(charset, bytes, text).undecodable};
}

// Line ends and tags cut the bytes into pieces that all charsets agree on. ASCII tells nothing: neither
// pieces of nothing else nor, but for the last words, what a long piece begins with.
void CharsetDecoder::State::take_sample(std::string_view bytes) {
  sample.clear();
  while (!bytes.empty() && sample.size() < kDetectionBytes) {
    const std::size_t size = std::min(bytes.find_first_of("<>\n"), bytes.size() - 1) + 1;
    const std::string_view piece = bytes.substr(0, size);
    const std::size_t plain = ascii_prefix(piece);
    if (plain < size) {
      const std::size_t skipped = plain - std::min(plain, kDetectionAsciiBytes);
      sample += piece.substr(skipped, kDetectionBytes - sample.size());
    }
    bytes.remove_prefix(size);
  }
}

std::optional<Charset> CharsetDecoder::State::ask_detector(std::string_view bytes) const {
  uchardet_reset(detector.get());
  uchardet_handle_data(detector.get(), bytes.data(), bytes.size());
  uchardet_data_end(detector.get());
  const std::string_view found = uchardet_get_charset(detector.get());
  if (found == "ASCII") return std::nullopt;  // then it has seen nothing that tells
  if (found == "UHC") return Charset::kEucKr;
  if (found == "MAC-CYRILLIC") return Charset::kMacCyrillic;
  if (found == "KOI8-R") return Charset::kKoi8U;  // has its letters and those of Ukrainian for frames
  return charset_named(found);
}

// An answer that does not fit what it was asked about is none; then the second half may tell more. It begins
// with the piece or word in the middle: half a character would shift all behind it. Not with the next one, as
// a short text has nearly nothing left behind that.
std::optional<Charset> CharsetDecoder::detect(std::string_view bytes) {
  state_->take_sample(bytes);
  std::string_view sample = state_->sample;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto found = state_->ask_detector(sample);
    if (found && state_->run(*found, state_->sample, state_->scratch).fits()) return found;
    const std::size_t half = sample.size() / 2;
    const std::size_t cut = sample.find_last_of(" <>\n", half);
    sample.remove_prefix(cut == std::string_view::npos || cut == 0 ? half : cut);
  }
  return std::nullopt;
}

DecodedText CharsetDecoder::decode(std::string_view bytes, const CharsetHints& hints, std::string& text) {
  if (bytes.starts_with("\xEF\xBB\xBF")) return decode_as(Charset::kUtf8, bytes.substr(3), text);
  if (bytes.starts_with(kMarkLe)) return decode_as(Charset::kUtf16Le, bytes.substr(kMarkLe.size()), text);
  if (bytes.starts_with(kMarkBe)) return decode_as(Charset::kUtf16Be, bytes.substr(kMarkBe.size()), text);
  if (const auto found = utf16_by_zeros(bytes, hints.declared)) return decode_as(*found, bytes, text);

  const auto of_page = [&] { return hints.html ? charset_in_page(bytes) : std::nullopt; };
  const bool page_first = !hints.declared || *hints.declared == kCharsetOfGuesses;
  std::optional<Charset> declared = page_first ? of_page() : hints.declared;
  if (!declared) declared = hints.declared;
  const bool other_declared = declared && declared != Charset::kUtf8;

  if (const std::string_view whole = whole_characters(bytes); is_utf8(whole)) {
    const std::size_t characters = count_characters(whole);
    if (characters == 0 && has_iso2022jp_escapes(whole)) return decode_as(Charset::kIso2022Jp, bytes, text);
    const bool utf16_declared = is_utf16(declared);
    const bool doubtful = characters > 0 && characters < kUtf8CharactersSure &&
                          !(declared && is_latin(*declared) && is_no_latin(whole));
    const bool halves = utf16_declared && characters == 0 && bytes.size() % 2 == 0 && has_controls(bytes) &&
                        has_halves_of_utf16(bytes, *declared);
    if (halves || (doubtful && other_declared && !utf16_declared)) {
      const DecodedText believed = decode_as(*declared, bytes, text);
      if (believed.undecodable == 0) return believed;
    }
    if (whole.size() == bytes.size()) {
      text = bytes;
      return {Charset::kUtf8, 0};
    }
    if (characters > 0) return decode_as(Charset::kUtf8, bytes, text);
  }

  // A byte gone wrong must not hand the page to a wrong declaration: windows-1252 takes whatever it is given.
  const Tally as_utf8 = tally_utf8(bytes);
  if (as_utf8.beyond_ascii > 0 && as_utf8.fits()) return decode_as(Charset::kUtf8, bytes, text);

  Tally of_declared;
  if (other_declared) {
    of_declared = state_->run(*declared, bytes, text);
    if (of_declared.fits()) return {*declared, of_declared.undecodable};
  }
  const std::optional<Charset> second = page_first ? hints.declared : of_page();
  // Behind ASCII, a last byte that could begin a character says UTF-8 no more than any other charset.
  const bool is_broken_utf8 = declared == Charset::kUtf8 || second == Charset::kUtf8
                                  ? as_utf8.fits() || as_utf8.has_utf8(kCharactersIfDeclared)
                                  : as_utf8.has_utf8(kCharactersIfNot);
  if (is_broken_utf8) return decode_as(Charset::kUtf8, bytes, text);
  const Charset other = second.value_or(Charset::kUtf8);
  if (other != Charset::kUtf8 && (page_first || other != kCharsetOfGuesses)) {
    const Tally of_other = state_->run(other, bytes, text);
    if (of_other.fits()) return {other, of_other.undecodable};
  }

  const Charset detected = detect(bytes).value_or(Charset::kWindows1252);
  const DecodedText by_detection = decode_as(detected, bytes, text);
  if (!other_declared || by_detection.undecodable < of_declared.undecodable) return by_detection;
  return decode_as(*declared, bytes, text);
}

}  // namespace neardup
