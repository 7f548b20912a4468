// What do a folder's vector kernel and its scalar definition tell each other?
//
// A kernel folds whole blocks of a text and stops before the first character that hangs on its neighbours
// (a vowel of Hangul alone, a voicing mark, a mark out of order), grows, or is not UTF-8. The scalar
// definition (folder.cc) does that one, and the kernel goes on. FoldState is all that either needs to know of
// the text so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/isa.h"
#include "core/text/fold_groups.h"

namespace neardup::internal {

// The text so far, as the next character needs to know it.
struct FoldState {
  enum class Last : std::uint8_t {
    kSpace,  // or nothing yet: the next token needs no space before it
    kWord,
    kHangul,  // a token of its own that keeps its place in a word: spaces around it are kept, none are made
    kCharacter,
  };

  char* out = nullptr;  // where the next byte goes
  const char* limit =
      nullptr;  // a kernel starts no block beyond it; kFoldBlockRoom bytes may be written there
  Last last = Last::kSpace;
  bool open = false;  // the character that ends at `out` may compose with the next one
  std::uint32_t tokens = 0;
  std::uint32_t characters = 0;
};

inline constexpr std::size_t kFoldBlock = 64;
// A block of "年a年a" grows by half; and whole blocks are stored.
inline constexpr std::size_t kFoldBlockRoom = 3 * kFoldBlock;

// How far ahead of itself a kernel asks memory for the text. A text that comes from memory costs twice what
// one from the cache does if it is left to the CPU to foresee: it does not see beyond a page of 4 KiB, and
// most texts are hardly longer. The first so many bytes are asked for before the kernel starts.
inline constexpr std::size_t kFoldAhead = 2048;

// Folds from the start of `bytes` and returns how many it has folded: whole characters. Reads nothing beyond
// them, and writes kFoldBlockRoom bytes beyond state.out at most.
using FoldKernel = std::size_t (*)(std::string_view bytes, const FoldGroups& groups, FoldState& state);

#if NEARDUP_X86
std::size_t fold_avx2(std::string_view bytes, const FoldGroups& groups, FoldState& state);
// REQUIRES: groups.ideographs_stay.
std::size_t fold_avx512(std::string_view bytes, const FoldGroups& groups, FoldState& state);
#endif

}  // namespace neardup::internal
