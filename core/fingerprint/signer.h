// What is the signature of a document?
//
//   html ─► html_text ────┐
//   text ─────────────────┴─► canonicalize ─┬─► digest128 ─► exact
//                                           ├─► simhash ───► fingerprint
//                                           └─► count ─────► tokens
//
// A pure function of body, format and options: id, url, source and time play no part. A text in which nothing
// is left to compare has no signature and is rejected; otherwise all such pages would be duplicates of each
// other.
//
// Cost:    linear in the body. The buffers are kept, so that nothing is allocated once they have grown.
// Threads: one signer per thread; signers share nothing.
#pragma once

#include <optional>

#include "core/decision.h"
#include "core/document.h"
#include "core/fingerprint/simhash.h"
#include "core/fingerprint/token_stream.h"
#include "core/signature.h"
#include "core/text/folder.h"
#include "core/text/html_text.h"

namespace neardup {

// What of a document its signature is made of. Signatures of different options cannot be compared.
struct SignerOptions {
  HtmlExtract html_extract = HtmlExtract::kMain;
};

class Signer {
 public:
  explicit Signer(const SignerOptions& options = {});

  // Fills `signature`, or says why the document has none (kNoTokens) and leaves it unchanged.
  [[nodiscard]] std::optional<RejectReason> sign(const Document& document, Signature& signature);

 private:
  HtmlReader html_;
  CanonicalText canonical_;
  TokenStream tokens_;
  SimHasher simhasher_;
};

}  // namespace neardup
