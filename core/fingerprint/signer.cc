#include "core/fingerprint/signer.h"

#include <array>
#include <string_view>

#include "core/base/check.h"
#include "core/base/free_memory.h"
#include "core/base/hash.h"
#include "core/fingerprint/feature.h"
#include "core/fingerprint/simhash.h"
#include "core/text/html_text.h"

namespace neardup {

static_assert(PaddedBytes::kPadding >= TokenStream::kTextSlack);

Signer::Signer(const SignerOptions& options)
    : html_(options.html_extract),
      routes_(options.routes),
      fold_(options.fold),
      kind_(options.fingerprint),
      long_(options.sketch, options.layout) {
  CHECK(kind_ == FingerprintKind::kSimHash || options.features.is_default(), "a MinHash is of all words");
  if (!options.features.is_default()) weighted_ = std::make_unique<WeightedSimHash>(options.features);
  if (routes_ == RouteParts::kMgrams) mgrams_.emplace(options.mgrams);
}

std::optional<RejectReason> Signer::sign(const Document& document, Signature& signature) {
  if (document.format == Document::Format::kDigest) return sign_digest(document, signature);
  if (const auto reason = read(document)) return reason;
  const std::optional<Fingerprint> counted = fingerprint();
  if (!counted) return RejectReason::kNoTokens;
  signature = {.exact = digest128(canonical_.text), .fingerprint = *counted, .tokens = canonical_.tokens};
  return std::nullopt;
}

std::optional<RejectReason> Signer::sign(const Document& document, Signature& signature,
                                         RouteSignature& route) {
  route.has_short = false;
  route.long_count = 0;
  route.has_mgrams = false;
  if (routes_ == RouteParts::kNone || document.format == Document::Format::kDigest) {
    return sign(document, signature);
  }
  if (routes_ == RouteParts::kMgrams) return sign_mgrams(document, signature, route);
  if (const auto reason = read(document)) return reason;

  if (routes_ == RouteParts::kBoth) sign_short(route);
  const bool is_page = !route.has_short || route.short_text.units >= kLongStoredUnitsMin;
  std::array<ShingleKind, LongSigner::kSignaturesMax> kinds;
  if (is_page) route.long_count = LongSigner::kinds_of(canonical_, kinds);

  std::optional<Fingerprint> counted;
  bool is_counted = false;
  for (std::size_t i = 0; i < route.long_count; ++i) {
    if (kinds[i] == ShingleKind::kCharacters) {
      long_.sign_characters(canonical_, route.longs[i]);
    } else {
      counted = fingerprint_and_words(route.longs[i]);
      is_counted = true;
    }
  }
  if (!is_counted) counted = fingerprint();
  if (!counted) return RejectReason::kNoTokens;
  signature = {.exact = digest128(canonical_.text), .fingerprint = *counted, .tokens = canonical_.tokens};
  return std::nullopt;
}

// All else is bounded whatever the text.
std::size_t Signer::held_bytes() const {
  const std::size_t weighted = weighted_ != nullptr ? weighted_->held_bytes() : 0;
  return html_held_bytes_ + canonical_.text.capacity() + weighted;
}

void Signer::give_back() {
  html_.give_back();
  html_held_bytes_ = html_.held_bytes();
  free_memory(canonical_);
  if (weighted_ != nullptr) weighted_->give_back();
}

std::optional<RejectReason> Signer::read(const Document& document) {
  fell_back_ = false;
  if (document.format == Document::Format::kHtml) {
    const HtmlText page = html_.read(document.body);
    canonicalize(page.text, canonical_, fold_);
    fell_back_ = page.fell_back;
    if (canonical_.tokens == 0) {  // a main text of marks alone, a '|' between two menus, is none
      canonicalize(html_.read_all(document.body).text, canonical_, fold_);
      fell_back_ = true;
    }
    html_held_bytes_ = html_.held_bytes();
  } else {
    canonicalize(document.body, canonical_, fold_);
  }
  if (canonical_.tokens == 0) return RejectReason::kNoTokens;
  return std::nullopt;
}

// Behind a byte that no canonical text has, so that no text has the same.
std::optional<RejectReason> Signer::sign_digest(const Document& document, Signature& signature) {
  canonicalize("", canonical_, fold_);
  fell_back_ = false;
  if (document.body.empty()) return RejectReason::kNoTokens;
  const Digest128 exact = digest128('\xFF' + document.body);
  features_ = 0;
  signature = {.exact = exact, .fingerprint = {exact.high}, .tokens = 1};
  return std::nullopt;
}

std::optional<RejectReason> Signer::sign_mgrams(const Document& document, Signature& signature,
                                                RouteSignature& route) {
  if (const auto reason = sign(document, signature)) return reason;
  mgrams_->sign(canonical_.text, route.mgrams);
  route.has_mgrams = true;
  return std::nullopt;
}

void Signer::sign_short(RouteSignature& route) {
  constexpr std::size_t kShortBytesMax = std::size_t{4} * kShortStoredUnitsMax;
  const std::string_view text = canonical_.text;
  route.has_short = text.size() <= kShortBytesMax && short_.sign(text, route.short_text);
}

// Tokens are read once for both where both are made of them.
std::optional<Fingerprint> Signer::fingerprint_and_words(LongSignature& words) {
  if (weighted_ != nullptr || kind_ == FingerprintKind::kMinHash) {
    long_.sign_words(canonical_, tokens_, words, [](const TokenBatch&) {});
    return fingerprint();
  }
  long_.sign_words(canonical_, tokens_, words, [this](const TokenBatch& batch) { simhasher_.add(batch); });
  return simhash();
}

std::optional<Fingerprint> Signer::fingerprint() {
  if (weighted_ != nullptr) {
    const std::optional<Fingerprint> counted = weighted_->hash(canonical_.text);
    features_ = weighted_->features();
    return counted;
  }
  if (kind_ == FingerprintKind::kMinHash) return minhash();
  tokens_.open(canonical_.text);
  for (TokenBatch batch; tokens_.next(batch);) simhasher_.add(batch);
  return simhash();
}

// Of what simhasher_ was given.
Fingerprint Signer::simhash() {
  features_ = simhasher_.features();
  return {simhasher_.finish()[0]};
}

// Of the features that a SimHash counts: tokens, and bigrams of token characters.
Fingerprint Signer::minhash() {
  minhash_.clear();
  features_ = 0;
  tokens_.open(canonical_.text, TokenStream::Use::kHashes);
  for (TokenBatch batch; tokens_.next(batch);) {
    minhash_.add({batch.hashes, batch.size});
    bigrams_.clear();
    for (std::size_t i = 0; i < batch.size; ++i) {
      if ((batch.joined[i / 64] >> (i % 64) & 1) == 0) continue;
      bigrams_.push_back(bigram_feature(*(batch.hashes + i - 1), batch.hashes[i]));
    }
    minhash_.add(bigrams_);
    features_ += batch.size + bigrams_.size();
  }
  return minhash_.finish();
}

}  // namespace neardup
