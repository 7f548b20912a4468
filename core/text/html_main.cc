#include "core/text/html_main.h"

#include <algorithm>
#include <array>

#include "core/text/html_line.h"

namespace neardup::internal {
namespace {

using Flag = HtmlContainer::Flag;

constexpr float kNoVote = -1e30F;

// Whether a container takes part.
enum Life : std::uint8_t { kAlive, kDead };

// How much is enough, in bytes of text.
constexpr std::uint64_t kEnoughBytes = 500;   // with less the rules are relaxed
constexpr std::uint64_t kArticleBytes = 250;  // less is no article where the page has much more
constexpr float kLittleShare = .3F;           // of what is visible: next to nothing ...
constexpr float kMostShare = .5F;             // ... beside a list that holds as much

// The vote.
constexpr std::uint32_t kVoteBytes = 25;     // shorter paragraphs have none
constexpr std::uint32_t kThinBytes = 200;    // a container with less wins nothing by its name
constexpr std::uint32_t kBylineBytes = 100;  // a longer byline is called so only
constexpr int kVoteLevels = 5;
constexpr int kCandidates = 5;
constexpr float kRevivedShare = .1F;   // relaxed: what is called furniture may be more if it holds so much
constexpr float kSectionLinks = .25F;  // a section with a larger share of links is a list of them
constexpr float kTableLinks = .7F;     // the same for a table of data

// Cleaning. Shares are of the text kept so far: what holds more is the article itself, whatever it is called.
constexpr float kCoverShare = .85F;  // of what is visible: a page with little furniture, not to be cleaned
constexpr float kAsideShare = .4F;
constexpr float kAuthorShare = .35F;
constexpr float kLinkListShare = .2F;
constexpr float kCaptionShare = .2F;
constexpr float kExtraShare = .15F;
constexpr float kLargeShare = .2F;
constexpr std::uint32_t kShareBytes = 500;
constexpr std::uint32_t kCaptionBytes = 600;
constexpr std::uint32_t kExtraBytes = 400;
constexpr std::uint32_t kRunLength = 8;  // so many lines of one parent ...
constexpr float kRunLinks = .4F;         // ... with no larger share of links are text, each of them

// The title.
constexpr int kHeadingsCompared = 16;
constexpr std::size_t kTitleMin = 8;
constexpr std::size_t kTitleMax = 400;
constexpr std::ptrdiff_t kFirstLines = 3;  // where it may stand again, not as a heading

constexpr std::array<HtmlTag, 5> kDivLike = {HtmlTag::kDiv, HtmlTag::kArticle, HtmlTag::kMain,
                                             HtmlTag::kQuote, HtmlTag::kSection};

bool is_div_like(HtmlTag tag) { return std::find(kDivLike.begin(), kDivLike.end(), tag) != kDivLike.end(); }

// Appends the letters and digits of `text`, in lower case: what two ways to write a title have in common.
void fold_title(std::string_view text, std::string& folded) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '&') {  // a reference of an attribute, as written
      const std::size_t end = text.substr(i, 9).find(';');
      if (end != std::string_view::npos) i += end;
    } else if (c == 0xE2 && i + 2 < text.size() && text[i + 1] == '\x80') {
      i += 2;  // dashes and quotes
    } else if (is_ascii_letter(text[i]) || (c >= '0' && c <= '9') || c >= 0x80) {
      folded += ascii_lower(text[i]);
    }
  }
}

}  // namespace

void HtmlMainContent::find(const HtmlPage& page, std::string& text) {
  page_ = &page;
  titles_folded_ = false;
  headings_left_ = kHeadingsCompared;
  text.clear();

  bool any_unlikely = false;
  bool any_weight = false;
  for (const HtmlContainer& each : page.containers) {
    any_unlikely |= each.has(Flag::kUnlikely) || each.has(Flag::kByline) || each.tag == HtmlTag::kNav;
    any_weight |= each.weight != 0;
  }
  std::uint64_t best = 0;
  measure();
  const auto take_if_better = [&] {
    const std::uint64_t kept = kept_bytes();
    if (kept <= best) return;
    best = kept;
    best_keep_.swap(keep_);
  };
  constexpr Rules kStrict = {true, true, true};
  attempt(kStrict);
  take_if_better();
  if (best < kEnoughBytes && any_unlikely) {
    attempt({false, true, true});
    take_if_better();
  }
  if (best < kEnoughBytes && any_weight) {
    attempt({false, false, true});
    take_if_better();
  }
  if (best < kEnoughBytes && !little_furniture_) {
    attempt({false, false, false});
    take_if_better();
  }
  const bool thin = best < kArticleBytes && visible_bytes_ > 4 * static_cast<float>(best);
  if (thin || is_table_of_contents(best)) {
    mark_dead(kStrict);
    keep_all_but_furniture();
    take_if_better();
  }
  if (best == 0) return;
  keep_.swap(best_keep_);
  cut_lines();
  drop_furniture_lines();
  drop_orphaned_headings();
  write(text);
}

void HtmlMainContent::attempt(const Rules& rules) {
  mark_dead(rules);
  add_up(rules);
  see_through_wrappers();
  let_vote();
  Index best = best_container(rules);
  if (best == 0) {
    keep_all();
    return clean(rules, 0);
  }
  keep_with_siblings(best);
  clean(rules, at(best).parent);
}

// ---- who takes part ----

// What holds for every attempt: who can be seen at all, and how much text each container holds.
void HtmlMainContent::measure() {
  const Index n = size();
  steps_ += n;
  seen_.assign(n, 1);
  inside_.assign(n, 0);
  for (Index i = 1; i < n; ++i) {
    const HtmlContainer& each = at(i);
    seen_[i] = seen_[each.parent] != 0 && !each.has(Flag::kHidden) && !is_never_shown(each.tag);
  }
  for (Index i = n; i-- > 0;) {
    if (seen_[i] == 0) continue;
    inside_[i] += at(i).bytes;
    if (i > 0) inside_[at(i).parent] += inside_[i];
  }
  visible_bytes_ = static_cast<float>(inside_[0]);
}

void HtmlMainContent::mark_dead(const Rules& rules) {
  const Index n = size();
  steps_ += n;
  dead_.assign(n, kAlive);
  for (Index i = 1; i < n; ++i) {
    const HtmlContainer& each = at(i);
    const bool furniture = each.has(Flag::kUnlikely) || each.tag == HtmlTag::kNav;
    const bool spared =
        each.has(Flag::kArticleBody) || is_heading(each.tag) ||
        (!rules.drop_unlikely && static_cast<float>(inside_[i]) >= kRevivedShare * visible_bytes_);
    const bool dropped = seen_[i] == 0 || (furniture && !spared && !in_table(i));
    dead_[i] = dead_[each.parent] != kAlive || dropped ? kDead : kAlive;
  }
}

// ---- sums ----

HtmlMainContent::Sum HtmlMainContent::own(Index i) const {
  const HtmlContainer& container = at(i);
  Sum sum;
  sum.bytes = container.bytes;
  sum.link_bytes = container.link_bytes;
  sum.commas = container.commas;
  sum.images = container.images;
  sum.inputs = container.inputs;
  sum.embeds = container.embeds;
  return sum;
}

// A div without blocks inside is a paragraph by another name.
bool HtmlMainContent::is_phrase(Index i) const {
  return at(i).tag == HtmlTag::kDiv && sum_[i].children == 0 && !at(i).has(Flag::kParagraphs);
}

// Adds container i to the sum of its parent.
void HtmlMainContent::take_in(Index i) {
  const HtmlContainer& container = at(i);
  const Sum& sum = sum_[i];
  Sum& to = sum_[container.parent];
  const HtmlTag tag = container.tag;
  to.bytes += sum.bytes;
  to.link_bytes += sum.link_bytes;
  to.commas += sum.commas;
  to.images += sum.images;
  to.inputs += sum.inputs;
  to.embeds += sum.embeds;
  to.paragraphs += sum.paragraphs + (tag == HtmlTag::kParagraph ? 1 : 0);
  to.items += sum.items + (tag == HtmlTag::kItem ? 1 : 0);
  to.cells += sum.cells + (tag == HtmlTag::kCell ? 1 : 0);
  to.heading_bytes += is_heading(tag) ? sum.bytes : sum.heading_bytes;
  to.list_bytes += tag == HtmlTag::kList ? sum.bytes : sum.list_bytes;
  to.table_inside |= sum.table_inside || tag == HtmlTag::kTable;
  to.data_inside |= (sum.data_inside && tag != HtmlTag::kTable) || tag == HtmlTag::kHeaderCell ||
                    tag == HtmlTag::kTableHead || tag == HtmlTag::kTableCaption;
  if (container.has(Flag::kInline)) return;
  ++to.children;
  if (tag == HtmlTag::kParagraph || is_phrase(i)) ++to.paragraph_children;
}

void HtmlMainContent::add_up(const Rules& rules) {
  const Index n = size();
  steps_ += n;
  sum_.resize(n);
  for (Index i = 0; i < n; ++i) sum_[i] = own(i);
  bool any_died = false;
  for (Index i = n; --i > 0;) {
    if (dead_[i] != kAlive) continue;
    const std::uint32_t bytes = sum_[i].bytes;
    if (rules.drop_unlikely && at(i).has(Flag::kByline) && bytes > 0 && bytes < kBylineBytes) {
      dead_[i] = kDead;
      any_died = true;
    } else {
      take_in(i);
    }
  }
  if (!any_died) return;
  for (Index i = 1; i < n; ++i) {
    if (dead_[i] == kAlive && dead_[at(i).parent] != kAlive) dead_[i] = kDead;
  }
}

// ---- the vote ----

// A div around one paragraph is that paragraph: who lies inside votes for what is outside.
void HtmlMainContent::see_through_wrappers() {
  const Index n = size();
  steps_ += n;
  voters_parent_.assign(n, 0);
  std::vector<Index>& up = voters_parent_;
  const auto is_wrapper = [&](Index i) {
    const Sum& sum = sum_[i];
    return i != 0 && at(i).tag == HtmlTag::kDiv && sum.children == 1 && sum.paragraph_children == 1 &&
           at(i).bytes == 0 && sum.link_density() < .25F;
  };
  for (Index i = 1; i < n; ++i) {
    const Index parent = at(i).parent;
    up[i] = is_wrapper(parent) ? up[parent] : parent;
  }
}

void HtmlMainContent::let_vote() {
  const Index n = size();
  score_.assign(n, kNoVote);
  steps_ += n + page_->blocks.size();
  for (Index i = 1; i < n; ++i) {
    if (dead_[i] != kAlive) continue;
    switch (at(i).tag) {
      case HtmlTag::kParagraph:
      case HtmlTag::kPreformatted:
      case HtmlTag::kCell:
      case HtmlTag::kSubhead:
      case HtmlTag::kMinorHead:
      case HtmlTag::kSection:
        vote(voters_parent_[i], sum_[i].bytes, sum_[i].commas);
        break;
      default:
        if (is_phrase(i)) vote(voters_parent_[i], sum_[i].bytes, sum_[i].commas);
    }
  }
  // text straight in a div, between other blocks
  for (const HtmlBlock& block : page_->blocks) {
    const Index i = block.container;
    const bool div_like = i == 0 || is_div_like(at(i).tag);
    if (dead_[i] == kAlive && div_like && !is_phrase(i)) vote(i, block.size, block.commas);
  }
}

void HtmlMainContent::vote(Index container, std::uint32_t bytes, std::uint32_t commas) {
  if (bytes < kVoteBytes) return;
  const float points = 2 + static_cast<float>(commas + std::min(bytes / 100, 3U));
  for (int level = 0; level < kVoteLevels; ++level) {
    const float divisor = level == 0 ? 1 : level == 1 ? 2 : static_cast<float>(level * 3);
    if (score_[container] == kNoVote) score_[container] = 0;
    score_[container] += points / divisor;
    if (container == 0) return;
    container = voters_parent_[container];
  }
}

// What a container has before anyone votes.
float HtmlMainContent::name_score(const Rules& rules, Index i) const {
  float score = rules.weigh_names ? at(i).weight : 0;
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

// 0: the whole page.
HtmlMainContent::Index HtmlMainContent::best_container(const Rules& rules) {
  const Index n = size();
  steps_ += n;
  std::array<Index, kCandidates> best{};
  std::array<float, kCandidates> merit{};
  int count = 0;
  for (Index i = 0; i < n; ++i) {
    if (score_[i] == kNoVote || dead_[i] != kAlive) continue;
    const float name = name_score(rules, i);
    const float thinned = 1 - sum_[i].link_density();
    const float pick = (score_[i] + (sum_[i].bytes < kThinBytes ? std::min(name, 0.F) : name)) * thinned;
    score_[i] = (score_[i] + name) * thinned;
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
  return widen_to_parallel_sections(leave_table(climb(top)));
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
    if (tag == HtmlTag::kDefinitions || (tag == HtmlTag::kTable && is_data_table(i))) left = at(i).parent;
    const bool part = tag == HtmlTag::kDefinition || tag == HtmlTag::kDefinitions || tag == HtmlTag::kTable ||
                      tag == HtmlTag::kTableHead || tag == HtmlTag::kOtherBlock || tag == HtmlTag::kRow;
    if (!part) break;
  }
  return left;
}

// A manual is cut into sections of one kind, each with its heading. Where the best container is or lies in
// one of them, the others are as good: what holds them all is taken.
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
      if (!parallel || dead_[i] != kAlive || sum_[i].heading_bytes == 0 ||
          sum_[i].link_density() > kSectionLinks)
        continue;
      ++sections;
      if (i == section) {
        found = true;
      } else {
        bytes_of_others += sum_[i].bytes;
      }
    }
    if (found && sections >= 3 && 2 * bytes_of_others >= sum_[section].bytes) best = parent;
    if (best == 0) break;
  }
  return best;
}

bool HtmlMainContent::is_only_child(Index i) const {
  const Index parent = at(i).parent;
  if (at(parent).bytes != 0) return false;
  for (Index child = parent + 1; child < at(parent).end; child = at(child).end) {
    if (child != i && dead_[child] == kAlive) return false;
  }
  return true;
}

// ---- what is kept ----

void HtmlMainContent::keep_with_siblings(Index best) {
  keep_.assign(size(), 0);
  const Index parent = at(best).parent;
  const float least = std::max(10.F, score_[best] * .2F);
  for (Index i = parent + 1; i < at(parent).end; i = at(i).end) {
    ++steps_;
    if (dead_[i] != kAlive) continue;
    bool joins = i == best;
    if (!joins && score_[i] != kNoVote) {
      const bool same_class = at(i).class_hash != 0 && at(i).class_hash == at(best).class_hash;
      joins = score_[i] + (same_class ? score_[best] * .2F : 0) >= least;
    }
    if (!joins && (at(i).tag == HtmlTag::kParagraph || is_phrase(i))) {
      joins = sum_[i].bytes > 80 && sum_[i].link_density() < .25F;
    }
    if (!joins && at(i).tag == HtmlTag::kTable)
      joins = is_data_table(i) && sum_[i].link_density() < kTableLinks;
    if (!joins) continue;
    steps_ += at(i).end - i;
    std::fill(keep_.begin() + i, keep_.begin() + at(i).end, std::uint8_t{1});
  }
}

// A list of links, or a list without paragraphs, that is most of the page, while next to nothing was kept.
bool HtmlMainContent::is_table_of_contents(std::uint64_t kept) const {
  if (static_cast<float>(kept) > kLittleShare * visible_bytes_) return false;
  for (Index i = 1; i < size(); ++i) {
    const bool list = at(i).tag == HtmlTag::kList || at(i).tag == HtmlTag::kDefinitions;
    if (list && dead_[i] == kAlive && static_cast<float>(inside_[i]) > kMostShare * visible_bytes_)
      return true;
  }
  return false;
}

void HtmlMainContent::keep_all() { keep_.assign(size(), 1); }

void HtmlMainContent::keep_all_but_furniture() {
  keep_all();
  steps_ += size();
  for (Index i = 1; i < size(); ++i) {
    keep_[i] = keep_[at(i).parent] != 0 && dead_[i] == kAlive && at(i).tag != HtmlTag::kFooter;
  }
}

// Drops what looks like furniture inside the kept part; children first, so that a parent is judged by what is
// left.
void HtmlMainContent::clean(const Rules& rules, Index root) {
  const Index end = at(root).end;
  steps_ += end - root;
  kept_bytes_ = 0;
  data_.assign(size(), 0);
  in_run_.assign(size(), 0);
  for (Index i = root; i < end; ++i) {
    if (dead_[i] != kAlive) keep_[i] = 0;
    if (keep_[i] != 0) kept_bytes_ += static_cast<float>(at(i).bytes);
    data_[i] = i == root ? 0 : is_data(i);
    const Sum& parent = sum_[at(i).parent];
    in_run_[i] =
        i != root && parent.children >= kRunLength && parent.link_density() < kRunLinks && is_phrase(i);
  }
  for (Index i = root; i < end; ++i) sum_[i] = own(i);
  little_furniture_ = kept_bytes_ > kCoverShare * visible_bytes_;
  for (Index i = end; --i > root;) {
    if (keep_[i] == 0) continue;
    if (is_unwanted(rules, i)) {
      keep_[i] = 0;
    } else {
      take_in(i);
    }
  }
  for (Index i = root + 1; i < end; ++i) {
    const Index parent = at(i).parent;
    if (parent > root && keep_[parent] == 0) keep_[i] = 0;
  }
}

// Whether container i lies in preformatted text or in a table of data that says so itself.
bool HtmlMainContent::is_data(Index i) const {
  const HtmlContainer& parent = at(at(i).parent);
  if (parent.tag == HtmlTag::kPreformatted) return true;
  if (parent.tag == HtmlTag::kFigure) return false;
  if (parent.tag == HtmlTag::kTable) return parent.has(Flag::kDataTable);
  return data_[at(i).parent] != 0;
}

bool HtmlMainContent::is_data_table(Index i) const {
  const Sum& sum = sum_[i];
  if (at(i).has(Flag::kPresentation)) return false;
  if (at(i).has(Flag::kDataTable) || sum.data_inside) return true;
  return !sum.table_inside && sum.cells > 10;
}

bool HtmlMainContent::is_unwanted(const Rules& rules, Index i) {
  const HtmlContainer& container = at(i);
  const Sum& sum = sum_[i];
  const auto bytes = static_cast<float>(sum.bytes);
  const HtmlTag tag = container.tag;
  if ((tag == HtmlTag::kFooter || tag == HtmlTag::kAside) && bytes < kAsideShare * kept_bytes_) return true;
  if (container.has(Flag::kAuthor) && bytes < kAuthorShare * kept_bytes_) return true;
  if (container.has(Flag::kShare) && sum.bytes < kShareBytes) return true;
  if (container.has(Flag::kCaption) && sum.bytes < kCaptionBytes && bytes < kCaptionShare * kept_bytes_)
    return true;
  if (container.has(Flag::kExtra) && sum.bytes < kExtraBytes && bytes < kExtraShare * kept_bytes_)
    return true;
  if (tag == HtmlTag::kHeadline || tag == HtmlTag::kSubhead) {
    if (rules.weigh_names && container.weight < 0) return true;
    if (!little_furniture_ && repeats_title(i)) return true;
  }
  return rules.clean && !little_furniture_ && looks_like_furniture(rules, i);
}

bool HtmlMainContent::looks_like_furniture(const Rules& rules, Index i) {
  const Sum& sum = sum_[i];
  const int weight = rules.weigh_names ? at(i).weight : 0;
  switch (at(i).tag) {
    case HtmlTag::kTable:
      if (is_data_table(i)) return false;
      break;
    case HtmlTag::kForm:
    case HtmlTag::kFieldset:
    case HtmlTag::kList:
    case HtmlTag::kDiv:
    case HtmlTag::kSection:
      break;
    default:
      return false;
  }
  if (data_[i] != 0) return false;
  const auto bytes = static_cast<float>(sum.bytes);
  const bool large = bytes >= kLargeShare * kept_bytes_ && sum.link_density() < .2F;
  if (weight < 0 && !large) return true;
  if (sum.commas >= 10) return false;

  const bool list =
      at(i).tag == HtmlTag::kList || (sum.bytes > 0 && static_cast<float>(sum.list_bytes) > .9F * bytes);
  const float links = sum.link_density();
  if (list && sum.items >= 2 && links > .95F && bytes < kLinkListShare * kept_bytes_) return true;
  const bool figure = in_figure(i);
  const float headings = sum.bytes == 0 ? 0 : static_cast<float>(sum.heading_bytes) / bytes;
  const bool many_images = !figure && sum.images > 1 && 2 * sum.paragraphs < sum.images;
  const bool many_items = !list && sum.items > sum.paragraphs + 100;
  const bool many_inputs = sum.inputs > sum.paragraphs / 3;
  const bool phrase = is_phrase(i);
  const bool empty = !list && !figure && !phrase && headings < .9F && sum.bytes < 25 &&
                     (sum.images == 0 || sum.images > 2) && links > 0;
  const float links_max = in_run_[i] != 0 ? 1 : phrase ? .6F : weight >= 25 ? .5F : list ? 1 : .2F;
  const bool many_links = links > links_max;
  const bool embedded = (sum.embeds == 1 && sum.bytes < 75) || sum.embeds > 1;
  return many_images || many_items || many_inputs || empty || many_links || embedded;
}

bool HtmlMainContent::in_table(Index i) const {
  for (int level = 0; level < 4 && i != 0; ++level) {
    i = at(i).parent;
    if (at(i).tag == HtmlTag::kTable) return true;
  }
  return false;
}

bool HtmlMainContent::in_figure(Index i) const {
  for (int level = 0; level < 4 && i != 0; ++level) {
    i = at(i).parent;
    if (at(i).tag == HtmlTag::kFigure) return true;
  }
  return false;
}

// Whether a heading or a first line, folded, says what the page's title says.
bool HtmlMainContent::is_title(std::string_view folded) {
  if (!titles_folded_) {
    titles_folded_ = true;
    for (std::string& title : titles_) title.clear();
    fold_title(page_->title.substr(0, kTitleMax), titles_[0]);
    fold_title(page_->meta_title.substr(0, kTitleMax), titles_[1]);
  }
  if (folded.size() < kTitleMin) return false;
  return std::any_of(std::begin(titles_), std::end(titles_), [&](const std::string& title) {
    if (title.size() < kTitleMin) return false;
    const bool inside = title.find(folded) != std::string::npos;
    return inside || (folded.size() < 2 * title.size() && folded.find(title) != std::string_view::npos);
  });
}

bool HtmlMainContent::repeats_title(Index i) {
  const std::uint32_t bytes = sum_[i].bytes;
  if (bytes < kTitleMin || bytes > kTitleMax || headings_left_ == 0) return false;
  --headings_left_;
  folded_.clear();
  for (std::size_t k = at(i).first_block; k < page_->blocks.size(); ++k) {
    const HtmlBlock& block = page_->blocks[k];
    if (block.container < i || block.container >= at(i).end || folded_.size() > kTitleMax) break;
    fold_title(page_->text_of(block), folded_);
    steps_ += block.size;
  }
  return is_title(folded_);
}

std::uint64_t HtmlMainContent::kept_bytes() const {
  std::uint64_t bytes = 0;
  for (Index i = 0; i < size(); ++i) bytes += keep_[i] != 0 ? at(i).bytes : 0;
  return bytes;
}

// ---- lines ----

void HtmlMainContent::cut_lines() {
  lines_.clear();
  const std::vector<HtmlBlock>& blocks = page_->blocks;
  steps_ += blocks.size();
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    if (keep_[blocks[i].container] == 0) {
      if (!lines_.empty()) lines_.back().cut_behind = true;
      continue;
    }
    if (lines_.empty() || !blocks[i].glued) lines_.push_back({i, i, 0, 0, true, false});
    Line& line = lines_.back();
    line.end_block = i + 1;
    line.bytes += blocks[i].size;
    line.link_bytes += blocks[i].link_bytes;
  }
}

void HtmlMainContent::drop_furniture_lines() {
  bool behind_marker = false;
  const auto cut_before = [&](Line& line) {
    if (&line != lines_.data()) (&line - 1)->cut_behind = true;
  };
  for (Line& line : lines_) {
    if (behind_marker && line.link_bytes * 5 >= line.bytes * 4) {
      line.keep = false;
      cut_before(line);
      continue;
    }
    behind_marker = false;
    const HtmlTag tag = at(page_->blocks[line.first_block].container).tag;
    const bool data = tag == HtmlTag::kPreformatted || tag == HtmlTag::kCell || tag == HtmlTag::kHeaderCell;
    if (data || line.bytes > kHtmlLineMax) continue;
    line_.clear();
    for (std::uint32_t i = line.first_block; i < line.end_block; ++i) {
      if (keep_[page_->blocks[i].container] != 0) line_ += page_->text_of(page_->blocks[i]);
    }
    const bool prose = !is_heading(tag) && tag != HtmlTag::kItem && tag != HtmlTag::kDefinition;
    const HtmlLine kind = html_line_kind(line_, prose);
    line.keep = kind == HtmlLine::kText;
    if (&line - lines_.data() < kFirstLines && !is_heading(tag) && !little_furniture_) {
      folded_.clear();
      fold_title(line_, folded_);
      if (is_title(folded_)) line.keep = false;
    }
    if (!line.keep) cut_before(line);
    behind_marker = kind == HtmlLine::kMarker;
  }
}

// A heading goes with what it was the heading of.
void HtmlMainContent::drop_orphaned_headings() {
  const Line* next = nullptr;
  for (auto line = lines_.rbegin(); line != lines_.rend(); ++line) {
    const HtmlTag tag = at(page_->blocks[line->first_block].container).tag;
    if (!line->keep) continue;
    if (is_heading(tag) && line->cut_behind) {
      const HtmlTag behind =
          next == nullptr ? HtmlTag::kHeadline : at(page_->blocks[next->first_block].container).tag;
      if (is_heading(behind) && behind <= tag) {
        line->keep = false;
        continue;
      }
    }
    next = &*line;
  }
}

void HtmlMainContent::write(std::string& text) const {
  const bool any = std::any_of(lines_.begin(), lines_.end(), [](const Line& line) { return line.keep; });
  for (const Line& line : lines_) {
    if (any && !line.keep) continue;
    if (!text.empty()) text += '\n';
    for (std::uint32_t i = line.first_block; i < line.end_block; ++i) {
      if (keep_[page_->blocks[i].container] != 0) text += page_->text_of(page_->blocks[i]);
    }
  }
}

}  // namespace neardup::internal
