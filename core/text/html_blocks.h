// Which runs of text does a page have, and in which containers do they lie?
//
// What the search for the main content needs of a page, and no more: a flat list of containers in the order
// of their start tags, each with its parent and with the end of what it contains, and a flat list of blocks,
// the runs of text between tags that lay out.
//
//   <div id=a><p>One <b>two</b></p><p>three</div>
//   containers: 0 page [0,4)  1 div#a [1,4)  2 p [2,3)  3 p [3,4)      blocks: "One two" in 2, "three" in 3
//
// An inline element is a container only when its text may have to go: hidden, a byline, a share button.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/text/html_element.h"
#include "core/text/html_hints.h"
#include "core/text/html_scan.h"
#include "core/text/html_subject.h"
#include "core/text/html_tag_memory.h"

namespace neardup::internal {

struct HtmlContainer {
  enum Flag : std::uint16_t {
    kHidden = 1,          // style, hidden, aria-hidden, aria-modal
    kUnlikely = 2,        // its names or its role say furniture
    kInline = 4,          // not a block of its own
    kParagraphs = 8,      // holds <br><br>: text of its own with paragraphs in it
    kShare = 16,          // buttons to share
    kByline = 32,         // who wrote it, and when
    kAuthor = 64,         // about who wrote it
    kPresentation = 128,  // a table for layout
    kDataTable = 256,     // a table with a summary or columns
    kArticleBody = 512,   // itemprop=articleBody
    kCaption = 1024,      // its names say: below a picture
    kExtra = 2048,        // its names say: beside the text, like dates, tags, pull quotes
    kComments = 4096,     // its names say: of readers
    kHasId = 8192,
    kSidebar = 16384,  // its names say: beside the text
    kFooter = 32768,   // kUnlikely, and its names or its role say: below the text
    kOfNames = kUnlikely | kShare | kByline | kAuthor | kCaption | kExtra | kComments | kSidebar | kFooter,
  };

  std::uint32_t parent = 0;
  std::uint32_t end = 0;          // one past the last container inside
  std::uint32_t first_block = 0;  // the first block behind its start tag
  // of the text directly inside, not of containers inside
  std::uint32_t bytes = 0;
  std::uint32_t link_bytes = 0;
  std::uint32_t commas = 0;
  std::uint32_t class_hash = 0;  // 0: no class
  std::uint16_t images = 0;
  std::uint16_t embeds = 0;
  std::uint16_t inputs = 0;
  std::uint16_t flags = 0;
  HtmlTag tag = HtmlTag::kOtherBlock;
  std::int8_t weight = 0;  // what the words in class and id add to the score

  bool has(Flag flag) const { return (flags & flag) != 0; }
};

struct HtmlBlock {
  std::uint32_t container;
  std::uint32_t offset;  // of its text in HtmlPage::text
  std::uint32_t size;
  std::uint32_t commas;
  std::uint32_t link_bytes;
  std::uint8_t links;  // up to kLinksMax
  bool glued;          // no gap between the block before and this one

  static constexpr std::uint8_t kLinksMax = 255;
};

// Bytes that grow without being copied or cleared.
class HtmlArena {
 public:
  // At least `size` bytes of any content.
  char* reserve(std::size_t size) {
    if (size > size_) {
      bytes_ = std::make_unique_for_overwrite<char[]>(size);
      size_ = size;
    }
    return bytes_.get();
  }
  const char* data() const { return bytes_.get(); }
  std::size_t capacity() const { return size_; }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

struct HtmlPage {
  std::vector<HtmlContainer> containers;  // 0 is the page itself
  std::vector<HtmlBlock> blocks;
  HtmlArena text;
  std::string_view title;       // the first <title>, in `text`
  std::string_view meta_title;  // og:title as written, in the page
  bool complete = true;         // false: there were more containers or blocks than are kept

  std::string_view text_of(const HtmlBlock& block) const { return {text.data() + block.offset, block.size}; }
};

// What was found out about names and tags, from page to page, and room for what is asked of one page.
struct HtmlMemory {
  HtmlHints hints;
  HtmlTagMemory tags;
  HtmlSubjects subjects;
};

// Some hundreds are usual. A page with more of either is read, but not worth a search for its main content:
// what that needs for each is kept from page to page.
inline constexpr std::size_t kHtmlContainersMax = std::size_t{1} << 19;
inline constexpr std::size_t kHtmlBlocksMax = std::size_t{1} << 20;

// Replaces `page` by what `html` holds; allocates nothing once it has grown. Returns the steps it took.
// REQUIRES: html.size() < 2^31; `html` outlives the use of page.meta_title.
std::uint64_t read_html_blocks(std::string_view html, const HtmlKernels& kernels, HtmlMemory& memory,
                               HtmlPage& page);

}  // namespace neardup::internal
