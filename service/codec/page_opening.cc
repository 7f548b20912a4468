#include "service/codec/page_opening.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "core/base/ascii.h"
#include "core/text/utf8.h"

namespace neardup {
namespace {

constexpr std::string_view kCommentOpening = "<!--";
// Of a text, besides comments and what scripts and styles hold: so far tags are looked for in it.
constexpr std::size_t kPageLookBytes = 4096;

// Files that were put together of others have a mark before each.
std::string_view from_first_sign(std::string_view body) {
  for (;;) {
    if (body.starts_with(kByteOrderMark)) {
      body.remove_prefix(kByteOrderMark.size());
    } else if (!body.empty() && is_ascii_whitespace(body.front())) {
      body.remove_prefix(1);
    } else {
      return body;
    }
  }
}

// Behind "-->", from the first sign on. REQUIRES: a comment opens here.
std::string_view behind_comment(std::string_view body) {
  constexpr std::string_view kEnd = "-->";
  const std::size_t end = body.find(kEnd, 2);  // "<!-->" is a comment too
  return end == std::string_view::npos ? std::string_view{} : from_first_sign(body.substr(end + kEnd.size()));
}

// Browsers and archivers write comments before all else ("saved from ...").
std::string_view from_first_outside_comments(std::string_view body) {
  body = from_first_sign(body);
  while (body.starts_with(kCommentOpening)) body = behind_comment(body);
  return body;
}

// "Notice: Undefined index: q in /srv/search.php on line 12", as PHP says it.
bool is_complaint(std::string_view line) {
  static constexpr auto kKinds =
      std::to_array<std::string_view>({"Notice: ", "Warning: ", "Deprecated: ", "Strict Standards: ",
                                       "Fatal error: ", "Parse error: ", "Recoverable fatal error: "});
  constexpr std::string_view kPlace = " on line ";
  constexpr std::string_view kLog = "PHP ";  // before those that are logged to where the page goes too
  if (line.starts_with(kLog)) line.remove_prefix(kLog.size());
  if (std::ranges::none_of(kKinds, [&](std::string_view kind) { return line.starts_with(kind); }))
    return false;
  while (!line.empty() && is_ascii_whitespace(line.back())) line.remove_suffix(1);
  const std::size_t digits = line.find_last_not_of("0123456789") + 1;
  return digits < line.size() && line.substr(0, digits).ends_with(kPlace);
}

// A program that made a page may have complained before it began.
std::string_view from_first_behind_complaints(std::string_view body) {
  for (;;) {
    const std::size_t end = body.substr(0, kPageLookBytes).find('\n');
    if (end == std::string_view::npos || !is_complaint(body.substr(0, end))) return body;
    body = from_first_sign(body.substr(end));
  }
}

bool opens_element(std::string_view text, std::string_view name) {
  if (text.size() < name.size() + 2 || text.front() != '<' ||
      !starts_with_ignoring_case(text.substr(1), name))
    return false;
  const char behind = text[name.size() + 1];
  return is_ascii_whitespace(behind) || behind == '/' || behind == '>';
}

bool opens_any(std::string_view text, std::span<const std::string_view> elements) {
  return std::ranges::any_of(elements, [&](std::string_view name) { return opens_element(text, name); });
}

// An element that tells html for browsers (mimesniff.spec.whatwg.org), or with which pages and pieces of them
// begin that have no head.
bool opens_known_element(std::string_view text) {
  static constexpr auto kElements = std::to_array<std::string_view>(
      {"a",      "article", "aside",   "b",     "base",   "basefont", "blockquote", "br",     "button",
       "center", "div",     "dl",      "em",    "figure", "font",     "footer",     "form",   "frameset",
       "h1",     "h2",      "h3",      "h4",    "header", "hr",       "i",          "iframe", "img",
       "input",  "li",      "link",    "main",  "meta",   "nav",      "noscript",   "ol",     "p",
       "pre",    "script",  "section", "small", "span",   "strong",   "style",      "svg",    "table",
       "td",     "title",   "tr",      "u",     "ul"});
  return opens_any(text, kElements);
}

// A tag, of whichever element; a doctype is as good.
bool opens_tag(std::string_view text) {
  if (text.size() < 3 || text.front() != '<') return false;
  return is_ascii_letter(text[text[1] == '/' || text[1] == '!' ? 2 : 1]);
}

// Where a script or a style opens, what is in it is no markup: to its end tag. Nothing: it has none.
std::string_view behind_code(std::string_view text) {
  static constexpr auto kEnds = std::to_array<std::string_view>({"</script", "</style"});
  for (const std::string_view end : kEnds) {
    if (!opens_element(text, end.substr(2))) continue;
    for (std::size_t at = 1; (at = text.find("</", at)) != std::string_view::npos; ++at) {
      if (starts_with_ignoring_case(text.substr(at), end)) return text.substr(at);
    }
    return {};
  }
  return text;
}

// Are there two tags side by side, one of which ends an element or has an attribute? Markup has them soon.
// Words about tags do not: "<br> is the tag for a line break", "<ul>, <ol> and <li> make lists". What the end
// of the text stands behind is side by side with it.
bool has_tags_side_by_side(std::string_view text) {
  std::size_t room = kPageLookBytes;
  bool follows_tag = false;
  bool told = false;  // by the tag that this follows
  for (;;) {
    if (text.empty()) return follows_tag && told;
    if (text.starts_with(kCommentOpening)) {
      text = behind_comment(text);
      continue;
    }
    const std::string_view ahead = text.substr(0, room);
    if (!opens_tag(text)) {
      const std::size_t next = ahead.find('<', 1);
      if (next == std::string_view::npos) return false;
      text.remove_prefix(next);
      room -= next;
      follows_tag = false;
      continue;
    }
    const std::size_t end = ahead.find('>');
    if (end == std::string_view::npos) return false;
    const std::string_view tag = text.substr(0, end + 1);
    const bool tells =
        !is_ascii_letter(tag[1]) || tag[end - 1] == '/' || tag.find('=') != std::string_view::npos;
    if (follows_tag && (tells || told)) return true;
    const std::string_view behind = behind_code(text);
    follows_tag = behind.size() == text.size();
    told = tells;
    if (follows_tag) {
      text = from_first_sign(text.substr(tag.size()));
      room -= tag.size();
    } else {
      text = behind;
    }
  }
}

}  // namespace

bool opens_like_a_page(std::string_view body) {
  static constexpr auto kElements = std::to_array<std::string_view>({"html", "head", "body"});
  body = from_first_outside_comments(from_first_behind_complaints(from_first_sign(body)));
  if (!body.starts_with('<')) return false;
  return starts_with_ignoring_case(body, "<!doctype") || starts_with_ignoring_case(body, "<?xml") ||
         opens_any(body, kElements) || (opens_known_element(body) && has_tags_side_by_side(body));
}

bool opens_with_markup(std::string_view bytes) {
  bytes = from_first_sign(bytes);
  if (bytes.starts_with(kCommentOpening) || opens_like_a_page(bytes)) return true;
  return opens_known_element(bytes) && bytes.find('>') != std::string_view::npos;
}

}  // namespace neardup
