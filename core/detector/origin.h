// Which source does a document come from, and how good is it?
//
// Its source is the host of its url, whatever the case of letters; without a url, the input partition where
// it lay.
//
// Cost: a hash, or a few look-ups, of the host. Threads: pure functions of constants.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/document.h"

namespace neardup {

// A number for the source.
std::uint64_t origin_of(std::string_view url, const Source& source);

class SourcePriorities {
 public:
  // `hosts`: the best first. What lies below a host is of it: news.example.org of example.org.
  explicit SourcePriorities(const std::vector<std::string>& hosts);

  // The place in the list of the first host that the url's is of; behind all of them if it is of none.
  std::uint32_t of(std::string_view url) const;

 private:
  std::map<std::string, std::uint32_t, std::less<>> places_;
  std::uint32_t behind_all_;
};

}  // namespace neardup
