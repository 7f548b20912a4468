#include "core/fingerprint/short_signature.h"

#include <algorithm>
#include <cstring>

#include "core/base/check.h"
#include "core/fingerprint/shingle.h"
#include "core/fingerprint/short_kernels.h"
#include "core/text/utf8.h"

namespace neardup {
namespace internal {
namespace {

std::size_t grams_scalar(const char32_t* text, const ScriptKind* kinds, std::size_t count,
                         std::uint32_t* out) {
  std::size_t written = 0;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const bool is_bigram = kinds[i] != ScriptKind::kSpaced || kinds[i + 1] == ScriptKind::kSyllabic;
    if (is_bigram) {
      out[written++] = gram_hash(gram_word(text[i], text[i + 1], 0));
    } else if (i + 2 < count) {
      out[written++] = gram_hash(gram_word(text[i], text[i + 1], text[i + 2]));
    }
  }
  for (std::size_t i = 0; i + 1 < count; ++i) {
    if (kinds[i] == ScriptKind::kSyllabic) out[written++] = gram_hash(gram_word(text[i], 0, 0));
  }
  return written;
}

void minima_scalar(const std::uint32_t* features, std::size_t count, ShortMinima& out) {
  out.first.fill(kNoMinimum);
  out.second.fill(kNoMinimum);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t function = 0; function < kShortMinima; ++function) {
      const std::uint32_t value = short_hash(features[i], function);
      std::uint32_t& first = out.first[function];
      std::uint32_t& second = out.second[function];
      second = std::min(second, std::max(first, value));
      first = std::min(first, value);
    }
  }
}

}  // namespace

const ShortKernels kShortScalar = {grams_scalar, minima_scalar};

const ShortKernels& short_kernels() {
#if NEARDUP_X86
  if (isa() == Isa::kAvx512) return kShortAvx512;
  if (isa() == Isa::kAvx2) return kShortAvx2;
#endif
  return kShortScalar;
}

}  // namespace internal

namespace {

using internal::ScriptKind;

// The marks before the first and after the last character: no character of a canonical text.
constexpr char32_t kBegin = 1;
constexpr char32_t kEnd = 2;
constexpr std::size_t kCharactersMax = kShortStoredUnitsMax;
// One gram begins at each character and at the begin mark, and one more at each that counts two units.
constexpr std::size_t kFeaturesMax = kShortStoredUnitsMax + 1;
constexpr std::size_t kBytesMax = kCharactersMax * 4;

ScriptKind kind_of(char32_t c) {
  const auto within = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  if (c < 0x0E00) return ScriptKind::kSpaced;
  if (within(0x2E80, 0x9FFF) || within(0xAC00, 0xD7FF) || within(0xF900, 0xFAFF))
    return ScriptKind::kSyllabic;
  if (within(0x0E00, 0x0EFF) || within(0x1000, 0x109F) || within(0x1780, 0x17FF) || within(0x1950, 0x19DF) ||
      within(0x1A20, 0x1AAF) || within(0xA9E0, 0xA9FF) || within(0xAA60, 0xAADF) ||
      within(0x11700, 0x1174F)) {
    return ScriptKind::kUnspaced;
  }
  if (within(0x1100, 0x11FF) || within(0xA960, 0xA97F) || within(0x1AFF0, 0x1B16F) ||
      within(0x20000, 0x3FFFF)) {
    return ScriptKind::kSyllabic;
  }
  return ScriptKind::kSpaced;
}

unsigned class_of(char32_t c) {
  if (c >= U'a' && c <= U'z') return c - U'a';
  if (c == U' ') return 26;
  if (c >= U'0' && c <= U'9') return 27 + (c - U'0') % 5;
  return static_cast<std::uint32_t>(c) * 0x9E3779B1U >> 27;
}

// One at a time into its two bits: the carry out of them is dropped.
void count_class(ClassCounts& counts, char32_t c) {
  const unsigned shift = 2 * class_of(c);
  const std::uint64_t mask = std::uint64_t{3} << shift;
  counts.bits = (counts.bits & ~mask) | ((counts.bits + (std::uint64_t{1} << shift)) & mask);
}

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= internal::kGramMultiplier1;
  x ^= x >> 29;
  x *= internal::kGramMultiplier2;
  return x ^ x >> 32;
}

// Odd factors that make a key of several values: outputs 80, 81, ... of the generator of the hash functions.
constexpr std::array<std::uint64_t, kShortMinima> make_factors() {
  std::array<std::uint64_t, kShortMinima> factors{};
  for (std::size_t i = 0; i < factors.size(); ++i) {
    factors[i] = internal::split_mix(2 * kShortMinima + i) | 1;
  }
  return factors;
}
constexpr std::array<std::uint64_t, kShortMinima> kFactors = make_factors();

constexpr std::uint32_t inverse(std::uint32_t odd) {  // mod 2^32; each step doubles the bits that are right
  std::uint32_t x = odd;
  for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
  return x;
}
constexpr std::array<std::uint32_t, kShortMinima> make_inverses() {
  std::array<std::uint32_t, kShortMinima> inverses{};
  for (std::size_t i = 0; i < inverses.size(); ++i) inverses[i] = inverse(internal::kShortHashes.factor[i]);
  return inverses;
}
constexpr std::array<std::uint32_t, kShortMinima> kInverses = make_inverses();
constexpr std::uint32_t kMinimumInverse = inverse(internal::kMinimumMultiplier);

void make_bands(const ShortMinima& minima, ShortSignature& signature) {
  for (std::size_t j = 0; j < kShortBands; ++j) {
    Band& band = signature.bands[j];
    std::uint64_t sum = 0;
    for (std::size_t e = 0; e < kBandMinima; ++e) {
      const std::size_t function = j * kBandMinima + e;
      sum += minima.first[function] * kFactors[function];
      band.features[e] = short_feature(minima.first[function], function);
    }
    band.key = mix(sum);
    for (std::size_t e = 0; e < kBandMinima; ++e) {
      const std::size_t function = j * kBandMinima + e;
      const std::uint32_t second = minima.second[function];
      const bool is_there = second != kNoMinimum;
      const std::uint64_t changed = (std::uint64_t{second} - minima.first[function]) * kFactors[function];
      band.variants[e] = is_there ? mix(sum + changed) : band.key;
      band.second_features[e] = is_there ? short_feature(second, function) : band.features[e];
    }
  }
  signature.band_count = kShortBands;
}

// Most texts that have show it in their first bytes.
bool has_too_many_characters(std::string_view canonical) {
  constexpr std::size_t kHeadBytes = 512;
  const std::string_view head = canonical.substr(0, kHeadBytes);
  const std::size_t count = code_point_count(head);
  return count > kCharactersMax || count + code_point_count(canonical.substr(head.size())) > kCharactersMax;
}

// The key of a string: its characters, each times the factor of its place. Leaving one out shifts those
// behind it by one place, so all keys follow from two rows of sums.
void make_tiny_keys(ShortSignature& signature) {
  const std::vector<char32_t>& text = signature.text;
  const std::size_t length = text.size();
  std::uint64_t whole = 0;
  std::uint64_t shifted = 0;  // the characters after the one left out, a place further to the front
  for (std::size_t i = 0; i < length; ++i) whole += text[i] * kFactors[i];
  for (std::size_t i = 1; i < length; ++i) shifted += text[i] * kFactors[i - 1];
  signature.tiny_keys[signature.tiny_count++] = mix(whole);
  // Two texts of four characters are within reach of each other at a threshold of .75 or less only, where
  // they are missed (core/DESIGN.md, "Short texts"). So these need no deletions: a fifth character may be one
  // too many, and that text has them.
  if (length == kTinyLengthMin) return;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < length; ++i) {
    if (i > 0) shifted -= text[i] * kFactors[i - 1];
    // Of equal neighbours it does not matter which one goes.
    if (i == 0 || text[i] != text[i - 1]) signature.tiny_keys[signature.tiny_count++] = mix(before + shifted);
    before += text[i] * kFactors[i];
  }
}

}  // namespace

struct ShortSigner::Work {
  std::array<char32_t, kCharactersMax + 2 + internal::kShortSlack> text{};
  std::array<ScriptKind, kCharactersMax + 2 + 4 * internal::kShortSlack> kinds{};
  std::array<std::uint32_t, kFeaturesMax + internal::kShortSlack> features{};

  // How often each gram has occurred, in a table of open addressing; a slot of an earlier text is empty.
  struct Slot {
    std::uint32_t gram;
    std::uint16_t count;
    std::uint16_t text;
  };
  static constexpr std::size_t kSlots = 1024;
  static_assert(kSlots > 2 * kFeaturesMax);
  std::array<Slot, kSlots> slots{};
  std::uint16_t text_number = 0;

  // Makes every feature occur once: the c-th repetition of a gram becomes a feature of its own.
  void number_repetitions(std::size_t count) {
    if (++text_number == 0) {
      slots.fill({});
      text_number = 1;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t gram = features[i];
      std::size_t at = gram % kSlots;
      while (slots[at].text == text_number && slots[at].gram != gram) at = (at + 1) % kSlots;
      if (slots[at].text != text_number) {
        slots[at] = {gram, 0, text_number};
      } else {
        features[i] = internal::gram_hash(std::uint64_t{++slots[at].count} << 32 | gram);
      }
    }
  }
};

ShortSigner::ShortSigner() : work_(std::make_unique<Work>()) {}
ShortSigner::~ShortSigner() = default;
ShortSigner::ShortSigner(ShortSigner&&) noexcept = default;
ShortSigner& ShortSigner::operator=(ShortSigner&&) noexcept = default;

bool ShortSigner::sign(std::string_view canonical, ShortSignature& signature) {
  // Most pages end here, before they are decoded.
  if (canonical.size() > kBytesMax || has_too_many_characters(canonical)) return false;
  std::size_t length = 0;
  for (std::size_t at = 0; at < canonical.size();) {
    char32_t c = static_cast<unsigned char>(canonical[at]);
    std::uint32_t size = 1;
    if (c >= 0x80) {
      const DecodedCodePoint decoded = decode_utf8(canonical.substr(at));
      c = decoded.code_point;
      size = decoded.size;
    }
    at += size;
    work_->text[++length] = c;
  }
  return finish(length, signature);
}

bool ShortSigner::sign(std::span<const char32_t> characters, ShortSignature& signature) {
  if (characters.size() > kCharactersMax) return false;
  std::copy(characters.begin(), characters.end(), work_->text.begin() + 1);
  return finish(characters.size(), signature);
}

// Signs the `length` characters that lie in work_->text from 1 on.
bool ShortSigner::finish(std::size_t length, ShortSignature& signature) {
  DCHECK(length > 0);
  Work& work = *work_;
  const std::size_t end = length + 1;
  signature.units = 0;
  signature.classes = {};
  for (std::size_t i = 1; i < end; ++i) {
    work.kinds[i] = kind_of(work.text[i]);
    signature.units += work.kinds[i] == ScriptKind::kSyllabic ? 2 : 1;
    count_class(signature.classes, work.text[i]);
  }
  if (signature.units > kShortStoredUnitsMax) return false;
  signature.text.assign(work.text.begin() + 1, work.text.begin() + static_cast<std::ptrdiff_t>(end));
  signature.features.clear();
  signature.band_count = 0;
  signature.tiny_count = 0;
  if (length >= kTinyLengthMin && length <= kTinyLengthMax) make_tiny_keys(signature);
  if (length < kShortBandLengthMin) return true;

  work.text[0] = kBegin;
  work.kinds[0] = work.kinds[1] == ScriptKind::kUnspaced ? ScriptKind::kUnspaced : ScriptKind::kSpaced;
  work.text[end] = kEnd;
  work.kinds[end] = ScriptKind::kSpaced;
  const std::size_t count =
      internal::short_kernels().grams(work.text.data(), work.kinds.data(), length + 2, work.features.data());
  work.number_repetitions(count);
  signature.features.assign(work.features.begin(),
                            work.features.begin() + static_cast<std::ptrdiff_t>(count));
  ShortMinima minima;
  short_minima(signature.features, minima);
  make_bands(minima, signature);
  return true;
}

void short_minima(std::span<const std::uint32_t> features, ShortMinima& minima) {
  internal::short_kernels().minima(features.data(), features.size(), minima);
}

std::uint32_t short_feature(std::uint32_t minimum, std::size_t function) {
  std::uint32_t x = minimum * kMinimumInverse;
  x ^= x >> internal::kMinimumShift ^ x >> (2 * internal::kMinimumShift);
  return x * kInverses[function] ^ internal::kShortHashes.offset[function];
}

}  // namespace neardup
