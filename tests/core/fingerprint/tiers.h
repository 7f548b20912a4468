// Which tiers does this CPU have, and what do they say of a text?
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/isa.h"
#include "core/fingerprint/simhash.h"
#include "core/fingerprint/token_stream.h"
#include "tests/reference/plain_simhash.h"

namespace neardup {

inline std::vector<Isa> tiers() {
  std::vector<Isa> all = {Isa::kScalar};
  for (const Isa tier : {Isa::kAvx2, Isa::kAvx512}) {
    if (tier <= cpu_isa()) all.push_back(tier);
  }
  return all;
}

// All that the room says of one canonical text, by one tier. Kept from text to text, as a signer keeps it.
struct TierReader {
  explicit TierReader(Isa isa) : tier(isa), stream(isa), simhasher(isa), wide(isa) {}

  // Reads a copy of `canonical`, `offset` bytes into a block of memory that ends with the slack.
  void read(std::string_view canonical, std::size_t offset = 0) {
    constexpr char kBehind = '\xE4';  // to be seen if it were read
    const std::size_t size = offset + canonical.size() + TokenStream::kTextSlack;
    std::vector<char> bytes(size, kBehind);
    bytes.shrink_to_fit();
    std::copy(canonical.begin(), canonical.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
    tokens.clear();
    stream.open({bytes.data() + offset, canonical.size()});
    for (TokenBatch batch; stream.next(batch);) {
      for (std::size_t i = 0; i < batch.size; ++i) {
        const bool character = (batch.characters[i / 64] >> i % 64 & 1) != 0;
        const bool joined = (batch.joined[i / 64] >> i % 64 & 1) != 0;
        const bool counts = (batch.counting[i / 64] >> i % 64 & 1) != 0;
        tokens.push_back({batch.hashes[i], character, joined, counts});
      }
      simhasher.add(batch);
      wide.add(batch);
    }
    fingerprint = simhasher.finish()[0];
    wide_fingerprint = wide.finish();
  }

  Isa tier;
  TokenStream stream;
  SimHasher simhasher;
  WideSimHasher wide;

  std::vector<reference::PlainToken> tokens;
  std::uint64_t fingerprint = 0;
  std::array<std::uint64_t, 2> wide_fingerprint{};
};

}  // namespace neardup
