// What do the words in a class or an id say about an element?
//
// Authors name their furniture: "sidebar", "related-links", "cookie_banner". A hint is a word at any place in
// the name; the lists follow Mozilla's Readability and grew by the page parts that crawls are full of.
//
// Cost:    a name is read once; names come again and again within a site, so answers are remembered.
// Threads: none inside; one HtmlHints per reader.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace neardup::internal {

enum HtmlHint : std::uint16_t {
  kHintUnlikely = 1,    // furniture, unless kHintMaybe
  kHintMaybe = 2,       // may hold the main content whatever else it is called
  kHintGood = 4,        // adds to the score
  kHintBad = 8,         // takes from it
  kHintShare = 16,      // buttons to share
  kHintByline = 32,     // who wrote it, and when
  kHintAuthor = 64,     // about who wrote it
  kHintCaption = 128,   // the words below a picture
  kHintExtra = 256,     // beside the text: dates, tags, standfirsts, pull quotes ...
  kHintComment = 512,   // of a reader; in a line of text, of a programmer
  kHintSidebar = 1024,  // beside the text, be it of the page or of the article
  kHintFooter = 2048,   // below it, likewise
};

inline constexpr unsigned kHintsOfContent = kHintMaybe | kHintGood;  // all others are of furniture

struct HtmlName {
  std::uint16_t hints = 0;  // of all words in it
  std::uint32_t hash = 0;   // 0: no name
};

class HtmlHints {
 public:
  // `name` is a class or an id, of which the first 240 bytes are looked at.
  HtmlName of(std::string_view name);

 private:
  static constexpr std::size_t kMemoNameMax = 61;
  struct Memo {
    char name[kMemoNameMax];
    std::uint8_t size = 0;
    std::uint16_t hints = 0;
  };
  std::array<Memo, 1024> memo_{};  // by hash
};

}  // namespace neardup::internal
