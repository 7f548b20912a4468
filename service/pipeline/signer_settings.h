// Which signatures does this configuration ask for, how are they compared, and for how long?
//
// Reads the files that `fingerprint` names. Whoever signs or decides takes the options from here, so that
// `scan` and `fingerprint` say what `serve` decides by.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/detector.h"
#include "core/fingerprint/signer_options.h"
#include "core/retention.h"
#include "service/config.h"

namespace neardup {

// Of a configuration that load_config() took, as all below. Error kInvalid: a file of words is wrong, with
// its line and value, and what to write instead.
Result<SignerOptions> resolve_signer_options(const Config& config);

// How many lines of fingerprint.idf_file were left aside (idf_table.h), for people. "": none, or no file.
std::string idf_remark(const Config& config, const SignerOptions& options);

DetectorOptions resolve_detector_options(const Config& config);

// What batches, Kafka's clients and signing threads may take beside the index.
std::uint64_t bytes_beside_index(const Config& config);

// Where the index has no limit of its own, it may take what there is room for in `process_bytes_max`, the
// memory that the process may have, and the stream stops there. 0: unknown.
RetentionOptions resolve_retention_options(const Config& config, std::uint64_t process_bytes_max = 0);

}  // namespace neardup
