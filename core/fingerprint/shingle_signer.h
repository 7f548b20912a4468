// What does a similar text share with this one, in some hundred bytes?
//
//   hashes of tokens ──────┐              ┌─► MinimaBuilder ────► first and second minima
//   or of code points ─────┴─► shingles ──┼─► OddSketchBuilder ─► odd sketch
//                                         └─► shingles(): what a detector may ask for later
//
// The kind of shingle is the caller's choice, by shingle_kind() as a rule; near its seam both may be asked
// for. A signature is a pure function of the units and the kind: the portions they come in show nowhere.
//
// Cost:    README.md has the figures. A text is worked on in portions that stay in the cache; all buffers
//          together are some 200 KiB, whatever the text, and nothing is allocated for a text.
// Threads: one signer per thread; signers share nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/fingerprint/minima.h"
#include "core/fingerprint/odd_sketch.h"
#include "core/fingerprint/shingle.h"
#include "core/fingerprint/token_stream.h"
#include "core/text/folder.h"

namespace neardup {

template <std::size_t kSketchBytes>
struct ShingleSignature {
  ShingleKind kind = ShingleKind::kWords;
  std::uint32_t shingles = 0;  // repeated ones counted
  BandMinima minima{};
  OddSketch<kSketchBytes> sketch;

  friend bool operator==(const ShingleSignature&, const ShingleSignature&) = default;
};

template <std::size_t kSketchBytes>
class ShingleSigner {
 public:
  using Signature = ShingleSignature<kSketchBytes>;

  // Of more shingles, shingles() holds those of the least values.
  static constexpr std::size_t kShinglesKept = 2048;

  ShingleSigner();

  // Signs a text by the kind of shingle that suits it. `tokens` may have been used before, and will be.
  void sign(const CanonicalText& text, TokenStream& tokens, Signature& signature);

  // Signs a text by runs of tokens, given the hash of each (feature.h), in their order.
  void sign_words(std::span<const std::uint64_t> tokens, Signature& signature);

  // Signs a canonical text by runs of code points.
  void sign_characters(std::string_view canonical, Signature& signature);

  // The same of units that come in portions of any size:
  //
  //   signer.begin(kind, units);
  //   do {
  //     signer.add(...) ...;
  //   } while (!signer.finish(signature));
  //
  // finish() seldom returns false: then the text repeats itself so much that its sample has to be drawn once
  // more, of all units from the first on.
  // REQUIRES: as many units as begin() said, fewer than 2^32.
  void begin(ShingleKind kind, std::uint64_t units);
  void add(std::span<const std::uint64_t> units);
  [[nodiscard]] bool finish(Signature& signature);

  // Shingle hashes of the text signed last: all if it has no more than kShinglesKept; of a longer one those
  // whose value is below 2^32 x kShinglesKept / shingles, the first 2 x kShinglesKept of them at most. They
  // are about 85 of the least of each bin, enough to find its uncommon minima. Valid until the next text, or
  // until they are taken: then `to` has them, and its memory is the next text's.
  std::span<const std::uint64_t> shingles() const { return kept_; }
  void take_shingles(std::vector<std::uint64_t>& to) { kept_.swap(to); }

 private:
  static constexpr std::size_t kOverlapMax = 4;  // units that a shingle shares with the next one

  bool keeps_all() const { return shingles_ <= kShinglesKept; }
  void visit(std::span<const std::uint64_t> portion);
  void keep_low(std::span<const std::uint64_t> portion);
  std::span<const std::uint64_t> hash(std::span<const std::uint64_t> units);

  ShingleKind kind_ = ShingleKind::kWords;
  std::uint64_t shingles_ = 0;
  std::uint64_t visited_ = 0;  // of these, since the first unit
  bool is_drawn_again_ = false;

  std::array<std::uint64_t, kOverlapMax> carried_{};  // the last units, of which shingles may still begin
  std::size_t carried_size_ = 0;
  std::vector<std::uint64_t> units_;     // of a portion of text
  std::vector<std::uint64_t> hashes_;    // shingles of a portion, unless all are kept
  std::vector<std::uint64_t> selected_;  // of these, those of low value
  std::vector<std::uint64_t> kept_;

  MinimaBuilder minima_;
  OddSketchBuilder<kSketchBytes> sketch_;
};

}  // namespace neardup
