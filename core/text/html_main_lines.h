// Which lines of the main content go, and how are the others written?
//
// A line is what a reader sees as one: kept blocks without a gap between them. One whose words say that it is
// furniture goes (html_line.h), and links that follow it; so do the title said again, a few paragraphs that
// are nothing but a link, and headings of what is gone.
//
// Threads: none inside; one HtmlMainLines per reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/html_blocks.h"
#include "core/text/html_titles.h"

namespace neardup::internal {

class HtmlMainLines {
 public:
  // Appends the text of the containers that `keep` names, by their numbers. `little_furniture`: they are
  // nearly all of the page, so neither its title nor links are furniture. `titles`: those of `page`.
  void write(const HtmlPage& page, const std::vector<std::uint8_t>& keep, bool little_furniture,
             HtmlTitles& titles, std::string& text);

  std::uint64_t steps() const { return steps_; }  // of all calls
  // Of memory, for the next page.
  std::size_t held_bytes() const {
    return lines_.capacity() * sizeof(Line) + long_lines_.capacity() * sizeof(LongLine) + line_.capacity() +
           folded_.capacity();
  }

 private:
  struct Line {
    std::uint32_t first_block;
    std::uint32_t end_block;
    std::uint32_t bytes;
    std::uint32_t link_bytes;
    std::uint32_t links;
    bool keep;
    bool cut_behind;  // what follows it in the page was not kept
  };

  struct LongLine {
    std::uint32_t bytes;
    std::uint64_t digest;
    Line* line;
  };
  static bool is_alike(const LongLine& a, const LongLine& b) {
    return a.bytes == b.bytes && a.digest == b.digest;
  }

  void cut_lines();
  void drop_furniture(bool with_title, HtmlTitles& titles);
  void drop(Line& line);
  bool is_banner(const Line& line, HtmlTitles& titles) const;
  bool is_menu(const Line& line);
  bool is_labelled_link(const Line& line);
  void drop_links();
  void drop_second_copy();
  void drop_orphaned_headings();
  void append(std::string& text) const;

  // Of what the line is in: what is inline is part of a line.
  HtmlTag tag_of(const Line& line) const {
    const HtmlContainer* in = &page_->containers[page_->blocks[line.first_block].container];
    while (in->has(HtmlContainer::kInline)) in = &page_->containers[in->parent];
    return in->tag;
  }
  std::string_view text_of(const Line& line);

  const HtmlPage* page_ = nullptr;
  const std::vector<std::uint8_t>* keep_ = nullptr;
  std::vector<Line> lines_;
  std::vector<LongLine> long_lines_;  // by length
  std::string line_;
  std::string folded_;
  std::uint64_t steps_ = 0;
};

}  // namespace neardup::internal
