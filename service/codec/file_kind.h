// Which bytes are a file of a kind that is no page?
//
// A crawler fetches what links lead to: documents, images, archives, films. Read as words of some charset,
// they would be documents like any other and fill the index with noise. They are known by the bytes that they
// begin with, as browsers know them (mimesniff.spec.whatwg.org), whatever a producer says of them; and by the
// same bytes where a producer has read them as text: as Latin-1 or windows-1252, or as UTF-8 with U+FFFD for
// what is none. No text begins like that: each beginning has what is in no text, or is too long for chance.
//
// Cost:    the first byte tells nearly always; else some ten nanoseconds.
// Threads: pure functions.
#pragma once

#include <string_view>

namespace neardup {

// `bytes` as they came, or UTF-8 that was made of them.
bool is_no_page(std::string_view bytes);

// Has what is neither UTF-8 nor UTF-16 too many control characters for a text in any other charset? Other
// kinds of files have, and UTF-16 that nobody calls so and that has no letters to know it by, as Chinese.
bool has_controls_of_no_text(std::string_view bytes);

}  // namespace neardup
