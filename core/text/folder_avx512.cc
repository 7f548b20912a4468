// The folder in AVX-512 with VBMI2: 64 bytes at a time.
//
// Every byte of a block has a lane. The lane where a character starts gets the character's action
// (fold_groups.h): by one look-up for all ASCII, by comparison for ideographs and Hangul syllables, which
// stay what they are, and by one look-up for each other group that the block has characters of, one or two
// mostly. Actions become masks, masks say where spaces go (fold_masks.inc), and what stays is compressed
// into the output.
#include "core/text/fold_kernel.h"

#if NEARDUP_X86
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <type_traits>

NEARDUP_BEGIN_AVX512
namespace neardup::internal {
#include "core/base/compress_avx512.inc"
#include "core/text/fold_masks.inc"
namespace {

// 64 times the byte. From memory: the compiler would make each constant anew in every block, in the one port
// that comparisons and permutations need too.
struct Constants {
  alignas(64) std::uint8_t bytes[256][64];
};

constexpr Constants kConstants = [] {
  Constants result{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (std::uint8_t& each : result.bytes[byte]) each = static_cast<std::uint8_t>(byte);
  }
  return result;
}();

inline __m512i all(unsigned byte) {
  const Constants* hidden = &kConstants;
  asm("" : "+r"(hidden));
  return _mm512_load_si512(hidden->bytes[byte]);
}

// Lane i holds i + `step`.
inline __m512i lanes_from(int step) {
  const __m512i lanes =
      _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42,
                      41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20,
                      19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  return _mm512_add_epi8(lanes, _mm512_set1_epi8(static_cast<char>(step)));
}

// Lane i gets lane i + `step`.
inline __m512i shifted(__m512i bytes, int step) { return _mm512_permutexvar_epi8(lanes_from(step), bytes); }

// Lane i gets table[places[i] & 127].
inline __m512i look_up(const std::uint8_t (&table)[FoldGroup::kSize], __m512i places) {
  return _mm512_permutex2var_epi8(_mm512_load_si512(table), places, _mm512_load_si512(table + 64));
}

// Left alone, the compiler does some of the arithmetic of masks where comparisons leave them, and sends them
// there and back for it: that takes longer than the arithmetic.
inline std::uint64_t in_register(std::uint64_t mask) {
  asm("" : "+r"(mask));
  return mask;
}

// Writes the bytes in `keep`, a space before those in `insert`. Two lanes for each byte, so that there is one
// for its space.
inline char* write_spaced(char* out, __m512i bytes, FoldedSpaces spaces) {
  const __m256i halves[2] = {_mm512_castsi512_si256(bytes), _mm512_extracti64x4_epi64(bytes, 1)};
  for (int i = 0; i < 2; ++i) {
    const __m512i pairs =
        _mm512_or_si512(_mm512_slli_epi16(_mm512_cvtepu8_epi16(halves[i]), 8), _mm512_set1_epi16(' '));
    const std::uint64_t keep = _pdep_u64(spaces.insert >> 32 * i, 0x5555555555555555) |
                               _pdep_u64(spaces.keep >> 32 * i, 0xAAAAAAAAAAAAAAAA);
    _mm512_storeu_si512(out, compress_8(keep, pairs));
    out += popcount(keep);
  }
  return out;
}

// The same, where mostly there is no space to insert.
inline char* write(char* out, __m512i bytes, FoldedSpaces spaces) {
  if (spaces.insert != 0) [[unlikely]]
    return write_spaced(out, bytes, spaces);
  _mm512_storeu_si512(out, compress_8(spaces.keep, bytes));
  return out + popcount(spaces.keep);
}

// A block, or what is left of the text, as it was read.
struct Block {
  __m512i bytes;
  std::size_t size;
  std::uint64_t high;     // bytes that are not ASCII
  __m512i ascii_actions;  // right for all others
};

inline Block read_block(const Cursor& cursor, const FoldGroups& groups) {
  Block block;
  block.size = std::min<std::size_t>(kFoldBlock, static_cast<std::size_t>(cursor.end - cursor.at));
  block.bytes = block.size == kFoldBlock ? _mm512_loadu_si512(cursor.at)
                                         : _mm512_maskz_loadu_epi8(below(block.size), cursor.at);
  block.high = in_register(_mm512_movepi8_mask(block.bytes));
  block.ascii_actions = look_up(groups.ascii.action, block.bytes);
  return block;
}

// Whole blocks of ASCII, as many as there are. REQUIRES: no token character comes before.
inline void fold_ascii(const FoldGroups& groups, Cursor& cursor, FoldState& state) {
  const char* at = cursor.at;
  char* out = cursor.out;
  std::uint64_t word = cursor.last.word;
  std::uint64_t in_word = cursor.last.in_word;
  std::uint32_t tokens = 0;
  const __m512i separator = all(kSeparates);
  for (; static_cast<std::size_t>(cursor.end - at) >= kFoldBlock && out <= state.limit; at += kFoldBlock) {
    ask_ahead(at);
    const __m512i bytes = _mm512_loadu_si512(at);
    if (_mm512_movepi8_mask(bytes) != 0) break;
    const __m512i actions = look_up(groups.ascii.action, bytes);
    const std::uint64_t words = _mm512_cmpneq_epi8_mask(actions, separator);
    const std::uint64_t behind = words << 1;
    const std::uint64_t keep = words | behind | in_word;
    _mm512_storeu_si512(out, compress_8(keep, actions));
    out += popcount(keep);
    tokens += popcount(words & ~(behind | word));
    word = in_word = words >> 63;
  }
  if (at == cursor.at) return;
  cursor.at = at;
  cursor.out = out;
  cursor.last.word = word;
  cursor.last.in_word = in_word;
  state.tokens += tokens;
  state.open = false;
}

// A block of ASCII and separators of more than one byte: the dashes, quotes, arrows and pictures of most
// English text. All their bytes can be spaces, since a run of separators is one. Returns false, and has done
// nothing, if there is anything else. REQUIRES: no token character comes before.
inline bool fold_separated(const Block& block, const FoldGroups& groups, Cursor& cursor, FoldState& state) {
  const __m512i bytes = block.bytes;
  const __m512i separator = all(kSeparates);
  const auto separates = [&](const std::uint8_t* table) {  // by the last six bits
    return _mm512_cmpeq_epi8_mask(_mm512_permutexvar_epi8(bytes, _mm512_load_si512(table)), separator);
  };
  const std::uint64_t c2 = _mm512_cmpeq_epi8_mask(bytes, all(0xC2));
  const std::uint64_t e2 = _mm512_cmpeq_epi8_mask(bytes, all(0xE2));
  const std::uint64_t f0 = _mm512_cmpeq_epi8_mask(bytes, all(0xF0));
  if ((_mm512_cmpge_epu8_mask(bytes, all(0xC3)) & ~(e2 | f0)) != 0) return false;
  const std::uint64_t following = block.high & _mm512_cmplt_epu8_mask(bytes, all(0xC0));
  const std::uint64_t from_2000 = _mm512_cmpeq_epi8_mask(bytes, all(0x80));
  const std::uint64_t in_f0 = _mm512_cmpeq_epi8_mask(bytes, all(0x9F));
  const std::uint64_t in_f09f = _mm512_cmple_epu8_mask(_mm512_sub_epi8(bytes, all(0x8C)), all(0xAB - 0x8C));
  std::size_t size = block.size;
  if (size == kFoldBlock) {  // a character that ends in the next block is one of the next block
    size = _tzcnt_u64((c2 & ~below(63)) | (e2 & ~below(62)) | (f0 & ~below(61)));
  }
  const std::uint64_t two = c2 & (following & separates(groups.latin_0080.action)) >> 1;
  const std::uint64_t three = e2 & following >> 2 &
                              ((from_2000 >> 1 & separates(groups.punctuation_2000.action) >> 2) |
                               (following & separates(groups.symbols_e2.data())) >> 1);
  const std::uint64_t four = f0 & in_f0 >> 1 & in_f09f >> 2 & following >> 3;  // U+1F300 to U+1FAFF
  const std::uint64_t covered =
      two | three | four | (two | three | four) << 1 | (three | four) << 2 | four << 3;
  if (((covered ^ block.high) & below(size)) != 0) return false;
  const __m512i actions = _mm512_mask_mov_epi8(block.ascii_actions, block.high, separator);
  const std::uint64_t words = _mm512_cmpneq_epi8_mask(actions, separator) & below(size);
  const std::uint64_t behind = words << 1;
  const std::uint64_t keep = (words | behind | cursor.last.in_word) & below(size);
  _mm512_storeu_si512(cursor.out, compress_8(keep, actions));
  cursor.out += popcount(keep);
  cursor.at += size;
  state.tokens += popcount(words & ~(behind | cursor.last.word));
  state.open = false;
  cursor.last.word = cursor.last.in_word = words >> (size - 1) & 1;
  return true;
}

// Where a character's bytes after the first two bits of its place in its group.
inline __m512i places_in_group(__m512i last_but_one, __m512i last) {
  return _mm512_ternarylogic_epi32(_mm512_slli_epi16(last_but_one, 6), last, all(0x40), 0xE4);
}

// By the low six bits of a first byte.
struct ThreeByteTables {
  alignas(64) std::array<std::uint8_t, 64> han_least = han_second_least<64>();
  alignas(64) std::array<std::uint8_t, 64> second{};  // of a mark; 0 for none: follows no first byte
  alignas(64) std::array<std::uint8_t, 64> among{};
};
constexpr ThreeByteTables kThreeByteTables = [] {
  ThreeByteTables tables;
  for (const MarkBlock& each : kMarkBlocks) {
    tables.second[each.first % 64] = each.second;
    tables.among[each.first % 64] = each.among;
  }
  return tables;
}();

// Those of `others` that are kana, or stand among them, and stay token characters.
inline std::uint64_t kana_of(__mmask64 others, __m512i bytes, __m512i second, __m512i third,
                             const FoldGroups& groups) {
  const __mmask64 kana = _mm512_mask_cmple_epu8_mask(_mm512_mask_cmpeq_epi8_mask(others, bytes, all(0xE3)),
                                                     _mm512_sub_epi8(second, all(0x80)), all(0x83 - 0x80));
  const __m512i places = places_in_group(second, third);
  const __m512i action = _mm512_mask_mov_epi8(look_up(groups.punctuation_3000.action, places),
                                              _mm512_cmpge_epu8_mask(second, all(0x82)),
                                              look_up(groups.kana_3080.action, places));
  return _mm512_mask_cmpeq_epi8_mask(kana, action, all(kStays | kStaysCharacter));
}

// The next 64 bytes if they are ideographs, kana, separators of three bytes and ASCII, or what is left of the
// text if it is less. Returns false, and has done nothing, if there is anything else, or ASCII alone where
// fold_ascii() can take it. `kWhole`: two bytes more follow at least.
template <bool kWhole>
inline bool fold_ideograph_block(const FoldGroups& groups, Cursor& cursor, FoldState& state, Begun& begun) {
  const char* const at = cursor.at;
  const auto left = static_cast<std::size_t>(cursor.end - at);
  const std::size_t size = kWhole || left > kFoldBlock ? kFoldBlock : left;
  const auto bytes_from = [&](std::size_t i) {
    return kWhole ? _mm512_loadu_si512(at + i)
                  : _mm512_maskz_loadu_epi8(below(left - std::min(i, left)), at + i);
  };
  const __m512i bytes = bytes_from(0);
  const __m512i second = bytes_from(1);
  const __m512i third = bytes_from(2);
  const __mmask64 is_high = _mm512_movepi8_mask(bytes);
  const std::uint64_t high = in_register(is_high);
  if ((high | cursor.last.character) == 0 && size == kFoldBlock) return false;

  const std::uint64_t continuations = in_register(_mm512_cmplt_epi8_mask(bytes, all(0xC0)));
  const std::uint64_t firsts = high & ~continuations;
  Begun next;
  const std::uint64_t following = spread(firsts, 6, next.bytes) + begun.bytes;
  // Both bytes behind are continuations where the high two bits of each are 10.
  const __m512i both = _mm512_ternarylogic_epi32(second, third, all(0x80), 0x7E);
  const std::uint64_t followed = in_register(_mm512_testn_epi8_mask(both, all(0xC0)));
  const __m512i han_least =
      _mm512_permutexvar_epi8(bytes, _mm512_load_si512(kThreeByteTables.han_least.data()));
  std::uint64_t ideographs = firsts & in_register(_mm512_cmpge_epu8_mask(second, han_least));
  const __m512i wanted = _mm512_permutexvar_epi8(bytes, _mm512_load_si512(kThreeByteTables.second.data()));
  const __m512i among = _mm512_permutexvar_epi8(bytes, _mm512_load_si512(kThreeByteTables.among.data()));
  const __m512i separates = _mm512_permutexvar_epi8(third, _mm512_load_si512(groups.separators.data()));
  const __m512i differs =
      _mm512_or_si512(_mm512_xor_si512(second, wanted), _mm512_andnot_si512(separates, among));
  const std::uint64_t marks = firsts & in_register(_mm512_testn_epi8_mask(differs, differs));
  const std::uint64_t broken = (firsts & ~followed) | (continuations & ~following);
  const std::uint64_t others = firsts & ~(ideographs | marks);
  if ((broken | others) != 0) {
    if (broken != 0 || kana_of(others, bytes, second, third, groups) != others) return false;
    ideographs |= others;
  }

  // Letters and digits of ASCII are what this bit makes of them, all other ASCII separates: a table for that
  // takes longer than all else that is written.
  const __m512i lower = _mm512_or_si512(bytes, all(0x20));
  const __m512i letter = _mm512_sub_epi8(lower, all('a'));
  const __m512i digit = _mm512_adds_epu8(_mm512_sub_epi8(bytes, all('0')), all(26 - 10));
  const std::uint64_t words = in_register(_mm512_cmplt_epu8_mask(_mm512_min_epu8(letter, digit), all(26)));
  const std::uint64_t characters = spread(ideographs, 7, next.stays) + begun.stays;
  const std::uint64_t separators =
      in_register((kWhole ? ~std::uint64_t{0} : below(size)) & ~(words | characters));
  const FoldMasks masks{words, 0, characters, separators, popcount(ideographs)};
  const FoldedSpaces spaces = fold_dense(masks, size - 1, cursor.last, state);
  __m512i written = _mm512_mask_mov_epi8(lower, is_high, bytes);
  written = _mm512_mask_mov_epi8(written, separators, all(' '));
  cursor.out = write(cursor.out, written, spaces);
  cursor.at += size;
  begun = next;
  return true;
}

// What the characters of a block become, group by group. Masks have a bit per lane, for a character that of
// its first byte.
struct Actions {
  __m512i action;  // in the lanes where characters start
  __m512i bytes;   // those to write in place of what was read
  __m512i order;   // the canonical combining class of kept marks
  std::uint64_t ordered = 0;
  std::uint64_t three;  // characters of three bytes

  void apply(const FoldGroup& group, std::uint64_t characters, __m512i places) {
    constexpr std::uint8_t kNone = 0x70;  // set in kByDefinition alone
    const __m512i found = look_up(group.action, places);
    action = _mm512_mask_mov_epi8(action, characters, found);
    if (group.rewrites) {
      const std::uint64_t rewritten = _mm512_mask_cmpeq_epi8_mask(
          characters, _mm512_and_si512(found, all(kStays | kNone | kRewritten)), all(kStays | kRewritten));
      bytes = _mm512_mask_mov_epi8(bytes, rewritten, look_up(group.bytes[0], places));
      bytes = _mm512_mask_mov_epi8(bytes, rewritten << 1, shifted(look_up(group.bytes[1], places), -1));
      if ((rewritten & three) != 0) {
        bytes = _mm512_mask_mov_epi8(bytes, (rewritten & three) << 2,
                                     shifted(look_up(group.bytes[2], places), -2));
      }
    }
    if (group.orders) {
      const std::uint64_t marks = _mm512_mask_cmpeq_epi8_mask(
          characters, _mm512_and_si512(found, all(kStays | kNone | kOrdered)), all(kStays | kOrdered));
      order = _mm512_mask_mov_epi8(order, marks, look_up(group.bytes[0], places));
      ordered |= marks;
    }
  }
};

// Any block, up to the first character that is not for a kernel. Returns whether there is none.
inline bool fold_any(const Block& block, const FoldGroups& groups, Cursor& cursor, FoldState& state) {
  const __m512i bytes = block.bytes;
  const __m512i second = shifted(bytes, 1);
  const __m512i third = shifted(bytes, 2);
  const FirstBytes first{in_register(_mm512_cmpge_epu8_mask(bytes, all(0xC2))),
                         in_register(_mm512_cmpge_epu8_mask(bytes, all(0xE0))),
                         in_register(_mm512_cmpge_epu8_mask(bytes, all(0xF0)))};
  std::size_t size = whole_characters(cursor.at, block.size);
  const Shape shape =
      shape_of(size, block.high, first, block.high & in_register(_mm512_cmplt_epu8_mask(bytes, all(0xC0))));
  const std::uint64_t starts = shape.starts;
  const std::uint64_t three = shape.three;
  const __mmask64 overlong =
      _mm512_mask_cmplt_epu8_mask(_mm512_mask_cmpeq_epi8_mask(three, bytes, all(0xE0)), second, all(0xA0));
  std::uint64_t stop = shape.broken | overlong;

  Actions actions{block.ascii_actions, bytes, _mm512_setzero_si512(), 0, three};
  if (three != 0) {
    const __mmask64 han =
        _mm512_mask_cmple_epu8_mask(three, _mm512_sub_epi8(bytes, all(0xE5)), all(4));  // U+5000 to U+9FFF
    const __mmask64 hangul =                                                            // U+AC00 to U+D77F
        _mm512_mask_cmple_epu8_mask(three, _mm512_sub_epi8(bytes, all(0xEB)), all(1)) |
        _mm512_mask_cmpge_epu8_mask(_mm512_mask_cmpeq_epi8_mask(three, bytes, all(0xEA)), second, all(0xB0)) |
        _mm512_mask_cmplt_epu8_mask(_mm512_mask_cmpeq_epi8_mask(three, bytes, all(0xED)), second, all(0x9E));
    actions.action = _mm512_mask_mov_epi8(actions.action, han, all(kStays | kStaysCharacter));
    actions.action = _mm512_mask_mov_epi8(actions.action, hangul, all(kStays | kStaysHangul));
    const __m512i pair = _mm512_or_si512(second, all(1));
    const __m512i places = places_in_group(second, third);
    for (std::uint64_t rest = three & ~(han | hangul); rest != 0;) {
      const auto* const c = reinterpret_cast<const unsigned char*>(cursor.at) + _tzcnt_u64(rest);
      const std::uint64_t same = _mm512_mask_cmpeq_epi8_mask(
          _mm512_mask_cmpeq_epi8_mask(rest, bytes, all(c[0])), pair, all(c[1] | 1U));
      actions.apply(groups[(c[0] & 0xFU) << 5 | (c[1] & 0x3FU) >> 1], same, places);
      rest &= ~same;
    }
  }
  if (shape.two != 0) {
    const __m512i pair = _mm512_or_si512(bytes, all(1));
    const __m512i places = places_in_group(bytes, second);
    for (std::uint64_t rest = shape.two; rest != 0;) {
      const auto c = static_cast<unsigned char>(cursor.at[_tzcnt_u64(rest)]);
      const std::uint64_t same = rest & in_register(_mm512_cmpeq_epi8_mask(pair, all(c | 1U)));
      actions.apply(groups[(c & 0x1FU) >> 1], same, places);
      rest &= ~same;
    }
  }
  if (shape.four != 0) {  // U+1F300 to U+1FAFF: pictures
    const std::uint64_t pictures =
        _mm512_mask_cmpeq_epi8_mask(shape.four, bytes, all(0xF0)) &
        _mm512_cmpeq_epi8_mask(second, all(0x9F)) &
        _mm512_cmple_epu8_mask(_mm512_sub_epi8(third, all(0x8C)), all(0xAB - 0x8C));
    actions.action = _mm512_mask_mov_epi8(actions.action, pictures, all(kSeparates));
    stop |= shape.four & ~pictures;
  }

  const __m512i action = actions.action;
  stop |= starts & in_register(_mm512_cmpeq_epi8_mask(action, all(kByDefinition)));
  std::uint64_t one = starts & in_register(_mm512_cmpgt_epi8_mask(action, all(kSeparates)));
  std::uint64_t separators = starts & in_register(_mm512_cmpeq_epi8_mask(action, all(kSeparates)));
  std::uint64_t several = starts & in_register(_mm512_movepi8_mask(action));
  const __m512i written = _mm512_mask_mov_epi8(actions.bytes, one | separators, action);
  const std::uint64_t not_empty = in_register(_mm512_test_epi8_mask(written, written));
  const auto bytes_of = [&](std::uint64_t characters) {
    return (characters | characters << 1 | (characters & three) << 2) & not_empty;
  };

  if (actions.ordered != 0) {
    // Marks stay as they are if each stands directly after a character that stays, and is in order.
    stop |= actions.ordered & (~((one | bytes_of(several)) << 1) |
                               _mm512_cmplt_epu8_mask(actions.order, shifted(actions.order, -3)));
  }
  if (stop != 0) [[unlikely]]
    size = _tzcnt_u64(stop);
  if (actions.ordered != 0) {
    // The definition wants to see all of a run of marks, so none is the last that this block writes.
    const std::uint64_t marks = actions.ordered & below(size);
    const std::uint64_t others = (one | several) & ~actions.ordered & below(size);
    if (marks > others) size = others == 0 ? 0 : 63 - _lzcnt_u64(others);
  }

  one &= below(size);
  separators &= below(size);
  several &= below(size);
  const std::uint64_t characters = several & in_register(_mm512_test_epi8_mask(action, all(kStaysCharacter)));
  const std::uint64_t hangul = several & in_register(_mm512_test_epi8_mask(action, all(kStaysHangul)));
  cursor.at += size;
  if ((one | several | separators) != 0) {
    const FoldMasks masks{one | bytes_of(several & ~(characters | hangul)), bytes_of(hangul),
                          bytes_of(characters), separators, popcount(characters | hangul)};
    cursor.out = write(cursor.out, written, fold_spaces(masks, cursor.last, state));
  }
  return stop == 0 && size != 0;
}

}  // namespace

std::size_t fold_avx512(std::string_view text, const FoldGroups& groups, FoldState& of_caller) {
  FoldState state = of_caller;  // in registers, where no store of text can change it
  Cursor cursor{text.data(), text.data() + text.size(), state.out, LastMasks(state.last)};
  while (cursor.at != cursor.end && cursor.out <= state.limit) {
    ask_ahead(cursor.at);
    Block block = read_block(cursor, groups);
    if (cursor.last.character == 0) {
      if (block.high == 0 && block.size == kFoldBlock) {
        fold_ascii(groups, cursor, state);
        if (cursor.at == cursor.end || cursor.out > state.limit) break;
        block = read_block(cursor, groups);
      }
      if (fold_separated(block, groups, cursor, state)) continue;
    }
    const auto fold_block = [&](auto whole, Begun& begun) {
      return fold_ideograph_block<decltype(whole)::value>(groups, cursor, state, begun);
    };
    if (may_be_ideographs(block.high, cursor.at) && fold_ideographs(cursor, state, fold_block)) continue;
    if (!fold_any(block, groups, cursor, state)) break;
  }
  state.out = cursor.out;
  state.last = cursor.last.last();
  of_caller = state;
  return static_cast<std::size_t>(cursor.at - text.data());
}

}  // namespace neardup::internal
NEARDUP_END_TARGET
#endif
