// What must be known of a page to find those that are like it?
//
// Pages meet by bands of the minima of their shingles, and are compared by their odd sketches. The signature
// holds all that is a function of one text; README.md defines its parts exactly enough to be written again.
//
//   shingles ─┬─► minima ─► bands             which uniques to look at
//             ├─► odd sketch                  how alike they are
//             └─► sample                      what else to ask for where a key is crowded (band_postings.h)
//
// A text near the seam of the two kinds of shingle (shingle.h) is signed by both: which of them suits it may
// hang on a single word, and its copy would be signed by the other one alone.
//
// Cost:    .1 to .7 us per KB of text with AVX-512 (README.md); nothing is allocated once warm.
// Threads: one signer per thread; signers share nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/fingerprint/band.h"
#include "core/fingerprint/minima.h"
#include "core/fingerprint/odd_sketch.h"
#include "core/fingerprint/shingle.h"
#include "core/fingerprint/token_stream.h"
#include "core/text/folder.h"

namespace neardup {

// How the minima are made into bands. Two texts of similarity J share a band of w minima with probability
// J^w, so what a threshold needs is a matter of arithmetic: `detector.threshold` chooses.
struct BandLayout {
  std::size_t bands = 6;
  std::size_t width = 4;  // minima of each

  friend bool operator==(const BandLayout&, const BandLayout&) = default;
};

inline constexpr std::size_t kLongBandsMax = kMinimaBins / 2;

// The layout of the widest bands by which no more than one pair in fifty of this similarity misses; the wider
// a band, the fewer texts share it by chance. REQUIRES: 500 <= threshold_permille <= 1000.
BandLayout band_layout(unsigned threshold_permille);

// The probability that two texts of one size and this similarity share a key that one of them asks for: a
// band of w minima is met as it is with probability J^w, and with one second minimum in the place of a first
// with w J^(w-1) x J (1 - J) / 2, since the minimum of all must be the asking text's alone and the next one
// common. Bins are taken to be independent.
double band_recall(BandLayout layout, double similarity);

// The least estimate of a sketch that passes for a threshold. An estimate errs both ways; a pair that is just
// alike enough should pass more often than not, so half a hundredth is forgiven.
constexpr int estimate_min(unsigned threshold_permille) { return static_cast<int>(threshold_permille) - 5; }

// Bytes of a unique's sketch: what memory is saved at what accuracy.
enum class SketchSize : std::uint8_t { kStandard, kCompact };
inline constexpr std::array<std::string_view, 2> kSketchSizeNames = {"standard", "compact"};
constexpr std::size_t bytes_of(SketchSize size) {
  return size == SketchSize::kStandard ? kStandardSketchBytes : kCompactSketchBytes;
}

struct LongSignature {
  ShingleKind kind = ShingleKind::kWords;
  std::uint32_t shingles = 0;  // repeated ones counted
  BandMinima minima{};
  StandardSketch standard;            // one of the two is made,
  CompactSketch compact;              // as the signer was asked to
  std::vector<std::uint64_t> sample;  // ShingleSigner::shingles()
  std::size_t band_count = 0;         // as many as the layout says
  std::array<Band, kLongBandsMax> bands;

  std::span<const Band> band_span() const { return {bands.data(), band_count}; }
};

// Makes signature.bands of its kind and minima.
void make_bands(BandLayout layout, LongSignature& signature);

// The keys of these bands alone, by the first minima. REQUIRES: keys.size() == layout.bands.
void make_keys(BandLayout layout, ShingleKind kind, const std::array<std::uint32_t, kMinimaBins>& minima,
               std::span<Key> keys);

class LongSigner {
 public:
  static constexpr std::size_t kSignaturesMax = 2;  // of one text

  LongSigner(SketchSize size, BandLayout layout);
  ~LongSigner();
  LongSigner(LongSigner&&) noexcept;
  LongSigner& operator=(LongSigner&&) noexcept;

  // The kinds of shingle by which a text is signed, the one that suits it first; writes to `kinds` and
  // returns how many.
  static std::size_t kinds_of(const CanonicalText& text, std::array<ShingleKind, kSignaturesMax>& kinds);

  // Signs a text by one kind. Each batch of `tokens`, which this opens and reads once if the kind is kWords,
  // is handed to `also`, so that what else is made of tokens needs no second reading.
  template <class Also>
  void sign_words(const CanonicalText& text, TokenStream& tokens, LongSignature& signature, Also&& also) {
    begin_words(text.tokens);
    tokens.open(text.text);
    for (TokenBatch batch; tokens.next(batch);) {
      also(batch);
      add_words({batch.hashes, batch.size});
    }
    while (!finish_words(signature)) {
      tokens.open(text.text);
      for (TokenBatch batch; tokens.next(batch);) add_words({batch.hashes, batch.size});
    }
  }
  void sign_characters(const CanonicalText& text, LongSignature& signature);

 private:
  void begin_words(std::uint64_t tokens);
  void add_words(std::span<const std::uint64_t> tokens);
  [[nodiscard]] bool finish_words(LongSignature& signature);

  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace neardup
