// What do a container and all that is kept inside of it hold?
//
// Numbers, from which the search for the main content tells prose from lists of links, and tables of data
// from tables for layout. Children are taken into their parents one by one, from the last to the first.
//
// Cost: the inner loop of the search; so it is inline, and has no branch.
#pragma once

#include <cstdint>

#include "core/text/html_blocks.h"
#include "core/text/html_trait.h"

namespace neardup::internal {

struct HtmlSum {
  std::uint32_t bytes = 0;
  std::uint32_t link_bytes = 0;
  std::uint32_t commas = 0;
  std::uint32_t images = 0;
  std::uint32_t inputs = 0;
  std::uint32_t embeds = 0;
  std::uint32_t paragraphs = 0;
  std::uint32_t items = 0;
  std::uint32_t cells = 0;
  std::uint32_t tables = 0;
  std::uint32_t heading_bytes = 0;
  std::uint32_t list_bytes = 0;
  std::uint32_t data = 0;                // header cells, heads and captions, of no table inside
  std::uint32_t children = 0;            // that are blocks
  std::uint32_t paragraph_children = 0;  // of those, paragraphs

  // What `container` holds straight inside.
  void start(const HtmlContainer& container);

  // Adds a child, of which `sum` is known.
  void take_in(const HtmlContainer& child, const HtmlSum& sum);

  // What is not of `part`, which lies inside: bytes, links, commas, images, inputs and paragraphs.
  HtmlSum without(const HtmlSum& part) const;

  float link_density() const {
    return bytes == 0 ? 0 : static_cast<float>(link_bytes) / static_cast<float>(bytes);
  }

  // Paragraphs that say something: with so many commas.
  static constexpr std::uint32_t kProseCommas = 3;
  bool is_prose() const { return paragraphs > 0 && commas >= kProseCommas; }

  // So many are text even where no <p> is: items of a list, boxes.
  bool has_many_commas() const { return commas >= 10; }
};

// A div without blocks inside is a paragraph by another name.
inline bool is_phrase(const HtmlContainer& container, const HtmlSum& sum) {
  const bool div = container.tag == HtmlTag::kDiv;
  return div & (sum.children == 0) & !container.has(HtmlContainer::kParagraphs);
}

inline void HtmlSum::start(const HtmlContainer& container) {
  bytes = container.bytes;
  link_bytes = container.link_bytes;
  commas = container.commas;
  images = container.images;
  inputs = container.inputs;
  embeds = container.embeds;
  heading_bytes = list_bytes = paragraphs = items = cells = 0;
  tables = data = children = paragraph_children = 0;
}

inline HtmlSum HtmlSum::without(const HtmlSum& part) const {
  HtmlSum rest;
  rest.bytes = bytes - part.bytes;
  rest.link_bytes = link_bytes - part.link_bytes;
  rest.commas = commas - part.commas;
  rest.images = images - part.images;
  rest.inputs = inputs - part.inputs;
  rest.paragraphs = paragraphs - part.paragraphs;
  return rest;
}

// Without a branch, for there is no telling tags beforehand.
inline void HtmlSum::take_in(const HtmlContainer& child, const HtmlSum& sum) {
  const HtmlTag tag = child.tag;
  const unsigned traits = html_traits(tag);
  const auto all_if = [](unsigned condition) { return 0 - static_cast<std::uint32_t>(condition != 0); };
  const std::uint32_t heading = all_if(traits & HtmlTrait::kHeading);
  const std::uint32_t list = all_if(traits & HtmlTrait::kListing);
  const std::uint32_t table = all_if(traits & HtmlTrait::kTableItself);
  const std::uint32_t block = (child.flags & HtmlContainer::kInline) == 0 ? 1 : 0;
  const bool paragraph = tag == HtmlTag::kParagraph;
  bytes += sum.bytes;
  link_bytes += sum.link_bytes;
  commas += sum.commas;
  images += sum.images;
  inputs += sum.inputs;
  embeds += sum.embeds;
  paragraphs += sum.paragraphs + (paragraph ? 1 : 0);
  items += sum.items + (tag == HtmlTag::kItem ? 1 : 0);
  cells += sum.cells + (tag == HtmlTag::kCell ? 1 : 0);
  tables += sum.tables + (table & 1);
  heading_bytes += (sum.bytes & heading) | (sum.heading_bytes & ~heading);
  list_bytes += (sum.bytes & list) | (sum.list_bytes & ~list);
  data += (sum.data & ~table) + ((traits & HtmlTrait::kSaysData) != 0 ? 1 : 0);
  children += block;
  paragraph_children += block & static_cast<std::uint32_t>(paragraph | is_phrase(child, sum));
}

}  // namespace neardup::internal
