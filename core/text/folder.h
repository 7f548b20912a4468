// Which words do these bytes say, whatever way they were written?
//
// Two copies of a text differ in case, accents, width, composition, punctuation, line breaks and invisible
// characters; none of it makes them different texts. canonicalize() takes it all away:
//
//   "Ｎａｉ̈ve  CAFÉ — 春节2021年，你好！"   ->   "naive cafe 春节 2021 年你好"
//
// The form is defined in README.md, exactly enough to be written again in another language. In short:
// NFKC_Casefold, accents dropped, letters and digits kept, everything else separates; characters of scripts
// written without spaces are tokens of their own, and so is Hangul, the rest form words; one space between
// two tokens, none between two such characters, and Hangul as it was written.
//
// Any bytes have a canonical form: a sequence that is not UTF-8 separates and is counted.
//
// Cost:    linear in the bytes; one table look-up per code point, ASCII without it. The output never has more
//          than 12 bytes per input byte (the ligature U+FDFA), and in real text about as many as the input.
// Threads: a pure function; each caller owns its CanonicalText.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/isa.h"
#include "core/base/padded_bytes.h"

namespace neardup {

struct CanonicalText {
  PaddedBytes text;                     // UTF-8, zeros after it; tokenizer.h reads it
  std::uint32_t tokens = 0;             // words and characters that are tokens
  std::uint32_t characters = 0;         // the latter alone, Hangul among them
  std::uint32_t invalid_sequences = 0;  // maximal subparts that were not UTF-8
};

// Which of the two ways of writing Chinese the canonical text has.
enum class ChineseForm : std::uint8_t {
  kAsIs,        // that of the text: 龍門 and 龙门 differ
  kSimplified,  // the simplified one (simplified.h)
};
inline constexpr std::array<std::string_view, 2> kChineseFormNames = {"as_is", "simplified"};

// Part of a signature's definition, as the canonical form is.
struct FoldOptions {
  ChineseForm chinese = ChineseForm::kAsIs;
};

// Replaces `out` with the canonical form of `bytes`. Allocates nothing once `out` has grown to the size of
// the documents. REQUIRES: bytes.size() < 2^28, so that the counts fit; `bytes` is no view of out.text.
void canonicalize(std::string_view bytes, CanonicalText& out, FoldOptions options = {});

namespace internal {
// The same by the kernel of one tier, for tests. REQUIRES: tier <= cpu_isa().
void canonicalize_by(Isa tier, std::string_view bytes, CanonicalText& out, FoldOptions options = {});
}  // namespace internal

}  // namespace neardup
