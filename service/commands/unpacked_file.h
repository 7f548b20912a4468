// What does an open file hold, packed with gzip or zstd or not?
//
// Its first bytes tell. All come as they are read, so that a pipe's are there as soon as it has them.
//
// Cost:    none where nothing is packed; else what unpacking takes. Memory: two blocks, and a zstd's window.
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
  bool has_more() const { return is_damaged_ || may_hold_more_ || !packed_.empty(); }

  // The next bytes, which live until the next call: after one read(2) at most. "": the file has ended.
  // Nothing: there are none for the moment. Error kIo; or kCorrupt of what is packed, and what was before the
  // damage has come.
  Result<std::optional<std::string_view>> read();

 private:
  Result<std::optional<std::string_view>> unpack();

  int fd_ = -1;
  bool is_begun_ = false;
  std::string opening_;  // what came until it was known whether it is packed
  std::unique_ptr<UnpackStream> stream_;
  std::string_view packed_;  // the rest of block_, or of opening_
  bool may_hold_more_ = false;
  bool is_damaged_ = false;  // behind what came
  std::vector<char> block_;
  std::vector<char> unpacked_;
};

}  // namespace neardup
