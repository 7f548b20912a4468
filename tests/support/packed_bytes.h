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

// As one makes it who does not know how much will come: else the window is no larger than what is in it.
inline std::string zstd_with_window(std::string_view bytes, int window_bits) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 24);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  ZSTD_inBuffer from{bytes.data(), bytes.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  ZSTD_compressStream2(context, &to, &from, ZSTD_e_flush);
  CHECK(ZSTD_compressStream2(context, &to, &from, ZSTD_e_end) == 0, "there is room for all");
  ZSTD_freeCCtx(context);
  out.resize(to.pos);
  out[5] =
      static_cast<char>((window_bits - 10) << 3);  // RFC 8878, 3.1.1.1.2: behind the magic and what is there
  return out;
}

// With the dictionary that has to be known before.
inline std::string zstd_with(std::string_view dictionary, std::string_view bytes) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress_usingDict(context, out.data(), out.size(), bytes.data(), bytes.size(), dictionary.data(),
                              dictionary.size(), /*compressionLevel=*/3);
  CHECK(ZSTD_isError(size) == 0, "zstd has memory");
  ZSTD_freeCCtx(context);
  out.resize(size);
  return out;
}

// The frame in front of others that tells theirs.
inline std::string zstd_dictionary_frame(std::string_view dictionary) {
  std::string frame = "\x5D\x2A\x4D\x18";
  for (int shift = 0; shift < 32; shift += 8) frame += static_cast<char>(dictionary.size() >> shift & 0xFF);
  return frame += dictionary;
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
