// Which records do these paths hold?
//
//   -              standard input, one JSON document a line
//   a folder       its files, all the way down, in the byte order of their paths, so that every run and every
//                  machine sees the same order; symbolic links are not followed
//   a file         of a page's ending: one page; else one JSON document a line
//
// A file of lines may be one array instead, or objects over several lines each (array_items.h), or a WARC
// (warc_records.h), by its ending or by what it begins with: then its items, or its pages, are the records.
// Each may be packed (unpacking.h): lines, arrays and WARCs are unpacked as they are read, and a page is
// handed on as it is.
//
// Of a WARC's responses those are pages whose HTTP status is one of success (2xx): what a server says of a
// page that it does not have is no page. Common Crawl keeps them apart, too.
//
// take_whole() makes a page of each file, whatever its name, and of standard input.
//
// Inside a folder files are read that have an ending of pages or of lines; others are skipped and counted.
// The file that we write to is no input: what is read there would be written there again, without an end.
// Lines, pages and those of a WARC come in batches of one kind. A batch ends when it is full, when the kind
// changes, or when whoever writes to us has nothing more for the moment: then what is there must be answered.
//
// A source's topic is the file of lines, or for pages the path given; its offset is the number of the line,
// of the item, of the WARC's record or of the page under that path, from 0. So names grow with the files of
// lines, never with pages.
//
// Cost:    one copy of each byte, and what unpacking takes where it is packed. A record longer than
//          document_bytes_max is kept to one byte more than that, which is enough to reject it: memory is
//          bounded by one batch and one document.
// Threads: none inside.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "service/codec/record.h"
#include "service/commands/array_items.h"
#include "service/commands/piece.h"
#include "service/commands/unpacked_file.h"
#include "service/commands/warc_records.h"

namespace neardup {

inline constexpr std::array<std::string_view, 5> kPageEndings = {".html", ".htm", ".xhtml", ".txt", ".md"};
inline constexpr std::array<std::string_view, 5> kLineEndings = {".jsonl", ".ndjson", ".json", ".warc",
                                                                 ".wet"};
inline constexpr auto kWarcEndings = std::span(kLineEndings).last<2>();

// What a line without an id is called, by its file and its number there, from 0: FILE:NUMBER, from 1.
std::string place_name(std::string_view topic, std::int64_t offset);

// "a, b or c": for people.
std::string alternatives(std::span<const std::string_view> words);

inline constexpr std::string_view kStdinName = "stdin";  // as a topic

struct PathBatch {
  enum class Kind : std::uint8_t {
    kLines,    // keyed by where each lies: place_name
    kPages,    // keyed by the path
    kArchive,  // of a WARC, with its head, keyed by its name there
  };

  Kind kind = Kind::kLines;
  std::vector<Record> records;  // views into `bytes`
  std::string bytes;
};

class PathInput {
 public:
  // Few enough that a batch is still in the caches when it is decided.
  static constexpr std::size_t kBatchRecordsMax = 512;
  static constexpr std::size_t kBatchBytesMax = std::size_t{1} << 20;  // one document may pass it

  // `stdin_fd` is read for "-" and never closed. Where `stop` turns true the input ends at the next look.
  // No paths mean "-". `output_fd`: where the answers go, -1 if that is no stream.
  PathInput(std::vector<std::string> paths, int stdin_fd, std::size_t document_bytes_max,
            const std::atomic<bool>& stop, int output_fd = -1);
  ~PathInput();
  PathInput(const PathInput&) = delete;
  PathInput& operator=(const PathInput&) = delete;

  enum class Wait : std::uint8_t { kYes, kNo };

  // What standard input is called, its topic and so its lines. REQUIRES: nothing was read.
  void name_stdin(std::string name) { stdin_name_ = std::move(name); }

  // Each file is one page, and so is standard input, by its name. REQUIRES: nothing was read.
  void take_whole() { is_whole_ = true; }

  // Replaces `batch` with the next records, one at least. False: the input has ended, or with kNo there is
  // nothing for the moment.
  [[nodiscard]] bool next(PathBatch& batch, Wait wait = Wait::kYes);

  // What could not be read, since the last call. The input goes on behind it.
  std::vector<Error> take_errors();
  // Files and folders of which there were such errors: of a damaged file there may be several.
  std::uint64_t unreadable() const { return unreadable_; }
  // What else is to be told since then: that our output, below a folder, was left out, whom nobody named, or
  // that a file of lines looks like a WARC.
  std::vector<std::string> take_remarks();

  const std::vector<std::string>& topic_names() const { return topic_names_; }
  // The input has ended, there were folders, and not one file was there to be read.
  bool is_nothing() const { return has_folder_ && ahead_.empty() && topic_names_.empty(); }
  // How many files of folders were neither lines nor pages, and which are, and how many were no plain files;
  // and how many records of WARCs hold no page, or one that a server did not have. "": nothing is to be told.
  std::string left_out() const;

 private:
  enum class What : std::uint8_t { kGiven, kFolder, kLines, kPage };
  enum class Shape : std::uint8_t { kUnknown, kLines, kArray, kWarc };
  enum class Look : std::uint8_t { kBytes, kEnd, kAgain, kNothingYet };
  struct Entry {
    std::string path;
    What what;
  };
  struct FileId {
    std::uint64_t device;
    std::uint64_t inode;
    bool operator==(const FileId&) const = default;
  };
  struct Place {  // where a record lies in PathBatch::bytes, which moves while it grows
    Source source;
    std::size_t key_size;  // the key stands right before the value
    std::size_t begin;
    std::size_t size;
    std::int64_t time_ms;
  };

  bool full(const PathBatch& batch) const;
  bool begin_kind(PathBatch::Kind kind, PathBatch& batch) const;
  void open(const Entry& entry);
  void open_given(const std::string& path);
  void open_folder(const std::string& path);
  void open_lines(const std::string& path);
  bool leave_out_output(int fd, const std::string& path);
  void close_lines();
  void read_page(const std::string& path, PathBatch& batch);
  bool take_from_lines(PathBatch& batch, Wait wait);
  Look look(Wait wait);
  bool wait_for_more(int fd, Wait wait) const;
  void find_shape();
  PathBatch::Kind kind_of_lines() const;
  bool has_pieces() const;
  void take_pieces(PathBatch& batch);
  void end_lines(PathBatch& batch);
  void tell_damage_of_warc();
  void end_record(std::string_view bytes, PathBatch& batch);
  Piece take_piece();
  Piece take_line();
  const std::string& name_of(const std::string& path) const;
  std::uint32_t add_topic(const std::string& name);
  void fail(const std::string& path, std::string_view why, ErrorCode code = ErrorCode::kIo);

  const int stdin_fd_;
  std::string stdin_name_ = std::string(kStdinName);
  bool is_whole_ = false;
  const std::size_t bytes_kept_max_;  // of a line or page: one more than a document may have
  const std::atomic<bool>& stop_;
  std::optional<FileId> output_;  // if it is a file

  std::vector<Entry> ahead_;  // still to be read, the next one last
  bool has_folder_ = false;
  std::string given_;  // the path from the command line that we are in
  bool given_is_topic_ = false;
  Source page_;  // of the next page under it
  std::vector<char> page_block_;

  int fd_ = -1;  // the open file of lines
  std::string fd_path_;
  UnpackedFile file_;
  Source next_line_;
  Shape shape_ = Shape::kUnknown;  // of the open file: its first bytes that are not blank tell
  std::string opening_;            // what came until then
  bool is_at_end_ = false;         // of it, or where it can be read no further
  ArrayItems items_;
  WarcRecords warc_;
  bool is_warc_told_ = false;  // that the open file of lines may be one
  bool is_break_ = false;      // not its end: the file goes on behind it
  std::string_view unread_;    // the rest of what file_ gave, or of opening_
  std::string record_;         // the beginning of a record whose end has not come yet

  std::vector<Place> places_;  // of the batch being made
  std::vector<std::string> topic_names_;
  std::vector<Error> errors_;
  std::optional<std::string> errors_of_;  // the last path that there were some of
  std::uint64_t unreadable_ = 0;
  std::vector<std::string> remarks_;
  std::uint64_t skipped_ = 0;      // files
  std::uint64_t links_ = 0;        // and what is none, by its name
  std::uint64_t passed_over_ = 0;  // records of WARCs: of other types,
  std::uint64_t failures_ = 0;     // and responses that are no success
};

}  // namespace neardup
