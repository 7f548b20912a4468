#include "core/detector/relation.h"

#include "core/base/ascii.h"

namespace neardup {

// scheme://user@host:port/path; a host in brackets is an address with colons of its own.
std::string_view host_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  url.remove_prefix(scheme + 3);
  std::size_t begin = 0;
  std::size_t end = 0;
  for (; end < url.size() && url[end] != '/' && url[end] != '?' && url[end] != '#'; ++end) {
    if (url[end] == '@') begin = end + 1;
  }
  std::string_view host = url.substr(begin, end - begin);
  host = host.substr(0, host.find(host.starts_with('[') ? ']' : ':'));
  constexpr std::string_view kWww = "www.";
  if (host.size() > kWww.size() && same_ignoring_case(host.substr(0, kWww.size()), kWww)) {
    host.remove_prefix(kWww.size());
  }
  return host;
}

Relation relation_of(const Identity& document, const Identity& leader, bool is_same_text) {
  if (document.source == leader.source && document.id == leader.id) return Relation::kSelf;
  if (document.id == leader.id || (!document.url.empty() && document.url == leader.url)) {
    return is_same_text ? Relation::kRecrawl : Relation::kRevision;
  }
  const std::string_view host = host_of(document.url);
  const std::string_view leader_host = host_of(leader.url);
  if (!host.empty() && !leader_host.empty() && !same_ignoring_case(host, leader_host))
    return Relation::kMirror;
  return Relation::kOther;
}

}  // namespace neardup
