#include "core/fingerprint/signer.h"

#include <string_view>

#include "core/base/hash.h"
#include "core/fingerprint/simhash.h"
#include "core/text/html_text.h"

namespace neardup {

Signer::Signer(const SignerOptions& options) : html_(options.html_extract) {}

std::optional<RejectReason> Signer::sign(const Document& document, Signature& signature) {
  std::string_view text = document.body;
  if (document.format == Document::Format::kHtml) {
    text = html_.read(document.body).text;
  }
  canonicalize(text, canonical_);
  if (canonical_.tokens == 0) return RejectReason::kNoTokens;

  signature.exact = digest128(canonical_.text);
  signature.fingerprint = simhash(canonical_.text);
  signature.tokens = canonical_.tokens;
  return std::nullopt;
}

}  // namespace neardup
