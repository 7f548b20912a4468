// Which signatures are wanted?
//
// Everything that a signature hangs on besides the document: all signers of a service get the same, and what
// it remembers was signed with it.
#pragma once

#include <string>

#include "core/fingerprint/feature_options.h"

namespace neardup {

struct SignerOptions {
  FeatureOptions features;

  // What tells these options from the defaults, which are "": stored beside kSignatureVersion, since
  // signatures of two texts cannot be compared. At most kSignatureOptionsBytesMax bytes.
  std::string text() const { return features.text(); }
};

}  // namespace neardup
