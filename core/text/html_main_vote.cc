// The part of html_main.h that finds the best container.

#include <algorithm>
#include <array>

#include "core/text/html_main.h"

namespace neardup::internal {
namespace {

constexpr float kNoVote = -1e30F;
constexpr std::uint32_t kThinBytes = 200;  // a container with less wins nothing by its name
constexpr int kCandidates = 5;
constexpr float kParallelLinks = .35F;        // a section with a larger share of links is none of several
constexpr std::uint32_t kLargestSection = 5;  // times all others: it is the article, they are beside it
constexpr float kRestLinks = .35F;            // a rest of <main> with no larger share of links is text of it
constexpr float kFewLinks = .1F;              // a rest with no larger one, and prose, is text wherever it is
constexpr float kSomeLinks = .3F;             // so is one with no larger one that is long
constexpr std::uint32_t kLongRest = 1000;
constexpr float kDescribedLinks = .5F;
constexpr float kTableLinks = .7F;  // a table of data with a larger share of links is a list of them

}  // namespace

void HtmlMainContent::hold_vote(const Rules& rules) {
  add_up(rules);
  const Index n = size();
  votes_.assign(n, 0);
  stands_for_.resize(n);
  stands_for_[0] = 0;
  steps_ += std::size_t{2} * n + page_->blocks.size();
  for (Index i = 1; i < n; ++i) {
    const HtmlContainer& each = at(i);
    const HtmlSum& sum = sum_[i];
    // A div around one paragraph is that paragraph: who lies inside votes for what is outside.
    const bool wrapper = each.tag == HtmlTag::kDiv && sum.children == 1 && sum.paragraph_children == 1 &&
                         each.bytes == 0 && sum.link_density() < .25F;
    stands_for_[i] = wrapper ? stands_for_[each.parent] : i;
    if (dead_[i] != kAlive || sum.bytes < kVoteBytes) continue;
    if (has_trait(each.tag, Trait::kVoter) || is_phrase(at(i), sum)) vote(each.parent, sum.bytes, sum.commas);
  }
  // text straight in a div, between other blocks
  for (const HtmlBlock& block : page_->blocks) {
    if (block.size < kVoteBytes) continue;
    const Index i = block.container;
    const bool div_like = i == 0 || has_trait(at(i).tag, Trait::kDivLike);
    if (!div_like || dead_[i] != kAlive || is_phrase(at(i), sum_[i])) continue;
    vote(i, block.size, block.commas);
  }
}

// Of what lies straight in `container`, for it and what is around it.
void HtmlMainContent::vote(Index container, std::uint32_t bytes, std::uint32_t commas) {
  constexpr std::array<float, 5> kDivisors = {1, 2, 6, 9, 12};
  const float points = 2 + static_cast<float>(commas + std::min(bytes / 100, 3U));
  for (const float divisor : kDivisors) {
    container = stands_for_[container];
    votes_[container] += points / divisor;
    if (container == 0) return;
    container = at(container).parent;
  }
}

// What a container has before anyone votes.
float HtmlMainContent::name_score(const Rules& rules, Index i) const {
  auto score = static_cast<float>(weight_of(rules, i));
  switch (at(i).tag) {
    case HtmlTag::kDiv:
      score += 5;
      break;
    case HtmlTag::kPreformatted:
    case HtmlTag::kCell:
    case HtmlTag::kQuote:
      score += 3;
      break;
    case HtmlTag::kAddress:
    case HtmlTag::kList:
    case HtmlTag::kDefinitions:
    case HtmlTag::kDefinition:
    case HtmlTag::kItem:
    case HtmlTag::kForm:
      score -= 3;
      break;
    case HtmlTag::kHeadline:
    case HtmlTag::kSubhead:
    case HtmlTag::kMinorHead:
    case HtmlTag::kHeaderCell:
      score -= 5;
      break;
    default:
      break;
  }
  if (at(i).has(Flag::kArticleBody)) score += 25;
  return score;
}

// ---- who wins ----

// The best container and its qualified siblings, or the whole page.
void HtmlMainContent::choose(const Rules& rules) {
  const Index best = best_container(rules);
  root_ = at(best).parent;
  if (best == 0) {
    chosen_.assign(size(), 1);
  } else {
    choose_with_siblings(best);
    choose_lead(best);
  }
}

// 0: the whole page.
HtmlMainContent::Index HtmlMainContent::best_container(const Rules& rules) {
  const Index n = size();
  steps_ += n;
  score_.assign(n, kNoVote);
  std::array<Index, kCandidates> best{};
  std::array<float, kCandidates> merit{};
  int count = 0;
  for (Index i = 0; i < n; ++i) {
    if (votes_[i] == 0) continue;
    const float name = name_score(rules, i);
    const float thinned = 1 - sum_[i].link_density();
    const float pick = (votes_[i] + (sum_[i].bytes < kThinBytes ? std::min(name, 0.F) : name)) * thinned;
    score_[i] = (votes_[i] + name) * thinned;
    int place = count < kCandidates ? count++ : kCandidates;
    for (; place > 0 && pick > merit[place - 1]; --place) {
      if (place == kCandidates) continue;
      best[place] = best[place - 1];
      merit[place] = merit[place - 1];
    }
    if (place < kCandidates) best[place] = i, merit[place] = pick;
  }
  if (count == 0 || best[0] == 0) return 0;
  Index top = common_ancestor(best[0], best.data(), count);
  if (score_[top] == kNoVote) score_[top] = name_score(rules, top);
  return widen_to_prose(widen_in_main(widen_to_parallel_sections(leave_table(climb(top)))));
}

// Where at least four candidates are about as good: what holds the best one and three others.
HtmlMainContent::Index HtmlMainContent::common_ancestor(Index best, const Index* candidates,
                                                        int count) const {
  int alike = 0;
  while (alike < count && score_[candidates[alike]] >= .75F * score_[best]) ++alike;
  if (alike < 4) return best;
  for (Index above = at(best).parent; above != 0; above = at(above).parent) {
    const auto inside = std::count_if(candidates + 1, candidates + alike,
                                      [&](Index i) { return i > above && i < at(above).end; });
    if (inside >= 3) return above;
  }
  return best;
}

// A parent whose score is better than what is below it holds more of the article.
HtmlMainContent::Index HtmlMainContent::climb(Index best) {
  float last = score_[best];
  const float least = last / 3;
  for (Index above = at(best).parent; above != 0; above = at(above).parent) {
    ++steps_;
    if (score_[above] == kNoVote) continue;
    if (score_[above] < least) break;
    if (score_[above] > last) {
      best = above;
      break;
    }
    last = score_[above];
  }
  while (at(best).parent != 0 && is_only_child(best)) best = at(best).parent;
  return best;
}

// A row, or a list of definitions, is part of an article and no article. A table for layout may be one.
HtmlMainContent::Index HtmlMainContent::leave_table(Index best) const {
  Index left = best;
  int levels = 0;
  for (Index i = best; i != 0 && levels < 4; i = at(i).parent, ++levels) {
    const HtmlTag tag = at(i).tag;
    if (tag == HtmlTag::kDefinitions || (tag == HtmlTag::kTable && is_data_table(i, sum_[i])))
      left = at(i).parent;
    const bool part = tag == HtmlTag::kDefinition || tag == HtmlTag::kDefinitions || tag == HtmlTag::kTable ||
                      tag == HtmlTag::kTableHead || tag == HtmlTag::kTableBody || tag == HtmlTag::kRow;
    if (!part) break;
  }
  return left;
}

// A manual is cut into sections of one kind, each with its heading or with paragraphs. Where the best
// container is or lies in one of them, the others are as good: what holds them all is taken.
HtmlMainContent::Index HtmlMainContent::widen_to_parallel_sections(Index best) {
  for (Index section = best; section != 0; section = at(section).parent) {
    const Index parent = at(section).parent;
    std::uint32_t sections = 0;
    std::uint32_t bytes_of_others = 0;
    bool found = false;
    for (Index i = parent + 1; i < at(parent).end; i = at(i).end) {
      ++steps_;
      const bool named = at(i).class_hash != 0 || at(i).tag == HtmlTag::kSection;
      const bool parallel =
          named && at(i).tag == at(section).tag && at(i).class_hash == at(section).class_hash;
      const bool telling = sum_[i].heading_bytes != 0 || sum_[i].is_prose();
      if (!parallel || dead_[i] != kAlive || !telling || sum_[i].link_density() > kParallelLinks) continue;
      ++sections;
      if (i == section) {
        found = true;
      } else {
        bytes_of_others += sum_[i].bytes;
      }
    }
    if (found && sections >= 3 && kLargestSection * bytes_of_others >= sum_[section].bytes) best = parent;
    if (best == 0) break;
  }
  return best;
}

// The page says that all of <main> or <article> is the text. So where the best container is the smaller part
// of what holds it in there, and the other part is neither links nor cards with a picture each, both are
// taken: sections of many kinds.
HtmlMainContent::Index HtmlMainContent::widen_in_main(Index best) {
  Index wide = best;
  for (Index above = best; above != 0;) {
    above = at(above).parent;
    ++steps_;
    const HtmlSum rest = sum_[above].without(sum_[wide]);
    const bool cards = 2 * rest.images > rest.paragraphs;
    if (rest.bytes >= sum_[wide].bytes && rest.link_density() <= kRestLinks && !cards) wide = above;
    if (has_trait(at(above).tag, HtmlTrait::kMain)) return wide;
  }
  return best;
}

// Most pages do not say so. Where what holds the best container has at least half as much prose beside it,
// nearly without links, or long and with some, both are taken: it was a part of the article, its largest
// table, one function of many or the second of two chapters.
HtmlMainContent::Index HtmlMainContent::widen_to_prose(Index best) {
  Index wide = best;
  for (Index above = at(best).parent; above != 0; above = at(above).parent) {
    ++steps_;
    const HtmlSum rest = sum_[above].without(sum_[wide]);
    const bool says_much = rest.is_prose() || rest.has_many_commas();
    const bool prose = says_much && rest.inputs == 0 && 2 * rest.images <= rest.paragraphs;
    const float links_max = rest.bytes < kLongRest ? kFewLinks : kSomeLinks;
    if (2 * rest.bytes >= sum_[wide].bytes && rest.link_density() <= links_max && prose) wide = above;
  }
  return wide;
}

bool HtmlMainContent::is_only_child(Index i) const {
  const Index parent = at(i).parent;
  if (at(parent).bytes != 0) return false;
  for (Index child = parent + 1; child < at(parent).end; child = at(child).end) {
    if (child != i && dead_[child] == kAlive) return false;
  }
  return true;
}

// A list of links with a word on each: an index, and no menu. Where pictures stand beside the links they lead
// to other articles.
bool HtmlMainContent::is_described(Index list) const {
  const HtmlSum& sum = sum_[list];
  return sum.bytes >= kThinBytes && sum.paragraphs == 0 && sum.images + sum.inputs == 0 &&
         sum.link_bytes > 0 && sum.link_density() <= kDescribedLinks;
}

void HtmlMainContent::choose_with_siblings(Index best) {
  chosen_.assign(size(), 0);
  const float least = std::max(10.F, score_[best] * .2F);
  for (Index i = root_ + 1; i < at(root_).end; i = at(i).end) {
    ++steps_;
    if (dead_[i] != kAlive) continue;
    bool joins = i == best;
    if (!joins && score_[i] != kNoVote) {
      const bool same_class = at(i).class_hash != 0 && at(i).class_hash == at(best).class_hash;
      joins = score_[i] + (same_class ? score_[best] * .2F : 0) >= least;
    }
    if (!joins && (at(i).tag == HtmlTag::kParagraph || is_phrase(at(i), sum_[i]))) {
      joins = sum_[i].bytes > 80 && sum_[i].link_density() < .25F;
    }
    if (!joins && (at(i).tag == HtmlTag::kList || at(i).tag == HtmlTag::kDefinitions))
      joins = is_described(i);
    if (!joins && at(i).tag == HtmlTag::kTable)
      joins = is_data_table(i, sum_[i]) && sum_[i].link_density() < kTableLinks;
    if (!joins) continue;
    steps_ += at(i).end - i;
    std::fill(chosen_.begin() + i, chosen_.begin() + at(i).end, std::uint8_t{1});
  }
}

}  // namespace neardup::internal
