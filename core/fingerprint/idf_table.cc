#include "core/fingerprint/idf_table.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/fingerprint/feature.h"
#include "core/fingerprint/word_lines.h"
#include "core/text/folder.h"
#include "core/text/tokenizer.h"

namespace neardup {
namespace {

constexpr std::size_t kDecimalsMax = 9;  // what follows them changes no weight by more than rounding

// "7.25" in units of 1/kOne, rounded half up; nothing if it is no plain decimal of 0 to kIdfMax.
std::optional<std::uint32_t> weight_of(std::string_view number) {
  const std::size_t point = std::min(number.find('.'), number.size());
  const std::string_view whole = number.substr(0, point);
  const std::string_view decimals = number.substr(std::min(point + 1, number.size()));
  const auto digits = [](std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (whole.empty() || whole.size() > 9 || !digits(whole) || !digits(decimals)) return std::nullopt;
  if (point + 1 == number.size()) return std::nullopt;  // "7."
  std::uint64_t value = 0;
  for (const char c : whole) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  std::uint64_t scale = 1;
  for (const char c : decimals.substr(0, kDecimalsMax)) {
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
    scale *= 10;
  }
  constexpr std::uint64_t kMax = IdfTable::kIdfMax;
  if (value > kMax * scale || (value == kMax * scale && decimals.find_first_not_of('0') < decimals.size())) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>((value * IdfTable::kOne + scale / 2) / scale);
}

// The feature that a canonical text is as a whole.
std::optional<std::uint64_t> feature_of(std::string_view canonical) {
  TokenReader reader(canonical);
  Token token;
  if (!reader.next(token)) return std::nullopt;
  const std::uint64_t first = token_feature(token.bytes);
  if (!reader.next(token)) return first;
  const std::uint64_t second = token_feature(token.bytes);
  const bool side_by_side = token.kind == Token::Kind::kCharacter && token.follows_character;
  if (!side_by_side || reader.next(token)) return std::nullopt;
  return bigram_feature(first, second);
}

}  // namespace

Result<IdfTable> IdfTable::parse(std::string_view file, FoldOptions fold) {
  IdfTable table;
  CanonicalText canonical;
  const Status read = read_word_lines(file, [&](std::string_view line) -> Status {
    const std::size_t gap = line.find_last_of("\t ");
    std::optional<std::uint32_t> weight;
    if (gap != std::string_view::npos) weight = weight_of(line.substr(gap + 1));
    if (!weight) {
      return Error{ErrorCode::kInvalid, "does not end with an idf, a plain decimal of 0 to " +
                                            std::to_string(kIdfMax) +
                                            "; write WORD<TAB>IDF, as in loaf\t7.25"};
    }
    canonicalize(line.substr(0, gap), canonical, fold);
    const std::optional<std::uint64_t> feature = feature_of(canonical.text);
    if (!feature) {
      ++table.skipped_;
      return {};
    }
    std::uint32_t& known = table.weights_.insert(*feature, *weight);
    known = std::min(known, *weight);
    return {};
  });
  if (!read) return read.error();
  if (table.size() == 0) return Error{ErrorCode::kInvalid, "weighs no word; write WORD<TAB>IDF, one a line"};

  std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
  table.weights_.each(
      [&](std::uint64_t feature, std::uint32_t weight) { all.emplace_back(feature, weight); });
  std::ranges::sort(all);
  std::string bytes;
  ByteWriter writer(bytes);
  for (const auto& [feature, weight] : all) {
    writer.u64(feature);
    writer.u32(weight);
  }
  table.digest_ = digest128(bytes);
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 2);
  std::ranges::nth_element(all, middle, {}, &std::pair<std::uint64_t, std::uint32_t>::second);
  table.median_ = middle->second;
  return table;
}

}  // namespace neardup
