// Which signatures does this configuration ask for?
//
// Reads the files that `fingerprint` names. Whoever signs takes the options from here, so that `scan` and
// `fingerprint` say what `serve` decides by.
#pragma once

#include "core/base/result.h"
#include "core/fingerprint/signer_options.h"
#include "service/config.h"

namespace neardup {

// Error kInvalid: the file, the line and the value, and what to write instead.
Result<SignerOptions> resolve_signer_options(const Config& config);

}  // namespace neardup
