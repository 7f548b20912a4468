#include "core/text/html_main.h"

#include <algorithm>

namespace neardup::internal {
namespace {

// How much is enough, in bytes of text.
constexpr std::uint64_t kEnoughBytes = 500;   // with less the rules are relaxed
constexpr std::uint64_t kArticleBytes = 250;  // less is no article where the page has four times as much
constexpr float kPieceShare = .125F;  // not enough, and less of what it is part of, is a piece of that
constexpr float kLittleShare = .3F;   // less of what is visible is next to nothing, beside a list

// What is an article and no introduction, beside a list that is most of the page.
constexpr std::uint64_t kSureBytes = 1000;
constexpr float kPartShare = .05F;

// Who takes part.
constexpr std::uint32_t kBylineBytes = 100;  // a longer byline is called so only
constexpr std::uint32_t kWholeParts = 4;     // fewer than one of so many containers are not the whole page
constexpr float kRevivedShare = .1F;  // relaxed: what is called furniture may be more if it holds so much

// A sidebar of the article.
constexpr std::uint32_t kBoxBytes = 80;  // less says nothing, nor does a paragraph before it that has less
constexpr float kBoxLinks = .15F;
constexpr std::uint32_t kBoxParts = 512;  // what holds more is a column, and such ones may hold each other
constexpr int kNearBox = 3;               // so many elements before it, one is a paragraph
constexpr std::uint32_t kParagraphParts = 4;  // more containers are no paragraph

// Comments that are the text.
constexpr std::uint32_t kRemarkBytes = 80;  // that are no links; less may be called one for any reason
constexpr std::uint64_t kRemarkTimes = 4;   // all else

constexpr float kNextToNothing = 40;   // bytes: "Loading, please wait ..."
constexpr int kHeadingsCompared = 16;  // with the title

}  // namespace

void HtmlMainContent::find(const HtmlPage& page, std::string& text) {
  page_ = &page;
  containers_ = page.containers.data();
  size_ = static_cast<Index>(page.containers.size());
  titles_.read(page);
  headings_left_ = kHeadingsCompared;

  measure();
  comments_are_text_ = any_comments_ && begins_with_comments();
  std::uint64_t best = 0;
  bool best_has_little_furniture = false;
  const auto take_if_better = [&](std::uint64_t kept, bool little_furniture) {
    if (kept <= best) return;
    best = kept;
    best_has_little_furniture = little_furniture;
    best_keep_.swap(keep_);
  };
  const auto clean_and_take_if_better = [&](const Rules& rules) {
    const std::uint64_t kept = clean(rules);
    take_if_better(kept, little_furniture_);
  };
  // Each attempt goes on where it begins to differ from the one before.
  constexpr Rules kStrict = {true, true, true, true};
  mark_dead(kStrict);
  hold_vote(kStrict);
  choose(kStrict);
  clean_and_take_if_better(kStrict);
  // A sidebar or what readers say is no more part of a short article than of a long one, and it is the longer
  // of the two: two articles with one sidebar would be one text.
  const bool drop_beside = best >= kArticleBytes;
  if (best < kEnoughBytes && any_unlikely_) {
    const Rules furniture_too = {false, drop_beside, true, true};
    if (mark_dead(furniture_too)) {
      hold_vote(furniture_too);
      choose(furniture_too);
    }
    clean_and_take_if_better(furniture_too);
  }
  if (best < kEnoughBytes && any_weight_) {
    const Rules nameless = {false, drop_beside, false, true};
    choose(nameless);
    clean_and_take_if_better(nameless);
  }
  if (best < kEnoughBytes && !little_furniture_) clean_and_take_if_better({false, drop_beside, false, false});
  const auto is_crumb = [&](std::uint64_t size, float of_bytes) {
    return size < kArticleBytes && of_bytes > 4 * static_cast<float>(size);
  };
  const auto take_all_but_furniture_if_better = [&] {
    mark_dead(kStrict);
    const std::uint64_t kept = keep_all_but_furniture();
    take_if_better(kept, is_nearly_all(static_cast<float>(kept)));
  };
  if (is_crumb(best, visible_bytes_) || is_piece(best) || is_table_of_contents(best) ||
      is_plain_text_elsewhere(best))
    take_all_but_furniture_if_better();
  // A menu around a few words is no reason to have more than them. Prose is: many small pieces, all of them
  // called furniture, are what the page is about, like the posts of a forum that are called comments.
  const auto write_best = [&] {
    text.clear();
    if (best != 0 && !is_crumb(best, prose_bytes_))
      lines_.write(page, best_keep_, best_has_little_furniture, titles_, text);
  };
  write_best();
  // The lines that say what they are may have been most of it: it was the furniture that had won.
  const bool little_left = static_cast<float>(text.size()) < kMostShare * static_cast<float>(best);
  if (little_left && is_crumb(text.size(), visible_bytes_) && !text.empty()) {
    take_all_but_furniture_if_better();
    write_best();
  }
}

std::size_t HtmlMainContent::held_bytes() const {
  const auto held = [](const auto&... buffers) {
    return (... + (buffers.capacity() * sizeof(*buffers.data())));
  };
  return held(seen_, inside_, around_, dead_, sum_, stands_for_, votes_, score_, chosen_, left_, data_, keep_,
              best_keep_, headlines_, subheads_, folded_) +
         lines_.held_bytes();
}

// ---- who takes part ----

// What holds for every attempt: who can be seen at all, and what may be relaxed.
void HtmlMainContent::measure() {
  look_who_is_seen(false);
  if (visible_bytes_ >= kNextToNothing) return;
  // Scripts show what a page hides until it has been read.
  look_who_is_seen(true);
  if (visible_bytes_ < static_cast<float>(kArticleBytes)) look_who_is_seen(false);
}

// `revealed`: what is hidden counts as seen, but not what is hidden inside of it.
void HtmlMainContent::look_who_is_seen(bool revealed) {
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
  first_main_ = n;
  last_main_ = 0;
  Index revealed_end = 0;  // of what counts as seen though it is hidden
  for (Index i = 1; i < n; ++i) {
    const HtmlContainer& each = at(i);
    const unsigned trait = html_traits(each.tag);
    bool hidden = each.has(Flag::kHidden);
    if (hidden && revealed && i >= revealed_end) {
      hidden = false;
      revealed_end = each.end;
    }
    const bool shown = !hidden && (trait & Trait::kNeverShown) == 0;
    seen_[i] = seen_[each.parent] & static_cast<std::uint8_t>(shown);
    visible += seen_[i] * each.bytes;
    in_links += seen_[i] * each.link_bytes;
    flags |= each.flags;
    traits |= trait;
    weight |= static_cast<std::uint8_t>(each.weight);
    if (seen_[i] != 0 && (trait & HtmlTrait::kMain) != 0) {
      first_main_ = std::min(first_main_, i);
      last_main_ = i;
    }
  }
  visible_bytes_ = static_cast<float>(visible);
  prose_bytes_ = static_cast<float>(visible - in_links);
  any_unlikely_ = (flags & (Flag::kUnlikely | Flag::kByline)) != 0 || (traits & Trait::kNavigation) != 0;
  any_weight_ = weight != 0;
  any_comments_ = (flags & Flag::kComments) != 0;
}

// What readers have to say stands below what they speak of. Where the page begins with a comment, and nearly
// all of its text is comments, they are what it is about: a program's, in a manual made of them, or the
// posts of a forum.
bool HtmlMainContent::begins_with_comments() {
  steps_ += size();
  std::uint64_t in_comments = 0;
  std::uint64_t elsewhere = 0;
  Index comments_end = 0;
  for (Index i = 1; i < size(); ++i) {
    const HtmlContainer& each = at(i);
    // "comments-open" may be said of all that is around an article.
    const bool comment = each.has(Flag::kComments) && each.has(Flag::kUnlikely) &&
                         !has_trait(each.tag, HtmlTrait::kMain) && !is_around_article(i);
    const bool furniture = (each.has(Flag::kUnlikely) && !each.has(Flag::kComments)) ||
                           each.tag == HtmlTag::kNav || each.tag == HtmlTag::kAside ||
                           each.tag == HtmlTag::kFooter;
    if (furniture || seen_[i] == 0) {
      i = each.end - 1;
      continue;
    }
    if (comment) comments_end = std::max(comments_end, each.end);
    const std::uint32_t bytes = each.bytes - each.link_bytes;
    if (bytes < kRemarkBytes || is_heading(each.tag)) continue;
    if (i >= comments_end && in_comments == 0) return false;
    (i < comments_end ? in_comments : elsewhere) += bytes;
  }
  return in_comments >= kEnoughBytes && in_comments > kRemarkTimes * elsewhere;
}

// How much text each container holds, dead or alive, and which <article> or <main> is around it.
void HtmlMainContent::look_inside() {
  const Index n = size();
  if (inside_.size() == n) return;
  steps_ += n;
  inside_.assign(n, 0);
  around_.resize(n);
  around_[0] = 0;
  for (Index i = 1; i < n; ++i) {
    const Index parent = at(i).parent;
    around_[i] = has_trait(at(parent).tag, HtmlTrait::kMain) ? parent : around_[parent];
  }
  for (Index i = n; i-- > 0;) {
    if (seen_[i] == 0) continue;
    inside_[i] += at(i).bytes;
    if (i > 0) inside_[at(i).parent] += inside_[i];
  }
}

// Every <h1> and every <h2>, in order.
void HtmlMainContent::find_headlines() {
  if (headlines_known_) return;
  headlines_known_ = true;
  headlines_.clear();
  subheads_.clear();
  look_inside();
  steps_ += size();
  bool any_headline = false;
  first_subhead_ = 0;
  for (Index i = 1; i < size(); ++i) {
    if (at(i).tag == HtmlTag::kHeadline) {
      headlines_.push_back(i);
      any_headline |= inside_[i] != 0;
    } else if (at(i).tag == HtmlTag::kSubhead) {
      subheads_.push_back(i);
      if (first_subhead_ == 0 && inside_[i] != 0) first_subhead_ = i;
    }
  }
  if (any_headline) first_subhead_ = 0;
}

// Where they are known.
bool HtmlMainContent::holds_headline(Index i) const {
  const auto first = std::upper_bound(headlines_.begin(), headlines_.end(), i);
  return first != headlines_.end() && *first < at(i).end;
}

// What holds an <h1> and most of the page is no furniture of it, whatever it is called. Where there is none
// the first <h2> is as good, but that may be one above the comments.
bool HtmlMainContent::is_around_article(Index i) {
  if (at(i).end - i < size() / kWholeParts) return false;
  find_headlines();
  const bool subhead = first_subhead_ > i && first_subhead_ < at(i).end && !at(i).has(Flag::kComments);
  return (holds_headline(i) || subhead) && static_cast<float>(inside_[i]) > kMostShare * visible_bytes_;
}

// A footer or an aside is none of the article, not even where there is little else: two pages with one footer
// would be one text. But what holds more than half of the <article> or <main> around it is the article's own,
// and an <aside> with more than half of the page may be all there is, where neither stands beside it.
// `by_name`: what is called a footer is one.
bool HtmlMainContent::is_aside(Index i, bool by_name) {
  const HtmlTag tag = at(i).tag;
  const bool footer = tag == HtmlTag::kFooter || (by_name && at(i).has(Flag::kFooter));
  if (!footer && tag != HtmlTag::kAside) return false;
  look_inside();
  if (is_box_in_text(i)) return false;
  const Index around = around_[i];
  if (around == 0 && (footer || first_main_ < i || last_main_ >= at(i).end)) return true;
  const float all = around == 0 ? visible_bytes_ : static_cast<float>(inside_[around]);
  return static_cast<float>(inside_[i]) <= kMostShare * all;
}

// A sidebar of the article and not of the page: it stands behind a paragraph, and says something itself.
bool HtmlMainContent::is_box_in_text(Index i) const {
  if (!at(i).has(Flag::kSidebar) && at(i).tag != HtmlTag::kAside) return false;
  if (at(i).end - i > kBoxParts) return false;
  HtmlSum sum;
  for (Index k = i; k < at(i).end; ++k) {
    if (seen_[k] == 0) continue;
    sum.bytes += at(k).bytes;
    sum.link_bytes += at(k).link_bytes;
    sum.commas += at(k).commas;
    sum.inputs += at(k).inputs;
    sum.paragraphs += at(k).tag == HtmlTag::kParagraph ? 1 : 0;
  }
  if (sum.bytes < kBoxBytes || sum.inputs != 0 || sum.link_density() > kBoxLinks) return false;
  if (at(i).tag == HtmlTag::kAside && !sum.is_prose()) return false;
  const Index parent = at(i).parent;
  Index before = i;
  for (int count = 0; count < kNearBox && before != parent + 1; ++count) {
    before = sibling_before(before);
    if (is_paragraph(before)) return true;
  }
  return false;
}

// REQUIRES: container i is not the first in its parent. The steps to all of a page's are no more than it has
// containers.
HtmlMainContent::Index HtmlMainContent::sibling_before(Index i) const {
  const Index parent = at(i).parent;
  for (--i; at(i).parent != parent;) i = at(i).parent;
  return i;
}

// Whether container i is a long paragraph, be it a <div> or in one of its own; what holds more is rather the
// column that a sidebar is beside.
bool HtmlMainContent::is_paragraph(Index i) const {
  if (seen_[i] == 0 || at(i).end - i > kParagraphParts) return false;
  std::uint32_t bytes = 0;
  std::uint32_t links = 0;
  for (Index k = i; k < at(i).end; ++k) {
    const bool part =
        at(k).tag == HtmlTag::kParagraph || at(k).tag == HtmlTag::kDiv || at(k).has(Flag::kInline);
    if (!part || at(k).has(Flag::kParagraphs)) return false;
    bytes += at(k).bytes;
    links += at(k).link_bytes;
  }
  return bytes >= kBoxBytes && 4 * links < bytes && static_cast<float>(bytes) < kMostShare * visible_bytes_;
}

// Returns whether that is another answer than the one before.
bool HtmlMainContent::mark_dead(const Rules& rules) {
  const Index n = size();
  steps_ += n;
  if (!rules.drop_unlikely) look_inside();
  unsigned changed = 0;
  Index revived_comments_end = 0;
  for (Index i = 1; i < n; ++i) {
    const HtmlContainer& each = at(i);
    unsigned dead = dead_[each.parent] | (seen_[i] ^ 1U);
    const bool aside = dead == kAlive && is_aside(i, !rules.drop_unlikely);
    const bool unlikely = each.has(Flag::kUnlikely) && !is_comment_as_text(each);
    if ((unlikely || each.tag == HtmlTag::kNav || aside) && dead == kAlive) {
      // The class of an <article> names its topics, too, and "social" may be one of them.
      // An answer to a comment is as good as the comment.
      const bool dropped = rules.drop_unlikely ||
                           (rules.drop_beside && (each.has(Flag::kSidebar) || each.has(Flag::kComments)));
      const bool revived = !dropped && !aside &&
                           (static_cast<float>(inside_[i]) >= kRevivedShare * visible_bytes_ ||
                            (each.has(Flag::kComments) && i < revived_comments_end));
      if (revived && each.has(Flag::kComments))
        revived_comments_end = std::max(revived_comments_end, each.end);
      const bool spared = revived || each.has(Flag::kArticleBody) || is_heading(each.tag) ||
                          (has_trait(each.tag, HtmlTrait::kMain) && each.weight > 0) ||
                          is_around_article(i) || is_box_in_text(i);
      if (!spared && !in_table(i)) dead = kDead;
    }
    changed |= dead ^ dead_[i];
    dead_[i] = static_cast<std::uint8_t>(dead);
  }
  return changed != 0;
}

// As its names say; 0 where they do not count.
int HtmlMainContent::weight_of(const Rules& rules, Index i) const {
  return rules.weigh_names && !is_comment_as_text(at(i)) ? at(i).weight : 0;
}

void HtmlMainContent::add_up(const Rules& rules) {
  const Index n = size();
  steps_ += n;
  sum_.resize(n);
  for (Index i = 0; i < n; ++i) sum_[i].start(at(i));
  bool any_died = false;
  for (Index i = n; --i > 0;) {
    if (dead_[i] != kAlive) continue;
    const HtmlSum& sum = sum_[i];
    if (rules.drop_unlikely && at(i).has(Flag::kByline) && sum.bytes > 0 && sum.bytes < kBylineBytes) {
      dead_[i] = kDead;
      any_died = true;
    } else {
      sum_[at(i).parent].take_in(at(i), sum);
    }
  }
  if (!any_died) return;
  for (Index i = 1; i < n; ++i) dead_[i] |= dead_[at(i).parent];
}

// ---- pages without an article ----

// A login box, a poll or the owner's address, which all pages of a shop or a forum share: as their text it
// would make them all alike. Not where all the rest is links.
bool HtmlMainContent::is_piece(std::uint64_t kept) {
  const auto bytes = static_cast<float>(kept);
  if (kept == 0 || kept >= kEnoughBytes || bytes > kMostShare * prose_bytes_) return false;
  return bytes < kPieceShare * subject_bytes();
}

// How much the smallest container holds that is around all that was kept and of which the page says that it
// is the subject: <main>, <article>, or around an <h1>. Without one, how much is visible.
float HtmlMainContent::subject_bytes() {
  look_inside();
  find_headlines();
  const Kept kept = best_kept();
  for (Index i = kept.first; i != 0; i = at(i).parent) {
    ++steps_;
    if (kept.last >= at(i).end) continue;
    if (holds_headline(i) || has_trait(at(i).tag, HtmlTrait::kMain)) return static_cast<float>(inside_[i]);
  }
  return visible_bytes_;
}

// A list of links, or a list without paragraphs, that is most of the page, while next to nothing was kept. A
// list of paragraphs is the comments below a short article; and one that is no part of what was chosen stands
// around an article or beside it: columns, other news, the chapters of a manual.
bool HtmlMainContent::is_table_of_contents(std::uint64_t kept) {
  const auto bytes = static_cast<float>(kept);
  if (bytes > kLittleShare * visible_bytes_) return false;
  const bool article = kept >= kSureBytes && bytes > kPartShare * visible_bytes_;
  look_inside();
  for (Index i = 1; i < size(); ++i) {
    const bool list = at(i).tag == HtmlTag::kList || at(i).tag == HtmlTag::kDefinitions;
    if (!list || dead_[i] != kAlive || static_cast<float>(inside_[i]) <= kMostShare * visible_bytes_)
      continue;
    if (article && chosen_[i] == 0 && !is_described(i)) continue;
    if (sum_[i].paragraphs == 0 || sum_[i].link_density() > kMostShare) return true;
  }
  return false;
}

// One table, one listing, one poem ... is most of the page; it has no paragraphs to vote for it, and next to
// nothing was kept, from somewhere else.
bool HtmlMainContent::is_plain_text_elsewhere(std::uint64_t kept) {
  if (kept == 0 || static_cast<float>(kept) > kLittleShare * visible_bytes_) return false;
  look_inside();
  const Kept best = best_kept();
  steps_ += size();
  for (Index i = 1; i < size(); ++i) {
    if (static_cast<float>(inside_[i]) <= kMostShare * visible_bytes_ || dead_[i] != kAlive) continue;
    if (i <= best.first && best.last < at(i).end) continue;
    if (sum_[i].paragraphs == 0 && sum_[i].link_density() <= kMostShare) return true;
  }
  return false;
}

// Of the best attempt, that have text.
HtmlMainContent::Kept HtmlMainContent::best_kept() {
  steps_ += size();
  Kept kept{size(), 0};
  for (Index i = 0; i < size(); ++i) {
    if (best_keep_[i] == 0 || at(i).bytes == 0) continue;
    kept.first = std::min(kept.first, i);
    kept.last = i;
  }
  return kept;
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

}  // namespace neardup::internal
