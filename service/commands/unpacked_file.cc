#include "service/commands/unpacked_file.h"

#include <cerrno>
#include <cstring>

#include "service/commands/streams.h"

namespace neardup {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

}  // namespace

UnpackedFile::UnpackedFile() : block_(kBlockBytes) {}

void UnpackedFile::open(int fd) {
  fd_ = fd;
  is_begun_ = false;
  opening_.clear();
  stream_.reset();
  packed_ = {};
  may_hold_more_ = false;
  is_damaged_ = false;
}

Result<std::optional<std::string_view>> UnpackedFile::read() {
  if (is_damaged_) return Error{ErrorCode::kCorrupt, "is damaged: what follows cannot be unpacked"};
  if (has_more()) return unpack();
  const std::ptrdiff_t got = read_some(fd_, block_.data(), block_.size());
  if (got < 0 && errno == EWOULDBLOCK) return {std::nullopt};  // somebody else took it
  if (got < 0) return Error{ErrorCode::kIo, std::strerror(errno)};
  std::string_view bytes(block_.data(), static_cast<std::size_t>(got));
  if (!is_begun_) {
    opening_ += bytes;
    if (may_become_packed(opening_) && !bytes.empty()) return {std::nullopt};
    is_begun_ = true;
    bytes = opening_;
    if (const auto packing = packing_of(bytes)) stream_ = unpack_stream(*packing);
  }
  if (!stream_) return {bytes};
  if (bytes.empty() && !stream_->may_end())
    return Error{ErrorCode::kCorrupt, "ends too early: what is packed in it is not whole"};
  if (bytes.empty()) return {bytes};
  packed_ = bytes;
  return unpack();
}

Result<std::optional<std::string_view>> UnpackedFile::unpack() {
  unpacked_.resize(kBlockBytes);
  const UnpackStream::Unpacked unpacked = stream_->read(packed_, unpacked_);
  may_hold_more_ = unpacked.size == unpacked_.size();
  is_damaged_ = unpacked.is_damaged;
  if (unpacked.size == 0) return {std::nullopt};
  return {std::string_view(unpacked_.data(), unpacked.size)};
}

}  // namespace neardup
