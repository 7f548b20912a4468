// Hostile bytes through every tier of the folder: one answer.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "core/base/check.h"
#include "core/base/isa.h"
#include "core/text/folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace neardup;
  static CanonicalText scalar;
  static CanonicalText vector;

  // Long enough for whole blocks, in memory of its exact size, so that the sanitizer sees who reads beyond
  // it.
  for (const std::size_t times : {1U, 8U}) {
    const std::size_t bytes = size * times;
    const auto copy = std::make_unique_for_overwrite<char[]>(bytes);
    for (std::size_t i = 0; i < times; ++i) std::memcpy(copy.get() + i * size, data, size);
    const std::string_view text(copy.get(), bytes);
    internal::canonicalize_by(Isa::kScalar, text, scalar);
    for (const Isa tier : {Isa::kAvx2, Isa::kAvx512}) {
      if (tier > cpu_isa()) break;
      internal::canonicalize_by(tier, text, vector);
      CHECK(vector.text.view() == scalar.text.view(), "the same text");
      CHECK(vector.tokens == scalar.tokens && vector.characters == scalar.characters, "the same counts");
      CHECK(vector.invalid_sequences == scalar.invalid_sequences, "the same errors");
    }
  }
  return 0;
}
