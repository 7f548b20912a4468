#include "core/text/html_blocks.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/base/ascii.h"
#include "core/base/check.h"
#include "core/text/html_foreign.h"
#include "core/text/html_text_writer.h"

namespace neardup::internal {
namespace {

using Flag = HtmlContainer::Flag;

// Deeper elements are not containers; their text belongs to the last one that is. Real pages stay below 100.
constexpr std::size_t kDepthMax = 256;

// Of a link to a place in the same page this share counts as link: tables of contents and footnotes are
// content.
constexpr std::uint8_t kLocalLinkPercent = 30;

// So many containers, from the heading outwards, may begin with it.
constexpr std::size_t kHeadingLevels = 6;

void count(std::uint16_t& counter) {
  if (counter < std::numeric_limits<std::uint16_t>::max()) ++counter;
}

// The attributes that tell something, of the start tag being read.
class Attributes {
 public:
  enum Name : std::uint8_t {
    kClass,
    kId,
    kStyle,
    kRole,
    kItemprop,
    kAriaHidden,
    kAriaModal,
    kHref,
    kProperty,
    kContent,
    kHidden,
    kSummary,
    kNames
  };

  void clear() { seen_ = 0; }

  bool any() const { return seen_ != 0; }
  bool has(Name name) const { return (seen_ >> name & 1) != 0; }
  std::string_view operator[](Name name) const { return has(name) ? values_[name] : std::string_view(); }

  void add(std::string_view name, std::string_view value) {
    switch (name.size()) {
      case 2:
        return take(kId, "id", name, value);
      case 4:
        return name[0] == 'h' || name[0] == 'H' ? take(kHref, "href", name, value)
                                                : take(kRole, "role", name, value);
      case 5:
        return name[0] == 'c' || name[0] == 'C' ? take(kClass, "class", name, value)
                                                : take(kStyle, "style", name, value);
      case 6:
        return take(kHidden, "hidden", name, value);
      case 7:
        take(kSummary, "summary", name, value);
        return take(kContent, "content", name, value);
      case 8:
        take(kItemprop, "itemprop", name, value);
        return take(kProperty, "property", name, value);
      case 10:
        return take(kAriaModal, "aria-modal", name, value);
      case 11:
        return take(kAriaHidden, "aria-hidden", name, value);
      default:
        return;
    }
  }

 private:
  // Of repeated attributes the first counts.
  template <std::size_t kSize>
  void take(Name which, const char (&wanted)[kSize], std::string_view name, std::string_view value) {
    DCHECK(name.size() == kSize - 1);
    if (has(which)) return;
    if (name != std::string_view(wanted, kSize - 1) && !equals_ignoring_case(name, wanted)) return;
    seen_ |= 1U << which;
    values_[which] = value;
  }

  unsigned seen_ = 0;
  std::array<std::string_view, kNames> values_;
};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string_view without_spaces_before(std::string_view text) {
  while (!text.empty() && is_ascii_whitespace(text[0])) text.remove_prefix(1);
  return text;
}

// Whether `declaration` is "property: value", in any case and with any white space.
bool declares(std::string_view declaration, std::string_view property, std::string_view value) {
  if (!equals_ignoring_case(declaration.substr(0, property.size()), property)) return false;
  const std::string_view behind = without_spaces_before(declaration.substr(property.size()));
  return behind.starts_with(':') &&
         equals_ignoring_case(without_spaces_before(behind.substr(1)).substr(0, value.size()), value);
}

// Property by property: "visibility: hidden" is in "backface-visibility: hidden" too.
bool style_hides(std::string_view style) {
  while (!style.empty()) {
    const std::size_t end = std::min(style.find(';'), style.size());
    const std::string_view declaration = without_spaces_before(style.substr(0, end));
    if (declares(declaration, "display", "none") || declares(declaration, "visibility", "hidden"))
      return true;
    style.remove_prefix(std::min(end + 1, style.size()));
  }
  return false;
}

constexpr std::size_t kStyleMax = 512;  // of a longer style the rest is not looked at

bool is_hidden(const Attributes& attributes) {
  if (attributes.has(Attributes::kHidden) || attributes[Attributes::kAriaModal] == "true") return true;
  if (attributes.has(Attributes::kStyle) && style_hides(attributes[Attributes::kStyle].substr(0, kStyleMax)))
    return true;
  return attributes[Attributes::kAriaHidden] == "true" &&
         !contains(attributes[Attributes::kClass].substr(0, kStyleMax), "fallback");
}

bool is_furniture_role(std::string_view role) {
  constexpr std::array<std::string_view, 9> kRoles = {"menu",        "menubar", "complementary",
                                                      "navigation",  "alert",   "alertdialog",
                                                      "contentinfo", "search",  "dialog"};
  return std::find(kRoles.begin(), kRoles.end(), role) != kRoles.end();
}

// The sink of HtmlTokenizer that makes an HtmlPage.
class BlockBuilder {
 public:
  BlockBuilder(std::string_view html, const HtmlKernels& kernels, HtmlMemory& memory, HtmlPage& page)
      : page_(page),
        kernels_(kernels),
        memory_(memory),
        writer_(kernels, html, page.text.reserve(HtmlTextWriter::room(html.size()))) {
    page.containers.clear();
    page.blocks.clear();
    memory.subjects.clear();
    page.title = page.meta_title = {};
    page.complete = true;
    page.containers.push_back({});
    block_from_ = writer_.out();
    depth_ = 0;
    open_[0] = {0, nullptr, {}, 0, 0};
  }

  void finish() {
    end_special_content();
    end_block();
    while (depth_ > 0) pop();
    page_.containers[0].end = static_cast<std::uint32_t>(page_.containers.size());
  }

  std::uint64_t steps() const { return steps_; }

  // ---- what HtmlTokenizer calls ----

  void text(std::string_view text) {
    if (muted()) return;
    writer_.text(text);
    breaks_ = 0;
  }

  void space(std::string_view) { part_words(); }

  void reference(const CharacterReference& reference) {
    if (muted()) return;
    writer_.reference(reference);
    note_gap();
    breaks_ = 0;
  }

  void begin_tag(std::string_view name) {
    end_special_content();
    name_ = name;
    facts_.element = &find_html_element(name, writer_.readable(name));
    attributes_.clear();
    anchor_ = {};
  }

  void attribute(std::string_view name, std::string_view value) { attributes_.add(name, value); }

  HtmlContent start_tag(bool self_closing) {
    facts_.self_closing = self_closing;
    if (foreign_.content_of(*facts_.element, self_closing) != facts_.element->content) {
      if (!self_closing) foreign_.start(*facts_.element, depth_);
      return HtmlContent::kMarkup;
    }
    find_facts();
    if (facts_.element->tag == HtmlTag::kMeta && page_.meta_title.empty() &&
        attributes_[Attributes::kProperty] == "og:title") {
      page_.meta_title = attributes_[Attributes::kContent];
    }
    start_element();
    return facts_.element->content;
  }

  bool start_remembered_tag(std::string_view tag) {
    const HtmlTagFacts* const facts = memory_.tags.find(tag);
    if (facts == nullptr) return false;
    end_special_content();
    facts_ = *facts;
    name_ = tag.substr(1, facts->name_size);
    anchor_ = tag.substr(facts->anchor_at, facts->anchor_size);
    start_element();
    return true;
  }

  void remember_tag(std::string_view tag) {
    if (facts_.element->tag == HtmlTag::kMeta) return;            // what it says is in its values
    if (facts_.element->content != HtmlContent::kMarkup) return;  // it held none, for where it stood
    facts_.name_size = static_cast<std::uint8_t>(name_.size());
    facts_.anchor_size = static_cast<std::uint8_t>(anchor_.size());
    facts_.anchor_at = anchor_.empty() ? 0 : static_cast<std::uint8_t>(anchor_.data() - tag.data());
    memory_.tags.store(tag, facts_);
  }

  void end_tag(std::string_view name) {
    end_special_content();
    const HtmlElement& element = find_html_element(name, writer_.readable(name));
    if (foreign_.ends_before(element)) leave_foreign();
    foreign_.end(element);
    if (parts_words(element)) part_words();
    if (element.tag == HtmlTag::kLink) end_link();
    if (element.tag == HtmlTag::kPassed || element.tag == HtmlTag::kRule) return;
    if (is_container(element.tag) && beyond_ > 0) {
      --beyond_;
      return end_block();
    }
    close_element(element, name);
  }

  bool cdata_is_text() const { return foreign_.any_open(); }

 private:
  // ---- what a start tag says and does ----

  // From its attributes.
  void find_facts() {
    const HtmlTag tag = facts_.element->tag;
    facts_.class_hash = 0;
    facts_.weight = 0;
    facts_.otherwise = {};
    facts_.link_percent = 0;
    unsigned flags = tag == HtmlTag::kFigureCaption ? Flag::kCaption : 0;
    if (attributes_.any()) {
      if (is_hidden(attributes_)) flags |= Flag::kHidden;
      if (tag == HtmlTag::kLink) {
        find_link();
      } else if (is_container(tag) || tag == HtmlTag::kInline) {
        flags |= flags_of_purpose();
        flags |= flags_of_names(flags);
      }
    }
    facts_.flags = static_cast<std::uint16_t>(flags);
  }

  void find_link() {
    if (!attributes_.has(Attributes::kHref)) return;
    const std::string_view target = attributes_[Attributes::kHref];
    const bool local = target.starts_with('#');
    facts_.link_percent = local ? kLocalLinkPercent : 100;
    if (local) anchor_ = target.substr(1);
  }

  // Of its class and its id, beside the `others`.
  unsigned flags_of_names(unsigned others) {
    const std::string_view id = attributes_[Attributes::kId];
    const HtmlName by_class = memory_.hints.of(attributes_[Attributes::kClass]);
    const HtmlName by_id = memory_.hints.of(id);
    facts_.class_hash = by_class.hash;
    const unsigned has_id = attributes_.has(Attributes::kId) ? Flag::kHasId : 0;
    if ((by_class.hints | by_id.hints) == 0) return has_id;
    const HtmlNamed named = named_by(by_class.hints, by_id.hints);
    facts_.weight = named.weight;
    if ((by_id.hints & ~kHintsOfContent) != 0) {
      anchor_ = id;
      facts_.otherwise = named_by(by_class.hints, 0);
      facts_.otherwise.flags |= static_cast<std::uint16_t>(others & Flag::kOfNames);
    }
    return named.flags | has_id;
  }

  HtmlNamed named_by(unsigned class_hints, unsigned id_hints) const {
    const unsigned hints = class_hints | id_hints;
    int weight = 0;
    for (const unsigned each : {class_hints, id_hints}) {
      if ((each & kHintGood) != 0) weight += 25;
      if ((each & kHintBad) != 0) weight -= 25;
    }
    unsigned flags = 0;
    if ((hints & kHintUnlikely) != 0 && (hints & kHintMaybe) == 0 && !is_word()) {
      flags |= Flag::kUnlikely;
      if ((hints & kHintFooter) != 0) flags |= Flag::kFooter;
    }
    if ((hints & kHintShare) != 0) flags |= Flag::kShare;
    if ((hints & kHintByline) != 0) flags |= Flag::kByline;
    if ((hints & kHintAuthor) != 0) flags |= Flag::kAuthor;
    if ((hints & kHintCaption) != 0) flags |= Flag::kCaption;
    if ((hints & kHintExtra) != 0) flags |= Flag::kExtra;
    if ((hints & kHintComment) != 0) flags |= Flag::kComments;
    if ((hints & kHintSidebar) != 0) flags |= Flag::kSidebar;
    return {static_cast<std::uint16_t>(flags), static_cast<std::int8_t>(weight)};
  }

  // Of what is written within a line the names tell which words they are, not where in the page: "File" is a
  // <span class="menu">, and code without <pre> has its <span class="comment">. An element that is in no
  // table may be a block by its style.
  bool is_word() const { return facts_.element->tag == HtmlTag::kInline && !facts_.element->name.empty(); }

  // Of what it says it is for.
  unsigned flags_of_purpose() const {
    unsigned flags = 0;
    if (attributes_.has(Attributes::kRole)) {
      const std::string_view role = attributes_[Attributes::kRole];
      if (is_furniture_role(role)) flags |= Flag::kUnlikely;
      if (role == "contentinfo") flags |= Flag::kFooter;
      if (role == "presentation") flags |= Flag::kPresentation;
    }
    if (attributes_.has(Attributes::kSummary) && facts_.element->tag == HtmlTag::kTable)
      flags |= Flag::kDataTable;
    if (contains(attributes_[Attributes::kItemprop], "articleBody")) flags |= Flag::kArticleBody;
    return flags;
  }

  bool says(Flag flag) const { return (facts_.flags & flag) != 0; }

  void start_element() {
    const HtmlElement& element = *facts_.element;
    if (foreign_.ends_before(element)) leave_foreign();
    if (!facts_.self_closing) foreign_.start(element, depth_);
    if (parts_words(element)) part_words();
    switch (element.tag) {
      case HtmlTag::kIgnored:
        ignored_ = true;
        return;
      case HtmlTag::kTitle:
        return start_title();
      case HtmlTag::kColumn:
        if (top().tag == HtmlTag::kTable) top().flags |= Flag::kDataTable;
        return;
      case HtmlTag::kImage:
        return count(top().images);
      case HtmlTag::kInput:
        return count(top().inputs);
      case HtmlTag::kEmbed:
        return count(top().embeds);
      case HtmlTag::kBreak:
        if (!muted()) line_break();
        return;
      case HtmlTag::kMeta:
      case HtmlTag::kPassed:
        return;
      case HtmlTag::kRule:
        close_paragraph();
        return end_block();
      case HtmlTag::kLink:
        return start_link();
      default:
        return start_container();
    }
  }

  struct Open {
    std::uint32_t container;
    const HtmlElement* element;
    std::string_view name;          // as written; only unknown elements need it
    std::size_t block;              // the depth of the last one that is not inline, itself or around it
    std::size_t before;             // the depth of the one before in its chain; 0: none
    std::uint32_t same_inside = 0;  // open elements called the same straight inside that are no containers
    HtmlSubjects::Place subject = HtmlSubjects::kNone;
  };

  // Those that an end tag may have to look through lie in one chain, so that it passes by all others: a page
  // may hold its deepest stack open and send end tags for the rest of it. Only those of one letter are so
  // short that this would not do for them (`</b>` in 255 hidden <i>); each has a chain of its own.
  static constexpr std::size_t kTags = static_cast<std::size_t>(HtmlTag::kOtherBlock) + 1;
  static constexpr std::size_t kLetters = 32;
  static std::size_t chain_of(const HtmlElement& element, std::string_view name) {
    if (element.tag != HtmlTag::kInline || name.size() != 1) return static_cast<std::size_t>(element.tag);
    return kTags + static_cast<unsigned char>(name[0]) % kLetters;
  }

  // The depth of the last open container that is called so; 0: there is none.
  std::size_t last_open(HtmlTag tag) const { return last_open_[static_cast<std::size_t>(tag)]; }

  // Whether `element`, called `name`, is the one that is open there.
  bool is_open(std::size_t depth, const HtmlElement& element, std::string_view name) const {
    const Open& open = open_[depth];
    if (open.element != &element) return false;
    if (!element.name.empty()) return true;
    return same_ignoring_case(open.name, name);
  }

  HtmlContainer& container(std::size_t depth) { return page_.containers[open_[depth].container]; }
  HtmlContainer& top() { return container(depth_); }
  bool muted() const { return ignored_ || never_shown_ > 0; }

  // ---- blocks ----

  void end_block() {
    count_link();
    char* end = writer_.out();
    if (end > block_from_ && end[-1] == ' ') --end;
    if (end > block_from_ && has_room_for_block()) {
      const auto size = static_cast<std::uint32_t>(end - block_from_);
      const std::uint32_t commas = kernels_.commas(block_from_, size);
      const auto links = static_cast<std::uint32_t>(std::min<std::size_t>(link_bytes_, size));
      HtmlBlock& block = page_.blocks.emplace_back();
      block.container = open_[depth_].container;
      block.offset = static_cast<std::uint32_t>(block_from_ - page_.text.data());
      block.size = size;
      block.commas = commas;
      block.link_bytes = links;
      block.links = links_;
      block.glued = glued_;
      HtmlContainer& in = top();
      in.bytes += size;
      in.link_bytes += links;
      in.commas += commas;
    }
    writer_.line_break();
    block_from_ = link_from_ = writer_.out();
    link_bytes_ = 0;
    links_ = 0;
    glued_ = false;
  }

  bool has_room_for_block() {
    if (page_.blocks.size() < kHtmlBlocksMax) return true;
    page_.complete = false;
    return false;
  }

  void part_words() {
    if (muted()) return;
    writer_.space();
    note_gap();
  }

  // Like an <img> in a line. A container, which is a block, does that by itself.
  static bool parts_words(const HtmlElement& element) {
    return element.separates & !is_container(element.tag);  // one branch, hardly ever taken
  }

  // White space at the start of a block is not written, but it parts the block from the one before.
  void note_gap() { glued_ &= writer_.out() != block_from_; }

  // Whether what is written next belongs to the word before, be that in this block or in the last one.
  bool is_glued() const { return writer_.out() == block_from_ ? glued_ : !writer_.after_gap(); }

  void line_break() {
    if (++breaks_ < 2) return;
    end_block();
    top().flags |= Flag::kParagraphs;
  }

  // ---- links ----

  void start_link() {
    end_link();
    if (facts_.link_percent > 0 && !facts_.self_closing) {
      in_link_ = true;
      link_depth_ = depth_;
      link_from_ = writer_.out();
      link_percent_ = facts_.link_percent;
      if (!anchor_.empty()) note_link_to_subject();
    }
    if (says(Flag::kHidden)) push_inline(Flag::kHidden);
  }

  // From a heading to itself or to what begins with it, or from a term to itself.
  void note_link_to_subject() {
    std::size_t depth = open_[depth_].block;
    const HtmlContainer& from = container(depth);
    const std::size_t levels = is_heading(from.tag)               ? kHeadingLevels
                               : from.tag == HtmlTag::kDefinition ? 1
                                                                  : 0;
    for (std::size_t level = 0; level < levels && depth > 0; ++level, --depth) {
      const HtmlSubjects::Place subject = open_[depth].subject;
      if (subject != HtmlSubjects::kNone && container(depth).first_block == from.first_block)
        memory_.subjects.link(subject, anchor_);
    }
  }

  void count_link() {
    if (!in_link_) return;
    if (writer_.out() > link_from_ && links_ < HtmlBlock::kLinksMax) ++links_;
    link_bytes_ += static_cast<std::size_t>(writer_.out() - link_from_) * link_percent_ / 100;
    link_from_ = writer_.out();
  }

  void end_link() {
    count_link();
    in_link_ = false;
  }

  // ---- containers ----

  void start_container() {
    const HtmlTag tag = facts_.element->tag;
    if (is_container(tag)) {
      if (is_question()) return pass_by();
      if (facts_.self_closing && (tag == HtmlTag::kSvg || tag == HtmlTag::kOtherBlock)) return part_words();
      if (!is_never_shown(tag)) close_implied(tag);
      breaks_ = 0;
      push(facts_.flags);
    } else if (top().tag == HtmlTag::kPreformatted) {  // highlighted code: names mean colours
      if (says(Flag::kHidden) && !facts_.self_closing) push_inline(Flag::kHidden);
      return;
    } else {
      constexpr unsigned kWorthIt = Flag::kHidden | Flag::kUnlikely | Flag::kShare | Flag::kByline |
                                    Flag::kPresentation | Flag::kAuthor | Flag::kCaption | Flag::kExtra;
      if (facts_.self_closing) return;
      if ((facts_.flags & kWorthIt) == 0) return pass_by();
      push_inline(facts_.flags);
    }
    if (!top_is_new_) return;
    top().weight = facts_.weight;
    top().class_hash = facts_.class_hash;
    if (!anchor_.empty())
      open_[depth_].subject = memory_.subjects.add(open_[depth_].container, anchor_, facts_.otherwise);
  }

  // Of questions with answers that open when asked for, each is a button: <h3><button>How do I
  // ...?</button></h3>.
  bool is_question() {
    if (facts_.element->name != "button") return false;
    const Open& in = open_[depth_];
    const bool heads =
        is_heading(top().tag) || (top().tag == HtmlTag::kDefinition && in.element->name == "dt");
    return heads && top().bytes == 0 && writer_.out() == block_from_;
  }

  void push(unsigned flags) {
    end_block();
    top_is_new_ = false;
    if (depth_ + 1 == kDepthMax) {
      if (is_container(facts_.element->tag)) ++beyond_;
      return;
    }
    if (page_.containers.size() >= kHtmlContainersMax) {
      page_.complete = false;
      return;
    }
    const std::uint32_t parent = open_[depth_].container;
    const std::size_t around = open_[depth_++].block;
    const std::size_t block = (flags & Flag::kInline) != 0 ? around : depth_;
    const std::size_t before = std::exchange(last_open_[chain_of(*facts_.element, name_)], depth_);
    open_[depth_] = {static_cast<std::uint32_t>(page_.containers.size()), facts_.element, name_, block,
                     before};
    HtmlContainer& made = page_.containers.emplace_back();
    made.parent = parent;
    made.tag = facts_.element->tag;
    made.flags = static_cast<std::uint16_t>(flags);
    made.first_block = static_cast<std::uint32_t>(page_.blocks.size());
    if (is_never_shown(made.tag)) ++never_shown_;
    top_is_new_ = true;
  }

  // An inline element that is no container: its end tag must not be taken for that of one called the same.
  void pass_by() {
    if (is_open(depth_, *facts_.element, name_)) ++open_[depth_].same_inside;
  }

  void push_inline(unsigned flags) {
    const bool glued = is_glued();
    push(flags | Flag::kInline);
    glued_ = glued;
  }

  void pop() {
    top().end = static_cast<std::uint32_t>(page_.containers.size());
    if (is_never_shown(top().tag)) --never_shown_;
    const Open& open = open_[depth_--];
    last_open_[chain_of(*open.element, open.name)] = open.before;
    foreign_.closed_to(depth_);
  }

  void pop_to(std::size_t depth) {
    end_block();
    while (depth_ >= depth) pop();
  }

  // What this start tag closes without an end tag: a paragraph, and the item, option, cell, row ... before.
  void close_implied(HtmlTag tag) {
    close_paragraph();
    switch (tag) {
      case HtmlTag::kItem:
        return close_up_to(HtmlTag::kItem, HtmlTag::kItem, HtmlTag::kList);
      case HtmlTag::kDefinition:
        return close_up_to(HtmlTag::kDefinition, HtmlTag::kDefinition, HtmlTag::kDefinitions);
      case HtmlTag::kCell:
      case HtmlTag::kHeaderCell:
        return close_up_to(HtmlTag::kCell, HtmlTag::kHeaderCell, HtmlTag::kRow);
      case HtmlTag::kRow:
        return close_up_to(HtmlTag::kRow, HtmlTag::kRow, HtmlTag::kTable);
      case HtmlTag::kTableBody:
      case HtmlTag::kTableHead:
        return close_up_to(HtmlTag::kTableBody, HtmlTag::kTableHead, HtmlTag::kTable);
      case HtmlTag::kOption:
        return close_up_to(HtmlTag::kOption, HtmlTag::kOption, HtmlTag::kControl);
      default:
        return;
    }
  }

  // Closes the nearest open container `a` or `b`, unless `stop`, a table or a template is nearer.
  void close_up_to(HtmlTag a, HtmlTag b, HtmlTag stop) {
    const std::size_t depth = std::max(last_open(a), last_open(b));
    const std::size_t barrier =
        std::max({last_open(stop), last_open(HtmlTag::kTable), last_open(HtmlTag::kTemplate)});
    if (depth > barrier) pop_to(depth);
  }

  void close_paragraph() {
    const std::size_t depth = open_[depth_].block;
    if (container(depth).tag == HtmlTag::kParagraph) pop_to(depth);
  }

  // Closes the <svg> and <math> that end here; those that are outside of a <foreignObject> go on.
  void leave_foreign() {
    const std::size_t around = foreign_.leave();
    std::size_t first = 0;
    for (const HtmlTag tag : {HtmlTag::kSvg, HtmlTag::kInline}) {  // a hidden <math> is a container, too
      for (std::size_t depth = last_open(tag); depth > around; depth = open_[depth].before) {
        ++steps_;
        const bool root = open_[depth].element->foreign == HtmlElement::ForeignRole::kRoot;
        if (root && (first == 0 || depth < first)) first = depth;
      }
    }
    if (first == 0) return;
    if (in_link_ && first <= link_depth_) end_link();
    pop_to(first);
  }

  // An end tag: closes the nearest open element of that name, unless it lies behind a barrier.
  void close_element(const HtmlElement& element, std::string_view name) {
    const bool ends_container = is_container(element.tag);
    const std::size_t first = ends_container ? barrier_to(element.tag) : open_[depth_].block + 1;
    std::size_t depth = last_open_[chain_of(element, name)];
    for (; depth > 0 && depth >= first; depth = open_[depth].before) {
      ++steps_;
      if (!is_open(depth, element, name)) continue;
      if (open_[depth].same_inside > 0) {
        --open_[depth].same_inside;
        return;
      }
      const bool glued = container(depth).has(Flag::kInline) && is_glued();
      if (in_link_ && ends_container && depth <= link_depth_) end_link();
      pop_to(depth);
      glued_ = glued;
      return;
    }
    if (ends_container) end_block();
  }

  // An inline end tag does not reach over a block, nor any end tag out of a cell, except a table's own.
  std::size_t barrier_to(HtmlTag closing) const {
    const std::size_t of_all = last_open(HtmlTag::kTemplate);
    const bool of_table = closing == HtmlTag::kTable || closing == HtmlTag::kRow ||
                          closing == HtmlTag::kTableHead || closing == HtmlTag::kTableBody;
    if (of_table) return of_all;
    return std::max(
        {of_all, last_open(HtmlTag::kCell), last_open(HtmlTag::kHeaderCell), last_open(HtmlTag::kTable)});
  }

  // ---- content that is not text of the page ----

  void start_title() {
    if (page_.title.data() != nullptr || muted()) {
      ignored_ = true;
      return;
    }
    end_block();
    in_title_ = true;
  }

  // The content of a title, script ... has ended: the next tag is here.
  void end_special_content() {
    ignored_ = false;
    if (!in_title_) return;
    in_title_ = false;
    writer_.line_break();
    const char* const end = writer_.out();
    if (end > block_from_) page_.title = {block_from_, static_cast<std::size_t>(end - block_from_) - 1};
    block_from_ = link_from_ = writer_.out();
  }

  HtmlPage& page_;
  const HtmlKernels& kernels_;
  HtmlMemory& memory_;
  HtmlTextWriter writer_;
  std::uint64_t steps_ = 0;

  // the start tag being read
  std::string_view name_;
  Attributes attributes_;
  HtmlTagFacts facts_;
  std::string_view anchor_;  // its id, if that has words of furniture; where it leads to, if in the page

  // the block being written
  char* block_from_ = nullptr;
  std::size_t link_bytes_ = 0;  // of it, in links that have ended or been counted
  std::uint8_t links_ = 0;      // of it, that have
  int breaks_ = 0;              // <br> without text behind them
  bool glued_ = false;

  // the link that is open
  bool in_link_ = false;
  char* link_from_ = nullptr;  // its text from here on is not counted yet
  std::size_t link_percent_ = 100;
  std::size_t link_depth_ = 0;  // of the container it began in, which ends it

  std::array<Open, kDepthMax> open_;                       // containers, the page itself first
  std::size_t depth_ = 0;                                  // of the last one
  std::array<std::size_t, kTags + kLetters> last_open_{};  // of each chain, its depth; 0: none
  std::size_t beyond_ = 0;                                 // containers open that are deeper than kDepthMax
  std::size_t never_shown_ = 0;                            // open templates, buttons ...
  HtmlForeign foreign_;
  bool top_is_new_ = false;
  bool ignored_ = false;  // in a script, style ...
  bool in_title_ = false;
};

}  // namespace

std::uint64_t read_html_blocks(std::string_view html, const HtmlKernels& kernels, HtmlMemory& memory,
                               HtmlPage& page) {
  BlockBuilder builder(html, kernels, memory, page);
  HtmlTokenizer tokenizer(kernels, html, builder);
  const std::uint64_t steps = tokenizer.run();
  builder.finish();
  return steps + builder.steps() + memory.subjects.settle(page);
}

}  // namespace neardup::internal
