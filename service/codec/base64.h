// Which bytes did a producer wrap in base64? And how are bytes wrapped?
//
// RFC 4648. Decoding is strict: the standard alphabet or the one for URLs and file names (- and _ in place of
// + and /), never both in one text; padding as much as there should be or none at all, as Go's Raw encodings
// and Node's base64url write it, and nothing behind it; unused bits zero. Line ends may stand anywhere, since
// mail-style encoders break lines, blanks around the whole; nothing else may. So a text that only looks a
// little like base64 is never mistaken for it.
//
// Cost:    linear. With vector instructions 64 characters a step (AVX-512: line ends among them), else four.
// Threads: a pure function.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace neardup {

// Replaces `out` with the decoded bytes; allocates nothing once it has grown. Returns false, with `out`
// unspecified, where `text` is not base64. REQUIRES: `text` is no view of `out`.
[[nodiscard]] bool decode_base64(std::string_view text, std::string& out);

// In the standard alphabet, padded, on one line.
std::string encode_base64(std::string_view bytes);

namespace internal {

// What the vector kernels do: from the start of `text`, whole steps of nothing but sextets (and maybe line
// ends), as far as there are any, always whole groups. The rest is the definition's work.
struct Base64Run {
  std::size_t taken = 0;    // characters of the text
  std::size_t written = 0;  // bytes, of which `out` needs 64 to spare
  bool standard = false;    // + or / was there
  bool url = false;         // - or _ was there
};
inline constexpr std::size_t kBase64Step = 64;

Base64Run decode_base64_avx2(std::string_view text, char* out);
Base64Run decode_base64_avx512(std::string_view text, char* out);

// decode_base64 on one tier: a null kernel is the scalar one.
using Base64Kernel = Base64Run (*)(std::string_view text, char* out);
bool decode_base64_with(Base64Kernel kernel, std::string_view text, std::string& out);

}  // namespace internal
}  // namespace neardup
