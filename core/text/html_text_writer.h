// How does text of a page become text to compare: references decoded, every run of white space one ' '?
//
// Bytes are copied as they are otherwise: invalid UTF-8 and NUL are the folder's work.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/base/ascii.h"
#include "core/text/character_reference.h"
#include "core/text/html_scan.h"

namespace neardup::internal {

class HtmlTextWriter {
 public:
  // Room that the text of a page of `page_bytes` needs, in all.
  static constexpr std::size_t room(std::size_t page_bytes) {
    return page_bytes + page_bytes / 5 + 8 + kFoldSlack;  // "&nGt;" is six bytes
  }

  // Writes to `room`, of room(page.size()) bytes.
  HtmlTextWriter(const HtmlKernels& kernels, std::string_view page, char* room)
      : kernels_(kernels), page_end_(page.data() + page.size()), out_(room) {
    *out_++ = '\n';  // so that there always is a byte before
  }

  // REQUIRES: `text` lies in the page.
  void text(std::string_view text) { out_ = kernels_.fold(text.data(), text.size(), readable(text), out_); }

  // How many bytes there are from where `part` begins to the end of the page.
  std::size_t readable(std::string_view part) const {
    return static_cast<std::size_t>(page_end_ - part.data());
  }

  void space() {
    if (!after_gap()) *out_++ = ' ';
  }

  void reference(const CharacterReference& reference) {
    const std::string_view text = reference.view();
    if (text == "\u00A0" || (text.size() == 1 && is_ascii_whitespace(text[0]))) return space();
    for (const char c : text) *out_++ = c;
  }

  // Ends a run of text with a line break, a space at its end taken back.
  void line_break() {
    if (out_[-1] == '\n') return;
    if (out_[-1] == ' ') --out_;
    *out_++ = '\n';
  }

  bool after_gap() const { return out_[-1] == ' ' || out_[-1] == '\n'; }
  char* out() const { return out_; }

 private:
  const HtmlKernels& kernels_;
  const char* page_end_;
  char* out_;
};

}  // namespace neardup::internal
