// Which character does simplified Chinese write for this one?
//
// 龍 and 龙, 後 and 后 are one word in two ways of writing it; with FoldOptions::chinese simplified, texts in
// either have one canonical form. Character by character, so that it hangs on no neighbour: where one
// character of one way is several of the other (后: 后, 後), all of them become one, in both texts.
//
// Cost: one look-up for the characters in use, a binary search for the 1155 rare ones beyond U+FFFF.
#pragma once

#include <cstddef>

namespace neardup::internal {

// `code_point` itself where there is none. What it returns, it returns for itself.
char32_t simplified(char32_t code_point);

struct SimplifiedPair {
  char32_t from, to;
};

extern const SimplifiedPair kSimplifiedPairs[];  // by `from`; written by simplified_table.py
extern const std::size_t kSimplifiedPairCount;

}  // namespace neardup::internal
