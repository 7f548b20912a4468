// Which tokens does a canonical text hold?
//
// Reads canonical text (folder.h) token by token: a word, or one character. Characters are those of scripts
// that are written without spaces, and Hangul, whose words change their endings so often that their
// characters tell more: 한국어를 and 한국어는 are four characters each and share three. Hangul keeps its
// spaces, so its characters are neighbours within a word only.
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

  // Where the last token ended: bytes from the start of the text.
  std::size_t position() const { return at_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  bool after_character_ = false;  // a character ends at at_
};

}  // namespace neardup
