#include "service/suggest.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/ascii.h"

namespace neardup {
namespace {

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('.') + 1); }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // row[j]: distance between the part of `a` seen so far and the first j bytes of `b`.
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string closest(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > 256) return "";
  const std::string wanted = lower_case(word);
  // A third of the letters may be wrong; one more would suggest things that look nothing alike.
  std::size_t best = std::max<std::size_t>(2, last_part(wanted).size() / 3) + 1;
  std::string answer;
  for (const std::string& candidate : candidates) {
    const std::string known = lower_case(candidate);
    // The last part alone is the weaker evidence: it must be nearer by one to win.
    std::size_t distance =
        std::min(edit_distance(wanted, known), edit_distance(last_part(wanted), last_part(known)) + 1);
    // "interval" for "interval_ms": a word left unfinished.
    const bool unfinished = wanted.size() >= 3 && known.starts_with(wanted) &&
                            known.find('.', wanted.size()) == std::string::npos;
    if (unfinished) distance = std::min<std::size_t>(distance, 2);
    if (distance < best) {
      best = distance;
      answer = candidate;
    }
  }
  return answer;
}

}  // namespace neardup
