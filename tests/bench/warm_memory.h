// How does a benchmark run on memory such as a machine has that has been up for a while?
//
// The first touch of a page is dear on a virtual machine: its host has to find one for it (on ours .5 GB/s,
// where memory that is there takes 10). And where the guest hands free memory back to the host, a few seconds
// make each touch the first one again. A log that grows by a hundred MB a second, as a broker's does, pays
// for that all the time, and the more there is to write, the more of the processor goes to the host.
//
// What is handed back are blocks that are free as a whole, of 2 MiB. So this touches memory and then lets go
// of all but a page in each half of such a block: what is free between them stays with the guest, for whoever
// asks for small pages, until the object ends. Whoever asks for huge ones has what the machine gives.
#pragma once

#include <cstddef>

namespace neardup {

class WarmMemory {
 public:
  // No more than half of what the machine has free.
  explicit WarmMemory(std::size_t bytes_max);
  ~WarmMemory();
  WarmMemory(const WarmMemory&) = delete;
  WarmMemory& operator=(const WarmMemory&) = delete;

  std::size_t bytes() const { return bytes_; }
  double touched_gbps() const { return touched_gbps_; }  // how fast the machine gave it

 private:
  char* begin_ = nullptr;
  std::size_t bytes_ = 0;
  double touched_gbps_ = 0;
};

}  // namespace neardup
