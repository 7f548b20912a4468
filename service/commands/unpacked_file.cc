#include "service/commands/unpacked_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "service/commands/streams.h"

namespace neardup {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
// Nearly always what was no part of a gzip shows within some thousands of bytes.
constexpr std::size_t kBegunBytesMax = std::size_t{256} << 10;
constexpr int kResumesMax = 1000;  // with no whole gzip between them

}  // namespace

UnpackedFile::UnpackedFile() : block_(kBlockBytes) {}

void UnpackedFile::open(int fd) {
  fd_ = fd;
  is_begun_ = false;
  is_ended_ = false;
  is_gzip_ = false;
  is_lost_ = false;
  resumed_ = 0;
  breaks_ = 0;
  opening_.clear();
  stream_.reset();
  packed_.clear();
  packed_at_ = 0;
  unproven_ = 0;
  may_hold_more_ = false;
  is_damaged_ = false;
  is_too_far_ = false;
}

Result<std::optional<std::string_view>> UnpackedFile::read() {
  if (is_damaged_) {
    return Error{ErrorCode::kCorrupt,
                 is_too_far_
                     ? "is a zstd with a window above 128 MiB: unpack it before, with zstd -d --long=31"
                     : "is damaged: what follows cannot be unpacked"};
  }
  if (has_more()) return unpack();
  const std::ptrdiff_t got = read_some(fd_, block_.data(), block_.size());
  if (got < 0 && errno == EWOULDBLOCK) return {std::nullopt};  // somebody else took it
  if (got < 0) return Error{ErrorCode::kIo, std::strerror(errno)};
  std::string_view bytes(block_.data(), static_cast<std::size_t>(got));
  is_ended_ = bytes.empty();
  if (!is_begun_) {
    opening_ += bytes;
    if (may_become_packed(opening_) && !bytes.empty()) return {std::nullopt};
    is_begun_ = true;
    bytes = opening_;
    const auto packing = packing_of(bytes);
    if (packing) stream_ = unpack_stream(*packing);
    is_gzip_ = packing == Packing::kGzip;
  }
  if (!stream_) return {bytes};
  if (bytes.empty() && !stream_->may_end())
    return Error{ErrorCode::kCorrupt, "ends too early: what is packed in it is not whole"};
  if (bytes.empty()) return {bytes};
  const std::size_t begun = std::min({stream_->begun_bytes(), packed_at_, kBegunBytesMax});
  packed_.erase(0, packed_at_ - begun);
  packed_at_ = begun;
  packed_ += bytes;
  if (is_lost_ && !find_next()) return {std::nullopt};
  return unpack();
}

bool UnpackedFile::resume() {
  if (!is_gzip_) return false;
  if (stream_->has_whole()) resumed_ = 0;
  if (resumed_ == kResumesMax) return false;
  const std::size_t begun = std::min(stream_->begun_bytes(), packed_at_);
  packed_at_ -= begun - std::min<std::size_t>(begun, 1);  // the next one does not begin where it does
  stream_ = unpack_stream(Packing::kGzip);
  may_hold_more_ = false;
  is_damaged_ = false;
  if (!find_next() && is_ended_) return false;
  if (resumed_++ == 0) ++breaks_;
  return true;
}

// False: it is not in what was read.
bool UnpackedFile::find_next() {
  packed_at_ += find_gzip(std::string_view(packed_).substr(packed_at_));
  is_lost_ = packed_at_ == packed_.size();
  if (is_lost_) packed_at_ -= std::min(packed_at_, kGzipHeadBytes - 1);  // of its head there may be a part
  return !is_lost_;
}

Result<std::optional<std::string_view>> UnpackedFile::unpack() {
  unpacked_.resize(kBlockBytes);
  std::string_view packed = std::string_view(packed_).substr(packed_at_);
  const UnpackStream::Unpacked unpacked = stream_->read(packed, unpacked_);
  packed_at_ = packed_.size() - packed.size();
  may_hold_more_ = unpacked.size == unpacked_.size();
  is_damaged_ = unpacked.is_damaged;
  is_too_far_ = unpacked.is_too_far;
  unproven_ = stream_->unproven_bytes();
  if (unpacked.size == 0) return {std::nullopt};
  return {std::string_view(unpacked_.data(), unpacked.size)};
}

}  // namespace neardup
