// Does a heading or a first line say what the page's title says?
//
// Titles carry the name of the site, other dashes and other quotes, so only letters and digits are compared,
// in lower case; one may hold the other. The title and og:title both count.
//
// Threads: none inside; one HtmlTitles per reader.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/text/html_blocks.h"

namespace neardup::internal {

class HtmlTitles {
 public:
  // Of titles and of what is compared with them, in bytes.
  static constexpr std::size_t kBytesMin = 8;
  static constexpr std::size_t kBytesMax = 400;

  // Speaks of this page from now on.
  void read(const HtmlPage& page) {
    page_ = &page;
    is_folded_ = false;
  }

  bool say(std::string_view folded);

  // Whether a title has this word; it is folded.
  bool mention(std::string_view word);

  // Appends the letters and digits of `text`, in lower case: what two ways to write a title have in common.
  static void fold(std::string_view text, std::string& folded);

 private:
  void fold_titles();

  const HtmlPage* page_ = nullptr;
  std::string titles_[2];  // folded; empty: not asked for, or none
  bool is_folded_ = false;
};

}  // namespace neardup::internal
