#include "core/fingerprint/signer.h"

#include <string_view>

#include "core/base/hash.h"
#include "core/fingerprint/simhash.h"
#include "core/text/html_text.h"

namespace neardup {

static_assert(PaddedBytes::kPadding >= TokenStream::kTextSlack);

Signer::Signer(const SignerOptions& options) : html_(options.html_extract) {}

std::optional<RejectReason> Signer::sign(const Document& document, Signature& signature) {
  std::string_view text = document.body;
  if (document.format == Document::Format::kHtml) {
    text = html_.read(document.body).text;
  }
  canonicalize(text, canonical_);
  if (canonical_.tokens == 0) return RejectReason::kNoTokens;

  signature.exact = digest128(canonical_.text);
  tokens_.open(canonical_.text);
  for (TokenBatch batch; tokens_.next(batch);) simhasher_.add(batch);
  signature.fingerprint = {simhasher_.finish()[0]};
  signature.tokens = canonical_.tokens;
  return std::nullopt;
}

}  // namespace neardup
