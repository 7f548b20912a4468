// What would a loop cost that only consumes and produces?
//
// The plainest use of librdkafka that gives the guarantee of `serve`: the input read by assign, one record
// produced for each, straight from the memory it was received in, one journal record a transaction, the input
// positions committed with them; the same limits of a transaction and the same client settings. No parsing,
// no copies, no headers, no decision, no reading back. It is the ceiling that serve is measured against.
#pragma once

#include "service/config.h"

namespace neardup {

// Reads the input from its beginning, and on until SIGTERM. Says "running: ..." when its clients are ready.
// Verdict-like records go to topics.unique, journal records to topics.journal. Throws when Kafka fails it.
void run_raw_loop(const Config& config);

}  // namespace neardup
