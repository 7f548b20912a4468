// How much does a feature say, given in how many documents it occurs?
//
// The operator's table of inverse document frequencies, from any corpus and any formula: the larger, the
// rarer the word and the more it tells.
//
//   file: word<TAB>idf     one a line, as word_lines.h reads them (a space will do for the tab)
//   idf                    a number of 0 to kIdfMax: 7.25, .5 or 1e-3
//
// An entry weighs the feature (feature.h) that its word is: a word, a token character, or two of them side by
// side. Lines of several words, of more characters, or of none (punctuation) are no feature; they are counted
// and left aside, since the tables of segmenters are full of them. Of two lines that fold to one feature the
// smaller idf counts: together they are at least as common as either. A feature that the table does not know
// weighs the median of those it does (of an even number the lower one of the two in the middle).
//
// Weights are whole numbers of 1/kOne, so that sums of them are the same on every machine.
//
// Cost:    one look-up a feature. Threads: read by any number of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/fingerprint/feature_map.h"
#include "core/text/folder.h"

namespace neardup {

class IdfTable {
 public:
  static constexpr std::uint32_t kOne = 256;    // the weight of idf 1
  static constexpr std::uint32_t kIdfMax = 63;  // ln or log2 of any number of documents is less

  // `fold`: of the documents. Errors, kInvalid: of word_lines.h, a line without a number, a number out of
  // range, no usable line.
  static Result<IdfTable> parse(std::string_view file, FoldOptions fold = {});

  std::uint32_t weight(std::uint64_t feature) const {
    const std::uint32_t* const known = weights_.find(feature);
    return known != nullptr ? *known : median_;
  }

  std::size_t size() const { return weights_.size(); }  // features it knows
  std::size_t skipped() const { return skipped_; }      // lines that are no feature
  // Names the weights, whatever the order, the comments and the spelling of their lines.
  Digest128 digest() const { return digest_; }

 private:
  FeatureMap weights_;
  std::uint32_t median_ = 0;
  std::size_t skipped_ = 0;
  Digest128 digest_;
};

}  // namespace neardup
