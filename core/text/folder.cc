#include "core/text/folder.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/base/check.h"
#include "core/base/prefetch_line.h"
#include "core/text/fold_kernel.h"
#include "core/text/fold_table.h"
#include "core/text/simplified.h"
#include "core/text/utf8.h"

namespace neardup {
namespace {

using internal::FoldAction;
using internal::FoldEntry;
using internal::FoldKernel;
using internal::FoldState;
using internal::kFoldBlock;

// The fold table for ASCII: lower-case letters and digits, ' ' for a separator; 0 for a byte that is not
// ASCII.
constexpr std::array<char, 256> kAscii = [] {
  std::array<char, 256> table{};
  for (int c = 0; c < 0x80; ++c) table[c] = ' ';
  for (int c = '0'; c <= '9'; ++c) table[c] = static_cast<char>(c);
  for (int c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = static_cast<char>(c);
  return table;
}();

// Hangul composes by arithmetic (the Unicode Standard, 3.12): syllable = base + (L * 21 + V) * 28 + T.
constexpr char32_t kSyllableBase = 0xAC00, kLBase = 0x1100, kVBase = 0x1161, kTBase = 0x11A7;
constexpr char32_t kSyllables = 11172, kLCount = 19, kVCount = 21, kTCount = 28;

// Two jamo, or a syllable and a final jamo, as one syllable; 0 if they do not compose.
char32_t compose_hangul(char32_t first, char32_t second) {
  if (first - kLBase < kLCount && second - kVBase < kVCount) {
    return kSyllableBase + ((first - kLBase) * kVCount + (second - kVBase)) * kTCount;
  }
  const char32_t syllable = first - kSyllableBase;
  if (syllable < kSyllables && syllable % kTCount == 0 && second > kTBase && second < kTBase + kTCount) {
    return first + (second - kTBase);
  }
  return 0;
}

// A kana with its voicing mark; 0 if they do not compose.
char32_t compose_kana(char32_t kana, char32_t mark) {
  const internal::KanaPair* const end = internal::kKanaPairs + internal::kKanaPairCount;
  const internal::KanaPair* const pair =
      std::lower_bound(internal::kKanaPairs, end, kana,
                       [](const internal::KanaPair& each, char32_t wanted) { return each.kana < wanted; });
  if (pair == end || pair->kana != kana) return 0;
  return mark == 0x3099 ? pair->voiced : pair->semivoiced;
}

// Writes one document's canonical text. Nothing ever waits to be written: the space after a word is written
// as soon as the word ends (and taken back at the end of the document), a separator after a token character
// leaves no trace, and what composes with a character already written changes it in place. So a vector kernel
// can take over between any two characters, and FoldState is all it needs.
class Writer {
 public:
  Writer(CanonicalText& out, FoldKernel kernel, FoldOptions options)
      : out_(out), kernel_(kernel), options_(options) {}

  void write(std::string_view bytes) {
    for (std::size_t i = 0; i < std::min(bytes.size(), internal::kFoldAhead); i += kFoldBlock) {
      prefetch_line(bytes.data() + i);
    }
    state_.out = out_.text.reserve(bytes.size() + kRoom);  // enough for most; make_room() sees to the rest
    for (std::size_t at = 0; at < bytes.size();) {
      std::size_t end = bytes.size();
      if (kernel_ != nullptr) {
        make_room(kRoom);
        state_.limit = out_.text.data() + out_.text.capacity() - internal::kFoldBlockRoom;
        const std::size_t folded = kernel_(bytes.substr(at), internal::fold_groups(options_), state_);
        at += folded;
        // The next character is not the kernel's. If it hardly moved there are more of them; so a hostile
        // text costs at most twice what the definition alone would.
        end = std::min(end, at + (folded < kFoldBlock / 4 ? kFoldBlock : 1));
      }
      while (at < end) at += write_some(bytes.substr(at), end - at);
    }
    if (state_.last == Last::kSpace && size() > 0) --state_.out;
    out_.text.finish(size());
    out_.tokens = state_.tokens;
    out_.characters = state_.characters;
  }

 private:
  using Last = FoldState::Last;
  static bool in_word(Last last) { return last == Last::kWord || last == Last::kHangul; }
  static constexpr std::size_t kRoom = std::max(internal::kFoldBytesMax, internal::kFoldBlockRoom);
  static constexpr std::size_t kMarksMax = 30;  // as in Unicode's Stream-Safe Text Format

  std::size_t size() { return static_cast<std::size_t>(state_.out - out_.text.data()); }

  void make_room(std::size_t bytes) {
    const std::size_t used = size();
    if (out_.text.capacity() - used < bytes) state_.out = out_.text.reserve(used + bytes, used) + used;
  }

  // Writes what `bytes` start with, one character, or ASCII up to `ascii_max` bytes of it; returns its
  // length.
  std::size_t write_some(std::string_view bytes, std::size_t ascii_max) {
    if (kAscii[static_cast<unsigned char>(bytes[0])] != 0) return write_ascii(bytes.substr(0, ascii_max));
    make_room(internal::kFoldBytesMax);
    const DecodedCodePoint decoded = decode_utf8(bytes);
    if (decoded.code_point == kNotUtf8) {
      ++out_.invalid_sequences;
      separate();
    } else {
      fold(decoded.code_point);
    }
    return decoded.size;
  }

  // Writes the ASCII that `bytes` start with and returns its length, at least 1. The loop has no branch that
  // hangs on where words end: it writes the byte or the space, and the step tells whether it stays.
  std::size_t write_ascii(std::string_view bytes) {
    state_.open = false;
    make_room(bytes.size() + 1);
    std::size_t at = 0;
    const auto next = [&] {
      return at < bytes.size() ? kAscii[static_cast<unsigned char>(bytes[at])] : '\0';
    };
    if (state_.last == Last::kCharacter) {  // only a word makes a space necessary
      while (next() == ' ') ++at;
      if (next() == 0) return at;
      *state_.out++ = ' ';
      state_.last = Last::kSpace;
    } else if (state_.last == Last::kHangul && next() == ' ') {
      *state_.out++ = ' ';
      state_.last = Last::kSpace;
      ++at;
    }
    char* out = state_.out;
    bool inside = state_.last == Last::kWord;
    std::uint32_t words = 0;
    for (; at < bytes.size(); ++at) {
      const char c = kAscii[static_cast<unsigned char>(bytes[at])];
      if (c == 0) break;
      const bool kept = c != ' ';
      *out = c;
      out += static_cast<int>(kept) | static_cast<int>(inside);
      words += static_cast<std::uint32_t>(kept) & static_cast<std::uint32_t>(!inside);
      inside = kept;
    }
    state_.out = out;
    state_.last = inside ? Last::kWord : Last::kSpace;
    state_.tokens += words;
    return at;
  }

  void fold(char32_t code_point) {
    const FoldEntry entry = internal::fold_entry(code_point);
    if (entry < internal::kFirstSequence) {
      apply(code_point, entry);
      return;
    }
    const char32_t* const sequence = internal::kFoldSequences + (entry - internal::kFirstSequence);
    for (std::size_t i = 1; i <= sequence[0]; ++i) apply(sequence[i], internal::fold_entry(sequence[i]));
  }

  void apply(char32_t code_point, FoldEntry entry) {
    switch (internal::fold_action(entry)) {
      case FoldAction::kSeparator:
        return separate();
      case FoldAction::kNothing:
        return;
      case FoldAction::kWord:
        return put(code_point, Last::kWord, internal::fold_order(entry));
      case FoldAction::kCharacter:
        if (options_.chinese == ChineseForm::kSimplified) code_point = internal::simplified(code_point);
        return put(code_point, Last::kCharacter, internal::fold_order(entry));
      case FoldAction::kHangul:
        if (state_.open && replace_last(compose_hangul(last_code_point(), code_point))) return;
        put(code_point, Last::kHangul, 0);
        state_.open = true;
        return;
      case FoldAction::kKana:
        put(code_point, Last::kCharacter, 0);
        state_.open = true;
        return;
      case FoldAction::kVoicing:
        if (state_.open) replace_last(compose_kana(last_code_point(), code_point));
        return;
    }
  }

  void separate() {
    state_.open = false;
    if (!in_word(state_.last)) return;
    *state_.out++ = ' ';
    state_.last = Last::kSpace;
  }

  void put(char32_t code_point, Last kind, unsigned order) {
    state_.open = false;
    if (kind != Last::kWord) {
      ++state_.tokens;
      ++state_.characters;
    } else if (state_.last != kind) {
      ++state_.tokens;
    }
    if (state_.last != Last::kSpace && in_word(state_.last) != in_word(kind)) *state_.out++ = ' ';
    state_.last = kind;
    char* const begin = state_.out;
    state_.out = encode_utf8(code_point, begin);
    if (order != 0) sort_mark(begin, order);
  }

  // Whatever composes is three bytes long, before and after.
  static constexpr std::ptrdiff_t kOpenBytes = 3;

  char32_t last_code_point() const { return decode_utf8({state_.out - kOpenBytes, kOpenBytes}).code_point; }

  // Puts `composed`, if it is one, in the place of the open character, which stays open.
  bool replace_last(char32_t composed) {
    if (composed == 0) return false;
    encode_utf8(composed, state_.out - kOpenBytes);
    return true;
  }

  // Moves the mark just written, at `begin`, before those marks of its run that have a higher order.
  void sort_mark(char* begin, unsigned order) {
    const std::size_t offset = size() - static_cast<std::size_t>(state_.out - begin);
    if (offset != marks_end_ || marks_ == kMarksMax) marks_ = 0;
    const auto bytes = static_cast<std::size_t>(state_.out - begin);
    std::size_t place = marks_;
    char* to = begin;
    for (; place > 0 && run_[place - 1].order > order; --place) {
      run_[place] = run_[place - 1];
      to -= run_[place].bytes;
    }
    run_[place] = {order, bytes};
    std::rotate(to, begin, state_.out);
    ++marks_;
    marks_end_ = size();
  }

  CanonicalText& out_;
  FoldKernel kernel_;
  FoldOptions options_;
  FoldState state_;

  struct Mark {
    unsigned order;
    std::size_t bytes;
  };
  std::array<Mark, kMarksMax> run_;  // the kept marks written last, if marks_end_ == size()
  std::size_t marks_ = 0;
  std::size_t marks_end_ = std::string_view::npos;
};

// Where ideographs change they are looked up one by one: AVX2's kernel does that anyway, AVX-512's by group.
FoldKernel kernel_of(Isa tier, FoldOptions options) {
#if NEARDUP_X86
  if (tier == Isa::kAvx512 && options.chinese == ChineseForm::kAsIs) return internal::fold_avx512;
  if (tier >= Isa::kAvx2) return internal::fold_avx2;
#endif
  static_cast<void>(tier);
  static_cast<void>(options);
  return nullptr;
}

}  // namespace

namespace internal {

void canonicalize_by(Isa tier, std::string_view bytes, CanonicalText& out, FoldOptions options) {
  CHECK(bytes.size() < std::size_t{1} << 28, "the caller bounds documents");
  out.invalid_sequences = 0;
  Writer(out, kernel_of(tier, options), options).write(bytes);
}

}  // namespace internal

void canonicalize(std::string_view bytes, CanonicalText& out, FoldOptions options) {
  static const Isa tier = isa();
  internal::canonicalize_by(tier, bytes, out, options);
}

}  // namespace neardup
