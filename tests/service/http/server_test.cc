#include "service/http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "service/http/health.h"
#include "service/http/status.h"
#include "tests/support/loopback_client.h"

namespace neardup {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Clock = std::chrono::steady_clock;

class HttpTest : public testing::Test {
 protected:
  void SetUp() override {
    HttpConfig config;
    config.port = 0;
    auto started = HttpServer::start(
        config, board_, [] { return std::string("neardup_up 1\n"); },
        [this] { return status_json(board_, {}); });
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(started).value();
  }

  std::string raw(std::string_view request) const {
    const LoopbackClient client(server_->port());
    EXPECT_TRUE(client.connected());
    client.send(request);
    return client.receive();
  }
  std::string get(const std::string& path) const { return http_get(server_->port(), path); }

  StateBoard board_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpTest, each_page_has_its_type_and_length) {
  EXPECT_THAT(get("/metrics"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Content-Type: text/plain; version=0.0.4"),
                    HasSubstr("Content-Length: 13\r\n"), EndsWith("\r\n\r\nneardup_up 1\n")));
  EXPECT_THAT(get("/status"), AllOf(HasSubstr("application/json"), HasSubstr("\"state\": \"starting\"")));
  EXPECT_THAT(get("/version"), AllOf(HasSubstr("application/json"), HasSubstr("\"version\": \"")));
  EXPECT_THAT(get("/"), AllOf(HasSubstr("text/html"), HasSubstr("href=/metrics")));
  EXPECT_THAT(get("/nothing"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(get("/metrics/"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(get("/metrics"),
              AllOf(HasSubstr("Connection: close"), HasSubstr("nosniff"), HasSubstr("no-store")));
}

TEST_F(HttpTest, ready_means_running_or_standby) {
  for (const auto& [state, ready] : {std::pair{State::kStarting, false},
                                     {State::kStandby, true},
                                     {State::kRestoring, false},
                                     {State::kRunning, true},
                                     {State::kDraining, false}}) {
    board_.set(state, "waiting for Kafka");
    EXPECT_THAT(get("/readyz"), StartsWith(ready ? "HTTP/1.1 200 " : "HTTP/1.1 503 ")) << name(state);
    EXPECT_THAT(get("/readyz"),
                HasSubstr(std::string(name(state)) + (ready ? "\n" : ": waiting for Kafka\n")));
    EXPECT_THAT(get("/livez"), StartsWith("HTTP/1.1 200 "));
  }
}

TEST_F(HttpTest, verbose_tells_state_role_detail_and_beat) {
  board_.set(State::kStandby, "the writer is another instance");
  for (const char* query : {"?verbose", "?verbose=1", "?a=b&verbose"}) {
    EXPECT_THAT(get(std::string("/readyz") + query),
                AllOf(HasSubstr("state: standby\n"), HasSubstr("role: standby\n"),
                      HasSubstr("detail: the writer is another instance\n"),
                      ContainsRegex("seconds_since_beat: [0-9]+\n")));
  }
  EXPECT_THAT(get("/readyz?verbosity"), Not(HasSubstr("detail:")));
  board_.set_role(Role::kWriter);
  EXPECT_THAT(get("/readyz?verbose"), HasSubstr("role: writer\n"));
  EXPECT_THAT(get("/status"), HasSubstr("\"role\": \"writer\""));
}

TEST(Health, the_beat_is_told_in_whole_seconds) {
  EXPECT_THAT(verbose_lines(State::kStandby, Role::kStandby, "", 3900ms, ""),
              HasSubstr("seconds_since_beat: 3\n"));
}

TEST(Health, a_worker_that_does_not_beat_is_not_alive) {
  EXPECT_TRUE(livez(119s).good);
  EXPECT_TRUE(livez(StateBoard::kBeatMax).good);
  const Health silent = livez(121s);
  EXPECT_FALSE(silent.good);
  EXPECT_EQ(silent.reason, "the worker has not been heard of for 121 s");
}

TEST(Status, it_is_json_whatever_the_detail_holds) {
  StateBoard board;
  board.set(State::kStarting, "topic \"a\\b\"\n\xFF");
  StatusCounts counts;
  counts.unique = 3;
  const std::string json = status_json(board, counts);
  EXPECT_THAT(json, AllOf(HasSubstr("\"unique\": 3"), HasSubstr(R"("detail": "topic \"a\\b\"\n)"),
                          Not(HasSubstr("\xFF"))));
}

TEST_F(HttpTest, head_has_no_body) {
  const std::string answer = raw("HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(answer,
              AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("Content-Length: 13\r\n"), EndsWith("\r\n\r\n")));
}

TEST_F(HttpTest, other_methods_are_refused_everywhere) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
    for (const char* path : {"/", "/metrics", "/livez", "/etc/passwd"}) {
      EXPECT_THAT(raw(std::string(method) + " " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"),
                  AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET, HEAD")))
          << method << path;
    }
  }
}

TEST_F(HttpTest, no_file_is_served) {
  for (const char* path :
       {"/etc/passwd", "//etc/passwd", "/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
        "/metrics/../../etc/passwd", "/.", "/..", "/CMakeLists.txt", "/%00", "/\\..\\"}) {
    // A path that comes out as / gets the page of /.
    EXPECT_THAT(get(path), AllOf(AnyOf(StartsWith("HTTP/1.1 4"), HasSubstr("<title>neardup</title>")),
                                 Not(HasSubstr("root:")), Not(HasSubstr("project("))))
        << path;
  }
}

TEST_F(HttpTest, one_connection_is_one_request) {
  const std::string answer =
      raw("GET /livez HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n"
          "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(answer, AllOf(HasSubstr("alive"), Not(HasSubstr("neardup_up")), Not(EndsWith("TIMEOUT"))));
}

TEST_F(HttpTest, garbage_ends_the_connection_and_not_the_server) {
  std::string noise;
  for (int i = 0; i < 4096; ++i) noise += static_cast<char>(i * 7919 >> 3);
  for (const std::string& bytes : {noise + "\r\n\r\n", std::string("\0\0\0\0\r\n\r\n", 8),
                                   std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
                                   std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
                                   std::string("GET\r\n\r\n"), std::string("GET /livez HTTP/9.9\r\n\r\n"),
                                   std::string("GET /livez HTTP/1.1\r\nContent-Length: x\r\n\r\n")}) {
    EXPECT_THAT(raw(bytes), Not(EndsWith("TIMEOUT")));
  }
  EXPECT_THAT(get("/livez"), HasSubstr("alive"));
}

TEST_F(HttpTest, a_megabyte_of_request_line_is_cut_off) {
  const LoopbackClient client(server_->port());
  const std::string line = "GET /" + std::string(1 << 20, 'a') + " HTTP/1.1\r\n\r\n";
  client.send(line);  // may fail half way: the server does not wait for the rest
  const std::string answer = client.receive();
  EXPECT_THAT(answer, AllOf(Not(HasSubstr("200 OK")), Not(EndsWith("TIMEOUT"))));
  EXPECT_THAT(get("/livez"), HasSubstr("alive"));
}

TEST_F(HttpTest, a_request_that_drips_is_cut_off_after_a_second) {
  const Clock::time_point start = Clock::now();
  const LoopbackClient client(server_->port());
  const std::string request = "GET /livez HTTP/1.1\r\nX-Slow: " + std::string(1000, 'a');
  bool hung_up = false;
  for (std::size_t sent = 0; sent < request.size() && Clock::now() - start < 30s && !hung_up; ++sent) {
    hung_up = !client.send(request.substr(sent, 1)) || !client.receive(200ms).ends_with("TIMEOUT");
  }
  EXPECT_TRUE(hung_up);
  EXPECT_GE(Clock::now() - start, 800ms);
}

TEST_F(HttpTest, silent_connections_only_delay_the_others) {
  std::vector<std::unique_ptr<LoopbackClient>> silent;
  for (int i = 0; i < 60; ++i) {  // nearly all that are let in: those served, those that wait, the backlog
    silent.push_back(std::make_unique<LoopbackClient>(server_->port()));
    silent.back()->send("GET ");
  }
  const LoopbackClient client(server_->port());
  client.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.receive(60s), HasSubstr("alive"));  // some 4 s on an idle machine
}

TEST_F(HttpTest, a_hundred_clients_at_once_are_all_answered) {
  std::vector<std::string> answers(100);
  std::vector<std::thread> threads;
  threads.reserve(answers.size());
  for (std::string& answer : answers) {
    threads.emplace_back([&answer, this] { answer = get("/metrics"); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& answer : answers) EXPECT_THAT(answer, EndsWith("neardup_up 1\n"));
}

TEST_F(HttpTest, a_port_that_is_taken_is_an_error_that_says_so) {
  HttpConfig config;
  config.port = server_->port();
  const auto second =
      HttpServer::start(config, board_, [] { return std::string(); }, [] { return std::string(); });
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message,
              AllOf(HasSubstr("127.0.0.1:" + std::to_string(config.port)), HasSubstr("in use")));
}

TEST_F(HttpTest, an_address_of_another_machine_is_an_error) {
  HttpConfig config;
  config.address = "192.0.2.1";
  config.port = 0;
  EXPECT_FALSE(HttpServer::start(config, board_, [] { return std::string(); }, [] { return std::string(); }));
}

TEST_F(HttpTest, stopping_frees_the_port) {
  const int port = server_->port();
  server_.reset();
  EXPECT_FALSE(LoopbackClient(port).connected());
}

}  // namespace
}  // namespace neardup
