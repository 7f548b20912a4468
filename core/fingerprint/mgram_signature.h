// Under which keys does a text lie, if texts that share a run of m units are to meet?
//
// Under all its m-grams: a text of n units has n - m + 1 runs of m units, and one that is shorter has itself
// as its only one. Two texts that share a run of m units share a key; two that share none do not, but for
// one pair of keys in 2^64. README.md ("m-grams") defines all of it exactly.
//
//   canonical text ─► the first kMgramTextMax characters ─► units ─► m-grams ─► keys, each with its count
//
//   over             units
//   characters       the characters of the canonical text, spaces among them
//   words            its tokens: words, and characters of scripts written without spaces
//   content_words    the same without the stop words (stop_words.h); all, if its beginning has nothing else
//                    (a text of nothing else is rejected before it comes here: signer.h)
//
// Why m = 4: if e edits are spread over n units, some run of (n - e) / (e + 1) units at least is left whole.
// At a similarity of .8 that is 4 from 16 units on, wherever the edits fall; a larger m makes shorter lists
// and misses texts that were edited everywhere. In general m <= threshold / (1 - threshold).
//
// A longer text is judged by its beginning, as by a summary; `is_cut` tells.
//
// Cost:    2 us for 60 characters, 35 us for 1024; nothing is allocated once warm.
// Threads: one signer per thread; signers share nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fingerprint/band.h"
#include "core/fingerprint/stop_words.h"
#include "core/text/folder.h"

namespace neardup {

inline constexpr std::size_t kMgramTextMax = 1024;  // characters of a text that count

enum class MgramUnits : std::uint8_t { kCharacters, kWords, kContentWords };
inline constexpr std::array<std::string_view, 3> kMgramUnitsNames = {"characters", "words", "content_words"};

struct MgramOptions {
  unsigned m = 4;  // 1 .. kMgramSizeMax units
  MgramUnits over = MgramUnits::kCharacters;
  std::shared_ptr<const StopWords> stop_words = nullptr;  // of kContentWords, and of nothing else
};

struct Mgram {
  Key key = 0;
  std::uint32_t count = 0;  // how often the text has it

  friend bool operator==(const Mgram&, const Mgram&) = default;
};

struct MgramSignature {
  std::vector<char32_t> text;   // what the units were read from: canonical, cut, without stop words
  std::vector<char32_t> units;  // characters, or 32-bit hashes of words
  std::vector<Mgram> grams;     // each once, by key
  std::uint32_t norm = 0;       // sum of their squared counts: the square of the vector's length
  bool is_cut = false;          // the text had more characters than kMgramTextMax
};

// The units of a signature's text, and the keys of all its m-grams, one at each place.
void mgram_units(MgramUnits over, std::span<const char32_t> text, std::vector<char32_t>& units);
void mgram_keys(unsigned m, std::span<const char32_t> units, std::vector<Key>& keys);

class MgramSigner {
 public:
  // REQUIRES: 1 <= options.m <= kMgramSizeMax; stop words if they are to be left out, and only then.
  explicit MgramSigner(MgramOptions options);

  // REQUIRES: canonicalize() made `canonical`, and it is not empty.
  void sign(std::string_view canonical, MgramSignature& signature);

  // The same of a text that has been signed before, by `text` of its signature.
  void sign(std::span<const char32_t> text, MgramSignature& signature);

  const MgramOptions& options() const { return options_; }

 private:
  void finish(MgramSignature& signature);

  MgramOptions options_;
  std::string cut_;
  CanonicalText rest_;
  std::vector<Key> keys_;
};

}  // namespace neardup
