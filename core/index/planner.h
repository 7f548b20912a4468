// What will an index of n fingerprints cost, and by which covering should it look?
//
// Every covering that finds within k bits is computed with: how its tables will have grown at n fingerprints
// (HeadRows::shape_of), how many of them a bucket then holds (Poisson, for fingerprints whose bits are
// independent), and so what a look-up reads and what an entry takes. The benchmark of the index prints these
// figures beside those it counts; tests hold them within a fifth.
//
// Real text crowds buckets: its fingerprints share keys. There the candidates of a look-up were counted 1.3
// (documentation) to 3 times (pages made from few templates) what is forecast here, and the bytes an eighth
// to a third more.
//
// The plan taken is the one that reads the fewest cache lines among those that fit into the memory; an index
// reads memory, and little else takes time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/index/covering.h"

namespace neardup {

struct PlanRequest {
  std::uint64_t documents = 0;     // uniques to hold
  int distance = 3;                // k, 0 .. kCoveringDistanceMax
  std::uint64_t memory_bytes = 0;  // for the index; 0: as much as it takes
  double bytes_besides = 0;        // that a unique takes beside its fingerprint, and that must fit as well
};

struct Forecast {
  const Covering* covering = nullptr;
  double candidates = 0;  // of a look-up: entries that share a key with the query, summed over the tables
  double lines = 0;       // of a look-up: cache lines it reads
  std::uint64_t bytes = 0;
  // So many there is room for in its tables, if no block takes the room of others that have grown. They do
  // (block_pool.h): of 6x21 there is room for 950 million random ones, for 648 here. Of real text, fewer.
  std::uint64_t documents_max = 0;

  double bytes_per_document(std::uint64_t documents) const {
    return static_cast<double>(bytes) / static_cast<double>(documents);
  }
};

// One covering at width 64. REQUIRES: documents > 0.
Forecast forecast(const Covering& covering, std::uint64_t documents);

// All coverings that find within request.distance, the one to take first. Those that need more memory than
// there is come behind, and those whose tables have no room for so many are the last. REQUIRES: as the fields
// say.
std::vector<Forecast> plan(const PlanRequest& request);

}  // namespace neardup
