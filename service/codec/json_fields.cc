#include "service/codec/json_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "core/base/ascii.h"
#include "core/base/check.h"
#include "core/limits.h"
#include "core/text/utf8.h"
#include "service/codec/json_string.h"

namespace neardup {
namespace {

constexpr std::size_t kEscapeBytesMax = 6;  // of one character of a name: \uXXXX

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// ~1 is a slash, ~0 a tilde.
std::string unescaped_token(std::string_view token) {
  std::string name;
  for (std::size_t i = 0; i < token.size(); ++i) {
    name.push_back(token[i] != '~' ? token[i] : token[++i] == '1' ? '/' : '~');
  }
  return name;
}

}  // namespace

void append_strings(std::string_view rest, std::string& text) {
  int depth = 0;
  for (const char *at = rest.data(), *const end = at + rest.size(); at != end; ++at) {
    if (*at == '[' || *at == '{') ++depth;
    if (*at == ']' || *at == '}') --depth;
    if (*at != '"') continue;
    const std::string_view raw{at + 1, find_string_end(at + 1, end).end};
    at = raw.data() + raw.size();  // the quote behind it
    if (depth > 0) continue;
    text += '\n';
    const std::size_t begin = text.size();
    text.resize(begin + raw.size() + kUnescapeSlack);
    text.resize(static_cast<std::size_t>(unescape(raw, text.data() + begin) - text.data()));
  }
}

JsonFields::JsonFields(std::span<const std::string> pointers, JsonPlaces pages) : nodes_(1) {
  for (std::string_view rest : pointers) {
    std::uint32_t node = 0;
    while (!rest.empty()) {
      CHECK(rest.front() == '/', "presets hold well-formed pointers");
      rest.remove_prefix(1);
      const std::string_view token = rest.substr(0, rest.find('/'));
      const std::string name = unescaped_token(token);
      const std::uint32_t child = find_child(node, name);
      node = child != kNone ? child : make_child(node, name);
      rest.remove_prefix(token.size());
    }
    CHECK(node != 0, "a pointer to the whole record names no field");
    nodes_[node].is_page |= places_.size() >= pages.begin && places_.size() < pages.end;
    places_.push_back(node);
  }
}

const JsonField& JsonFields::operator[](std::size_t i) const {
  static constexpr JsonField kAbsent;
  const Node& node = nodes_[places_[i]];
  return node.record == record_ ? node.field : kAbsent;
}

std::size_t JsonFields::bucket(std::string_view name) {
  if (name.empty()) return 0;
  const auto first = static_cast<unsigned char>(name.front());
  const auto last = static_cast<unsigned char>(name.back());
  return (name.size() * 8 + first * 3U + last) % kBuckets;
}

std::uint32_t JsonFields::find_child(std::uint32_t parent, std::string_view name) const {
  const Node& node = nodes_[parent];
  if (name.size() > node.name_bytes_max || node.buckets.empty()) return kNone;
  std::uint32_t child = node.buckets[bucket(name)];
  while (child != kNone && nodes_[child].name != name) child = nodes_[child].sibling;
  return child;
}

std::uint32_t JsonFields::make_child(std::uint32_t parent, std::string_view name) {
  const auto child = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  Node& node = nodes_[parent];
  if (node.buckets.empty()) node.buckets.assign(kBuckets, kNone);
  nodes_[child].name = name;
  nodes_[child].sibling = std::exchange(node.buckets[bucket(name)], child);
  node.name_bytes_max = std::max(node.name_bytes_max, name.size());
  return child;
}

// One walk over one record. Each function takes what its name says from `at_` on and returns whether it was
// there; the first that was not has decided `refusal_`.
class JsonFields::Walk {
 public:
  Walk(JsonFields& fields, std::string_view json, std::string* room)
      : fields_(fields), at_(json.data()), end_(json.data() + json.size()), room_(room) {}

  std::optional<RejectReason> run() {
    skip_spaces();
    const bool read = take('{') && object(0) && (skip_spaces(), at_ == end_);
    return read ? std::nullopt : std::optional(refusal_);
  }

 private:
  // Any value; `field_` says what it is.
  bool value(std::uint32_t node) {
    if (at_ == end_) return false;
    switch (*at_) {
      case '"':
        ++at_;
        return room_ != nullptr && node != kNone && fields_.nodes_[node].is_page ? page() : string();
      case '{':
        ++at_;
        return object(node);
      case '[':
        ++at_;
        return array(node);
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      case 'N':
        return word("NaN");
      case 'I':
        return word("Infinity");
      default:
        return number();
    }
  }

  bool object(std::uint32_t node) {
    if (!deeper()) return false;
    skip_spaces();
    if (!take('}')) {
      do {
        skip_spaces();
        if (!take('"') || !string()) return false;
        const std::uint32_t child = node == kNone ? kNone : child_of(node);
        skip_spaces();
        if (!take(':')) return false;
        skip_spaces();
        if (!value(child)) return false;
        note(child);
        skip_spaces();
      } while (take(','));
      if (!take('}')) return false;
    }
    --depth_;
    field_ = {.kind = JsonField::Kind::kOther};
    return true;
  }

  bool array(std::uint32_t node) {
    if (!deeper()) return false;
    JsonField first;
    first.kind = JsonField::Kind::kOther;
    const char* behind_first = nullptr;
    skip_spaces();
    if (!take(']')) {
      std::size_t index = 0;
      do {
        skip_spaces();
        const bool container = at_ < end_ && (*at_ == '[' || *at_ == '{');
        const std::uint32_t child = node == kNone ? kNone : child_at(node, index);
        if (!value(child)) return false;
        note(child);
        if (index == 0 && !container) {
          first = field_;
          behind_first = at_;
        }
        ++index;
        skip_spaces();
      } while (take(','));
      if (behind_first != nullptr && index > 1) first.rest = {behind_first, at_};
      if (!take(']')) return false;
    }
    --depth_;
    field_ = first;
    return true;
  }

  // Behind its opening quote.
  bool string() {
    const JsonString found = find_string_end(at_, end_);
    if (found.end == nullptr) return false;
    field_ = {.kind = JsonField::Kind::kString, .escaped = found.escaped, .raw = {at_, found.end}};
    at_ = found.end + 1;
    return found.is_ascii || is_utf8(field_.raw);
  }

  // A string that will be wanted; the first takes the room.
  bool page() {
    std::string& room = *std::exchange(room_, nullptr);
    const std::size_t bytes_max = static_cast<std::size_t>(end_ - at_) + kUnescapeSlack;
    if (room.size() < bytes_max) room.resize(bytes_max);  // zeros cost as much as reading: no more than once
    const JsonReading read = read_string(at_, end_, room.data());
    if (read.end == nullptr) return false;
    field_ = {.kind = JsonField::Kind::kString, .raw = {at_, read.end}, .said = {room.data(), read.said_end}};
    field_.escaped = field_.said.size() < field_.raw.size();  // any escape is longer than what it says
    at_ = read.end + 1;
    return read.is_utf8;
  }

  // -? (0 | [1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)?
  bool number() {
    const char* const begin = at_;
    if (take('-') && at_ < end_ && *at_ == 'I') return word("Infinity");
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!digits()) return false;
    }
    field_ = {.kind = JsonField::Kind::kNumber, .raw = {begin, at_}};
    return true;
  }

  bool digits() {
    const char* const begin = at_;
    while (at_ < end_ && is_ascii_digit(*at_)) ++at_;
    return at_ > begin;
  }

  bool word(std::string_view word) {
    if (static_cast<std::size_t>(end_ - at_) < word.size()) return false;
    if (std::memcmp(at_, word.data(), word.size()) != 0) return false;
    at_ += word.size();
    field_ = {.kind = JsonField::Kind::kOther};
    return true;
  }

  bool deeper() {
    if (++depth_ <= kJsonDepthMax) return true;
    refusal_ = RejectReason::kTooDeep;
    return false;
  }

  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  void skip_spaces() {
    while (at_ < end_ && is_space(*at_)) ++at_;
  }

  // The wanted child whose name is the key just read, if it is the first of that name.
  std::uint32_t child_of(std::uint32_t parent) {
    const Node& node = fields_.nodes_[parent];
    std::string_view key = field_.raw;
    if (key.size() > node.name_bytes_max * (field_.escaped ? kEscapeBytesMax : 1)) return kNone;
    if (field_.escaped) {
      fields_.key_.resize(key.size() + kUnescapeSlack);
      const char* const end = unescape(key, fields_.key_.data());
      key = {fields_.key_.data(), static_cast<std::size_t>(end - fields_.key_.data())};
    }
    return first_time(fields_.find_child(parent, key));
  }

  // Elements of an array are wanted by their indexes, which are names too.
  std::uint32_t child_at(std::uint32_t parent, std::size_t index) {
    if (fields_.nodes_[parent].buckets.empty()) return kNone;
    std::array<char, 20> digits{};
    const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), index).ptr;
    return first_time(fields_.find_child(parent, {digits.data(), end}));
  }

  std::uint32_t first_time(std::uint32_t child) {
    if (child == kNone) return kNone;
    return std::exchange(fields_.nodes_[child].record, fields_.record_) == fields_.record_ ? kNone : child;
  }

  void note(std::uint32_t node) {
    if (node != kNone) fields_.nodes_[node].field = field_;
  }

  JsonFields& fields_;
  const char* at_;
  const char* end_;
  std::string* room_;  // null: there is none, or none any more
  int depth_ = 0;
  JsonField field_;  // the value taken last
  RejectReason refusal_ = RejectReason::kNotJson;
};

std::optional<RejectReason> JsonFields::read(std::string_view json, std::string* room) {
  ++record_;
  // An object that does not end with a brace never ends, however deep it is: see that first.
  std::size_t size = json.size();
  while (size > 0 && is_space(json[size - 1])) --size;
  if (size == 0 || json[size - 1] != '}') return RejectReason::kNotJson;
  return Walk(*this, json, room).run();
}

}  // namespace neardup
