// Which words does an operator's file name?
//
// Stop words and idf tables are UTF-8 text, an entry a line. What a line may look like, and how it is
// refused, is the same for both:
//
//   # a comment         from a '#' at the start of a line or after white space to its end; blank lines too
//   word                folded like the documents (core/text/folder.h), so that case, accents, width do not
//                       matter
//
// A byte order mark at the start and a carriage return at the end of a line are forgiven, since editors add
// them.
#pragma once

#include <functional>
#include <string_view>

#include "core/base/result.h"

namespace neardup {

// Calls `take` for each line that holds more than a comment, without the white space around it. Its error
// ends the reading and is returned with the number and the text of the line in front. Errors of its own, all
// kInvalid: bytes that are not UTF-8, a line longer than kWordLineBytesMax.
Status read_word_lines(std::string_view file, const std::function<Status(std::string_view line)>& take);

}  // namespace neardup
