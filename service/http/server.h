// How can probes, Prometheus and people look at the service?
//
//   /livez    200 or 503: should it be restarted?      /readyz  200 or 503: does it work? (see health.h)
//             both tell more with ?verbose
//   /metrics  for Prometheus       /status  JSON       /version  JSON       /  links to these
//
// All of it is read only: GET and HEAD, anything else is 405. A body is made when it is asked for.
// Bounds: 16 requests at once and 16 waiting, 16 KiB and 1 s for a request, one request a connection; no file
// is ever served. So a hostile neighbour can slow down these answers, and nothing else: all that are let in,
// with 32 more in the system's queue, are gone within 4 s, and the chart's probes wait for 5.
//
// Threads: its own. The two functions given to `start` are called from any of them, at the same time.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "service/config.h"
#include "service/metrics/state.h"

namespace neardup {

class HttpServer {
 public:
  // Listens on config.address and config.port. `board` and what the functions refer to must outlive the
  // server. kUnavailable: the port is taken or the address is not ours. REQUIRES: config.address is not
  // empty.
  static Result<std::unique_ptr<HttpServer>> start(const HttpConfig& config, const StateBoard& board,
                                                   std::function<std::string()> metrics_text,
                                                   std::function<std::string()> status_json);
  ~HttpServer();  // answers what it has begun, then stops
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;  // the real one, where config.port is 0

 private:
  struct Listener;
  explicit HttpServer(std::unique_ptr<Listener> listener);

  std::unique_ptr<Listener> listener_;
};

}  // namespace neardup
