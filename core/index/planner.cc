#include "core/index/planner.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/index/hamming_index.h"
#include "core/index/hamming_tables.h"
#include "core/limits.h"

namespace neardup {
namespace {

using Word = WordOf<64>;
using Table = HammingTable<Word>;

constexpr double kLineBytes = 64;

// What a GrowingMemory holds for so many bytes in use: half a step is not full, of huge pages one is held
// ahead.
double held(double bytes) {
  constexpr double kStep = GrowingMemory::kSmallStep, kHuge = GrowingMemory::kHugePage;
  return bytes < GrowingMemory::kSmallMax ? bytes + kStep / 2 : bytes + 1.5 * kHuge;
}

// What lies in a bucket's block, averaged over buckets with `load` entries on average, whose head has room
// for `room` of them.
struct Overflow {
  double lines_read = 0;
  double lines_held = 0;
};

Overflow overflow(double load, double room) {
  Overflow result;
  const double spread = 12 * std::sqrt(load) + 32;  // beyond it nothing is left of the distribution
  for (double i = std::max(room + 1, std::floor(load - spread)); i <= load + spread; ++i) {
    const double probability = std::exp(i * std::log(load) - load - std::lgamma(i + 1));
    const auto entries = static_cast<std::uint32_t>(i - room);
    result.lines_read += probability * static_cast<double>(Table::Pool::lines_for(entries));
    result.lines_held += probability * static_cast<double>(Table::Pool::lines_held_for(entries));
  }
  return result;
}

// Of each table whose heads are in some rows; `heads` and `blocks`: bytes of heads, or of as many ids, and of
// blocks.
struct TableForecast {
  double candidates = 0;
  double lines = 0;
  double heads = 0;
  double blocks = 0;
};

TableForecast forecast_table(const HeadRows& rows, double documents) {
  const HeadRows::Shape shape = rows.shape_of(static_cast<std::uint64_t>(documents));
  const double buckets = std::ldexp(1, shape.level);
  const double ahead = static_cast<double>(shape.ahead) / buckets;  // share of the keys, too
  const double load = documents / buckets;
  const double lines = std::ldexp(1, shape.widenings);
  struct Part {
    double share;    // of the keys
    double buckets;  // how many
    double load;
    double lines;
  };
  const Part parts[] = {
      {1 - ahead, buckets * (1 - ahead), load, lines},
      shape.level < rows.key_bits() ? Part{ahead, 2 * buckets * ahead, load / 2, lines}
                                    : Part{ahead, buckets * ahead, load, 2 * lines},
  };
  TableForecast result;
  for (const Part& part : parts) {
    const Overflow more = overflow(part.load, 16 * part.lines - 1);
    result.candidates += part.share * part.load;
    result.lines += part.share * (part.lines + more.lines_read);
    result.heads += part.buckets * kLineBytes * part.lines;
    result.blocks += part.buckets * kLineBytes * more.lines_held;
  }
  return result;
}

// Its buckets at their most, each with the widest head.
std::uint64_t documents_max_of(const HeadRows& rows) {
  constexpr std::uint64_t kRoom = (std::uint64_t{16} << HeadRows::kWidenings) - 1;
  const std::uint64_t buckets = std::uint64_t{1} << rows.key_bits();
  return buckets * (kRoom + Table::Pool::entries_together(buckets / kShards));
}

}  // namespace

Forecast forecast(const Covering& covering, std::uint64_t documents) {
  CHECK(documents > 0, "a forecast for no documents");
  Forecast result{.covering = &covering, .documents_max = kUniquesMax};
  const auto n = static_cast<double>(documents);
  double bytes = held(n * sizeof(Word)) + held(n / 8);  // the words, and which of them are erased
  const bool is_scanned = documents <= HammingIndex<64>::kScanMax;
  if (is_scanned) {
    result.candidates = n;
    result.lines = n * sizeof(Word) / kLineBytes;
  }
  const HammingTables<Word> tables(covering);
  for (const auto& rows : tables.rows()) {
    result.documents_max = std::min(result.documents_max, documents_max_of(*rows));
    if (is_scanned) continue;
    const TableForecast each = forecast_table(*rows, n);
    bytes += held(rows->slots() * each.heads);
    for (const auto& table : tables) {
      if (&table.rows() != rows.get()) continue;
      result.candidates += each.candidates;
      result.lines += each.lines;
      bytes += kShards * held(each.blocks / kShards);
    }
  }
  result.bytes = static_cast<std::uint64_t>(bytes);
  return result;
}

std::vector<Forecast> plan(const PlanRequest& request) {
  CHECK(request.distance >= 0 && request.distance <= kCoveringDistanceMax, "no covering finds further");
  std::vector<Forecast> forecasts;
  for (const Covering& covering : coverings()) {
    if (covering.distance >= request.distance) forecasts.push_back(forecast(covering, request.documents));
  }
  for (Forecast& f : forecasts) {
    f.bytes += static_cast<std::uint64_t>(request.bytes_besides * static_cast<double>(request.documents));
  }
  const auto too_many = [&](const Forecast& f) { return request.documents > f.documents_max; };
  const auto too_large = [&](const Forecast& f) {
    return request.memory_bytes != 0 && f.bytes > request.memory_bytes;
  };
  std::stable_sort(forecasts.begin(), forecasts.end(), [&](const Forecast& a, const Forecast& b) {
    if (too_many(a) != too_many(b)) return too_many(b);
    if (too_large(a) != too_large(b)) return too_large(b);
    return too_large(a) ? a.bytes < b.bytes : a.lines < b.lines;
  });
  return forecasts;
}

}  // namespace neardup
