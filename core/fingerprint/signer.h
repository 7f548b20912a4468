// What is the signature of a document?
//
//   html ─► html_text ────┐
//   text ─────────────────┴─► canonicalize ─┬─► digest128 ─► exact
//                                           ├─► simhash ───► fingerprint     (or what the options ask for)
//                                           ├─► count ─────► tokens
//                                           └─► short_signature, long_signature, or mgram_signature
//                                                                               ─► what the routes ask by
//
// A pure function of body, format and options: id, url, source and time play no part. A text in which nothing
// is left to compare has no signature and is rejected; otherwise all such pages would be duplicates of each
// other. Of a document that is known by a digest alone, the signature says whether another one has the same
// digest, and nothing is like it: its fingerprint is a hash, and its route is empty.
//
// Cost:    linear in the body. The buffers are kept until they are given back, so that nothing is allocated
//          once they have grown: to a few times the largest body, to tens of times an odd one.
// Threads: one signer per thread; signers share nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/decision.h"
#include "core/document.h"
#include "core/fingerprint/mgram_signature.h"
#include "core/fingerprint/minhash.h"
#include "core/fingerprint/route_signature.h"
#include "core/fingerprint/signer_options.h"
#include "core/fingerprint/simhash.h"
#include "core/fingerprint/token_stream.h"
#include "core/fingerprint/weighted_simhash.h"
#include "core/signature.h"
#include "core/text/folder.h"
#include "core/text/html_text.h"

namespace neardup {

class Signer {
 public:
  // REQUIRES: options that WeightedSimHash takes; default features for kMinHash; with RouteParts::kMgrams,
  // that MgramSigner takes.
  explicit Signer(const SignerOptions& options = {});

  // Fills `signature`, or says why the document has none (kNoTokens) and leaves it unchanged.
  [[nodiscard]] std::optional<RejectReason> sign(const Document& document, Signature& signature);

  // The same, and what the options' routes need. `route` may have been used before.
  [[nodiscard]] std::optional<RejectReason> sign(const Document& document, Signature& signature,
                                                 RouteSignature& route);

  // What the last call of sign() read; valid until the next one.
  const CanonicalText& canonical() const { return canonical_; }
  // It was a page of which no main text could be told, so that is all its text (html_text.h).
  bool fell_back() const { return fell_back_; }

  // How many features the fingerprint is of that the last call of sign() gave: each as often as it counts, of
  // a MinHash as often as it stands there. 0: it is of a digest.
  std::size_t features() const { return features_; }

  // What grew with the documents, of memory; and gives it back, canonical() too.
  std::size_t held_bytes() const;
  void give_back();

 private:
  [[nodiscard]] std::optional<RejectReason> read(const Document& document);
  [[nodiscard]] std::optional<RejectReason> sign_digest(const Document& document, Signature& signature);
  std::optional<Fingerprint> fingerprint();
  std::optional<Fingerprint> fingerprint_and_words(LongSignature& words);
  Fingerprint simhash();
  Fingerprint minhash();
  void sign_short(RouteSignature& route);
  [[nodiscard]] std::optional<RejectReason> sign_mgrams(const Document& document, Signature& signature,
                                                        RouteSignature& route);

  HtmlReader html_;
  std::size_t html_held_bytes_ = 0;  // since its last page: a sum over many buffers, which no text changes
  RouteParts routes_;
  FoldOptions fold_;
  FingerprintKind kind_;
  std::unique_ptr<WeightedSimHash> weighted_;  // null for the default features, which have a way of their own
  CanonicalText canonical_;
  bool fell_back_ = false;
  std::size_t features_ = 0;
  TokenStream tokens_;
  SimHasher simhasher_;
  MinHash minhash_;
  std::vector<std::uint64_t> bigrams_;  // of a batch, for the MinHash
  ShortSigner short_;
  LongSigner long_;
  std::optional<MgramSigner> mgrams_;
};

}  // namespace neardup
