#include "service/codec/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "core/base/check.h"

namespace neardup {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;
constexpr std::size_t kRoomMin = std::size_t{16} << 10;
constexpr std::size_t kGrowth = 4;  // pages are packed to a quarter or less

// Whether there was memory says nothing about the gzip.
int check(int code) {
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  CHECK(code != Z_VERSION_ERROR && code != Z_STREAM_ERROR, "zlib is used as it wants to be");
  return code;
}

}  // namespace

struct GzipReader::Stream {
  z_stream z{};

  Stream() { check(inflateInit2(&z, kGzipOnly)); }
  ~Stream() { inflateEnd(&z); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

GzipReader::GzipReader() = default;
GzipReader::~GzipReader() = default;
GzipReader::GzipReader(GzipReader&&) noexcept = default;
GzipReader& GzipReader::operator=(GzipReader&&) noexcept = default;

GzipReader::Outcome GzipReader::read(std::string_view gzip, std::size_t bytes_max, std::string& out) {
  if (gzip.size() > std::numeric_limits<uInt>::max()) return Outcome::kTooLarge;
  if (!stream_) stream_ = std::make_unique<Stream>();
  z_stream& z = stream_->z;
  inflateReset(&z);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  z.avail_in = static_cast<uInt>(gzip.size());
  const std::size_t room_max = bytes_max + 1;  // one more than may come shows that more would come
  out.resize(std::min(room_max, std::max(kRoomMin, kGrowth * gzip.size())));
  std::size_t size = 0;
  bool is_whole = false;  // a member has ended
  for (;;) {
    if (size == out.size()) out.resize(std::min(room_max, kGrowth * out.size()));
    z.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    const std::size_t room = std::min<std::size_t>(out.size() - size, std::numeric_limits<uInt>::max());
    z.avail_out = static_cast<uInt>(room);
    const int code = check(inflate(&z, Z_NO_FLUSH));
    size += room - z.avail_out;
    if (size > bytes_max) return Outcome::kTooLarge;
    if (code == Z_STREAM_END) {
      is_whole = true;
      inflateReset(&z);
      if (z.avail_in == 0) break;
    } else if (code != Z_OK || (z.avail_in == 0 && z.avail_out > 0)) {
      if (is_whole && z.total_out == 0) break;  // what is behind the members
      return Outcome::kDamaged;
    }
  }
  out.resize(size);
  return Outcome::kRead;
}

}  // namespace neardup
