// Pages in, their text out, or how long that takes: what tests/bench/quality.py needs of the HTML reader.
//
//   html_pages texts main|all < FRAMES     one frame out for each in: "SIZE FELL_BACK\n" and the text
//   html_pages speed ROUNDS < FRAMES       CPU seconds of each tier: the best and the median of ROUNDS passes
//
// A frame is "SIZE\n" and as many bytes, a page.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/isa.h"
#include "core/text/html_text.h"
#include "tests/support/cpu_clock.h"
#include "tests/support/number_argument.h"

namespace {

using neardup::HtmlExtract;
using neardup::HtmlReader;
using neardup::Isa;

std::vector<std::string> read_frames() {
  std::vector<std::string> pages;
  for (std::string line; std::getline(std::cin, line);) {
    std::string page(std::strtoull(line.c_str(), nullptr, 10), '\0');
    if (!std::cin.read(page.data(), static_cast<std::streamsize>(page.size()))) break;
    pages.push_back(std::move(page));
  }
  return pages;
}

int write_texts(HtmlExtract extract) {
  HtmlReader reader(extract);
  for (const std::string& page : read_frames()) {
    const neardup::HtmlText read = reader.read(page);
    std::cout << read.text.size() << ' ' << read.fell_back << '\n' << read.text;
  }
  return 0;
}

int measure(int rounds) {
  const std::vector<std::string> pages = read_frames();
  std::size_t bytes = 0;
  for (const std::string& page : pages) bytes += page.size();
  for (const Isa isa : {Isa::kScalar, Isa::kAvx2, Isa::kAvx512}) {
    if (isa > neardup::cpu_isa()) continue;
    for (const HtmlExtract extract : {HtmlExtract::kMain, HtmlExtract::kAll}) {
      HtmlReader reader(extract, isa);
      std::vector<double> seconds;
      std::size_t out = 0;
      for (int round = 0; round <= rounds; ++round) {
        const double started = neardup::cpu_seconds();
        for (const std::string& page : pages) out += reader.read(page).text.size();
        if (round > 0) seconds.push_back(neardup::cpu_seconds() - started);  // the first one warms up
      }
      std::sort(seconds.begin(), seconds.end());
      const std::string_view name = neardup::isa_name(isa);
      std::printf("%.*s %s pages %zu bytes %zu median %.6f best %.6f text %zu\n",
                  static_cast<int>(name.size()), name.data(), extract == HtmlExtract::kMain ? "main" : "all",
                  pages.size(), bytes, seconds[seconds.size() / 2], seconds.front(),
                  out / static_cast<std::size_t>(rounds + 1));
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const std::string_view verb = argc == 3 ? argv[1] : "";
  const std::string_view argument = argc == 3 ? argv[2] : "";
  if (verb == "texts" && (argument == "main" || argument == "all")) {
    return write_texts(argument == "main" ? HtmlExtract::kMain : HtmlExtract::kAll);
  }
  const int rounds = verb == "speed" ? neardup::number_argument<int>(argument).value_or(0) : 0;
  if (rounds > 0) return measure(rounds);
  std::fputs("usage: html_pages texts main|all < FRAMES; html_pages speed ROUNDS < FRAMES\n", stderr);
  return 64;
}
