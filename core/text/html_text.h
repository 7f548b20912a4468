// What does this page say?
//
// Its main content, or all its text with menus and footers, as `html.extract` asks for. One pass over the
// bytes, as a browser's tokenizer reads them (html_tokenizer.h), makes text; for the main content a second
// pass over a flat list of its blocks (html_blocks.h) finds out which of them it is (html_main.h). No tree is
// built.
//
//   kAll   Every text that a browser shows or could show. Dropped with their content: script, style,
//          noscript, template, iframe, noembed, noframes. Tags that lay out (p, div, br, li, td, img ...) put
//          a line break between words; all others (b, a, span, wbr, unknown ones) do not, so
//          `un<b>believ</b>able` is one word.
//   kMain  The article, the post, the documentation; without menus, footers, banners, lists of links, what is
//          hidden, forms. Never empty where kAll is not: if nothing qualifies, or a crumb of a page full of
//          text, it is the text of kAll, and says so.
//
// White space is folded to one ' ' or '\n'. Other bytes are copied as they are: invalid UTF-8 and NUL are the
// folder's work.
//
// Cost:    linear in the bytes, whatever they are; memory is bounded by the page's size, and kept until it is
//          given back: a few times the size of a page of prose, tens of times that of one of tags alone. The
//          search has a bound of its own, beyond which it is not made (kHtmlContainersMax, kHtmlBlocksMax).
// Threads: one reader per thread; the same answer on every CPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "core/base/isa.h"

namespace neardup {

enum class HtmlExtract : std::uint8_t { kMain, kAll };
inline constexpr std::array<std::string_view, 2> kHtmlExtractNames = {"main", "all"};

struct HtmlText {
  std::string_view text;
  std::string_view title;  // of the first <title>
  bool fell_back = false;  // kMain found nothing, or a crumb, so text is all there is
};

class HtmlReader {
 public:
  explicit HtmlReader(HtmlExtract extract = HtmlExtract::kMain, Isa isa = neardup::isa());
  ~HtmlReader();
  HtmlReader(HtmlReader&&) noexcept;
  HtmlReader& operator=(HtmlReader&&) noexcept;

  // Both views are valid until the next call. Allocates nothing once it has grown.
  HtmlText read(std::string_view html);

  // The same for kAll, whatever the reader is for.
  HtmlText read_all(std::string_view html);

  // What grew with the pages, of memory; and gives it back. Ends the views of the last call.
  std::size_t held_bytes() const;
  void give_back();

  // What all calls have done so far, counted: for tests that cost grows with the size and no faster.
  std::uint64_t steps() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace neardup
