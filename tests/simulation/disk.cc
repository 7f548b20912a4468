#include "tests/simulation/disk.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

#include "service/snapshot/manifest.h"
#include "service/snapshot/segment.h"

namespace neardup {
namespace {

namespace fs = std::filesystem;

std::mutex disks_mutex;
std::vector<Disk*> disks;

std::string path_of(int fd) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t size = ::readlink(link.c_str(), path, sizeof path);
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : "";
}

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// What a folder names, if it is there.
std::map<std::string, ino_t> names_in(const std::string& folder) {
  std::map<std::string, ino_t> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()),
                                                 [](DIR* dir) { return ::closedir(dir); });
  while (const dirent* const entry = open ? ::readdir(open.get()) : nullptr) {
    if (entry->d_type == DT_REG) names[entry->d_name] = entry->d_ino;
  }
  return names;
}

}  // namespace

// What the linker puts in the place of the system's calls.
class DiskCalls {
 public:
  // Stays valid while its caller's life is under way.
  static Disk* disk_of(int fd) {
    const std::string path = path_of(fd);
    const std::lock_guard lock(disks_mutex);
    for (Disk* disk : disks) {
      if (path.starts_with(disk->path_)) return disk;
    }
    return nullptr;
  }
  // Whether it is of the folder that a disk lies in.
  static bool sync_above(int fd) {
    const std::string path = path_of(fd);
    const std::lock_guard lock(disks_mutex);
    bool is_above = false;
    for (Disk* disk : disks) {
      if (fs::path(disk->path_).parent_path() != path) continue;
      is_above = true;
      const std::lock_guard disk_lock(disk->mutex_);
      disk->is_named_ = disk->is_named_ || fs::exists(disk->path_);
    }
    return is_above;
  }
  static int sync(Disk& disk, int fd) { return disk.sync(fd); }
  static std::optional<ssize_t> write(Disk& disk, int fd, const void* bytes, std::size_t size, off_t at) {
    return disk.write(fd, bytes, size, at);
  }
};

extern "C" {
int real_fsync(int fd) __asm__("__real_fsync");
ssize_t real_pwrite(int fd, const void* bytes, std::size_t size, off_t offset) __asm__("__real_pwrite");
int simulated_fsync(int fd) __asm__("__wrap_fsync");
ssize_t simulated_pwrite(int fd, const void* bytes, std::size_t size, off_t offset) __asm__("__wrap_pwrite");

int simulated_fsync(int fd) {
  if (Disk* const disk = DiskCalls::disk_of(fd)) return DiskCalls::sync(*disk, fd);
  return DiskCalls::sync_above(fd) ? 0 : real_fsync(fd);
}

ssize_t simulated_pwrite(int fd, const void* bytes, std::size_t size, off_t offset) {
  Disk* const disk = DiskCalls::disk_of(fd);
  if (disk == nullptr) return real_pwrite(fd, bytes, size, offset);
  return DiskCalls::write(*disk, fd, bytes, size, offset).value_or(-1);
}
}

Disk::Disk(std::string path, Faults& faults, bool syncs)
    : path_(std::move(path)), faults_(faults), syncs_(syncs) {
  fs::remove_all(path_);
  const std::lock_guard lock(disks_mutex);
  disks.push_back(this);
}

Disk::~Disk() {
  {
    const std::lock_guard lock(disks_mutex);
    std::erase(disks, this);
  }
  fs::remove_all(path_);
}

void Disk::begin_life(std::uint64_t life, std::uint64_t stored) {
  const std::lock_guard lock(mutex_);
  life_ = life;
  writes_ = 0;
  synced_ = 0;
  written_ = stored_ = stored;
  writing_ = 0;
  // What an earlier life wrote is there by now.
  is_named_ = fs::exists(path_);
  synced_bytes_.clear();
  synced_names_ = names_in(path_);
  old_.clear();
  for (const auto& [name, inode] : synced_names_) old_.insert(inode);
}

std::uint64_t Disk::promised() const {
  const std::lock_guard lock(mutex_);
  return promised_;
}

void Disk::settle(std::uint64_t records) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(1000), [&] { return written_ >= records; });
}

int Disk::sync(int fd) {
  const std::lock_guard lock(mutex_);
  if (left_) return 0;  // of a dead process
  if (faults_.draw("sync", life_, ++synced_).one_in(100) && faults_.strikes(Fault::kSyncFails)) {
    written_ = writing_ = std::max(promised_, stored_);  // it begins again at what is durable
    errno = EIO;
    return -1;
  }
  struct stat about{};
  if (::fstat(fd, &about) != 0) return -1;
  const std::string path = path_of(fd);
  if (!S_ISDIR(about.st_mode)) {
    if (syncs_) synced_bytes_[about.st_ino] = bytes_of(path);
    return 0;
  }
  const std::map<std::string, ino_t> names = names_in(path);
  if (syncs_) synced_names_ = names;
  // The manifest that is durable now is a promise; an old one may have lost what it promised.
  const auto newest = std::find_if(names.rbegin(), names.rend(), [](const auto& entry) {
    return entry.first.starts_with("manifest-") && !entry.first.ends_with(".tmp");
  });
  if (newest == names.rend() || old_.contains(newest->second)) return 0;
  if (const Result<Manifest> manifest = decode_manifest(bytes_of(path + "/" + newest->first)))
    promised_ = manifest->records;
  return 0;
}

std::optional<ssize_t> Disk::write(int fd, const void* bytes, std::size_t size, off_t offset) {
  constexpr std::uint64_t kFullForMax = 4;
  const std::lock_guard lock(mutex_);
  struct stat about{};
  if (::fstat(fd, &about) == 0 && old_.erase(about.st_ino) > 0)
    synced_bytes_[about.st_ino] = bytes_of(path_of(fd));
  Draw draw = faults_.draw("write", life_, ++writes_);
  if (full_for_ == 0 && draw.one_in(60) && faults_.strikes(Fault::kDiskFull))
    full_for_ = 1 + draw.below(kFullForMax);
  if (full_for_ > 0) {
    --full_for_;
    written_ = writing_ = std::max(promised_, stored_);
    errno = ENOSPC;
    return std::nullopt;
  }
  const std::string_view whole(static_cast<const char*>(bytes), size);
  if (const Result<StoredRecord> frame = decode_frame(whole); offset > 0 && frame)
    writing_ = frame->number + 1;
  if (size > 1 && draw.one_in(40) && faults_.strikes(Fault::kShortWrite))
    return real_pwrite(fd, bytes, 1 + draw.below(size - 1), offset);
  written_ = std::max(written_, writing_);
  const ssize_t written = real_pwrite(fd, bytes, size, offset);
  changed_.notify_all();
  return written;
}

Disk::Files Disk::files() const {
  Files files;
  for (const auto& [name, inode] : names_in(path_)) files[name] = bytes_of(path_ + "/" + name);
  return files;
}

Disk::Files Disk::after_power_loss() {
  Draw draw = faults_.draw("power", life_, 0);
  Files files;
  if (!is_named_) return files;
  for (const auto& [name, inode] : names_in(path_)) {
    const std::string bytes = bytes_of(path_ + "/" + name);
    const auto synced_name = synced_names_.find(name);
    const bool named = synced_name != synced_names_.end() && synced_name->second == inode;
    if (!named && draw.one_in(2)) continue;
    if (old_.contains(inode)) {  // nobody wrote to it
      files[name] = bytes;
      continue;
    }
    const auto synced = synced_bytes_.find(inode);
    std::string left = synced == synced_bytes_.end() ? "" : synced->second;
    const std::size_t common =
        static_cast<std::size_t>(std::ranges::mismatch(left, bytes).in1 - left.begin());
    switch (draw.below(3)) {
      case 0:  // only what is synced
        break;
      case 1:  // the rest too
        left = bytes;
        break;
      default:  // a part of it
        if (common == left.size() && bytes.size() > left.size())
          left = bytes.substr(0, common + draw.below(bytes.size() - common));
    }
    files[name] = std::move(left);
  }
  return files;
}

void Disk::crash() {
  const std::lock_guard lock(mutex_);
  Draw draw = faults_.draw("crash", life_, 0);
  const bool power = draw.one_in(2) && faults_.strikes(Fault::kPowerLost);
  left_ = power ? after_power_loss() : files();
}

void Disk::end_life() {
  const std::lock_guard lock(mutex_);
  if (!left_) return;
  lay(*left_);
  left_.reset();
}

void Disk::lay(const Files& files) const {
  fs::remove_all(path_);
  fs::create_directories(path_);
  for (const auto& [name, bytes] : files) std::ofstream(fs::path(path_) / name, std::ios::binary) << bytes;
}

void Disk::meddle() {
  constexpr std::uint64_t kWays = 5;
  const std::lock_guard lock(mutex_);
  Draw draw = faults_.draw("meddle", life_, 0);
  const bool copies = draw.one_in(4);
  const std::uint64_t way = draw.below(12);
  if (way >= kWays && !copies) return;
  const Files before = files();
  Files after = before;
  after.erase("lock");
  if (after.empty()) return;
  const auto file = std::next(after.begin(), static_cast<std::ptrdiff_t>(draw.below(after.size())));
  std::string& bytes = file->second;
  const Files copy = copies ? std::exchange(copy_, before) : copy_;
  if (way == 0 && !bytes.empty() && faults_.strikes(Fault::kByteFlipped)) {
    bytes[draw.below(bytes.size())] ^= static_cast<char>(1 + draw.below(255));
  } else if (way == 1 && !bytes.empty() && faults_.strikes(Fault::kFileCut)) {
    bytes.resize(draw.below(bytes.size()));
  } else if (way == 2 && faults_.strikes(Fault::kFileMissing)) {
    after.erase(file);
  } else if (way == 3 && faults_.strikes(Fault::kFolderMissing)) {
    after.clear();
  } else if (way == 4 && !copy.empty() && copy != before && faults_.strikes(Fault::kFolderOld)) {
    after = copy;
  } else {
    return;
  }
  lay(after);
  promised_ = 0;
}

}  // namespace neardup
