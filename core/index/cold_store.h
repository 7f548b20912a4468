// Where do bytes live that are seldom read and far too many for memory?
//
// In a file that only this process sees: it has no name, and is gone with the process. Bytes are appended to
// a block in memory; once that is full a thread of the store writes it, and when the fourth one after it is
// full, the file's own pages take its place at the same address. So a view stays good, what was written costs
// memory only while it is read, and what a full or broken disk refuses to take, it refuses to a write, which
// can fail, and not to a store into mapped pages, which would be the end of the process. Blocks that the disk
// does not take stay in memory until it does, and then leave it with the next blocks that are filled, at most
// kAskedMax with each. What it took and cannot give back is the end of the process: to read such a page is a
// SIGBUS, and whoever names the directory should see to it that the reason is told.
//
//   blocks    | given back | in the file ═══► | being written | not yet taken | being filled |
//             0        released_          written_         asked_                          end
//
// With no directory all of it stays in memory.
//
// Cost:    five blocks of 256 KiB: the memory of the one that is in the file is that of the next one. Whoever
//          appends pays a mapping for each block, some 20 us; a write that takes longer than it takes to fill
//          four blocks is waited for. When that is hangs on what was appended, and on no clock. After a disk
//          that was full, an append that fills a block waits for kAskedMax writes at most.
// Threads: the one that writes, from the first full block on. The const functions may run side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace neardup {

class ColdStore {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
  static constexpr std::uint64_t kBehind = 4;  // blocks that may be being written
  // Blocks that one append gives to be written: one, unless earlier ones had to stay in memory.
  static constexpr std::uint64_t kAskedMax = 2 * kBehind;

  // A `directory` that cannot be used is told by status(); everything then stays in memory. Empty: no file.
  explicit ColdStore(const std::string& directory);
  ~ColdStore();
  ColdStore(const ColdStore&) = delete;
  ColdStore& operator=(const ColdStore&) = delete;

  // Returns where they are: these numbers ascend. REQUIRES: bytes.size() <= kBlockBytes.
  std::uint64_t append(std::string_view bytes);
  // The same for bytes that are written at their place: at most `bytes_max` at room(), and append_until()
  // says where they end. REQUIRES: bytes_max <= kBlockBytes; nothing between the two.
  char* room(std::size_t bytes_max);
  std::uint64_t append_until(const char* end);

  // From `place` to the end of its block: how much of it was meant is for the caller to know. The view lives
  // until its block is given back. REQUIRES: what is at `place` is not given back.
  std::string_view from(std::uint64_t place) const {
    const std::size_t offset = place % kBlockBytes;
    return {block(place / kBlockBytes) + offset, kBlockBytes - offset};
  }

  // Where the next bytes go, if the last block has room for them.
  std::uint64_t end() const { return blocks_ * kBlockBytes - (kBlockBytes - used_); }

  // Gives back the blocks that hold nothing but bytes before `place`: address, memory and room on the disk.
  void release_before(std::uint64_t place);

  // Not ok as long as the file does not take what it should: why.
  const Status& status() const { return status_; }

  std::size_t bytes() const;  // of memory
  std::uint64_t file_bytes() const { return file_blocks_ * kBlockBytes; }

 private:
  class Writer;

  // Address space comes in regions, so that neighbouring blocks of the file are one mapping to the system,
  // which grants some 65 thousand of them.
  static constexpr std::size_t kRegionBlocks = 256;
  static constexpr std::size_t kRegionBytes = kRegionBlocks * kBlockBytes;

  char* block(std::uint64_t number) const {
    return regions_[number / kRegionBlocks] + number % kRegionBlocks * kBlockBytes;
  }
  void add_region();
  void write_full_blocks();
  // The oldest that is being written. Its memory moves to `next`, if that is not null. False: it was not
  // written, nor is what comes after it any more.
  bool take_written(char* next);
  void put_file_in_place(char* next);

  int file_ = -1;
  Status status_;
  std::vector<char*> regions_;
  std::uint64_t blocks_ = 0;    // ever begun; the last one is being filled
  std::uint64_t written_ = 0;   // those before are in the file
  std::uint64_t asked_ = 0;     // those before are in the file or being written
  std::uint64_t released_ = 0;  // those before are given back
  std::uint64_t file_blocks_ = 0;
  std::size_t used_ = kBlockBytes;  // bytes of the last block; none yet counts as full
  std::unique_ptr<Writer> writer_;
};

}  // namespace neardup
