// Is what consumers of a real Kafka saw right?
//
//   (i)   every input record has exactly one committed verdict: none is lost, none doubled;
//   (ii)  the journal's records chain, and each covers what its verdicts are about;
//   (iii) one more detector, fed in the order that the journal tells, decides every record alike, byte by
//         byte, keys and headers too;
//   (iv)  who starts from the journal comes to the state of that detector;
//   (v)   within each partition of a topic the verdicts on one input partition come in its order;
//   (vi)  a reader that was there all the time, through every fault, saw the same records in the same order.
//
// The journal tells which records a batch covers and the order of its uniques and deletions. A duplicate has
// its place where it is answered as it was, in the order of its own partition. Taken as soon as there is one,
// before the next unique or deletion changes the answers, it finds one that is as good as its own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/detector.h"
#include "service/config.h"
#include "tests/chaos/committed_reader.h"

namespace neardup {

struct ChaosFindings {
  std::vector<std::string> violations;  // the first of each sort; none: all is right
  std::uint64_t verdicts = 0;           // compared
  std::uint64_t lost = 0;
  std::uint64_t doubled = 0;
  std::uint64_t wrong = 0;
  std::map<std::int32_t, std::int64_t> positions;  // where the journal goes on, by partition of the input
};

// `content`: input, verdicts and journal of one group, with one input topic. `live`: verdicts and journal as
// the reader that was there all the time saw them. `options`: of the service's detector.
ChaosFindings check_chaos(const KafkaTopics& topics, const CommittedReader::Content& content,
                          const CommittedReader::Content& live, const DetectorOptions& options);

// What is wrong with the snapshot in `folder`, which nobody writes now; "" if nothing is, or there is none
// yet. It may end before the journal, but holds what that holds, and all that it promises.
std::string check_snapshot(const std::string& folder, const std::vector<CommittedRecord>& journal);

}  // namespace neardup
