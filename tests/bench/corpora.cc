#include "tests/bench/corpora.h"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/check.h"
#include "tests/support/shell_word.h"

namespace neardup {
namespace {

// The folder that the script prints; fetching takes it seconds the first time, a minute for the large one.
std::string folder(std::string_view option) {
  const std::string command =
      shell_word(NEARDUP_SOURCE_DIR "/tests/support/corpora.py") + " " + std::string(option);
  std::FILE* const pipe = popen(command.c_str(), "r");
  CHECK(pipe != nullptr, "cannot run tests/support/corpora.py");
  std::string line;
  for (int c = std::fgetc(pipe); c != EOF && c != '\n'; c = std::fgetc(pipe)) line += static_cast<char>(c);
  CHECK(pclose(pipe) == 0, "tests/support/corpora.py has no pages: it says above why");
  return line;
}

bool read_page(std::ifstream& file, std::string& line, Page& page) {
  if (!std::getline(file, line)) return false;
  nlohmann::json json = nlohmann::json::parse(line);
  page = {json["id"].get<std::string>(), json["url"].get<std::string>(), json["html"].get<std::string>()};
  return true;
}

std::vector<Page> load(const std::string& path, std::size_t every) {
  std::vector<Page> pages;
  std::ifstream file(path);
  Page page;
  std::string line;
  for (std::size_t i = 0; read_page(file, line, page); ++i) {
    if (i % every == 0) pages.push_back(page);
  }
  CHECK(!pages.empty(), "no pages in a corpus");
  return pages;
}

}  // namespace

std::string corpora_folder() { return folder(""); }

Corpora load_corpora(std::size_t every) {
  const std::string where = corpora_folder();
  return {load(where + "/en.jsonl", every), load(where + "/zh.jsonl", every)};
}

struct LargeCorpus::State {
  std::ifstream file;
  std::string line;
};

LargeCorpus::LargeCorpus() : state_(std::make_unique<State>()) {
  state_->file.open(folder("--large") + "/docs.jsonl");
}

LargeCorpus::~LargeCorpus() = default;

bool LargeCorpus::next(Page& page) { return read_page(state_->file, state_->line, page); }

}  // namespace neardup
