// Which bytes did a producer wrap in base64?
//
// The standard alphabet of RFC 4648, strict: whole groups of four, padding where it belongs and nowhere else,
// unused bits zero. Line ends may stand anywhere, since mail-style encoders break lines; nothing else may. So
// a text that only looks a little like base64 is never mistaken for it.
#pragma once

#include <string>
#include <string_view>

namespace neardup {

// Replaces `out` with the decoded bytes. Returns false, with `out` unspecified, where `text` is not base64.
[[nodiscard]] bool decode_base64(std::string_view text, std::string& out);

}  // namespace neardup
