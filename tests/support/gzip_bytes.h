// The bytes of a gzip that holds some bytes, as `gzip` makes it: to be read in tests.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

#include "core/base/check.h"

namespace neardup {

inline std::string gzip_of(std::string_view bytes) {
  z_stream z{};
  CHECK(deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK,
        "zlib has memory");
  std::string out(deflateBound(&z, bytes.size()) + 32, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END, "there is room for all");
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

}  // namespace neardup
