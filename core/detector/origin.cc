#include "core/detector/origin.h"

#include <algorithm>
#include <array>

#include "core/base/ascii.h"
#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/detector/relation.h"

namespace neardup {

std::uint64_t origin_of(std::string_view url, const Source& source) {
  const std::string_view host = host_of(url);
  if (!host.empty()) {
    std::array<char, 256> lowered;  // no name on the internet is longer
    const auto size = std::min(host.size(), lowered.size());
    std::ranges::transform(host.substr(0, size), lowered.begin(), ascii_lower);
    return digest64({lowered.data(), size});
  }
  std::string place;
  ByteWriter out(place);
  out.u32(source.topic);
  out.u32(static_cast<std::uint32_t>(source.partition));
  return digest64(place);
}

SourcePriorities::SourcePriorities(const std::vector<std::string>& hosts)
    : behind_all_(static_cast<std::uint32_t>(hosts.size())) {
  for (std::uint32_t place = 0; place < behind_all_; ++place) {
    places_.try_emplace(lower_case(host_of("://" + hosts[place])), place);
  }
}

std::uint32_t SourcePriorities::of(std::string_view url) const {
  std::uint32_t best = behind_all_;
  if (places_.empty()) return best;
  const std::string host = lower_case(host_of(url));
  for (std::string_view rest = host; !rest.empty();) {
    if (const auto known = places_.find(rest); known != places_.end()) best = std::min(best, known->second);
    const std::size_t dot = rest.find('.');
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
  }
  return best;
}

}  // namespace neardup
