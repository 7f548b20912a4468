#include "core/text/html_main_lines.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "core/base/hash.h"
#include "core/text/html_line.h"

namespace neardup::internal {
namespace {

constexpr std::size_t kLinkLinesMax = 8;    // more lines that are links are what the page is about
constexpr std::uint32_t kLinkLineMin = 30;  // a shorter one is a button, or a name
constexpr std::uint32_t kMenuLineMax = 1000;
constexpr std::uint32_t kMenuLinksMin = 4;
constexpr std::uint32_t kMenuLinksMax = 12;  // more are a text of which each word is explained somewhere
constexpr std::uint32_t kMenuLinkMin = 4;    // on average; shorter ones are letters
constexpr std::uint32_t kMenuLinkMax = 24;   // on average, with the space behind it
constexpr std::size_t kMenuBarsMin = 3;      // between so many links and one more
constexpr std::array<std::string_view, 4> kMenuBars = {"|", "｜", "·", "•"};
constexpr std::ptrdiff_t kFirstLines = 3;  // where the title may stand again, not as a heading; or a banner
constexpr std::uint32_t kCopiedLineMin = 80;
constexpr std::size_t kCopiedLinesMin = 3;
constexpr std::uint64_t kCopiedPart = 3;  // of the long lines one in so many, at least, repeats another
constexpr int kBannerLevels = 2;          // around its text
constexpr std::uint32_t kBannerParts = 16;

}  // namespace

void HtmlMainLines::write(const HtmlPage& page, const std::vector<std::uint8_t>& keep, bool little_furniture,
                          HtmlTitles& titles, std::string& text) {
  page_ = &page;
  keep_ = &keep;
  cut_lines();
  drop_furniture(!little_furniture, titles);
  if (!little_furniture) drop_links();
  drop_second_copy();
  drop_orphaned_headings();
  append(text);
}

void HtmlMainLines::cut_lines() {
  lines_.clear();
  const std::vector<HtmlBlock>& blocks = page_->blocks;
  steps_ += blocks.size();
  bool gap = true;  // behind the line before: what is between may have been dropped
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    gap |= !blocks[i].glued;
    if ((*keep_)[blocks[i].container] == 0) {
      if (!lines_.empty()) lines_.back().cut_behind = true;
      continue;
    }
    if (gap) lines_.push_back({i, i, 0, 0, 0, true, false});
    gap = false;
    Line& line = lines_.back();
    line.end_block = i + 1;
    line.bytes += blocks[i].size;
    line.link_bytes += blocks[i].link_bytes;
    line.links += blocks[i].links;
  }
}

void HtmlMainLines::drop_furniture(bool with_title, HtmlTitles& titles) {
  bool behind_marker = false;
  for (Line& line : lines_) {
    const bool is_link = line.link_bytes * 5 >= line.bytes * 4;
    behind_marker = behind_marker && is_link;
    if (behind_marker || is_menu(line)) {
      drop(line);
      continue;
    }
    const HtmlTag tag = tag_of(line);
    const bool data = tag == HtmlTag::kPreformatted || tag == HtmlTag::kCell || tag == HtmlTag::kHeaderCell;
    if (data || line.bytes > kHtmlNoticeMax) continue;
    const std::string_view text = text_of(line);
    const bool item = tag == HtmlTag::kItem || tag == HtmlTag::kDefinition;
    const HtmlLine kind = html_line_kind(text, is_heading(tag) ? HtmlLineOf::kHeading
                                               : item          ? HtmlLineOf::kItem
                                                               : HtmlLineOf::kProse);
    line.keep = kind == HtmlLine::kText || (kind == HtmlLine::kBanner && !is_banner(line, titles));
    if (&line - lines_.data() < kFirstLines && line.bytes <= kHtmlLineMax && !is_heading(tag) && with_title) {
      folded_.clear();
      HtmlTitles::fold(text, folded_);
      if (titles.say(folded_)) line.keep = false;
    }
    if (!line.keep) drop(line);
    behind_marker = kind == HtmlLine::kMarker && !is_link;  // a link is one of a list, or ends an entry of it
  }
}

void HtmlMainLines::drop(Line& line) {
  line.keep = false;
  if (&line != lines_.data()) (&line - 1)->cut_behind = true;
}

// Whether what a banner says stands in one: at either end of the text, with something to click beside it, in
// a page that is not about cookies.
bool HtmlMainLines::is_banner(const Line& line, HtmlTitles& titles) const {
  const auto before = &line - lines_.data();
  const auto behind = static_cast<std::ptrdiff_t>(lines_.size()) - 1 - before;
  if (std::min(before, behind) >= kFirstLines || titles.mention("cookie")) return false;
  if (line.links > 0) return true;
  const std::vector<HtmlContainer>& all = page_->containers;
  std::uint32_t around = page_->blocks[line.first_block].container;
  for (int level = 0; level < kBannerLevels; ++level) {
    const std::uint32_t parent = all[around].parent;
    if (all[parent].end - parent <= kBannerParts) around = parent;
  }
  return std::any_of(all.begin() + around, all.begin() + all[around].end, [](const HtmlContainer& each) {
    return each.tag == HtmlTag::kControl || each.inputs > 0 || each.link_bytes > 0;
  });
}

// Whether a line is links side by side: "Home | News | Archive | Contact", with bars or without. With commas
// it is an enumeration.
bool HtmlMainLines::is_menu(const Line& line) {
  if (line.links >= kMenuLinksMin && line.links <= kMenuLinksMax && line.bytes <= line.links * kMenuLinkMax &&
      line.link_bytes >= line.links * kMenuLinkMin && tag_of(line) != HtmlTag::kPreformatted) {
    const std::uint32_t said = line.bytes - (line.links - 1);  // but for a space between two links
    const std::string_view text = text_of(line);
    const bool prose =
        text.find(", ") != std::string_view::npos || text.ends_with('.') || text.ends_with("。");
    if (line.link_bytes * 20 >= said * 19 && !prose) return true;
  }
  if (line.link_bytes * 5 < line.bytes * 2 || line.bytes > kMenuLineMax) return false;
  const std::string_view text = text_of(line);
  return std::ranges::any_of(kMenuBars, [&](std::string_view bar) {
    std::size_t bars = 0;
    for (std::size_t at = 0; (at = text.find(bar, at)) != std::string_view::npos; at += bar.size()) ++bars;
    const std::size_t said = line.bytes - std::min<std::size_t>(line.bytes, bars * bar.size());
    return bars >= kMenuBarsMin && std::size_t{line.link_bytes} * 5 >= said * 3;
  });
}

// Whether a line is a label and a link: "Read this too: Another article".
bool HtmlMainLines::is_labelled_link(const Line& line) {
  const std::uint32_t label = line.bytes - line.link_bytes;
  if (line.link_bytes < kLinkLineMin || label < 3 || label > line.link_bytes) return false;
  const std::size_t colon = text_of(line).find(':');
  return colon < label && colon + 3 >= label;  // a space may follow, or be part of the link
}

// Paragraphs that are a link each lead to other articles, and so does a label with a link. Where there are
// many of a kind they are what the page is about; what looks like an address, or like a sentence, is text.
void HtmlMainLines::drop_links() {
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
    if (tag_of(line) != HtmlTag::kParagraph) continue;
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
      drop(line);
    }
  }
}

// An article may stand in its page twice: once more to be printed, or for small screens. Then about half of
// its long lines repeat others, and all of those stand before. Only lines of one length are compared, and
// where few are of one length, none.
void HtmlMainLines::drop_second_copy() {
  long_lines_.clear();
  std::uint64_t bytes = 0;
  for (Line& line : lines_) {
    if (!line.keep || line.bytes < kCopiedLineMin) continue;
    bytes += line.bytes;
    long_lines_.push_back({line.bytes, 0, &line});
  }
  const auto is_before = [](const LongLine& a, const LongLine& b) {
    return std::tie(a.bytes, a.digest, a.line) < std::tie(b.bytes, b.digest, b.line);
  };
  const auto is_twice = [&] {
    std::uint64_t repeated = 0;
    std::size_t count = 0;
    const Line* last_of_first = nullptr;
    const Line* first_of_second = nullptr;
    for (std::size_t i = 1; i < long_lines_.size(); ++i) {
      const LongLine& one = long_lines_[i - 1];
      const LongLine& other = long_lines_[i];
      if (!is_alike(one, other)) continue;
      repeated += other.bytes;
      ++count;
      if (last_of_first == nullptr || last_of_first < one.line) last_of_first = one.line;
      if (first_of_second == nullptr || other.line < first_of_second) first_of_second = other.line;
    }
    return count >= kCopiedLinesMin && repeated * kCopiedPart >= bytes && last_of_first < first_of_second;
  };
  std::ranges::sort(long_lines_, is_before);
  std::uint64_t of_one_length = 0;
  for (std::size_t i = 1; i < long_lines_.size(); ++i) {
    if (is_alike(long_lines_[i - 1], long_lines_[i])) of_one_length += long_lines_[i].bytes;
  }
  if (of_one_length * kCopiedPart < bytes) return;
  for (LongLine& each : long_lines_) each.digest = digest64(text_of(*each.line));
  std::ranges::sort(long_lines_, is_before);
  if (!is_twice()) return;
  for (std::size_t i = 1; i < long_lines_.size(); ++i) {
    if (!is_alike(long_lines_[i - 1], long_lines_[i])) continue;
    drop(*long_lines_[i].line);
  }
}

// A heading goes with what it was the heading of.
void HtmlMainLines::drop_orphaned_headings() {
  const Line* next = nullptr;
  for (auto line = lines_.rbegin(); line != lines_.rend(); ++line) {
    const HtmlTag tag = tag_of(*line);
    if (!line->keep) continue;
    if (is_heading(tag) && line->cut_behind) {
      const HtmlTag behind = next == nullptr ? HtmlTag::kHeadline : tag_of(*next);
      if (is_heading(behind) && behind <= tag) {
        line->keep = false;
        continue;
      }
    }
    next = &*line;
  }
}

// Valid until the next call.
std::string_view HtmlMainLines::text_of(const Line& line) {
  if (line.end_block - line.first_block == 1) return page_->text_of(page_->blocks[line.first_block]);
  line_.clear();
  for (std::uint32_t i = line.first_block; i < line.end_block; ++i) {
    if ((*keep_)[page_->blocks[i].container] != 0) line_ += page_->text_of(page_->blocks[i]);
  }
  return line_;
}

// Lines that follow each other in the page, as most do, are copied together: a line break is between them
// there too.
void HtmlMainLines::append(std::string& text) const {
  const bool any = std::any_of(lines_.begin(), lines_.end(), [](const Line& line) { return line.keep; });
  std::string_view run;
  const auto write_run = [&] {
    text += run;
    run = {};
  };
  for (const Line& line : lines_) {
    if (any && !line.keep) continue;
    for (std::uint32_t i = line.first_block; i < line.end_block; ++i) {
      if ((*keep_)[page_->blocks[i].container] == 0) continue;
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
