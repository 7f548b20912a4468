// What is left in a folder when the power goes?
//
// A Disk is a real folder whose fsync and pwrite go through this file: the program that links it is linked
// with --wrap, so the production code runs as it is. An fsync costs nothing here; it only remembers what it
// made durable: of a file its bytes, of the folder its names, of the one above that it is there. A crash
// takes what the folder holds then, for a life that died must not write on while its threads end:
//
//   crash of the process   all that was written is there
//   loss of power          what was synced is there; of the rest a part that is drawn: bytes cut anywhere,
//                          new names there or not; nothing of a folder that is new and not synced above
//
// Threads: any; one life at a time.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "tests/simulation/faults.h"

namespace neardup {

class Disk {
 public:
  // `path`: a folder that nobody else uses. `syncs`: false is a disk that forgets what it was told to sync.
  Disk(std::string path, Faults& faults, bool syncs);
  ~Disk();
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  const std::string& path() const { return path_; }

  // `stored`: records that the folder holds.
  void begin_life(std::uint64_t life, std::uint64_t stored);

  // How many journal records the newest manifest promises that was synced with its folder.
  std::uint64_t promised() const;
  // Waits until the journal's first `records` records are written; not for ever.
  void settle(std::uint64_t records);

  // The process dies now; end_life() makes the folder what it is at this moment, or what a loss of power
  // leaves of that.
  void crash();
  void end_life();

  // Somebody lays hands on the folder, if it is drawn for this life. Nothing is promised then.
  void meddle();

 private:
  friend class DiskCalls;
  using Files = std::map<std::string, std::string>;  // bytes by name

  Files files() const;
  Files after_power_loss();
  void lay(const Files& files) const;
  int sync(int fd);
  std::optional<ssize_t> write(int fd, const void* bytes, std::size_t size, off_t offset);

  const std::string path_;
  Faults& faults_;
  const bool syncs_;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::uint64_t life_ = 0;
  std::uint64_t writes_ = 0;    // of this life
  std::uint64_t synced_ = 0;    // times, in this life
  std::uint64_t full_for_ = 0;  // more writes
  std::uint64_t stored_ = 0;    // records, when this life began
  std::uint64_t written_ = 0;   // records, of those since a write or an fsync failed
  std::uint64_t writing_ = 0;   // with the one whose rest is still to be written
  std::uint64_t promised_ = 0;
  bool is_named_ = false;  // the folder is there for good
  std::map<ino_t, std::string> synced_bytes_;
  std::map<std::string, ino_t> synced_names_;
  std::set<ino_t> old_;        // of an earlier life, and not written to in this one
  std::optional<Files> left_;  // what the crash of this life leaves
  Files copy_;                 // of an earlier life
};

}  // namespace neardup
