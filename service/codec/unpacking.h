// What is in these packed bytes?
//
//   gzip      RFC 1952: all its members, one behind the other
//   zstd      RFC 8878: all its frames
//   brotli    RFC 7932
//   deflate   as HTTP calls it: of zlib (RFC 1950), or, as some servers send it, bare (RFC 1951)
//
// What a WARC of zstd frames begins with may be a skippable frame with the dictionary that the others need
// (https://iipc.github.io/warc-specifications/specifications/warc-zstd/).
//
// The first two are known by their first bytes, and files by their endings; the others by who sent them, as
// HTTP does. A zstd may look back by 128 MiB, as its own tool lets it without --long: one that says more is
// damaged. Memory is bounded by that and by what the caller takes, whatever the bytes claim.
//
// Cost:    what the libraries take: a few hundred MB/s, zstd a GB/s.
// Threads: one reader per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace neardup {

enum class Packing : std::uint8_t { kGzip, kZstd, kBrotli, kDeflate };

// By their first bytes.
std::optional<Packing> packing_of(std::string_view bytes);
// Where a gzip may begin in `bytes`, by all that its head says; behind the last byte: nowhere.
std::size_t find_gzip(std::string_view bytes);
inline constexpr std::size_t kGzipHeadBytes = 10;
// They are too few to tell.
bool may_become_packed(std::string_view bytes);

// As HTTP's Content-Encoding calls it. Nothing: it is another one.
std::optional<Packing> packing_named(std::string_view coding);

// A file's name without a .gz or .zst behind it.
std::string_view without_packed_ending(std::string_view name);

// Reads what comes in pieces, and may be too large to be held.
class UnpackStream {
 public:
  struct Unpacked {
    std::size_t size = 0;     // of what `out` got
    bool is_damaged = false;  // behind that: the stream is no more to be used
    bool is_too_far = false;  // and it is by nothing but looking back farther than a zstd may here
  };

  UnpackStream() = default;
  virtual ~UnpackStream() = default;
  UnpackStream(const UnpackStream&) = delete;
  UnpackStream& operator=(const UnpackStream&) = delete;

  // Unpacks from the front of `packed`, until that is used up or `out` is full: then there may be more,
  // though nothing is left of `packed`. Behind a gzip or zstd may stand another one, or zeros, with which
  // tapes are filled up; nothing may behind the others. REQUIRES: `out` is not empty.
  [[nodiscard]] virtual Unpacked read(std::string_view& packed, std::span<char> out) = 0;

  // It may end here: nothing is begun.
  virtual bool may_end() const = 0;
  // How much was taken of the gzip that is begun, damaged or not: the next one may begin within. Of others
  // nobody knows.
  virtual std::size_t begun_bytes() const { return 0; }
  // How many of the last bytes that it gave are of a gzip or zstd that has not come to its end, where its
  // checksum stands: where bits are wrong or missing, they may be others than those that were packed.
  virtual std::uint64_t unproven_bytes() const { return 0; }
  // One at least came to its end.
  virtual bool has_whole() const = 0;
};

std::unique_ptr<UnpackStream> unpack_stream(Packing packing);

enum class UnpackOutcome : std::uint8_t { kRead, kDamaged, kTooLarge };

// Replaces `out`, which is unspecified where nothing was read. What stands behind a whole gzip or zstd, and
// is none, is left alone, as gunzip leaves it; the others must end where `packed` does, since nothing else
// tells what they are. REQUIRES: `packed` is no view of `out`.
[[nodiscard]] UnpackOutcome unpack(Packing packing, std::string_view packed, std::size_t bytes_max,
                                   std::string& out);

}  // namespace neardup
