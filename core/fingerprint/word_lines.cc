#include "core/fingerprint/word_lines.h"

#include "core/base/ascii.h"
#include "core/limits.h"
#include "core/text/utf8.h"

namespace neardup {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r";
constexpr std::size_t kShownBytes = 60;

std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || kWhiteSpace.find(line[at - 1]) != std::string_view::npos) return line.substr(0, at);
  }
  return line;
}

// At most kShownBytes of it, cut between two characters.
std::string shown(std::string_view line) {
  if (line.size() <= kShownBytes) return '"' + std::string(line) + '"';
  std::size_t size = kShownBytes;
  while (size > 0 && (static_cast<unsigned char>(line[size]) & 0xC0) == 0x80) --size;
  return '"' + std::string(line.substr(0, size)) + "...\"";
}

}  // namespace

Status read_word_lines(std::string_view file, const std::function<Status(std::string_view line)>& take) {
  file = without_mark(file);
  for (std::size_t number = 1; !file.empty(); ++number) {
    const std::size_t end = std::min(file.find('\n'), file.size());
    const std::string_view whole = file.substr(0, end);
    file.remove_prefix(std::min(end + 1, file.size()));
    const std::string place = "line " + std::to_string(number);
    if (whole.size() > kWordLineBytesMax) {
      return Error{ErrorCode::kInvalid, place + ": has " + std::to_string(whole.size()) +
                                            " bytes; an entry has at most " +
                                            std::to_string(kWordLineBytesMax) + ": write one a line"};
    }
    if (!is_utf8(whole)) {
      return Error{ErrorCode::kInvalid, place + ": is not UTF-8: save the file as UTF-8"};
    }
    const std::string_view line = trimmed(without_comment(whole), kWhiteSpace);
    if (line.empty()) continue;
    if (const Status taken = take(line); !taken) return taken.error().in(place + ": " + shown(line));
  }
  return {};
}

}  // namespace neardup
