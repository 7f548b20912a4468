// 64 bytes a step, whatever escapes they hold: no loop over the escapes, and one branch on their kinds, in
// read_string_avx512: blocks of which all escapes are \n, \" and \\, most of most texts, take fewer steps.
//
// Which backslashes begin an escape is arithmetic on the mask of backslashes. Then every escape becomes its
// meaning in place, and one compression of the register drops the bytes that are left over:
//
//   bytes        \ u 4 e 2 d \ n x        \ starts an escape, here at 0 and 6
//   meaning      E4B8AD . . . .10 x       \u4e2d is three bytes, put where \ u 4 were
//   kept         1 1 1 0 0 0 0 1 1
//
// The digits of \uXXXX lie 2 to 5 behind its backslash. Its first byte goes to the backslash and is made of
// digit 2, the second goes behind it and is made of digits 3 and 4, the third of 4 and 5. So each is made of
// what lies two and three behind its place, and two shifted copies of all digits serve every escape at once.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/isa.h"
#include "service/codec/json_escapes.h"
#include "service/codec/json_string.h"

#if NEARDUP_X86
#include <immintrin.h>

NEARDUP_BEGIN_AVX512

namespace neardup::internal {
#include "core/base/compress_avx512.inc"
namespace {

constexpr std::ptrdiff_t kStep = 64;

constexpr std::uint8_t kHexDigit = 1;
constexpr std::uint8_t kEscapable = 2;

struct alignas(64) Tables {
  std::uint8_t classes[128] = {};
  char meanings[64] = {};  // of a letter behind a backslash, by its low six bits
  std::uint8_t two_behind[64] = {};
  std::uint8_t three_behind[64] = {};

  constexpr Tables() {
    for (unsigned c = '0'; c <= '9'; ++c) classes[c] = kHexDigit;
    for (unsigned c = 'a'; c <= 'f'; ++c) classes[c] = classes[c - 'a' + 'A'] = kHexDigit;
    for (const char c : {'"', '\\', '/', 'b', 'f', 'n', 'r', 't', 'u'}) {
      classes[static_cast<unsigned>(c)] |= kEscapable;
    }
    meanings['b' & 63] = '\b';
    meanings['f' & 63] = '\f';
    meanings['n' & 63] = '\n';
    meanings['r' & 63] = '\r';
    meanings['t' & 63] = '\t';
    for (unsigned i = 0; i < 64; ++i) {
      two_behind[i] = static_cast<std::uint8_t>((i + 2) % 64);
      three_behind[i] = static_cast<std::uint8_t>((i + 3) % 64);
    }
  }
};

constexpr Tables kTables;

// The rest of the record, at most one step of it, zeros behind.
__m512i load(const char* at, const char* end) {
  if (end - at >= kStep) return _mm512_loadu_si512(at);
  return _mm512_maskz_loadu_epi8((std::uint64_t{1} << (end - at)) - 1, at);
}

std::uint64_t below(std::ptrdiff_t place) {
  return _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(place));
}

std::uint64_t equal(__m512i block, char c) { return _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(c)); }

// The classes of all bytes, none above 0x7F.
__m512i classes_of(__m512i block) {
  return _mm512_maskz_permutex2var_epi8(~_mm512_movepi8_mask(block), _mm512_load_si512(kTables.classes),
                                        block, _mm512_load_si512(kTables.classes + 64));
}

// The escapes that begin in a block, which itself begins where none is open.
struct Escapes {
  std::uint64_t all = 0;
  std::uint64_t unicode = 0;     // \uXXXX among them
  std::ptrdiff_t taken = kStep;  // the first that does not end in the block, left to the next block
};

[[gnu::always_inline]] inline Escapes escapes_of(__m512i block, std::uint64_t backslashes) {
  Escapes found;
  found.all = escape_starts_and_ends(backslashes) & backslashes;
  found.unicode = found.all & (equal(block, 'u') >> 1);
  const std::uint64_t open = (found.all >> 63 << 63) | (found.unicode >> 59 << 59);
  if (open != 0) {
    found.taken = __builtin_ctzll(open);
    // A jump, foreseen nearly always. As a choice of two values it would make the address of the next block
    // wait for the bytes of this one.
    asm("" : "+r"(found.taken));
  }
  return found;
}

// What a block says: `bytes` where nothing is dropped. Halves of surrogate pairs are not said, but marked.
struct Meaning {
  __m512i bytes;
  std::uint64_t dropped = 0;
  std::uint64_t surrogates = 0;
};

[[gnu::always_inline]] inline Meaning meaning_of(__m512i block, const Escapes& escapes) {
  const std::uint64_t letters =
      (escapes.all & ~escapes.unicode) << 1 & _mm512_cmpge_epu8_mask(block, _mm512_set1_epi8('a'));
  Meaning said;
  said.bytes = _mm512_mask_permutexvar_epi8(block, letters, block, _mm512_load_si512(kTables.meanings));
  said.dropped = escapes.all;
  const std::uint64_t unicode = escapes.unicode;
  if (unicode == 0) return said;

  const __m512i nibble = _mm512_set1_epi8(0x0F);
  const std::uint64_t alphas = _mm512_test_epi8_mask(block, _mm512_set1_epi8(0x40));
  __m512i digits = _mm512_and_si512(block, nibble);
  digits = _mm512_mask_add_epi8(digits, alphas, digits, _mm512_set1_epi8(9));
  digits = _mm512_and_si512(digits, nibble);  // of a byte that is no digit nothing may spill over
  const __m512i two = _mm512_permutexvar_epi8(_mm512_load_si512(kTables.two_behind), digits);
  const __m512i three = _mm512_permutexvar_epi8(_mm512_load_si512(kTables.three_behind), digits);

  const std::uint64_t three_below_8 = _mm512_cmplt_epu8_mask(three, _mm512_set1_epi8(8));
  said.surrogates = unicode & _mm512_cmpeq_epi8_mask(two, _mm512_set1_epi8(0xD)) & ~three_below_8;
  const std::uint64_t below_800 = unicode & _mm512_testn_epi8_mask(two, two) & three_below_8;
  const std::uint64_t below_80 = below_800 & _mm512_testn_epi8_mask(three, three) & (three_below_8 >> 1);
  const std::uint64_t of_three = unicode & ~below_800;
  const std::uint64_t of_two = below_800 & ~below_80;

  const __m512i first_byte = _mm512_or_si512(two, _mm512_set1_epi8(static_cast<char>(0xE0)));
  const __m512i second_byte =
      _mm512_or_si512(_mm512_or_si512(_mm512_slli_epi16(two, 2), _mm512_set1_epi8(static_cast<char>(0x80))),
                      _mm512_and_si512(_mm512_srli_epi16(three, 2), _mm512_set1_epi8(3)));
  const __m512i low = _mm512_or_si512(_mm512_slli_epi16(two, 4), three);  // digits 4 and 5
  const __m512i third_byte = _mm512_or_si512(_mm512_and_si512(low, _mm512_set1_epi8(0x3F)),
                                             _mm512_set1_epi8(static_cast<char>(0x80)));
  __m512i bytes = _mm512_mask_mov_epi8(said.bytes, of_three, first_byte);
  bytes = _mm512_mask_mov_epi8(bytes, of_three << 1, second_byte);
  bytes = _mm512_mask_add_epi8(bytes, of_two << 1, second_byte, _mm512_set1_epi8(0x40));
  bytes = _mm512_mask_mov_epi8(bytes, (of_three | of_two) << 2, third_byte);
  said.bytes = _mm512_mask_mov_epi8(bytes, below_80 << 2, low);
  said.dropped = (escapes.all & ~of_three) | below_80 << 1 | unicode << 3 | unicode << 4 | unicode << 5;
  return said;
}

// How much of `taken` there is before the first half of a surrogate pair; none where a block begins with one.
[[gnu::always_inline]] inline std::ptrdiff_t before_surrogates(const Meaning& said, std::ptrdiff_t taken) {
  if (said.surrogates == 0) return taken;
  const auto first = static_cast<std::ptrdiff_t>(__builtin_ctzll(said.surrogates));
  return first < taken ? first : taken;
}

// Writes what the first `taken` bytes of a block say.
[[gnu::always_inline]] inline char* write(const Meaning& said, std::ptrdiff_t taken, char* out) {
  const std::uint64_t kept = ~said.dropped & below(taken);
  _mm512_storeu_si512(out, compress_8(kept, said.bytes));
  return out + __builtin_popcountll(kept);
}

// What may stand behind each first byte of a character, by its low six bits: `least` and up to `span` more
// (the Unicode Standard, table 3-7). Behind a byte that begins none, nothing.
struct alignas(64) SecondBytes {
  std::uint8_t least[64] = {};
  std::uint8_t span[64] = {};

  constexpr SecondBytes() {
    for (unsigned first = 0xC0; first <= 0xFF; ++first) {
      const bool none = first < 0xC2 || first > 0xF4;
      const unsigned low = none ? 0xFF : first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
      const unsigned high = none ? 0xFF : first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
      least[first & 63] = static_cast<std::uint8_t>(low);
      span[first & 63] = static_cast<std::uint8_t>(high - low);
    }
  }
};

constexpr SecondBytes kSecondBytes;

// Of the bytes of a string from `at` on that are `inside`, those that cannot follow the three before them.
[[gnu::always_inline]] inline std::uint64_t misplaced(const char* begin, const char* at,
                                                      std::uint64_t inside) {
  const auto before = [&](std::ptrdiff_t count) {  // the byte so many before each; none before the string
    const std::ptrdiff_t missing = std::max(count - (at - begin), std::ptrdiff_t{0});
    return _mm512_maskz_loadu_epi8(inside & inside << missing, at - count);
  };
  const __m512i bytes = _mm512_maskz_loadu_epi8(inside, at);
  const __m512i first = before(1);
  const std::uint64_t begun = _mm512_cmpge_epu8_mask(first, _mm512_set1_epi8('\xC0'));
  const std::uint64_t expected = begun | _mm512_cmpge_epu8_mask(before(2), _mm512_set1_epi8('\xE0')) |
                                 _mm512_cmpge_epu8_mask(before(3), _mm512_set1_epi8('\xF0'));
  const std::uint64_t following = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8('\xC0'));
  const __m512i least = _mm512_permutexvar_epi8(first, _mm512_load_si512(kSecondBytes.least));
  const __m512i span = _mm512_permutexvar_epi8(first, _mm512_load_si512(kSecondBytes.span));
  return (expected ^ following) | _mm512_mask_cmpgt_epu8_mask(begun, _mm512_sub_epi8(bytes, least), span);
}

// Is a string UTF-8? In most texts few blocks have any bytes but ASCII: these are noted, without a branch,
// and looked at many at a time.
class Utf8Check {
 public:
  explicit Utf8Check(const char* begin) : begin_(begin) {}

  // The next block of the string.
  [[gnu::always_inline]] void block(const char* at, __m512i bytes) {
    const std::uint64_t high = _mm512_movepi8_mask(bytes);
    noted_[count_] = at;
    count_ += (high | due_) != 0 ? 1 : 0;
    due_ = high >> (kStep - 3);
    if (count_ == noted_.size()) look();
  }

  // The next `size` bytes, a block at most, and the one behind them, where what begins in them may break off.
  [[gnu::always_inline]] void part(const char* at, std::ptrdiff_t size) {
    wrong_ |= misplaced(begin_, at, below(size + 1));
    due_ = 1;
  }

  [[gnu::always_inline]] bool is_utf8() {
    look();
    return wrong_ == 0;
  }

 private:
  [[gnu::always_inline]] void look() {
    for (std::size_t i = 0; i < count_; ++i) wrong_ |= misplaced(begin_, noted_[i], ~std::uint64_t{0});
    count_ = 0;
  }

  const char* begin_;
  std::size_t count_ = 0;
  std::uint64_t due_ = 0;  // not 0: the next block may have the rest of a character
  std::uint64_t wrong_ = 0;
  std::array<const char*, 32> noted_;
};

}  // namespace

JsonString find_string_end_avx512(const char* begin, const char* end) {
  std::uint64_t escaped = 0;  // backslashes before the stop, if any
  std::uint64_t beyond_ascii = 0;
  EscapeState state;
  for (const char* at = begin; at < end; at += kStep) {
    const __m512i block = load(at, end);
    StringBytes bytes;
    bytes.backslashes = equal(block, '\\');
    bytes.quotes = equal(block, '"');
    // The zeros behind the end are controls too, so an open string stops there.
    bytes.controls = _mm512_cmplt_epu8_mask(block, _mm512_set1_epi8(0x20));
    const std::uint64_t high = _mm512_movepi8_mask(block);
    EscapeCheck check{bytes.quotes | bytes.controls, 0};
    if ((bytes.backslashes | state.first_is_escaped | state.digits_due) != 0) {
      const __m512i classes = classes_of(block);
      EscapeBytes escape;
      escape.escapable = _mm512_test_epi8_mask(classes, _mm512_set1_epi8(kEscapable));
      escape.u = equal(block, 'u');
      escape.hex = _mm512_test_epi8_mask(classes, _mm512_set1_epi8(kHexDigit));
      check = check_escapes(bytes, escape, state);
    }
    if (check.stops != 0) {
      const std::uint64_t up_to_stop = check.stops ^ (check.stops - 1);
      const int stop = __builtin_ctzll(check.stops);
      escaped |= bytes.backslashes & up_to_stop;
      beyond_ascii |= high & up_to_stop;
      const bool closed = (bytes.quotes >> stop & 1) != 0 && (check.wrong & up_to_stop) == 0;
      return {closed ? at + stop : nullptr, escaped != 0, beyond_ascii == 0};
    }
    if (check.wrong != 0) break;
    escaped |= bytes.backslashes;
    beyond_ascii |= high;
  }
  return {};
}

char* unescape_avx512(std::string_view raw, char* out) {
  const char* at = raw.data();
  const char* const end = at + raw.size();
  while (at < end) {
    const __m512i block = load(at, end);
    const Escapes escapes = escapes_of(block, equal(block, '\\'));
    const Meaning said = meaning_of(block, escapes);
    const std::ptrdiff_t taken = before_surrogates(said, std::min(escapes.taken, end - at));
    if (taken == 0) {
      take_escape(at, end, out);
      continue;
    }
    out = write(said, taken, out);
    at += taken;
  }
  return out;
}

JsonReading read_string_avx512(const char* begin, const char* end, char* out) {
  Utf8Check utf8(begin);
  std::uint64_t open = 0;  // 1: the last byte that was taken begins an escape
  for (const char* at = begin; at < end;) {
    const __m512i block = load(at, end);
    const std::uint64_t backslashes = equal(block, '\\');
    const std::uint64_t quotes = equal(block, '"');
    const std::uint64_t letters_n = equal(block, 'n');
    // The zeros behind the end are controls too, so an open string stops there.
    const std::uint64_t controls = _mm512_cmplt_epu8_mask(block, _mm512_set1_epi8(0x20));

    // Of the blocks of most texts all is taken, and the escapes are new lines, quotes and backslashes.
    const std::uint64_t beginning = backslashes & ~open;
    const std::uint64_t starts = escape_starts_and_ends(beginning) & beginning;
    const std::uint64_t escaped = starts << 1 | open;
    const std::uint64_t others = escaped & ~(letters_n | quotes | backslashes);
    if ((others | (quotes & ~escaped) | controls) == 0) {
      const __m512i bytes = _mm512_mask_mov_epi8(block, escaped & letters_n, _mm512_set1_epi8('\n'));
      out = write({bytes, starts, 0}, kStep, out);
      utf8.block(at, block);
      at += kStep;
      open = starts >> 63;
      continue;
    }
    if (open != 0) {  // nothing has been written of that escape: it is read again, whole
      --at;
      open = 0;
      continue;
    }

    const Escapes escapes = escapes_of(block, backslashes);
    const __m512i classes = classes_of(block);
    std::uint64_t wrong = _mm512_mask_testn_epi8_mask(escaped, classes, _mm512_set1_epi8(kEscapable));
    if (escapes.unicode != 0) {
      const std::uint64_t u = (escapes.unicode & below(escapes.taken)) << 1;
      const std::uint64_t due = (u << 1) | (u << 2) | (u << 3) | (u << 4);
      wrong |= _mm512_mask_testn_epi8_mask(due, classes, _mm512_set1_epi8(kHexDigit));
    }
    std::uint64_t stops = (quotes & ~escaped) | controls;
    if ((wrong & (stops ^ (stops - 1))) != 0) return {};

    const Meaning said = meaning_of(block, escapes);
    std::ptrdiff_t taken = before_surrogates(said, escapes.taken);
    if (taken == 0) {
      utf8.part(at, 0);
      // Whole, and so is a second one behind it, or there were something wrong before the next stop.
      take_escape(at, end, out);
      continue;
    }
    stops &= below(taken);
    if (stops != 0) {
      taken = __builtin_ctzll(stops);
      if ((quotes >> taken & 1) == 0) return {};
    }
    out = write(said, taken, out);
    utf8.part(at, taken);
    at += taken;
    if (stops != 0) return {at, out, utf8.is_utf8()};
  }
  return {};
}

}  // namespace neardup::internal

NEARDUP_END_TARGET
#endif
