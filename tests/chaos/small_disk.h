// A disk that can be full: small, and in memory.
#pragma once

#include <string>

namespace neardup {

// Its mount is our own: nobody else sees it, and it goes with us.
class SmallDisk {
 public:
  // Makes the folder and mounts the disk there, where that is permitted.
  explicit SmallDisk(std::string folder);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool is_mounted() const { return is_mounted_; }
  // Takes all the room there is.
  void fill() const;
  void give_back() const;

 private:
  std::string folder_;
  bool is_mounted_ = false;
};

}  // namespace neardup
