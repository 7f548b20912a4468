// Where are the buckets of one fingerprint, in eight tables at once?
//
// Each table answers by a dozen steps on one number (HammingTable: key(), tag(), region(), head()); those of
// eight lie here side by side, a lane each, so that a step is one instruction for all.
//
//   lane        table 0   table 1 ...                      cut from the fingerprint: chosen, rest
//   key       = KeyMix of chosen
//   tag       = key >> level_min | rest << unused
//   region    = (key & split_mask) < split ? 1 : 0
//   row       = key & mask[region]
//   head      = heads[region] + row / 64 * stride[region] + (row % 64 << shift[region])
//
// Threads: only read once it is filled. It holds until the table grows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/index/head_rows.h"
#include "core/index/key_mix.h"

namespace neardup {

struct alignas(64) BucketLanes {
  static constexpr std::size_t kSize = 8;
  using Lane = std::array<std::uint64_t, kSize>;

  Lane mix_shift;
  Lane mix_mask;
  Lane level_min;
  Lane unused;
  Lane split_mask;
  Lane split;
  std::array<Lane, 2> mask;                                  // by region
  std::array<Lane, 2> stride;                                // bytes from run to run
  std::array<Lane, 2> shift;                                 // log2 of the bytes of a head
  std::array<std::array<const std::byte*, kSize>, 2> heads;  // of bucket 0
};

// As many numbers as there are tables, and room for whole lanes.
constexpr std::size_t row_width(std::size_t tables) {
  return (tables + BucketLanes::kSize - 1) / BucketLanes::kSize * BucketLanes::kSize;
}

// Of one fingerprint. Reads and writes all lanes, so all of them must be filled.
inline void locate_buckets(const BucketLanes& lanes, const std::uint64_t* chosen, const std::uint64_t* rest,
                           std::uint64_t* keys, std::uint32_t* tags, const std::uint32_t** heads) {
  for (std::size_t i = 0; i < BucketLanes::kSize; ++i) {
    const std::uint64_t key = KeyMix::mix(chosen[i], static_cast<int>(lanes.mix_shift[i]), lanes.mix_mask[i]);
    const std::size_t region = (key & lanes.split_mask[i]) < lanes.split[i] ? 1 : 0;
    const std::uint64_t row = key & lanes.mask[region][i];
    const std::uint64_t offset = (row >> HeadRows::kRunShift) * lanes.stride[region][i] +
                                 ((row % HeadRows::kRunRows) << lanes.shift[region][i]);
    keys[i] = key;
    tags[i] = static_cast<std::uint32_t>(key >> lanes.level_min[i] | rest[i] << lanes.unused[i]);
    heads[i] = reinterpret_cast<const std::uint32_t*>(lanes.heads[region][i] + offset);
  }
}

}  // namespace neardup
