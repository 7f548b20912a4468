// Which tokens does a canonical text hold?
//
// Reads canonical text (folder.h) token by token: a word, or one character of a script that is written
// without spaces. Canonical text tells the two apart by its first character after a space, so the reader
// looks at one character per word and finds the word's end by its space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace neardup {

struct Token {
  enum class Kind : std::uint8_t { kWord, kCharacter };

  std::string_view bytes;  // a view into the text
  Kind kind;
  bool follows_character;  // the previous token is a token character and no space lies between
};

class TokenReader {
 public:
  // `canonical` must outlive every token read from it. REQUIRES: canonicalize() made it.
  explicit TokenReader(std::string_view canonical) : text_(canonical) {}

  // The next token; false, and `token` unchanged, at the end.
  bool next(Token& token);

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  bool in_characters_ = false;  // a token character ends at at_
};

}  // namespace neardup
