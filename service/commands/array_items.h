// Where do the items of a JSON array begin and end, however it is laid out? Or objects without one?
//
// Brackets are counted and strings passed over; nothing else is looked at, so an item is whatever stands
// between two commas, right or wrong. It comes in pieces, as the bytes do.
//
//   [{"id": 1, ...}, {"id": 2,            a line for all (Python's json.dump), a line for each (Scrapy,
//     "text": "..."},                     mongoexport), or many for one (indent=2)
//   null]                                 an item too: who reads it may say no
//
//   {                                     the same without the brackets, one after the other, as jq writes
//     "id": 1                             them: a file of one is often so
//   }
//
// A line that breaks within a string is none of JSON's: the item ends there, so that one quote too few costs
// that item and the rest of its line. So does an item that can become no JSON any more: where a bracket
// closes another one's, or an object has another one in place of a key. One bracket too few costs that item.
//
// Cost:    strings are searched, not read: some gigabytes a second.
// Threads: one at a time.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "service/commands/piece.h"

namespace neardup {

class ArrayItems {
 public:
  // Takes bytes from the front of `unread`, the first of which opened the array or an object: all of them, or
  // up to an item's end.
  Piece take(std::string_view& unread);

  // Whether what has come so far may be all: no item is under way, and the array was closed.
  bool is_whole() const { return !is_open_ && item_.in == In::kNothing; }

 private:
  enum class In : std::uint8_t { kNothing, kValue, kString };
  static constexpr std::size_t kKindsMax = 256;  // deeper ones are counted alone
  struct Item {
    In in = In::kNothing;
    bool escapes = false;   // the last byte of the string so far is a backslash that escapes the next one
    char before = 0;        // the last byte outside of strings that is not blank
    std::size_t depth = 0;  // of brackets open within it
    std::bitset<kKindsMax> is_object;  // by depth: what is open is a brace
  };

  void skip_to_item(std::string_view& unread);
  bool is_in(bool object) const;
  Piece end_at(std::size_t at, std::string_view& unread);
  std::size_t pass_string(std::string_view bytes, std::size_t at);

  bool is_open_ = false;  // the array
  Item item_;
};

}  // namespace neardup
