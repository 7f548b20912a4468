// What does this element's name tell about its text?
//
// How its content is read, whether a reader sees it, whether it separates words, and what it is to the search
// for the main content. Names that are not in the table are inline elements like any <span>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/text/html_tokenizer.h"

namespace neardup::internal {

enum class HtmlTag : std::uint8_t {
  // not a container of blocks
  kInline,
  kLink,
  kBreak,
  kImage,
  kInput,
  kEmbed,
  kColumn,
  kMeta,
  kPassed,  // html, head, body, link ...: present in every page, says nothing
  kTitle,
  kIgnored,  // script, style ...: content that is no text
  kRule,
  // containers whose text is never main content
  kTemplate,
  kControl,  // button, select ...
  kSvg,
  // containers
  kParagraph,
  kDiv,
  kSection,
  kArticle,
  kMain,
  kHeadline,  // h1
  kSubhead,   // h2
  kMinorHead,
  kItem,
  kList,
  kDefinitions,
  kDefinition,
  kTable,
  kRow,
  kCell,
  kHeaderCell,
  kTableHead,  // thead, tfoot
  kTableBody,
  kTableCaption,
  kPreformatted,
  kQuote,
  kForm,
  kFieldset,
  kFooter,
  kAside,
  kNav,
  kHeader,
  kFigure,
  kFigureCaption,
  kAddress,
  kOption,
  kOtherBlock,
};

constexpr bool is_container(HtmlTag tag) { return tag >= HtmlTag::kTemplate; }
constexpr bool is_never_shown(HtmlTag tag) { return tag >= HtmlTag::kTemplate && tag <= HtmlTag::kSvg; }
constexpr bool is_heading(HtmlTag tag) { return tag >= HtmlTag::kHeadline && tag <= HtmlTag::kMinorHead; }

struct HtmlElement {
  // What it is inside of <svg> and <math>.
  enum class ForeignRole : std::uint8_t {
    kNone,
    kRoot,    // <svg>, <math> themselves
    kPoint,   // may hold HTML: foreignObject, mtext ...
    kLeaves,  // HTML's only, so that it ends what is open there: p, div ...
    kIsText,  // script and style: what they hold is no markup there either
  };

  std::string_view name;
  HtmlTag tag = HtmlTag::kOtherBlock;
  bool separates = true;  // a reader sees a gap between what is before and after the tag
  HtmlContent content = HtmlContent::kMarkup;
  bool shown = true;  // false: a browser shows nothing of its content
  ForeignRole foreign = ForeignRole::kNone;
};

// `name` in any case; `readable` >= its size: so many bytes may be read where it begins.
const HtmlElement& find_html_element(std::string_view name, std::size_t readable);

}  // namespace neardup::internal
