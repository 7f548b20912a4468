#include "core/text/tokenizer.h"

#include <algorithm>

#include "core/text/fold_table.h"
#include "core/text/utf8.h"

namespace neardup {

bool TokenReader::next(Token& token) {
  if (at_ < text_.size() && text_[at_] == ' ') {
    ++at_;
    in_characters_ = false;
  }
  if (at_ == text_.size()) return false;

  const bool follows_character = in_characters_;
  const DecodedCodePoint first = decode_utf8(text_.substr(at_));
  in_characters_ = follows_character || (first.code_point >= 0x80 && first.code_point != kInvalid &&
                                         is_token_character(first.code_point));
  const std::size_t size = in_characters_ ? first.size : std::min(text_.find(' ', at_), text_.size()) - at_;
  token = {text_.substr(at_, size), in_characters_ ? Token::Kind::kCharacter : Token::Kind::kWord,
           follows_character};
  at_ += size;
  return true;
}

}  // namespace neardup
