#include "core/fingerprint/simhash.h"

#include "core/fingerprint/feature.h"
#include "core/text/tokenizer.h"
#include "core/text/utf8.h"

namespace neardup {

void SimHash::add(std::uint64_t feature) {
  std::uint8_t& seen = seen_[feature >> (64 - kSlotBits)];
  if (seen == kWeightMax) return;
  ++seen;
  votes_.add(feature, 1);
}

Fingerprint SimHash::finish() const { return {votes_.majority(kTieBits).to_ullong()}; }

Fingerprint simhash(std::string_view canonical) {
  SimHash simhash;
  TokenReader reader(canonical);
  char32_t previous = 0;
  for (Token token; reader.next(token);) {
    if (token.kind == Token::Kind::kWord) {
      simhash.add(word_feature(token.bytes));
      continue;
    }
    const char32_t character = decode_utf8(token.bytes).code_point;
    simhash.add(character_feature(character));
    if (token.follows_character) simhash.add(bigram_feature(previous, character));
    previous = character;
  }
  return simhash.finish();
}

}  // namespace neardup
