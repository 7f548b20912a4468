// The part of html_main.h that drops what looks like furniture inside of the chosen.

#include "core/text/html_main.h"

namespace neardup::internal {
namespace {

// Shares are of the text kept so far: what holds more is the article itself, whatever it is called.
constexpr float kCoverShare = .85F;  // of what is visible: a page with little furniture, not to be cleaned
constexpr float kAsideShare = .4F;
constexpr float kAuthorShare = .35F;
constexpr float kLinkListShare = .2F;
constexpr float kCaptionShare = .2F;
constexpr float kExtraShare = .15F;
constexpr float kLargeShare = .2F;
constexpr float kProseLinks = .1F;  // prose with no larger share of links stays, whatever it is called
constexpr std::uint32_t kShareBytes = 500;
constexpr std::uint32_t kCaptionBytes = 600;
constexpr std::uint32_t kExtraBytes = 400;
constexpr std::uint32_t kRunLength = 8;  // so many lines of one parent ...
constexpr float kRunLinks = .4F;         // ... with no larger share of links are text, each of them

// Sections of one class, side by side: so many, of what has no larger share of links, that say so much beside
// their own links, are text, each with no larger share of them.
constexpr int kRowLength = 3;
constexpr float kRowLinks = .35F;
constexpr float kRowPartLinks = .5F;
constexpr std::uint32_t kRowPartBytes = 80;

// A row that holds more, and of which less is links, is the frame of the page; in it a cell is a menu that
// holds less, and of which more is links.
constexpr float kFrameShare = .5F;
constexpr float kFrameLinks = .5F;
constexpr float kMenuShare = .4F;
constexpr float kMenuLinks = .6F;

// Flags of a container that may go even where nothing is cleaned.
constexpr unsigned kSuspectFlags =
    HtmlContainer::kAuthor | HtmlContainer::kShare | HtmlContainer::kCaption | HtmlContainer::kExtra;

}  // namespace

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
    if (keep)
      suspects |= (container.flags & kSuspectFlags) | (has_trait(container.tag, Trait::kSuspect) ? 1U : 0);
    data_[i] = i != root_ && is_data(i);
    left_[i].start(at(i));
  }
  kept_bytes_ = static_cast<float>(kept);
  little_furniture_ = is_nearly_all(kept_bytes_);
  if (little_furniture_ && suspects == 0) return kept;
  captions_are_text_ = suspects != 0 && are_captions_text();
  extras_are_text_ = (suspects & HtmlContainer::kExtra) != 0 && are_extras_text();
  for (Index i = end; --i > root_;) {
    if (keep_[i] == 0) continue;
    if (is_unwanted(rules, i)) {
      keep_[i] = 0;
    } else {
      left_[at(i).parent].take_in(at(i), left_[i]);
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

bool HtmlMainContent::is_nearly_all(float bytes) const { return bytes > kCoverShare * visible_bytes_; }

bool HtmlMainContent::is_unwanted(const Rules& rules, Index i) {
  const HtmlContainer& container = at(i);
  const HtmlSum& sum = left_[i];
  const auto bytes = static_cast<float>(sum.bytes);
  const HtmlTag tag = container.tag;
  const bool box = is_box_in_text(i);
  if ((tag == HtmlTag::kFooter || tag == HtmlTag::kAside) && !box && bytes < kAsideShare * kept_bytes_)
    return true;
  if (tag == HtmlTag::kCell && is_menu_cell(i)) return true;
  if (container.has(Flag::kAuthor) && bytes < kAuthorShare * kept_bytes_) return true;
  if (container.has(Flag::kShare) && sum.bytes < kShareBytes) return true;
  if (is_caption(i, sum) && !captions_are_text_ && sum.bytes < kCaptionBytes &&
      bytes < kCaptionShare * kept_bytes_)
    return true;
  if (container.has(Flag::kExtra) && !extras_are_text_ && sum.bytes < kExtraBytes &&
      bytes < kExtraShare * kept_bytes_)
    return true;
  if (tag == HtmlTag::kHeadline || tag == HtmlTag::kSubhead) {
    if (weight_of(rules, i) < 0) return true;
    if (!little_furniture_ && repeats_title(i)) return true;
  }
  return rules.clean && !little_furniture_ && !box && has_trait(tag, Trait::kCleanable) &&
         looks_like_furniture(rules, i);
}

// Of a cleanable tag.
bool HtmlMainContent::looks_like_furniture(const Rules& rules, Index i) {
  const HtmlSum& sum = left_[i];
  const int weight = weight_of(rules, i);
  if (at(i).tag == HtmlTag::kTable && is_data_table(i, sum)) return false;
  if (data_[i] != 0) return false;
  const auto bytes = static_cast<float>(sum.bytes);
  const bool large = bytes >= kLargeShare * kept_bytes_ && sum.link_density() < .2F;
  const bool prose = sum.is_prose() && sum.link_density() < kProseLinks;
  if (weight < 0 && !large && !prose) return true;
  if ((prose && sum.inputs == 0) || sum.has_many_commas()) return false;

  const bool list =
      at(i).tag == HtmlTag::kList || (sum.bytes > 0 && static_cast<float>(sum.list_bytes) > .9F * bytes);
  const float links = sum.link_density();
  if (list && sum.items >= 2 && links > .95F && bytes < kLinkListShare * kept_bytes_) return true;
  const bool figure = in_figure(i);
  const float headings = sum.bytes == 0 ? 0 : static_cast<float>(sum.heading_bytes) / bytes;
  const bool many_images = !figure && sum.images > 1 && 2 * sum.paragraphs < sum.images;
  const bool many_items = !list && sum.items > sum.paragraphs + 100;
  const bool many_inputs = sum.inputs > sum.paragraphs / 3;
  const bool phrase = is_phrase(at(i), sum);
  const bool empty = !list && !figure && !phrase && headings < .9F && sum.bytes < 25 &&
                     (sum.images == 0 || sum.images > 2) && links > 0;
  const float links_max = is_in_run(i) ? 1 : phrase ? .6F : weight >= 25 ? .5F : list ? 1 : .2F;
  const bool many_links = links > links_max && (links > kRowPartLinks || !is_in_row(i));
  const bool embedded = (sum.embeds == 1 && sum.bytes < 75) || sum.embeds > 1;
  return many_images || many_items || many_inputs || empty || many_links || embedded;
}

// Whether container i is one of many lines, of which few are links.
bool HtmlMainContent::is_in_run(Index i) const {
  const HtmlSum& parent = sum_[at(i).parent];
  return parent.children >= kRunLength && parent.link_density() < kRunLinks && is_phrase(at(i), sum_[i]);
}

// Whether container i is one of several of a kind that say something: the functions of an interface, whose
// types are links, or the news of a front page. Each by itself would stay or go as it happens.
bool HtmlMainContent::is_in_row(Index i) const {
  const Index parent = at(i).parent;
  const auto alike = [&](Index k) {
    return at(k).tag == at(i).tag && at(k).class_hash == at(i).class_hash && dead_[k] == kAlive &&
           sum_[k].bytes >= sum_[k].link_bytes + kRowPartBytes;
  };
  if (at(i).class_hash == 0 || sum_[parent].link_density() > kRowLinks || !alike(i)) return false;
  int count = 1;
  for (Index k = at(i).end; count < kRowLength && k < at(parent).end && alike(k); k = at(k).end) ++count;
  for (Index k = i; count < kRowLength && k != parent + 1; ++count) {
    k = sibling_before(k);
    if (!alike(k)) break;
  }
  return count == kRowLength;
}

// Whether cell i stands beside the text in a table that lays out the page. A list of links in a table is no
// menu: each of its rows says little, or all of it is links.
bool HtmlMainContent::is_menu_cell(Index i) const {
  const HtmlSum& row = sum_[at(i).parent];
  const HtmlSum& cell = left_[i];
  const float cell_share = static_cast<float>(cell.bytes) / kept_bytes_;
  const float row_share = static_cast<float>(row.bytes) / kept_bytes_;
  const bool is_frame = row_share > kFrameShare && row.link_density() < kFrameLinks && row.data == 0;
  return is_frame && data_[i] == 0 && cell_share < kMenuShare && cell.link_density() > kMenuLinks;
}

// A picture says nothing, so the words in its <figure> are its caption; a table there is text, and so is what
// stands below a listing.
bool HtmlMainContent::is_caption(Index i, const HtmlSum& sum) const {
  if (at(i).tag == HtmlTag::kFigureCaption && is_below_text(i, sum)) return false;
  if (at(i).has(Flag::kCaption)) return true;
  return at(i).tag == HtmlTag::kFigure && sum.images > 0 && sum.cells == 0;
}

// Whether the figure that caption i is of holds more text, and no picture.
bool HtmlMainContent::is_below_text(Index i, const HtmlSum& sum) const {
  const Index figure = at(i).parent;
  return at(figure).tag == HtmlTag::kFigure && sum_[figure].images + sum_[figure].embeds == 0 &&
         sum_[figure].bytes > 2 * sum.bytes;
}

// Where there are no pictures, captions are of listings or tables, and they are text. So they are in a slide
// show: most of what was chosen stands below its pictures.
bool HtmlMainContent::are_captions_text() {
  if (sum_[root_].images + sum_[root_].embeds == 0) return true;
  return is_most_in([&](Index i) { return is_caption(i, sum_[i]); });
}

// A page that is little but teasers is the list of its articles: each is as good as the longest, which would
// stay alone.
bool HtmlMainContent::are_extras_text() {
  return is_most_in([&](Index i) { return at(i).has(Flag::kExtra); });
}

// Whether most of what was chosen stands in containers of a kind.
template <class Kind>
bool HtmlMainContent::is_most_in(Kind is_of_it) {
  const Index end = at(root_).end;
  steps_ += end - root_;
  std::uint64_t bytes = 0;
  for (Index i = root_; i < end;) {
    const bool found = keep_[i] != 0 && is_of_it(i);
    if (found) bytes += sum_[i].bytes;
    i = found ? at(i).end : i + 1;
  }
  return static_cast<float>(bytes) > kMostShare * kept_bytes_;
}

bool HtmlMainContent::repeats_title(Index i) {
  const std::uint32_t bytes = left_[i].bytes;
  if (bytes < HtmlTitles::kBytesMin || bytes > HtmlTitles::kBytesMax || headings_left_ == 0) return false;
  --headings_left_;
  folded_.clear();
  for (std::size_t k = at(i).first_block; k < page_->blocks.size(); ++k) {
    const HtmlBlock& block = page_->blocks[k];
    if (block.container < i || block.container >= at(i).end || folded_.size() > HtmlTitles::kBytesMax) break;
    HtmlTitles::fold(page_->text_of(block), folded_);
    steps_ += block.size;
  }
  return titles_.say(folded_);
}

// ---- tables and figures ----

// Whether container i lies in preformatted text or in a table of data that says so itself.
bool HtmlMainContent::is_data(Index i) const {
  const HtmlContainer& parent = at(at(i).parent);
  if (!has_trait(parent.tag, Trait::kDecidesData)) return data_[at(i).parent] != 0;
  return parent.tag == HtmlTag::kPreformatted ||
         (parent.tag == HtmlTag::kTable && parent.has(Flag::kDataTable));
}

bool HtmlMainContent::is_data_table(Index i, const HtmlSum& sum) const {
  if (at(i).has(Flag::kPresentation)) return false;
  if (at(i).has(Flag::kDataTable) || sum.data != 0) return true;
  return sum.tables == 0 && sum.cells > 10;
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

}  // namespace neardup::internal
