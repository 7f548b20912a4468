// Hostile bytes into the loader: it refuses them or loads an index that can be asked and written again.
//
// The first two bytes cut the rest into a state and two segments. With the highest bit of the first one set,
// the checksums are made right first, so that what lies behind them is reached.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/base/check.h"
#include "core/base/crc32c.h"
#include "core/index/hamming_segment.h"

namespace {

void seal(std::string& bytes, std::size_t from, std::size_t size) {
  if (size < 4 || from + size > bytes.size()) return;
  const std::uint32_t crc = neardup::crc32c(std::string_view(bytes).substr(from, size - 4));
  std::memcpy(bytes.data() + from + size - 4, &crc, 4);
}

void seal_segment(std::string& bytes) {
  constexpr std::size_t kHeader = 28;
  constexpr std::size_t kBlock = 8 + 65536 + 4;
  seal(bytes, 0, kHeader);
  for (std::size_t at = kHeader; at < bytes.size(); at += kBlock) {
    seal(bytes, at, std::min(kBlock, bytes.size() - at));
  }
}

template <int kWidth>
void load(const std::string& state, const std::string& early, const std::string& late) {
  using namespace neardup;
  HammingLoader<kWidth> loader({.distance = 3});
  if (!loader.read_state(state).ok()) return;
  if (!early.empty() && !loader.read_segment(early).ok()) return;
  if (!late.empty() && !loader.read_segment(late).ok()) return;
  Result<HammingIndex<kWidth>> index = loader.finish();
  if (!index.ok()) return;
  CHECK(index->size() <= index->next() - index->oldest(), "no more words than numbers");
  CHECK(write_state(*index).size() <= state.size() + 10, "the state of what was loaded");
  if (index->size() == 0) return;
  Sequence sequence = index->oldest();
  while (!index->contains(sequence)) ++sequence;
  const auto found = index->find(index->word(sequence), MatchMode::kNearest);
  CHECK(found && found->distance == 0, "what was loaded is found");
  CHECK(index->erase(sequence), "and can be erased");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  std::string state = rest.substr(0, data[0] & 0x7F);
  rest.erase(0, state.size());
  std::string early = rest.substr(0, std::size_t{data[1]} * 8);
  std::string late = rest.substr(early.size());
  if ((data[0] & 0x80) != 0) {
    seal(state, 0, state.size());
    seal_segment(early);
    seal_segment(late);
  }
  load<64>(state, early, late);
  load<32>(state, early, late);
  load<128>(state, early, late);
  return 0;
}
