#include "core/text/script.h"

#include "core/text/utf8.h"

namespace neardup {

ScriptCounts count_scripts(std::string_view canonical) {
  ScriptCounts counts{};
  for (std::size_t at = 0; at < canonical.size();) {
    const DecodedCodePoint decoded = decode_utf8(canonical.substr(at));
    at += decoded.size;
    if (decoded.code_point == kNotUtf8) continue;
    const std::size_t block = internal::kScriptIndex[decoded.code_point >> internal::kScriptBlockBits];
    const std::size_t place = decoded.code_point & ((1U << internal::kScriptBlockBits) - 1);
    const std::uint8_t letter = internal::kScriptBlocks[block << internal::kScriptBlockBits | place];
    if (letter != 0) ++counts[letter - 1U];
  }
  return counts;
}

}  // namespace neardup
