#include "service/http/server.h"

#include <arpa/inet.h>
#include <civetweb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/check.h"
#include "core/base/clauses.h"
#include "service/http/health.h"
#include "service/http/status.h"
#include "service/log.h"

namespace neardup {
namespace {

constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr std::string_view kJson = "application/json";

constexpr std::string_view kIndex =
    "<!doctype html><html lang=en><meta charset=utf-8><title>neardup</title><h1>neardup</h1><ul>"
    "<li><a href=/status>status</a><li><a href=/metrics>metrics</a>"
    "<li><a href=\"/readyz?verbose\">readyz</a><li><a href=\"/livez?verbose\">livez</a>"
    "<li><a href=/version>version</a></ul></html>\n";

struct Response {
  int status = 200;
  std::string_view type = kText;
  std::string body;
};

std::string_view phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    default:
      return "Service Unavailable";
  }
}

bool asks_for_more(const char* query) {
  const std::string_view words = query == nullptr ? "" : query;
  return words == "verbose" || words.starts_with("verbose=") || words.starts_with("verbose&") ||
         words.find("&verbose") != std::string_view::npos;
}

// Opens a connection to ourselves, and does not wait for what becomes of it.
void knock(const std::string& address, int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, address.c_str(), &to.sin_addr);
  (void)connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  close(fd);
}

}  // namespace

// The civetweb server and what its answers are made of.
struct HttpServer::Listener {
  Listener(const StateBoard& the_board, std::string the_address, std::function<std::string()> metrics,
           std::function<std::string()> status)
      : board(the_board),
        address(std::move(the_address)),
        metrics_text(std::move(metrics)),
        status_text(std::move(status)) {}
  ~Listener() {
    if (context == nullptr) return;
    // civetweb (1.15) sees that it is to stop when somebody connects, or its wait of 2 s for that is over.
    std::jthread knocker;
    try {
      knocker = std::jthread([this, port = port()](const std::stop_token& stopped) {
        for (; !stopped.stop_requested(); std::this_thread::sleep_for(std::chrono::milliseconds(5)))
          knock(address, port);
      });
    } catch (const std::system_error&) {  // no thread is left to us: then it takes the 2 s
    }
    mg_stop(context);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  Response answer(std::string_view method, std::string_view path, bool verbose) const;
  int port() const;

  // What civetweb calls.
  static int handle(mg_connection* connection);
  static int message(const mg_connection* connection, const char* text);
  static int error_page(mg_connection* connection, int status, const char* text);

  const StateBoard& board;
  const std::string address;
  std::function<std::string()> metrics_text;
  std::function<std::string()> status_text;
  mg_context* context = nullptr;

  std::mutex mutex;      // of what follows
  bool starting = true;  // what civetweb says meanwhile is why it does not start
  std::string start_errors;
};

Response HttpServer::Listener::answer(std::string_view method, std::string_view path, bool verbose) const {
  if (method != "GET" && method != "HEAD") return {405, kText, "only GET and HEAD\n"};
  if (path == "/") return {200, "text/html; charset=utf-8", std::string(kIndex)};
  if (path == "/metrics") return {200, "text/plain; version=0.0.4; charset=utf-8", metrics_text()};
  if (path == "/status") return {200, kJson, status_text()};
  if (path == "/version") return {200, kJson, version_json()};
  if (path == "/livez" || path == "/readyz") {
    const State state = board.state();
    const std::string detail = board.detail();
    const std::chrono::nanoseconds since_beat = board.since_beat();
    const Health health = path == "/livez" ? livez(since_beat) : readyz(state, detail);
    return {health.good ? 200 : 503, kText,
            health.reason + "\n" +
                (verbose ? verbose_lines(state, board.role(), detail, since_beat, board.warning()) : "")};
  }
  return {404, kText, "nothing here; see /\n"};
}

int HttpServer::Listener::handle(mg_connection* connection) {
  const mg_request_info& request = *mg_get_request_info(connection);
  const auto& self = *static_cast<const Listener*>(request.user_data);
  const std::string_view method = request.request_method;
  const Response response = self.answer(method, request.local_uri, asks_for_more(request.query_string));
  std::string head =
      "HTTP/1.1 " + std::to_string(response.status) + " " + std::string(phrase(response.status)) +
      "\r\nContent-Type: " + std::string(response.type) +
      "\r\nContent-Length: " + std::to_string(response.body.size()) +
      "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n";
  if (response.status == 405) head += "Allow: GET, HEAD\r\n";
  head += "\r\n";
  mg_disable_keep_alive(connection);
  mg_write(connection, head.data(), head.size());
  if (method != "HEAD") mg_write(connection, response.body.data(), response.body.size());
  return response.status;
}

int HttpServer::Listener::message(const mg_connection* connection, const char* text) {
  auto* const self = static_cast<Listener*>(mg_get_user_data(mg_get_context(connection)));
  if (self != nullptr) {
    const std::lock_guard lock(self->mutex);
    if (self->starting) {
      add_clause(self->start_errors, text);
      return 1;
    }
  }
  log_debug("http: {}", text);  // a client that hangs up or sends garbage is no news
  return 1;
}

// What civetweb refuses by itself (garbage, a request too large or too slow) gets no page of its own.
int HttpServer::Listener::error_page(mg_connection* connection, int status, const char* /*text*/) {
  mg_disable_keep_alive(connection);
  mg_printf(connection, "HTTP/1.1 %d %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status,
            mg_get_response_code_text(connection, status));
  return 0;
}

HttpServer::HttpServer(std::unique_ptr<Listener> listener) : listener_(std::move(listener)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpConfig& config, const StateBoard& board,
                                                      std::function<std::string()> metrics_text,
                                                      std::function<std::string()> status_json) {
  CHECK(!config.address.empty(), "an empty address means no server");
  const std::string where = config.address + ":" + std::to_string(config.port);
  // clang-format off
  const char* options[] = {"listening_ports", where.c_str(),
                           "num_threads", "16",
                           "connection_queue", "16",
                           "listen_backlog", "32",
                           "max_request_size", "16384",
                           "request_timeout_ms", "1000",
                           "enable_keep_alive", "no",
                           "enable_directory_listing", "no",
                           nullptr};
  // clang-format on
  mg_callbacks callbacks;
  std::memset(&callbacks, 0, sizeof callbacks);
  callbacks.begin_request = Listener::handle;  // every path, before civetweb looks for a file
  callbacks.log_message = Listener::message;
  callbacks.http_error = Listener::error_page;

  auto listener =
      std::make_unique<Listener>(board, config.address, std::move(metrics_text), std::move(status_json));
  char reason[256] = "";
  mg_error_data error{};
  error.text = reason;
  error.text_buffer_size = sizeof reason;
  mg_init_data init{};
  init.callbacks = &callbacks;
  init.user_data = listener.get();
  init.configuration_options = options;
  listener->context = mg_start2(&init, &error);
  std::string why;
  {
    const std::lock_guard lock(listener->mutex);
    listener->starting = false;
    why = listener->start_errors.empty() ? reason : listener->start_errors;
  }
  if (listener->context == nullptr) {
    return Error{ErrorCode::kUnavailable, "cannot listen on " + where + " (http.address, http.port): " + why};
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(listener)));
}

int HttpServer::Listener::port() const {
  mg_server_port port{};
  CHECK(mg_get_server_ports(context, 1, &port) == 1, "a server that listens has a port");
  return port.port;
}

int HttpServer::port() const { return listener_->port(); }

}  // namespace neardup
