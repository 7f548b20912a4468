#include "core/text/html_main.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "core/text/html_line.h"

namespace neardup::internal {
namespace {

using Flag = HtmlContainer::Flag;

constexpr float kNoVote = -1e30F;

// Whether a container takes part.
enum Life : std::uint8_t { kAlive, kDead };

// How much is enough, in bytes of text.
constexpr std::uint64_t kEnoughBytes = 500;   // with less the rules are relaxed
constexpr std::uint64_t kArticleBytes = 250;  // less is no article where the page has four times as much
constexpr float kLittleShare = .3F;           // of what is visible: next to nothing ...
constexpr float kMostShare = .5F;             // ... beside a list that holds as much

// The vote.
constexpr std::uint32_t kVoteBytes = 25;     // shorter paragraphs have none
constexpr std::uint32_t kThinBytes = 200;    // a container with less wins nothing by its name
constexpr std::uint32_t kBylineBytes = 100;  // a longer byline is called so only
constexpr int kCandidates = 5;
constexpr std::uint32_t kWholeParts =
    4;  // fewer than one part of so many of all containers is not the whole page
constexpr float kRevivedShare = .1F;   // relaxed: what is called furniture may be more if it holds so much
constexpr float kSectionLinks = .25F;  // a section with a larger share of links is a list of them
constexpr std::uint32_t kLeadBytes = 120;  // a shorter paragraph before the article is no part of it
constexpr std::size_t kLeadsMax = 8;       // more of them are other articles
constexpr int kLeadLevels = 4;             // above the article, so far is looked for its <h1>
constexpr float kTableLinks = .7F;         // the same for a table of data

// Cleaning. Shares are of the text kept so far: what holds more is the article itself, whatever it is called.
constexpr float kCoverShare = .85F;  // of what is visible: a page with little furniture, not to be cleaned
constexpr float kAsideShare = .4F;
constexpr float kAuthorShare = .35F;
constexpr float kLinkListShare = .2F;
constexpr float kCaptionShare = .2F;
constexpr float kExtraShare = .15F;
constexpr float kLargeShare = .2F;
constexpr std::uint32_t kProseCommas = 3;   // paragraphs with so many ...
constexpr float kProseLinks = .1F;          // ... and no larger share of links stay, whatever they are called
constexpr std::size_t kLinkLinesMax = 8;    // more lines that are links are what the page is about
constexpr std::uint32_t kLinkLineMin = 30;  // a shorter one is a button, or a name
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

// What a tag is to the search, so that one look tells.
enum Trait : std::uint16_t {
  kHeading = 1,
  kNeverShown = 2,
  kListing = 4,     // <ul>, <ol>
  kVoter = 8,       // a paragraph or what stands for one
  kDivLike = 16,    // text straight inside of it is a paragraph too
  kCleanable = 32,  // may be furniture inside of the article
  kSuspect = 64,    // may go even where nothing is cleaned
  kNavigation = 128,
  kTableItself = 256,
  kSaysData = 512,      // a table with one inside is a table of data
  kDecidesData = 1024,  // what lies inside is data, or is not
};

constexpr std::array<std::uint16_t, 256> tag_traits() {
  std::array<std::uint16_t, 256> traits{};
  const auto add = [&](Trait trait, std::initializer_list<HtmlTag> tags) {
    for (const HtmlTag tag : tags) traits[static_cast<std::size_t>(tag)] |= trait;
  };
  for (std::size_t i = 0; i < traits.size(); ++i) {
    if (is_heading(static_cast<HtmlTag>(i))) traits[i] |= kHeading;
    if (is_never_shown(static_cast<HtmlTag>(i))) traits[i] |= kNeverShown;
  }
  add(kListing, {HtmlTag::kList});
  add(kVoter, {HtmlTag::kParagraph, HtmlTag::kPreformatted, HtmlTag::kCell, HtmlTag::kSubhead,
               HtmlTag::kMinorHead, HtmlTag::kSection});
  add(kDivLike, {HtmlTag::kDiv, HtmlTag::kArticle, HtmlTag::kMain, HtmlTag::kQuote, HtmlTag::kSection});
  add(kCleanable, {HtmlTag::kTable, HtmlTag::kForm, HtmlTag::kFieldset, HtmlTag::kList, HtmlTag::kDiv,
                   HtmlTag::kSection});
  add(kSuspect, {HtmlTag::kFooter, HtmlTag::kAside, HtmlTag::kFigure, HtmlTag::kHeadline, HtmlTag::kSubhead});
  add(kNavigation, {HtmlTag::kNav});
  add(kTableItself, {HtmlTag::kTable});
  add(kDecidesData, {HtmlTag::kTable, HtmlTag::kFigure, HtmlTag::kPreformatted});
  add(kSaysData, {HtmlTag::kHeaderCell, HtmlTag::kTableHead, HtmlTag::kTableCaption});
  return traits;
}
constexpr std::array<std::uint16_t, 256> kTraits = tag_traits();

bool has_trait(HtmlTag tag, Trait trait) { return (kTraits[static_cast<std::size_t>(tag)] & trait) != 0; }

// Flags of a container that may go even where nothing is cleaned.
constexpr unsigned kSuspectFlags = Flag::kAuthor | Flag::kShare | Flag::kCaption | Flag::kExtra;

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
  containers_ = page.containers.data();
  size_ = static_cast<Index>(page.containers.size());
  titles_folded_ = false;
  headings_left_ = kHeadingsCompared;
  text.clear();

  measure();
  std::uint64_t best = 0;
  const auto clean_and_take_if_better = [&](const Rules& rules) {
    const std::uint64_t kept = clean(rules);
    if (kept <= best) return;
    best = kept;
    best_keep_.swap(keep_);
  };
  // Each attempt goes on where it begins to differ from the one before.
  constexpr Rules kStrict = {true, true, true};
  mark_dead(kStrict);
  hold_vote(kStrict);
  choose(kStrict);
  clean_and_take_if_better(kStrict);
  if (best < kEnoughBytes && any_unlikely_) {
    constexpr Rules kFurnitureToo = {false, true, true};
    if (mark_dead(kFurnitureToo)) {
      hold_vote(kFurnitureToo);
      choose(kFurnitureToo);
    }
    clean_and_take_if_better(kFurnitureToo);
  }
  if (best < kEnoughBytes && any_weight_) {
    constexpr Rules kNameless = {false, false, true};
    choose(kNameless);
    clean_and_take_if_better(kNameless);
  }
  if (best < kEnoughBytes && !little_furniture_) clean_and_take_if_better({false, false, false});
  const auto is_crumb_of = [&](float bytes) {
    return best < kArticleBytes && bytes > 4 * static_cast<float>(best);
  };
  if (is_crumb_of(visible_bytes_) || is_table_of_contents(best)) {
    mark_dead(kStrict);
    const std::uint64_t kept = keep_all_but_furniture();
    if (kept > best) {
      best = kept;
      best_keep_.swap(keep_);
    }
  }
  // A menu around a few words is no reason to have more than them. Prose is: many small pieces, all of them
  // called furniture, are what the page is about, like the posts of a forum that are called comments.
  if (best == 0 || is_crumb_of(prose_bytes_)) return;
  keep_.swap(best_keep_);
  cut_lines();
  drop_furniture_lines();
  if (!little_furniture_) drop_link_lines();
  drop_orphaned_headings();
  write(text);
}

// ---- who takes part ----

// What holds for every attempt: who can be seen at all, and what may be relaxed.
void HtmlMainContent::measure() {
  const Index n = size();
  steps_ += n;
  seen_.resize(n);
  dead_.assign(n, kAlive);
  seen_[0] = 1;
  std::uint32_t visible = at(0).bytes;
  std::uint32_t in_links = at(0).link_bytes;
  unsigned flags = 0;
  unsigned traits = 0;
  unsigned weight = 0;
  headlines_known_ = false;
  inside_.clear();
  for (Index i = 1; i < n; ++i) {
    const HtmlContainer& each = at(i);
    const unsigned trait = kTraits[static_cast<std::size_t>(each.tag)];
    const bool shown = (each.flags & Flag::kHidden) == 0 && (trait & kNeverShown) == 0;
    seen_[i] = seen_[each.parent] & static_cast<std::uint8_t>(shown);
    visible += seen_[i] * each.bytes;
    in_links += seen_[i] * each.link_bytes;
    flags |= each.flags;
    traits |= trait;
    weight |= static_cast<std::uint8_t>(each.weight);
  }
  visible_bytes_ = static_cast<float>(visible);
  prose_bytes_ = static_cast<float>(visible - in_links);
  any_unlikely_ = (flags & (Flag::kUnlikely | Flag::kByline)) != 0 || (traits & kNavigation) != 0;
  any_weight_ = weight != 0;
}

// How much text each container holds, dead or alive.
void HtmlMainContent::look_inside() {
  const Index n = size();
  if (inside_.size() == n) return;
  steps_ += n;
  inside_.assign(n, 0);
  for (Index i = n; i-- > 0;) {
    if (seen_[i] == 0) continue;
    inside_[i] += at(i).bytes;
    if (i > 0) inside_[at(i).parent] += inside_[i];
  }
}

// Every <h1>, in order.
const std::vector<HtmlMainContent::Index>& HtmlMainContent::headlines() {
  if (headlines_known_) return headlines_;
  headlines_known_ = true;
  headlines_.clear();
  steps_ += size();
  for (Index i = 1; i < size(); ++i) {
    if (at(i).tag == HtmlTag::kHeadline) headlines_.push_back(i);
  }
  return headlines_;
}

// What holds an <h1> and most of the page is no furniture of it, whatever it is called.
bool HtmlMainContent::is_around_article(Index i) {
  if (at(i).end - i < size() / kWholeParts) return false;
  const auto first = std::upper_bound(headlines().begin(), headlines().end(), i);
  if (first == headlines().end() || *first >= at(i).end) return false;
  look_inside();
  return static_cast<float>(inside_[i]) > kMostShare * visible_bytes_;
}

// Returns whether that is another answer than the one before.
bool HtmlMainContent::mark_dead(const Rules& rules) {
  const Index n = size();
  steps_ += n;
  if (!rules.drop_unlikely) look_inside();
  unsigned changed = 0;
  for (Index i = 1; i < n; ++i) {
    const HtmlContainer& each = at(i);
    unsigned dead = dead_[each.parent] | (seen_[i] ^ 1U);
    if (((each.flags & Flag::kUnlikely) != 0 || each.tag == HtmlTag::kNav) && dead == kAlive) {
      // The class of an <article> names its topics, too, and "social" may be one of them.
      const bool main = each.tag == HtmlTag::kArticle || each.tag == HtmlTag::kMain;
      const bool spared =
          each.has(Flag::kArticleBody) || is_heading(each.tag) || (main && each.weight > 0) ||
          is_around_article(i) ||
          (!rules.drop_unlikely && static_cast<float>(inside_[i]) >= kRevivedShare * visible_bytes_);
      if (!spared && !in_table(i)) dead = kDead;
    }
    changed |= dead ^ dead_[i];
    dead_[i] = static_cast<std::uint8_t>(dead);
  }
  return changed != 0;
}

// ---- sums ----

// Paragraphs that say something.
bool HtmlMainContent::is_prose(const Sum& sum) { return sum.paragraphs > 0 && sum.commas >= kProseCommas; }

// What container i holds straight inside.
void HtmlMainContent::start_sum(Index i, Sum& sum) const {
  const HtmlContainer& container = at(i);
  sum.bytes = container.bytes;
  sum.link_bytes = container.link_bytes;
  sum.commas = container.commas;
  sum.images = container.images;
  sum.inputs = container.inputs;
  sum.embeds = container.embeds;
  sum.heading_bytes = sum.list_bytes = sum.paragraphs = sum.items = sum.cells = 0;
  sum.tables = sum.data = sum.children = sum.paragraph_children = 0;
}

// A div without blocks inside is a paragraph by another name.
bool HtmlMainContent::is_phrase(Index i, const Sum& sum) const {
  const bool div = at(i).tag == HtmlTag::kDiv;
  return div & (sum.children == 0) & !at(i).has(Flag::kParagraphs);
}

// Adds container i, of which `sum` is known, to the sum of its parent; without a branch, for there is no
// telling tags beforehand.
void HtmlMainContent::take_in(Index i, const Sum& sum, Sum& to) const {
  const HtmlContainer& container = at(i);
  const HtmlTag tag = container.tag;
  const unsigned traits = kTraits[static_cast<std::size_t>(tag)];
  const auto all_if = [](unsigned condition) { return 0 - static_cast<std::uint32_t>(condition != 0); };
  const std::uint32_t heading = all_if(traits & kHeading);
  const std::uint32_t list = all_if(traits & kListing);
  const std::uint32_t table = all_if(traits & kTableItself);
  const std::uint32_t block = (container.flags & Flag::kInline) == 0 ? 1 : 0;
  const bool paragraph = tag == HtmlTag::kParagraph;
  to.bytes += sum.bytes;
  to.link_bytes += sum.link_bytes;
  to.commas += sum.commas;
  to.images += sum.images;
  to.inputs += sum.inputs;
  to.embeds += sum.embeds;
  to.paragraphs += sum.paragraphs + (paragraph ? 1 : 0);
  to.items += sum.items + (tag == HtmlTag::kItem ? 1 : 0);
  to.cells += sum.cells + (tag == HtmlTag::kCell ? 1 : 0);
  to.tables += sum.tables + (table & 1);
  to.heading_bytes += (sum.bytes & heading) | (sum.heading_bytes & ~heading);
  to.list_bytes += (sum.bytes & list) | (sum.list_bytes & ~list);
  to.data += (sum.data & ~table) + ((traits & kSaysData) != 0 ? 1 : 0);
  to.children += block;
  to.paragraph_children += block & static_cast<std::uint32_t>(paragraph | is_phrase(i, sum));
}

void HtmlMainContent::add_up(const Rules& rules) {
  const Index n = size();
  steps_ += n;
  sum_.resize(n);
  for (Index i = 0; i < n; ++i) start_sum(i, sum_[i]);
  bool any_died = false;
  for (Index i = n; --i > 0;) {
    if (dead_[i] != kAlive) continue;
    const Sum& sum = sum_[i];
    if (rules.drop_unlikely && at(i).has(Flag::kByline) && sum.bytes > 0 && sum.bytes < kBylineBytes) {
      dead_[i] = kDead;
      any_died = true;
    } else {
      take_in(i, sum, sum_[at(i).parent]);
    }
  }
  if (!any_died) return;
  for (Index i = 1; i < n; ++i) dead_[i] |= dead_[at(i).parent];
}

// ---- the vote ----

void HtmlMainContent::hold_vote(const Rules& rules) {
  add_up(rules);
  const Index n = size();
  votes_.assign(n, 0);
  stands_for_.resize(n);
  stands_for_[0] = 0;
  steps_ += std::size_t{2} * n + page_->blocks.size();
  for (Index i = 1; i < n; ++i) {
    const HtmlContainer& each = at(i);
    const Sum& sum = sum_[i];
    // A div around one paragraph is that paragraph: who lies inside votes for what is outside.
    const bool wrapper = each.tag == HtmlTag::kDiv && sum.children == 1 && sum.paragraph_children == 1 &&
                         each.bytes == 0 && sum.link_density() < .25F;
    stands_for_[i] = wrapper ? stands_for_[each.parent] : i;
    if (dead_[i] != kAlive || sum.bytes < kVoteBytes) continue;
    if (has_trait(each.tag, kVoter) || is_phrase(i, sum)) vote(each.parent, sum.bytes, sum.commas);
  }
  // text straight in a div, between other blocks
  for (const HtmlBlock& block : page_->blocks) {
    if (block.size < kVoteBytes) continue;
    const Index i = block.container;
    const bool div_like = i == 0 || has_trait(at(i).tag, kDivLike);
    if (!div_like || dead_[i] != kAlive || is_phrase(i, sum_[i])) continue;
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
      const bool telling = sum_[i].heading_bytes != 0 || is_prose(sum_[i]);
      if (!parallel || dead_[i] != kAlive || !telling || sum_[i].link_density() > kSectionLinks) continue;
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
    if (!joins && (at(i).tag == HtmlTag::kParagraph || is_phrase(i, sum_[i]))) {
      joins = sum_[i].bytes > 80 && sum_[i].link_density() < .25F;
    }
    if (!joins && at(i).tag == HtmlTag::kTable)
      joins = is_data_table(i, sum_[i]) && sum_[i].link_density() < kTableLinks;
    if (!joins) continue;
    steps_ += at(i).end - i;
    std::fill(chosen_.begin() + i, chosen_.begin() + at(i).end, std::uint8_t{1});
  }
}

// What stands between container i, which it does not count, and `above` has next to no text of its own.
bool HtmlMainContent::is_wrapped_only(Index i, Index above) {
  for (i = at(i).parent; i > above; i = at(i).parent) {
    ++steps_;
    if (at(i).bytes >= kVoteBytes) return false;
  }
  return true;
}

// Where the article begins whose best container this is: the <article> or <main> around it, or else the <h1>
// before it and what holds both.
HtmlMainContent::Beginning HtmlMainContent::beginning_of(Index best) {
  for (Index above = at(best).parent; above != 0; above = at(above).parent) {
    if (at(above).tag == HtmlTag::kArticle || at(above).tag == HtmlTag::kMain) return {above, above + 1};
  }
  const std::vector<Index>& all = headlines();
  auto before = std::lower_bound(all.begin(), all.end(), best);
  while (before != all.begin() && (dead_[before[-1]] != kAlive || sum_[before[-1]].bytes == 0)) --before;
  if (before == all.begin()) return {};
  const Index headline = before[-1];
  Index above = at(best).parent;
  for (int level = 1; level < kLeadLevels && above > headline; ++level) above = at(above).parent;
  if (above < headline) return {above, headline + 1};
  return {};
}

// An article may begin in a header of its own: with long paragraphs before the best container. A short one is
// rather a line below the title, and many are other articles.
void HtmlMainContent::choose_lead(Index best) {
  const Beginning article = beginning_of(best);
  if (article.container == 0 || !is_wrapped_only(best, article.container)) return;
  steps_ += best - article.first;
  std::array<Index, kLeadsMax> leads{};
  std::size_t count = 0;
  for (Index i = article.first; i < best; ++i) {
    const bool lead = at(i).tag == HtmlTag::kParagraph && dead_[i] == kAlive && chosen_[i] == 0 &&
                      sum_[i].bytes >= kLeadBytes && sum_[i].link_density() <= kSectionLinks;
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

// A list of links, or a list without paragraphs, that is most of the page, while next to nothing was kept. A
// list of paragraphs is the comments below a short article.
bool HtmlMainContent::is_table_of_contents(std::uint64_t kept) {
  if (static_cast<float>(kept) > kLittleShare * visible_bytes_) return false;
  look_inside();
  for (Index i = 1; i < size(); ++i) {
    const bool list = at(i).tag == HtmlTag::kList || at(i).tag == HtmlTag::kDefinitions;
    if (!list || dead_[i] != kAlive || static_cast<float>(inside_[i]) <= kMostShare * visible_bytes_)
      continue;
    if (sum_[i].paragraphs == 0 || sum_[i].link_density() > kMostShare) return true;
  }
  return false;
}

// Returns how many bytes that are.
std::uint64_t HtmlMainContent::keep_all_but_furniture() {
  const Index n = size();
  steps_ += n;
  keep_.assign(n, 1);
  std::uint64_t kept = at(0).bytes;
  for (Index i = 1; i < n; ++i) {
    keep_[i] = keep_[at(i).parent] != 0 && dead_[i] == kAlive && at(i).tag != HtmlTag::kFooter;
    if (keep_[i] != 0) kept += at(i).bytes;
  }
  return kept;
}

// Keeps what was chosen, but not what looks like furniture inside of it; children first, so that a parent is
// judged by what is left. Returns how many bytes are kept.
std::uint64_t HtmlMainContent::clean(const Rules& rules) {
  const Index n = size();
  const Index end = at(root_).end;
  steps_ += end - root_;
  keep_.assign(n, 0);
  data_.resize(n);
  left_.resize(n);
  std::uint64_t kept = 0;
  unsigned suspects = 0;
  for (Index i = root_; i < end; ++i) {
    const HtmlContainer& container = at(i);
    const bool keep = chosen_[i] != 0 && dead_[i] == kAlive;
    keep_[i] = keep ? 1 : 0;
    if (keep) kept += container.bytes;
    if (keep) suspects |= (container.flags & kSuspectFlags) | (has_trait(container.tag, kSuspect) ? 1U : 0);
    data_[i] = i != root_ && is_data(i);
    start_sum(i, left_[i]);
  }
  kept_bytes_ = static_cast<float>(kept);
  little_furniture_ = kept_bytes_ > kCoverShare * visible_bytes_;
  if (little_furniture_ && suspects == 0) return kept;
  captions_are_text_ = suspects != 0 && are_captions_text();
  for (Index i = end; --i > root_;) {
    if (keep_[i] == 0) continue;
    if (is_unwanted(rules, i)) {
      keep_[i] = 0;
    } else {
      take_in(i, left_[i], left_[at(i).parent]);
    }
  }
  kept = keep_[root_] != 0 ? at(root_).bytes : 0;
  for (Index i = root_ + 1; i < end; ++i) {
    const Index parent = at(i).parent;
    if (parent > root_) keep_[i] &= keep_[parent];
    if (keep_[i] != 0) kept += at(i).bytes;
  }
  return kept;
}

// A picture says nothing, so the words in its <figure> are its caption; a table there is text.
bool HtmlMainContent::is_caption(Index i, const Sum& sum) const {
  if (at(i).has(Flag::kCaption)) return true;
  return at(i).tag == HtmlTag::kFigure && sum.images > 0 && sum.cells == 0;
}

// A slide show: most of what was chosen stands below its pictures.
bool HtmlMainContent::are_captions_text() {
  const Index end = at(root_).end;
  steps_ += end - root_;
  std::uint64_t bytes = 0;
  for (Index i = root_; i < end;) {
    const bool caption = keep_[i] != 0 && is_caption(i, sum_[i]);
    if (caption) bytes += sum_[i].bytes;
    i = caption ? at(i).end : i + 1;
  }
  return static_cast<float>(bytes) > kMostShare * kept_bytes_;
}

// Whether container i lies in preformatted text or in a table of data that says so itself.
bool HtmlMainContent::is_data(Index i) const {
  const HtmlContainer& parent = at(at(i).parent);
  if (!has_trait(parent.tag, kDecidesData)) return data_[at(i).parent] != 0;
  return parent.tag == HtmlTag::kPreformatted ||
         (parent.tag == HtmlTag::kTable && parent.has(Flag::kDataTable));
}

bool HtmlMainContent::is_data_table(Index i, const Sum& sum) const {
  if (at(i).has(Flag::kPresentation)) return false;
  if (at(i).has(Flag::kDataTable) || sum.data != 0) return true;
  return sum.tables == 0 && sum.cells > 10;
}

// Whether container i is one of many lines, of which few are links.
bool HtmlMainContent::is_in_run(Index i) const {
  const Sum& parent = sum_[at(i).parent];
  return parent.children >= kRunLength && parent.link_density() < kRunLinks && is_phrase(i, sum_[i]);
}

bool HtmlMainContent::is_unwanted(const Rules& rules, Index i) {
  const HtmlContainer& container = at(i);
  const Sum& sum = left_[i];
  const auto bytes = static_cast<float>(sum.bytes);
  const HtmlTag tag = container.tag;
  if ((tag == HtmlTag::kFooter || tag == HtmlTag::kAside) && bytes < kAsideShare * kept_bytes_) return true;
  if (container.has(Flag::kAuthor) && bytes < kAuthorShare * kept_bytes_) return true;
  if (container.has(Flag::kShare) && sum.bytes < kShareBytes) return true;
  if (is_caption(i, sum) && !captions_are_text_ && sum.bytes < kCaptionBytes &&
      bytes < kCaptionShare * kept_bytes_)
    return true;
  if (container.has(Flag::kExtra) && sum.bytes < kExtraBytes && bytes < kExtraShare * kept_bytes_)
    return true;
  if (tag == HtmlTag::kHeadline || tag == HtmlTag::kSubhead) {
    if (rules.weigh_names && container.weight < 0) return true;
    if (!little_furniture_ && repeats_title(i)) return true;
  }
  return rules.clean && !little_furniture_ && has_trait(tag, kCleanable) && looks_like_furniture(rules, i);
}

// Of a cleanable tag.
bool HtmlMainContent::looks_like_furniture(const Rules& rules, Index i) {
  const Sum& sum = left_[i];
  const int weight = rules.weigh_names ? at(i).weight : 0;
  if (at(i).tag == HtmlTag::kTable && is_data_table(i, sum)) return false;
  if (data_[i] != 0) return false;
  const auto bytes = static_cast<float>(sum.bytes);
  const bool large = bytes >= kLargeShare * kept_bytes_ && sum.link_density() < .2F;
  const bool prose = is_prose(sum) && sum.link_density() < kProseLinks;
  if (weight < 0 && !large && !prose) return true;
  if ((prose && sum.inputs == 0) || sum.commas >= 10) return false;

  const bool list =
      at(i).tag == HtmlTag::kList || (sum.bytes > 0 && static_cast<float>(sum.list_bytes) > .9F * bytes);
  const float links = sum.link_density();
  if (list && sum.items >= 2 && links > .95F && bytes < kLinkListShare * kept_bytes_) return true;
  const bool figure = in_figure(i);
  const float headings = sum.bytes == 0 ? 0 : static_cast<float>(sum.heading_bytes) / bytes;
  const bool many_images = !figure && sum.images > 1 && 2 * sum.paragraphs < sum.images;
  const bool many_items = !list && sum.items > sum.paragraphs + 100;
  const bool many_inputs = sum.inputs > sum.paragraphs / 3;
  const bool phrase = is_phrase(i, sum);
  const bool empty = !list && !figure && !phrase && headings < .9F && sum.bytes < 25 &&
                     (sum.images == 0 || sum.images > 2) && links > 0;
  const float links_max = is_in_run(i) ? 1 : phrase ? .6F : weight >= 25 ? .5F : list ? 1 : .2F;
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
  const std::uint32_t bytes = left_[i].bytes;
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

// ---- lines ----

void HtmlMainContent::cut_lines() {
  lines_.clear();
  const std::vector<HtmlBlock>& blocks = page_->blocks;
  steps_ += blocks.size();
  bool gap = true;  // behind the line before: what is between may have been dropped
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    gap |= !blocks[i].glued;
    if (keep_[blocks[i].container] == 0) {
      if (!lines_.empty()) lines_.back().cut_behind = true;
      continue;
    }
    if (gap) lines_.push_back({i, i, 0, 0, true, false});
    gap = false;
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
    const std::string_view text = text_of(line);
    const bool prose = !is_heading(tag) && tag != HtmlTag::kItem && tag != HtmlTag::kDefinition;
    const HtmlLine kind = html_line_kind(text, prose);
    line.keep = kind == HtmlLine::kText;
    if (&line - lines_.data() < kFirstLines && !is_heading(tag) && !little_furniture_) {
      folded_.clear();
      fold_title(text, folded_);
      if (is_title(folded_)) line.keep = false;
    }
    if (!line.keep) cut_before(line);
    behind_marker = kind == HtmlLine::kMarker;
  }
}

// Whether a line is a label and a link: "Read this too: Another article".
bool HtmlMainContent::is_labelled_link(const Line& line) {
  const std::uint32_t label = line.bytes - line.link_bytes;
  if (line.link_bytes < kLinkLineMin || label < 3 || label > line.link_bytes) return false;
  const std::size_t colon = text_of(line).find(':');
  return colon < label && colon + 3 >= label;  // a space may follow, or be part of the link
}

// Paragraphs that are a link each lead to other articles, and so does a label with a link. Where there are
// many of a kind they are what the page is about; what looks like an address, or like a sentence, is text.
void HtmlMainContent::drop_link_lines() {
  struct Found {
    std::array<Line*, kLinkLinesMax> lines{};
    std::size_t count = 0;

    void add(Line& line) {
      if (count < lines.size()) lines[count] = &line;
      ++count;
    }
  };
  Found links;
  Found labelled;
  for (Line& line : lines_) {
    const bool short_link = line.link_bytes * 2 >= line.bytes && line.bytes >= kLinkLineMin &&
                            line.bytes <= kHtmlLineMax && line.keep;
    if (!short_link) continue;
    if (at(page_->blocks[line.first_block].container).tag != HtmlTag::kParagraph) continue;
    if (line.link_bytes * 20 >= line.bytes * 19) {
      links.add(line);
    } else if (is_labelled_link(line)) {
      labelled.add(line);
    }
  }
  for (const Found& found : {links, labelled}) {
    if (found.count > kLinkLinesMax) continue;
    for (std::size_t i = 0; i < found.count; ++i) {
      Line& line = *found.lines[i];
      const std::string_view text = text_of(line);
      const bool address =
          text.find("://") != std::string_view::npos || text.find("www.") != std::string_view::npos;
      if (address || text.ends_with('.')) continue;
      line.keep = false;
      if (&line != lines_.data()) (&line - 1)->cut_behind = true;
    }
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

// Valid until the next call.
std::string_view HtmlMainContent::text_of(const Line& line) {
  if (line.end_block - line.first_block == 1) return page_->text_of(page_->blocks[line.first_block]);
  line_.clear();
  for (std::uint32_t i = line.first_block; i < line.end_block; ++i) {
    if (keep_[page_->blocks[i].container] != 0) line_ += page_->text_of(page_->blocks[i]);
  }
  return line_;
}

// Lines that follow each other in the page, as most do, are copied together: a line break is between them
// there too.
void HtmlMainContent::write(std::string& text) const {
  const bool any = std::any_of(lines_.begin(), lines_.end(), [](const Line& line) { return line.keep; });
  std::string_view run;
  const auto write_run = [&] {
    text += run;
    run = {};
  };
  for (const Line& line : lines_) {
    if (any && !line.keep) continue;
    for (std::uint32_t i = line.first_block; i < line.end_block; ++i) {
      if (keep_[page_->blocks[i].container] == 0) continue;
      const std::string_view block = page_->text_of(page_->blocks[i]);
      const bool new_line = i == line.first_block;
      if (new_line && !run.empty() && run.data() + run.size() + 1 == block.data()) {
        run = {run.data(), run.size() + 1 + block.size()};
      } else {
        write_run();
        if (new_line && !text.empty()) text += '\n';
        run = block;
      }
    }
  }
  write_run();
}

}  // namespace neardup::internal
