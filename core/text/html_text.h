// What does this page say?
//
// All the text of a page, in order, its markup stripped: menus and footers too. One pass over the bytes,
// cutting them into tags and text as a browser's tokenizer does (WHATWG HTML, 13.2.5), without building a
// tree:
//
//   - Comments, doctypes, processing instructions and tags vanish, with attributes, quoted '>' and all. What
//   is
//     left open at the end of the page, a tag, a quote, a comment, ends there.
//   - Dropped with their content: script, style, noscript, template, iframe, noembed, noframes, that is, what
//   a
//     reader with a browser does not see. Kept: title and textarea (text with references, no tags inside),
//     xmp and plaintext (text as it is).
//   - Tags that lay out (p, div, br, li, td, img ...) put a line break between words; all others (b, a, span,
//     wbr, unknown ones) do not, so `un<b>believ</b>able` stays one word.
//   - Character references are decoded, see character_reference.h.
//
// The bytes of the text are copied as they are: invalid UTF-8 and NUL are the folder's work. A CDATA section
// is what it is in HTML, a comment up to the next '>'.
//
// Cost:    linear in the bytes, whatever they are; `text` gets at most 6/5 of the page's size.
// Threads: a pure function.
#pragma once

#include <string>
#include <string_view>

namespace neardup {

// Replaces `text`; allocates nothing once it has grown. REQUIRES: `html` is no view of `text`.
void html_to_text(std::string_view html, std::string& text);

}  // namespace neardup
