// 64 bytes a step, whatever escapes they hold: no loop over the escapes, no branch on their kinds.
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

}  // namespace

JsonString find_string_end_avx512(const char* begin, const char* end) {
  const __m512i classes_low = _mm512_load_si512(kTables.classes);
  const __m512i classes_high = _mm512_load_si512(kTables.classes + 64);
  std::uint64_t escaped = 0;  // backslashes before the stop, if any
  EscapeState state;
  for (const char* at = begin; at < end; at += kStep) {
    const __m512i block = load(at, end);
    StringBytes bytes;
    bytes.backslashes = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('\\'));
    bytes.quotes = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('"'));
    // The zeros behind the end are controls too, so an open string stops there.
    bytes.controls = _mm512_cmplt_epu8_mask(block, _mm512_set1_epi8(0x20));
    EscapeCheck check{bytes.quotes | bytes.controls, 0};
    if ((bytes.backslashes | state.first_is_escaped | state.digits_due) != 0) {
      const __m512i classes = _mm512_maskz_permutex2var_epi8(~_mm512_movepi8_mask(block), classes_low, block,
                                                             classes_high);  // none above 0x7F
      EscapeBytes escape;
      escape.escapable = _mm512_test_epi8_mask(classes, _mm512_set1_epi8(kEscapable));
      escape.u = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('u'));
      escape.hex = _mm512_test_epi8_mask(classes, _mm512_set1_epi8(kHexDigit));
      check = check_escapes(bytes, escape, state);
    }
    if (check.stops != 0) {
      const std::uint64_t up_to_stop = check.stops ^ (check.stops - 1);
      const int stop = __builtin_ctzll(check.stops);
      escaped |= bytes.backslashes & up_to_stop;
      const bool closed = (bytes.quotes >> stop & 1) != 0 && (check.wrong & up_to_stop) == 0;
      return {closed ? at + stop : nullptr, escaped != 0};
    }
    if (check.wrong != 0) break;
    escaped |= bytes.backslashes;
  }
  return {nullptr, escaped != 0};
}

char* unescape_avx512(std::string_view raw, char* out) {
  const __m512i meanings = _mm512_load_si512(kTables.meanings);
  const __m512i two_behind = _mm512_load_si512(kTables.two_behind);
  const __m512i three_behind = _mm512_load_si512(kTables.three_behind);
  const char* at = raw.data();
  const char* const end = at + raw.size();
  while (at < end) {
    const __m512i block = load(at, end);
    const std::uint64_t backslashes = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('\\'));
    std::ptrdiff_t taken = end - at < kStep ? end - at : kStep;
    // A block starts where no escape is open; one that does not end in it is left to the next block.
    const std::uint64_t escapes = escape_starts_and_ends(backslashes) & backslashes;
    const std::uint64_t unicode = escapes & (_mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('u')) >> 1);
    const std::uint64_t open = (escapes >> 63 << 63) | (unicode >> 59 << 59);
    if (open != 0) taken = __builtin_ctzll(open);

    const std::uint64_t letters =
        (escapes & ~unicode) << 1 & _mm512_cmpge_epu8_mask(block, _mm512_set1_epi8('a'));
    __m512i bytes = _mm512_mask_permutexvar_epi8(block, letters, block, meanings);
    std::uint64_t dropped = escapes;
    if (unicode != 0) {
      const __m512i nibble = _mm512_set1_epi8(0x0F);
      const std::uint64_t alphas = _mm512_test_epi8_mask(block, _mm512_set1_epi8(0x40));
      __m512i digits = _mm512_and_si512(block, nibble);
      digits = _mm512_mask_add_epi8(digits, alphas, digits, _mm512_set1_epi8(9));
      digits = _mm512_and_si512(digits, nibble);  // of a byte that is no digit nothing may spill over
      const __m512i two = _mm512_permutexvar_epi8(two_behind, digits);
      const __m512i three = _mm512_permutexvar_epi8(three_behind, digits);

      const std::uint64_t three_below_8 = _mm512_cmplt_epu8_mask(three, _mm512_set1_epi8(8));
      const std::uint64_t surrogates =
          unicode & _mm512_cmpeq_epi8_mask(two, _mm512_set1_epi8(0xD)) & ~three_below_8;
      if (surrogates != 0) {
        const int first = __builtin_ctzll(surrogates);
        if (first == 0) {
          take_escape(at, end, out);
          continue;
        }
        if (first < taken) taken = first;
      }
      const std::uint64_t below_800 = unicode & _mm512_testn_epi8_mask(two, two) & three_below_8;
      const std::uint64_t below_80 = below_800 & _mm512_testn_epi8_mask(three, three) & (three_below_8 >> 1);
      const std::uint64_t of_three = unicode & ~below_800;
      const std::uint64_t of_two = below_800 & ~below_80;

      const __m512i first_byte = _mm512_or_si512(two, _mm512_set1_epi8(static_cast<char>(0xE0)));
      const __m512i second_byte = _mm512_or_si512(
          _mm512_or_si512(_mm512_slli_epi16(two, 2), _mm512_set1_epi8(static_cast<char>(0x80))),
          _mm512_and_si512(_mm512_srli_epi16(three, 2), _mm512_set1_epi8(3)));
      const __m512i low = _mm512_or_si512(_mm512_slli_epi16(two, 4), three);  // digits 4 and 5
      const __m512i third_byte = _mm512_or_si512(_mm512_and_si512(low, _mm512_set1_epi8(0x3F)),
                                                 _mm512_set1_epi8(static_cast<char>(0x80)));
      bytes = _mm512_mask_mov_epi8(bytes, of_three, first_byte);
      bytes = _mm512_mask_mov_epi8(bytes, of_three << 1, second_byte);
      bytes = _mm512_mask_add_epi8(bytes, of_two << 1, second_byte, _mm512_set1_epi8(0x40));
      bytes = _mm512_mask_mov_epi8(bytes, (of_three | of_two) << 2, third_byte);
      bytes = _mm512_mask_mov_epi8(bytes, below_80 << 2, low);
      dropped = (escapes & ~of_three) | below_80 << 1 | unicode << 3 | unicode << 4 | unicode << 5;
    }
    const std::uint64_t kept = ~dropped & (~std::uint64_t{0} >> (kStep - taken));
    _mm512_storeu_si512(out, compress_8(kept, bytes));
    at += taken;
    out += __builtin_popcountll(kept);
  }
  return out;
}

}  // namespace neardup::internal

NEARDUP_END_TARGET
#endif
