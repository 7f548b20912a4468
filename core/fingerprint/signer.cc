#include "core/fingerprint/signer.h"

#include <string_view>

#include "core/base/hash.h"
#include "core/fingerprint/simhash.h"
#include "core/text/html_text.h"

namespace neardup {

static_assert(PaddedBytes::kPadding >= TokenStream::kTextSlack);

Signer::Signer(const SignerOptions& options) : html_(options.html_extract), fold_(options.fold) {
  if (!options.features.is_default()) weighted_ = std::make_unique<WeightedSimHash>(options.features);
}

std::optional<RejectReason> Signer::sign(const Document& document, Signature& signature) {
  std::string_view text = document.body;
  if (document.format == Document::Format::kHtml) {
    text = html_.read(document.body).text;
  }
  canonicalize(text, canonical_, fold_);
  if (canonical_.tokens == 0) return RejectReason::kNoTokens;

  const std::optional<Fingerprint> counted = fingerprint();
  if (!counted) return RejectReason::kNoTokens;
  signature.exact = digest128(canonical_.text);
  signature.fingerprint = *counted;
  signature.tokens = canonical_.tokens;
  return std::nullopt;
}

std::optional<Fingerprint> Signer::fingerprint() {
  if (weighted_ != nullptr) return weighted_->hash(canonical_.text);
  tokens_.open(canonical_.text);
  for (TokenBatch batch; tokens_.next(batch);) simhasher_.add(batch);
  return Fingerprint{simhasher_.finish()[0]};
}

}  // namespace neardup
