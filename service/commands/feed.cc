#include "service/commands/feed.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/ascii.h"
#include "core/text/utf8.h"
#include "service/clock.h"
#include "service/codec/base64.h"
#include "service/codec/document_codec.h"
#include "service/codec/unpacking.h"
#include "service/commands/exit_code.h"
#include "service/commands/path_input.h"
#include "service/commands/progress_line.h"
#include "service/commands/report.h"
#include "service/commands/streams.h"
#include "service/kafka/sender.h"
#include "service/kafka/topics.h"

namespace neardup {

const char kFeedAbout[] = "Send documents from files, folders or standard input into a topic";

const char kFeedHelp[] =
    "  neardup feed crawl.jsonl --topic pages                     each line is one record, sent as it is\n"
    "  cd site && neardup feed . --url-prefix https://example.org/   each page below a folder is one record\n"
    "  neardup feed --rate 5000 crawl.warc.gz                     the pages of a WARC, 5000 a second\n"
    "  kcat -C -t old | neardup feed --topic pages -              standard input\n"
    "\n"
    "Files are read as `neardup scan` reads them. Pages ({pages}) are sent in\n"
    "the shape of input.preset, keyed by their url: the prefix and the path as it was given, without a\n"
    "./, ../ or / at its head. So are those of a WARC, which has their urls. Where the shape is JSON a page\n"
    "is sent as its characters, and one that holds no text (an image, say) is left out and counted.\n"
    "Delivery is\n"
    "idempotent and acknowledged by all replicas. Where no broker answers for 30 s it ends; where Kafka has\n"
    "no such topic, and makes none by itself, after 5 s. The first Ctrl-C (SIGINT, or SIGTERM) ends the\n"
    "sending, and what was sent is waited for, 300 s at most; a second ends at once.\n"
    "Exit codes: 0 every record was acknowledged; 65 some were larger than input.document_bytes_max or\n"
    "had no url, and were left out, or the folders hold nothing to read;\n"
    "69 some were not acknowledged, or no broker answers; 74 a file could not be read; 78 wrong\n"
    "configuration, or there is no such topic;\n"
    "130 or 143 interrupted, after what was sent was acknowledged.\n";

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::minutes kDeliveryMax{5};

using Json = nlohmann::json;

// A step of digits may make an array, with all the places before it.
bool has_long_index(std::string_view pointer) {
  constexpr std::size_t kDigitsMax = 3;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);  // '/'
    const std::string_view step = pointer.substr(0, pointer.find('/'));
    if (step.size() > kDigitsMax && step.find_first_not_of("0123456789") == std::string_view::npos)
      return true;
    pointer.remove_prefix(step.size());
  }
  return false;
}

// Nothing: one of them takes the other's place, or there is no such place.
std::optional<Json> record_of(const std::string& url_place, std::string_view url,
                              const std::string& page_place, std::string_view page) {
  if (has_long_index(url_place) || has_long_index(page_place)) return std::nullopt;
  try {
    const Json::json_pointer at_url(url_place);
    Json record = Json::object();
    record[at_url] = url;
    record[Json::json_pointer(page_place)] = page;
    const Json& found = record.at(at_url);
    if (found.is_string() && found.get_ref<const std::string&>() == url) return record;
  } catch (const Json::exception&) {  // a step into what is no object, or to a place that no array has
  }
  return std::nullopt;
}

class Feed {
 public:
  Feed(const FeedOptions& options, const LoadedConfig& loaded, const Preset& preset, KafkaSender& sender)
      : options_(options),
        kafka_(loaded.config.kafka),
        kafka_options_(loaded.kafka_options),
        preset_(preset),
        sender_(sender),
        document_bytes_max_(loaded.config.input.document_bytes_max),
        pages_(raw_preset(), loaded.config.input),
        input_(options.sources, STDIN_FILENO, document_bytes_max_, SignalScope::interrupted),
        progress_(STDERR_FILENO, !options.quiet) {
    sender_.waits = [this] { return !ends(); };
  }

  int run() {
    PathBatch batch;
    Status status;
    while (status && !ends() && input_.next(batch)) {
      for (const Record& record : batch.records) {
        if (ends()) break;
        if (!whole(record)) continue;
        if (status = send(record, batch.kind); !status) break;
        pace();
        show_progress();
      }
      report_unreadable();
    }
    report_unreadable();      // also of what was met behind the last record
    if (ends()) status = {};  // for that a full queue was not waited for
    // What was sent is delivered, whatever came after it.
    const Status delivered = deliver();
    progress_.clear();
    if (!options_.quiet) {
      say(fmt::format("sent {} records, {:.1f} MB, {:.0f}/s; {} acknowledged\n", sent_,
                      static_cast<double>(bytes_) / 1e6, static_cast<double>(sent_) / seconds_since(began_),
                      sender_.delivered()));
    }
    if (no_text_ > 0 && !options_.quiet)
      say(fmt::format("neardup: left out {} pages that hold no text\n", no_text_));
    if (nameless_ > 0)
      say(fmt::format("neardup: left out {} pages without a URI that could be an id\n", nameless_));
    if (const std::string words = input_.left_out();
        !words.empty() && (!options_.quiet || input_.is_nothing())) {
      say("neardup: " + words + "\n");
    }
    if (!status) return report_error(with_way_out(status.error()));
    if (!delivered) return report_error(with_way_out(delivered.error()));
    if (SignalScope::interrupted.load()) return SignalScope::exit_code();
    if (input_.unreadable() > 0) return kExitIo;
    return too_large_ + nameless_ > 0 || input_.is_nothing() ? kExitData : kExitOk;
  }

 private:
  // Nothing more is to be sent.
  bool ends() { return SignalScope::interrupted.load() || is_away(); }

  // No broker has answered since there is something to be sent.
  bool is_away() {
    if (is_reached_ || sent_ == 0 || steady_clock::now() - sent_first_ < options_.reach_max) return false;
    is_reached_ = sender_.is_reached();
    return !is_reached_;
  }

  // Of a topic that does not exist.
  Error with_way_out(const Error& error) const {
    if (error.code != ErrorCode::kNotFound) return error;
    const bool is_input =
        std::ranges::find(kafka_.topics.input, sender_.topic()) != kafka_.topics.input.end();
    return {ErrorCode::kInvalid,
            error.message + "; " +
                (is_input ? "make it: " + topics_command("create --input", kafka_options_)
                          : "name another one (--topic), or make it with Kafka's own kafka-topics.sh")};
  }

  Status deliver() {
    constexpr std::chrono::milliseconds kLook{100};
    bool is_told = false;
    for (const auto until = steady_clock::now() + kDeliveryMax; !sender_.settle(kLook);) {
      const std::uint64_t left = sent_ - sender_.delivered() - sender_.undelivered();
      if (is_away()) {
        return Error{ErrorCode::kUnavailable,
                     fmt::format("{} records were not acknowledged: {}", left,
                                 no_answer(kafka_, std::chrono::duration_cast<std::chrono::milliseconds>(
                                                       steady_clock::now() - sent_first_)))};
      }
      if (SignalScope::interrupted.load() && !std::exchange(is_told, true)) {
        progress_.clear();
        say(
            fmt::format("neardup: interrupted: waiting until {} records are acknowledged, {} s at most; a "
                        "second signal ends at once\n",
                        left, std::chrono::seconds(kDeliveryMax).count()));
      }
      if (steady_clock::now() >= until) break;
    }
    return sender_.finish(std::chrono::milliseconds(0));
  }

  // Of a larger one there is only the beginning, which is another document.
  bool whole(const Record& record) {
    if (record.value.value_or("").size() <= document_bytes_max_) return true;
    leave_out(record, "is larger");
    return false;
  }

  void leave_out(const Record& record, std::string_view why) {
    ++too_large_;
    progress_.clear();
    report_error({ErrorCode::kInvalid, fmt::format("{}: {} than input.document_bytes_max, so it was not sent",
                                                   harmless(record.key.value_or("")), why)});
  }

  void leave_out(const Record& record, RejectReason reason) {
    if (reason == RejectReason::kNotText) {
      ++no_text_;
    } else if (reason == RejectReason::kTooLarge) {
      leave_out(record, "unpacks to a page larger");
    } else {
      ++nameless_;
    }
  }

  void report_unreadable() {
    for (const Error& error : input_.take_errors()) {
      progress_.clear();
      report_error(error);
    }
    for (const std::string& remark : input_.take_remarks()) {
      progress_.clear();
      say(fmt::format("neardup: {}\n", remark));
    }
  }

  Status send(const Record& record, PathBatch::Kind kind) {
    std::optional<std::string_view> key;
    std::string url;
    std::string value;
    std::string_view bytes = record.value.value_or("");
    if (kind != PathBatch::Kind::kLines) {
      const std::string_view name = record.key.value_or("");
      url = kind == PathBatch::Kind::kArchive ? std::string(name) : page_url(options_.url_prefix, name);
      bool html = !is_plain_text(name);
      if (must_be_read(bytes, kind)) {
        if (const auto reason = pages_.decode(record, page_)) {
          leave_out(record, *reason);
          return {};
        }
        bytes = page_.body;
        html = page_.format == Document::Format::kHtml;
      }
      Result<std::string> made = page_record(preset_, url, bytes, html);
      if (!made) return made.error();
      // The service measures records as they come: with their base64 and their escapes.
      if (made->size() > document_bytes_max_) {
        leave_out(record, "makes a record larger");
        return {};
      }
      value = std::move(*made);
      bytes = value;
      key = url;
    }
    if (sent_ == 0) sent_first_ = steady_clock::now();
    ++sent_;
    Status status = sender_.send(key, bytes);
    if (status) {
      bytes_ += bytes.size();
    } else {
      --sent_;
    }
    return status;
  }

  // A JSON string has the characters of a page, not the bytes that it came in.
  bool must_be_read(std::string_view bytes, PathBatch::Kind kind) const {
    if (preset_.value_is_page) return false;
    return kind == PathBatch::Kind::kArchive || (preset_.base64 == Base64::kNever && !is_utf8(bytes));
  }

  void pace() const {
    if (options_.rate <= 0) return;
    const auto due = began_ + std::chrono::duration<double>(static_cast<double>(sent_) / options_.rate);
    while (!SignalScope::interrupted.load() && steady_clock::now() < due) {
      const auto left = due - steady_clock::now();
      std::this_thread::sleep_for(
          std::min<std::chrono::duration<double>>(left, std::chrono::milliseconds(100)));
    }
  }

  void show_progress() {
    progress_.show([this] {
      return fmt::format("{} records, {:.0f}/s, {:.1f} MB, {} acknowledged", sent_,
                         static_cast<double>(sent_) / seconds_since(began_),
                         static_cast<double>(bytes_) / 1e6, sender_.delivered());
    });
  }

  // Whether anybody hears it changes nothing of what was sent.
  static void say(std::string_view text) { (void)write_all(STDERR_FILENO, text); }

  const FeedOptions& options_;
  const KafkaConfig& kafka_;
  const std::string& kafka_options_;
  const Preset& preset_;
  KafkaSender& sender_;
  const std::size_t document_bytes_max_;
  DocumentCodec pages_;
  Document page_;
  PathInput input_;
  ProgressLine progress_;
  std::uint64_t sent_ = 0;
  steady_clock::time_point sent_first_{};
  bool is_reached_ = false;
  std::uint64_t bytes_ = 0;
  std::uint64_t too_large_ = 0;
  std::uint64_t no_text_ = 0;
  std::uint64_t nameless_ = 0;  // or of too long a name
  steady_clock::time_point began_ = steady_clock::now();
};

}  // namespace

bool is_plain_text(std::string_view path) {
  path = without_packed_ending(path);
  return ends_with_ignoring_case(path, ".txt") || ends_with_ignoring_case(path, ".md");
}

std::string page_url(const std::string& prefix, std::string_view path) {
  if (prefix.empty()) return std::string(path);
  // Whole steps only: the dot of .well-known/ is part of a name.
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view step : {"/", "./", "../"}) {
      if (!path.starts_with(step)) continue;
      path.remove_prefix(step.size());
      more = true;
    }
  }
  return prefix + std::string(path);
}

Result<std::string> page_record(const Preset& preset, std::string_view url, std::string_view page,
                                bool html) {
  if (preset.value_is_page) return std::string(page);
  const bool as_html = html && !preset.fields.html.empty();
  const std::vector<std::string>& places =
      as_html || preset.fields.text.empty() ? preset.fields.html : preset.fields.text;
  if (places.empty() || preset.fields.url.empty()) {
    return Error{
        ErrorCode::kInvalid,
        "input.fields has no place for a page and its url: set input.fields.html (or .text) and .url"};
  }
  const std::string& url_place = preset.fields.url.front();
  const std::string& page_place = places.front();
  const bool may_be_base64 = preset.base64 != Base64::kNever;
  const bool must_be_base64 = preset.base64 == Base64::kAlways;
  const bool as_base64 = must_be_base64 || (may_be_base64 && !is_utf8(page));
  const std::optional<Json> record = as_base64 ? record_of(url_place, url, page_place, encode_base64(page))
                                               : record_of(url_place, url, page_place, page);
  if (!record) {
    return Error{ErrorCode::kInvalid,
                 fmt::format("input.fields: feed makes no record with a page at \"{}\" and its url at "
                             "\"{}\": set input.fields.html (or .text) and .url",
                             page_place, url_place)};
  }
  return record->dump(-1, ' ', false, Json::error_handler_t::replace);
}

int run_feed(const FeedOptions& options, const LoadedConfig& loaded) {
  const Config& config = loaded.config;
  const Preset preset = resolve_preset(config.input);
  const SignalScope signals;
  Probe probe;
  const std::string& topic = options.topic.empty() ? config.kafka.topics.input.front() : options.topic;
  Result<std::unique_ptr<KafkaSender>> sender = KafkaSender::open(config.kafka, topic, probe);
  if (!sender) return report_error(sender.error());
  return Feed(options, loaded, preset, **sender).run();
}

}  // namespace neardup
