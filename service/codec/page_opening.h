// Does a text open like a page of html?
//
// What a producer calls a text is often a page, or a piece of one. It is read as html if it opens like a
// page, behind comments, and behind what PHP complains of ("Notice: ... on line 12"): with a doctype, with
// "<?xml", html, head or body; or with another known tag, if two tags follow each other in its first 4 KiB
// (besides comments, scripts and styles), only spaces between, one of which ends an element or has an
// attribute. So "<meta charset=utf-8><title>", "<br /><b>Warning</b>:" and "<p>words</p> <p>" are pages,
// "<br> is the tag for a line break" and "<ul>, <ol> and <li> make lists" are words about tags.
//
// Cost:    the first byte tells of nearly all texts; else linear, once over comments, scripts and styles.
// Threads: pure functions.
#pragma once

#include <string_view>

namespace neardup {

bool opens_like_a_page(std::string_view text);

// Bytes of which nobody knows what they are show it by less than a text must to be read as html: by a
// comment, or one tag. That has an end, too: of short words that are base64 by accident some begin like one.
bool opens_with_markup(std::string_view bytes);

}  // namespace neardup
