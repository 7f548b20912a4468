// The tables of an index: one for each key of its covering.
//
// All of them get the same entries in the same order. Those whose keys are equally long grow in the same
// steps, so their heads lie in the same rows (head_rows.h).
//
//   insert()                                                        one entry
//   prepare_batch(count); insert_batch() of each, by all owners     or a batch, up to the end of a round of
//   of their shards at once; finish_batch(count)                    splitting: before_round_ends()
//   prepare(entries); put() of each entry; finish(entries)          or all there will be, into empty ones
//
// Threads: as said there; all else belongs to one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/index/covering.h"
#include "core/index/hamming_table.h"
#include "core/index/head_rows.h"

namespace neardup {

template <class Word>
class HammingTables {
 public:
  using Table = HammingTable<Word>;

  HammingTables() = default;  // none
  explicit HammingTables(const Covering& covering) {
    struct Group {
      int level_min = 0;
      int slots = 0;
      const HeadRows* rows = nullptr;
    };
    std::map<int, Group> groups;  // by the size of their keys
    std::vector<int> slots;       // of each table the first
    for (int t = 0; t < covering.tables(); ++t) {
      Group& group = groups[Table::key_size(covering, t)];
      group.level_min = std::max(group.level_min, Table::level_min(covering, t));
      slots.push_back(group.slots);
      group.slots += Table::slots(covering, t);
    }
    for (auto& [key_size, group] : groups) {
      group.level_min = std::min(group.level_min, key_size);
      rows_.push_back(std::make_unique<HeadRows>(key_size, group.level_min, group.slots));
      group.rows = rows_.back().get();
    }
    tables_.reserve(slots.size());
    for (int t = 0; t < covering.tables(); ++t) {
      const Group& group = groups[Table::key_size(covering, t)];
      tables_.emplace_back(covering, t, group.level_min, *group.rows, slots[static_cast<std::size_t>(t)]);
    }
  }

  bool empty() const { return tables_.empty(); }
  std::size_t size() const { return tables_.size(); }
  const Table* data() const { return tables_.data(); }
  const Table& operator[](std::size_t t) const { return tables_[t]; }
  Table& operator[](std::size_t t) { return tables_[t]; }
  auto begin() const { return tables_.begin(); }
  auto end() const { return tables_.end(); }

  // What follows with keys and tags: those of the entry, by table.

  // An entry that is not there. REQUIRES: id is later than all that are.
  void insert(const std::uint64_t* keys, const std::uint32_t* tags, std::uint32_t id) {
    prepare_batch(1);
    for (std::size_t t = 0; t < tables_.size(); ++t) tables_[t].put(keys[t], tags[t], id);
    for (const auto& rows : rows_) {
      if (!rows->grows(1)) continue;
      HeadRows::Size size = rows->size();
      for (++size.entries; size.entries > size.due; rows->advance(size)) {
        for (Table& table : tables_) {
          if (&table.rows() == rows.get()) table.move_next(size);
        }
      }
    }
    finish_batch(1);
  }

  // Takes one out. REQUIRES: it is there.
  void erase(const std::uint64_t* keys, const std::uint32_t* tags, std::uint32_t id) {
    for (std::size_t t = 0; t < tables_.size(); ++t) tables_[t].erase(keys[t], tags[t], id);
    for (const auto& rows : rows_) rows->forget();
  }

  // The entry of old_id stands for another id from now on. REQUIRES: it is there.
  void rename(const std::uint64_t* keys, std::uint32_t old_id, std::uint32_t id) {
    for (std::size_t t = 0; t < tables_.size(); ++t) tables_[t].rename(keys[t], old_id, id);
  }

  std::uint64_t before_round_ends(std::uint64_t count) const {
    for (const auto& rows : rows_) count = rows->before_round_ends(count);
    return count;
  }
  void prepare_batch(std::uint64_t count) {
    for (const auto& rows : rows_) rows->prepare(count);
  }
  void finish_batch(std::uint64_t count) {
    for (const auto& rows : rows_) rows->finish(count);
  }

  void prepare(std::uint64_t entries) {
    for (const auto& rows : rows_) rows->prepare_all(entries);
  }
  void finish(std::uint64_t entries) {
    for (const auto& rows : rows_) rows->finish_all(entries);
  }

  const std::vector<std::unique_ptr<HeadRows>>& rows() const { return rows_; }

  // Memory held.
  std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const auto& rows : rows_) bytes += rows->bytes();
    for (const Table& table : tables_) bytes += table.bytes();
    return bytes;
  }

 private:
  std::vector<std::unique_ptr<HeadRows>> rows_;  // by the size of the keys
  std::vector<Table> tables_;
};

}  // namespace neardup
