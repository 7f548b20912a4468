// What comes in?
//
// A document as the codec (or a file reader) hands it over: who it is, where it lay, and its words. Its text
// may be any bytes; making sense of them is the signer's work.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace neardup {

// Where a document lay. `topic` is an ordinal whose name the shell knows (core never needs it): the journal's
// topic table in the service, the list of files in `scan`.
struct Source {
  std::uint32_t topic = 0;
  std::int32_t partition = 0;
  std::int64_t offset = 0;  // Kafka offset, or line number from 0 in a file

  friend auto operator<=>(const Source&, const Source&) = default;
};

struct Document {
  enum class Format : std::uint8_t {
    kText,
    kHtml,
    kDigest,  // the body is the producer's own digest of a content that nobody sends: all that is known of it
  };

  std::string id;    // 1 .. kIdBytesMax bytes, the producer's own name for the document
  std::string url;   // 0 .. kUrlBytesMax bytes; empty when unknown
  std::string body;  // 0 .. kDocumentBytesMax bytes; claimed to be UTF-8, may be anything
  Format format = Format::kText;
  std::int64_t event_time_ms = 0;  // since the epoch, UTC; 0 when unknown
  Source source;
};

}  // namespace neardup
