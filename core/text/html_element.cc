#include "core/text/html_element.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "core/base/ascii.h"
#include "core/base/check.h"

namespace neardup::internal {
namespace {

constexpr auto kMarkup = HtmlContent::kMarkup;
constexpr auto kLiteral = HtmlContent::kLiteral;

constexpr auto kRows = std::to_array<HtmlElement>({
    {"a", HtmlTag::kLink, false},
    {"address", HtmlTag::kAddress},
    {"amp-img", HtmlTag::kImage},
    {"annotation-xml", HtmlTag::kInline, false},
    {"area", HtmlTag::kPassed, false},
    {"article", HtmlTag::kArticle},
    {"aside", HtmlTag::kAside},
    {"audio", HtmlTag::kEmbed},
    {"b", HtmlTag::kInline, false},
    {"base", HtmlTag::kPassed, false},
    {"big", HtmlTag::kInline, false},
    {"blockquote", HtmlTag::kQuote},
    {"body", HtmlTag::kPassed},
    {"br", HtmlTag::kBreak},
    {"button", HtmlTag::kControl},
    {"canvas", HtmlTag::kControl},
    {"caption", HtmlTag::kTableCaption},
    {"center", HtmlTag::kDiv},
    {"code", HtmlTag::kInline, false},
    {"col", HtmlTag::kColumn},
    {"colgroup", HtmlTag::kColumn},
    {"datalist", HtmlTag::kControl, false},
    {"dd", HtmlTag::kDefinition},
    {"desc", HtmlTag::kInline, false},
    {"details"},
    {"dialog", HtmlTag::kControl},
    {"dir", HtmlTag::kList},
    {"div", HtmlTag::kDiv},
    {"dl", HtmlTag::kDefinitions},
    {"dt", HtmlTag::kDefinition},
    {"em", HtmlTag::kInline, false},
    {"embed", HtmlTag::kEmbed},
    {"fieldset", HtmlTag::kFieldset},
    {"figcaption", HtmlTag::kFigureCaption},
    {"figure", HtmlTag::kFigure},
    {"footer", HtmlTag::kFooter},
    {"foreignobject", HtmlTag::kInline, false},
    {"form", HtmlTag::kForm},
    {"frame", HtmlTag::kPassed},
    {"frameset", HtmlTag::kPassed},
    {"h1", HtmlTag::kHeadline},
    {"h2", HtmlTag::kSubhead},
    {"h3", HtmlTag::kMinorHead},
    {"h4", HtmlTag::kMinorHead},
    {"h5", HtmlTag::kMinorHead},
    {"h6", HtmlTag::kMinorHead},
    {"head", HtmlTag::kPassed},
    {"header", HtmlTag::kHeader},
    {"hgroup"},
    {"hr", HtmlTag::kRule},
    {"html", HtmlTag::kPassed},
    {"i", HtmlTag::kInline, false},
    {"iframe", HtmlTag::kIgnored, true, kLiteral, false},
    {"img", HtmlTag::kImage},
    {"input", HtmlTag::kInput},
    {"legend"},
    {"li", HtmlTag::kItem},
    {"link", HtmlTag::kPassed, false},
    {"listing", HtmlTag::kPreformatted},
    {"main", HtmlTag::kMain},
    {"map", HtmlTag::kControl, false},
    {"marquee", HtmlTag::kInline},
    {"math", HtmlTag::kInline},
    {"menu", HtmlTag::kList},
    {"meta", HtmlTag::kMeta, false},
    {"meter", HtmlTag::kInline},
    {"mi", HtmlTag::kInline, false},
    {"mn", HtmlTag::kInline, false},
    {"mo", HtmlTag::kInline, false},
    {"ms", HtmlTag::kInline, false},
    {"mtext", HtmlTag::kInline, false},
    {"nav", HtmlTag::kNav},
    {"nobr", HtmlTag::kInline, false},
    {"noembed", HtmlTag::kIgnored, false, kLiteral, false},
    {"noframes", HtmlTag::kIgnored, false, kLiteral, false},
    {"noscript", HtmlTag::kIgnored, false, kLiteral, false},
    {"object", HtmlTag::kEmbed},
    {"ol", HtmlTag::kList},
    {"optgroup", HtmlTag::kPassed},  // only the options inside have text
    {"option", HtmlTag::kOption},
    {"p", HtmlTag::kParagraph},
    {"param", HtmlTag::kPassed, false},
    {"plaintext", HtmlTag::kPreformatted, true, HtmlContent::kRest},
    {"pre", HtmlTag::kPreformatted},
    {"progress", HtmlTag::kInline},
    {"rp", HtmlTag::kInline},
    {"rt", HtmlTag::kInline},
    {"ruby", HtmlTag::kInline, false},
    {"s", HtmlTag::kInline, false},
    {"script", HtmlTag::kIgnored, false, HtmlContent::kScript, false},
    {"search", HtmlTag::kForm},
    {"section", HtmlTag::kSection},
    {"select", HtmlTag::kControl},
    {"small", HtmlTag::kInline, false},
    {"source", HtmlTag::kPassed, false},
    {"span", HtmlTag::kInline, false},
    {"strike", HtmlTag::kInline, false},
    {"strong", HtmlTag::kInline, false},
    {"style", HtmlTag::kIgnored, false, kLiteral, false},
    {"sub", HtmlTag::kInline, false},
    {"summary"},
    {"sup", HtmlTag::kInline, false},
    {"svg", HtmlTag::kSvg},
    {"table", HtmlTag::kTable},
    {"tbody", HtmlTag::kTableBody},
    {"td", HtmlTag::kCell},
    {"template", HtmlTag::kTemplate, false, kMarkup, false},
    {"textarea", HtmlTag::kIgnored, true, HtmlContent::kReferences},
    {"tfoot", HtmlTag::kTableHead},
    {"th", HtmlTag::kHeaderCell},
    {"thead", HtmlTag::kTableHead},
    {"title", HtmlTag::kTitle, true, HtmlContent::kReferences},
    {"tr", HtmlTag::kRow},
    {"track", HtmlTag::kPassed, false},
    {"tt", HtmlTag::kInline, false},
    {"u", HtmlTag::kInline, false},
    {"ul", HtmlTag::kList},
    {"var", HtmlTag::kInline, false},
    {"video", HtmlTag::kEmbed},
    {"wbr", HtmlTag::kPassed, false},
    {"xmp", HtmlTag::kPreformatted, true, kLiteral},
});

// Of WHATWG HTML, 13.2.6.5, all but <font>, which hangs on its attributes.
constexpr std::string_view kForeignLeft[] = {
    "b",     "big",   "blockquote", "body",   "br",   "center", "code",  "dd", "div",  "dl",   "dt",
    "em",    "embed", "h1",         "h2",     "h3",   "h4",     "h5",    "h6", "head", "hr",   "i",
    "img",   "li",    "listing",    "menu",   "meta", "nobr",   "ol",    "p",  "pre",  "ruby", "s",
    "small", "span",  "strong",     "strike", "sub",  "sup",    "table", "tt", "u",    "ul",   "var"};

// Its "integration points". (An <annotation-xml> is one if its encoding says so; others hold no HTML.)
constexpr std::string_view kForeignPoints[] = {
    "annotation-xml", "desc", "foreignobject", "mi", "mn", "mo", "ms", "mtext", "title"};

constexpr auto kElements = [] {
  auto elements = kRows;
  std::size_t found = 0;
  for (HtmlElement& element : elements) {
    const auto mark = [&](std::string_view name, HtmlElement::ForeignRole role) {
      if (element.name != name) return;
      element.foreign = role;
      ++found;
    };
    for (const std::string_view name : kForeignLeft) mark(name, HtmlElement::ForeignRole::kLeaves);
    for (const std::string_view name : kForeignPoints) mark(name, HtmlElement::ForeignRole::kPoint);
    for (const std::string_view name : {"svg", "math"}) mark(name, HtmlElement::ForeignRole::kRoot);
    for (const std::string_view name : {"script", "style"}) mark(name, HtmlElement::ForeignRole::kIsText);
  }
  CHECK(found == std::size(kForeignLeft) + std::size(kForeignPoints) + 4, "each has a row");
  return elements;
}();

constexpr HtmlElement kUnknown{"", HtmlTag::kInline, false};

// The first eight bytes, the first one lowest, zeros behind a shorter name.
inline std::uint64_t first_eight(std::string_view name, std::size_t readable) {
  std::uint64_t bytes = 0;
  if (readable >= sizeof bytes) {
    std::memcpy(&bytes, name.data(), sizeof bytes);
  } else {
    std::memcpy(&bytes, name.data(), std::min(name.size(), sizeof bytes));
  }
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  return name.size() >= sizeof bytes ? bytes : bytes & ((std::uint64_t{1} << 8 * name.size()) - 1);
}

// Each byte 'A' .. 'Z' in lower case.
std::uint64_t lower_eight(std::uint64_t bytes) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  const std::uint64_t seven_bits = bytes & (kEach * 0x7F);
  const std::uint64_t above_z = seven_bits + kEach * (0x7F - 'Z');
  const std::uint64_t from_a = seven_bits + kEach * (0x80 - 'A');
  const std::uint64_t upper = (from_a ^ above_z) & ~bytes & (kEach * 0x80);
  return bytes | upper >> 2;
}

class ElementTable {
 public:
  ElementTable() {
    for (const HtmlElement& element : kElements) {
      const std::uint64_t key = first_eight(element.name, element.name.size());
      std::size_t slot = first_slot(key);
      while (slots_[slot].key != 0) slot = (slot + 1) % kSlots;
      slots_[slot] = {key, &element, element.name.size()};
    }
  }

  const HtmlElement& find(std::string_view name, std::size_t readable) const {
    // Nearly every name is in lower case and where its hash says.
    const std::uint64_t key = first_eight(name, readable);
    const Slot& slot = slots_[first_slot(key)];
    if (slot.key == key && name.size() == slot.size && name.size() <= sizeof key) return *slot.element;
    return search(name, lower_eight(key));
  }

 private:
  static constexpr std::size_t kSlots = 512;
  struct Slot {
    std::uint64_t key = 0;  // 0: empty
    const HtmlElement* element = nullptr;
    std::size_t size = 0;
  };

  [[gnu::noinline]] const HtmlElement& search(std::string_view name, std::uint64_t key) const {
    for (std::size_t slot = first_slot(key); slots_[slot].key != 0; slot = (slot + 1) % kSlots) {
      if (slots_[slot].key != key) continue;
      const HtmlElement& element = *slots_[slot].element;
      const bool same = name.size() == element.name.size() &&
                        (name.size() <= 8 || equals_ignoring_case(name.substr(8), element.name.substr(8)));
      return same ? element : kUnknown;  // no two names of the table begin with the same eight bytes
    }
    return kUnknown;
  }

  static std::size_t first_slot(std::uint64_t key) { return (key * 0x9E3779B97F4A7C15) >> 55; }

  std::array<Slot, kSlots> slots_{};
};

const ElementTable kTable;

}  // namespace

const HtmlElement& find_html_element(std::string_view name, std::size_t readable) {
  return kTable.find(name, readable);
}

}  // namespace neardup::internal
