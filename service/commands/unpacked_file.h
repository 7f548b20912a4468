// What does an open file hold, packed with gzip or zstd or not?
//
// Its first bytes tell. All come as they are read, so that a pipe's are there as soon as it has them.
//
// Who was killed while he wrote a gzip, and then wrote the next one behind it, left a damaged file of which
// the rest is whole. What follows is unpacked as a part of the broken one until that cannot be, so the last
// of what came is none (unproven_bytes tells of how much that may be so): who knows how to go on then may
// resume where the next gzip may begin.
//
// Cost:    none where nothing is packed; else what unpacking takes.
// Memory:  some blocks, and a zstd's window.
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "service/codec/unpacking.h"

namespace neardup {

class UnpackedFile {
 public:
  UnpackedFile();

  // Reads `fd` from now on, which stays the caller's.
  void open(int fd);

  // The next answer needs no read(2).
  bool has_more() const {
    return is_damaged_ || (!is_lost_ && (may_hold_more_ || packed_at_ < packed_.size()));
  }

  // The next bytes, which live until the next call: after one read(2) at most. "": the file has ended.
  // Nothing: there are none for the moment. Error kIo; or kCorrupt of what is packed, and what was before the
  // damage has come.
  Result<std::optional<std::string_view>> read();

  // How many of the last bytes that came are of a gzip or zstd that has not come to its end: if it never
  // does, they may be wrong, and what followed it may be among them. Behind resume() still of those before.
  std::uint64_t unproven_bytes() const { return unproven_; }

  // Behind kCorrupt: goes on where a gzip may begin behind the beginning of the damaged one, if there is such
  // a place in what follows. False: there is none any more, or it is no file of gzips, or too often damaged.
  bool resume();
  // How often it did so behind a whole gzip, or at the beginning: so many of the file are damaged.
  std::uint64_t breaks() const { return breaks_; }

 private:
  Result<std::optional<std::string_view>> unpack();
  bool find_next();

  int fd_ = -1;
  bool is_begun_ = false;
  bool is_ended_ = false;
  bool is_gzip_ = false;
  bool is_lost_ = false;  // between a damaged gzip and the next one
  int resumed_ = 0;       // how often since a whole one
  std::uint64_t breaks_ = 0;
  std::string opening_;  // what came until it was known whether it is packed
  std::unique_ptr<UnpackStream> stream_;
  std::string packed_;         // what is still to be unpacked, and what was of the gzip that is begun
  std::size_t packed_at_ = 0;  // between them
  std::uint64_t unproven_ = 0;
  bool may_hold_more_ = false;
  bool is_damaged_ = false;  // behind what came
  bool is_too_far_ = false;  // as UnpackStream says
  std::vector<char> block_;
  std::vector<char> unpacked_;
};

}  // namespace neardup
