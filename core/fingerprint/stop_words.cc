#include "core/fingerprint/stop_words.h"

#include <algorithm>
#include <vector>

#include "core/fingerprint/feature.h"
#include "core/fingerprint/word_lines.h"
#include "core/limits.h"
#include "core/text/folder.h"

namespace neardup {
namespace {

// The hash of a run of tokens, of its first tokens' and the next one's. One token's is its feature.
std::uint64_t run_hash(std::uint64_t run, std::string_view token) {
  return bigram_feature(run, token_feature(token));
}

}  // namespace

Result<StopWords> StopWords::parse(std::string_view file, FoldOptions fold) {
  StopWords words;
  CanonicalText canonical;
  std::vector<std::string> entries;
  const Status read = read_word_lines(file, [&](std::string_view line) -> Status {
    canonicalize(line, canonical, fold);
    if (canonical.tokens > kStopPhraseTokensMax) {
      return Error{ErrorCode::kInvalid, "has " + std::to_string(canonical.tokens) +
                                            " words; a stop phrase has at most " +
                                            std::to_string(kStopPhraseTokensMax) + ": write one a line"};
    }
    if (canonical.tokens > 0) entries.emplace_back(canonical.text.view());
    return {};
  });
  if (!read) return read.error();
  if (entries.empty()) return Error{ErrorCode::kInvalid, "holds no word; write one a line"};

  std::ranges::sort(entries);
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  std::string all;
  for (const std::string& entry : entries) {
    words.add(entry);
    all += entry + '\n';
  }
  words.size_ = entries.size();
  words.digest_ = digest128(all);
  return words;
}

void StopWords::add(std::string_view phrase) {
  TokenReader reader(phrase);
  Token token;
  std::uint64_t run = 0;
  std::uint32_t* flags = nullptr;
  while (reader.next(token)) {
    if (flags != nullptr) *flags |= kGoesOn;
    run = flags == nullptr ? token_feature(token.bytes) : run_hash(run, token.bytes);
    flags = &runs_.insert(run, 0);
  }
  *flags |= kEnds;
}

bool StopWords::cut(std::string_view canonical, std::string& out) const {
  TokenReader reader(canonical);
  std::size_t kept = 0;  // up to here everything is in `out`
  bool any = false;
  for (Token token; reader.next(token);) {
    const auto begin = static_cast<std::size_t>(token.bytes.data() - canonical.data());
    if (!skip(token, reader)) continue;
    if (!any) out.clear();
    any = true;
    out += canonical.substr(kept, begin - kept);
    out += ' ';
    kept = reader.position();
  }
  if (any) out += canonical.substr(kept);
  return any;
}

// Moves `reader`, which stands behind `first`, behind the longest entry that begins there.
bool StopWords::skip(Token first, TokenReader& reader) const {
  bool found = false;
  TokenReader ahead = reader;
  std::uint64_t run = token_feature(first.bytes);
  for (Token token = first;;) {
    const std::uint32_t* const flags = runs_.find(run);
    if (flags == nullptr) return found;
    if ((*flags & kEnds) != 0) {
      found = true;
      reader = ahead;
    }
    if ((*flags & kGoesOn) == 0 || !ahead.next(token)) return found;
    run = run_hash(run, token.bytes);
  }
}

}  // namespace neardup
