#include "core/fingerprint/mgram_signature.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/limits.h"
#include "core/text/fold_table.h"
#include "core/text/utf8.h"

namespace neardup {
namespace {

constexpr std::uint64_t kBase = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kMultiplier = 0xD6E8FEB86659FD93;

// Stop words are looked for in so many bytes: they leave a text of kMgramTextMax characters nearly always.
constexpr std::size_t kCutBytesMax = 32 * kMgramTextMax;

std::string_view beginning(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  while ((static_cast<unsigned char>(text[bytes_max]) & 0xC0) == 0x80) --bytes_max;
  return text.substr(0, bytes_max);
}

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= kBase;
  x ^= x >> 29;
  x *= kMultiplier;
  return x ^ x >> 32;
}

bool is_token(char32_t c) { return c >= 0xE00 && (is_token_character(c) || is_hangul(c)); }

// The hash of a run of units before it is mixed: a polynomial, so that the next run follows from this one.
std::uint64_t appended(std::uint64_t run, char32_t unit) { return run * kBase + unit + 1; }

}  // namespace

void mgram_units(MgramUnits over, std::span<const char32_t> text, std::vector<char32_t>& units) {
  if (over == MgramUnits::kCharacters) {
    units.assign(text.begin(), text.end());
    return;
  }
  units.clear();
  std::uint64_t word = 0;
  bool in_word = false;
  const auto end_word = [&] {
    if (in_word) units.push_back(static_cast<char32_t>(mix(word) >> 32));
    word = 0;
    in_word = false;
  };
  for (const char32_t c : text) {
    const bool is_alone = is_token(c);
    if (c == U' ' || is_alone) end_word();
    if (c == U' ') continue;
    word = appended(word, c);
    in_word = true;
    if (is_alone) end_word();
  }
  end_word();
}

void mgram_keys(unsigned m, std::span<const char32_t> units, std::vector<Key>& keys) {
  keys.clear();
  std::uint64_t run = 0;
  std::uint64_t gone = 1;  // the factor of the unit that leaves a run when the next one enters
  for (unsigned i = 0; i < m; ++i) gone *= kBase;
  for (std::size_t i = 0; i < units.size(); ++i) {
    run = appended(run, units[i]);
    if (i >= m) run -= gone * (std::uint64_t{units[i - m]} + 1);
    if (i + 1 >= m) keys.push_back(mix(run));
  }
  if (units.size() < m) keys.push_back(mix(run));
}

MgramSigner::MgramSigner(MgramOptions options) : options_(std::move(options)) {
  CHECK(options_.m >= 1 && options_.m <= kMgramSizeMax, "the size of a gram");
  CHECK((options_.over == MgramUnits::kContentWords) == (options_.stop_words != nullptr),
        "stop words are left out if there are any");
}

void MgramSigner::sign(std::string_view canonical, MgramSignature& signature) {
  DCHECK(!canonical.empty());
  signature.is_cut = false;
  if (options_.stop_words != nullptr) {
    const std::string_view head = beginning(canonical, kCutBytesMax);
    signature.is_cut = head.size() < canonical.size();
    canonical = head;
    if (options_.stop_words->cut(head, cut_)) {
      canonicalize(cut_, rest_);
      if (!rest_.text.empty()) canonical = rest_.text;
    }
  }
  signature.text.clear();
  while (!canonical.empty() && signature.text.size() < kMgramTextMax) {
    const DecodedCodePoint next = decode_utf8(canonical);
    signature.text.push_back(next.code_point);
    canonical.remove_prefix(next.size);
  }
  signature.is_cut |= !canonical.empty();
  finish(signature);
}

void MgramSigner::sign(std::span<const char32_t> text, MgramSignature& signature) {
  DCHECK(text.size() <= kMgramTextMax);
  signature.text.assign(text.begin(), text.end());
  signature.is_cut = false;
  finish(signature);
}

void MgramSigner::finish(MgramSignature& signature) {
  mgram_units(options_.over, signature.text, signature.units);
  mgram_keys(options_.m, signature.units, keys_);
  std::sort(keys_.begin(), keys_.end());
  signature.grams.clear();
  for (const Key key : keys_) {
    if (signature.grams.empty() || signature.grams.back().key != key) signature.grams.push_back({key, 0});
    ++signature.grams.back().count;
  }
  signature.norm = 0;
  for (const Mgram& gram : signature.grams) signature.norm += gram.count * gram.count;
}

}  // namespace neardup
