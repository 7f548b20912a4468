#include "core/fingerprint/token_stream.h"

#include "core/fingerprint/feature.h"
#include "core/text/tokenizer.h"

namespace neardup {

using internal::kChunkBytes;

static_assert(kChunkBytes <= UINT16_MAX, "so that the place of a token fits");

void TokenStream::open(std::string_view canonical, Use use) {
  weights_.forget();
  text_ = canonical;
  use_ = use;
  size_ = 0;
  begun_ = after_character_ = false;
  hashes_[kFirst - 2] = hashes_[kFirst - 1] = 0;
}

bool TokenStream::next(TokenBatch& batch) {
  std::uint64_t* const hashes = hashes_.data() + kFirst;
  hashes[-2] = hashes_[kFirst + size_ - 2];
  hashes[-1] = hashes_[kFirst + size_ - 1];
  size_ = read_chunk(hashes);
  if (size_ == 0) return false;
  batch = {hashes, size_, places_.characters.data(), places_.joined.data(),
           use_ == Use::kSimHash ? counting_.data() : nullptr};
  begun_ = true;
  return true;
}

// A chunk ends wherever it ends; the token that reaches its end is read again at the start of the next one.
// So no kernel has to remember half a token.
std::size_t TokenStream::read_chunk(std::uint64_t* hashes) {
  if (text_.empty()) return 0;
  const char* const chunk = text_.data();
  const bool last = text_.size() <= kChunkBytes;
  const std::size_t bytes = last ? text_.size() : kChunkBytes;
  const std::size_t size = kernels_->find_tokens(chunk, bytes, last, after_character_, places_);
  if (size == 0 && !last) return read_long_word(hashes);
  if (size == 0) {
    text_ = {};
    return 0;
  }
  const bool whole = last && !begun_;
  if (use_ == Use::kHashes) {
    kernels_->hash_tokens(chunk, places_, size, hashes, nullptr, nullptr);
  } else if (whole && size <= internal::kWeightMax) {  // no token has as many before it
    kernels_->hash_tokens(chunk, places_, size, hashes, nullptr, nullptr);
    counting_[0] = (std::uint64_t{1} << size) - 1;
  } else {
    kernels_->hash_tokens(chunk, places_, size, hashes, &weights_, counting_.data());
  }
  const std::size_t next = places_.begin[size];
  after_character_ =
      chunk[next - 1] != ' ' && (places_.characters[(size - 1) / 64] >> (size - 1) % 64 & 1) != 0;
  text_.remove_prefix(next);
  return size;
}

// A word of a whole chunk and more, and perhaps a space before it.
std::size_t TokenStream::read_long_word(std::uint64_t* hashes) {
  Token token{};
  TokenReader(text_).next(token);
  hashes[0] = token_feature(token.bytes);
  if (use_ == Use::kSimHash) counting_[0] = weights_.count(hashes[0]) ? 1 : 0;
  text_.remove_prefix(static_cast<std::size_t>(token.bytes.data() + token.bytes.size() - text_.data()));
  after_character_ = false;
  return 1;
}

}  // namespace neardup
