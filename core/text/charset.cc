#include "core/text/charset.h"

#include <algorithm>
#include <array>

#include "core/base/ascii.h"

namespace neardup {
namespace {

struct Label {
  std::string_view label;
  Charset charset;
};

// All labels of the standard.
constexpr std::array<Label, 221> kLabels = {{
    // clang-format off
    {"866", Charset::kIbm866},
    {"ansi_x3.4-1968", Charset::kWindows1252},
    {"arabic", Charset::kIso8859_6},
    {"ascii", Charset::kWindows1252},
    {"asmo-708", Charset::kIso8859_6},
    {"big5", Charset::kBig5},
    {"big5-hkscs", Charset::kBig5},
    {"chinese", Charset::kGb18030},
    {"cn-big5", Charset::kBig5},
    {"cp1250", Charset::kWindows1250},
    {"cp1251", Charset::kWindows1251},
    {"cp1252", Charset::kWindows1252},
    {"cp1253", Charset::kWindows1253},
    {"cp1254", Charset::kWindows1254},
    {"cp1255", Charset::kWindows1255},
    {"cp1256", Charset::kWindows1256},
    {"cp1257", Charset::kWindows1257},
    {"cp1258", Charset::kWindows1258},
    {"cp819", Charset::kWindows1252},
    {"cp866", Charset::kIbm866},
    {"csbig5", Charset::kBig5},
    {"cseuckr", Charset::kEucKr},
    {"cseucpkdfmtjapanese", Charset::kEucJp},
    {"csgb2312", Charset::kGb18030},
    {"csibm866", Charset::kIbm866},
    {"csiso2022jp", Charset::kIso2022Jp},
    {"csiso58gb231280", Charset::kGb18030},
    {"csiso88596e", Charset::kIso8859_6},
    {"csiso88596i", Charset::kIso8859_6},
    {"csiso88598e", Charset::kIso8859_8},
    {"csiso88598i", Charset::kIso8859_8},
    {"csisolatin1", Charset::kWindows1252},
    {"csisolatin2", Charset::kIso8859_2},
    {"csisolatin3", Charset::kIso8859_3},
    {"csisolatin4", Charset::kIso8859_4},
    {"csisolatin5", Charset::kWindows1254},
    {"csisolatin6", Charset::kIso8859_10},
    {"csisolatin9", Charset::kIso8859_15},
    {"csisolatinarabic", Charset::kIso8859_6},
    {"csisolatincyrillic", Charset::kIso8859_5},
    {"csisolatingreek", Charset::kIso8859_7},
    {"csisolatinhebrew", Charset::kIso8859_8},
    {"cskoi8r", Charset::kKoi8R},
    {"csksc56011987", Charset::kEucKr},
    {"csmacintosh", Charset::kMacintosh},
    {"csshiftjis", Charset::kShiftJis},
    {"csunicode", Charset::kUtf16Le},
    {"cyrillic", Charset::kIso8859_5},
    {"dos-874", Charset::kWindows874},
    {"ecma-114", Charset::kIso8859_6},
    {"ecma-118", Charset::kIso8859_7},
    {"elot_928", Charset::kIso8859_7},
    {"euc-jp", Charset::kEucJp},
    {"euc-kr", Charset::kEucKr},
    {"gb18030", Charset::kGb18030},
    {"gb2312", Charset::kGb18030},
    {"gb_2312", Charset::kGb18030},
    {"gb_2312-80", Charset::kGb18030},
    {"gbk", Charset::kGb18030},
    {"greek", Charset::kIso8859_7},
    {"greek8", Charset::kIso8859_7},
    {"hebrew", Charset::kIso8859_8},
    {"ibm819", Charset::kWindows1252},
    {"ibm866", Charset::kIbm866},
    {"iso-10646-ucs-2", Charset::kUtf16Le},
    {"iso-2022-jp", Charset::kIso2022Jp},
    {"iso-8859-1", Charset::kWindows1252},
    {"iso-8859-10", Charset::kIso8859_10},
    {"iso-8859-11", Charset::kWindows874},
    {"iso-8859-13", Charset::kIso8859_13},
    {"iso-8859-14", Charset::kIso8859_14},
    {"iso-8859-15", Charset::kIso8859_15},
    {"iso-8859-16", Charset::kIso8859_16},
    {"iso-8859-2", Charset::kIso8859_2},
    {"iso-8859-3", Charset::kIso8859_3},
    {"iso-8859-4", Charset::kIso8859_4},
    {"iso-8859-5", Charset::kIso8859_5},
    {"iso-8859-6", Charset::kIso8859_6},
    {"iso-8859-6-e", Charset::kIso8859_6},
    {"iso-8859-6-i", Charset::kIso8859_6},
    {"iso-8859-7", Charset::kIso8859_7},
    {"iso-8859-8", Charset::kIso8859_8},
    {"iso-8859-8-e", Charset::kIso8859_8},
    {"iso-8859-8-i", Charset::kIso8859_8},
    {"iso-8859-9", Charset::kWindows1254},
    {"iso-ir-100", Charset::kWindows1252},
    {"iso-ir-101", Charset::kIso8859_2},
    {"iso-ir-109", Charset::kIso8859_3},
    {"iso-ir-110", Charset::kIso8859_4},
    {"iso-ir-126", Charset::kIso8859_7},
    {"iso-ir-127", Charset::kIso8859_6},
    {"iso-ir-138", Charset::kIso8859_8},
    {"iso-ir-144", Charset::kIso8859_5},
    {"iso-ir-148", Charset::kWindows1254},
    {"iso-ir-149", Charset::kEucKr},
    {"iso-ir-157", Charset::kIso8859_10},
    {"iso-ir-58", Charset::kGb18030},
    {"iso8859-1", Charset::kWindows1252},
    {"iso8859-10", Charset::kIso8859_10},
    {"iso8859-11", Charset::kWindows874},
    {"iso8859-13", Charset::kIso8859_13},
    {"iso8859-14", Charset::kIso8859_14},
    {"iso8859-15", Charset::kIso8859_15},
    {"iso8859-2", Charset::kIso8859_2},
    {"iso8859-3", Charset::kIso8859_3},
    {"iso8859-4", Charset::kIso8859_4},
    {"iso8859-5", Charset::kIso8859_5},
    {"iso8859-6", Charset::kIso8859_6},
    {"iso8859-7", Charset::kIso8859_7},
    {"iso8859-8", Charset::kIso8859_8},
    {"iso8859-9", Charset::kWindows1254},
    {"iso88591", Charset::kWindows1252},
    {"iso885910", Charset::kIso8859_10},
    {"iso885911", Charset::kWindows874},
    {"iso885913", Charset::kIso8859_13},
    {"iso885914", Charset::kIso8859_14},
    {"iso885915", Charset::kIso8859_15},
    {"iso88592", Charset::kIso8859_2},
    {"iso88593", Charset::kIso8859_3},
    {"iso88594", Charset::kIso8859_4},
    {"iso88595", Charset::kIso8859_5},
    {"iso88596", Charset::kIso8859_6},
    {"iso88597", Charset::kIso8859_7},
    {"iso88598", Charset::kIso8859_8},
    {"iso88599", Charset::kWindows1254},
    {"iso_8859-1", Charset::kWindows1252},
    {"iso_8859-15", Charset::kIso8859_15},
    {"iso_8859-1:1987", Charset::kWindows1252},
    {"iso_8859-2", Charset::kIso8859_2},
    {"iso_8859-2:1987", Charset::kIso8859_2},
    {"iso_8859-3", Charset::kIso8859_3},
    {"iso_8859-3:1988", Charset::kIso8859_3},
    {"iso_8859-4", Charset::kIso8859_4},
    {"iso_8859-4:1988", Charset::kIso8859_4},
    {"iso_8859-5", Charset::kIso8859_5},
    {"iso_8859-5:1988", Charset::kIso8859_5},
    {"iso_8859-6", Charset::kIso8859_6},
    {"iso_8859-6:1987", Charset::kIso8859_6},
    {"iso_8859-7", Charset::kIso8859_7},
    {"iso_8859-7:1987", Charset::kIso8859_7},
    {"iso_8859-8", Charset::kIso8859_8},
    {"iso_8859-8:1988", Charset::kIso8859_8},
    {"iso_8859-9", Charset::kWindows1254},
    {"iso_8859-9:1989", Charset::kWindows1254},
    {"koi", Charset::kKoi8R},
    {"koi8", Charset::kKoi8R},
    {"koi8-r", Charset::kKoi8R},
    {"koi8-ru", Charset::kKoi8U},
    {"koi8-u", Charset::kKoi8U},
    {"koi8_r", Charset::kKoi8R},
    {"korean", Charset::kEucKr},
    {"ks_c_5601-1987", Charset::kEucKr},
    {"ks_c_5601-1989", Charset::kEucKr},
    {"ksc5601", Charset::kEucKr},
    {"ksc_5601", Charset::kEucKr},
    {"l1", Charset::kWindows1252},
    {"l2", Charset::kIso8859_2},
    {"l3", Charset::kIso8859_3},
    {"l4", Charset::kIso8859_4},
    {"l5", Charset::kWindows1254},
    {"l6", Charset::kIso8859_10},
    {"l9", Charset::kIso8859_15},
    {"latin1", Charset::kWindows1252},
    {"latin2", Charset::kIso8859_2},
    {"latin3", Charset::kIso8859_3},
    {"latin4", Charset::kIso8859_4},
    {"latin5", Charset::kWindows1254},
    {"latin6", Charset::kIso8859_10},
    {"logical", Charset::kIso8859_8},
    {"mac", Charset::kMacintosh},
    {"macintosh", Charset::kMacintosh},
    {"ms932", Charset::kShiftJis},
    {"ms_kanji", Charset::kShiftJis},
    {"shift-jis", Charset::kShiftJis},
    {"shift_jis", Charset::kShiftJis},
    {"sjis", Charset::kShiftJis},
    {"sun_eu_greek", Charset::kIso8859_7},
    {"tis-620", Charset::kWindows874},
    {"ucs-2", Charset::kUtf16Le},
    {"unicode", Charset::kUtf16Le},
    {"unicode-1-1-utf-8", Charset::kUtf8},
    {"unicode11utf8", Charset::kUtf8},
    {"unicode20utf8", Charset::kUtf8},
    {"unicodefeff", Charset::kUtf16Le},
    {"unicodefffe", Charset::kUtf16Be},
    {"us-ascii", Charset::kWindows1252},
    {"utf-16", Charset::kUtf16Le},
    {"utf-16be", Charset::kUtf16Be},
    {"utf-16le", Charset::kUtf16Le},
    {"utf-8", Charset::kUtf8},
    {"utf8", Charset::kUtf8},
    {"visual", Charset::kIso8859_8},
    {"windows-1250", Charset::kWindows1250},
    {"windows-1251", Charset::kWindows1251},
    {"windows-1252", Charset::kWindows1252},
    {"windows-1253", Charset::kWindows1253},
    {"windows-1254", Charset::kWindows1254},
    {"windows-1255", Charset::kWindows1255},
    {"windows-1256", Charset::kWindows1256},
    {"windows-1257", Charset::kWindows1257},
    {"windows-1258", Charset::kWindows1258},
    {"windows-31j", Charset::kShiftJis},
    {"windows-874", Charset::kWindows874},
    {"windows-949", Charset::kEucKr},
    {"x-cp1250", Charset::kWindows1250},
    {"x-cp1251", Charset::kWindows1251},
    {"x-cp1252", Charset::kWindows1252},
    {"x-cp1253", Charset::kWindows1253},
    {"x-cp1254", Charset::kWindows1254},
    {"x-cp1255", Charset::kWindows1255},
    {"x-cp1256", Charset::kWindows1256},
    {"x-cp1257", Charset::kWindows1257},
    {"x-cp1258", Charset::kWindows1258},
    {"x-euc-jp", Charset::kEucJp},
    {"x-gbk", Charset::kGb18030},
    {"x-mac-cyrillic", Charset::kMacCyrillic},
    {"x-mac-roman", Charset::kMacintosh},
    {"x-mac-ukrainian", Charset::kMacCyrillic},
    {"x-sjis", Charset::kShiftJis},
    {"x-unicode20utf8", Charset::kUtf8},
    {"x-x-big5", Charset::kBig5},
    // clang-format on
}};

// What programs call some of them besides: the codecs of Python, Java and Node, and Windows' code pages.
constexpr auto kOtherNames = std::to_array<Label>({
    // clang-format off
    {"big5-tw", Charset::kBig5},
    {"cp65001", Charset::kUtf8},
    {"cp874", Charset::kWindows874},
    {"cp932", Charset::kShiftJis},
    {"cp936", Charset::kGb18030},
    {"cp949", Charset::kEucKr},
    {"cp950", Charset::kBig5},
    {"euc-cn", Charset::kGb18030},
    {"euc-jis-2004", Charset::kEucJp},
    {"euc-jisx0213", Charset::kEucJp},
    {"hkscs", Charset::kBig5},
    {"mac-cyrillic", Charset::kMacCyrillic},
    {"mac-roman", Charset::kMacintosh},
    {"ms874", Charset::kWindows874},
    {"ms936", Charset::kGb18030},
    {"ms949", Charset::kEucKr},
    {"ms950", Charset::kBig5},
    {"shift-jis-2004", Charset::kShiftJis},
    {"shift-jisx0213", Charset::kShiftJis},
    {"uhc", Charset::kEucKr},
    {"ujis", Charset::kEucJp},
    {"utf-8-sig", Charset::kUtf8},
    {"utf8mb4", Charset::kUtf8},
    {"win-1251", Charset::kWindows1251},
    {"win-1252", Charset::kWindows1252},
    {"windows-932", Charset::kShiftJis},
    {"windows-936", Charset::kGb18030},
    {"windows-950", Charset::kBig5},
    {"x-mswin-936", Charset::kGb18030},
    {"x-windows-874", Charset::kWindows874},
    {"x-windows-949", Charset::kEucKr},
    {"x-windows-950", Charset::kBig5},
    // clang-format on
});

constexpr std::size_t size_of(const Label& entry) { return entry.label.size(); }
constexpr std::size_t kLabelBytesMax = std::max(size_of(std::ranges::max(kLabels, {}, size_of)),
                                                size_of(std::ranges::max(kOtherNames, {}, size_of)));

// A label as it is looked for: without case, and without dashes and underscores, of which programs make one
// or the other or none ("euc_jp", "latin-1", "big5hkscs").
struct PlainLabel {
  std::array<char, kLabelBytesMax> bytes{};
  std::size_t size = 0;
  Charset charset = Charset::kUtf8;

  constexpr std::string_view text() const { return {bytes.data(), size}; }
  // False if it is longer than any.
  constexpr bool set(std::string_view label) {
    size = 0;
    for (const char c : label) {
      if (c == '-' || c == '_') continue;
      if (size == bytes.size()) return false;
      bytes[size++] = ascii_lower(c);
    }
    return true;
  }
};

constexpr auto kPlainLabels = [] {
  std::array<PlainLabel, kLabels.size() + kOtherNames.size()> all;
  std::size_t count = 0;
  const auto add = [&](const Label& entry) {
    all[count].set(entry.label);
    all[count++].charset = entry.charset;
  };
  for (const Label& entry : kLabels) add(entry);
  for (const Label& entry : kOtherNames) add(entry);
  std::ranges::sort(all, {}, &PlainLabel::text);
  return all;
}();
static_assert(std::ranges::adjacent_find(kPlainLabels, [](const PlainLabel& a, const PlainLabel& b) {
                return a.text() == b.text() && a.charset != b.charset;
              }) == kPlainLabels.end());

// The value of `name` = value in a Content-Type or an XML declaration: quoted, or up to a space or semicolon,
// or a comma: two headers that were made one have it between them.
std::optional<std::string_view> parameter(std::string_view text, std::string_view name) {
  text = trimmed(text);  // so that what is behind a name has no spaces at its end to be passed over each time
  for (std::size_t at = 0; at + name.size() < text.size(); ++at) {
    if (!starts_with_ignoring_case(text.substr(at), name)) continue;
    std::string_view rest = trimmed(text.substr(at + name.size()));
    if (rest.empty() || rest.front() != '=') continue;
    rest = trimmed(rest.substr(1));
    if (rest.empty()) return std::nullopt;
    if (rest.front() == '"' || rest.front() == '\'') {
      const std::size_t end = rest.find(rest.front(), 1);
      if (end == std::string_view::npos) return std::nullopt;
      return rest.substr(1, end - 1);
    }
    return rest.substr(0, std::min(rest.find_first_of("; \t\r\n\f,"), rest.size()));
  }
  return std::nullopt;
}

struct Attribute {
  std::string_view name;
  std::string_view value;
};

// Reads the head of a page from front to back.
class Head {
 public:
  explicit Head(std::string_view bytes) : rest_(bytes) {}

  std::optional<Charset> charset() {
    if (starts_with_ignoring_case(rest_, "<?xml")) {
      const std::string_view declaration = rest_.substr(0, std::min(rest_.find('>'), rest_.size()));
      const auto label = parameter(declaration, "encoding");
      if (label) {
        if (const auto found = charset_named(*label)) return found;
      }
    }
    while (!rest_.empty()) {
      if (rest_.starts_with("<!--")) {
        skip_past("-->", 2);  // <!--> is a whole comment
      } else if (starts_with_ignoring_case(rest_, "<meta") && rest_.size() > 5 &&
                 (is_ascii_whitespace(rest_[5]) || rest_[5] == '/')) {
        rest_.remove_prefix(5);
        if (const auto found = meta()) return found;
      } else if (rest_.size() > 1 && rest_[0] == '<' && is_ascii_letter(rest_[1])) {
        skip_name();
        while (next_attribute()) continue;
      } else if (rest_.size() > 2 && rest_.starts_with("</") && is_ascii_letter(rest_[2])) {
        rest_.remove_prefix(2);
        skip_name();
        while (next_attribute()) continue;
      } else if (rest_.starts_with("<!") || rest_.starts_with("</") || rest_.starts_with("<?")) {
        skip_past(">", 2);
      } else {
        rest_.remove_prefix(1);
        rest_.remove_prefix(std::min(rest_.find('<'), rest_.size()));
      }
    }
    return std::nullopt;
  }

 private:
  // Behind "<meta".
  std::optional<Charset> meta() {
    bool is_content_type = false;
    std::optional<Charset> in_content;
    std::optional<Charset> direct;
    while (const auto attribute = next_attribute()) {
      if (equals_ignoring_case(attribute->name, "http-equiv")) {
        is_content_type |= equals_ignoring_case(attribute->value, "content-type");
      } else if (equals_ignoring_case(attribute->name, "content") && !in_content) {
        if (const auto label = parameter(attribute->value, "charset")) in_content = charset_named(*label);
      } else if (equals_ignoring_case(attribute->name, "charset") && !direct) {
        direct = charset_named(attribute->value);
      }
    }
    if (!closed_) return std::nullopt;  // cut off, maybe in the midst of a name
    return direct || !is_content_type ? direct : in_content;
  }

  // The next attribute of the open tag; nothing: the tag has ended, and is behind us.
  std::optional<Attribute> next_attribute() {
    while (!rest_.empty() && (is_ascii_whitespace(rest_.front()) || rest_.front() == '/'))
      rest_.remove_prefix(1);
    closed_ = !rest_.empty() && rest_.front() == '>';
    if (closed_) rest_.remove_prefix(1);
    if (closed_ || rest_.empty()) return std::nullopt;
    Attribute attribute;
    attribute.name =
        take_until([](char c) { return is_ascii_whitespace(c) || c == '/' || c == '>' || c == '='; });
    std::string_view ahead = rest_;
    while (!ahead.empty() && is_ascii_whitespace(ahead.front())) ahead.remove_prefix(1);
    if (ahead.empty() || ahead.front() != '=') {
      // A tag may begin with an equals sign where a name should stand; it is passed over.
      if (attribute.name.empty() && !rest_.empty()) rest_.remove_prefix(1);
      return attribute;
    }
    rest_ = ahead.substr(1);
    while (!rest_.empty() && is_ascii_whitespace(rest_.front())) rest_.remove_prefix(1);
    if (rest_.empty()) return attribute;
    const char quote = rest_.front();
    if (quote == '"' || quote == '\'') {
      rest_.remove_prefix(1);
      attribute.value = take_until([quote](char c) { return c == quote; });
      if (!rest_.empty()) rest_.remove_prefix(1);
    } else {
      attribute.value = take_until([](char c) { return is_ascii_whitespace(c) || c == '>'; });
    }
    return attribute;
  }

  void skip_name() {
    take_until([](char c) { return is_ascii_whitespace(c) || c == '>'; });
  }

  void skip_past(std::string_view mark, std::size_t from) {
    const std::size_t found = rest_.find(mark, from);
    rest_.remove_prefix(found == std::string_view::npos ? rest_.size() : found + mark.size());
  }

  template <typename Stop>
  std::string_view take_until(Stop stop) {
    const auto end = std::ranges::find_if(rest_, stop);
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
  bool closed_ = false;  // the tag under way
};

}  // namespace

std::optional<Charset> charset_named(std::string_view label) {
  PlainLabel wanted;
  if (!wanted.set(trimmed(label))) return std::nullopt;
  const auto found = std::ranges::lower_bound(kPlainLabels, wanted.text(), {}, &PlainLabel::text);
  if (found == kPlainLabels.end() || found->text() != wanted.text()) return std::nullopt;
  return found->charset;
}

std::optional<Charset> charset_declared(std::string_view content_type_or_label) {
  if (const auto found = charset_named(content_type_or_label)) return found;
  const auto label = parameter(content_type_or_label, "charset");
  return label ? charset_named(*label) : std::nullopt;
}

std::optional<Charset> charset_in_page(std::string_view html) {
  const auto found = Head(html.substr(0, kCharsetHeadBytes)).charset();
  return is_utf16(found) ? Charset::kUtf8 : found;
}

}  // namespace neardup
