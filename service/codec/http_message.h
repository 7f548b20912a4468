// What does a stored HTTP response carry?
//
// Some crawlers keep what came over the wire: a status line, headers, an empty line, the page. Of that the
// page is the document; the headers tell of it, and change with each fetch (Date, Set-Cookie), so that none
// is like the one before. A WARC record has a head of the same kind in front; and what curl -iL writes, one
// head for each redirect.
//
//   HTTP/1.1 200 OK                               or WARC/1.0, and then such a one
//   Content-Type: text/html; charset=gbk          which charset the page is in, and whether it is html
//   Transfer-Encoding: chunked                    its bytes come in chunks, if they do: many store it joined
//   Content-Encoding: br                          packed, if it is, once or more: many store it unpacked
//
//   <html> ...
//
// Cost:    the first byte tells nearly always; else one pass over the head.
// Threads: pure functions.
// Source:  RFC 9112, sections 6 and 7; message_head.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {

struct HttpMessage {
  std::string_view body;
  std::string_view content_type;          // "" where nothing says
  bool is_chunked = false;                // says the head
  std::vector<std::string_view> codings;  // Content-Encoding: what it is packed in, says the head, last last
};

// Nothing: `bytes` begin with no whole head of one, of at most kHeadBytesMax (message_head.h).
std::optional<HttpMessage> read_http_message(std::string_view bytes);

// Replaces `out` with what the chunks hold, up to where they end or are cut off. False: there is not one, as
// in a body that was joined before, and may begin with a number all the same.
// REQUIRES: `body` is no view of `out`.
bool join_chunks(std::string_view body, std::string& out);

}  // namespace neardup
