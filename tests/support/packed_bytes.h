// Some bytes packed in each way that a body may be: to be read in tests.
#pragma once

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

#include <string>
#include <string_view>

#include "core/base/check.h"
#include "service/codec/unpacking.h"
#include "tests/support/gzip_bytes.h"

namespace neardup {

inline std::string zstd_of(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3);
  CHECK(ZSTD_isError(size) == 0, "zstd has memory");
  out.resize(size);
  return out;
}

inline std::string brotli_of(std::string_view bytes) {
  std::string out(BrotliEncoderMaxCompressedSize(bytes.size()) + 16, '\0');
  std::size_t size = out.size();
  CHECK(BrotliEncoderCompress(5, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, bytes.size(),
                              reinterpret_cast<const std::uint8_t*>(bytes.data()), &size,
                              reinterpret_cast<std::uint8_t*>(out.data())) == BROTLI_TRUE,
        "brotli has memory");
  out.resize(size);
  return out;
}

// As RFC 9110 has it. Without the head of two bytes and the sum behind it, it is the bare one.
inline std::string deflate_of(std::string_view bytes) {
  std::string out(compressBound(bytes.size()), '\0');
  uLongf size = out.size();
  CHECK(compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                 bytes.size()) == Z_OK,
        "zlib has memory");
  out.resize(size);
  return out;
}

inline std::string bare_deflate_of(std::string_view bytes) {
  const std::string whole = deflate_of(bytes);
  return whole.substr(2, whole.size() - 6);
}

inline std::string packed_of(Packing packing, std::string_view bytes) {
  switch (packing) {
    case Packing::kGzip:
      return gzip_of(bytes);
    case Packing::kZstd:
      return zstd_of(bytes);
    case Packing::kBrotli:
      return brotli_of(bytes);
    case Packing::kDeflate:
      break;
  }
  return deflate_of(bytes);
}

}  // namespace neardup
