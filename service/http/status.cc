#include "service/http/status.h"

#include <nlohmann/json.hpp>

#include "service/version.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

// What came from outside may not be UTF-8; it is replaced, where nlohmann would throw.
std::string written(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string status_json(const StateBoard& board, const StatusCounts& counts) {
  Json json;
  json["state"] = name(board.state());
  json["role"] = name(board.role());
  json["detail"] = board.detail();
  json["warning"] = board.warning();
  json["version"] = build_info().version;
  json["revision"] = build_info().revision;
  json["records"] = {
      {"consumed", counts.consumed},
      {"unique", counts.unique},
      {"duplicate", {{"exact", counts.exact}, {"near", counts.near}, {"short", counts.short_text}}},
      {"rejected", counts.rejected},
      {"deleted", counts.deleted}};
  json["transactions"] = counts.transactions;
  json["index"] = {{"entries", counts.index_entries}, {"bytes", counts.index_bytes}};
  json["clusters"] = {{"count", counts.clusters}, {"largest", counts.largest_cluster}};
  json["lag"] = {{"records", counts.lag_records}, {"seconds", counts.lag_seconds}};
  json["journal_lag"] = counts.journal_lag;
  json["restore_progress"] = counts.restore_progress;
  return written(json);
}

std::string version_json() {
  Json json;
  json["version"] = build_info().version;
  json["revision"] = build_info().revision;
  json["compiler"] = build_info().compiler;
  return written(json);
}

}  // namespace neardup
