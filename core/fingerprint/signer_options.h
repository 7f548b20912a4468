// Which signatures are wanted?
//
// Everything that a signature hangs on besides the document: all signers of a service get the same, and what
// it remembers was signed with it.
#pragma once

#include <cstdint>
#include <string>

#include "core/fingerprint/feature_options.h"
#include "core/fingerprint/long_signature.h"
#include "core/fingerprint/mgram_signature.h"
#include "core/signature.h"
#include "core/text/folder.h"
#include "core/text/html_text.h"

namespace neardup {

// Which routes of the detector a signature serves, besides the fingerprint.
enum class RouteParts : std::uint8_t {
  kNone,    // fingerprints decide
  kLong,    // every text has its sketch, whatever its length
  kBoth,    // short texts and pages, each as route_signature.h says
  kMgrams,  // every text has its m-grams, whatever its length
};

struct SignerOptions {
  HtmlExtract html_extract = HtmlExtract::kMain;
  FoldOptions fold = {};
  FingerprintKind fingerprint = FingerprintKind::kSimHash;  // kMinHash: of the default features alone
  FeatureOptions features = {};
  RouteParts routes = RouteParts::kBoth;
  SketchSize sketch = SketchSize::kStandard;
  BandLayout layout = {};    // how minima are asked for; what is remembered does not hang on it
  MgramOptions mgrams = {};  // of kMgrams; what is remembered is their text, so m does not matter to it

  // What tells these options from the defaults, which are "": stored beside kSignatureVersion, since
  // signatures of two texts cannot be compared. At most kSignatureOptionsBytesMax bytes.
  std::string text() const;
};

}  // namespace neardup
