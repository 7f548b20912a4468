// Where in this record are the fields that we want?
//
// Walks once over a JSON object and notes where the values at the wanted JSON pointers lie: views of the
// record's own bytes, nothing copied, nothing unescaped, but for one string that is nearly the whole record:
// the page, which is read as it is met. All else is checked as strictly as what is wanted, since a record is
// accepted or refused whole:
//
//   UTF-8 throughout; one object by the grammar of RFC 8259, nothing after it; at most kJsonDepthMax
//   containers deep. Numbers of any size and halves of surrogate pairs are fine, as the grammar has it; NaN,
//   Infinity and -Infinity are, too, which Python writes where a number is none: no page is lost for them.
//
// Where a key stands twice, the first counts, and only in the first is anything looked for. A pointer that
// leads to an array stands for the array's first element too: some producers send every field so. What is
// behind that element stays at hand, for a text may be sent in parts.
//
// Cost:    one walk; strings are searched for their ends, or read, 64 bytes at a time (json_string.h), and
//          those that are not ASCII looked at once more: only in strings the grammar has other bytes. Two or
//          three nanoseconds per token on top. Time is linear and the stack is bounded whatever the bytes
//          are. Nothing is allocated once warm.
// Threads: one reader per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/decision.h"

namespace neardup {

struct JsonField {
  enum class Kind : std::uint8_t {
    kAbsent,
    kString,  // raw: what stands between its quotes
    kNumber,  // raw: the number, as written
    kOther,   // an object, an array without a scalar in front, true, false, null
  };

  Kind kind = Kind::kAbsent;
  bool escaped = false;  // a string with escapes in it
  std::string_view raw = {};
  std::string_view said = {};  // what a string says, where that is known already; else null
  std::string_view rest = {};  // of an array, what is written behind its first element; "" if nothing is
};

// Appends to `text` what the strings of `rest` say (JsonField::rest), each on a line of its own. What else
// is there is passed over, containers with all that is in them.
void append_strings(std::string_view rest, std::string& text);

// Some of the pointers, by their places among all.
struct JsonPlaces {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class JsonFields {
 public:
  // One value per pointer, in their order; `pages`: which of them lead to long strings that will be wanted.
  // REQUIRES: each is a JSON pointer (RFC 6901), not the empty one.
  explicit JsonFields(std::span<const std::string> pointers, JsonPlaces pages = {});

  // Replaces all values by those of `json`. Fails with kNotJson or kTooDeep; then no value counts. With a
  // `room`, the first page met is read there: its `said` is a view of it. The room only grows, and what else
  // stands in it means nothing.
  [[nodiscard]] std::optional<RejectReason> read(std::string_view json, std::string* room = nullptr);

  // The value at pointer `i`, a view of what was read last.
  const JsonField& operator[](std::size_t i) const;

 private:
  class Walk;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;  // no node
  static constexpr std::size_t kBuckets = 64;

  // A place in the tree of all wanted pointers: what is at it, and which of its children are wanted.
  struct Node {
    std::string name;               // of the key that leads here, or the index in decimal
    std::uint32_t sibling = kNone;  // the next one in the same bucket
    bool is_page = false;
    std::uint64_t record = 0;  // in which it was met last
    JsonField field;
    std::vector<std::uint32_t> buckets;  // of children, by their names; none: no child
    std::size_t name_bytes_max = 0;      // of its children
  };

  static std::size_t bucket(std::string_view name);
  std::uint32_t find_child(std::uint32_t parent, std::string_view name) const;
  std::uint32_t make_child(std::uint32_t parent, std::string_view name);

  std::vector<Node> nodes_;  // [0] is the root
  std::vector<std::uint32_t> places_;
  std::uint64_t record_ = 0;  // how many were read
  std::string key_;           // unescaped
};

}  // namespace neardup
