// The folder in AVX2: 64 bytes at a time, in two halves.
//
// ASCII, ideographs, kana, Hangul syllables and what separates ideographs are told apart by comparison and
// look-ups of 16, all of a block at once. Any other character is looked up alone (fold_groups.h), which costs
// a few instructions and no branch that most texts do not take each time. Masks then say where spaces go
// (fold_masks.inc), and what stays is moved together eight bytes at a time.
#include "core/text/fold_kernel.h"

#if NEARDUP_X86
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

NEARDUP_BEGIN_AVX2
namespace neardup::internal {
#include "core/text/fold_masks.inc"
namespace {

// Entry m lists the bits of m, upwards: it moves the bytes that m wants to the front.
using Compressions = std::array<std::array<std::uint8_t, 8>, 256>;
alignas(64) constexpr Compressions kCompressions = [] {
  Compressions table{};
  for (unsigned mask = 0; mask < 256; ++mask) {
    unsigned size = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      if ((mask >> bit & 1) != 0) table[mask][size++] = static_cast<std::uint8_t>(bit);
    }
  }
  return table;
}();

struct Bytes {
  __m256i low, high;
};

inline __m256i all(unsigned byte) { return _mm256_set1_epi8(static_cast<char>(byte)); }

inline Bytes load(const char* from) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32))};
}

inline void store(char* to, Bytes bytes) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes.low);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32), bytes.high);
}

// The top bit of each byte.
inline std::uint64_t mask_of(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32;
}

inline std::uint64_t equal(Bytes bytes, unsigned byte) {
  return mask_of(_mm256_cmpeq_epi8(bytes.low, all(byte)), _mm256_cmpeq_epi8(bytes.high, all(byte)));
}

// min <= byte <= max.
inline __m256i within(__m256i bytes, unsigned min, unsigned max) {
  const __m256i offset = _mm256_sub_epi8(bytes, all(min));
  return _mm256_cmpeq_epi8(_mm256_min_epu8(offset, all(max - min)), offset);
}
inline std::uint64_t within(Bytes bytes, unsigned min, unsigned max) {
  return mask_of(within(bytes.low, min, max), within(bytes.high, min, max));
}
inline std::uint64_t at_least(Bytes bytes, unsigned min) { return within(bytes, min, 0xFF); }

// Letters of ASCII and digits.
inline __m256i ascii_words(__m256i bytes) {
  const __m256i lower = _mm256_or_si256(bytes, all(0x20));
  return _mm256_or_si256(within(lower, 'a', 'z'), within(bytes, '0', '9'));
}

// Those of `words` in lower case, and a space for all else.
inline __m256i or_spaces(__m256i bytes, __m256i words) {
  return _mm256_or_si256(_mm256_and_si256(bytes, words), all(' '));
}

struct FoldedAscii {
  Bytes bytes;
  std::uint64_t words;
};
inline FoldedAscii folded_ascii(Bytes bytes) {
  const Bytes words{ascii_words(bytes.low), ascii_words(bytes.high)};
  return {{or_spaces(bytes.low, words.low), or_spaces(bytes.high, words.high)},
          mask_of(words.low, words.high)};
}

// Moves the bytes of `keep` together. Writes kFoldBlock bytes. Inlined everywhere, though the compiler would
// call it: that takes a tenth of a block's time.
[[gnu::always_inline]] inline char* compress(char* out, Bytes bytes, std::uint64_t keep) {
  const __m128i quarters[4] = {_mm256_castsi256_si128(bytes.low), _mm256_extracti128_si256(bytes.low, 1),
                               _mm256_castsi256_si128(bytes.high), _mm256_extracti128_si256(bytes.high, 1)};
  for (int i = 0; i < 4; ++i) {
    const auto first = static_cast<std::uint8_t>(keep >> 16 * i);
    const auto second = static_cast<std::uint8_t>(keep >> (16 * i + 8));
    const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kCompressions[first].data()));
    const __m128i high = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kCompressions[second].data()));
    const __m128i moved =
        _mm_shuffle_epi8(quarters[i], _mm_unpacklo_epi64(low, _mm_add_epi8(high, _mm_set1_epi8(8))));
    _mm_storeu_si64(out, moved);
    out += popcount(first);
    _mm_storeu_si64(out, _mm_unpackhi_epi64(moved, moved));
    out += popcount(second);
  }
  return out;
}

// Writes the bytes in `keep`, a space before those in `insert`.
[[gnu::always_inline]] inline char* write(char* out, Bytes bytes, FoldedSpaces spaces) {
  if (spaces.insert == 0) [[likely]]
    return compress(out, bytes, spaces.keep);
  char together[2 * kFoldBlock];
  const char* const end = compress(together, bytes, spaces.keep);
  const char* from = together;
  for (std::uint64_t places = _pext_u64(spaces.insert, spaces.keep); places != 0; places &= places - 1) {
    const char* const to = together + _tzcnt_u64(places);
    store(out, load(from));
    out += to - from;
    *out++ = ' ';
    from = to;
  }
  store(out, load(from));
  return out + (end - from);
}

// A block, or what is left of the text, as it was read.
struct Block {
  Bytes bytes;
  std::size_t size;
  std::uint64_t high;  // bytes that are not ASCII
};

// What is left of a text, less than a block, with zeros behind it.
inline Bytes load_rest(const char* from, std::size_t size) {
  alignas(32) char block[kFoldBlock] = {};
  if (size >= 32) {
    const __m256i last = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + size - 32));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(block + size - 32), last);
    _mm256_store_si256(reinterpret_cast<__m256i*>(block),
                       _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  } else {
    for (std::size_t i = 0; i < size; ++i) block[i] = from[i];
  }
  return load(block);
}

inline Block read_block(const Cursor& cursor) {
  Block block;
  block.size = std::min<std::size_t>(kFoldBlock, static_cast<std::size_t>(cursor.end - cursor.at));
  block.bytes = block.size == kFoldBlock ? load(cursor.at) : load_rest(cursor.at, block.size);
  block.high = mask_of(block.bytes.low, block.bytes.high);
  return block;
}

// A block of ASCII, and the whole ones behind it that are ASCII too. REQUIRES: no token character comes
// before.
inline void fold_ascii(Block block, Cursor& of_caller, FoldState& state) {
  Cursor cursor = of_caller;  // in registers
  std::uint32_t tokens = 0;
  while (true) {
    const auto [folded, words] = folded_ascii(block.bytes);
    const std::uint64_t behind = words << 1;
    const std::uint64_t keep = (words | behind | cursor.last.in_word) & below(block.size);
    cursor.out = compress(cursor.out, folded, keep);
    cursor.at += block.size;
    tokens += popcount(words & ~(behind | cursor.last.word));
    cursor.last.word = cursor.last.in_word = words >> (block.size - 1) & 1;
    if (cursor.end - cursor.at < static_cast<std::ptrdiff_t>(kFoldBlock) || cursor.out > state.limit) break;
    ask_ahead(cursor.at);
    block = read_block(cursor);
    if (block.high != 0) break;
  }
  state.tokens += tokens;
  state.open = false;
  of_caller = cursor;
}

// U+3041 to U+3096, U+30A1 to U+30FA, U+30FC, by the bytes behind E3. `second` and `third` say of a range
// whether the byte is in it.
template <typename Second, typename Third>
inline auto kana_behind_e3(Second second, Third third) {
  return (second(0x81, 0x81) & third(0x81, 0xBF)) |
         (second(0x82, 0x82) & (third(0x80, 0x96) | third(0xA1, 0xBF))) |
         (second(0x83, 0x83) & (third(0x80, 0xBA) | third(0xBC, 0xBC)));
}

// A row of 16 for look-ups by four bits, in either half.
using Row = std::array<std::uint8_t, 16>;
inline __m256i row(const Row& from) {
  return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(from.data())));
}

// By the low four bits of a first byte E0 to EF, or of a place: where the bits of a mark begin in
// FoldGroups::separators_2000_3000 and, from 8 on, in separators_ff00.
struct ThreeByteRows {
  alignas(16) Row han_least = han_second_least<16>();
  alignas(16) Row second{};  // of a mark; 0 for none
  alignas(16) Row place{};
  alignas(16) Row one_of_8{}, one_of_next_8{};  // 1 << i
};
constexpr ThreeByteRows kThreeByteRows = [] {
  ThreeByteRows rows;
  rows.place.fill(12);  // none
  std::uint8_t place = 0;
  for (const MarkBlock& each : kMarkBlocks) {
    rows.second[each.first % 16] = each.second;
    rows.place[each.first % 16] = place;
    place += 4;
  }
  for (unsigned i = 0; i < 8; ++i) rows.one_of_8[i] = static_cast<std::uint8_t>(1U << i);
  for (unsigned i = 0; i < 4; ++i) rows.one_of_next_8[8 + i] = static_cast<std::uint8_t>(1U << i);
  return rows;
}();

// Half a block of what may be characters of three bytes, with the bytes behind each byte.
struct Half {
  __m256i bytes, second, third;

  __m256i first_of_three() const { return _mm256_cmpeq_epi8(_mm256_and_si256(bytes, all(0xF0)), all(0xE0)); }
  __m256i continuations() const { return _mm256_cmpgt_epi8(all(0xC0), bytes); }  // by the sign: 80 to BF

  // Those before two continuations, by the top bit.
  __m256i followed() const {
    const __m256i either = _mm256_or_si256(second, third);
    return _mm256_andnot_si256(_mm256_slli_epi16(either, 1), _mm256_and_si256(second, third));
  }

  // The following are right for the first of three.
  __m256i ideographs() const {
    const __m256i least = _mm256_shuffle_epi8(row(kThreeByteRows.han_least), low_four(bytes));
    return _mm256_cmpeq_epi8(_mm256_max_epu8(second, least), second);
  }
  __m256i kana() const {
    return _mm256_cmpeq_epi8(bytes, all(0xE3)) &
           kana_behind_e3([this](unsigned min, unsigned max) { return within(second, min, max); },
                          [this](unsigned min, unsigned max) { return within(third, min, max); });
  }
  __m256i marks(const FoldGroups& groups) const {
    const __m256i first = low_four(bytes);
    const __m256i by_low = low_four(third);
    const __m256i place = _mm256_add_epi8(_mm256_shuffle_epi8(row(kThreeByteRows.place), first),
                                          _mm256_and_si256(_mm256_srli_epi16(third, 4), all(3)));
    const auto separates = [&](const Row& separators, const Row& one) {
      return _mm256_and_si256(_mm256_shuffle_epi8(row(separators), by_low),
                              _mm256_shuffle_epi8(row(one), place));
    };
    const __m256i any = _mm256_or_si256(separates(groups.separators_2000_3000, kThreeByteRows.one_of_8),
                                        separates(groups.separators_ff00, kThreeByteRows.one_of_next_8));
    const __m256i wanted = _mm256_shuffle_epi8(row(kThreeByteRows.second), first);
    return _mm256_andnot_si256(_mm256_cmpeq_epi8(any, _mm256_setzero_si256()),
                               _mm256_cmpeq_epi8(second, wanted));
  }

  static __m256i low_four(__m256i bytes) { return _mm256_and_si256(bytes, all(15)); }
};

// The next 64 bytes if they are ideographs, kana, separators of three bytes and ASCII, or what is left of the
// text if it is less. Returns false, and has done nothing, if there is anything else, or ASCII alone where
// fold_ascii() can take it. `kWhole`: two bytes more follow at least.
template <bool kWhole>
inline bool fold_ideograph_block(const FoldGroups& groups, Cursor& cursor, FoldState& state, Begun& begun) {
  const char* at = cursor.at;
  const auto left = static_cast<std::size_t>(cursor.end - at);
  const std::size_t size = kWhole || left > kFoldBlock ? kFoldBlock : left;
  char rest[kFoldBlock + 32];
  if constexpr (!kWhole) {
    std::memset(rest, 0, sizeof rest);
    std::memcpy(rest, at, left);
    at = rest;
  }
  const Bytes bytes = load(at);
  const std::uint64_t high = mask_of(bytes.low, bytes.high);
  if ((high | cursor.last.character) == 0 && size == kFoldBlock) return false;

  const Bytes second = load(at + 1);
  const Bytes third = load(at + 2);
  const Half low{bytes.low, second.low, third.low};
  const Half top{bytes.high, second.high, third.high};
  const std::uint64_t firsts = mask_of(low.first_of_three(), top.first_of_three());
  const std::uint64_t continuations = mask_of(low.continuations(), top.continuations());
  const std::uint64_t followed = mask_of(low.followed(), top.followed());
  Begun next;
  const std::uint64_t following = spread(firsts, 6, next.bytes) + begun.bytes;
  std::uint64_t ideographs = firsts & mask_of(low.ideographs(), top.ideographs());
  const std::uint64_t marks = firsts & mask_of(low.marks(groups), top.marks(groups));
  const std::uint64_t broken =
      (firsts & ~followed) | (continuations & ~following) | (high & ~(firsts | continuations));
  const std::uint64_t others = firsts & ~(ideographs | marks);
  if ((broken | others) != 0) {
    if (broken != 0 || (others & ~mask_of(low.kana(), top.kana())) != 0) return false;
    ideographs |= others;
  }

  const auto [folded, words] = folded_ascii(bytes);
  const std::uint64_t inside = kWhole ? ~std::uint64_t{0} : below(size);
  const std::uint64_t characters = spread(ideographs, 7, next.stays) + begun.stays;
  const FoldMasks masks{words, 0, characters, inside & ~(words | characters), popcount(ideographs)};
  const FoldedSpaces spaces = fold_dense(masks, size - 1, cursor.last, state);
  Bytes written{_mm256_blendv_epi8(folded.low, bytes.low, bytes.low),
                _mm256_blendv_epi8(folded.high, bytes.high, bytes.high)};
  if (const std::uint64_t wide = spaces.keep & masks.separators & high; wide != 0) {
    alignas(32) char spaced[kFoldBlock];
    store(spaced, written);
    for (std::uint64_t each = wide; each != 0; each &= each - 1) spaced[_tzcnt_u64(each)] = ' ';
    written = load(spaced);
  }
  cursor.out = write(cursor.out, written, spaces);
  cursor.at += size;
  begun = next;
  return true;
}

// What the characters of a block become. A character's bit is that of its first byte.
struct Actions {
  std::uint64_t one;  // written as one byte
  std::uint64_t separators;
  std::uint64_t several = 0;     // written as several; of these
  std::uint64_t characters = 0;  // token characters
  std::uint64_t hangul = 0;
  std::uint64_t ordered = 0;  // kept marks that have an order
  std::uint64_t empty = 0;    // bytes that go because what is written is shorter
  std::uint64_t three;        // characters read from three bytes
  unsigned order = 0;         // of the last mark
  char* bytes;                // to write, kFoldBlock of them

  std::uint64_t bytes_of(std::uint64_t each) const {
    return (each | each << 1 | (each & three) << 2) & ~empty;
  }

  // Takes all that stay what they are and show it in their first two or three bytes.
  void apply_plain(Bytes read, const Shape& shape, const FoldGroups& groups) {
    const auto second = [&](unsigned min, unsigned max) { return within(read, min, max) >> 1; };
    const auto third = [&](unsigned min, unsigned max) { return within(read, min, max) >> 2; };
    if (three != 0) {
      if (groups.ideographs_stay) {  // U+4E00 to U+9FFF
        characters = three & (within(read, 0xE5, 0xE9) | (equal(read, 0xE4) & second(0xB8, 0xBF)));
      }
      // U+AC00 to U+CFFF
      hangul = three & (within(read, 0xEB, 0xEC) | (equal(read, 0xEA) & second(0xB0, 0xBF)));
      const std::uint64_t kana = three & equal(read, 0xE3) & second(0x81, 0x83);
      if (kana != 0) characters |= kana & kana_behind_e3(second, third);
      several = characters | hangul;
    }
    const std::uint64_t cyrillic = shape.two == 0 ? 0 : shape.two & within(read, 0xD0, 0xD1);
    if (cyrillic != 0) {  // U+0430 to U+044F, without U+0439
      several |= cyrillic & ((equal(read, 0xD0) & second(0xB0, 0xBF) & ~second(0xB9, 0xB9)) |
                             (equal(read, 0xD1) & second(0x80, 0x8F)));
    }
  }

  // Takes the character at `place`, which its group does `in_group`. Returns false if it is not for a kernel.
  bool apply(const FoldGroup& group, std::size_t in_group, std::size_t place) {
    const std::uint64_t bit = std::uint64_t{1} << place;
    const std::uint8_t action = group.action[in_group];
    if (action < kStays) {
      bytes[place] = static_cast<char>(action);
      one |= action > kSeparates ? bit : 0;
      separators |= action == kSeparates ? bit : 0;
      return true;
    }
    if (action == kByDefinition) return false;
    if ((action & kRewritten) != 0) {
      for (std::size_t i = 0; i < ((three & bit) != 0 ? 3 : 2); ++i) {
        bytes[place + i] = static_cast<char>(group.bytes[i][in_group]);
        empty |= group.bytes[i][in_group] == 0 ? bit << i : 0;
      }
    } else if ((action & kOrdered) != 0) {
      // It stays as it is if it stands directly after a character that stays, and is in order.
      const unsigned last_order = (ordered << 3 & bit) != 0 ? order : 0;
      order = group.bytes[0][in_group];
      if (order < last_order || ((one | bytes_of(several)) << 1 & bit) == 0) return false;
      ordered |= bit;
    }
    several |= bit;
    characters |= (action & kStaysCharacter) != 0 ? bit : 0;
    hangul |= (action & kStaysHangul) != 0 ? bit : 0;
    return true;
  }
};

// Takes the characters `rest`, one by one. Returns the place of the first that is not for a kernel, 64 if all
// are.
inline std::size_t apply_each(std::uint64_t rest, const char* at, const Shape& shape,
                              const FoldGroups& groups, Actions& actions) {
  for (; rest != 0; rest &= rest - 1) {
    const std::size_t place = _tzcnt_u64(rest);
    const auto* const c = reinterpret_cast<const unsigned char*>(at) + place;
    if ((shape.two >> place & 1) != 0) {
      if (!actions.apply(groups[(c[0] & 0x1FU) >> 1], (c[0] & 1U) << 6 | (c[1] & 0x3FU), place)) return place;
    } else if ((shape.three >> place & 1) != 0) {
      if (c[0] == 0xE0 && c[1] < 0xA0) return place;  // overlong
      const FoldGroup& group = groups[(c[0] & 0xFU) << 5 | (c[1] & 0x3FU) >> 1];
      if (!actions.apply(group, (c[1] & 1U) << 6 | (c[2] & 0x3FU), place)) return place;
    } else {  // U+1F300 to U+1FAFF: pictures
      const bool picture = c[0] == 0xF0 && c[1] == 0x9F && c[2] >= 0x8C && c[2] <= 0xAB;
      if (!picture) return place;
      actions.bytes[place] = ' ';
      actions.separators |= std::uint64_t{1} << place;
    }
  }
  return kFoldBlock;
}

// Any block, up to the first character that is not for a kernel. Returns whether there is none.
inline bool fold_any(const Block& block, const FoldGroups& groups, Cursor& cursor, FoldState& state) {
  const Bytes bytes = block.bytes;
  const auto [folded, words] = folded_ascii(bytes);
  const FirstBytes first{at_least(bytes, 0xC2), at_least(bytes, 0xE0), at_least(bytes, 0xF0)};
  std::size_t size = whole_characters(cursor.at, block.size);
  const Shape shape = shape_of(size, block.high, first, block.high & ~at_least(bytes, 0xC0));
  const std::uint64_t broken_at = _tzcnt_u64(shape.broken);

  alignas(32) char written[kFoldBlock];
  Actions actions;
  actions.bytes = written;
  actions.three = shape.three;
  actions.one = shape.starts & words;
  actions.separators = shape.starts & ~block.high & ~actions.one;
  store(written, {_mm256_blendv_epi8(folded.low, bytes.low, bytes.low),
                  _mm256_blendv_epi8(folded.high, bytes.high, bytes.high)});
  actions.apply_plain(bytes, shape, groups);
  const std::uint64_t rest = (shape.two | shape.three | shape.four) & ~actions.several & below(broken_at);
  const std::size_t stop = std::min(broken_at, apply_each(rest, cursor.at, shape, groups, actions));

  if (stop < size) [[unlikely]]
    size = stop;
  if (actions.ordered != 0) {
    // The definition wants to see all of a run of marks, so none is the last that this block writes.
    const std::uint64_t marks = actions.ordered & below(size);
    const std::uint64_t others = (actions.one | actions.several) & ~actions.ordered & below(size);
    if (marks > others) size = others == 0 ? 0 : 63 - _lzcnt_u64(others);
  }
  const std::uint64_t one = actions.one & below(size);
  const std::uint64_t separators = actions.separators & below(size);
  const std::uint64_t several = actions.several & below(size);
  const std::uint64_t characters = actions.characters & below(size);
  const std::uint64_t hangul = actions.hangul & below(size);
  cursor.at += size;
  if ((one | several | separators) != 0) {
    const FoldMasks masks{one | actions.bytes_of(several & ~(characters | hangul)), actions.bytes_of(hangul),
                          actions.bytes_of(characters), separators, popcount(characters | hangul)};
    cursor.out = write(cursor.out, load(written), fold_spaces(masks, cursor.last, state));
  }
  return stop == kFoldBlock && size != 0;
}

}  // namespace

std::size_t fold_avx2(std::string_view text, const FoldGroups& groups, FoldState& of_caller) {
  FoldState state = of_caller;  // in registers, where no store of text can change it
  Cursor cursor{text.data(), text.data() + text.size(), state.out, LastMasks(state.last)};
  const auto fold_block = [&](auto whole, Begun& begun) {
    return fold_ideograph_block<decltype(whole)::value>(groups, cursor, state, begun);
  };
  while (cursor.at != cursor.end && cursor.out <= state.limit) {
    ask_ahead(cursor.at);
    const Block block = read_block(cursor);
    if (block.high == 0 && cursor.last.character == 0) {
      fold_ascii(block, cursor, state);
      continue;
    }
    if (groups.ideographs_stay && may_be_ideographs(block.high, cursor.at) &&
        fold_ideographs(cursor, state, fold_block)) {
      continue;
    }
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
