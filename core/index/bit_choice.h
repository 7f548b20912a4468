// How are some bits of a word drawn together into a small number, and put back?
//
//   chosen    ..1.11..1      gather keeps their order, the lowest bit first:   b a c b a .. ─► 0..0 | chosen
//
// The instructions PEXT and PDEP do just this (bit_choice_pext.inl), but take hundreds of cycles on some AMD
// CPUs that have them, and others have none. So a choice also knows its runs of neighbouring bits: each is a
// rotation and a mask, and a choice has few. The same answer either way.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "core/base/check.h"
#include "core/index/word.h"

namespace neardup {

template <class Word>
struct BitChoice {
  struct Run {
    std::uint64_t mask = 0;  // where its bits are in the number
    std::uint8_t limb = 0;
    std::uint8_t rotation = 0;  // to the right, from the word to the number
  };
  static constexpr int kRunsMax = 40;

  Word chosen{};
  int limb_shift = 0;  // bits chosen of the lowest limb: those of the next lie above them
  int run_count = 0;
  std::array<Run, kRunsMax> runs{};

  BitChoice() = default;
  // REQUIRES: at most 64 bits are chosen.
  explicit BitChoice(Word bits) : chosen(bits), limb_shift(std::popcount(limb(bits, 0))) {
    int at = 0;
    bool continues = false;
    for (int bit = 0; bit < kWidthOf<Word>; ++bit) {
      continues &= bit % 64 != 0;
      if (!has_bit(bits, bit)) {
        continues = false;
        continue;
      }
      if (!continues) {
        CHECK(run_count < kRunsMax, "coverings choose few runs of bits");
        runs[static_cast<std::size_t>(run_count++)] = {
            .limb = static_cast<std::uint8_t>(bit / 64),
            .rotation = static_cast<std::uint8_t>((64 + bit % 64 - at) % 64)};
        continues = true;
      }
      runs[static_cast<std::size_t>(run_count - 1)].mask |= std::uint64_t{1} << at++;
    }
  }

  int count() const { return count_bits(chosen); }

  std::uint64_t gather(Word word) const {
    std::uint64_t number = 0;
    for (int i = 0; i < run_count; ++i) {
      const Run& run = runs[static_cast<std::size_t>(i)];
      number |= std::rotr(limb(word, run.limb), run.rotation) & run.mask;
    }
    return number;
  }

  Word scatter(std::uint64_t number) const {
    std::array<std::uint64_t, 2> limbs{};
    for (int i = 0; i < run_count; ++i) {
      const Run& run = runs[static_cast<std::size_t>(i)];
      limbs[run.limb] |= std::rotl(number & run.mask, run.rotation);
    }
    return word_of<Word>(limbs[0], limbs[1]);
  }
};

}  // namespace neardup
