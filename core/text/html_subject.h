// Is this id a name of furniture, or is it made of a heading?
//
// Generators name a section by what it is about: <section id="menus"><h2>Menus</h2>. The words in such an id
// do not say what the section is on the page, so they must not count, or a chapter is lost. But
// <section id="comments"><h2>Comments</h2> below an article is what its id says. So an id is a subject
//   - where the heading that the section begins with leads to it:  <h2>Menus<a href="#menus">¶</a></h2>
//   - where that heading says the same, and two more sections of its kind stand beside it, each with an id
//     and a heading: it is one chapter of several.
// The id of a heading or of a term is one where it says the same as the text, or is led to from there.
//
// Cost:    for each container that its id calls furniture, a look at a few of its neighbours.
// Threads: none inside; one HtmlSubjects per reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/html_element.h"

namespace neardup::internal {

struct HtmlPage;

// What the words in its names say of a container.
struct HtmlNamed {
  std::uint16_t flags = 0;  // of HtmlContainer::kOfNames
  std::int8_t weight = 0;
};

class HtmlSubjects {
 public:
  using Place = std::uint32_t;
  static constexpr Place kNone = 0;

  // A page begins.
  void clear() { named_.clear(); }

  // `container` has an `id` with words of furniture; without it, it were what `otherwise` says. Returns where
  // it is kept, or kNone: of more than kMax in a page the ids are no subjects.
  Place add(std::uint32_t container, std::string_view id, HtmlNamed otherwise);

  // A link in the heading that the container at `place` is or begins with leads to `target`.
  void link(Place place, std::string_view target) {
    Named& named = named_[place - 1];
    named.is_linked |= named.id == target;
  }

  // Takes from the containers of `page` what an id says that is a subject. Returns the steps it took.
  // REQUIRES: it is the page of all that was added.
  std::uint64_t settle(HtmlPage& page);

 private:
  using Index = std::uint32_t;
  static constexpr std::size_t kMax = 4096;

  struct Named {
    std::string_view id;
    Index container;
    HtmlNamed otherwise;
    bool is_linked;
  };

  struct Heading {
    Index container = 0;  // 0: there is none
    bool has_id = false;  // what it is the heading of
  };

  bool is_subject(const Named& named);
  Heading heading_of(Index i);
  bool holds(Index i, Index block) const;
  bool says(Index i, std::string_view id);
  bool is_one_of_several(Index i, HtmlTag heading);
  bool is_alone(Index i) const;

  const HtmlPage* page_ = nullptr;
  std::vector<Named> named_;
  std::string heading_, id_;  // being compared
  std::uint64_t steps_ = 0;
};

}  // namespace neardup::internal
