// What stands in a head of HTTP or WARC, and where does it end?
//
//   HTTP/1.1 200 OK               a line that opens it ("WARC/1.1" opens one of a WARC record)
//   Content-Type: text/html       headers, a line each
//   X-Long: one                   (a line that begins with a blank goes on with the header before, which is
//    and more                     taken without it: nothing that we read is ever so long)
//                                 an empty line ends it
//
// Lines end with LF, with or without a CR. A line that is no header is passed over, as browsers do; but a
// text that begins like a head is still text, and so it is none where such lines are more than headers, or
// one begins with "<".
//
// Cost:    one pass over at most kHeadBytesMax.
// Threads: pure functions.
// Source:  RFC 9112, sections 2 to 5; ISO 28500, section 4.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace neardup {

inline constexpr std::size_t kHeadBytesMax = std::size_t{64} << 10;
inline constexpr std::string_view kWarcOpening = "WARC/";

// "WARC/1.0".
bool opens_warc_record(std::string_view line);

// Takes a line from the front of `bytes`, without its end. Nothing: it has none.
std::optional<std::string_view> take_line(std::string_view& bytes);

struct MessageHeader {
  std::string_view name;
  std::string_view value;  // without the blanks around it
};

// The headers of the head that some bytes begin with.
class MessageHead {
 public:
  explicit MessageHead(std::string_view bytes);

  // The next header. Nothing: the head has ended, or there is no whole one.
  std::optional<MessageHeader> next();

  // What the line says that opens it, if that is of HTTP, whatever follows it: 200, 404.
  std::optional<int> status() const { return status_; }
  // What stands behind the head. Nothing: there was no whole one. REQUIRES: next() gave nothing.
  std::optional<std::string_view> behind() const { return behind_; }

 private:
  const std::string_view bytes_;
  std::string_view unread_;
  std::size_t headers_ = 0;
  std::size_t strays_ = 0;  // lines that are none
  std::optional<int> status_;
  std::optional<std::string_view> behind_;
};

}  // namespace neardup
