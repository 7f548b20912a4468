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
// line that opens one, and counted. One that has less than its head says takes what follows for the rest.
//
// Cost:    a head is copied once; blocks are neither copied nor looked at.
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
  // Takes bytes from the front of `unread`: all of them, or up to where a piece ends, whose bytes live until
  // the next call at most.
  Piece take(std::string_view& unread);

  // Of the record that the last piece is of.
  const std::string& name() const { return name_; }  // the page's URI; without one, the record's id
  std::int64_t number() const { return number_; }    // among all records of the file, from 0
  std::optional<std::int64_t> time_ms() const { return time_ms_; }  // when it was fetched

  // No more bytes will come. True: a record, or its head, is cut off.
  bool end();
  std::uint64_t passed_over() const { return passed_over_; }      // records that hold no page
  std::uint64_t damaged_bytes() const { return damaged_bytes_; }  // of no record

 private:
  enum class In : std::uint8_t { kNothing, kHead, kBlock, kOtherBlock };

  void gather_line(std::string_view& unread);
  void end_line(std::string_view text);
  void end_head();
  void drop_head();

  In in_ = In::kNothing;
  std::string line_;          // what came of one, outside blocks
  std::string head_;          // of the last record
  bool is_head_due_ = false;  // as a piece
  std::uint64_t block_left_ = 0;

  std::string name_;
  std::int64_t number_ = -1;
  std::optional<std::int64_t> time_ms_;
  std::uint64_t passed_over_ = 0;
  std::uint64_t damaged_bytes_ = 0;
};

}  // namespace neardup
