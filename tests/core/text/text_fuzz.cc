// Hostile bytes through the whole room: page to main text to canonical form to tokens.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/check.h"
#include "core/text/folder.h"
#include "core/text/html_text.h"
#include "core/text/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace neardup;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static std::string text;
  static CanonicalText out;
  static CanonicalText again;

  static HtmlReader pages;
  text = pages.read(bytes).text;
  for (const std::string_view input : {bytes, std::string_view(text)}) {
    canonicalize(input, out);
    canonicalize(out.text, again);
    CHECK(again.text.view() == out.text && again.tokens == out.tokens,
          "a canonical text is its own canonical form");
    CHECK(again.invalid_sequences == 0, "a canonical text is UTF-8");

    TokenReader reader(out.text);
    std::uint32_t tokens = 0;
    std::size_t end = 0;  // of the token before
    for (Token token; reader.next(token); ++tokens) {
      const auto begin = static_cast<std::size_t>(token.bytes.data() - out.text.data());
      const bool space = begin == end + 1 && out.text.view()[end] == ' ';
      CHECK(begin == end || (space && tokens > 0), "tokens and single spaces make up the text");
      CHECK(!token.follows_character || begin == end,
            "nothing stands between a character and what follows it");
      end = begin + token.bytes.size();
    }
    CHECK(tokens == out.tokens, "the reader reads what the folder counted");
    CHECK(end == out.text.size(), "the last token ends the text");
  }
  return 0;
}
