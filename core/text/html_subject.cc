#include "core/text/html_subject.h"

#include <algorithm>

#include "core/base/ascii.h"
#include "core/text/html_blocks.h"
#include "core/text/html_titles.h"

namespace neardup::internal {
namespace {

using Flag = HtmlContainer::Flag;

constexpr std::uint32_t kSiblingsMax = 64;  // so many, from the first on, are looked at
constexpr std::uint32_t kOthersMin = 2;     // of them, for one of several
constexpr std::uint32_t kHeadingNear = 6;   // so many containers behind a start tag, its heading is one
constexpr std::string_view kChapterNames[] = {"", "s", "sec", "sect", "section"};
constexpr std::string_view kPilcrow = "\xC2\xB6";  // what stands behind a heading and links to it
constexpr int kWrapperLevels = 2;  // <ul><li><section>: sections may be alone in what is around them

bool is_section(HtmlTag tag) {
  return tag == HtmlTag::kSection || tag == HtmlTag::kDiv || tag == HtmlTag::kArticle;
}

}  // namespace

HtmlSubjects::Place HtmlSubjects::add(std::uint32_t container, std::string_view id, HtmlNamed otherwise) {
  if (named_.size() == kMax) return kNone;
  named_.push_back({id, container, otherwise, false});
  return static_cast<Place>(named_.size());
}

std::uint64_t HtmlSubjects::settle(HtmlPage& page) {
  page_ = &page;
  steps_ = 0;
  const auto take_back = [&](const Named& named) {
    HtmlContainer& container = page.containers[named.container];
    container.flags =
        static_cast<std::uint16_t>((container.flags & ~HtmlContainer::kOfNames) | named.otherwise.flags);
    container.weight = named.otherwise.weight;
  };
  // First those that are led to: they are chapters, of which the others are told to be more.
  for (const bool linked : {true, false}) {
    steps_ += named_.size();
    for (const Named& named : named_) {
      if (named.is_linked == linked && (linked || is_subject(named))) take_back(named);
    }
  }
  return steps_;
}

bool HtmlSubjects::is_subject(const Named& named) {
  const std::vector<HtmlContainer>& all = page_->containers;
  Index i = named.container;
  while (all[i].has(Flag::kInline)) i = all[i].parent;  // <h2><span id=menus>
  if (is_heading(all[i].tag) || all[i].tag == HtmlTag::kDefinition) return says(i, named.id);
  if (i != named.container || !is_section(all[i].tag) || named.otherwise.weight < 0) return false;
  const Index heading = heading_of(i).container;
  return heading != 0 && says(heading, named.id) && is_one_of_several(i, all[heading].tag);
}

// The heading that container i begins with.
HtmlSubjects::Heading HtmlSubjects::heading_of(Index i) {
  const std::vector<HtmlContainer>& all = page_->containers;
  Heading heading{0, all[i].has(Flag::kHasId)};
  const Index block = all[i].first_block;
  const Index end = std::min(all[i].end, i + 1 + kHeadingNear);
  for (Index k = i + 1; k < end && all[k].first_block == block; ++k) {
    ++steps_;
    if (is_heading(all[k].tag) && holds(k, block)) {
      heading.container = k;
      break;
    }
    heading.has_id |= all[k].has(Flag::kHasId);
  }
  return heading;
}

bool HtmlSubjects::holds(Index i, Index block) const {
  if (block >= page_->blocks.size()) return false;
  const Index in = page_->blocks[block].container;
  return i <= in && in < page_->containers[i].end;
}

// Whether `id` repeats the text of container i. Numbers may stand before the one, "1.2 Menus", and behind the
// other, "menus-2", or what all such ids of a manual begin with, "sec-menus"; the id of a method may have its
// parameters, "setMenu(java.awt.Menu)".
bool HtmlSubjects::says(Index i, std::string_view id) {
  heading_.clear();
  for (Index k = page_->containers[i].first_block; holds(i, k) && heading_.size() <= HtmlTitles::kBytesMax;
       ++k) {
    ++steps_;
    HtmlTitles::fold(page_->text_of(page_->blocks[k]).substr(0, HtmlTitles::kBytesMax), heading_);
  }
  id_.clear();
  HtmlTitles::fold(id.substr(0, std::min(id.find('('), HtmlTitles::kBytesMax)), id_);
  if (id_ == heading_) return !id_.empty();
  std::string_view text = heading_;
  std::string_view name = id_;
  if (text.ends_with(kPilcrow)) text.remove_suffix(kPilcrow.size());
  while (!text.empty() && is_ascii_digit(text.front())) text.remove_prefix(1);
  while (name.size() > text.size() && is_ascii_digit(name.back())) name.remove_suffix(1);
  if (text.empty() || !name.ends_with(text)) return false;
  name.remove_suffix(text.size());
  return std::ranges::find(kChapterNames, name) != std::end(kChapterNames);
}

bool HtmlSubjects::is_one_of_several(Index i, HtmlTag heading) {
  const std::vector<HtmlContainer>& all = page_->containers;
  for (int level = 0; level < kWrapperLevels && is_alone(i); ++level) i = all[i].parent;
  const Index parent = all[i].parent;
  Index looked_at = 0;
  Index others = 0;
  for (Index k = parent + 1; k < all[parent].end && looked_at < kSiblingsMax; k = all[k].end, ++looked_at) {
    ++steps_;
    const bool alike = k != i && all[k].tag == all[i].tag && all[k].class_hash == all[i].class_hash;
    if (!alike || all[k].has(Flag::kHidden) || all[k].has(Flag::kUnlikely)) continue;
    const Heading found = heading_of(k);
    if (found.container == 0 || !found.has_id || all[found.container].tag != heading) continue;
    if (++others == kOthersMin) return true;
  }
  return false;
}

// Whether what is around container i holds nothing else.
bool HtmlSubjects::is_alone(Index i) const {
  const HtmlContainer& parent = page_->containers[page_->containers[i].parent];
  return i == page_->containers[i].parent + 1 && page_->containers[i].end == parent.end && parent.bytes == 0;
}

}  // namespace neardup::internal
