#include "core/text/html_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/text/character_reference.h"

namespace neardup {
namespace {

enum class Content : std::uint8_t {
  kMarkup,      // as usual
  kDropped,     // no markup inside but its own end tag; not shown
  kScript,      // the same, with script's own rules for where it ends
  kLiteral,     // the same, but shown as it is
  kReferences,  // the same, but shown, with its character references decoded
  kTemplate,    // markup that is not shown
  kRest,        // literal text up to the end of the page
};

struct Element {
  std::string_view name;
  Content content = Content::kMarkup;
  bool separates = true;  // a reader sees a gap between what is before and after the tag
};

// Every element that is not simply inline, by name.
constexpr Element kElements[] = {
    {"address"},
    {"article"},
    {"aside"},
    {"audio"},
    {"blockquote"},
    {"body"},
    {"br"},
    {"button"},
    {"canvas"},
    {"caption"},
    {"center"},
    {"col"},
    {"colgroup"},
    {"dd"},
    {"details"},
    {"dialog"},
    {"dir"},
    {"div"},
    {"dl"},
    {"dt"},
    {"embed"},
    {"fieldset"},
    {"figcaption"},
    {"figure"},
    {"footer"},
    {"form"},
    {"frame"},
    {"frameset"},
    {"h1"},
    {"h2"},
    {"h3"},
    {"h4"},
    {"h5"},
    {"h6"},
    {"head"},
    {"header"},
    {"hgroup"},
    {"hr"},
    {"html"},
    {"iframe", Content::kDropped},
    {"img"},
    {"input"},
    {"legend"},
    {"li"},
    {"main"},
    {"marquee"},
    {"math"},
    {"menu"},
    {"meter"},
    {"nav"},
    {"noembed", Content::kDropped, false},
    {"noframes", Content::kDropped, false},
    {"noscript", Content::kDropped, false},
    {"object"},
    {"ol"},
    {"optgroup"},
    {"option"},
    {"p"},
    {"plaintext", Content::kRest},
    {"pre"},
    {"progress"},
    {"rp"},
    {"rt"},
    {"script", Content::kScript, false},
    {"search"},
    {"section"},
    {"select"},
    {"style", Content::kDropped, false},
    {"summary"},
    {"svg"},
    {"table"},
    {"tbody"},
    {"td"},
    {"template", Content::kTemplate, false},
    {"textarea", Content::kReferences},
    {"tfoot"},
    {"th"},
    {"thead"},
    {"title", Content::kReferences},
    {"tr"},
    {"ul"},
    {"video"},
    {"xmp", Content::kLiteral},
};
constexpr bool by_name(const Element& a, const Element& b) { return a.name < b.name; }
static_assert(std::is_sorted(std::begin(kElements), std::end(kElements), by_name));

constexpr std::size_t kNameMax = 10;  // of the names above
static_assert(std::all_of(std::begin(kElements), std::end(kElements),
                          [](const Element& each) { return each.name.size() <= kNameMax; }));

constexpr Element kInline{"", Content::kMarkup, false};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }
bool ends_name(char c) { return is_space(c) || c == '/' || c == '>'; }

const Element& find_element(std::string_view name) {
  if (name.size() > kNameMax) return kInline;
  std::array<char, kNameMax> buffer{};
  std::transform(name.begin(), name.end(), buffer.begin(), lower);
  const Element wanted{{buffer.data(), name.size()}};
  const Element* const found = std::lower_bound(std::begin(kElements), std::end(kElements), wanted, by_name);
  return found != std::end(kElements) && found->name == wanted.name ? *found : kInline;
}

// Every method starts at at_ and leaves it behind what it has read, so each byte is read a bounded number of
// times, and the end of the page ends everything.
class Page {
 public:
  Page(std::string_view html, std::string& text) : html_(html), text_(text) {}

  void read() {
    while (at_ < html_.size()) {
      const std::size_t tag = find('<', at_);
      show_with_references(html_.substr(at_, tag - at_));
      at_ = tag;
      if (at_ < html_.size()) read_markup();
    }
  }

 private:
  // at_ is at a '<'.
  void read_markup() {
    const char next = at(at_ + 1);
    if (is_letter(next)) return read_start_tag();
    if (next == '/' && is_letter(at(at_ + 2))) return read_end_tag();
    if (next == '/' && at_ + 2 < html_.size()) return skip_past('>', at_ + 2);
    if (html_.substr(at_, 4) == "<!--") return skip_comment();
    if (next == '!' || next == '?') return skip_past('>', at_ + 2);
    show("<");  // a '<' of the text
    ++at_;
  }

  void read_start_tag() {
    ++at_;
    const std::string_view name = read_name();
    const Element& element = find_element(name);
    skip_attributes();
    if (element.separates) separate();
    switch (element.content) {
      case Content::kMarkup:
        return;
      case Content::kTemplate:
        ++templates_;
        return;
      case Content::kScript:
        at_ = find_script_end();
        return;
      case Content::kDropped:
        at_ = find_end_tag(name, at_);
        return;
      case Content::kLiteral:
        return show(read_to(find_end_tag(name, at_)));
      case Content::kReferences:
        return show_with_references(read_to(find_end_tag(name, at_)));
      case Content::kRest:
        return show(read_to(html_.size()));
    }
  }

  void read_end_tag() {
    at_ += 2;
    const Element& element = find_element(read_name());
    skip_attributes();
    if (element.separates) separate();
    if (element.content == Content::kTemplate && templates_ > 0) --templates_;
  }

  std::string_view read_name() {
    std::size_t end = at_;
    while (end < html_.size() && !ends_name(html_[end])) ++end;
    return read_to(end);
  }

  // Skips past the '>' of the tag. A quote means something only where a value starts: `<a "x>` ends here.
  void skip_attributes() {
    while (true) {
      while (at_ < html_.size() && (is_space(html_[at_]) || html_[at_] == '/')) ++at_;
      if (at_ >= html_.size()) return;
      if (html_[at_] == '>') {
        ++at_;
        return;
      }
      ++at_;  // the first character of a name may be anything, even '='
      while (at_ < html_.size() && html_[at_] != '=' && !ends_name(html_[at_])) ++at_;
      skip_spaces();
      if (at(at_) == '=') skip_value();
    }
  }

  // at_ is at the '='.
  void skip_value() {
    ++at_;
    skip_spaces();
    const char quote = at(at_);
    if (quote == '"' || quote == '\'') return skip_past(quote, at_ + 1);
    while (at_ < html_.size() && html_[at_] != '>' && !is_space(html_[at_])) ++at_;
  }

  void skip_spaces() {
    while (at_ < html_.size() && is_space(html_[at_])) ++at_;
  }

  // at_ is at a "<!--". The comment ends at "-->" or "--!>"; "<!-->" and "<!--->" are comments of their own.
  void skip_comment() {
    at_ += 4;
    if (at(at_) == '>' || html_.substr(at_, 2) == "->") return skip_past('>', at_);
    while (true) {
      at_ = std::min(html_.find("--", at_), html_.size());
      if (at_ == html_.size()) return;
      const std::size_t end = at_ + (at(at_ + 2) == '!' ? 3 : 2);
      if (at(end) == '>') {
        at_ = end + 1;
        return;
      }
      ++at_;
    }
  }

  void skip_past(char c, std::size_t from) { at_ = std::min(find(c, from) + 1, html_.size()); }

  // Whether `name`, in any case, stands at `i` and ends there.
  bool is_name(std::size_t i, std::string_view name) const {
    const auto same = [](char a, char b) { return lower(a) == lower(b); };
    return html_.size() - std::min(i, html_.size()) > name.size() && ends_name(html_[i + name.size()]) &&
           std::equal(name.begin(), name.end(), html_.begin() + static_cast<std::ptrdiff_t>(i), same);
  }

  // Where the end tag of element `name` starts, or the end of the page.
  std::size_t find_end_tag(std::string_view name, std::size_t from) const {
    for (std::size_t tag = find('<', from); tag < html_.size(); tag = find('<', tag + 1)) {
      if (at(tag + 1) == '/' && is_name(tag + 2, name)) return tag;
    }
    return html_.size();
  }

  // The same for a script, which may hold "<script>...</script>" inside of "<!-- -->" (13.2.5.20 and on).
  std::size_t find_script_end() const {
    enum { kPlain, kInComment, kInScriptInComment } state = kPlain;
    std::size_t i = at_;
    while (true) {
      i = state == kPlain ? find('<', i) : std::min(html_.find_first_of("<-", i), html_.size());
      if (i == html_.size()) return i;
      if (html_[i] == '-') {
        if (html_.substr(i, 3) == "-->") state = kPlain;
        ++i;
      } else if (at(i + 1) == '/' && is_name(i + 2, "script")) {
        if (state != kInScriptInComment) return i;
        state = kInComment;
        ++i;
      } else if (state == kInComment && is_name(i + 1, "script")) {
        state = kInScriptInComment;
        ++i;
      } else if (state == kPlain && html_.substr(i, 4) == "<!--") {
        state = kInComment;
        i += 2;  // its dashes may already be those of "-->"
      } else {
        ++i;
      }
    }
  }

  std::size_t find(char c, std::size_t from) const { return std::min(html_.find(c, from), html_.size()); }

  // The byte at `i`, or NUL, which has no meaning in markup, behind the end.
  char at(std::size_t i) const { return i < html_.size() ? html_[i] : '\0'; }

  std::string_view read_to(std::size_t end) {
    const std::string_view read = html_.substr(at_, end - at_);
    at_ = end;
    return read;
  }

  void show(std::string_view text) {
    if (templates_ == 0) text_ += text;
  }

  void show_with_references(std::string_view text) {
    if (templates_ > 0) return;
    while (true) {
      const std::size_t ampersand = std::min(text.find('&'), text.size());
      text_ += text.substr(0, ampersand);
      text.remove_prefix(ampersand);
      if (text.empty()) return;
      std::size_t used = decode_character_reference(text, text_);
      if (used == 0) {
        text_ += '&';
        used = 1;
      }
      text.remove_prefix(used);
    }
  }

  void separate() {
    if (templates_ == 0 && !text_.empty() && text_.back() != '\n') text_ += '\n';
  }

  std::string_view html_;
  std::string& text_;
  std::size_t at_ = 0;
  std::size_t templates_ = 0;  // open ones around at_
};

}  // namespace

void html_to_text(std::string_view html, std::string& text) {
  text.clear();
  Page(html, text).read();
}

}  // namespace neardup
