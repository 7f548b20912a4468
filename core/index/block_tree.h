// How is a crowded bucket read in part, before it is its turn to be split?
//
// Buckets are split in their order, so one that real text crowds may have to wait with thousands of
// fingerprints, of which a query shares only some bits of the key: those that are in use. So what a bucket
// has beyond its head is a tree by the other bits: blocks are its leaves, and a fork has 16 children, by four
// bits of the key, in one cache line.
//
//   key     0 ........ level ..|. s .. s+3 | s+4 .. s+7 |     the root is a fork at `shift` s, its children
//   at fork    | ref | ref | ... 16 children                     s+4, until the key ends
//
// Forks stand at fixed bits, counted from the end of the key. So when a bucket is split, its fork is parted:
// children are handed out, and no entry is touched. A block becomes a fork when it is to have more than
// kBlockEntries; at the end of the key blocks grow without bound.
//
// Cost:    a dependent cache line for each fork on the way.
// Threads: none inside.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/base/check.h"
#include "core/index/bit_choice.h"
#include "core/index/block_pool.h"

namespace neardup {

template <class Word>
class BlockTree {
 public:
  using Pool = BlockPool<Word>;
  using Block = typename Pool::Block;
  // What a tree is known by: 0 is empty; the offset of a block; or that of a fork, and kForkFlag.
  using Ref = std::uint32_t;

  static constexpr int kForkBits = 4;
  static constexpr int kRefBits = Pool::kOffsetBits + 1;
  static constexpr Ref kForkFlag = Ref{1} << Pool::kOffsetBits;
  static constexpr std::uint32_t kBlockEntries = 94;  // they fill eighteen lines

  // At which bit of the key the roots of buckets fork, while its lowest `level` bits are in use. At the end
  // of the key, not at all.
  static constexpr int root_shift(int level, int key_bits) {
    return key_bits - (key_bits - level + kForkBits - 1) / kForkBits * kForkBits;
  }

  static bool is_fork(Ref ref) { return (ref & kForkFlag) != 0; }
  // The lines of a block, or the one of a fork.
  const std::byte* line(Ref ref) const { return pool_.line(ref & ~kForkFlag); }
  // REQUIRES: `ref` is a fork at `shift`.
  Ref child(Ref ref, int shift, std::uint64_t key) const {
    return reinterpret_cast<const Ref*>(line(ref))[index_of(key, shift)];
  }

  // The block in which entries of this key are; nullptr: there are none. REQUIRES: `root` forks at `shift`.
  const Block* find(Ref root, int shift, std::uint64_t key) const {
    for (; is_fork(root); shift += kForkBits) root = child(root, shift, key);
    return root == 0 ? nullptr : &pool_.at(root);
  }

  // Returns how many entries are now where this one is. `choice` are the bits of all keys.
  std::uint32_t append(Ref& root, int shift, const BitChoice<Word>& choice, std::uint64_t key, Word word,
                       std::uint32_t id) {
    Ref* ref = descend(root, shift, key);
    while (*ref != 0 && pool_.at(*ref).count >= kBlockEntries && shift < choice.count()) {
      *ref = fork(*ref, shift, choice);
      ref = descend(*ref, shift, key);
    }
    *ref = pool_.append(*ref, word, id);
    return pool_.at(*ref).count;
  }

  // False if it is not there. What is left is as it would be without a fork that has no children.
  bool erase(Ref& root, int shift, std::uint64_t key, Word word) {
    if (is_fork(root)) {
      Ref* const children = children_of(root);
      if (!erase(children[index_of(key, shift)], shift + kForkBits, key, word)) return false;
      if (std::all_of(children, children + kChildren, [](Ref child) { return child == 0; })) {
        pool_.give_back_line(std::exchange(root, 0) & ~kForkFlag);
      }
      return true;
    }
    if (root == 0) return false;
    const std::uint32_t index = pool_.at(root).index_of(word);
    if (index == pool_.at(root).count) return false;
    root = pool_.erase(root, index);
    return true;
  }

  // False if it is not there.
  bool rename(Ref root, int shift, std::uint64_t key, Word word, std::uint32_t id) {
    root = *descend(root, shift, key);
    if (root == 0) return false;
    const std::uint32_t index = pool_.at(root).index_of(word);
    if (index == pool_.at(root).count) return false;
    pool_.rename(root, index, id);
    return true;
  }

  // Parts the tree of a bucket that is split by key bit `bit`: the one where it is 0, and the one where it is
  // 1. REQUIRES: `root` forks at `shift`, and shift <= bit < shift + kForkBits.
  std::pair<Ref, Ref> part(Ref root, int shift, int bit);

  // REQUIRES: no fork, not 0.
  Pool& pool() { return pool_; }
  const Pool& pool() const { return pool_; }

  // Calls visit(block) for all there are.
  template <class Visit>
  void for_each_block(Ref root, Visit visit) const {
    if (root == 0) return;
    if (!is_fork(root)) return visit(pool_.at(root));
    for (int i = 0; i < kChildren; ++i) {
      for_each_block(reinterpret_cast<const Ref*>(line(root))[i], visit);
    }
  }

 private:
  static constexpr int kChildren = 1 << kForkBits;
  static_assert(kChildren * sizeof(Ref) == 64);

  static std::size_t index_of(std::uint64_t key, int shift) { return key >> shift & (kChildren - 1); }
  Ref* children_of(Ref ref) { return reinterpret_cast<Ref*>(pool_.line(ref & ~kForkFlag)); }

  // What is no fork, on the way from `ref` to the end of `key`. Memory never moves, so this stays where it
  // is.
  Ref* descend(Ref& root, int& shift, std::uint64_t key) {
    Ref* ref = &root;
    for (; is_fork(*ref); shift += kForkBits) ref = &children_of(*ref)[index_of(key, shift)];
    return ref;
  }

  Ref new_fork() {
    const Ref ref = pool_.take_line() | kForkFlag;
    std::fill_n(children_of(ref), kChildren, 0);
    return ref;
  }

  Ref fork(Ref full, int shift, const BitChoice<Word>& choice) {
    const Ref ref = new_fork();
    const Block& block = pool_.at(full);
    for (std::uint32_t i = 0; i < block.count; ++i) {
      Ref& child = children_of(ref)[index_of(choice.gather(block.words()[i]), shift)];
      child = pool_.append(child, block.words()[i], block.ids()[i]);
    }
    pool_.give_back(full);
    return ref;
  }

  Pool pool_;
};

template <class Word>
std::pair<typename BlockTree<Word>::Ref, typename BlockTree<Word>::Ref> BlockTree<Word>::part(Ref root,
                                                                                              int shift,
                                                                                              int bit) {
  std::array<Ref, 2> parts{};
  Ref* const children = children_of(root);
  const bool is_last = bit == shift + kForkBits - 1;  // then each part has one child, and needs no fork
  for (std::size_t i = 0; i < kChildren; ++i) {
    if (children[i] == 0) continue;
    Ref& to = parts[i >> (bit - shift) & 1];
    if (is_last) {
      to = children[i];
    } else {
      if (to == 0) to = new_fork();
      children_of(to)[i] = children[i];
    }
  }
  pool_.give_back_line(root & ~kForkFlag);
  return {parts[0], parts[1]};
}

}  // namespace neardup
