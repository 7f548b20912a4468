// Is a tag read here by the rules of HTML, or by those of SVG and MathML?
//
// What a page leaves open there, an <svg> without its end, must not take all that follows with it. As in a
// browser (WHATWG HTML, 13.2.6.5) a <p>, a <div>, an <img> ... ends what is open, since neither has such an
// element. But inside of <foreignObject>, <desc>, <mtext> ... HTML may stand, and so may another <svg> in it:
//
//   <svg> <path> <p>                         the <svg> ends before the <p>
//   <svg> <foreignObject> <p>                the <p> is inside
//   <svg> <foreignObject> <svg> <path> <p>   the inner <svg> ends before the <p>
//
// The same of an end tag </p>, </div> ...: the element it ends is around what is open.
#pragma once

#include <array>
#include <cstddef>

#include "core/text/html_element.h"
#include "core/text/html_tokenizer.h"

namespace neardup::internal {

class HtmlForeign {
 public:
  bool any_open() const { return size_ > 0; }

  // Whether tags are SVG's or MathML's here.
  bool rules() const { return size_ > 0 && levels_[size_ - 1].element->foreign == ForeignRole::kRoot; }

  // How the content of an element is read that starts here. SVG's <title> holds markup, so that an </svg>
  // ends it, and so does all else there; "<style/>" holds nothing.
  HtmlContent content_of(const HtmlElement& element, bool self_closing) const {
    if (!rules() || (element.foreign == ForeignRole::kIsText && !self_closing)) return element.content;
    return HtmlContent::kMarkup;
  }

  // Whether a tag of this element ends what is open.
  bool ends_before(const HtmlElement& element) const {
    return element.foreign == ForeignRole::kLeaves && rules();
  }

  // A start tag that does not close itself; `depth` is the caller's, and given back by leave().
  void start(const HtmlElement& element, std::size_t depth) {
    const bool opens =
        element.foreign == ForeignRole::kRoot || (element.foreign == ForeignRole::kPoint && rules());
    if (opens && size_ < kLevelsMax) levels_[size_++] = {&element, depth};
  }

  void end(const HtmlElement& element) {
    for (std::size_t level = size_; level-- > 0;) {
      if (levels_[level].element != &element) continue;
      size_ = level;
      return;
    }
  }

  // What was open deeper than `depth` is closed, and with it what was started there.
  void closed_to(std::size_t depth) {
    while (size_ > 0 && levels_[size_ - 1].depth > depth) --size_;
  }

  // Ends what is open up to where HTML may stand: the page, depth 0, or the element that was started at the
  // depth it returns.
  std::size_t leave() {
    while (rules()) --size_;
    return size_ > 0 ? levels_[size_ - 1].depth : 0;
  }

 private:
  using ForeignRole = HtmlElement::ForeignRole;

  static constexpr std::size_t kLevelsMax = 16;  // pages have three; deeper ones belong to the last one
  struct Level {
    const HtmlElement* element;
    std::size_t depth;
  };
  std::array<Level, kLevelsMax> levels_{};
  std::size_t size_ = 0;
};

}  // namespace neardup::internal
