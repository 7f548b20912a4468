// Which document does this record hold?
//
// One record in, one Document or one RejectReason out; nothing that a producer sends can make it fail in
// another way. What counts as a document:
//
//   JSON    one object, UTF-8, at most kJsonDepthMax deep, nothing after it; a byte order mark before it is
//           forgiven. Bytes that are not UTF-8 make it kNotJson: JSON is UTF-8 by definition, and a producer
//           that has other bytes must send base64. Where a key stands twice, the first counts.
//   lists   of a preset's pointers the first that holds something usable wins: a non-empty string (a text
//           and html of more than spaces; for an id also an integer of any length), or an array whose first
//           element is one (Nutch sends every field so). A text or html in an array is all its strings, each
//           on a line of its own (as Scrapy's getall() finds paragraphs). Text goes before html, and html
//           before a digest of it, which is taken as it is.
//   page    a text, or a raw value, is read as html if it opens like a page (page_opening.h), or if its own
//           Content-Type says so; a raw value also if its key ends like one and none says text/plain.
//   base64  under `auto` it is unwrapped where that gives UTF-8 without control characters, UTF-16 with its
//           mark or its zeros, or in any charset what opens with a comment or a tag of html; or, where a
//           charset is declared, 256 bytes and more without control characters (but in UTF-16); and where it
//           gives a response of HTTP, something packed or a file of another kind. All else is taken as it is.
//   http    a text, a raw value, and what comes out of base64, may be a whole response of HTTP or a WARC
//           record (http_message.h): its body is the page, and its Content-Type tells what it is, and the
//           charset where nobody else does.
//   packed  a raw value, and what comes out of base64, may be a gzip or a zstd; the body of a response too,
//           or what its Content-Encoding says, up to four times, unless it was unpacked before
//           (unpacking.h). But for that, and for a packed body in a packed response, what was packed twice is
//           kNotText, as is what cannot be unpacked, or is a zstd that looks back by more than 128 MiB.
//   kind    what begins like a PDF, an image or an archive (file_kind.h) is kNotText, in whichever field; so
//           is what its own Content-Type calls an image, sound, a film, a font, a style sheet or a script,
//           and what is in no charset without control characters.
//   charset a JSON string is Unicode and is taken as it is. What comes out of base64, and a raw value, are
//           bytes: core/text/charset_decoder.h makes them UTF-8, told by fields.charset or by the record's
//           own Content-Type. A body that becomes too large by this or by unpacking is kTooLarge.
//   id      from the first of id_from that gives one; too long is a reject, never a cut.
//   url     longer than kUrlBytesMax counts as unknown.
//   time    what timestamp.h can read, else the record's own timestamp, else 0.
//
// A rejected document still carries its source, and its id and url where they could be read, so that its
// verdict can name it; a value that could not be read at all is named by its key if keys may be ids.
//
// Cost:    a check for UTF-8 and one walk over the record where it lies (json_fields.h), so that it is taken
//          or refused whole; then the body is unescaped straight into the document (json_string.h). Nothing
//          is allocated once the buffers have grown; the memory that a record above kRecordBytesUsual needed
//          is given back after it.
// Threads: one codec per thread; codecs share nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "core/decision.h"
#include "core/document.h"
#include "service/codec/preset.h"
#include "service/codec/record.h"
#include "service/config.h"

namespace neardup {

// Where documents are known by their ids, a record without a value deletes the one that its key names: none,
// and `id` is set; or the reason why it names none.
std::optional<RejectReason> read_deletion(const Record& record, std::string_view& id);

class DocumentCodec {
 public:
  static constexpr std::size_t kRecordBytesUsual = std::size_t{1} << 20;

  // Of `input` only document_bytes_max counts; everything else is in `preset` already.
  DocumentCodec(const Preset& preset, const InputConfig& input);
  ~DocumentCodec();
  DocumentCodec(DocumentCodec&&) noexcept;
  DocumentCodec& operator=(DocumentCodec&&) noexcept;

  // Replaces all of `document`; its strings keep their capacity. Nothing: it is a document.
  [[nodiscard]] std::optional<RejectReason> decode(const Record& record, Document& document);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace neardup
