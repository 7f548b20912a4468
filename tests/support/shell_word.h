// How does a path get through a shell, whatever is in it?
#pragma once

#include <string>
#include <string_view>

namespace neardup {

// One word of a command line of sh that stands for `text`. REQUIRES: no null byte is in it.
inline std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";  // nothing can be escaped between quotes: out, a quote, in again
    } else {
      word += c;
    }
  }
  return word + '\'';
}

}  // namespace neardup
