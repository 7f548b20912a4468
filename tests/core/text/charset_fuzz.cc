// Hostile bytes through the charset decoder: whatever they are, UTF-8 comes out, and no more of it than three
// bytes for one.
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/check.h"
#include "core/text/charset_decoder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace neardup;
  if (size < 2) return 0;
  static CharsetDecoder decoder;
  static std::string text;
  static std::string again;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);

  CharsetHints hints;
  hints.html = (data[0] & 1) != 0;
  if ((data[0] & 2) != 0) hints.declared = static_cast<Charset>(data[1] % kCharsetNames.size());
  if ((data[0] & 4) != 0) hints.declared = charset_declared(bytes);
  const auto check = [&](const DecodedText& decoded) {
    CHECK(simdjson::validate_utf8(text.data(), text.size()), "what comes out is UTF-8");
    CHECK(text.size() <= bytes.size() * 3, "and bounded");
    CHECK(decoded.undecodable <= bytes.size(), "a sequence is a byte at least");
  };
  const DecodedText decoded = decoder.decode(bytes, hints, text);
  check(decoded);
  decoder.decode(text, {}, again);
  if (decoded.undecodable == 0 && text.find('\0') == std::string::npos &&
      text.find('\x1B') == std::string::npos && !text.starts_with("\xEF\xBB\xBF")) {
    CHECK(again == text, "UTF-8 stays what it is");
  }
  check(decoder.decode_as(static_cast<Charset>(data[1] % kCharsetNames.size()), bytes, text));
  return 0;
}
