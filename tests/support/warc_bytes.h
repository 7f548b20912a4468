// The bytes of a WARC's record, as a crawler writes it: to be read in tests.
#pragma once

#include <string>
#include <string_view>

namespace neardup {

// Of 2026-05-01, 12:30 UTC. Without a uri it has none.
inline std::string warc_record(std::string_view type, std::string_view uri, std::string_view block) {
  std::string record = "WARC/1.1\r\nWARC-Type: ";
  record += type;
  if (!uri.empty()) (record += "\r\nWARC-Target-URI: ") += uri;
  record += "\r\nWARC-Date: 2026-05-01T12:30:00Z\r\nContent-Length: " + std::to_string(block.size());
  return ((record += "\r\n\r\n") += block) += "\r\n\r\n";
}

}  // namespace neardup
