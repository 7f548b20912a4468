#include "service/snapshot/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "service/fault_point.h"

namespace neardup {
namespace {

constexpr mode_t kMode = 0640;

Error system_error(const std::string& path, const char* doing) {
  const int error = errno;
  return {error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
          path + ": " + doing + ": " + std::generic_category().message(error)};
}

Status write_and_sync(const std::string& path, std::string_view bytes) {
  Result<File> file = File::open(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file) return file.error();
  if (Status status = file->write_at(bytes, 0); !status) return status;
  return file->sync();
}

}  // namespace

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

Error File::failed(const char* doing) const { return system_error(path_, doing); }

Result<File> File::open(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, kMode);
  if (fd < 0) return system_error(path, "opening it");
  return File(fd, path);
}

Status File::write_at(std::string_view bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("writing");
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

Result<std::size_t> File::read_at(std::span<char> into, std::uint64_t offset) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got =
        ::pread(fd_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("reading");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Result<std::uint64_t> File::size() const {
  struct stat about{};
  if (::fstat(fd_, &about) != 0) return failed("asking for its size");
  return static_cast<std::uint64_t>(about.st_size);
}

Status File::truncate(std::uint64_t size) {
  if (::ftruncate(fd_, static_cast<off_t>(size)) != 0) return failed("cutting it");
  return {};
}

Status File::sync() {
  if (::fsync(fd_) != 0) return failed("making it durable");
  return {};
}

Result<bool> File::lock() {
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK) return false;
  return failed("locking it");
}

Result<bool> File::has_its_name() const {
  struct stat open{};
  if (::fstat(fd_, &open) != 0) return failed("asking what it is");
  struct stat named{};
  if (::stat(path_.c_str(), &named) == 0) return named.st_dev == open.st_dev && named.st_ino == open.st_ino;
  if (errno == ENOENT) return false;
  return failed("asking for its name");
}

Status sync_folder(const std::string& folder) {
  Result<File> file = File::open(folder, O_RDONLY | O_DIRECTORY);
  if (!file) return file.error();
  return file->sync();
}

Status make_folder(const std::string& folder) {
  std::error_code error;
  const std::filesystem::file_status there = std::filesystem::status(folder, error);
  if (std::filesystem::is_directory(there)) return {};
  if (std::filesystem::exists(there)) {
    error = std::make_error_code(std::errc::not_a_directory);
    return Error{ErrorCode::kIo, folder + ": " + error.message()};
  }
  const std::string above = std::filesystem::path(folder).parent_path().string();
  if (!above.empty()) {
    if (Status status = make_folder(above); !status) return status;
  }
  std::filesystem::create_directory(folder, error);
  if (error) return Error{ErrorCode::kIo, folder + ": making the folder: " + error.message()};
  return sync_folder(above.empty() ? "." : above);
}

Status write_durably(const std::string& folder, const std::string& name, std::string_view bytes) {
  const std::string path = folder + "/" + name;
  const std::string draft = path + ".tmp";
  Status status = write_and_sync(draft, bytes);
  if (status) {
    FAULT_POINT(kDraftSynced);
    if (std::rename(draft.c_str(), path.c_str()) != 0) status = system_error(draft, "renaming it");
  }
  if (!status) {
    ::unlink(draft.c_str());  // the next try may have another name
    return status;
  }
  FAULT_POINT(kManifestRenamed);
  return sync_folder(folder);
}

Status remove_file(const std::string& path) {
  std::error_code error;
  std::filesystem::remove(path, error);
  return error ? Status(Error{ErrorCode::kIo, path + ": removing it: " + error.message()}) : Status();
}

Result<std::string> read_file(const std::string& path, std::size_t bytes_max) {
  Result<File> file = File::open(path, O_RDONLY);
  if (!file) return file.error();
  const Result<std::uint64_t> size = file->size();
  if (!size) return size.error();
  if (*size > bytes_max) {
    return Error{ErrorCode::kCorrupt,
                 path + ": has " + std::to_string(*size) + " bytes, more than it ever needs"};
  }
  std::string bytes(*size, '\0');
  const Result<std::size_t> got = file->read_at(bytes, 0);
  if (!got) return got.error();
  bytes.resize(*got);
  return bytes;
}

}  // namespace neardup
