// Which signatures are wanted?
//
// Everything that a signature hangs on besides the document: all signers of a service get the same, and what
// it remembers was signed with it.
#pragma once

#include <string>

#include "core/fingerprint/feature_options.h"
#include "core/text/folder.h"
#include "core/text/html_text.h"

namespace neardup {

struct SignerOptions {
  HtmlExtract html_extract = HtmlExtract::kMain;
  FoldOptions fold;
  FeatureOptions features;

  // What tells these options from the defaults, which are "": stored beside kSignatureVersion, since
  // signatures of two texts cannot be compared. At most kSignatureOptionsBytesMax bytes.
  std::string text() const;
};

}  // namespace neardup
