// The part of html_main.h that finds what an article begins with, before its best container.

#include <algorithm>
#include <array>

#include "core/text/html_main.h"

namespace neardup::internal {
namespace {

constexpr std::uint32_t kLeadBytes = 120;  // a shorter paragraph before the article is no part of it
constexpr std::size_t kLeadsMax = 8;       // more of them are other articles
constexpr int kLeadLevels = 4;             // above the article, so far is looked for its heading

}  // namespace

// An article may begin in a header of its own: with long paragraphs before the best container. A short one is
// rather a line below the title, and many are other articles.
void HtmlMainContent::choose_lead(Index best) {
  const Beginning article = beginning_of(best);
  if (article.container == 0 || !is_wrapped_only(best, article.container)) return;
  steps_ += best - article.first;
  std::array<Index, kLeadsMax> leads{};
  std::size_t count = 0;
  for (Index i = article.first; i < best; ++i) {
    const bool paragraph = at(i).tag == HtmlTag::kParagraph || is_phrase(at(i), sum_[i]);
    const bool lead = paragraph && dead_[i] == kAlive && chosen_[i] == 0 && sum_[i].bytes >= kLeadBytes &&
                      sum_[i].link_density() <= kSectionLinks;
    if (!lead || !is_wrapped_only(i, article.container)) continue;
    if (count == kLeadsMax) return;
    leads[count++] = i;
  }
  if (count == 0) return;
  const auto choose_around = [&](Index i) {
    for (i = at(i).parent; i > article.container; i = at(i).parent) chosen_[i] = 1;
  };
  for (std::size_t k = 0; k < count; ++k) {
    choose_around(leads[k]);
    std::fill(chosen_.begin() + leads[k], chosen_.begin() + at(leads[k]).end, std::uint8_t{1});
  }
  choose_around(best);
  root_ = article.container;
}

// Where the article begins whose best container this is: the <article> or <main> around it, or else the <h1>
// before it and what holds both; for want of an <h1> the <h2> of a <header>, for one elsewhere may be of
// another article.
HtmlMainContent::Beginning HtmlMainContent::beginning_of(Index best) {
  for (Index above = at(best).parent; above != 0; above = at(above).parent) {
    if (has_trait(at(above).tag, HtmlTrait::kMain)) return {above, above + 1};
  }
  find_headlines();
  Index headline = last_before(headlines_, best);
  if (headline == 0) {
    headline = last_before(subheads_, best);
    Index header = at(headline).parent;
    for (int level = 1; level < kLeadLevels && at(header).tag != HtmlTag::kHeader; ++level)
      header = at(header).parent;
    if (at(header).tag != HtmlTag::kHeader) return {};
  }
  Index above = at(best).parent;
  for (int level = 1; level < kLeadLevels && above > headline; ++level) above = at(above).parent;
  if (above < headline) return {above, headline + 1};
  return {};
}

// The last of `headings` that stands before `best` and says something; 0: none.
HtmlMainContent::Index HtmlMainContent::last_before(const std::vector<Index>& headings, Index best) const {
  auto before = std::lower_bound(headings.begin(), headings.end(), best);
  while (before != headings.begin() && (dead_[before[-1]] != kAlive || sum_[before[-1]].bytes == 0)) --before;
  return before == headings.begin() ? 0 : before[-1];
}

// What stands between container i, which it does not count, and `above` has next to no text of its own.
bool HtmlMainContent::is_wrapped_only(Index i, Index above) {
  for (i = at(i).parent; i > above; i = at(i).parent) {
    ++steps_;
    if (at(i).bytes >= kVoteBytes) return false;
  }
  return true;
}

}  // namespace neardup::internal
