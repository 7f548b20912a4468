#include "core/text/fold_groups.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "core/text/fold_table.h"
#include "core/text/simplified.h"
#include "core/text/utf8.h"

namespace neardup::internal {
namespace {

bool is_surrogate(char32_t c) { return c >= 0xD800 && c < 0xE000; }

// Whether a code point changes the one before it: a vowel or a final consonant of Hangul.
bool joins(char32_t c) { return c >= 0x1161 && c < 0x1200; }

std::uint8_t kind_of(FoldAction action) {
  switch (action) {
    case FoldAction::kWord:
      return kStays;
    case FoldAction::kCharacter:
    case FoldAction::kKana:
      return kStays | kStaysCharacter;
    case FoldAction::kHangul:
      return kStays | kStaysHangul;
    default:
      return kByDefinition;
  }
}

std::size_t utf8_size(char32_t code_point) {
  char bytes[4];
  return static_cast<std::size_t>(encode_utf8(code_point, bytes) - bytes);
}

// What a code point becomes: itself, or the sequence of the fold table.
std::vector<char32_t> folded(char32_t code_point, FoldOptions options) {
  std::vector<char32_t> result{code_point};
  const FoldEntry entry = fold_entry(code_point);
  if (entry >= kFirstSequence) {
    const char32_t* const sequence = kFoldSequences + (entry - kFirstSequence);
    result.assign(sequence + 1, sequence + 1 + sequence[0]);
  }
  if (options.chinese == ChineseForm::kSimplified) {
    for (char32_t& each : result) each = simplified(each);
  }
  return result;
}

// Puts what becomes others at its place, if it is part of one word or one other character, and no longer than
// it was.
void add_rewritten(FoldGroup& group, std::size_t place, std::size_t room,
                   std::span<const char32_t> characters) {
  std::array<std::uint8_t, 4> bytes{};
  std::size_t size = 0;
  std::uint8_t kind = kByDefinition;
  for (const char32_t each : characters) {
    const FoldEntry entry = fold_entry(each);
    kind = kind_of(fold_action(entry));
    const bool fits = kind == kStays || (kind != kByDefinition && characters.size() == 1);
    if (!fits || joins(each) || fold_order(entry) != 0 || size + utf8_size(each) > room) return;
    char encoded[4];
    for (const char* c = encoded; c != encode_utf8(each, encoded); ++c) {
      bytes[size++] = static_cast<std::uint8_t>(*c);
    }
  }
  if (size == 1) {
    group.action[place] = bytes[0];
    return;
  }
  group.action[place] = kind | kRewritten;
  for (std::size_t i = 0; i < 3; ++i) group.bytes[i][place] = bytes[i];
  group.rewrites = true;
}

void add(FoldGroup& group, std::size_t place, char32_t code_point, FoldOptions options) {
  std::uint8_t& action = group.action[place];
  const std::size_t size = utf8_size(code_point);
  const std::vector<char32_t> becomes = folded(code_point, options);
  if (becomes != std::vector<char32_t>{code_point}) {
    add_rewritten(group, place, size, becomes);
    return;
  }
  const FoldEntry entry = fold_entry(code_point);
  switch (fold_action(entry)) {
    case FoldAction::kSeparator:
      action = kSeparates;
      break;
    case FoldAction::kNothing:
      action = kVanishes;
      break;
    case FoldAction::kVoicing:
      break;
    case FoldAction::kHangul:
      if (!joins(code_point)) action = kind_of(FoldAction::kHangul);
      break;
    case FoldAction::kWord:
    case FoldAction::kCharacter:
    case FoldAction::kKana:
      if (size == 1) {
        action = static_cast<std::uint8_t>(code_point);
      } else if (fold_order(entry) == 0) {
        action = kind_of(fold_action(entry));
      } else if (size == 3) {
        action = kind_of(fold_action(entry)) | kOrdered;
        group.bytes[0][place] = static_cast<std::uint8_t>(fold_order(entry));
        group.orders = true;
      }
  }
}

FoldGroup make_group(char32_t first, FoldOptions options) {
  FoldGroup group{};
  std::fill(std::begin(group.action), std::end(group.action), kByDefinition);
  for (std::size_t place = 0; place < FoldGroup::kSize; ++place) {
    const auto code_point = static_cast<char32_t>(first + place);
    if (!is_surrogate(code_point)) add(group, place, code_point, options);
  }
  return group;
}

bool same(const FoldGroup& a, const FoldGroup& b) {
  return std::memcmp(a.action, b.action, sizeof a.action) == 0 &&
         std::memcmp(a.bytes, b.bytes, sizeof a.bytes) == 0;
}

FoldGroups make_groups(FoldOptions options) {
  FoldGroups result{};
  for (std::size_t number = 0; number < FoldGroups::kCount; ++number) {
    const FoldGroup group = make_group(static_cast<char32_t>(number * FoldGroup::kSize), options);
    const auto known = std::find_if(result.groups.begin(), result.groups.end(),
                                    [&](const FoldGroup& each) { return same(each, group); });
    result.index[number] = static_cast<std::uint16_t>(known - result.groups.begin());
    if (known == result.groups.end()) result.groups.push_back(group);
  }
  result.ascii = result[0];
  result.latin_0080 = result[0x0080 / FoldGroup::kSize];
  result.punctuation_2000 = result[0x2000 / FoldGroup::kSize];
  result.punctuation_3000 = result[0x3000 / FoldGroup::kSize];
  result.kana_3080 = result[0x3080 / FoldGroup::kSize];
  for (std::size_t second = 0; second < result.symbols_e2.size(); ++second) {
    const std::uint8_t* const action =
        result[(0x2000 + 64 * second) / FoldGroup::kSize].action + second % 2 * 64;
    const bool all = std::all_of(action, action + 64, [](std::uint8_t each) { return each == kSeparates; });
    result.symbols_e2[second] = all ? kSeparates : kByDefinition;
  }
  const auto separates = [&](std::size_t code_point) -> unsigned {
    return result[code_point / FoldGroup::kSize].action[code_point % FoldGroup::kSize] == kSeparates ? 1 : 0;
  };
  for (std::size_t place = 0; place < result.separators.size(); ++place) {
    const unsigned in_2000 = separates(0x2000 + place);
    const unsigned in_3000 = separates(0x3000 + place);
    const unsigned in_ff00 = separates(0xFF00 + place);
    result.separators[place] =
        static_cast<std::uint8_t>(in_2000 * kAmong2000 | in_3000 * kAmong3000 | in_ff00 * kAmongFf00);
    result.separators_2000_3000[place % 16] |=
        static_cast<std::uint8_t>((in_2000 | in_3000 << 4) << place / 16);
    result.separators_ff00[place % 16] |= static_cast<std::uint8_t>(in_ff00 << place / 16);
  }
  result.ideographs_stay = options.chinese == ChineseForm::kAsIs;
  return result;
}

}  // namespace

const FoldGroups& fold_groups(FoldOptions options) {
  if (options.chinese == ChineseForm::kSimplified) {
    static const FoldGroups simplified_groups = make_groups(options);
    return simplified_groups;
  }
  static const FoldGroups groups = make_groups(options);
  return groups;
}

}  // namespace neardup::internal
