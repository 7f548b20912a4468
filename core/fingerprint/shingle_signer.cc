#include "core/fingerprint/shingle_signer.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/fingerprint/sketch_kernels.h"

namespace neardup {
namespace {

constexpr std::size_t kPortionUnits = 6144;  // 48 KiB
constexpr std::size_t kPortionBytes = 6144;  // so that each may be a unit
constexpr std::size_t kSelectSlack = 8;      // of the kernel

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The size of the next portion of `text`: it ends where a code point does.
std::size_t portion_size(std::string_view text) {
  if (text.size() <= kPortionBytes) return text.size();
  std::size_t size = kPortionBytes;
  while (size > kPortionBytes - 4 && continues(text[size])) --size;
  return size;
}

}  // namespace

template <std::size_t kSketchBytes>
ShingleSigner<kSketchBytes>::ShingleSigner()
    : units_(kPortionBytes + kUnitSlack), hashes_(kPortionUnits), selected_(kPortionUnits + kSelectSlack) {}

template <std::size_t kSketchBytes>
void ShingleSigner<kSketchBytes>::sign(const CanonicalText& text, TokenStream& tokens, Signature& signature) {
  if (shingle_kind(text.tokens, text.characters) == ShingleKind::kCharacters) {
    return sign_characters(text.text, signature);
  }
  begin(ShingleKind::kWords, text.tokens);
  do {
    tokens.open(text.text, TokenStream::Use::kHashes);
    for (TokenBatch batch; tokens.next(batch);) add({batch.hashes, batch.size});
  } while (!finish(signature));
}

template <std::size_t kSketchBytes>
void ShingleSigner<kSketchBytes>::sign_words(std::span<const std::uint64_t> tokens, Signature& signature) {
  begin(ShingleKind::kWords, tokens.size());
  do {
    add(tokens);
  } while (!finish(signature));
}

template <std::size_t kSketchBytes>
void ShingleSigner<kSketchBytes>::sign_characters(std::string_view canonical, Signature& signature) {
  const std::span<const std::uint64_t> units = units_;
  if (canonical.size() <= kPortionBytes) {
    const std::size_t count = hash_characters(canonical, units_.data());
    begin(ShingleKind::kCharacters, count);
    do {
      add(units.first(count));
    } while (!finish(signature));
    return;
  }
  begin(ShingleKind::kCharacters, code_point_count(canonical));
  do {
    for (std::string_view rest = canonical; !rest.empty();) {
      const std::size_t bytes = portion_size(rest);
      add(units.first(hash_characters(rest.substr(0, bytes), units_.data())));
      rest.remove_prefix(bytes);
    }
  } while (!finish(signature));
}

template <std::size_t kSketchBytes>
void ShingleSigner<kSketchBytes>::begin(ShingleKind kind, std::uint64_t units) {
  kind_ = kind;
  shingles_ = shingle_count(kind, units);
  visited_ = 0;
  is_drawn_again_ = false;
  carried_size_ = 0;
  kept_.resize(keeps_all() ? shingles_ : 0);
  if (!keeps_all()) kept_.reserve(2 * kShinglesKept);  // never more
  minima_.clear();
  sketch_.begin(shingles_);
}

template <std::size_t kSketchBytes>
void ShingleSigner<kSketchBytes>::add(std::span<const std::uint64_t> units) {
  const std::size_t overlap = shingle_width(kind_) - 1;
  while (!units.empty()) {
    const auto portion = units.first(std::min(units.size(), kPortionUnits));
    units = units.subspan(portion.size());

    // Shingles that begin in what came before, then those that lie in this portion.
    std::array<std::uint64_t, 2 * kOverlapMax> border;
    const std::size_t head = std::min(portion.size(), overlap);
    std::copy_n(carried_.begin(), carried_size_, border.begin());
    std::copy_n(portion.begin(), head, border.begin() + static_cast<std::ptrdiff_t>(carried_size_));
    const std::size_t border_size = carried_size_ + head;
    if (carried_size_ > 0 && border_size > overlap) visit(hash(std::span(border).first(border_size)));
    if (portion.size() > overlap) visit(hash(portion));

    const std::span<const std::uint64_t> seen =
        portion.size() < overlap ? std::span(border).first(border_size) : portion;
    carried_size_ = std::min(seen.size(), overlap);
    std::copy_n(seen.end() - static_cast<std::ptrdiff_t>(carried_size_), carried_size_, carried_.begin());
  }
}

template <std::size_t kSketchBytes>
bool ShingleSigner<kSketchBytes>::finish(Signature& signature) {
  if (visited_ < shingles_)
    visit(hash(std::span(carried_).first(carried_size_)));  // the text is shorter than one
  DCHECK(visited_ == shingles_);                            // as many units as begin() said

  if (!is_drawn_again_) {
    signature.kind = kind_;
    signature.shingles = static_cast<std::uint32_t>(shingles_);
    minima_.finish(signature.minima);
  }
  sketch_.finish(signature.sketch);
  is_drawn_again_ = sketch_.begin_again(signature.sketch);
  visited_ = 0;
  carried_size_ = 0;
  return !is_drawn_again_;
}

// Hashes the shingles of some units, which are kPortionUnits at most: where they are kept, if all are.
template <std::size_t kSketchBytes>
std::span<const std::uint64_t> ShingleSigner<kSketchBytes>::hash(std::span<const std::uint64_t> units) {
  std::uint64_t* const hashes = keeps_all() ? kept_.data() + visited_ : hashes_.data();
  hash_shingles(kind_, units, hashes);
  return {hashes, shingle_count(kind_, units.size())};
}

template <std::size_t kSketchBytes>
void ShingleSigner<kSketchBytes>::visit(std::span<const std::uint64_t> portion) {
  visited_ += portion.size();
  sketch_.add(portion);
  if (is_drawn_again_) return;
  minima_.add(portion);
  if (!keeps_all()) keep_low(portion);
}

template <std::size_t kSketchBytes>
void ShingleSigner<kSketchBytes>::keep_low(std::span<const std::uint64_t> portion) {
  const auto ceiling = static_cast<std::uint32_t>((std::uint64_t{kShinglesKept} << 32) / shingles_ - 1);
  const std::size_t low =
      internal::sketch_kernels().select_low(portion.data(), portion.size(), ceiling, selected_.data());
  const std::size_t more = std::min(low, 2 * kShinglesKept - kept_.size());
  kept_.insert(kept_.end(), selected_.data(), selected_.data() + more);
}

template class ShingleSigner<kStandardSketchBytes>;
template class ShingleSigner<kCompactSketchBytes>;

}  // namespace neardup
