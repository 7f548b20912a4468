#include "core/text/html_hints.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "core/base/ascii.h"
#include "core/base/check.h"
#include "core/text/html_scan.h"

namespace neardup::internal {
namespace {

constexpr unsigned kHintsOfComments = kHintUnlikely | kHintBad | kHintComment;

// No hint but the end of "commentary", which begins like a comment: on a law, on a verse. It is text.
constexpr unsigned kCommentary = 4096;

// No hint: there may be classes of looks in the name (is_look), so it has to be looked at word by word.
constexpr unsigned kMayLook = 8192;

struct HintWord {
  std::string_view word;  // the first eight characters count; '-' is where a part of the name begins or ends
  unsigned hints;
};

constexpr HintWord kWords[] = {
    {"comment", kHintsOfComments},
    {"disqus", kHintsOfComments},
    {"replies", kHintUnlikely | kHintComment},
    {"mmentary", kCommentary},
    {"remark42", kHintsOfComments},
    {"community", kHintUnlikely},
    {"-respond", kHintUnlikely | kHintComment},
    {"breadcrumb", kHintUnlikely},
    {"menu", kHintUnlikely},
    {"pager", kHintUnlikely},
    {"pagination", kHintUnlikely},
    {"toolbar", kHintUnlikely},
    {"skyscraper", kHintUnlikely | kHintBad},
    {"sidebar", kHintUnlikely | kHintBad | kHintSidebar},
    {"footer", kHintUnlikely | kHintBad | kHintFooter},
    {"header", kHintUnlikely},
    {"masthead", kHintBad},
    {"banner", kHintUnlikely | kHintBad},
    {"foot-", kHintBad},
    {"-foot", kHintBad},
    {"related", kHintUnlikely | kHintBad},
    {"recommend", kHintUnlikely | kHintBad},
    {"trending", kHintUnlikely},
    {"share", kHintShare | kHintBad},
    {"sharing", kHintShare | kHintBad},
    {"social", kHintUnlikely | kHintBad},
    {"sponsor", kHintUnlikely | kHintBad},
    {"promo", kHintBad},
    {"advert", kHintUnlikely | kHintBad},
    {"-ad-", kHintUnlikely},
    {"-ads-", kHintUnlikely},
    {"outbrain", kHintBad},
    {"taboola", kHintUnlikely | kHintBad},
    {"newsletter", kHintUnlikely | kHintBad},
    {"subscri", kHintBad},
    {"cookie", kHintUnlikely},
    {"consent", kHintUnlikely},
    {"gdpr", kHintUnlikely | kHintBad},
    {"popup", kHintUnlikely},
    {"modal", kHintUnlikely},
    {"shoutbox", kHintUnlikely | kHintBad},
    {"rss", kHintUnlikely},
    {"legend", kHintUnlikely},
    {"extra", kHintUnlikely},
    {"supplement", kHintUnlikely},
    {"agegate", kHintUnlikely},
    {"widget", kHintBad},
    {"shopping", kHintBad},
    {"contact", kHintBad},
    {"-tags-", kHintBad},
    {"-tag", kHintBad},
    {"meta", kHintBad},
    {"media", kHintBad},
    {"scroll", kHintBad},
    {"hidden", kHintBad},
    {"tool", kHintBad},
    {"-nav", kHintBad},
    {"article", kHintMaybe | kHintGood},
    {"body", kHintMaybe | kHintGood},
    {"content", kHintMaybe | kHintGood},
    {"main", kHintMaybe | kHintGood},
    {"column", kHintMaybe},
    {"shadow", kHintMaybe},
    {"-and-", kHintMaybe},
    {"mathjax", kHintMaybe},
    {"has-side", kHintMaybe},  // -bar: the page has one
    {"with-sid", kHintMaybe},
    {"no-sideb", kHintMaybe},
    {"without-", kHintMaybe},
    {"entry", kHintGood},
    {"hentry", kHintMaybe},  // WordPress: its other names are of topics, like "category-community"
    {"type-pos", kHintMaybe},
    {"post", kHintGood},
    {"text", kHintGood},
    {"story", kHintGood},
    {"blog", kHintGood},
    {"page", kHintGood},
    {"paragraph", kHintGood},
    {"byline", kHintByline | kHintAuthor},
    {"author", kHintByline | kHintAuthor},
    {"dateline", kHintByline},
    {"writtenby", kHintByline},
    {"contributor", kHintAuthor},
    {"postprof", kHintAuthor},  // -ile: beside each post of a forum
    {"userinfo", kHintAuthor},
    {"user-inf", kHintAuthor},
    {"-pls-", kHintAuthor},
    {"biograph", kHintAuthor},
    {"-bio-", kHintAuthor},
    {"caption", kHintCaption},
    {"credit", kHintCaption},
    {"copyright", kHintExtra},
    {"pullquot", kHintExtra},
    {"pull-quo", kHintExtra},
    {"standfir", kHintExtra},
    {"subtitle", kHintExtra},
    {"strapline", kHintExtra},
    {"kicker", kHintExtra},
    {"-dek-", kHintExtra},
    {"-deck-", kHintExtra},
    {"readmore", kHintExtra},
    {"read-mor", kHintExtra},
    {"also-lik", kHintExtra},
    {"alsolike", kHintExtra},
    {"signup", kHintExtra},
    {"sign-up", kHintExtra},
    {"addthis", kHintExtra},
    {"disclaim", kHintExtra},
    {"taglist", kHintExtra},
    {"tag-list", kHintExtra},
    {"-tags-", kHintExtra},
    {"keywords", kHintExtra},
    {"timestam", kHintExtra},
    {"pubdate", kHintExtra},
    {"pub-date", kHintExtra},
    {"-date-", kHintExtra},
    {"sr-only", kHintExtra},
    {"screen-r", kHintExtra},
    {"visually", kHintExtra},
    {"skip-lin", kHintExtra},
    {"teaser", kHintExtra},
    // as is_look() knows them
    {"-text-", kMayLook},
    {"-overflow-", kMayLook},
};

constexpr std::size_t kNameMax = 240;
constexpr std::size_t kPartsMax = kNameMax + 2;  // a space behind each class, and one behind all

std::uint64_t load_eight(const char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// All words, to be looked for at one place of a name at a time: in a bucket by their first three bytes, and
// most buckets are empty. Words are compared by their first eight bytes, as memory has them, so the order of
// bytes in a number does not matter.
class WordTable {
 public:
  // The last three bytes of what was read, the last one lowest but for eight bits.
  using Three = std::uint32_t;
  static Three next(Three before, unsigned char byte) { return (before | byte) << 8; }

  WordTable() {
    std::array<std::vector<Word>, kBuckets> by_start;
    for (const HintWord& each : kWords) {
      CHECK(each.word.size() >= 3, "a word is too short to be found");
      char bytes[8] = {};
      char mask[8] = {};
      const std::size_t size = std::min<std::size_t>(each.word.size(), 8);
      for (std::size_t i = 0; i < size; ++i) {
        bytes[i] = each.word[i] == '-' ? ' ' : each.word[i];
        mask[i] = '\xFF';
      }
      by_start[bucket_of(bytes)].push_back(
          {load_eight(bytes), load_eight(mask), static_cast<std::uint16_t>(each.hints)});
    }
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
      begin_any_[bucket] = by_start[bucket].empty() ? 0 : 1;
      words_.insert(words_.end(), by_start[bucket].begin(), by_start[bucket].end());
      ends_[bucket + 1] = static_cast<std::uint8_t>(words_.size());
    }
    CHECK(words_.size() <= std::numeric_limits<std::uint8_t>::max(), "too many words");
  }

  // 1 if some word may begin with these, 0 if none does.
  std::uint8_t may_begin(Three three) const { return begin_any_[bucket_of(three)]; }

  // The hints of the words that begin at `at`, where eight bytes can be read.
  unsigned at(const char* at) const {
    const std::size_t bucket = bucket_of(at);
    unsigned hints = 0;
    for (unsigned i = ends_[bucket]; i < ends_[bucket + 1]; ++i) {
      const Word& word = words_[i];
      if ((load_eight(at) & word.mask) == word.bytes) hints |= word.hints;
    }
    return hints;
  }

 private:
  static constexpr std::size_t kBuckets = 2048;
  struct Word {
    std::uint64_t bytes;
    std::uint64_t mask;
    std::uint16_t hints;
  };

  static std::size_t bucket_of(Three three) { return three * 0x9E3779B1U >> 21; }
  static std::size_t bucket_of(const char* bytes) {
    Three three = 0;
    for (int i = 0; i < 3; ++i) three = next(three, static_cast<unsigned char>(bytes[i]));
    return bucket_of(three);
  }

  std::vector<Word> words_;
  std::array<std::uint8_t, kBuckets + 1> ends_{};  // of bucket i at i + 1
  std::array<std::uint8_t, kBuckets> begin_any_{};
};

template <class Number>
std::uint64_t load(const char* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

// The last bytes of `name`, up to eight of them.
std::uint64_t load_last(std::string_view name) {
  const char* const end = name.data() + name.size();
  if (name.size() >= 8) return load_eight(end - 8);
  if (name.size() >= 4) return load<std::uint32_t>(&name.front()) << 32 | load<std::uint32_t>(end - 4);
  const auto at = [&](std::size_t i) { return load<std::uint8_t>(name.data() + i); };
  return at(0) << 16 | at(name.size() / 2) << 8 | at(name.size() - 1);
}

// REQUIRES: !name.empty().
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = name.size();
  for (std::size_t i = 0; i + 8 <= name.size(); i += 8) {
    hash = (hash ^ load_eight(name.data() + i)) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
  }
  hash = (hash ^ load_last(name)) * 0xD6E8FEB86659FD93;
  return hash ^ hash >> 32;
}

// A name's characters as they are compared: in lower case, what parts them as ' '. With a bit more for what
// only classes of looks hold.
constexpr unsigned kColon = 256;
constexpr std::array<std::uint16_t, 256> part_table() {
  std::array<std::uint16_t, 256> table{};
  for (int i = 0; i < 256; ++i) {
    const char c = static_cast<char>(i);
    const char part = c == '-' || c == '_' || is_ascii_whitespace(c) ? ' ' : ascii_lower(c);
    table[static_cast<std::size_t>(i)] =
        static_cast<std::uint16_t>(static_cast<unsigned char>(part) | (c == ':' ? kColon : 0));
  }
  return table;
}
constexpr std::array<std::uint16_t, 256> kPart = part_table();

// Classes that say how an element looks, as Tailwind and Bootstrap have them on everything: "text-sm" is no
// text, nor "overflow-hidden" hidden, nor a page furniture that is "md:hidden".
constexpr std::string_view kOverflow = "overflow-";
constexpr std::string_view kText = "text-";
constexpr std::string_view kTextLooks[] = {
    "base",  "black", "blue",  "center", "dark",   "end",     "gray", "green", "justify",
    "left",  "lg",    "light", "muted",  "nowrap", "primary", "red",  "right", "secondary",
    "slate", "sm",    "start", "stone",  "white",  "wrap",    "xl",   "xs",    "zinc"};

bool is_look(std::string_view one) {
  if (one.starts_with(kOverflow) || one.find(':') != std::string_view::npos) return true;
  if (!one.starts_with(kText)) return false;
  one.remove_prefix(kText.size());
  if (!one.empty() && one.front() >= '2' && one.front() <= '9') one.remove_prefix(1);  // "text-2xl"
  return std::ranges::binary_search(kTextLooks, one.substr(0, one.find('-')));
}

// Those of `name` that are no looks, written to `words`.
std::string_view without_looks(std::string_view name, std::array<char, kNameMax + 1>& words) {
  std::size_t size = 0;
  while (!name.empty()) {
    const std::string_view one =
        name.substr(0, std::ranges::find_if(name, is_ascii_whitespace) - name.begin());
    if (!is_look(one)) {
      size += one.copy(&words[size], one.size());
      words[size++] = ' ';
    }
    name.remove_prefix(std::min(name.size(), one.size() + 1));
  }
  return {words.data(), size};
}

// The hints of all words in `name`, looks included, and kMayLook if there may be any.
unsigned hints_in(std::string_view name) {
  static const WordTable words;
  std::array<char, 2 + kPartsMax + 8> parts;
  std::array<std::uint8_t, kPartsMax + 1> begins;  // in parts; most names have no such place
  parts[0] = '\0';
  parts[1] = ' ';
  std::size_t size = 2;
  std::size_t count = 0;
  unsigned seen = 0;
  WordTable::Three three = WordTable::next(0, ' ');
  const auto take = [&](unsigned part) {
    seen |= part;
    parts[size] = static_cast<char>(part);
    three = WordTable::next(three, static_cast<unsigned char>(part));
    begins[count] = static_cast<std::uint8_t>(size - 2);
    count += words.may_begin(three);
    ++size;
  };
  for (const char c : name) take(kPart[static_cast<unsigned char>(c)]);
  take(' ');
  unsigned hints = (seen & kColon) != 0 ? kMayLook : 0;
  if (count == 0) return hints;
  std::memset(&parts[size], 0, 8);
  for (std::size_t i = 0; i < count; ++i) hints |= words.at(&parts[begins[i]]);
  return hints;
}

std::uint16_t find_hints(std::string_view name) {
  unsigned hints = hints_in(name);
  if ((hints & kMayLook) != 0) {
    std::array<char, kNameMax + 1> words;
    hints = hints_in(without_looks(name, words)) & ~kMayLook;
  }
  if ((hints & kCommentary) != 0) hints &= ~(kHintsOfComments | kCommentary);
  return static_cast<std::uint16_t>(hints);
}

}  // namespace

HtmlName HtmlHints::of(std::string_view name) {
  if (name.empty()) return {};
  name = name.substr(0, kNameMax);
  const std::uint64_t hash = hash_of(name);
  HtmlName found;
  found.hash = static_cast<std::uint32_t>(hash) | 1;
  if (name.size() > kMemoNameMax) {
    found.hints = find_hints(name);
    return found;
  }
  Memo& memo = memo_[hash / 2 % memo_.size()];
  if (std::string_view(memo.name, memo.size) != name) {
    std::copy(name.begin(), name.end(), memo.name);
    memo.size = static_cast<std::uint8_t>(name.size());
    memo.hints = find_hints(name);
  }
  found.hints = memo.hints;
  return found;
}

}  // namespace neardup::internal
