// Once warm, a record costs no allocation: operator new is counted in this program.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "service/codec/document_codec.h"
#include "tests/support/counted_memory.h"
#include "tests/support/gzip_bytes.h"

namespace neardup {
namespace {

std::size_t allocations_once_warm(const InputConfig& input, const std::vector<std::string>& values) {
  DocumentCodec codec(resolve_preset(input), input);
  Document document;
  std::size_t before = 0;
  for (int round = 0; round < 3; ++round) {
    if (round == 2) before = memory_allocations;
    for (const std::string& value : values) {
      Record record;
      record.key = "a key that is longer than a string holds in itself";
      record.value = value;
      EXPECT_EQ(codec.decode(record, document), std::nullopt) << value;
    }
  }
  return memory_allocations - before;
}

TEST(DocumentCodecMemory, a_warm_codec_allocates_nothing) {
  std::string long_text(5000, 'x');
  for (int i = 0; i < 500; ++i) long_text += "\\u4e2d\\n";
  const std::string url = R"(,"url":"http://www.example.org/a/rather/long/address.html"})";
  const std::vector<std::string> values = {R"({"text":")" + long_text + "\"" + url,
                                           R"({"text":"short")" + url,
                                           R"({"t\u0065xt":"\ud83d","links":[{"a":[1,2]}])" + url};
  EXPECT_EQ(allocations_once_warm({}, values), 0U);

  InputConfig wrapped;
  wrapped.base64 = "always";
  const std::string zh = R"({"charset":"gbk","text":"1tDOxNbQzsTW0M7E1tDOxNbQzsTW0M7E")";
  EXPECT_EQ(allocations_once_warm(wrapped, {zh + "}", zh + url}), 0U);

  InputConfig raw;
  raw.preset = "raw";
  EXPECT_EQ(allocations_once_warm(raw, {"<html><meta charset=big5>\xA4\xA4\xA4\xE5 of a page",
                                        "plain words, many", "<meta charset=windows-1251><html>\xC4\xE0",
                                        gzip_of("<html>" + long_text), gzip_of("<html>words")}),
            0U);
}

}  // namespace
}  // namespace neardup
