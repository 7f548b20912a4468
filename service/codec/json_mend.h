// What does the parser refuse that producers do send?
//
// Two things are JSON by the grammar and yet refused by simdjson. Python's encoder writes half of a surrogate
// pair as \ud83d alone wherever a page was cut in the middle of a character, and writes integers of any
// length. One such field must not cost a whole page, and mostly it is a field we never look at. So a record
// that was refused for one of them is copied once: a lone surrogate becomes \ufffd, a number beyond 64 bits
// becomes the string of its digits.
#pragma once

#include <string>
#include <string_view>

namespace neardup {

// Replaces `out` with `json`, mended. Returns false where there was nothing to mend: then the record is
// broken.
[[nodiscard]] bool mend_json(std::string_view json, std::string& out);

}  // namespace neardup
