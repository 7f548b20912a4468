#include "core/fingerprint/signer_options.h"

namespace neardup {

// By the names of the settings, in their order.
std::string SignerOptions::text() const {
  std::string text;
  const auto add = [&text](const std::string& more) {
    if (!text.empty() && !more.empty()) text += ' ';
    text += more;
  };
  if (html_extract == HtmlExtract::kAll) add("html.extract=all");
  if (fold.chinese == ChineseForm::kSimplified) add("text.chinese=simplified");
  if (fingerprint == FingerprintKind::kMinHash) add("fingerprint.kind=minhash");
  add(features.text());
  if (routes == RouteParts::kNone) add("routes=none");
  if (routes == RouteParts::kLong) add("routes=long");
  if (routes == RouteParts::kMgrams) add("routes=mgrams");
  if (routes == RouteParts::kMgrams && mgrams.over == MgramUnits::kContentWords) {
    add("detector.gram_units=content_words");  // its list is that of the features
  }
  const bool has_sketches = routes == RouteParts::kLong || routes == RouteParts::kBoth;
  if (has_sketches && sketch == SketchSize::kCompact) add("detector.sketch=compact");
  return text;
}

}  // namespace neardup
