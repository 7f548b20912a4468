// What of a unique's return needs no memory of others?
//
// Reading what was kept of it, and signing that again. So it is a step of its own, which one thread may take
// for the next uniques while another one remembers those before:
//
//   returning.prepare(uniques)  ─►  detector.restore(returning, begin, end)
//
// Cost:    a page .2 us, a short text what signing it costs. Memory that the next ones use again: of each
//          unique a KB, of a short text 1.3 KB more and 12 to 16 bytes a character, of m-grams 30 bytes a
//          character. So 3 KB for a sentence. (In mode simhash without sketches nothing.)
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/arrival.h"
#include "core/base/result.h"
#include "core/detector.h"
#include "core/detector/kept_form.h"
#include "core/fingerprint/long_signature.h"
#include "core/fingerprint/mgram_signature.h"
#include "core/fingerprint/short_signature.h"

namespace neardup {

// How what is kept of a text is signed again in mode mgram: it has no stop words any more, what is left are
// words.
MgramOptions mgrams_of_kept(const DetectorOptions& options);

class Returning {
 public:
  // For a detector of these options.
  explicit Returning(const DetectorOptions& options);

  // Replaces what is here. `uniques` and the bytes that they view must outlive their use.
  // Error kCorrupt: what was kept of one is not what apply() made; then those before it are here.
  Status prepare(std::span<const Unique> uniques);

  struct One {
    const Unique& unique;
    std::span<const ReturningPage> pages = {};
    const ShortSignature* short_text = nullptr;
    const MgramSignature* mgrams = nullptr;
  };
  std::size_t size() const { return uniques_.size(); }
  One operator[](std::size_t i) const;
  // Starts to load what [i] is made of: who prepared it may have it in the cache of another core.
  void prefetch(std::size_t i) const;

 private:
  struct Form {
    std::size_t signature = 0;  // in short_texts_ or mgrams_
    KeptForm kept;
  };
  bool sign(Form& form);  // false: it is not of this mode

  const DetectorMode mode_;
  const RouteParts routes_;
  const SketchSize sketch_;
  const BandLayout layout_;
  ShortSigner short_signer_;
  std::optional<MgramSigner> mgram_signer_;

  std::span<const Unique> uniques_;
  std::vector<Form> forms_;  // at least as many; none if the mode keeps nothing
  std::vector<ShortSignature> short_texts_;
  std::vector<MgramSignature> mgrams_;
  std::size_t signatures_ = 0;  // how many of them are in use
};

}  // namespace neardup
