#include "core/index/cold_store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/base/check.h"

namespace neardup {
namespace {

Error io_error(std::string_view what) {
  return {ErrorCode::kIo, std::string(what) + ": " + std::generic_category().message(errno)};
}

// Not every file system has files without a name; there it is taken away at once.
int open_unnamed(const std::string& directory) {
  const int file = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file >= 0) return file;
  std::string name = directory + "/uniques-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

void* map_file(void* at, int file, std::uint64_t offset) {
  const int fixed = at == nullptr ? 0 : MAP_FIXED;
  return mmap(at, ColdStore::kBlockBytes, PROT_READ, MAP_SHARED | fixed, file, static_cast<off_t>(offset));
}

}  // namespace

ColdStore::ColdStore(const std::string& directory) {
  if (directory.empty()) return;
  file_ = open_unnamed(directory);
  if (file_ < 0) {
    status_ = io_error("a file in " + directory);
    return;
  }
  // Some file systems refuse to map what they let us write; better to know it now.
  void* const trial = map_file(nullptr, file_, 0);
  if (trial == MAP_FAILED) {
    status_ = io_error("mapping a file in " + directory);
    close(file_);
    file_ = -1;
    return;
  }
  munmap(trial, kBlockBytes);
}

ColdStore::~ColdStore() {
  for (std::uint64_t region = released_ / kRegionBlocks; region < regions_.size(); ++region) {
    const std::uint64_t first = std::max(released_, region * kRegionBlocks);
    munmap(block(first), ((region + 1) * kRegionBlocks - first) * kBlockBytes);
  }
  if (file_ >= 0) close(file_);
}

std::uint64_t ColdStore::append(std::string_view bytes) {
  DCHECK(bytes.size() <= kBlockBytes);
  if (bytes.size() > kBlockBytes - used_) {
    write_full_blocks();
    add_block();
  }
  const std::uint64_t place = end();
  std::memcpy(block(blocks_ - 1) + used_, bytes.data(), bytes.size());
  used_ += bytes.size();
  return place;
}

void ColdStore::add_block() {
  if (blocks_ == regions_.size() * kRegionBlocks) {
    void* const region = mmap(nullptr, kRegionBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(region != MAP_FAILED, "no address space left: is it limited (ulimit -v)?");
    madvise(region, kRegionBytes, MADV_NOHUGEPAGE);  // a block is soon written, and its memory free again
    regions_.push_back(static_cast<char*>(region));
  }
  ++blocks_;
  used_ = 0;
}

// In order, so those that an earlier attempt could not write come first.
void ColdStore::write_full_blocks() {
  if (file_ < 0) return;
  for (; written_ < blocks_; ++written_) {
    status_ = write(written_);
    if (!status_.ok()) return;
    // The same bytes at the same address, now the file's; the memory that held them is free.
    char* const at = block(written_);
    CHECK(map_file(at, file_, written_ * kBlockBytes) == at, "the system refuses one more mapping");
    madvise(at, kBlockBytes, MADV_RANDOM);  // one entry here, one there: reading ahead would be in vain
    ++file_blocks_;
  }
}

Status ColdStore::write(std::uint64_t number) const {
  const char* const bytes = block(number);
  for (std::size_t done = 0; done < kBlockBytes;) {
    const ssize_t more =
        pwrite(file_, bytes + done, kBlockBytes - done, static_cast<off_t>(number * kBlockBytes + done));
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return io_error("writing the file of uniques");
    done += static_cast<std::size_t>(more);
  }
  return {};
}

void ColdStore::release_before(std::uint64_t place) {
  const std::uint64_t to = std::min(place / kBlockBytes, blocks_);
  for (; released_ < to; ++released_) {
    munmap(block(released_), kBlockBytes);
    if (released_ >= written_) continue;
    const int punched = fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                  static_cast<off_t>(released_ * kBlockBytes), kBlockBytes);
    if (punched == 0) --file_blocks_;  // some file systems cannot, and the room stays taken
  }
  written_ = std::max(written_, released_);
}

std::size_t ColdStore::bytes() const {
  return (blocks_ - std::max(written_, released_)) * kBlockBytes + regions_.capacity() * sizeof(regions_[0]);
}

}  // namespace neardup
