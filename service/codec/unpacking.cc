#include "service/codec/unpacking.h"

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <utility>

#include "core/base/ascii.h"
#include "core/base/check.h"

namespace neardup {
namespace {

constexpr std::string_view kGzipMagic = "\x1F\x8B\x08";
constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";
constexpr std::string_view kZstdSkippable =
    "\x2A\x4D\x18";  // behind a byte of 0x50 to 0x5F: a table, or a note

constexpr std::string_view kZstdDictionary = "\x5D\x2A\x4D\x18";  // a skippable one that holds one
constexpr std::size_t kZstdSkippableHeadBytes = 8;
constexpr std::size_t kZstdDictionaryMax = std::size_t{16} << 20;

constexpr std::size_t kRoomMin = std::size_t{16} << 10;
constexpr std::size_t kGrowth = 4;  // pages are packed to a quarter or less

// What zlib makes of its streams, by the bits that it is told.
constexpr int kGzipBits = 16 + MAX_WBITS;
constexpr int kZlibBits = MAX_WBITS;
constexpr int kBareBits = -MAX_WBITS;

// How far back a zstd may look, as a power of two: what its own tool takes without being told. Of that much
// memory only that is touched which something was unpacked to.
constexpr int kZstdWindowBits = 27;

// Whether `bytes`, one at least, begin as a kind does, as far as they go.
bool may_begin_gzip(std::string_view bytes) {
  return kGzipMagic.starts_with(bytes.substr(0, kGzipMagic.size()));
}
bool may_begin_zstd(std::string_view bytes) {
  const bool may_be_skippable =
      (bytes.front() & 0xF0) == 0x50 && kZstdSkippable.starts_with(bytes.substr(1, kZstdSkippable.size()));
  return may_be_skippable || kZstdMagic.starts_with(bytes.substr(0, kZstdMagic.size()));
}

// Of what packed bytes consist, one behind the other, with zeros between them or at the end.
class Members {
 public:
  // `may_follow` tells whether bytes may begin another one. Null: there is one alone.
  explicit Members(bool (*may_follow)(std::string_view)) : may_follow_(may_follow) {}

  // False: what stands at the front of `packed` is none of it. Takes zeros from there.
  bool may_go_on(std::string_view& packed) {
    if (is_within_ || packed.empty()) return true;
    if (is_whole_ && may_follow_ == nullptr) return false;
    if (is_whole_) packed.remove_prefix(std::min(packed.find_first_not_of('\0'), packed.size()));
    if (packed.empty()) return true;
    return is_within_ = !is_whole_ || may_follow_(packed);
  }
  void end() {
    is_within_ = false;
    is_whole_ = true;
  }

  bool is_between() const { return !is_within_; }
  bool has_whole() const { return is_whole_; }

 private:
  bool (*may_follow_)(std::string_view);
  bool is_within_ = false;
  bool is_whole_ = false;  // the first one came to its end
};

class ZlibStream : public UnpackStream {
 public:
  explicit ZlibStream(int bits) : members_(bits == kGzipBits ? may_begin_gzip : nullptr) {
    check(inflateInit2(&z_, bits));
  }
  ~ZlibStream() override { inflateEnd(&z_); }

  Unpacked read(std::string_view& packed, std::span<char> out) override {
    std::size_t size = 0;
    while (size < out.size() && (!packed.empty() || may_hold_more_)) {
      if (!members_.may_go_on(packed)) return {size, true};
      if (packed.empty() && !may_hold_more_) break;
      const std::string_view given = packed.substr(0, std::numeric_limits<uInt>::max());
      const std::size_t room = std::min<std::size_t>(out.size() - size, std::numeric_limits<uInt>::max());
      z_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(given.data()));
      z_.avail_in = static_cast<uInt>(given.size());
      z_.next_out = reinterpret_cast<Bytef*>(out.data() + size);
      z_.avail_out = static_cast<uInt>(room);
      const int code = check(inflate(&z_, Z_NO_FLUSH));
      size += room - z_.avail_out;
      packed.remove_prefix(given.size() - z_.avail_in);
      may_hold_more_ = z_.avail_out == 0 && code == Z_OK;
      if (code == Z_STREAM_END) {
        members_.end();
        inflateReset(&z_);
      } else if (code == Z_BUF_ERROR) {  // nothing was held back
        break;
      } else if (code != Z_OK) {
        return {size, true};
      }
    }
    return {size, false};
  }

  bool may_end() const override { return members_.is_between(); }
  std::size_t begun_bytes() const override { return z_.total_in; }
  std::uint64_t unproven_bytes() const override { return z_.total_out; }
  bool has_whole() const override { return members_.has_whole(); }

 private:
  // Whether there was memory says nothing about the bytes.
  static int check(int code) {
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    CHECK(code != Z_VERSION_ERROR && code != Z_STREAM_ERROR, "zlib is used as it wants to be");
    return code;
  }

  z_stream z_{};
  Members members_;
  bool may_hold_more_ = false;  // `out` was full: of what was given, some may not have come out
};

class ZstdStream : public UnpackStream {
 public:
  ZstdStream() : context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kZstdWindowBits);
  }

  Unpacked read(std::string_view& packed, std::span<char> out) override {
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    while (to.pos < to.size && (!packed.empty() || may_hold_more_)) {
      if (!members_.may_go_on(packed)) return {to.pos, true};
      if (packed.empty() && !may_hold_more_) break;
      ZSTD_inBuffer from{packed.data(), packed.size(), 0};
      const std::size_t before = to.pos;
      const std::size_t left = ZSTD_decompressStream(context_.get(), &to, &from);
      keep_for_dictionary(packed.substr(0, from.pos));
      packed.remove_prefix(from.pos);
      unproven_ += to.pos - before;
      if (ZSTD_isError(left) != 0) {
        const ZSTD_ErrorCode code = ZSTD_getErrorCode(left);
        if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
        return {to.pos, true, code == ZSTD_error_frameParameter_windowTooLarge};
      }
      may_hold_more_ = left != 0 && to.pos == to.size;
      if (left == 0) {
        load_dictionary();
        members_.end();
        unproven_ = 0;
      }
    }
    return {to.pos, false};
  }

  bool may_end() const override { return members_.is_between(); }
  std::uint64_t unproven_bytes() const override { return unproven_; }
  bool has_whole() const override { return members_.has_whole(); }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  // What the first frame is made of, if that is one.
  void keep_for_dictionary(std::string_view taken) {
    if (!may_be_dictionary_) return;
    const std::string_view due = kZstdDictionary.substr(std::min(dictionary_.size(), kZstdDictionary.size()));
    const bool fits = due.starts_with(taken.substr(0, due.size()));
    may_be_dictionary_ = fits && dictionary_.size() + taken.size() <= kZstdDictionaryMax;
    if (may_be_dictionary_) dictionary_ += taken;
  }
  // REQUIRES: a frame came to its end.
  void load_dictionary();

  std::unique_ptr<ZSTD_DCtx, Free> context_;
  Members members_{may_begin_zstd};
  bool may_be_dictionary_ = true;
  std::string dictionary_;
  std::uint64_t unproven_ = 0;
  bool may_hold_more_ = false;
};

void ZstdStream::load_dictionary() {
  if (!std::exchange(may_be_dictionary_, false)) return;
  const std::string frame = std::exchange(dictionary_, {});
  std::string_view bytes = std::string_view(frame).substr(kZstdSkippableHeadBytes);
  std::string unpacked;
  if (bytes.starts_with(kZstdMagic)) {
    if (unpack(Packing::kZstd, bytes, kZstdDictionaryMax, unpacked) != UnpackOutcome::kRead) return;
    bytes = unpacked;
  }
  // Of one that is damaged the frames that need it will tell.
  (void)ZSTD_DCtx_loadDictionary(context_.get(), bytes.data(), bytes.size());
}

class BrotliStream : public UnpackStream {
 public:
  BrotliStream() : state_(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr)) {
    if (!state_) throw std::bad_alloc();
  }

  Unpacked read(std::string_view& packed, std::span<char> out) override {
    if (is_over_) return {0, !packed.empty()};
    const auto* next = reinterpret_cast<const std::uint8_t*>(packed.data());
    auto* to = reinterpret_cast<std::uint8_t*>(out.data());
    std::size_t left = packed.size();
    std::size_t room = out.size();
    is_begun_ |= !packed.empty();
    const BrotliDecoderResult result =
        BrotliDecoderDecompressStream(state_.get(), &left, &next, &room, &to, nullptr);
    packed.remove_prefix(packed.size() - left);
    is_over_ = result == BROTLI_DECODER_RESULT_SUCCESS;
    const bool is_damaged = result == BROTLI_DECODER_RESULT_ERROR || (is_over_ && !packed.empty());
    return {out.size() - room, is_damaged};
  }

  bool may_end() const override { return is_over_ || !is_begun_; }
  bool has_whole() const override { return is_over_; }

 private:
  struct Free {
    void operator()(BrotliDecoderState* state) const { BrotliDecoderDestroyInstance(state); }
  };
  std::unique_ptr<BrotliDecoderState, Free> state_;
  bool is_begun_ = false;
  bool is_over_ = false;
};

enum class Behind : std::uint8_t { kNothing, kAnything };

UnpackOutcome unpack_with(UnpackStream&& stream, Behind behind, std::string_view packed,
                          std::size_t bytes_max, std::string& out) {
  const std::size_t room_max = bytes_max + 1;  // one more than may come shows that more would come
  out.resize(std::min(room_max, std::max(kRoomMin, kGrowth * packed.size())));
  std::size_t size = 0;
  bool is_damaged = false;
  for (;;) {
    const UnpackStream::Unpacked unpacked = stream.read(packed, std::span(out).subspan(size));
    size += unpacked.size;
    is_damaged = unpacked.is_damaged;
    if (size > bytes_max) return UnpackOutcome::kTooLarge;
    if (is_damaged || size < out.size()) break;
    out.resize(std::min(room_max, kGrowth * out.size()));
  }
  const bool is_whole = stream.has_whole() && stream.may_end();
  if (!is_whole || (is_damaged && behind == Behind::kNothing)) return UnpackOutcome::kDamaged;
  out.resize(size);
  return UnpackOutcome::kRead;
}

}  // namespace

std::optional<Packing> packing_of(std::string_view bytes) {
  if (bytes.size() >= kGzipMagic.size() && may_begin_gzip(bytes)) return Packing::kGzip;
  if (bytes.size() >= kZstdMagic.size() && may_begin_zstd(bytes)) return Packing::kZstd;
  return std::nullopt;
}

std::size_t find_gzip(std::string_view bytes) {
  constexpr unsigned char kFlags = 0x1F;                   // the others are none yet: RFC 1952
  constexpr std::string_view kEfforts{"\x00\x02\x04", 3};  // none said, the most, the least
  constexpr unsigned char kSystemMax = 13;
  constexpr unsigned char kSystemUnknown = 255;
  std::size_t at = 0;
  while ((at = bytes.find(kGzipMagic, at)) != std::string_view::npos && at + kGzipHeadBytes <= bytes.size()) {
    const std::string_view head = bytes.substr(at, kGzipHeadBytes);
    const auto flags = static_cast<unsigned char>(head[3]);
    const auto system = static_cast<unsigned char>(head[9]);
    const bool is_system = system <= kSystemMax || system == kSystemUnknown;
    if (flags <= kFlags && kEfforts.find(head[8]) != std::string_view::npos && is_system) return at;
    ++at;
  }
  return bytes.size();
}

bool may_become_packed(std::string_view bytes) {
  return bytes.empty() || (!packing_of(bytes) && (may_begin_gzip(bytes) || may_begin_zstd(bytes)));
}

std::optional<Packing> packing_named(std::string_view coding) {
  static constexpr std::array<std::pair<std::string_view, Packing>, 5> kNames = {
      {{"gzip", Packing::kGzip},
       {"x-gzip", Packing::kGzip},
       {"zstd", Packing::kZstd},
       {"br", Packing::kBrotli},
       {"deflate", Packing::kDeflate}}};
  for (const auto& [name, packing] : kNames) {
    if (equals_ignoring_case(coding, name)) return packing;
  }
  return std::nullopt;
}

std::string_view without_packed_ending(std::string_view name) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (ends_with_ignoring_case(name, ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

std::unique_ptr<UnpackStream> unpack_stream(Packing packing) {
  switch (packing) {
    case Packing::kGzip:
      return std::make_unique<ZlibStream>(kGzipBits);
    case Packing::kZstd:
      return std::make_unique<ZstdStream>();
    case Packing::kBrotli:
      return std::make_unique<BrotliStream>();
    case Packing::kDeflate:
      break;
  }
  return std::make_unique<ZlibStream>(kZlibBits);
}

UnpackOutcome unpack(Packing packing, std::string_view packed, std::size_t bytes_max, std::string& out) {
  switch (packing) {
    case Packing::kGzip:
      return unpack_with(ZlibStream(kGzipBits), Behind::kAnything, packed, bytes_max, out);
    case Packing::kZstd:
      return unpack_with(ZstdStream(), Behind::kAnything, packed, bytes_max, out);
    case Packing::kBrotli:
      return unpack_with(BrotliStream(), Behind::kNothing, packed, bytes_max, out);
    case Packing::kDeflate:
      break;
  }
  const UnpackOutcome outcome = unpack_with(ZlibStream(kZlibBits), Behind::kNothing, packed, bytes_max, out);
  if (outcome != UnpackOutcome::kDamaged) return outcome;
  return unpack_with(ZlibStream(kBareBits), Behind::kNothing, packed, bytes_max, out);
}

}  // namespace neardup
