#include "tests/chaos/small_disk.h"

#include <sched.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <utility>

namespace neardup {

SmallDisk::SmallDisk(std::string folder) : folder_(std::move(folder)) {
  static const bool own =
      unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  std::filesystem::create_directories(folder_);
  is_mounted_ = own && mount("none", folder_.c_str(), "tmpfs", 0, "size=24m") == 0;
}

SmallDisk::~SmallDisk() {
  if (is_mounted_) umount2(folder_.c_str(), MNT_DETACH);
}

void SmallDisk::fill() const {
  std::ofstream file(folder_ + "/filler", std::ios::binary);
  const std::string block(4096, 'x');
  while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
  }
}

void SmallDisk::give_back() const { std::filesystem::remove(folder_ + "/filler"); }

}  // namespace neardup
