// What did this start tag say when it was read the last time?
//
// Pages are made from templates: `<li class="item">` stands in one hundreds of times, `<div
// class="entry-content">` in every page of a site. Half of all start tags, in some pages nine of ten, are
// byte for byte like one that was read before; what they say is looked up by their bytes and not read again.
//
// Cost:    three loads and a comparison; a tag that hashes to the same place takes it over.
// Threads: none inside; one HtmlTagMemory per reader.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/text/html_element.h"
#include "core/text/html_subject.h"

namespace neardup::internal {

// What a start tag says of its element.
struct HtmlTagFacts {
  const HtmlElement* element = nullptr;
  std::uint32_t class_hash = 0;   // 0: no class
  std::uint16_t flags = 0;        // HtmlContainer::Flag
  std::int8_t weight = 0;         // what the words in class and id add to the score
  std::uint8_t name_size = 0;     // if no more than kHtmlTagRememberedMax
  HtmlNamed otherwise;            // without its id; known of one whose id has words of furniture
  std::uint8_t anchor_at = 0;     // in the tag, if that is remembered: that id, or where a link in the page
  std::uint8_t anchor_size = 0;   // leads; 0: neither
  std::uint8_t link_percent = 0;  // so much of its text counts as link
  bool self_closing = false;
};

class HtmlTagMemory {
 public:
  // `tag` is all of it, from '<' to '>'; nullptr: it is not remembered.
  // REQUIRES: kHtmlTagRememberedMax bytes can be read where it begins, and it has no more.
  const HtmlTagFacts* find(std::string_view tag) const {
    const Seen& seen = seen_[place_of(tag)];
    return std::string_view(seen.tag, seen.size) == tag ? &seen.facts : nullptr;
  }

  void store(std::string_view tag, const HtmlTagFacts& facts) {
    Seen& seen = seen_[place_of(tag)];
    std::copy(tag.begin(), tag.end(), seen.tag);
    seen.size = static_cast<std::uint8_t>(tag.size());
    seen.facts = facts;
  }

 private:
  static constexpr int kPlacesLog2 = 10;
  struct Seen {
    char tag[kHtmlTagRememberedMax];
    std::uint8_t size = 0;
    HtmlTagFacts facts;
  };

  // Of eight bytes each at its start, in its middle and at its end.
  static std::size_t place_of(std::string_view tag) {
    const std::size_t rest = std::max<std::size_t>(tag.size(), 8) - 8;
    const std::uint64_t there = ~std::uint64_t{0} >> (64 - 8 * std::min<std::size_t>(tag.size(), 8));
    std::uint64_t hash = (eight_at(&tag.front()) & there) * 0x9E3779B97F4A7C15;
    hash ^= (eight_at(tag.data() + rest) & there) * 0xD6E8FEB86659FD93;
    hash ^= (eight_at(tag.data() + rest / 2) & there) + tag.size();
    return hash * 0x9FB21C651E98DF25 >> (64 - kPlacesLog2);
  }

  // The first byte lowest.
  static std::uint64_t eight_at(const char* bytes) {
    std::uint64_t eight;
    std::memcpy(&eight, bytes, sizeof eight);
    return std::endian::native == std::endian::little ? eight : __builtin_bswap64(eight);
  }

  std::vector<Seen> seen_ = std::vector<Seen>(std::size_t{1} << kPlacesLog2);
};

}  // namespace neardup::internal
