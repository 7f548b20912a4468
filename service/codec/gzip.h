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
#include <span>
#include <string>
#include <string_view>

namespace neardup {

struct GzipState;

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
  std::unique_ptr<GzipState> state_;
};

// The same of a gzip that comes in pieces and is too large to be held, such as a file. Nothing stands behind
// its members but zeros, with which tapes are filled up: all else is damage, since it may have been a member.
class GzipStream {
 public:
  GzipStream();
  ~GzipStream();
  GzipStream(GzipStream&&) noexcept;
  GzipStream& operator=(GzipStream&&) noexcept;

  struct Unpacked {
    std::size_t size = 0;     // of what `out` got
    bool is_damaged = false;  // behind that: this is no more to be used
  };

  // Unpacks from the front of `gzip`, until that is used up or `out` is full: then there may be more, though
  // nothing is left of `gzip`. REQUIRES: `out` is not empty.
  [[nodiscard]] Unpacked read(std::string_view& gzip, std::span<char> out);

  // The gzip may end here: no member is begun.
  bool is_between_members() const { return is_between_; }

 private:
  std::unique_ptr<GzipState> state_;
  bool is_between_ = true;
  bool is_padding_ = false;
  bool may_hold_more_ = false;  // `out` was full: of what was given, some may not have come out
};

}  // namespace neardup
