// SimHash as everybody writes it: words into a hash map, std::hash, 64 counters. The baseline of the
// fingerprint benchmark, compiled several ways (tests/CMakeLists.txt), because compilers differ by 2x on it.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

extern "C" std::uint64_t vanilla_simhash(const char* text, std::size_t size) {
  std::unordered_map<std::string, int> weights;
  std::string word;
  for (std::size_t i = 0; i <= size; ++i) {
    const unsigned char c = i < size ? static_cast<unsigned char>(text[i]) : ' ';
    const bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    if (letter || (c >= '0' && c <= '9') || c >= 0x80) {
      word.push_back(static_cast<char>(letter ? c | 0x20 : c));
    } else if (!word.empty()) {
      ++weights[word];
      word.clear();
    }
  }
  int sums[64] = {};
  for (const auto& [feature, weight] : weights) {
    const std::uint64_t hash = std::hash<std::string>{}(feature);
    for (int bit = 0; bit < 64; ++bit) sums[bit] += (hash >> bit & 1) != 0 ? weight : -weight;
  }
  std::uint64_t result = 0;
  for (int bit = 0; bit < 64; ++bit) result |= std::uint64_t{sums[bit] > 0} << bit;
  return result;
}
