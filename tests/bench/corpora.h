// The pages that benchmarks read: tests/support/corpora.py fetches them once, this loads them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace neardup {

struct Page {
  std::string id;
  std::string url;
  std::string html;  // UTF-8
};

struct Corpora {
  std::vector<Page> en;  // 34 MB
  std::vector<Page> zh;  // 17 MB
};

// Where they lie: en.jsonl and zh.jsonl, an object with id, url and html a line.
std::string corpora_folder();

// The first page and every `every`-th after it.
Corpora load_corpora(std::size_t every = 1);

// Pages of many packages and languages, 1.1 GB of them, one at a time.
class LargeCorpus {
 public:
  LargeCorpus();
  ~LargeCorpus();

  // False at the end.
  bool next(Page& page);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace neardup
