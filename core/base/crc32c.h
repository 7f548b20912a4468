// Were these bytes changed on their way?
//
// CRC-32C (Castagnoli), reflected, as in RFC 3720: crc32c("123456789") == 0xE3069283. The scalar table is the
// definition. SSE4.2's instruction gives the same answer where the CPU has it: 8 bytes a step, and of many
// bytes three runs side by side, since each step waits three cycles for the one before.
#pragma once

#include <cstdint>
#include <string_view>

namespace neardup {

std::uint32_t crc32c(std::string_view bytes);

namespace internal {
std::uint32_t crc32c_scalar(std::string_view bytes);
std::uint32_t crc32c_sse42(std::string_view bytes);  // REQUIRES: the CPU has SSE4.2
bool crc32c_has_sse42();
}  // namespace internal

}  // namespace neardup
