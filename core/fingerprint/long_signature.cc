#include "core/fingerprint/long_signature.h"

#include <optional>

#include "core/base/check.h"
#include "core/fingerprint/shingle_signer.h"
#include "core/fingerprint/sketch_kernels.h"

namespace neardup {
namespace {

constexpr double kRecallMin = .98;

// By products alone: a layout chosen by it is the same on every machine.
double power(double base, std::size_t exponent) {
  double product = 1;
  for (; exponent > 0; --exponent) product *= base;
  return product;
}

}  // namespace

double band_recall(BandLayout layout, double similarity) {
  const double second = similarity * (1 - similarity) / 2;
  const double one = power(similarity, layout.width) +
                     static_cast<double>(layout.width) * power(similarity, layout.width - 1) * second;
  return 1 - power(1 - one, layout.bands);
}

BandLayout band_layout(unsigned threshold_permille) {
  for (std::size_t width = kBandMinima; width > 2; --width) {
    const BandLayout layout{.bands = kMinimaBins / width, .width = width};
    if (band_recall(layout, threshold_permille / 1000.) >= kRecallMin) return layout;
  }
  return {.bands = kMinimaBins / 2, .width = 2};
}

void make_keys(BandLayout layout, ShingleKind kind, const std::array<std::uint32_t, kMinimaBins>& minima,
               std::span<Key> keys) {
  DCHECK(keys.size() == layout.bands && layout.bands <= kLongBandsMax);
  for (std::size_t j = 0; j < layout.bands; ++j) {
    std::uint64_t key = internal::begin_key(kind, j);
    for (std::size_t e = 0; e < layout.width; ++e)
      key = internal::with_minimum(key, minima[j * layout.width + e]);
    keys[j] = internal::finish_key(key);
  }
}

void make_bands(BandLayout layout, LongSignature& signature) {
  DCHECK(layout.bands <= kLongBandsMax && layout.bands * layout.width <= kMinimaBins);
  DCHECK(layout.width >= 2 && layout.width <= kBandMinima);
  signature.band_count = layout.bands;
  internal::sketch_kernels().make_bands(signature.minima.first.data(), signature.minima.second.data(),
                                        signature.kind, layout.bands, layout.width, signature.bands.data());
}

struct LongSigner::Work {
  Work(SketchSize size, BandLayout bands) : layout(bands) {
    if (size == SketchSize::kStandard) {
      standard.emplace();
    } else {
      compact.emplace();
    }
  }

  template <std::size_t kBytes>
  void take(ShingleSigner<kBytes>& signer, const ShingleSignature<kBytes>& made, LongSignature& out) {
    out.kind = made.kind;
    out.shingles = made.shingles;
    out.minima = made.minima;
    if constexpr (kBytes == kStandardSketchBytes) {
      out.standard = made.sketch;
    } else {
      out.compact = made.sketch;
    }
    signer.take_shingles(out.sample);
    make_bands(layout, out);
  }

  BandLayout layout;
  std::optional<ShingleSigner<kStandardSketchBytes>> standard;  // one of the two
  std::optional<ShingleSigner<kCompactSketchBytes>> compact;
  ShingleSignature<kStandardSketchBytes> made_standard;
  ShingleSignature<kCompactSketchBytes> made_compact;
};

LongSigner::LongSigner(SketchSize size, BandLayout layout) : work_(std::make_unique<Work>(size, layout)) {}
LongSigner::~LongSigner() = default;
LongSigner::LongSigner(LongSigner&&) noexcept = default;
LongSigner& LongSigner::operator=(LongSigner&&) noexcept = default;

// The seam of shingle_kind() is at a tenth; half and three times of it are where one more sentence of the
// other script may still carry a text across.
std::size_t LongSigner::kinds_of(const CanonicalText& text, std::array<ShingleKind, kSignaturesMax>& kinds) {
  kinds[0] = shingle_kind(text.tokens, text.characters);
  kinds[1] = kinds[0] == ShingleKind::kWords ? ShingleKind::kCharacters : ShingleKind::kWords;
  const std::uint64_t tokens = text.tokens;
  const std::uint64_t characters = text.characters;
  return characters * 20 > tokens && characters * 10 < tokens * 3 ? 2 : 1;
}

void LongSigner::begin_words(std::uint64_t tokens) {
  if (work_->standard) {
    work_->standard->begin(ShingleKind::kWords, tokens);
  } else {
    work_->compact->begin(ShingleKind::kWords, tokens);
  }
}

void LongSigner::add_words(std::span<const std::uint64_t> tokens) {
  if (work_->standard) {
    work_->standard->add(tokens);
  } else {
    work_->compact->add(tokens);
  }
}

bool LongSigner::finish_words(LongSignature& signature) {
  if (work_->standard) {
    if (!work_->standard->finish(work_->made_standard)) return false;
    work_->take(*work_->standard, work_->made_standard, signature);
  } else {
    if (!work_->compact->finish(work_->made_compact)) return false;
    work_->take(*work_->compact, work_->made_compact, signature);
  }
  return true;
}

void LongSigner::sign_characters(const CanonicalText& text, LongSignature& signature) {
  if (work_->standard) {
    work_->standard->sign_characters(text.text, work_->made_standard);
    work_->take(*work_->standard, work_->made_standard, signature);
  } else {
    work_->compact->sign_characters(text.text, work_->made_compact);
    work_->take(*work_->compact, work_->made_compact, signature);
  }
}

}  // namespace neardup
