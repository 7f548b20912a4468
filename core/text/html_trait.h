// What is a tag to the search for the main content?
//
// Several answers in one number, so that one look tells.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "core/text/html_element.h"

namespace neardup::internal {

struct HtmlTrait {
  enum Flag : std::uint16_t {
    kHeading = 1,
    kNeverShown = 2,
    kListing = 4,     // <ul>, <ol>
    kVoter = 8,       // a paragraph or what stands for one
    kDivLike = 16,    // text straight inside of it is a paragraph too
    kCleanable = 32,  // may be furniture inside of the article
    kSuspect = 64,    // may go even where nothing is cleaned
    kNavigation = 128,
    kTableItself = 256,
    kSaysData = 512,      // a table with one inside is a table of data
    kDecidesData = 1024,  // what lies inside is data, or is not
    kMain = 2048,         // the page says that this is it: <article>, <main>
  };
};

constexpr std::array<std::uint16_t, 256> html_tag_traits() {
  std::array<std::uint16_t, 256> traits{};
  const auto add = [&](HtmlTrait::Flag trait, std::initializer_list<HtmlTag> tags) {
    for (const HtmlTag tag : tags) traits[static_cast<std::size_t>(tag)] |= trait;
  };
  for (std::size_t i = 0; i < traits.size(); ++i) {
    if (is_heading(static_cast<HtmlTag>(i))) traits[i] |= HtmlTrait::kHeading;
    if (is_never_shown(static_cast<HtmlTag>(i))) traits[i] |= HtmlTrait::kNeverShown;
  }
  add(HtmlTrait::kListing, {HtmlTag::kList});
  add(HtmlTrait::kVoter, {HtmlTag::kParagraph, HtmlTag::kPreformatted, HtmlTag::kCell, HtmlTag::kSubhead,
                          HtmlTag::kMinorHead, HtmlTag::kSection});
  add(HtmlTrait::kDivLike,
      {HtmlTag::kDiv, HtmlTag::kArticle, HtmlTag::kMain, HtmlTag::kQuote, HtmlTag::kSection});
  add(HtmlTrait::kCleanable, {HtmlTag::kTable, HtmlTag::kForm, HtmlTag::kFieldset, HtmlTag::kList,
                              HtmlTag::kDiv, HtmlTag::kSection});
  add(HtmlTrait::kSuspect, {HtmlTag::kFooter, HtmlTag::kAside, HtmlTag::kFigure, HtmlTag::kHeadline,
                            HtmlTag::kSubhead, HtmlTag::kCell});
  add(HtmlTrait::kMain, {HtmlTag::kArticle, HtmlTag::kMain});
  add(HtmlTrait::kNavigation, {HtmlTag::kNav});
  add(HtmlTrait::kTableItself, {HtmlTag::kTable});
  add(HtmlTrait::kDecidesData, {HtmlTag::kTable, HtmlTag::kFigure, HtmlTag::kPreformatted});
  add(HtmlTrait::kSaysData, {HtmlTag::kHeaderCell, HtmlTag::kTableHead, HtmlTag::kTableCaption});
  return traits;
}
inline constexpr std::array<std::uint16_t, 256> kHtmlTagTraits = html_tag_traits();

inline unsigned html_traits(HtmlTag tag) { return kHtmlTagTraits[static_cast<std::size_t>(tag)]; }
inline bool has_trait(HtmlTag tag, HtmlTrait::Flag trait) { return (html_traits(tag) & trait) != 0; }

}  // namespace neardup::internal
