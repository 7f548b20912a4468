// Which hashes do the tokens of a text have, in their order?
//
// Everything that is counted in a text is made of them: a token is a feature by its own hash, two joined
// characters make a bigram's, three tokens in a row a word shingle's. So they are computed once. A text may
// be long, hence they come in batches that stay in the first-level cache:
//
//   stream.open(canonical);
//   while (stream.next(batch)) ...             batch.hashes[i]: feature.h's hash of the bytes of a token
//
//                 batch.hashes[0]      a word     a character   a character
//   ... [-2] [-1]       [0]             [1]           [2]           [3]      ...    [size - 1]
//   of the batch     characters bit:     0             1             1
//   before it        joined bit:         0             0             1              with the one before it
//
// Where batches are cut hangs on the instructions in use (core/base/isa.h); what the tokens are does not.
//
// Cost:    linear in the text. The object holds some 40 KiB; nothing is allocated.
// Threads: one stream per thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/isa.h"
#include "core/text/tokenizer.h"

namespace neardup {

// Some tokens of a text, side by side.
struct TokenBatch {
  static constexpr std::size_t kTokensMax = 2048;
  static constexpr std::size_t kHistory = 2;  // tokens that may be read before the first
  static constexpr std::size_t kSlack = 8;    // values that may be read behind the last; any values

  // `size` hashes in token order. hashes[-1] and hashes[-2] are those of the tokens before this batch, 0
  // where the text has none; kSlack values behind the last can be read.
  const std::uint64_t* hashes = nullptr;
  std::size_t size = 0;  // 1 to kTokensMax

  // Bit i % 64 of word i / 64 tells of token i; bits from `size` on are 0.
  const std::uint64_t* characters = nullptr;  // it is a character, else a word
  const std::uint64_t* joined = nullptr;  // so it is, and the token before is too, without a space between
};

class TokenStream {
 public:
  // How many bytes behind a canonical text must be readable, whatever they hold.
  static constexpr std::size_t kTextSlack = 64;

  // REQUIRES: the CPU has `tier`.
  explicit TokenStream(Isa tier = isa()) : tier_(tier) {}

  // Starts at the beginning of `canonical`, which must outlive every call of next().
  // REQUIRES: canonicalize() made it; kTextSlack bytes behind it are readable; it is shorter than 2^31.
  void open(std::string_view canonical);

  // The next tokens, or false at the end. What `batch` points at holds until the next call.
  bool next(TokenBatch& batch);

 private:
  static constexpr std::size_t kMaskWords = TokenBatch::kTokensMax / 64;

  std::size_t read_scalar();

  Isa tier_;
  TokenReader reader_{std::string_view()};                  // the scalar tier's place in the text
  std::array<std::uint64_t, TokenBatch::kHistory> last_{};  // of the batch before
  alignas(64) std::array<std::uint64_t, 8 + TokenBatch::kTokensMax + TokenBatch::kSlack> hashes_{};
  std::array<std::uint64_t, kMaskWords> characters_{};
  std::array<std::uint64_t, kMaskWords> joined_{};
};

}  // namespace neardup
