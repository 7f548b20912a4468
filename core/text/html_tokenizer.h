// Where do tags, text and comments begin and end?
//
// As in a browser's tokenizer (WHATWG HTML, 13.2.5), in one pass, without a tree and without a copy. What the
// tree decides there is asked of the sink here: what the content of an element is, and whether "<![CDATA["
// opens text. Comments, doctypes and processing instructions end where the standard says and are passed over.
//
//   struct Sink {
//     void text(std::string_view);                // bytes as they are; no reference in them
//     void space(std::string_view);               // the same, nothing but white space: most between tags
//     void reference(const CharacterReference&);  // &amp; in the text
//     void begin_tag(std::string_view name);      // a start tag begins; the page may end before it does
//     void attribute(std::string_view name, std::string_view value);  // of it, as written, repeats included
//     HtmlContent start_tag(bool self_closing);   // it is finished; what does its element hold?
//     void end_tag(std::string_view name);        // names are as written, in any case
//     bool cdata_is_text();
//   };
//
// What the page leaves open, a tag, a quote, a comment, ends with it; an unfinished tag is none.
//
// Cost:    linear in the bytes, whatever they are: every search goes on where the last one ended. run()
//          returns how many steps it took, so that a test can count instead of measure.
// Threads: none inside.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/ascii.h"
#include "core/base/check.h"
#include "core/text/character_reference.h"
#include "core/text/html_scan.h"

namespace neardup {

// What an element holds, and so how what follows its start tag is read.
enum class HtmlContent : std::uint8_t {
  kMarkup,      // tags, text and references                                 "data"
  kReferences,  // text and references up to its end tag: title, textarea    "RCDATA"
  kLiteral,     // text up to its end tag: style, xmp, iframe ...            "RAWTEXT"
  kScript,      // the same, with script's own rules for where that is
  kRest,        // text up to the end of the page                            "PLAINTEXT"
};

namespace internal {

// A start tag of so many bytes may be remembered.
inline constexpr std::size_t kHtmlTagRememberedMax = 56;

// Finds bytes of given kinds in a page, going forward only: of the masks it keeps one window.
class HtmlScanner {
 public:
  HtmlScanner(const HtmlKernels& kernels, std::string_view page) : kernels_(kernels), page_(page) {}

  // The first place at or behind `at` whose bit is set in what `pick` makes of the rows of bits from there
  // on, or the page's size. REQUIRES: no earlier call found a place in a window behind `at`.
  template <class Pick>
  std::size_t find(std::size_t at, Pick pick) {
    while (at < page_.size()) {
      if (at >= window_end_) load_window(at);
      DCHECK(at >= window_);
      const std::size_t place = at - window_;
      const std::uint64_t found = pick([&](HtmlByte kind) { return masks_.from(kind, place); }) >> place % 8 &
                                  ((std::uint64_t{1} << HtmlMasks::kBitsAhead) - 1);
      ++steps_;
      if (found != 0) return std::min(at + static_cast<std::size_t>(__builtin_ctzll(found)), page_.size());
      at += HtmlMasks::kBitsAhead;
    }
    return page_.size();
  }

  // What `pick` makes of the bits from `at` on, of at least kBitsAhead bytes. REQUIRES: there are as many.
  template <class Pick>
  std::uint64_t bits(std::size_t at, Pick pick) {
    if (at >= window_end_) load_window(at);
    DCHECK(at >= window_);
    ++steps_;
    const std::size_t place = at - window_;
    return pick([&](HtmlByte kind) { return masks_.from(kind, place); }) >> place % 8;
  }

  std::uint64_t steps() const { return steps_; }

 private:
  static constexpr std::size_t kWindowBytes = HtmlMasks::kBytesMax - 64;  // and some to look ahead

  void load_window(std::size_t at) {
    window_ = at / 64 * 64;
    window_end_ = std::min(window_ + kWindowBytes, page_.size());
    const std::size_t size = std::min(HtmlMasks::kBytesMax, page_.size() - window_);
    kernels_.classify(page_.data() + window_, size, masks_);
    steps_ += kWindowBytes / 64;
  }

  const HtmlKernels& kernels_;
  std::string_view page_;
  std::size_t window_ = 0;      // where it starts, a multiple of 64
  std::size_t window_end_ = 0;  // nothing is loaded yet
  std::uint64_t steps_ = 0;
  HtmlMasks masks_;
};

}  // namespace internal

template <class Sink>
class HtmlTokenizer {
 public:
  HtmlTokenizer(const internal::HtmlKernels& kernels, std::string_view page, Sink& sink)
      : page_(page), sink_(sink), scanner_(kernels, page) {}

  // Reads the page, which is the content of an element `name` that holds `content`. Returns the steps it
  // took.
  std::uint64_t run(HtmlContent content = HtmlContent::kMarkup, std::string_view name = {}) {
    read_content(content, name);
    while (at_ < page_.size()) {
      read_text();
      if (at_ < page_.size()) read_markup();
    }
    return scanner_.steps() + steps_;
  }

 private:
  // A sink may know a tag by its bytes, from '<' to '>'. It has two functions more then:
  //   bool start_remembered_tag(std::string_view tag);  // start_tag() of one that is known; false: it is not
  //   void remember_tag(std::string_view tag);          // the one that start_tag() was for; holds kMarkup
  static constexpr bool kSinkRemembers = requires(Sink& sink) { sink.remember_tag(std::string_view()); };

  // What HtmlScanner::find looks for; `row` gives the bits of a kind.
  static constexpr auto less = [](auto row) { return row(internal::kLess); };
  static constexpr auto greater = [](auto row) { return row(internal::kGreater); };
  static constexpr auto less_or_greater = [](auto row) {
    return row(internal::kLess) | row(internal::kGreater);
  };
  static constexpr auto text_end = [](auto row) { return row(internal::kLess) | row(internal::kAmpersand); };
  static constexpr auto space_or_greater = [](auto row) {
    return row(internal::kSpace) | row(internal::kGreater);
  };
  static constexpr auto not_space = [](auto row) { return ~row(internal::kSpace); };
  static constexpr auto not_space_or_slash = [](auto row) {
    return ~(row(internal::kSpace) | row(internal::kSlash));
  };
  static constexpr auto name_end = [](auto row) {
    return row(internal::kSpace) | row(internal::kSlash) | row(internal::kGreater);
  };
  static constexpr auto attribute_name_end = [](auto row) { return name_end(row) | row(internal::kEquals); };
  static constexpr auto double_quote = [](auto row) { return row(internal::kDoubleQuote); };
  static constexpr auto single_quote = [](auto row) { return row(internal::kSingleQuote); };

  // Text up to the next '<' or the end.
  void read_text() {
    while (at_ < page_.size()) {
      if (is_ascii_whitespace(page_[at_])) {
        const std::size_t word = scanner_.find(at_, not_space);
        sink_.space(take(word));
        if (at_ == page_.size()) return;
      }
      if (page_[at_] == '<') return;
      if (page_[at_] == '&') {
        read_reference();
      } else {
        const std::size_t end = scanner_.find(at_, text_end);
        sink_.text(take(end));
      }
    }
  }

  // at_ is at a '&'.
  void read_reference() {
    const CharacterReference reference = read_character_reference(page_.substr(at_));
    steps_ += 1 + reference.length;
    if (reference.length == 0) {
      sink_.text(take(at_ + 1));
    } else {
      sink_.reference(reference);
      at_ += reference.length;
    }
  }

  // at_ is at a '<'.
  void read_markup() {
    ++steps_;
    const char next = at(at_ + 1);
    if (is_ascii_letter(next)) return read_start_tag();
    if (next == '/' && is_ascii_letter(at(at_ + 2))) return read_end_tag();
    if (next == '/' && at_ + 2 < page_.size()) return skip_past_greater(at_ + 2);
    if (next == '!' && page_.substr(at_, 4) == "<!--") return skip_comment();
    if (next == '!' && page_.substr(at_, 9) == "<![CDATA[" && sink_.cdata_is_text()) return read_cdata();
    if (next == '!' || next == '?') return skip_past_greater(at_ + 2);
    sink_.text(take(next == '/' ? page_.size() : at_ + 1));  // a '<' of the text
  }

  void read_start_tag() {
    const std::string_view whole = short_tag();
    if constexpr (kSinkRemembers) {
      if (!whole.empty() && sink_.start_remembered_tag(whole)) {
        at_ += whole.size();
        return;
      }
    }
    const std::size_t name_at = at_ + 1;
    const std::size_t short_end = at_ + whole.size();
    at_ = scanner_.find(name_at, name_end);
    const std::string_view name = part(name_at, at_);
    sink_.begin_tag(name);
    bool self_closing = false;
    if (!read_attributes([this](std::string_view a, std::string_view value) { sink_.attribute(a, value); },
                         self_closing)) {
      return;
    }
    const HtmlContent content = sink_.start_tag(self_closing);
    if constexpr (kSinkRemembers) {
      if (at_ == short_end && content == HtmlContent::kMarkup) sink_.remember_tag(whole);
    }
    read_content(content, name);
  }

  // From the '<' at at_ to the next '>', if that is near: the whole tag, if no value holds a '>'.
  std::string_view short_tag() {
    if constexpr (kSinkRemembers) {
      if (page_.size() - at_ < internal::HtmlMasks::kBitsAhead) return {};
      const std::uint64_t ends = scanner_.bits(at_, greater);
      const auto size = static_cast<std::size_t>(ends == 0 ? 64 : __builtin_ctzll(ends) + 1);
      if (size <= internal::kHtmlTagRememberedMax) return part(at_, at_ + size);
    }
    return {};
  }

  void read_end_tag() {
    const std::size_t name_at = at_ + 2;
    at_ = scanner_.find(name_at, name_end);
    const std::string_view name = part(name_at, at_);
    bool self_closing = false;
    if (read_attributes([](std::string_view, std::string_view) {}, self_closing)) sink_.end_tag(name);
  }

  // From the end of the tag's name past its '>'. False if the page ends before. A quote means something only
  // where a value starts: `<a "x>` ends here.
  template <class Attribute>
  bool read_attributes(Attribute attribute, bool& self_closing) {
    while (true) {
      if (at(at_) == '>') return ++at_, true;
      if (at(at_) == ' ' && is_ascii_letter(at(at_ + 1))) {
        ++at_;  // what is usual, without a search
        if (const UsualAttribute usual = find_usual_attribute(); usual.size > 0) {
          const std::size_t behind_name = at_ + usual.name_size;
          attribute(part(at_, behind_name), part(behind_name + 2, at_ + usual.size - 1));
          at_ += usual.size;
          continue;
        }
      } else {
        const std::size_t gap = at_;
        at_ = scanner_.find(at_, not_space_or_slash);
        if (at_ == page_.size()) return false;
        if (page_[at_] == '>') {
          self_closing = at_ > gap && page_[at_ - 1] == '/';
          return ++at_, true;
        }
      }
      const std::size_t name_at = at_;
      at_ = scanner_.find(at_ + 1, attribute_name_end);  // the first character may be anything, even '='
      const std::string_view name = part(name_at, at_);
      skip_spaces();
      attribute(name, at(at_) == '=' ? read_value() : std::string_view());
    }
  }

  struct UsualAttribute {
    std::size_t name_size = 0;
    std::size_t size = 0;  // 0: it is none
  };

  // name="value" at at_, if it is short.
  UsualAttribute find_usual_attribute() {
    if (page_.size() - at_ < internal::HtmlMasks::kBitsAhead) return {};
    const std::uint64_t ends = scanner_.bits(at_, attribute_name_end);
    const std::uint64_t quotes = scanner_.bits(at_, double_quote);
    const std::uint64_t behind_name = ends & (0 - ends);
    const std::uint64_t second_quote = quotes & ~((behind_name << 2) - 1);
    if ((quotes & behind_name << 1) == 0 || second_quote == 0) return {};
    const auto name_size = static_cast<std::size_t>(__builtin_ctzll(behind_name));
    if (page_[at_ + name_size] != '=') return {};
    return {name_size, static_cast<std::size_t>(__builtin_ctzll(second_quote)) + 1};
  }

  // at_ is at the '='.
  std::string_view read_value() {
    ++at_;
    skip_spaces();
    const char quote = at(at_);
    if (quote == '"' || quote == '\'') {
      ++at_;
      const std::size_t end =
          quote == '"' ? scanner_.find(at_, double_quote) : scanner_.find(at_, single_quote);
      const std::string_view value = take(end);
      at_ = std::min(end + 1, page_.size());
      return value;
    }
    return take(scanner_.find(at_, space_or_greater));
  }

  void skip_spaces() {
    if (is_ascii_whitespace(at(at_))) at_ = scanner_.find(at_, not_space);
  }

  // at_ is at a "<!--". The comment ends at "-->" or "--!>"; "<!-->" and "<!--->" are comments of their own.
  void skip_comment() {
    const std::size_t content = at_ + 4;
    const auto ends = [&](std::size_t greater_at, std::string_view mark) {
      return greater_at >= content + mark.size() &&
             page_.substr(greater_at - mark.size(), mark.size()) == mark;
    };
    std::size_t end = scanner_.find(content, greater);
    const bool empty = end == content || (end == content + 1 && page_[content] == '-');
    if (!empty) {
      while (end < page_.size() && !ends(end, "--") && !ends(end, "--!"))
        end = scanner_.find(end + 1, greater);
    }
    at_ = std::min(end + 1, page_.size());
  }

  // at_ is at a "<![CDATA[".
  void read_cdata() {
    at_ += 9;
    std::size_t end = scanner_.find(at_, greater);
    const std::size_t shortest = at_ + 2;
    while (end < page_.size() && (end < shortest || page_.substr(end - 2, 2) != "]]")) {
      end = scanner_.find(end + 1, greater);
    }
    sink_.text(take(end < page_.size() ? end - 2 : end));
    at_ = std::min(end + 1, page_.size());
  }

  // A bogus comment, a doctype or a processing instruction.
  void skip_past_greater(std::size_t from) { at_ = std::min(scanner_.find(from, greater) + 1, page_.size()); }

  void read_content(HtmlContent content, std::string_view name) {
    switch (content) {
      case HtmlContent::kMarkup:
        return;
      case HtmlContent::kReferences:
        return read_to_end_tag_with_references(name);
      case HtmlContent::kLiteral:
        return sink_.text(take(find_end_tag(name)));
      case HtmlContent::kScript:
        return sink_.text(take(find_script_end(name)));
      case HtmlContent::kRest:
        return sink_.text(take(page_.size()));
    }
  }

  void read_to_end_tag_with_references(std::string_view name) {
    while (at_ < page_.size()) {
      const std::size_t end = scanner_.find(at_, text_end);
      if (end > at_) sink_.text(take(end));
      if (at_ == page_.size() || is_end_tag(at_, name)) return;
      if (page_[at_] == '&') {
        read_reference();
      } else {
        sink_.text(take(at_ + 1));
      }
    }
  }

  // Where the end tag of element `name` starts, or the end of the page.
  std::size_t find_end_tag(std::string_view name) {
    std::size_t tag = scanner_.find(at_, less);
    while (tag < page_.size() && !is_end_tag(tag, name)) tag = scanner_.find(tag + 1, less);
    return tag;
  }

  // The same for a script, which may hold "<script>...</script>" inside of "<!-- -->" (13.2.5.20 and on).
  std::size_t find_script_end(std::string_view name) {
    enum { kPlain, kInComment, kInScriptInComment } state = kPlain;
    std::size_t i = at_;
    while (true) {
      i = state == kPlain ? scanner_.find(i, less) : scanner_.find(i, less_or_greater);
      if (i == page_.size()) return i;
      if (page_[i] == '>') {  // the dashes of "-->" may be those of "<!--"
        if (page_.substr(i - 2, 2) == "--") state = kPlain;
      } else if (state == kInScriptInComment ? is_end_tag(i, "script") : is_end_tag(i, name)) {
        if (state != kInScriptInComment) return i;
        state = kInComment;
      } else if (state == kInComment && is_name(i + 1, "script")) {
        state = kInScriptInComment;
      } else if (state == kPlain && page_.substr(i, 4) == "<!--") {
        state = kInComment;
        i += 3;
      }
      ++i;
    }
  }

  bool is_end_tag(std::size_t i, std::string_view name) const {
    return at(i) == '<' && at(i + 1) == '/' && is_name(i + 2, name);
  }

  // Whether `name`, in any case, stands at `i` and ends there.
  bool is_name(std::size_t i, std::string_view name) const {
    if (name.empty() || i >= page_.size() || page_.size() - i <= name.size()) return false;
    const char behind = page_[i + name.size()];
    if (!is_ascii_whitespace(behind) && behind != '/' && behind != '>') return false;
    return same_ignoring_case(page_.substr(i, name.size()), name);
  }

  // The byte at `i`, or NUL, which has no meaning in markup, behind the end.
  char at(std::size_t i) const { return i < page_.size() ? page_[i] : '\0'; }

  std::string_view part(std::size_t begin, std::size_t end) const {
    DCHECK(begin <= end && end <= page_.size());
    return {page_.data() + begin, end - begin};
  }

  std::string_view take(std::size_t end) {
    const std::string_view taken = part(at_, end);
    at_ = end;
    return taken;
  }

  std::string_view page_;
  Sink& sink_;
  internal::HtmlScanner scanner_;
  std::size_t at_ = 0;  // what is before it has been read
  std::uint64_t steps_ = 0;
};

}  // namespace neardup
