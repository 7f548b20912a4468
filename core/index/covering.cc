#include "core/index/covering.h"

#include <algorithm>
#include <bit>

#include "core/base/check.h"

namespace neardup {
namespace {

constexpr std::uint64_t block(int index) { return std::uint64_t{1} << index; }

// All keys of `kept` blocks out of `blocks`: finds within blocks - kept bits.
Covering choose(std::string_view name, int blocks, int kept) {
  Covering covering{
      .name = name, .distance = blocks - kept, .blocks = blocks, .keys = {}, .part_distance = blocks - kept};
  for (std::uint64_t key = 0; key < block(blocks); ++key) {
    if (std::popcount(key) == kept) covering.keys.push_back(key);
  }
  return covering;
}

// `parts` copies of a covering side by side. Of e errors, some part has at most e / parts, rounded down; so
// if each part is searched within k, all of it is within parts * (k + 1) - 1.
Covering side_by_side(std::string_view name, int parts, const Covering& part) {
  Covering covering{.name = name,
                    .distance = parts * (part.distance + 1) - 1,
                    .blocks = parts * part.blocks,
                    .keys = {},
                    .parts = parts,
                    .part_distance = part.distance};
  for (int i = 0; i < parts; ++i) {
    for (const std::uint64_t key : part.keys) covering.keys.push_back(key << (i * part.blocks));
  }
  return covering;
}

// The complements of the lines of the Fano plane: two of its 7 points are always on one line.
Covering fano() {
  Covering covering{.name = "", .distance = 2, .blocks = 7, .keys = {}, .part_distance = 2};
  for (int shift = 0; shift < 7; ++shift) {
    std::uint64_t key = block(7) - 1;
    for (const int point : {0, 1, 3}) key &= ~block((point + shift) % 7);
    covering.keys.push_back(key);
  }
  return covering;
}

// The biplane on 11 points: the quadratic residues mod 11 are 1, 3, 4, 5, 9.
Covering biplane() {
  Covering covering{.name = "11x29", .distance = 3, .blocks = 11, .keys = {}, .part_distance = 3};
  for (int shift = 0; shift < 11; ++shift) {
    std::uint64_t key = 0;
    for (const int residue : {1, 3, 4, 5, 9}) key |= block((residue + shift) % 11);
    covering.keys.push_back(key);
  }
  return covering;
}

// The Steiner system SQS(8): of the points 0 .. 7, as vectors of three bits, those with x.p = c for each of
// the seven x != 0 and both c.
Covering planes() {
  Covering covering{.name = "14x32", .distance = 3, .blocks = 8, .keys = {}, .part_distance = 3};
  for (unsigned normal = 1; normal < 8; ++normal) {
    for (int side = 0; side < 2; ++side) {
      std::uint64_t key = 0;
      for (unsigned point = 0; point < 8; ++point) {
        if (std::popcount(normal & point) % 2 == side) key |= block(static_cast<int>(point));
      }
      covering.keys.push_back(key);
    }
  }
  return covering;
}

// Four blocks of 16 bits; beside each of them, one of the four quarters of the other 48 bits. In blocks of 4.
Covering nested() {
  Covering covering{.name = "16x28", .distance = 3, .blocks = 16, .keys = {}, .part_distance = 3};
  for (int whole = 0; whole < 4; ++whole) {
    std::vector<int> rest;
    for (int nibble = 0; nibble < 16; ++nibble) {
      if (nibble / 4 != whole) rest.push_back(nibble);
    }
    for (std::size_t quarter = 0; quarter < 4; ++quarter) {
      std::uint64_t key = std::uint64_t{0xF} << (4 * whole);
      for (std::size_t i = 3 * quarter; i < 3 * quarter + 3; ++i) key |= block(rest[i]);
      covering.keys.push_back(key);
    }
  }
  return covering;
}

std::vector<Covering> make_coverings() {
  return {
      choose("1x64", 1, 1),
      choose("2x32", 2, 1),
      choose("3x21", 3, 1),
      side_by_side("6x21", 2, choose("", 3, 2)),
      side_by_side("8x24", 2, choose("", 4, 3)),
      biplane(),
      planes(),
      choose("4x16", 4, 1),
      nested(),
      choose("10x25", 5, 2),
      choose("20x32", 6, 3),
      side_by_side("9x14", 3, choose("", 3, 2)),
      side_by_side("12x16", 3, choose("", 4, 3)),
      side_by_side("14x18", 2, fano()),
      side_by_side("16x12", 4, choose("", 4, 3)),
      side_by_side("22x14", 2, biplane()),
      side_by_side("28x16", 2, planes()),
  };
}

}  // namespace

std::span<const Covering> coverings() {
  static const std::vector<Covering> all = make_coverings();
  return all;
}

const Covering* covering_named(std::string_view name) {
  const auto all = coverings();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Covering& c) { return c.name == name; });
  return found == all.end() ? nullptr : &*found;
}

const Covering& default_covering(int distance) {
  static constexpr std::string_view kNames[kCoveringDistanceMax + 1] = {"1x64",  "2x32",  "3x21",  "6x21",
                                                                        "14x18", "14x18", "28x16", "28x16"};
  CHECK(distance >= 0 && distance <= kCoveringDistanceMax, "coverings are for at most seven differing bits");
  return *covering_named(kNames[distance]);
}

}  // namespace neardup
