// Is what consumers of a real Kafka saw right?
//
//   (i)   every input record has exactly one committed verdict: none is lost, none doubled;
//   (ii)  the journal's records chain, and each covers what its verdicts are about;
//   (iii) one more detector, fed in the order that the journal tells, decides every record alike, byte by
//   byte; (iv)  within each partition of a topic the verdicts on one input partition come in its order; (v) a
//   reader that was there all the time, through every fault, saw the same records in the same order.
//
// The journal tells which records a batch covers and the order of its uniques. A duplicate has its place
// behind its original, in the order of its own partition: that fixes every answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "service/config.h"
#include "tests/chaos/committed_reader.h"

namespace neardup {

struct ChaosFindings {
  std::vector<std::string> violations;  // the first of each sort; none: all is right
  std::uint64_t verdicts = 0;           // compared
  std::uint64_t lost = 0;
  std::uint64_t doubled = 0;
  std::uint64_t wrong = 0;
};

// `content`: input, verdicts and journal of one group, with one input topic. `live`: verdicts and journal as
// the reader that was there all the time saw them.
ChaosFindings check_chaos(const KafkaTopics& topics, const CommittedReader::Content& content,
                          const CommittedReader::Content& live);

}  // namespace neardup
