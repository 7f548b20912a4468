// What is a duplicate to its leader, as the world knows the two?
//
// Text decided that they are one; ids and urls only say how that came about. A url is no identity, since a
// page changes under it, but the same url with other words is a revision, and the same words on another host
// are a mirror.
//
// Cost: a few comparisons. Threads: a pure function.
#pragma once

#include <string_view>

#include "core/decision.h"
#include "core/document.h"

namespace neardup {

// The host of a url as it is written, without user, port and a leading "www."; empty if it
// has none. A view of `url`.
std::string_view host_of(std::string_view url);

struct Identity {
  std::string_view id;
  std::string_view url;
  Source source;
};

// `is_same_text`: whether their canonical texts are equal.
Relation relation_of(const Identity& document, const Identity& leader, bool is_same_text);

}  // namespace neardup
