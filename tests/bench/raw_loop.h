// What would a loop cost that only consumes and produces?
//
// The plainest use of librdkafka that gives the guarantee of `serve`: the input read by assign, one record
// produced for each, straight from the memory it was received in, one journal record a transaction, the input
// positions committed with them; the same limits of a transaction, the same client settings, all compressed
// (serve's journal is packed where it is made), and as many bytes a document as serve wrote, of as much
// entropy. No parsing, no copies, no headers, no decision, no reading back. It is the ceiling that serve is
// measured against.
#pragma once

#include <cstddef>
#include <string>

#include "service/config.h"

namespace neardup {

// What serve wrote of some documents.
struct WrittenBytes {
  std::size_t verdict = 0;    // a document: value and headers, its key aside
  std::string journal;        // all records; the loop sends their bytes again, from the front when they end
  std::size_t documents = 1;  // that the journal records are of
};

// Reads the input from its beginning, and on until SIGTERM. Says "running: ..." when its clients are ready.
// Verdict-like records go to topics.unique, journal records to topics.journal. Throws when Kafka fails it.
void run_raw_loop(const Config& config, const WrittenBytes& as);

}  // namespace neardup
