// Hostile bytes through the HTML reader: both modes, every tier, and they agree.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/check.h"
#include "core/base/isa.h"
#include "core/text/html_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace neardup;
  // exactly as large as the page, so that reading on is seen
  const std::unique_ptr<char[]> memory(new char[size + 1]);
  for (std::size_t i = 0; i < size; ++i) memory[i] = static_cast<char>(data[i]);
  const std::string_view page(memory.get(), size);

  bool is_empty[2] = {};
  for (const HtmlExtract extract : {HtmlExtract::kAll, HtmlExtract::kMain}) {
    std::string text;
    std::string title;
    bool fell_back = false;
    for (const Isa isa : {Isa::kScalar, Isa::kAvx2, Isa::kAvx512}) {
      if (isa > cpu_isa()) continue;
      static HtmlReader readers[2][3] = {
          {HtmlReader(HtmlExtract::kMain, Isa::kScalar), HtmlReader(HtmlExtract::kMain, Isa::kAvx2),
           HtmlReader(HtmlExtract::kMain, Isa::kAvx512)},
          {HtmlReader(HtmlExtract::kAll, Isa::kScalar), HtmlReader(HtmlExtract::kAll, Isa::kAvx2),
           HtmlReader(HtmlExtract::kAll, Isa::kAvx512)},
      };
      HtmlReader& reader = readers[static_cast<int>(extract)][static_cast<int>(isa)];
      const std::uint64_t before = reader.steps();
      const HtmlText read = reader.read(page);
      CHECK(read.text.size() <= size / 5 * 6 + 6, "no reference stands for more than 6/5 of its bytes");
      CHECK(reader.steps() - before <= 64 * size + 4096, "a bounded number of steps for each byte");
      if (isa == Isa::kScalar) {
        text = read.text;
        title = read.title;
        fell_back = read.fell_back;
      }
      CHECK(read.text == text && read.title == title && read.fell_back == fell_back,
            "every tier reads the same");
    }
    is_empty[static_cast<int>(extract)] = text.empty();
    CHECK(!(extract == HtmlExtract::kAll && fell_back), "there is nothing to fall back to");
  }
  CHECK(is_empty[0] == is_empty[1], "never empty where there is text");
  return 0;
}
