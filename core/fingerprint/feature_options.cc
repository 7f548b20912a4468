#include "core/fingerprint/feature_options.h"

#include <cstddef>

#include "core/base/hash.h"

namespace neardup {
namespace {

std::string hex(Digest128 digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t half : {digest.high, digest.low}) {
    for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[half >> shift & 15];
  }
  return text;
}

}  // namespace

std::string FeatureOptions::text() const {
  std::string text;
  const auto add = [&](std::string_view setting, std::string_view value) {
    if (!text.empty()) text += ' ';
    text.append("fingerprint.").append(setting).append("=").append(value);
  };
  if (source != FeatureSource::kWords) {
    add("features", kFeatureSourceNames[static_cast<std::size_t>(source)]);
  }
  if (source == FeatureSource::kShingles) add("shingle_size", std::to_string(shingle_size));
  if (source == FeatureSource::kNgrams) add("ngram_size", std::to_string(ngram_size));
  if (stop_words != nullptr) add("stop_words_file", hex(stop_words->digest()));
  if (idf != nullptr) add("idf_file", hex(idf->digest()));
  return text;
}

}  // namespace neardup
