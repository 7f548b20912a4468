#include "core/text/folder.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/base/check.h"
#include "core/text/fold_table.h"
#include "core/text/utf8.h"

namespace neardup {
namespace {

using internal::FoldAction;
using internal::FoldEntry;

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
// leaves no trace, and what composes with a character already written changes it in place.
class Writer {
 public:
  explicit Writer(CanonicalText& out) : out_(out), text_(out.text) {}

  void write(std::string_view bytes) {
    data_ = text_.reserve(bytes.size() +
                          internal::kFoldBytesMax);  // enough for most; make_room() sees to the rest
    for (std::size_t at = 0; at < bytes.size();) {
      if (kAscii[static_cast<unsigned char>(bytes[at])] != 0) {
        at += write_ascii(bytes.substr(at));
        continue;
      }
      const DecodedCodePoint decoded = decode_utf8(bytes.substr(at));
      at += decoded.size;
      make_room(internal::kFoldBytesMax);
      if (decoded.code_point == kInvalid) {
        ++out_.invalid_sequences;
        separate();
      } else {
        fold(decoded.code_point);
      }
    }
    if (last_ == Last::kSpace && size_ > 0) --size_;
    text_.finish(size_);
  }

 private:
  enum class Last : std::uint8_t {
    kSpace,  // or nothing yet: the next token needs no space before it
    kWord,
    kHangul,  // a token of its own that keeps its place in a word: spaces around it are kept, none are made
    kCharacter,
  };
  static bool in_word(Last last) { return last == Last::kWord || last == Last::kHangul; }
  static constexpr std::size_t kNowhere = std::string_view::npos;
  static constexpr std::size_t kMarksMax = 30;  // as in Unicode's Stream-Safe Text Format

  void make_room(std::size_t bytes) {
    if (text_.capacity() - size_ < bytes) data_ = text_.reserve(size_ + bytes, size_);
  }

  // Writes the ASCII that `bytes` start with and returns its length, at least 1. The loop has no branch that
  // hangs on where words end: it writes the byte or the space, and the step tells whether it stays.
  std::size_t write_ascii(std::string_view bytes) {
    open_end_ = kNowhere;
    make_room(bytes.size() + 1);
    std::size_t at = 0;
    const auto next = [&] {
      return at < bytes.size() ? kAscii[static_cast<unsigned char>(bytes[at])] : '\0';
    };
    if (last_ == Last::kCharacter) {  // only a word makes a space necessary
      while (next() == ' ') ++at;
      if (next() == 0) return at;
      data_[size_++] = ' ';
      last_ = Last::kSpace;
    } else if (last_ == Last::kHangul && next() == ' ') {
      data_[size_++] = ' ';
      last_ = Last::kSpace;
      ++at;
    }
    char* out = data_ + size_;
    bool inside = last_ == Last::kWord;
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
    size_ = static_cast<std::size_t>(out - data_);
    last_ = inside ? Last::kWord : Last::kSpace;
    out_.tokens += words;
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
        return put(code_point, Last::kCharacter, internal::fold_order(entry));
      case FoldAction::kHangul:
        if (replace_open(compose_hangul(open_, code_point))) return;
        put(code_point, Last::kHangul, 0);
        return open(code_point);
      case FoldAction::kKana:
        put(code_point, Last::kCharacter, 0);
        return open(code_point);
      case FoldAction::kVoicing:
        replace_open(compose_kana(open_, code_point));
        return;
    }
  }

  void separate() {
    open_end_ = kNowhere;
    if (!in_word(last_)) return;
    data_[size_++] = ' ';
    last_ = Last::kSpace;
  }

  void put(char32_t code_point, Last kind, unsigned order) {
    if (kind != Last::kWord) {
      ++out_.tokens;
      ++out_.characters;
    } else if (last_ != kind) {
      ++out_.tokens;
    }
    if (last_ != Last::kSpace && in_word(last_) != in_word(kind)) data_[size_++] = ' ';
    last_ = kind;
    const std::size_t begin = size_;
    size_ = static_cast<std::size_t>(encode_utf8(code_point, data_ + begin) - data_);
    if (order != 0) sort_mark(begin, order);
  }

  // The code point just written may compose with the next one.
  void open(char32_t code_point) {
    open_ = code_point;
    open_end_ = size_;
  }

  // Puts `composed`, if it is one, in the place of the open code point, which stays open. Whatever composes
  // is three bytes long, before and after.
  bool replace_open(char32_t composed) {
    if (composed == 0 || open_end_ != size_) return false;
    encode_utf8(composed, data_ + size_ - 3);
    open_ = composed;
    return true;
  }

  // Moves the mark just written, at `begin`, before those marks of its run that have a higher order.
  void sort_mark(std::size_t begin, unsigned order) {
    if (begin != marks_end_ || marks_ == kMarksMax) marks_ = 0;
    const std::size_t size = size_ - begin;
    std::size_t place = marks_;
    std::size_t to = begin;
    for (; place > 0 && run_[place - 1].order > order; --place) {
      run_[place] = run_[place - 1];
      to -= run_[place].size;
    }
    run_[place] = {order, size};
    std::rotate(data_ + to, data_ + begin, data_ + size_);
    ++marks_;
    marks_end_ = size_;
  }

  CanonicalText& out_;
  PaddedBytes& text_;
  char* data_ = nullptr;  // of text_, written up to size_
  std::size_t size_ = 0;
  Last last_ = Last::kSpace;

  char32_t open_ = 0;  // what was written last, if open_end_ == size_
  std::size_t open_end_ = kNowhere;

  struct Mark {
    unsigned order;
    std::size_t size;
  };
  std::array<Mark, kMarksMax> run_;  // the kept marks written last, if marks_end_ == size_
  std::size_t marks_ = 0;
  std::size_t marks_end_ = kNowhere;
};

}  // namespace

void canonicalize(std::string_view bytes, CanonicalText& out) {
  CHECK(bytes.size() < std::size_t{1} << 28, "the caller bounds documents");
  out.tokens = out.characters = out.invalid_sequences = 0;
  Writer(out).write(bytes);
}

}  // namespace neardup
