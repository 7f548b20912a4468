// What is in a gzip (RFC 1952)?
//
// All its members, one behind the other, each whole and with the right checksum; what stands behind them is
// left alone, as gunzip leaves it. Memory is bounded by what the caller takes, whatever the bytes claim.
//
// Cost:    what zlib takes, a third of a GB/s or so; 40 KB of memory from the first one on.
// Threads: one reader per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace neardup {

class GzipReader {
 public:
  enum class Outcome : std::uint8_t { kRead, kDamaged, kTooLarge };

  GzipReader();
  ~GzipReader();
  GzipReader(GzipReader&&) noexcept;
  GzipReader& operator=(GzipReader&&) noexcept;

  // Replaces `out`, which is unspecified where nothing was read. REQUIRES: `gzip` is no view of `out`.
  [[nodiscard]] Outcome read(std::string_view gzip, std::size_t bytes_max, std::string& out);

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace neardup
