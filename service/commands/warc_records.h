// Which pages does a WARC file hold?
//
// Crawlers and archives keep what they fetched so (Heritrix, Browsertrix, wget, Common Crawl, whose WET files
// hold the text alone). A record is a head, as many bytes as that says, and two empty lines:
//
//   WARC/1.1
//   WARC-Type: response                          whatever its status; also `resource` and `conversion` hold
//   WARC-Target-URI: https://example.org/        pages; `request`, `metadata`, `revisit`, `warcinfo`, what a
//   WARC-Date: 2026-05-01T12:30:00Z              name server said and a crawler's own notes are passed over
//   Content-Length: 1234
//
//   HTTP/1.1 200 OK ...                          for the codec to read (service/codec/http_message.h)
//
// A record comes in pieces, as the bytes do, its head first. What is no record is passed over up to the next
// line that opens one, and counted.
//
// A crawler that was killed leaves a record that has less than its head says, and the next one behind it:
//
//   Content-Length: 9000 .. <p>some wo|WARC/1.1 .. Content-Length: 700 .. </html>    WARC/1.1 ..
//                                     |<- kept until it is known how the block ends ->|
//
// Such a line in a block may as well be one of a page about WARCs. Where the block ends, and blank lines and
// a record follow, or nothing, it was; else the block ended before that line, and what was kept is read as
// records. It is, too, where the rest of the block is more than `kept_bytes_max`, which no page may have.
//
// Of what was packed, a damaged gzip may have unpacked to other bytes than were packed, without an end that
// would show it. So where the caller says that bytes are not proven, a record does not end yet at its last
// byte, but when they are, or where the next record opens: what was unpacked wrong does not do that. (So the
// records of a gzip that is one for the whole file, whose checksum stands behind the last of them, each wait
// for the next one alone.) Where neither comes the record is not whole.
//
// Cost:    a head is copied once; blocks are searched for such lines, and kept only behind one.
// Memory:  a head and what is kept, `kept_bytes_max` and what came at once.
// Threads: one at a time.
// Source:  ISO 28500 (WARC 1.0 and 1.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "service/commands/piece.h"

namespace neardup {

inline constexpr std::string_view kWarcRecordEnd = "\r\n\r\n";  // parts it from the next one

class WarcRecords {
 public:
  explicit WarcRecords(std::size_t kept_bytes_max) : kept_bytes_max_(kept_bytes_max) {}

  // Takes bytes from the front of `unread`: all of them, or up to where a piece ends, whose bytes live until
  // the next call at most. They may come from what was kept: then of `unread` nothing is taken.
  Piece take(std::string_view& unread);
  // Of the bytes that came so far, and those that are unread, so many at the end may be wrong.
  void set_unproven(std::uint64_t bytes) { unproven_ = bytes; }
  // There are pieces though nothing is unread.
  bool has_more() const {
    return (is_end_due_ && is_proven(0)) || ((!is_in_doubt_ || is_ending_) && !kept().empty());
  }

  // Of the record that the last piece is of.
  const std::string& name() const { return name_; }  // the page's URI; without one, the record's id
  std::int64_t number() const { return number_; }    // among all records of the file, from 0
  std::optional<std::int64_t> time_ms() const { return time_ms_; }  // when it was fetched
  bool is_response() const { return is_response_; }
  std::size_t head_bytes() const { return head_bytes_; }  // then its block begins

  // No more bytes will come, or none that go on where the last ones ended: what comes next begins a record.
  // False: there are pieces still, to be taken before this is asked again.
  bool end();
  std::uint64_t not_whole() const { return not_whole_; }  // records within which it came, or before proof,
  std::uint64_t not_whole_bytes() const { return not_whole_bytes_; }  // and what came of them
  std::uint64_t passed_over() const { return passed_over_; }          // records that hold no page
  std::uint64_t damaged_bytes() const { return damaged_bytes_; }      // of no record
  std::uint64_t cut_short() const { return cut_short_; }              // records that have less than they say
  const std::string& cut_short_first() const { return cut_short_first_; }  // its name

 private:
  enum class In : std::uint8_t { kNothing, kHead, kBlock, kOtherBlock };
  enum class Doubt : std::uint8_t { kStays, kNoRecord, kBlockGoesOn, kBlockEnded };

  std::string_view kept() const { return std::string_view(kept_).substr(kept_at_); }
  bool is_proven(std::size_t unread) const { return kept().size() + unread >= unproven_; }
  bool takes_end(std::size_t unread);
  Piece take_from(std::string_view& bytes);
  void gather_line(std::string_view& bytes);
  void end_line(std::string_view text);
  void end_head();
  void drop_head();
  void end_block();
  void count_not_whole(std::uint64_t bytes);
  Doubt doubt() const;
  void settle(Doubt doubt);

  std::size_t kept_bytes_max_;
  In in_ = In::kNothing;
  std::string line_;  // what came of one, outside blocks
  std::string head_;  // of the last record
  std::size_t head_bytes_ = 0;
  bool is_head_due_ = false;  // as a piece
  std::uint64_t block_bytes_ = 0;
  std::uint64_t block_left_ = 0;
  bool is_end_due_ = false;  // of the record whose last byte was taken
  std::uint64_t unproven_ = 0;

  // From a line in the block that may open a record, while it is in doubt; then read again.
  std::string kept_;
  std::size_t kept_at_ = 0;
  bool is_in_doubt_ = false;
  bool is_block_sure_ = false;  // it ends where its head says
  bool is_ending_ = false;      // nothing comes behind what is kept

  std::string name_;
  std::int64_t number_ = -1;
  std::optional<std::int64_t> time_ms_;
  bool is_response_ = false;
  std::uint64_t not_whole_ = 0;
  std::uint64_t not_whole_bytes_ = 0;
  std::uint64_t passed_over_ = 0;
  std::uint64_t damaged_bytes_ = 0;
  std::uint64_t cut_short_ = 0;
  std::string cut_short_first_;
};

}  // namespace neardup
