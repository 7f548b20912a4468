// Which words say nothing about a text?
//
// Those of the operator's list. They are taken out of the canonical text before anything is counted:
//
//   canonical text     the price of a loaf is 5      listed: the, of a, is
//   cut                ··· price ···· loaf ·· 5      a removed phrase is a space
//   folded again       price loaf 5                  as if it had been written so
//
// An entry is one token or several in a row ("of a", 因为: two token characters); what stood between them, a
// space or nothing, does not count. Where several entries begin at a token, the longest is removed, and the
// search goes on behind it.
//
//   file: one entry a line, as word_lines.h reads them, at most kStopPhraseTokensMax tokens each; a line
//   without any token (lists often name punctuation, which is never counted) is no entry
//
// Cost:    a look-up for each token, one more for each token of a phrase that has begun, and a second folding
//          of what is left.
// Threads: read by any number of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/fingerprint/feature_map.h"
#include "core/text/folder.h"
#include "core/text/tokenizer.h"

namespace neardup {

class StopWords {
 public:
  // `fold`: of the documents. Errors, kInvalid: of word_lines.h, a phrase too long, a file without any entry.
  static Result<StopWords> parse(std::string_view file, FoldOptions fold = {});

  // Whether there is any in `canonical`; then `out` is what is left, to be canonicalized once more, and else
  // unchanged.
  bool cut(std::string_view canonical, std::string& out) const;

  std::size_t size() const { return size_; }
  // Names the set of entries, whatever the order, the comments and the spelling of their lines.
  Digest128 digest() const { return digest_; }

 private:
  // Of a run of tokens that begins an entry.
  static constexpr std::uint32_t kEnds = 1;    // it is one
  static constexpr std::uint32_t kGoesOn = 2;  // it begins a longer one

  void add(std::string_view phrase);
  bool skip(Token first, TokenReader& reader) const;

  FeatureMap runs_;  // by run_hash of their tokens
  std::size_t size_ = 0;
  Digest128 digest_;
};

}  // namespace neardup
