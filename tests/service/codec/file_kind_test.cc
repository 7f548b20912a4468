#include "service/codec/file_kind.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/utf8.h"

namespace neardup {
namespace {

using std::string_literals::operator""s;

const std::vector<std::string> kFiles = {
    "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n1 0 obj",
    "%PDF-1.4\r%\xE2\xE3\xCF\xD3\r\n",
    "%PDF-1.5 \n%\xBF\xF7\xA2\xFE\n",
    "%!PS-Adobe-3.0\n%%BoundingBox",
    "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0\0\0"s,
    "PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0"s,
    "PK\x05\x06\0\0\0\0"s,
    "\x1F\x8B\x08\x08\xD6\xD0\xB9\xFA\0\x03"s,
    "BZh91AY&SY\xD6\xD0",
    "\xFD\x37zXZ\0\0\x04"s,
    "\x28\xB5\x2F\xFD\x24\x10",
    "7z\xBC\xAF\x27\x1C\0\x04"s,
    "Rar!\x1A\x07\x01\0"s,
    "PAR1\x15\x04\x15",
    "Obj\x01\x04\x16",
    "\x89PNG\r\n\x1A\n\0\0\0\rIHDR"s,
    "\xFF\xD8\xFF\xE0\0\x10JFIF\0\x01"s,
    "\xFF\xD8\xFF\xE1\x1B\xC4\x45xif\0\0"s,
    "GIF89a\x01\0\x01\0\x80\0\0"s,
    "GIF87a\xF4\x01\x2C\x01\xE6\0\0"s,
    "RIFF\x24\xC4\x9F\0WEBPVP8 "s,
    "II*\0\x08\0\0\0"s,
    "\0\0\x01\0\x02\0 "s,
    "ID3\x04\0\0\0"s,
    "\0\0\0 ftypisom"s,
    "\x1A\x45\xDF\xA3\x9F\x42\x86",
    "wOF2\0\x01\0\0\0\0"s,
    "\x7F\x45LF\x02\x01\x01"s,
    "SQLite format 3\0\x10"s,
};

// As a producer makes them who takes any bytes for characters of Latin-1.
std::string from_latin1(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    std::array<char, 4> character{};
    const char* const end = encode_utf8(static_cast<unsigned char>(c), character.data());
    text += std::string_view(character.data(), static_cast<std::size_t>(end - character.data()));
  }
  return text;
}

// ... or for UTF-8 with mistakes.
std::string from_broken_utf8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const DecodedCodePoint decoded = decode_utf8(bytes);
    if (decoded.code_point == kNotUtf8) {
      text += "\xEF\xBF\xBD";
    } else {
      text += bytes.substr(0, decoded.size);
    }
    bytes.remove_prefix(decoded.size);
  }
  return text;
}

TEST(FileKind, files_of_other_kinds_are_no_pages) {
  for (const std::string& file : kFiles) EXPECT_TRUE(is_no_page(file)) << file;
}

TEST(FileKind, nor_are_they_where_they_were_read_as_text) {
  for (const std::string& file : kFiles) EXPECT_TRUE(is_no_page(from_latin1(file))) << file;
  // Some have bytes in a row that are UTF-8 by chance.
  std::size_t known = 0;
  for (const std::string& file : kFiles) known += is_no_page(from_broken_utf8(file)) ? 1 : 0;
  EXPECT_GE(known, kFiles.size() - 3);
  EXPECT_TRUE(is_no_page("\xEF\xBF\xBDPNG\r\n\x1A\n"));
  EXPECT_TRUE(is_no_page("\xE2\x80\xB0PNG\r\n\x1A\n")) << "windows-1252 has a per mille sign there";
}

TEST(FileKind, a_beginning_of_one_is_none) {
  for (const std::string& file : kFiles) {
    for (std::size_t size = 0; size < 3; ++size) EXPECT_FALSE(is_no_page(file.substr(0, size))) << file;
  }
}

TEST(FileKind, texts_about_files_are_texts) {
  for (const std::string_view text : {"",
                                      "%PDF-1.7 is how a PDF begins",
                                      "%PDF-",
                                      "PK, the initials of Phil Katz",
                                      "GIF89a is newer than GIF87a",
                                      "GIF89a",
                                      "Rar! said the lion",
                                      "ID3 tags",
                                      "RIFF files of kind WEBP",
                                      "BZh was here",
                                      "II* and MM*",
                                      "7z archives",
                                      "OTTO",
                                      "Oggs",
                                      "(\xC2\xB5/\xC2\xB5)",
                                      "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD lost",
                                      "\xEF\xBF\xBDPNG",
                                      "\xC3\xBF\xC3\x98\xC3\xBF\xC3\xA0",
                                      "SQLite format 3 is a file",
                                      "<html>",
                                      "中文",
                                      "wOFF",
                                      "wOFF2 fonts"}) {
    EXPECT_FALSE(is_no_page(text)) << text;
  }
}

TEST(FileKind, control_characters_tell_what_is_no_text) {
  EXPECT_FALSE(has_controls_of_no_text(""));
  EXPECT_FALSE(has_controls_of_no_text("w\bwords\t\f\x1B$B\r\n\x1B(B"));
  EXPECT_FALSE(has_controls_of_no_text("\x0E\x31\x32\x0F and \x0E\x31\x0F")) << "ISO-2022 shifts so";
  EXPECT_FALSE(has_controls_of_no_text("words\x1A")) << "as files of DOS end";
  EXPECT_FALSE(has_controls_of_no_text(std::string(1000, 'x') + std::string(10, '\1')));
  EXPECT_TRUE(has_controls_of_no_text(std::string(1000, 'x') + std::string(20, '\1')));
  EXPECT_TRUE(has_controls_of_no_text(std::string_view("\xFF\0\1\xFE", 4)));
}

}  // namespace
}  // namespace neardup
