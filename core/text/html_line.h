// Is this short line of an article furniture?
//
// What no tag and no name gives away, its words do: "Read more: ...", "Photo by ...", "Published 3 May 2021
// 10:15", "All rights reserved", and the like in the languages that crawls meet most. The lists hold what is
// common to thousands of sites; a line must be short and begin with one of the phrases, so that prose that
// happens to hold them stays.
//
// Cost: a look at the first characters; longer lines are passed over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace neardup::internal {

enum class HtmlLine : std::uint8_t {
  kText,
  kFurniture,  // a credit, a date, a request to share ...
  kMarker,     // announces links: "Related articles:"; links behind it belong to it
  kBanner,     // "We use cookies": furniture if it stands in a banner
};

inline constexpr std::size_t kHtmlLineMax = 200;    // longer lines are text ...
inline constexpr std::size_t kHtmlNoticeMax = 600;  // ... but for notices with a label, "免责声明：..."

// Of headings and items of lists less is furniture than of paragraphs.
enum class HtmlLineOf : std::uint8_t { kProse, kHeading, kItem };

HtmlLine html_line_kind(std::string_view line, HtmlLineOf of);

}  // namespace neardup::internal
