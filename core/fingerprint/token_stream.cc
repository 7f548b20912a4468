#include "core/fingerprint/token_stream.h"

#include "core/fingerprint/feature.h"

namespace neardup {
namespace {

constexpr std::size_t kFirst = 8;  // the first hash of a batch lies at the start of a cache line

}  // namespace

void TokenStream::open(std::string_view canonical) {
  reader_ = TokenReader(canonical);
  last_ = {};
}

bool TokenStream::next(TokenBatch& batch) {
  hashes_[kFirst - 2] = last_[0];
  hashes_[kFirst - 1] = last_[1];
  const std::size_t size = read_scalar();
  if (size == 0) return false;
  last_ = {hashes_[kFirst + size - 2], hashes_[kFirst + size - 1]};
  batch = {hashes_.data() + kFirst, size, characters_.data(), joined_.data()};
  return true;
}

std::size_t TokenStream::read_scalar() {
  characters_.fill(0);
  joined_.fill(0);
  std::size_t size = 0;
  for (Token token; size < TokenBatch::kTokensMax && reader_.next(token); ++size) {
    const std::uint64_t character = token.kind == Token::Kind::kCharacter ? 1 : 0;
    hashes_[kFirst + size] = word_feature(token.bytes);
    characters_[size / 64] |= character << size % 64;
    joined_[size / 64] |= (token.follows_character ? character : 0) << size % 64;
  }
  return size;
}

}  // namespace neardup
