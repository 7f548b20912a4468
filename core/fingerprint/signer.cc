#include "core/fingerprint/signer.h"

#include <string_view>

#include "core/base/hash.h"
#include "core/fingerprint/simhash.h"
#include "core/text/html_text.h"

namespace neardup {

static_assert(PaddedBytes::kPadding >= TokenStream::kTextSlack);

std::optional<RejectReason> Signer::sign(const Document& document, Signature& signature) {
  std::string_view text = document.body;
  if (document.format == Document::Format::kHtml) {
    html_to_text(document.body, main_text_);
    text = main_text_;
  }
  canonicalize(text, canonical_);
  if (canonical_.tokens == 0) return RejectReason::kNoTokens;

  signature.exact = digest128(canonical_.text);
  signature.fingerprint = fingerprint();
  signature.tokens = canonical_.tokens;
  return std::nullopt;
}

Fingerprint Signer::fingerprint() {
  tokens_.open(canonical_.text);
  for (TokenBatch batch; tokens_.next(batch);) simhasher_.add(batch);
  return {simhasher_.finish()[0]};
}

}  // namespace neardup
