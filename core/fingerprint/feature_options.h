// What is counted in a text, when it is not what everybody counts?
//
//   words      the default: each token, and each two token characters side by side (feature.h)
//   shingles   each `shingle_size` tokens in a row as one: from two on, the order of words matters
//   ngrams     each `ngram_size` code points of the canonical text in a row: no notion of words at all
//
// All of them without the stop words, if there is a list; with idf weights, if there is a table, a feature
// votes as often as it weighs. README.md ("Options") defines each exactly.
//
// Signatures of other options cannot be compared, no more than those of another kSignatureVersion: text()
// names all that is not the default, and is carried with them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/fingerprint/idf_table.h"
#include "core/fingerprint/stop_words.h"

namespace neardup {

enum class FeatureSource : std::uint8_t { kWords, kShingles, kNgrams };
inline constexpr std::array<std::string_view, 3> kFeatureSourceNames = {"words", "shingles", "ngrams"};

struct FeatureOptions {
  static constexpr int kShingleSizeMax = 8;
  static constexpr int kNgramSizeMin = 2;
  static constexpr int kNgramSizeMax = 8;

  FeatureSource source = FeatureSource::kWords;
  int shingle_size = 3;                         // 1 .. kShingleSizeMax tokens; of kShingles
  int ngram_size = 4;                           // kNgramSizeMin .. kNgramSizeMax code points; of kNgrams
  std::shared_ptr<const StopWords> stop_words;  // null: nothing is removed
  std::shared_ptr<const IdfTable> idf;          // null: all weigh the same; of kWords and kShingles

  bool is_default() const {
    return source == FeatureSource::kWords && stop_words == nullptr && idf == nullptr;
  }

  // "" for the default, else the options that differ from it, by the names of the settings:
  // "fingerprint.features=shingles fingerprint.shingle_size=3". Of a file, the digest of what it means.
  std::string text() const;
};

}  // namespace neardup
