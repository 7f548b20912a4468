#include "core/text/html_titles.h"

#include <algorithm>
#include <iterator>

#include "core/base/ascii.h"

namespace neardup::internal {

void HtmlTitles::fold_titles() {
  if (is_folded_) return;
  is_folded_ = true;
  for (std::string& title : titles_) title.clear();
  fold(page_->title.substr(0, kBytesMax), titles_[0]);
  fold(page_->meta_title.substr(0, kBytesMax), titles_[1]);
}

bool HtmlTitles::mention(std::string_view word) {
  fold_titles();
  return std::ranges::any_of(titles_,
                             [&](const std::string& title) { return title.find(word) != std::string::npos; });
}

bool HtmlTitles::say(std::string_view folded) {
  fold_titles();
  if (folded.size() < kBytesMin) return false;
  return std::any_of(std::begin(titles_), std::end(titles_), [&](const std::string& title) {
    if (title.size() < kBytesMin) return false;
    const bool inside = title.find(folded) != std::string::npos;
    return inside || (folded.size() < 2 * title.size() && folded.find(title) != std::string_view::npos);
  });
}

void HtmlTitles::fold(std::string_view text, std::string& folded) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '&') {  // a reference of an attribute, as written
      const std::size_t end = text.substr(i, 9).find(';');
      if (end != std::string_view::npos) i += end;
    } else if (c == 0xE2 && i + 2 < text.size() && text[i + 1] == '\x80') {
      i += 2;  // dashes and quotes
    } else if (is_ascii_letter(text[i]) || is_ascii_digit(text[i]) || c >= 0x80) {
      folded += ascii_lower(text[i]);
    }
  }
}

}  // namespace neardup::internal
