#include "service/codec/file_kind.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/text/utf8.h"

namespace neardup {
namespace {

using std::string_view_literals::operator""sv;

constexpr char kAny = '?';      // in a signature: one byte
constexpr char kControl = '^';  // one below 0x20

constexpr auto kSignatures = std::to_array<std::string_view>({
    // clang-format off
    // documents
    "%PDF-?.?\n",
    "%PDF-?.?\r",
    "%PDF-?.? \n",
    "%PDF-?.? \r",
    "%!PS-Adobe-?.?",
    "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",  // Word, Excel and PowerPoint until 2003
    // archives, and what is one: docx, xlsx, pptx, odt, epub, jar, apk
    "PK\x03\x04",
    "PK\x05\x06",
    "\x1F\x8B\x08",                      // gzip
    "BZh?1AY&SY",
    "\xFD" "7zXZ\0"sv,
    "\x28\xB5\x2F\xFD",                  // zstd
    "7z\xBC\xAF\x27\x1C",
    "Rar!\x1A\x07",
    // tables
    "PAR1\x15",                          // Parquet
    "Obj\x01",                           // Avro
    // images
    "\x89PNG\r\n\x1A\n",
    "\xFF\xD8\xFF\xE0??JFIF",
    "\xFF\xD8\xFF\xE1??Exif",
    "GIF87a?^?^",                        // so wide and so high
    "GIF89a?^?^",
    "RIFF????WEBP",
    "II*\0"sv,                           // TIFF
    "MM\0*"sv,
    "\0\0\x01\0"sv,                      // icons
    "\0\0\x02\0"sv,
    "8BPS\0\x01"sv,
    // sounds and films
    "RIFF????WAVE",
    "RIFF????AVI ",
    "ID3\x02",
    "ID3\x03",
    "ID3\x04",
    "OggS\0"sv,
    "fLaC\0"sv,
    "\0\0??ftyp"sv,                     // MP4, MOV, HEIC, AVIF
    "\x1A\x45\xDF\xA3",                  // WebM, Matroska
    "\0\0\x01\xBA"sv,
    "FLV\x01",
    // fonts and programs
    "wOFF\0\x01\0\0"sv,
    "wOFFOTTO",
    "wOF2\0\x01\0\0"sv,
    "OTTO\0"sv,
    "\0\x01\0\0\0"sv,
    "\0" "asm"sv,
    "\x7F" "ELF",
    "SQLite format 3\0"sv,
    // clang-format on
});

constexpr auto kFirstBytes = [] {
  std::array<bool, 256> first{};
  for (const std::string_view signature : kSignatures) first[static_cast<unsigned char>(signature[0])] = true;
  // Characters that are made of bytes above ASCII: of Latin-1, of windows-1252, U+FFFD.
  for (const int lead : {0xC2, 0xC3, 0xC5, 0xC6, 0xCB, 0xE2, 0xEF})
    first[static_cast<std::size_t>(lead)] = true;
  return first;
}();

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// Did somebody read this byte, which is none of ASCII, as this character?
bool may_be_read_as(char byte, char32_t character) {
  const auto value = static_cast<unsigned char>(byte);
  constexpr char32_t kNoCharacter = 0xFFFD;
  return character == value || character == kNoCharacter || (value < 0xA0 && character > 0xFF);
}

bool is(char wanted, char c) {
  return wanted == kAny || (wanted == kControl ? static_cast<unsigned char>(c) < 0x20 : wanted == c);
}

bool begins_with(std::string_view bytes, std::string_view signature) {
  return bytes.size() >= signature.size() &&
         std::ranges::equal(signature, bytes.substr(0, signature.size()), is);
}

// The same of a text that was made of the bytes.
bool text_begins_with(std::string_view text, std::string_view signature) {
  for (const char wanted : signature) {
    if (text.empty()) return false;
    const DecodedCodePoint character = decode_utf8(text);
    const bool fits =
        is_ascii(wanted) ? is(wanted, text.front()) : may_be_read_as(wanted, character.code_point);
    if (!fits) return false;
    text.remove_prefix(character.size);
  }
  return true;
}

}  // namespace

bool is_no_page(std::string_view bytes) {
  if (bytes.empty() || !kFirstBytes[static_cast<unsigned char>(bytes.front())]) return false;
  return std::ranges::any_of(kSignatures, [&](std::string_view signature) {
    if (is_ascii(bytes.front()) && bytes.front() != signature.front()) return false;
    return begins_with(bytes, signature) || text_begins_with(bytes, signature);
  });
}

bool has_controls_of_no_text(std::string_view bytes) {
  constexpr std::size_t kLookBytes = 4096;
  constexpr std::size_t kControlsMin = 2;
  constexpr std::size_t kBytesForOne = 64;
  const std::string_view head = bytes.substr(0, kLookBytes);
  // Texts have those that move the pen, up to the end of a page, and what shifts between charsets.
  const auto is_of_no_text = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && (c < '\b' || c > '\x0F') && c != '\x1B';
  };
  const auto controls = static_cast<std::size_t>(std::ranges::count_if(head, is_of_no_text));
  return controls >= kControlsMin && controls * kBytesForOne >= head.size();
}

}  // namespace neardup
