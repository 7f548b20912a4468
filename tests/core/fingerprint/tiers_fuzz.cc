// Hostile bytes: every tier, and the slow twin, must say the same of their canonical form.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "core/text/folder.h"
#include "tests/core/fingerprint/tiers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace neardup;
  static std::vector<TierReader> readers = [] {
    std::vector<TierReader> all;
    for (const Isa tier : tiers()) all.emplace_back(tier);
    return all;
  }();
  static CanonicalText canonical;
  canonicalize({reinterpret_cast<const char*>(data), size}, canonical);
  const std::vector<reference::PlainToken> tokens = reference::tokens_of(canonical.text);
  const std::array<std::uint64_t, 2> fingerprint = reference::wide_simhash(tokens);
  for (TierReader& reader : readers) {
    reader.read(canonical.text, size % 64);
    CHECK(reader.tokens == tokens, "tokens and weights are those of the definition");
    CHECK(reader.fingerprint == fingerprint[0], "so is the fingerprint");
    CHECK(reader.wide_fingerprint == fingerprint, "and that of 128 bits");
  }
  return 0;
}
