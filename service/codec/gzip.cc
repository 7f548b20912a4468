#include "service/codec/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <span>

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

struct GzipState {
  z_stream z{};

  GzipState() { check(inflateInit2(&z, kGzipOnly)); }
  ~GzipState() { inflateEnd(&z); }
  GzipState(const GzipState&) = delete;
  GzipState& operator=(const GzipState&) = delete;

  void give(std::string_view gzip) {
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
    z.avail_in = static_cast<uInt>(gzip.size());
  }

  // Where the bytes go next. Returns how many will.
  std::size_t take_to(std::span<char> out) {
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size(), std::numeric_limits<uInt>::max()));
    return z.avail_out;
  }
};

GzipReader::GzipReader() = default;
GzipReader::~GzipReader() = default;
GzipReader::GzipReader(GzipReader&&) noexcept = default;
GzipReader& GzipReader::operator=(GzipReader&&) noexcept = default;

GzipReader::Outcome GzipReader::read(std::string_view gzip, std::size_t bytes_max, std::string& out) {
  if (gzip.size() > std::numeric_limits<uInt>::max()) return Outcome::kTooLarge;
  if (!state_) state_ = std::make_unique<GzipState>();
  z_stream& z = state_->z;
  inflateReset(&z);
  state_->give(gzip);
  const std::size_t room_max = bytes_max + 1;  // one more than may come shows that more would come
  out.resize(std::min(room_max, std::max(kRoomMin, kGrowth * gzip.size())));
  std::size_t size = 0;
  bool is_whole = false;  // a member has ended
  for (;;) {
    if (size == out.size()) out.resize(std::min(room_max, kGrowth * out.size()));
    const std::size_t room = state_->take_to(std::span(out).subspan(size));
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

GzipStream::GzipStream() : state_(std::make_unique<GzipState>()) {}
GzipStream::~GzipStream() = default;
GzipStream::GzipStream(GzipStream&&) noexcept = default;
GzipStream& GzipStream::operator=(GzipStream&&) noexcept = default;

GzipStream::Unpacked GzipStream::read(std::string_view& gzip, std::span<char> out) {
  z_stream& z = state_->z;
  std::size_t size = 0;
  while (size < out.size() && (!gzip.empty() || may_hold_more_)) {
    if (is_between_ && (is_padding_ || gzip.front() == '\0')) {
      is_padding_ = true;
      gzip.remove_prefix(std::min(gzip.find_first_not_of('\0'), gzip.size()));
      if (!gzip.empty()) return {size, true};
      break;
    }
    is_between_ = false;
    const std::string_view given = gzip.substr(0, std::numeric_limits<uInt>::max());
    state_->give(given);
    const std::size_t room = state_->take_to(out.subspan(size));
    const int code = check(inflate(&z, Z_NO_FLUSH));
    size += room - z.avail_out;
    gzip.remove_prefix(given.size() - z.avail_in);
    may_hold_more_ = z.avail_out == 0 && code == Z_OK;
    if (code == Z_STREAM_END) {
      is_between_ = true;
      inflateReset(&z);
    } else if (code == Z_BUF_ERROR) {  // nothing was held back
      break;
    } else if (code != Z_OK) {
      return {size, true};
    }
  }
  return {size, false};
}

}  // namespace neardup
