#include "service/commands/feed.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "service/codec/document_codec.h"
#include "service/codec/preset.h"
#include "service/commands/cli.h"
#include "service/commands/exit_code.h"
#include "tests/service/kafka/mock_cluster.h"
#include "tests/support/folder_test.h"
#include "tests/support/gzip_bytes.h"
#include "tests/support/warc_bytes.h"

namespace neardup {
namespace {

// What the service reads out of what feed sends.
Document read_back(const InputConfig& input, std::string_view page, bool html) {
  const Preset preset = resolve_preset(input);
  const Result<std::string> value = page_record(preset, "http://x/page", page, html);
  CHECK(value.ok(), "a record");
  Record record;
  record.key = "http://x/page";
  record.value = *value;
  Document document;
  const auto reason = DocumentCodec(preset, input).decode(record, document);
  EXPECT_FALSE(reason) << name(*reason) << ": " << *value;
  return document;
}

TEST(Feed, what_it_sends_is_what_the_service_reads_in_every_preset_that_has_a_place_for_pages) {
  for (const std::string_view preset : kPresetNames) {
    if (preset == "heritrix") continue;
    SCOPED_TRACE(preset);
    InputConfig input;
    input.preset = preset;
    const Document page = read_back(input, "<html><p>\"quoted\" \xE4\xBD\xA0\n</html>", true);
    EXPECT_EQ(page.url, "http://x/page");
    EXPECT_EQ(page.body, "<html><p>\"quoted\" \xE4\xBD\xA0\n</html>");
    EXPECT_EQ(page.format, Document::Format::kHtml);
    EXPECT_EQ(page.id, "http://x/page");
  }
}

TEST(Feed, a_url_is_the_prefix_and_the_path_without_the_steps_at_its_head) {
  const std::string site = "https://example.org/";
  for (const char* path :
       {"a/b.html", "./a/b.html", "/a/b.html", "../a/b.html", "././../a/b.html", ".//a/b.html"})
    EXPECT_EQ(page_url(site, path), "https://example.org/a/b.html") << path;
  EXPECT_EQ(page_url(site, "./.well-known/security.txt"), "https://example.org/.well-known/security.txt");
  EXPECT_EQ(page_url(site, ".hidden.html"), "https://example.org/.hidden.html");
  EXPECT_EQ(page_url(site, "..."), "https://example.org/...");
  EXPECT_EQ(page_url("", "./a.html"), "./a.html");
}

TEST(Feed, a_name_tells_plain_text_however_it_is_written) {
  for (const char* path : {"a.txt", "A.TXT", "b/Read.Me.Md", ".md", "a.txt.GZ"})
    EXPECT_TRUE(is_plain_text(path)) << path;
  for (const char* path : {"a.html", "txt", "a.txt.htm", ""}) EXPECT_FALSE(is_plain_text(path)) << path;
}

// Runs feed where a record has 1 KiB at most, and what is larger is all there is: nothing is sent, so that
// there need not be a Kafka. Returns what it said.
std::string said_of_too_large(const std::vector<std::string>& paths) {
  std::vector<const char*> words = {"neardup",
                                    "feed",
                                    "-q",
                                    "--set",
                                    "input.document_bytes_max=1KiB",
                                    "--set",
                                    "kafka.brokers=127.0.0.1:1"};
  for (const std::string& path : paths) words.push_back(path.c_str());
  testing::internal::CaptureStderr();
  const int code = run_cli(static_cast<int>(words.size()), words.data());
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, kExitData) << said;
  return said;
}

class FeedCommand : public FolderTest {};

TEST_F(FeedCommand, a_record_that_is_too_large_is_left_out_and_not_cut) {
  const std::string lines = write("in.jsonl", "\n{\"text\":\"" + std::string(2000, 'x') + "\"}\n");
  const std::string page = write("page.html", std::string(2000, 'x'));
  const std::string quotes = write("quotes.html", std::string(600, '"'));  // of two bytes each, escaped
  const std::string said = said_of_too_large({lines, page, quotes});
  for (const std::string& what :
       {lines + ":2: is larger", page + ": is larger", quotes + ": makes a record larger"}) {
    EXPECT_NE(said.find("neardup: " + what + " than input.document_bytes_max, so it was not sent\n"),
              std::string::npos)
        << said;
  }
}

TEST_F(FeedCommand, a_page_of_a_warc_that_cannot_be_sent_is_told) {
  const std::string head = "HTTP/1.1 200 OK\r\n\r\n";
  const std::string large = warc_record("response", "http://a/", head + gzip_of(std::string(5000, 'x')));
  const std::string unnamed = warc_record("response", "", head + "words");
  const std::string said = said_of_too_large({write("a.warc", large), write("b.warc", unnamed)});
  EXPECT_NE(said.find("http://a/: unpacks to a page larger than input.document_bytes_max"), std::string::npos)
      << said;
  EXPECT_NE(said.find("left out 1 pages without a URI"), std::string::npos) << said;
}

TEST_F(FeedCommand, a_name_says_nothing_to_a_terminal) {
  const std::string page = write("\x1B[2J.html", std::string(2000, 'x'));
  const std::string said = said_of_too_large({page});
  EXPECT_NE(said.find("/?[2J.html: is larger than"), std::string::npos) << said;
  EXPECT_EQ(said.find('\x1B'), std::string::npos) << said;
}

TEST_F(FeedCommand, a_file_that_cannot_be_read_is_told_though_no_record_comes_behind_it) {
  const std::string missing = (folder_ / "missing.jsonl").string();
  testing::internal::CaptureStderr();
  const char* const words[] = {"neardup", "feed", "--set", "kafka.brokers=127.0.0.1:1", missing.c_str()};
  const int code = run_cli(static_cast<int>(std::size(words)), words);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, kExitIo) << said;
  EXPECT_NE(said.find("neardup: " + missing + ": No such file or directory\n"), std::string::npos) << said;
}

TEST_F(FeedCommand, files_of_a_folder_that_were_not_read_are_told) {
  const std::string folder = std::filesystem::path(write("packed/a.jsonl.xz", "words")).parent_path();
  const auto fed = [&](const char* option) {
    testing::internal::CaptureStderr();
    const char* const words[] = {"neardup",     "feed", option, "--set", "kafka.brokers=127.0.0.1:1",
                                 folder.c_str()};
    EXPECT_EQ(run_cli(static_cast<int>(std::size(words)), words), kExitData) << "nothing was to be sent";
    return testing::internal::GetCapturedStderr();
  };
  const std::string loud = fed("--url-prefix=https://example.org/");
  const std::string nothing =
      "neardup: nothing to read: skipped 1 other files, below a folder a name must end in .html, ";
  EXPECT_NE(loud.find(nothing), std::string::npos) << loud;
  const std::string quiet = fed("--quiet");  // beside what the client says of a Kafka that is away
  EXPECT_NE(quiet.find(nothing), std::string::npos) << quiet;
}

TEST_F(FeedCommand, a_signal_ends_it_and_what_is_not_sent_yet_stays) {
  const MockCluster kafka({"pages"});
  const std::string fifo = (folder_ / "lines").string();
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::thread outside([&] {
    std::ofstream out(fifo);
    for (int i = 0; i < 500; ++i) out << "{\"text\":\"words\"}\n";
    out.close();  // whoever reads it listens to signals since it opened it
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    kill(getpid(), SIGINT);
  });
  testing::internal::CaptureStderr();
  const std::string brokers = "kafka.brokers=" + kafka.servers();
  const char* const words[] = {"neardup",       "feed",    "--rate", "10",        "--set",
                               brokers.c_str(), "--topic", "pages",  fifo.c_str()};
  const int code = run_cli(static_cast<int>(std::size(words)), words);
  outside.join();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, 130) << said;
  const std::size_t sent = said.find("sent ");
  ASSERT_NE(sent, std::string::npos) << said;
  EXPECT_LT(std::stoi(said.substr(sent + 5)), 100) << said;
}

TEST_F(FeedCommand, pages_of_a_warc_go_as_characters_where_the_record_is_json) {
  const MockCluster kafka({"pages"});
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: ";
  const std::string warc =
      warc_record("response", "http://a/", head + "text/html; charset=gbk\r\n\r\n<p>\xD6\xD0\xCE\xC4</p>") +
      warc_record("conversion", "http://b/", "words") +
      warc_record("response", "http://c/", head + "image/png\r\n\r\n\x89PNG");
  const std::string path = write("crawl.warc.gz", gzip_of(warc));
  const std::string brokers = "kafka.brokers=" + kafka.servers();
  testing::internal::CaptureStderr();
  const char* const words[] = {"neardup",   "feed",    "--set", brokers.c_str(), "--url-prefix",
                               "http://x/", "--topic", "pages", path.c_str()};
  EXPECT_EQ(run_cli(static_cast<int>(std::size(words)), words), kExitOk);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("sent 2 records"), std::string::npos) << said;
  EXPECT_NE(said.find("left out 1 pages that hold no text"), std::string::npos) << said;
  EXPECT_EQ(kafka.values("pages", 2), (std::vector<std::string>{R"({"html":"<p>中文</p>","url":"http://a/"})",
                                                                R"({"text":"words","url":"http://b/"})"}));
}

// A Kafka that is away for as long as `reach_max`. Returns what feed said of `lines`.
std::string said_to_nobody(const std::string& lines, std::chrono::milliseconds reach_max) {
  LoadedConfig loaded;
  loaded.config.kafka.brokers = "127.0.0.1:1";
  testing::internal::CaptureStderr();
  FeedOptions options;
  options.sources = {lines};
  options.quiet = true;
  options.reach_max = reach_max;
  const int code = run_feed(options, loaded);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, kExitUnavailable) << said;
  return said;
}

TEST_F(FeedCommand, lines_that_look_like_a_warc_are_told_of) {
  const std::string lines = write("crawl", "junk\n" + warc_record("resource", "http://a/", "page"));
  const std::string said = said_to_nobody(lines, std::chrono::milliseconds(100));
  EXPECT_NE(said.find("neardup: " + lines + ": a WARC record begins in line 2"), std::string::npos) << said;
}

TEST_F(FeedCommand, where_no_broker_answers_it_ends_soon_and_names_them) {
  std::string lines;
  for (int i = 0; i < 120'000; ++i) lines += "{\"text\":\"words\"}\n";
  const auto began = std::chrono::steady_clock::now();
  for (const auto& [name, count] :
       {std::pair("more-than-the-queue-has.jsonl", lines.size()), {"one.jsonl", 17}}) {
    const std::string said =
        said_to_nobody(write(name, lines.substr(0, count)), std::chrono::milliseconds(600));
    EXPECT_NE(said.find(" records were not acknowledged: no answer of 127.0.0.1:1 in "), std::string::npos)
        << said;
    EXPECT_NE(said.find(" s; is Kafka there"), std::string::npos) << said;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(25));
}

TEST_F(FeedCommand, a_topic_that_does_not_exist_is_told_with_the_command_that_makes_it) {
  MockCluster kafka({});
  const std::string lines = write("in.jsonl", "{\"text\":\"words\"}\n{\"text\":\"more\"}\n");
  LoadedConfig loaded;
  loaded.config.kafka.brokers = kafka.servers();
  loaded.config.kafka.properties = {{"topic.metadata.propagation.max.ms", "300"}};  // of 5 s
  loaded.kafka_options = " -c here.yaml";
  for (const auto& [topic, way_out] :
       {std::pair("pages", "does not exist; make it: neardup topics create --input -c here.yaml\n"),
        {"old",
         "does not exist; name another one (--topic), or make it with Kafka's own kafka-topics.sh\n"}}) {
    kafka.conceal(topic, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
    testing::internal::CaptureStderr();
    FeedOptions options;
    options.sources = {lines};
    options.topic = topic;
    EXPECT_EQ(run_feed(options, loaded), kExitConfig);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("neardup: topic " + std::string(topic) + " " + way_out), std::string::npos) << said;
    EXPECT_NE(said.find("0 acknowledged"), std::string::npos) << said;
  }
}

TEST_F(FeedCommand, a_signal_is_answered_with_what_is_waited_for) {
  const std::string lines = (folder_ / "lines").string();
  ASSERT_EQ(mkfifo(lines.c_str(), 0600), 0);
  std::thread outside([&] {
    std::ofstream out(lines);  // whoever reads it listens to signals since it opened it
    out << "{\"text\":\"words\"}\n";
    out.close();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    kill(getpid(), SIGINT);
  });
  const std::string said = said_to_nobody(lines, std::chrono::milliseconds(1500));
  outside.join();
  EXPECT_NE(
      said.find("neardup: interrupted: waiting until 1 records are acknowledged, 300 s at most; a second "
                "signal ends at once\n"),
      std::string::npos)
      << said;
}

TEST(Feed, a_preset_without_a_place_for_pages_is_refused) {
  InputConfig input;
  input.preset = "heritrix";
  const Result<std::string> record = page_record(resolve_preset(input), "http://x/page", "words", false);
  ASSERT_FALSE(record.ok());
  EXPECT_EQ(record.error().message,
            "input.fields has no place for a page and its url: set input.fields.html (or .text) and .url");
}

TEST(Feed, places_that_exclude_each_other_are_refused) {
  const auto made = [](const std::string& url, const std::string& html) {
    InputConfig input;
    input.fields.url = {url};
    input.fields.html = {html};
    return page_record(resolve_preset(input), "http://x/page", "<p>words</p>", true);
  };
  for (const auto& [url, html] : {std::pair("/a", "/a/b"),
                                  {"/a/b", "/a"},
                                  {"/a", "/a"},
                                  {"/a/0", "/a/b"},
                                  {"/pages/-", "/html"},
                                  {"/pages/01", "/html"},
                                  {"/url", "/pages/9999/html"},
                                  {"/1000", "/html"}}) {
    const Result<std::string> record = made(url, html);
    ASSERT_FALSE(record.ok()) << url << " " << html << ": " << *record;
    EXPECT_EQ(record.error().code, ErrorCode::kInvalid);
    EXPECT_EQ(record.error().message, "input.fields: feed makes no record with a page at \"" +
                                          std::string(html) + "\" and its url at \"" + std::string(url) +
                                          "\": set input.fields.html (or .text) and .url");
  }
  EXPECT_EQ(*made("/a/b", "/a/c"), R"({"a":{"b":"http://x/page","c":"<p>words</p>"}})");
  EXPECT_EQ(*made("/a/0/url", "/a/1/html"), R"({"a":[{"url":"http://x/page"},{"html":"<p>words</p>"}]})");
  EXPECT_EQ(*made("/url", "/v2024"), R"({"url":"http://x/page","v2024":"<p>words</p>"})");
}

// Asked of the program itself: nothing is sent, so that there need not be a Kafka.
TEST_F(FeedCommand, places_that_exclude_each_other_are_a_wrong_configuration) {
  const std::string page = write("page.html", "<p>words</p>");
  testing::internal::CaptureStderr();
  const char* const words[] = {"neardup",
                               "feed",
                               "-q",
                               "--set",
                               "kafka.brokers=127.0.0.1:1",
                               "--set",
                               "input.fields.url=[/a]",
                               "--set",
                               "input.fields.html=[/a/b]",
                               page.c_str()};
  const int code = run_cli(static_cast<int>(std::size(words)), words);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, kExitConfig) << said;
  EXPECT_NE(said.find("feed makes no record with a page at \"/a/b\" and its url at \"/a\""),
            std::string::npos)
      << said;
}

TEST(Feed, plain_text_stays_plain_text) {
  EXPECT_EQ(read_back({}, "a < b", false).format, Document::Format::kText);
}

TEST(Feed, a_page_that_is_not_utf8_arrives_whole_where_the_shape_can_carry_it) {
  const std::string latin1 = "<html><body>caf\xE9</body></html>";
  InputConfig scrapy;
  scrapy.preset = "scrapy-cluster";
  EXPECT_EQ(read_back(scrapy, latin1, true).body, "<html><body>caf\xC3\xA9</body></html>")
      << "read as latin1";
  EXPECT_EQ(read_back({}, latin1, true).body, "<html><body>caf\xEF\xBF\xBD</body></html>");
}

TEST(Feed, base64_is_padded_as_the_service_wants_it) {
  InputConfig input;
  input.base64 = "always";
  for (const char* page : {"a", "ab", "abc", "abcd"}) EXPECT_EQ(read_back(input, page, false).body, page);
}

}  // namespace
}  // namespace neardup
