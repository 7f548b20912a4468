// How do bytes reach the disk, and when are they there for good?
//
// A File is one open descriptor; every failure comes back as kIo with the path and the system's words. What
// `sync` and `write_durably` return from is on the disk, as far as the disk tells the truth.
//
// Threads: one at a time per File.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"

namespace neardup {

class File {
 public:
  File() = default;
  ~File();
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(path_, other.path_);
    return *this;
  }

  // `flags` as of open(2). Error kNotFound if there is no such file.
  static Result<File> open(const std::string& path, int flags);

  bool is_open() const { return fd_ >= 0; }
  const std::string& path() const { return path_; }

  // All of `bytes` at `offset`.
  Status write_at(std::string_view bytes, std::uint64_t offset);
  // As much as there is; less than `into` only at the file's end.
  Result<std::size_t> read_at(std::span<char> into, std::uint64_t offset) const;
  Result<std::uint64_t> size() const;
  Status truncate(std::uint64_t size);
  Status sync();
  // False: another process holds it.
  Result<bool> lock();
  // False: its name is gone, or another file has it. Who only writes never learns of that.
  Result<bool> has_its_name() const;

 private:
  File(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  Error failed(const char* doing) const;

  int fd_ = -1;
  std::string path_;
};

// The names in `folder` are there for good.
Status sync_folder(const std::string& folder);

// `folder` is there, and those above it; for good, where this call makes them. Error kIo.
Status make_folder(const std::string& folder);

// FOLDER/NAME holds `bytes` for good, or what it held before: never a part. What fails leaves no draft.
Status write_durably(const std::string& folder, const std::string& name, std::string_view bytes);

// There is no such file any more; whether for good, the folder's sync tells. Error kIo.
Status remove_file(const std::string& path);

// The whole file. Error kCorrupt when it is larger than `bytes_max`.
Result<std::string> read_file(const std::string& path, std::size_t bytes_max);

}  // namespace neardup
