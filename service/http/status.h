// What do /status and /version say?
#pragma once

#include <string>

#include "service/metrics/registry.h"
#include "service/metrics/state.h"

namespace neardup {

// One JSON object: state, role, detail, warning, version, revision, records, transactions, index, lag,
// journal_lag, restore_progress.
std::string status_json(const StateBoard& board, const StatusCounts& counts);

// {"version", "revision", "compiler"}
std::string version_json();

}  // namespace neardup
