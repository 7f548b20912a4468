#include "core/fingerprint/idf_table.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/fingerprint/feature.h"
#include "core/fingerprint/word_lines.h"
#include "core/limits.h"
#include "core/text/folder.h"
#include "core/text/tokenizer.h"

namespace neardup {
namespace {

constexpr int kDecimals = 9;                      // what follows them changes no weight by more than rounding
constexpr std::int64_t kExponentMax = 1'000'000;  // no line has so many digits that more would matter
static_assert(kWordLineBytesMax < kExponentMax);

bool take_one_of(std::string_view& text, std::string_view characters) {
  const bool is_there = !text.empty() && characters.find(text.front()) != std::string_view::npos;
  text.remove_prefix(is_there ? 1 : 0);
  return is_there;
}

std::string_view take_digits(std::string_view& text) {
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(digits.size());
  return digits;
}

// "7.25", ".5" or "1e-3" in units of 1/kOne, rounded half up; nothing if it is no number of 0 to kIdfMax.
// Takes what std::from_chars takes for a double, but for signs, inf and nan; by whole numbers, since nothing
// that is stored may hang on floating point.
std::optional<std::uint32_t> weight_of(std::string_view number) {
  std::string digits(take_digits(number));
  auto point = static_cast<std::int64_t>(digits.size());  // before which digit it stands
  if (take_one_of(number, ".")) digits += take_digits(number);
  if (digits.empty()) return std::nullopt;
  if (take_one_of(number, "eE")) {
    const bool is_negative = number.starts_with('-');
    take_one_of(number, "+-");
    const std::string_view power = take_digits(number);
    if (power.empty()) return std::nullopt;
    std::int64_t exponent = 0;
    for (const char c : power) exponent = std::min(10 * exponent + (c - '0'), kExponentMax);
    point += is_negative ? -exponent : exponent;
  }
  if (!number.empty()) return std::nullopt;

  const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
  digits.erase(0, zeros);
  if (digits.empty()) return 0;
  point -= static_cast<std::int64_t>(zeros);
  if (point > 2) return std::nullopt;
  std::uint64_t value = 0;  // in units of 10^-kDecimals
  std::size_t taken = 0;
  for (std::int64_t place = 0; place < point + kDecimals; ++place) {
    value = 10 * value + (taken < digits.size() ? static_cast<std::uint64_t>(digits[taken++] - '0') : 0);
  }
  constexpr std::uint64_t kScale = 1'000'000'000;
  constexpr std::uint64_t kMax = IdfTable::kIdfMax * kScale;
  const bool has_more = digits.find_first_not_of('0', taken) != std::string::npos;
  if (value > kMax || (value == kMax && has_more)) return std::nullopt;
  return static_cast<std::uint32_t>((value * IdfTable::kOne + kScale / 2) / kScale);
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
      return Error{ErrorCode::kInvalid, "does not end with an idf, a number of 0 to " +
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
