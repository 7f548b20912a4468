#include "core/returning.h"

#include "core/base/prefetch_line.h"

namespace neardup {

Returning::Returning(const DetectorOptions& options)
    : mode_(options.mode), routes_(options.routes()), sketch_(options.sketch), layout_(options.layout()) {
  if (mode_ == DetectorMode::kMgram) mgram_signer_.emplace(mgrams_of_kept(options));
}

MgramOptions mgrams_of_kept(const DetectorOptions& options) {
  const MgramUnits over =
      options.gram_units == MgramUnits::kContentWords ? MgramUnits::kWords : options.gram_units;
  return {.m = options.gram_size, .over = over};
}

Status Returning::prepare(std::span<const Unique> uniques) {
  uniques_ = uniques;
  signatures_ = 0;
  if (routes_ == RouteParts::kNone) return {};
  if (forms_.size() < uniques.size()) forms_.resize(uniques.size());
  for (std::size_t i = 0; i < uniques.size(); ++i) {
    Status status = decode_kept(uniques[i].kept, sketch_, forms_[i].kept);
    if (status && !sign(forms_[i]))
      status = Error{ErrorCode::kCorrupt, "what was kept of a unique is not what this detector.mode keeps"};
    if (status) continue;
    uniques_ = uniques.first(i);
    return status;
  }
  return {};
}

namespace {

template <class Signature>
Signature& next_of(std::vector<Signature>& signatures, std::size_t& used) {
  if (used == signatures.size()) signatures.emplace_back();
  return signatures[used++];
}

}  // namespace

bool Returning::sign(Form& form) {
  KeptForm& kept = form.kept;
  form.signature = signatures_;
  if (kept.is_empty()) return true;
  if (mgram_signer_) {
    if (!kept.has_mgrams) return false;
    MgramSignature& mgrams = next_of(mgrams_, signatures_);
    mgram_signer_->sign(kept.characters, mgrams);
    return !mgrams.units.empty();
  }
  kept.has_short = kept.has_short && mode_ == DetectorMode::kHybrid;
  if (kept.page_count == 0 && !kept.has_short) return false;
  for (ReturningPage& page : std::span(kept.pages).first(kept.page_count))
    make_keys(layout_, page.kind, page.minima, std::span(page.keys).first(layout_.bands));
  return !kept.has_short || short_signer_.sign(kept.characters, next_of(short_texts_, signatures_));
}

void Returning::prefetch(std::size_t i) const {
  if (i >= uniques_.size()) return;
  prefetch_line(&uniques_[i].id);  // these three reach all lines that it lies on
  prefetch_line(&uniques_[i].signature);
  prefetch_line(&uniques_[i].kept);
  if (routes_ == RouteParts::kNone) return;
  // To the end of its first page; few have a second one.
  const auto* const begin = reinterpret_cast<const std::byte*>(&forms_[i]);
  const auto* const end = reinterpret_cast<const std::byte*>(&forms_[i].kept.pages[1]);
  for (const std::byte* line = begin; line < end; line += 64) prefetch_line(line);
}

Returning::One Returning::operator[](std::size_t i) const {
  One one{.unique = uniques_[i]};
  if (routes_ == RouteParts::kNone) return one;
  const Form& form = forms_[i];
  one.pages = std::span(form.kept.pages).first(form.kept.page_count);
  if (form.kept.has_mgrams) {
    one.mgrams = &mgrams_[form.signature];
  } else if (form.kept.has_short) {
    one.short_text = &short_texts_[form.signature];
  }
  return one;
}

}  // namespace neardup
