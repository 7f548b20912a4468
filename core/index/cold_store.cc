#include "core/index/cold_store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/base/check.h"

namespace neardup {
namespace {

Error io_error(std::string_view what, int error) {
  return {ErrorCode::kIo, std::string(what) + ": " + std::generic_category().message(error)};
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

// A block as the file does not have it yet.
void* map_memory(void* at, std::size_t size) {
  const int fixed = at == nullptr ? 0 : MAP_FIXED;
  return mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
}

// 0, or the error.
int write_all(int file, const char* bytes, std::uint64_t offset) {
  for (std::size_t done = 0; done < ColdStore::kBlockBytes;) {
    const ssize_t more =
        pwrite(file, bytes + done, ColdStore::kBlockBytes - done, static_cast<off_t>(offset + done));
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return more < 0 ? errno : ENOSPC;
    done += static_cast<std::size_t>(more);
  }
  return 0;
}

}  // namespace

// Writes blocks in the order in which they are asked for.
class ColdStore::Writer {
 public:
  explicit Writer(int file) : file_(file), thread_([this] { run(); }) {}
  ~Writer() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  // `bytes` must stay until the answer is taken. REQUIRES: less than kBehind are.
  void ask(const char* bytes, std::uint64_t offset) {
    {
      const std::lock_guard lock(mutex_);
      blocks_[asked_ % kBehind] = {bytes, offset, 0};
      ++asked_;
    }
    wake_.notify_one();
  }

  // Waits for the oldest whose answer is not taken yet: 0, or why it was not written.
  int answer() {
    std::unique_lock lock(mutex_);
    done_changed_.wait(lock, [&] { return done_ > answered_; });
    return blocks_[answered_++ % kBehind].error;
  }

 private:
  struct Block {
    const char* bytes = nullptr;
    std::uint64_t offset = 0;
    int error = 0;
  };

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return is_over_ || asked_ > done_; });
      if (is_over_) return;
      Block& block = blocks_[done_ % kBehind];
      lock.unlock();
      block.error = write_all(file_, block.bytes, block.offset);
      lock.lock();
      ++done_;
      done_changed_.notify_one();
    }
  }

  const int file_;
  std::mutex mutex_;  // of what follows
  std::condition_variable wake_;
  std::condition_variable done_changed_;
  std::array<Block, kBehind> blocks_;  // a ring
  std::uint64_t asked_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t answered_ = 0;
  bool is_over_ = false;
  std::thread thread_;
};

ColdStore::ColdStore(const std::string& directory) {
  if (directory.empty()) return;
  file_ = open_unnamed(directory);
  if (file_ < 0) {
    status_ = io_error("a file in " + directory, errno);
    return;
  }
  // Some file systems refuse to map what they let us write; better to know it now.
  void* const trial = map_file(nullptr, file_, 0);
  if (trial == MAP_FAILED) {
    status_ = io_error("mapping a file in " + directory, errno);
    close(file_);
    file_ = -1;
    return;
  }
  munmap(trial, kBlockBytes);
}

ColdStore::~ColdStore() {
  writer_.reset();
  for (std::uint64_t region = released_ / kRegionBlocks; region < regions_.size(); ++region) {
    const std::uint64_t first = std::max(released_, region * kRegionBlocks);
    munmap(block(first), ((region + 1) * kRegionBlocks - first) * kBlockBytes);
  }
  if (file_ >= 0) close(file_);
}

std::uint64_t ColdStore::append(std::string_view bytes) {
  char* const begin = room(bytes.size());
  std::memcpy(begin, bytes.data(), bytes.size());
  return append_until(begin + bytes.size());
}

char* ColdStore::room(std::size_t bytes_max) {
  DCHECK(bytes_max <= kBlockBytes);
  if (bytes_max > kBlockBytes - used_) {
    if (blocks_ == regions_.size() * kRegionBlocks) add_region();
    write_full_blocks();
    ++blocks_;
    used_ = 0;
  }
  return block(blocks_ - 1) + used_;
}

std::uint64_t ColdStore::append_until(const char* end) {
  const std::uint64_t place = this->end();
  used_ = static_cast<std::size_t>(end - block(blocks_ - 1));
  return place;
}

void ColdStore::add_region() {
  void* const region = map_memory(nullptr, kRegionBytes);
  CHECK(region != MAP_FAILED, "no address space left: is it limited (ulimit -v)?");
  madvise(region, kRegionBytes, MADV_NOHUGEPAGE);  // a block is soon written, and its memory free again
  regions_.push_back(static_cast<char*>(region));
}

// In order, so those that an earlier attempt could not write come first. Not all of them at once: whoever
// appends would wait until the disk has what it refused for hours.
void ColdStore::write_full_blocks() {
  if (file_ < 0) return;
  if (writer_ == nullptr && blocks_ > 0) writer_ = std::make_unique<Writer>(file_);
  for (const std::uint64_t end = std::min(blocks_, asked_ + kAskedMax); asked_ < end;) {
    if (asked_ - written_ == kBehind && !take_written(block(blocks_))) return;
    writer_->ask(block(asked_), asked_ * kBlockBytes);
    ++asked_;
  }
}

bool ColdStore::take_written(char* next) {
  const int error = writer_->answer();
  if (error == 0) {
    status_ = {};
    put_file_in_place(next);
    return true;
  }
  status_ = io_error("writing the file of uniques", error);
  // Those behind it are to be written again after it.
  for (std::uint64_t number = written_ + 1; number < asked_; ++number) writer_->answer();
  asked_ = written_;
  return false;
}

// The same bytes at the same address, now the file's. The memory that held them need not be cleared and
// touched again where the next block needs some.
void ColdStore::put_file_in_place(char* next) {
  char* const at = block(written_);
  constexpr int kMove = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;  // Linux 5.7
  if (next != nullptr && mremap(at, kBlockBytes, kBlockBytes, kMove, next) != next)
    CHECK(map_memory(next, kBlockBytes) == next, "the system refuses one more mapping");
  CHECK(map_file(at, file_, written_ * kBlockBytes) == at, "the system refuses one more mapping");
  madvise(at, kBlockBytes, MADV_RANDOM);  // one entry here, one there: reading ahead would be in vain
  ++written_;
  ++file_blocks_;
}

void ColdStore::release_before(std::uint64_t place) {
  const std::uint64_t to = std::min(place / kBlockBytes, blocks_);
  while (written_ < std::min(to, asked_) && take_written(nullptr)) {
  }
  for (; released_ < to; ++released_) {
    munmap(block(released_), kBlockBytes);
    if (released_ >= written_) continue;
    const int punched = fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                  static_cast<off_t>(released_ * kBlockBytes), kBlockBytes);
    if (punched == 0) --file_blocks_;  // some file systems cannot, and the room stays taken
  }
  written_ = std::max(written_, released_);
  asked_ = std::max(asked_, written_);
}

std::size_t ColdStore::bytes() const {
  return (blocks_ - std::max(written_, released_)) * kBlockBytes + regions_.capacity() * sizeof(regions_[0]);
}

}  // namespace neardup
