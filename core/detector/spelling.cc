#include "core/detector/spelling.h"

#include <algorithm>

namespace neardup {
namespace {

using Letters = std::span<const char32_t>;

unsigned edits_allowed(std::size_t letters) {
  if (letters < kSpellingLettersMin) return 0;
  return static_cast<unsigned>(std::clamp<std::size_t>(letters / 5, 1, kSpellingEditsMax));
}

// What both begin and end with is part of a shortest way from one to the other, so only the rest is tried.
bool is_within(Letters a, Letters b, unsigned most) {
  while (!a.empty() && !b.empty() && a.front() == b.front()) a = a.subspan(1), b = b.subspan(1);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a = a.first(a.size() - 1);
    b = b.first(b.size() - 1);
  }
  const auto [fewer, more] = std::minmax({a.size(), b.size()});
  if (fewer == 0) return more <= most;
  if (more - fewer > most || most == 0) return false;
  if (is_within(a.subspan(1), b.subspan(1), most - 1)) return true;
  if (is_within(a.subspan(1), b, most - 1) || is_within(a, b.subspan(1), most - 1)) return true;
  return fewer > 1 && a[0] == b[1] && a[1] == b[0] && is_within(a.subspan(2), b.subspan(2), most - 1);
}

}  // namespace

std::optional<unsigned> misspelt_letters(Letters a, Letters b) {
  const auto [fewer, more] = std::minmax({a.size(), b.size()});
  const unsigned most = edits_allowed(more);
  for (auto edits = static_cast<unsigned>(more - fewer); edits <= most; ++edits) {
    if (is_within(a, b, edits)) return edits;
  }
  return std::nullopt;
}

std::optional<unsigned> misread_letters(Letters a, Letters b) {
  if (a.size() != b.size()) return std::nullopt;
  unsigned differing = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differing += a[i] != b[i];
  if (differing > edits_allowed(a.size())) return std::nullopt;
  return differing;
}

}  // namespace neardup
