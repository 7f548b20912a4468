#include "core/text/tokenizer.h"

#include "core/text/fold_table.h"
#include "core/text/utf8.h"

namespace neardup {
namespace {

// The least first byte of a character that is a token: U+0E01 begins with 0xE0. Most letters of words lie
// below.
constexpr unsigned char kCharacterByteMin = 0xE0;

bool is_ascii_or_short(char byte) { return static_cast<unsigned char>(byte) < kCharacterByteMin; }

bool is_character(char32_t code_point) {
  return code_point != kNotUtf8 && (is_token_character(code_point) || is_hangul(code_point));
}

}  // namespace

bool TokenReader::next(Token& token) {
  if (at_ < text_.size() && text_[at_] == ' ') {
    ++at_;
    after_character_ = false;
  }
  if (at_ == text_.size()) return false;

  const std::size_t begin = at_;
  const bool follows_character = after_character_;
  while (at_ < text_.size() && text_[at_] != ' ') {
    if (is_ascii_or_short(text_[at_])) {
      ++at_;
      continue;
    }
    const DecodedCodePoint decoded = decode_utf8(text_.substr(at_));
    if (!is_character(decoded.code_point)) {
      at_ += decoded.size;
      continue;
    }
    if (at_ > begin) break;  // a word ends where a character begins
    at_ += decoded.size;
    after_character_ = true;
    token = {text_.substr(begin, decoded.size), Token::Kind::kCharacter, follows_character};
    return true;
  }
  after_character_ = false;
  token = {text_.substr(begin, at_ - begin), Token::Kind::kWord, follows_character};
  return true;
}

}  // namespace neardup
