#include "core/detector.h"

#include <optional>
#include <string>

#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/fingerprint/hamming.h"
#include "core/index/exact_index.h"
#include "core/index/hamming_index.h"
#include "core/index/unique_log.h"
#include "core/limits.h"

namespace neardup {

static_assert(kUniquesMax <= HammingIndex<kFingerprintBits>::kWindowMax);

struct Detector::State {
  explicit State(DetectorOptions o) : options(o), exact(uniques.digests()), near({.distance = o.distance}) {}

  // All but its fingerprint, which `near` has already.
  void remember(const Unique& unique) {
    uniques.append({.id = unique.id,
                    .url = unique.url,
                    .source = unique.source,
                    .exact = unique.signature.exact,
                    .tokens = unique.signature.tokens});
    exact.insert_next();
  }

  const DetectorOptions options;
  UniqueLog uniques;  // the truth, but for the fingerprints, which are in `near`
  ExactIndex exact;
  HammingIndex<kFingerprintBits> near;
  std::uint64_t candidates = 0;  // of the last apply
};

Detector::Detector(DetectorOptions options) {
  CHECK(options.distance >= 0 && options.distance <= kHammingDistanceMax, "config refuses other distances");
  state_ = std::make_unique<State>(options);
}
Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;

Decision Detector::apply(const Arrival& arrival) {
  const Signature& signature = arrival.signature;
  state_->candidates = 0;
  // The same text has the same fingerprint. So in a history decided at one distance no earlier unique is near
  // its leader, which would not have been unique then: the leader is the lowest match anyway, and asking here
  // first only spares the search and names the stronger kind. A history restored from another distance may
  // hold a lower near match; the same text wins over it.
  if (const std::optional<Sequence> same = state_->exact.find(signature.exact)) {
    return {.verdict = Verdict::kDuplicate,
            .kind = DuplicateKind::kExact,
            .sequence = *same,
            .distance = 0,
            .similarity_permille = similarity_permille(0)};
  }
  const std::uint64_t before = state_->near.counts().candidates;
  std::optional<Match> match;
  state_->near.check_and_insert({&signature.fingerprint.bits, 1}, MatchMode::kFirst, {&match, 1});
  state_->candidates = state_->near.counts().candidates - before;
  if (match) {
    return {.verdict = Verdict::kDuplicate,
            .kind = DuplicateKind::kNear,
            .sequence = match->sequence,
            .distance = match->distance,
            .similarity_permille = similarity_permille(match->distance)};
  }
  const Sequence sequence = size();
  state_->remember(arrival);
  return {.verdict = Verdict::kUnique, .sequence = sequence};
}

Decision Detector::check(const Arrival& arrival) const {
  const Signature& signature = arrival.signature;
  state_->candidates = 0;
  if (const std::optional<Sequence> same = state_->exact.find(signature.exact)) {
    return {.verdict = Verdict::kDuplicate,
            .kind = DuplicateKind::kExact,
            .sequence = *same,
            .distance = 0,
            .similarity_permille = similarity_permille(0)};
  }
  const std::uint64_t before = state_->near.counts().candidates;
  const std::optional<Match> match = state_->near.find(signature.fingerprint.bits, MatchMode::kFirst);
  state_->candidates = state_->near.counts().candidates - before;
  if (!match) return {.verdict = Verdict::kUnique, .sequence = size()};
  return {.verdict = Verdict::kDuplicate,
          .kind = DuplicateKind::kNear,
          .sequence = match->sequence,
          .distance = match->distance,
          .similarity_permille = similarity_permille(match->distance)};
}

std::uint64_t Detector::candidates() const { return state_->candidates; }

Detector::LookupCounts Detector::lookup_counts() const {
  const ProbeCounts counts = state_->near.counts();
  return {
      .slow = counts.slow, .truncated = counts.truncated, .largest_bucket = state_->near.largest_bucket()};
}

void Detector::restore(const Unique& unique) {
  state_->near.insert(unique.signature.fingerprint.bits);
  state_->remember(unique);
}

Unique Detector::unique(Sequence sequence) const {
  CHECK(sequence < size(), "no such unique");
  const UniqueLog::Entry entry = state_->uniques.entry(sequence);
  return {.id = entry.id,
          .url = entry.url,
          .source = entry.source,
          .signature = {
              .exact = entry.exact, .fingerprint = {state_->near.word(sequence)}, .tokens = entry.tokens}};
}

std::uint64_t Detector::size() const { return state_->uniques.size(); }

std::size_t Detector::bytes() const {
  return state_->uniques.bytes() + state_->exact.bytes() + state_->near.bytes();
}

// Besides what is remembered, the answers hang on the distance and on what a signature means.
Digest128 Detector::state_digest() const {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.u16(kSignatureVersion);
  writer.u8(static_cast<std::uint8_t>(state_->options.distance));
  writer.u64(size());
  writer.digest(state_->uniques.digest());
  writer.digest(state_->near.state_digest());
  return digest128(bytes);
}

}  // namespace neardup
