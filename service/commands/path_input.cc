#include "service/commands/path_input.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "core/base/ascii.h"
#include "core/text/charset_decoder.h"
#include "core/text/utf8.h"
#include "service/codec/file_kind.h"
#include "service/codec/message_head.h"
#include "service/codec/unpacking.h"
#include "service/commands/streams.h"

namespace neardup {
namespace {

constexpr std::size_t kPageBlockBytes = std::size_t{256} << 10;
constexpr int kLookMs = 200;  // how often a wait for input looks whether to stop
constexpr std::string_view kStdin = "-";
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kFirstLineMax = std::size_t{64} << 10;  // of an object that goes on below it

bool ends_with_any(std::string_view path, std::span<const std::string_view> endings) {
  path = without_packed_ending(path);
  return std::ranges::any_of(endings,
                             [&](std::string_view ending) { return ends_with_ignoring_case(path, ending); });
}

// Of a FIFO that nobody writes to as well: for whoever does, wait_for_more waits. Where another process has a
// lease of the file, it is waited for.
int open_source(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  return fd < 0 && errno == EWOULDBLOCK ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : fd;
}

// Standard input is not ours to close.
void close_source(int fd, const std::string& path) {
  if (path != kStdin) ::close(fd);
}

// Of a WARC's response: its block begins as one of HTTP does, whose status is none of success. Heads that say
// that there is more to come (100, 103) may stand before.
bool is_failure(std::string_view block) {
  std::optional<int> status;
  while (!status || *status < 200) {
    MessageHead head(block);
    if (!head.status()) break;
    status = head.status();
    while (head.next()) continue;
    block = head.behind().value_or("");
  }
  return status && (*status < 200 || *status > 299);
}

constexpr std::string_view kTar = "ustar";
constexpr std::size_t kTarAt = 257;

// Of what begins a file; "": there may be.
std::string why_no_lines(std::string_view bytes) {
  // Behind fields with zeros at their ends; a line may have the word there, too.
  const std::string_view tar = bytes.substr(std::min(kTarAt, bytes.size()));
  const bool is_tar = tar.starts_with(kTar) && bytes.substr(0, kTarAt).find('\0') != std::string_view::npos;
  if (is_no_page(bytes) || is_tar) {
    return "holds no lines: it begins as a PDF, an image or an archive does; take the words of it, or "
           "unpack it (gzip and zstd need not be)";
  }
  const bool has_mark = begins_with_utf16_mark(bytes);
  const std::optional<Charset> utf16 = utf16_by_zeros(bytes);
  if (!has_mark && !utf16) return "";
  const std::string_view name = has_mark ? "UTF-16" : *utf16 == Charset::kUtf16Le ? "UTF-16LE" : "UTF-16BE";
  return fmt::format("is UTF-16, and lines are read in UTF-8: make it that with iconv -f {} -t UTF-8", name);
}

std::string shown(const std::string& path) { return path == kStdin ? "standard input" : harmless(path); }

}  // namespace

std::string place_name(std::string_view topic, std::int64_t offset) {
  return fmt::format("{}:{}", topic, offset + 1);
}

std::string alternatives(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " or ";
    text += words[i];
  }
  return text;
}

PathInput::PathInput(std::vector<std::string> paths, int stdin_fd, std::size_t document_bytes_max,
                     const std::atomic<bool>& stop, int output_fd)
    : stdin_fd_(stdin_fd),
      bytes_kept_max_(document_bytes_max + 1),
      stop_(stop),
      page_block_(kPageBlockBytes),
      warc_(bytes_kept_max_) {
  if (struct stat file{}; ::fstat(output_fd, &file) == 0 && S_ISREG(file.st_mode))
    output_ = FileId{file.st_dev, file.st_ino};
  if (paths.empty()) paths.emplace_back(kStdin);
  std::ranges::reverse(paths);
  for (std::string& path : paths) ahead_.push_back({std::move(path), What::kGiven});
}

PathInput::~PathInput() { close_lines(); }

std::vector<Error> PathInput::take_errors() { return std::exchange(errors_, {}); }

std::vector<std::string> PathInput::take_remarks() { return std::exchange(remarks_, {}); }

std::string PathInput::left_out() const {
  std::vector<std::string> passed_over;
  if (passed_over_ > 0) passed_over.push_back(fmt::format("{} WARC records that hold no page", passed_over_));
  if (failures_ > 0)
    passed_over.push_back(fmt::format("{} responses of WARCs whose HTTP status is not 2xx", failures_));
  std::vector<std::string> clauses;
  if (!passed_over.empty()) clauses.push_back(fmt::format("passed over {}", fmt::join(passed_over, " and ")));
  const std::string nothing = is_nothing() ? "nothing to read: " : "";
  if (links_ > 0) {
    clauses.push_back(
        fmt::format("{}left out {} links and special files of folders, which are read if they are named",
                    nothing, links_));
  }
  if (skipped_ > 0 || (is_nothing() && links_ == 0)) {
    std::vector<std::string_view> endings(kPageEndings.begin(), kPageEndings.end());
    endings.insert(endings.end(), kLineEndings.begin(), kLineEndings.end());
    const std::string which =
        is_whole_ ? "each plain file is read"
                  : "a name must end in " + alternatives(endings) + ", packed (.gz, .zst) or not";
    const std::string skipped =
        skipped_ == 0 ? "" : fmt::format("skipped {} other files{} ", skipped_, is_nothing() ? "," : ":");
    clauses.push_back(fmt::format("{}{}below a folder {}", links_ > 0 ? "" : nothing, skipped, which));
  }
  return fmt::format("{}", fmt::join(clauses, "; "));
}

bool PathInput::next(PathBatch& batch, Wait wait) {
  batch.records.clear();
  batch.bytes.clear();
  places_.clear();
  while (!full(batch) && !stop_.load(std::memory_order_relaxed)) {
    if (fd_ >= 0) {
      if (!take_from_lines(batch, wait)) break;
    } else if (ahead_.empty()) {
      break;
    } else if (ahead_.back().what == What::kPage) {
      if (!begin_kind(PathBatch::Kind::kPages, batch)) break;
      const Entry entry = std::move(ahead_.back());
      ahead_.pop_back();
      read_page(entry.path, batch);
    } else {
      const Entry entry = std::move(ahead_.back());
      ahead_.pop_back();
      open(entry);
    }
  }

  const std::string_view bytes = batch.bytes;  // at rest from here on
  for (const Place& place : places_) {
    Record record;
    record.source = place.source;
    if (place.key_size > 0) record.key = bytes.substr(place.begin - place.key_size, place.key_size);
    record.value = bytes.substr(place.begin, place.size);
    record.timestamp_ms = place.time_ms;
    batch.records.push_back(record);
  }
  return !batch.records.empty();
}

bool PathInput::full(const PathBatch& batch) const {
  return places_.size() >= kBatchRecordsMax || batch.bytes.size() >= kBatchBytesMax;
}

// False: the batch is of another one already.
bool PathInput::begin_kind(PathBatch::Kind kind, PathBatch& batch) const {
  if (!places_.empty() && batch.kind != kind) return false;
  batch.kind = kind;
  return true;
}

void PathInput::open(const Entry& entry) {
  switch (entry.what) {
    case What::kGiven:
      return open_given(entry.path);
    case What::kFolder:
      return open_folder(entry.path);
    case What::kLines:
    case What::kPage:
      return open_lines(entry.path);
  }
}

// What a person names is read, whatever it is called.
void PathInput::open_given(const std::string& path) {
  given_ = path;
  given_is_topic_ = false;
  errors_of_.reset();  // whoever names a path twice has it read twice
  if (path != kStdin) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) return fail(path, std::strerror(error ? error.value() : ENOENT));
    if (std::filesystem::is_directory(status)) return open_folder(path);
  }
  if (is_whole_ || ends_with_any(path, kPageEndings)) {
    ahead_.push_back({path, What::kPage});
  } else {
    open_lines(path);
  }
}

void PathInput::open_folder(const std::string& path) {
  const auto what_is = [this](const std::string& name) -> std::optional<What> {
    if (is_whole_ || ends_with_any(name, kPageEndings)) return What::kPage;
    if (ends_with_any(name, kLineEndings)) return What::kLines;
    return std::nullopt;
  };
  std::error_code error;
  std::vector<std::pair<std::string, What>> names;  // a folder's with its slash: so names sort as paths do
  for (std::filesystem::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    std::error_code unknown;
    const std::filesystem::file_status status = at->symlink_status(unknown);
    if (std::filesystem::is_directory(status)) {
      names.emplace_back(name + "/", What::kFolder);
    } else if (const std::optional<What> what = what_is(name); !what) {
      ++skipped_;
    } else if (!std::filesystem::is_regular_file(status)) {
      ++links_;
    } else {
      names.emplace_back(std::move(name), *what);
    }
  }
  if (error) {
    fail(path, std::strerror(error.value()));
  } else {
    has_folder_ = true;
  }
  std::ranges::sort(names, std::greater<>());
  const std::string prefix = path.ends_with('/') ? path : path + "/";
  for (auto& [name, what] : names) ahead_.push_back({prefix + name, what});
}

void PathInput::open_lines(const std::string& path) {
  const int fd = path == kStdin ? stdin_fd_ : open_source(path);
  if (fd < 0) return fail(path, std::strerror(errno));
  if (leave_out_output(fd, path)) return;
  fd_ = fd;
  fd_path_ = path;
  file_.open(fd);
  next_line_ = {add_topic(name_of(path)), 0, 0};
  shape_ = Shape::kUnknown;
  opening_.clear();
  is_at_end_ = false;
  items_ = {};
  warc_ = WarcRecords(bytes_kept_max_);
  is_warc_told_ = false;
  is_break_ = false;
}

// True, and `fd` is done with, if it is of the file that we write to. Of two names of a file one is enough.
bool PathInput::leave_out_output(int fd, const std::string& path) {
  struct stat file{};
  if (!output_ || ::fstat(fd, &file) != 0 || FileId{file.st_dev, file.st_ino} != *output_) return false;
  close_source(fd, path);
  constexpr std::string_view kWhy = "it is the output too, so it is not read";
  if (path == given_) {
    fail(path, kWhy);
  } else {
    remarks_.push_back(fmt::format("{}: {}", shown(path), kWhy));
  }
  return true;
}

void PathInput::close_lines() {
  if (fd_ >= 0) close_source(fd_, fd_path_);
  fd_ = -1;
}

void PathInput::read_page(const std::string& path, PathBatch& batch) {
  const int fd = path == kStdin ? stdin_fd_ : open_source(path);
  if (fd < 0) return fail(path, std::strerror(errno));
  if (leave_out_output(fd, path)) return;
  const std::string& name = name_of(path);
  const std::size_t page_begin = batch.bytes.size();
  batch.bytes += name;
  const std::size_t begin = batch.bytes.size();
  bool is_stopped = false;
  int error = 0;
  for (ssize_t got = 1; got != 0 && error == 0;) {
    const std::size_t room = bytes_kept_max_ - (batch.bytes.size() - begin);
    is_stopped = room > 0 && !wait_for_more(fd, Wait::kYes);
    if (room == 0 || is_stopped) break;
    got = read_some(fd, page_block_.data(), std::min(page_block_.size(), room));
    if (got > 0) batch.bytes.append(page_block_.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EWOULDBLOCK) error = errno;
  }
  close_source(fd, path);
  if (is_stopped || error != 0) {
    batch.bytes.resize(page_begin);
    if (error != 0) fail(path, std::strerror(error));
    return;
  }
  if (!given_is_topic_) {
    given_is_topic_ = true;
    page_ = {add_topic(name_of(given_)), 0, 0};
  }
  places_.push_back({page_, name.size(), begin, batch.bytes.size() - begin, 0});
  ++page_.offset;
}

// One block at most. False: there is nothing more for the moment, or not for this batch.
bool PathInput::take_from_lines(PathBatch& batch, Wait wait) {
  if (shape_ != Shape::kUnknown && !begin_kind(kind_of_lines(), batch)) return false;
  if (!has_pieces()) {
    switch (look(places_.empty() ? wait : Wait::kNo)) {
      case Look::kNothingYet:
        return false;
      case Look::kAgain:
        return true;
      case Look::kEnd:
        end_lines(batch);
        return true;
      case Look::kBytes:
        if (shape_ != Shape::kUnknown) break;
        find_shape();
        return true;
    }
  }
  take_pieces(batch);
  return true;
}

// Fills `unread_`.
PathInput::Look PathInput::look(Wait wait) {
  if (is_at_end_) return Look::kEnd;
  if (!file_.has_more() && !wait_for_more(fd_, wait)) return Look::kNothingYet;
  const Result<std::optional<std::string_view>> read = file_.read();
  const bool is_warc =
      shape_ == Shape::kWarc || (shape_ == Shape::kUnknown && ends_with_any(fd_path_, kWarcEndings));
  is_break_ = !read && read.error().code == ErrorCode::kCorrupt && is_warc && file_.resume();
  if (is_break_) {
    shape_ = Shape::kWarc;
    is_at_end_ = true;
    return Look::kEnd;
  }
  if (!read) {
    fail(fd_path_, read.error().message, read.error().code);
    if (shape_ != Shape::kWarc) record_.clear();  // it is not whole
    items_ = {};                                  // as was told
    is_at_end_ = true;
    return Look::kEnd;
  }
  warc_.set_unproven(file_.unproven_bytes());
  if (!*read) return Look::kAgain;
  unread_ = **read;
  is_at_end_ = unread_.empty();
  return is_at_end_ ? Look::kEnd : Look::kBytes;
}

void PathInput::end_lines(PathBatch& batch) {
  if (shape_ == Shape::kUnknown && !opening_.empty()) {  // now it will not become more
    find_shape();
    return;
  }
  if (shape_ == Shape::kWarc) {
    if (!warc_.end()) return take_pieces(batch);
    if (is_break_) {
      record_.clear();
      is_at_end_ = is_break_ = false;
      return;
    }
    tell_damage_of_warc();
    passed_over_ += warc_.passed_over();
  } else if (!record_.empty()) {
    end_record(record_, batch);
  }
  if (!items_.is_whole()) fail(fd_path_, "ends too early: its array, or the last object, is not closed");
  record_.clear();
  close_lines();
}

void PathInput::tell_damage_of_warc() {
  std::vector<std::string> clauses;
  if (file_.breaks() > 0)
    clauses.push_back(fmt::format("{} gzips in it cannot be unpacked to their ends", file_.breaks()));
  if (const std::uint64_t count = warc_.cut_short(); count > 0) {
    const std::string& first = warc_.cut_short_first();
    clauses.push_back(fmt::format("{} WARC records have less than their Content-Length says{}{}", count,
                                  first.empty() ? "" : ", the first that of ", harmless(first)));
  }
  if (const std::uint64_t count = warc_.damaged_bytes(); count > 0)
    clauses.push_back(fmt::format("{} bytes are of no WARC record", count));
  if (const std::uint64_t count = warc_.not_whole(); count > 0) {
    clauses.push_back(fmt::format("{} WARC records are not whole: what came of them, {} bytes, is left out",
                                  count, warc_.not_whole_bytes()));
  }
  if (!clauses.empty()) fail(fd_path_, fmt::format("is damaged: {}", fmt::join(clauses, "; ")));
}

// True where a read will answer at once.
bool PathInput::wait_for_more(int fd, Wait wait) const {
  pollfd wanted{fd, POLLIN, 0};
  while (!stop_.load(std::memory_order_relaxed)) {
    const int ready = ::poll(&wanted, 1, wait == Wait::kYes ? kLookMs : 0);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;  // an error is for read to tell
    if (ready == 0 && wait == Wait::kNo) return false;
  }
  return false;
}

// An array is what begins with a bracket and then an object, or nothing: "[Verse 1]" is a line. Of objects
// over several lines the first line ends with a brace or a comma, and the next one begins with a key: else it
// may be one that is broken. Nobody waits for that beyond the size of a document, or for a long line's end.
void PathInput::find_shape() {
  opening_ += std::exchange(unread_, {});
  const auto skip_blanks = [](std::string_view bytes) {
    bytes.remove_prefix(std::min(bytes.find_first_not_of(kBlanks), bytes.size()));
    return bytes;
  };
  const std::string_view begin = skip_blanks(without_mark(skip_blanks(opening_)));
  const bool opens = begin.starts_with('[') || begin.starts_with('{');
  const std::string_view inside = opens ? skip_blanks(begin.substr(1)) : begin;
  const std::size_t line_end = begin.starts_with('{') ? begin.find('\n') : std::string_view::npos;
  const bool has_line = line_end != std::string_view::npos;
  const std::string_view line = trimmed(begin.substr(0, has_line ? line_end : 0));
  const bool may_go_on = line.ends_with('{') || line.ends_with(',');
  const std::string_view below = may_go_on ? skip_blanks(begin.substr(line_end)) : std::string_view();
  const bool may_become_objects =
      begin.starts_with('{') && (has_line ? may_go_on && below.empty() : begin.size() < kFirstLineMax);
  const bool is_named_warc = ends_with_any(fd_path_, kWarcEndings);
  const bool may_become_warc = begin.size() < kWarcOpening.size() && kWarcOpening.starts_with(begin);
  // A pipe may give its first bytes one by one.
  const bool may_become_other =
      opening_.size() < kTarAt + kTar.size() && !opens && opening_.find('\n') == std::string::npos;
  const bool is_open = inside.empty() || may_become_objects || may_become_warc || may_become_other;
  if (is_open && !is_at_end_ && opening_.size() < bytes_kept_max_) return;
  const bool is_warc = is_named_warc || begin.starts_with(kWarcOpening);
  const bool is_array = begin.starts_with('[') && (inside.starts_with('{') || inside.starts_with(']'));
  shape_ = is_warc ? Shape::kWarc : is_array || below.starts_with('"') ? Shape::kArray : Shape::kLines;
  if (const std::string why = why_no_lines(opening_); shape_ == Shape::kLines && !why.empty()) {
    fail(fd_path_, why);
    is_at_end_ = true;
    return;
  }
  unread_ = shape_ == Shape::kLines ? opening_ : begin;
}

PathBatch::Kind PathInput::kind_of_lines() const {
  return shape_ == Shape::kWarc ? PathBatch::Kind::kArchive : PathBatch::Kind::kLines;
}

bool PathInput::has_pieces() const {
  return !unread_.empty() || (shape_ == Shape::kWarc && warc_.has_more());
}

void PathInput::take_pieces(PathBatch& batch) {
  while (has_pieces() && !full(batch)) {
    const auto [bytes, ends] = take_piece();
    if (ends && record_.empty()) {
      end_record(bytes.substr(0, bytes_kept_max_), batch);
      continue;
    }
    record_.append(bytes.substr(0, bytes_kept_max_ - std::min(record_.size(), bytes_kept_max_)));
    if (!ends) continue;
    end_record(record_, batch);
    record_.clear();
  }
}

Piece PathInput::take_piece() {
  switch (shape_) {
    case Shape::kArray:
      return items_.take(unread_);
    case Shape::kWarc:
      return warc_.take(unread_);
    case Shape::kUnknown:
    case Shape::kLines:
      break;
  }
  return take_line();
}

Piece PathInput::take_line() {
  const std::size_t end = unread_.find('\n');
  const bool ends = end != std::string_view::npos;
  const Piece piece = {unread_.substr(0, end), ends};
  unread_.remove_prefix(ends ? end + 1 : unread_.size());
  return piece;
}

// A line without a word is no document, but it is counted: offsets are numbers of lines, of items, or of a
// WARC's records.
void PathInput::end_record(std::string_view bytes, PathBatch& batch) {
  const Source source = next_line_;
  ++next_line_.offset;
  if (bytes.find_first_not_of(kBlanks) == std::string_view::npos) return;
  if (shape_ == Shape::kWarc && warc_.is_response() &&
      is_failure(bytes.substr(std::min(warc_.head_bytes(), bytes.size())))) {
    ++failures_;
    return;
  }
  if (shape_ == Shape::kLines && !is_warc_told_ && bytes.starts_with(kWarcOpening) &&
      opens_warc_record(trimmed(bytes, "\r"))) {
    is_warc_told_ = true;
    remarks_.push_back(fmt::format(
        "{}: a WARC record begins in line {}, but not the file, so it is read as lines: take away what "
        "stands before, or give it a name that ends in {}",
        shown(fd_path_), source.offset + 1, alternatives(kWarcEndings)));
  }
  Place place{source, 0, 0, bytes.size(), 0};
  const std::size_t begin = batch.bytes.size();
  if (shape_ == Shape::kWarc) {
    place.source.offset = warc_.number();
    place.time_ms = warc_.time_ms().value_or(0);
    batch.bytes += warc_.name();
  } else {
    batch.bytes += place_name(topic_names_[source.topic], source.offset);
  }
  place.begin = batch.bytes.size();
  place.key_size = place.begin - begin;
  places_.push_back(place);
  batch.bytes += bytes;
}

const std::string& PathInput::name_of(const std::string& path) const {
  return path == kStdin ? stdin_name_ : path;
}

std::uint32_t PathInput::add_topic(const std::string& name) {
  topic_names_.push_back(name);
  return static_cast<std::uint32_t>(topic_names_.size() - 1);
}

void PathInput::fail(const std::string& path, std::string_view why, ErrorCode code) {
  errors_.push_back({code, fmt::format("{}: {}", shown(path), why)});
  if (errors_of_ == path) return;
  errors_of_ = path;
  ++unreadable_;
}

}  // namespace neardup
