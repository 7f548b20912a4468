#include "service/commands/scan.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/decision.h"
#include "core/detector.h"
#include "core/retention.h"
#include "service/clock.h"
#include "service/codec/preset.h"
#include "service/codec/verdict_codec.h"
#include "service/commands/exit_code.h"
#include "service/commands/index_folder.h"
#include "service/commands/path_input.h"
#include "service/commands/progress_line.h"
#include "service/commands/rejects.h"
#include "service/commands/report.h"
#include "service/metrics/probe.h"
#include "service/pipeline/rebuilding.h"
#include "service/pipeline/signed_walk.h"
#include "service/pipeline/signer_pool.h"
#include "service/pipeline/signer_settings.h"

namespace neardup {

const char kScanAbout[] = "Find the duplicates in files, folders or standard input, without Kafka";

const char kScanHelp[] =
    "  neardup scan pages.jsonl > verdicts.jsonl          one JSON document a line in, one verdict a line "
    "out\n"
    "  neardup scan site/                                 every page and file of lines below a folder\n"
    "  neardup scan crawl.warc.gz                         the pages of a WARC, as crawlers archive them\n"
    "  kcat -C -t pages | neardup scan --quiet -          standard input\n"
    "  neardup scan --set input.fields.text=[/article] a.jsonl\n"
    "  neardup scan a.jsonl | jq -r 'select(.verdict == \"duplicate\") | [.id, .duplicate_of.id] | @tsv'\n"
    "  neardup scan --print unique a.jsonl > new.jsonl    the documents that are new, in place of verdicts\n"
    "  neardup scan --snapshot index/ monday.jsonl       leaves an index ...\n"
    "  neardup scan --snapshot index/ tuesday.jsonl      ... and goes on from it\n"
    "  neardup scan --against index/ questions.jsonl     asks it; it stays as it is, also a service's own\n"
    "\n"
    "A file that ends in {pages} is one page; any other file that is named holds a\n"
    "document a line, or is one array of documents, or objects over several lines each, or a WARC, of which\n"
    "each page is a document by its URI (responses whose HTTP status is 2xx, resources, and the text of WET\n"
    "files); what ends in .warc or .wet is one whatever it begins with. Of those of a folder {lines}\n"
    "do, and others are skipped, as links are. Each may be packed with gzip or zstd.\n"
    "A line that has neither an id nor a url is called by its place, FILE:NUMBER, where input.id_from has "
    "key\n"
    "(presets json and raw); in Kafka its key has to name it. An index that outlives the scan takes that for "
    "an\n"
    "id: a line at the same place of a later scan is one of the same document, but for standard input, "
    "which\n"
    "each scan that goes on from an index calls by a name of its own: stdin-2, stdin-3. Lines of plain text "
    "are\n"
    "read with --set input.preset=raw.\n"
    "Verdicts come in input order on standard output; progress and a summary on standard error. A line that "
    "is\n"
    "no document gets the verdict \"rejected\" with its reason, and the scan goes on; blank lines are "
    "skipped.\n"
    "With --print documents come out as they came, unpacked: lines as lines, an array's items as lines,\n"
    "a WARC's records as records; of a page that is a file, its path. So files of one kind should be read.\n"
    "The file that the output goes to is not read, though it lies below a folder that is.\n"
    "Where the output or the index cannot be written, it goes back to what it was, and the scan can be run "
    "again;\n"
    "but each 256 MiB that it had grown by stay, and what they remember is a duplicate then.\n"
    "Exit codes: 0 done, rejects or not; 65 every document was rejected, or with --strict at least one, or\n"
    "the folders hold nothing to read, or the index is damaged, contradicts itself or the settings, is of\n"
    "another version, or with --snapshot a service's; 69 another process writes to the index; 74 a file\n"
    "could not be read, or the output not written, or its reader went away; 78 wrong configuration, or the\n"
    "index is full, and index.at_memory_limit is stop or its limit too small to forget for; 130 or 143\n"
    "interrupted, after the verdicts of what was read.\n";

namespace {

using Clock = std::chrono::steady_clock;

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// As it came: a line, a record of a WARC, and of a page that is a file the path. So `scan` reads it again,
// unless there were several kinds.
void append_document(const Record& record, PathBatch::Kind kind, std::string& to) {
  const std::size_t begin = to.size();
  switch (kind) {
    case PathBatch::Kind::kLines:
      to += record.value.value_or("");
      std::replace(to.begin() + static_cast<std::ptrdiff_t>(begin), to.end(), '\n', ' ');  // an array's item
      to += '\n';
      break;
    case PathBatch::Kind::kPages:
      to += record.key.value_or("");
      to += '\n';
      break;
    case PathBatch::Kind::kArchive:
      to += record.value.value_or("");
      to += kWarcRecordEnd;
      break;
  }
}

class Scan {
 public:
  Scan(const ScanOptions& options, const Config& config, const Preset& preset, const SignerOptions& signing,
       const Streams& streams)
      : options_(options),
        config_(config),
        preset_(preset),
        signing_(signing),
        streams_(streams),
        threads_(options.threads > 0 ? options.threads : signing_threads(config.pipeline)),
        input_(options.paths, streams.in, config.input.document_bytes_max, SignalScope::interrupted,
               streams.out),
        chain_(signing.text()),
        detector_(resolve_detector_options(config)),
        retention_(resolve_retention_options(config)),
        progress_(streams.err, !options.quiet && ::isatty(streams.out) == 0) {}

  int run() {
    if (const std::string remark = idf_remark(config_, signing_); !options_.quiet && !remark.empty())
      say("neardup: " + remark + "\n");
    if (Status status = open_index(); !status) {
      say("neardup: " + status.error().message + "\n");
      return neardup::exit_code(status.error().code);
    }
    // The next turn is begun before this one is decided, so that who signs need not pause. But whoever writes
    // to us may wait for an answer before there is more.
    std::array<Turn, 2> turns;
    bool has_turn = !is_full_ && begin(turns[0], PathInput::Wait::kYes);
    for (std::size_t i = 0; has_turn; ++i) {
      Turn& turn = turns[i % 2];
      Turn& next = turns[(i + 1) % 2];
      has_turn = threads_ > 1 && begin(next, PathInput::Wait::kNo);  // alone it would only cost caches
      decide(turn);
      output_error_ = write_all(streams_.out, printed_);
      show_progress();
      report_unreadable();
      if (output_error_ != 0 || !index_status_ || is_full_) {
        if (has_turn) next.pool->cancel(next.job);
        break;
      }
      if (!has_turn) has_turn = begin(next, PathInput::Wait::kYes);
    }
    if (index_ && index_status_ && output_error_ == 0) {
      if (room_.documents() > 0) end_record();
      if (index_status_) note_index(index_->finish());
    }
    if (index_ && (!index_status_ || output_error_ != 0)) {
      // A document whose verdict nobody has must not be a duplicate of itself when it comes again, and of an
      // index that could not be written nobody knows how much is there for good.
      if (const Status abandoned = index_->abandon(); index_status_) note_index(abandoned);
    }
    report_unreadable();
    progress_.clear();
    if (!index_status_) say("neardup: " + index_status_.error().message + "\n");
    if (is_full_) {
      const RetentionOptions& options = retention_.options();
      const bool evicts = options.at_bytes_max == MemoryPolicy::kEvictOldest;
      say(fmt::format("neardup: index.memory_limit: {} of {} bytes are taken{}\n", detector_.bytes(),
                      options.bytes_max,
                      evicts ? " and hardly any document would fit, what follows was not read; allow more"
                             : ", what follows was not read; allow more, or set index.at_memory_limit to "
                               "evict-oldest"));
    }
    if (output_error_ != 0 && output_error_ != EPIPE) {  // a reader that has seen enough is no news
      say(std::string("neardup: standard output: ") + std::strerror(output_error_) + "\n");
    }
    if (const std::string words = input_.left_out();
        output_error_ == 0 && !words.empty() && (!options_.quiet || input_.is_nothing())) {
      say("neardup: " + words + "\n");
    }
    if (!options_.quiet && output_error_ == 0) summarize();
    return exit_code();
  }

 private:
  // What is read at once.
  struct Turn {
    PathBatch batch;
    std::size_t topics = 0;  // of the input, by then
    std::vector<Signed> slots;
    SignerPool* pool = nullptr;
    SigningJob job;
  };

  Status open_index() {
    const int threads = remembering_threads(threads_);
    if (!options_.against.empty()) {
      if (Status status = load_index(options_.against, chain_, detector_, retention_, threads); !status)
        return status;
    } else if (!options_.snapshot.empty()) {
      auto opened = ScanJournal::open(options_.snapshot, chain_, detector_, retention_, threads);
      if (!opened) return opened.error();
      index_ = *std::move(opened);
      is_full_ = retention_.must_stop(detector_.bytes());
    }
    if (const Status& file = detector_.file_status(); !file) return file.error().in("index.directory");
    for (const JournalChain::Topic& topic : chain_.topics()) topic_names_.push_back(topic.name);
    topics_before_ = topic_names_.size();
    input_.name_stdin(stdin_name());
    return {};
  }

  // What came on standard input before is not what comes now: other lines lie at the same places. So each
  // scan that goes on from an index calls it by a name of its own: stdin, stdin-2, stdin-3.
  std::string stdin_name() const {
    const std::string again = fmt::format("{}-", kStdinName);
    const auto before = std::ranges::count_if(
        topic_names_, [&](const std::string& name) { return name == kStdinName || name.starts_with(again); });
    return before == 0 ? std::string(kStdinName) : fmt::format("{}{}", again, before + 1);
  }

  // Reads, and has it signed. False: there is nothing more, or not yet.
  bool begin(Turn& turn, PathInput::Wait wait) {
    if (!input_.next(turn.batch, wait)) return false;
    turn.topics = input_.topic_names().size();
    std::vector<Record>& records = turn.batch.records;
    for (Record& record : records) record.source.topic += static_cast<std::uint32_t>(topics_before_);
    turn.pool = &pool_for(turn.batch.kind);
    turn.slots.resize(turn.pool->slots());
    turn.job = {.records = records,
                .slots = std::span(turn.slots).first(std::min(records.size(), turn.slots.size()))};
    turn.pool->begin(turn.job);
    return true;
  }

  void decide(Turn& turn) {
    const auto names = std::span(input_.topic_names()).first(turn.topics);
    topic_names_.resize(topics_before_);
    topic_names_.insert(topic_names_.end(), names.begin(), names.end());
    printed_.clear();
    SignedWalk walk(*turn.pool, turn.job, detector_);
    for (std::size_t i = 0; i < turn.batch.records.size(); ++i) {
      walk.reach(i);
      counts_.document_bytes.add(turn.batch.records[i].value->size());
      decide(turn.job.signed_record(i), turn.batch.records[i], turn.batch.kind);
    }
  }

  // Each kind of record has its pool, made when the first one comes; the pool that rests costs nothing.
  SignerPool& pool_for(PathBatch::Kind kind) {
    if (kind == PathBatch::Kind::kLines) {
      if (!lines_) lines_.emplace(threads_, preset_, config_.input, signing_);
      return *lines_;
    }
    if (!pages_) pages_.emplace(threads_, raw_preset(), config_.input, signing_);
    return *pages_;
  }

  void decide(const Signed& signed_record, const Record& record, PathBatch::Kind kind) {
    const Document& document = signed_record.document;
    VerdictRecord verdict;
    verdict.id = document.id;
    verdict.url = document.url;
    verdict.source = document.source;
    verdict.event_time_ms = document.event_time_ms;
    verdict.reason = signed_record.reason;
    Unique leader;
    Unique previous;
    std::size_t entry_bytes_max = 0;
    if (signed_record.reason) {
      rejects_.add(*signed_record.reason);
      if (index_) index_->add_rejected(document.source);
    } else {
      const Arrival arrival = signed_record.arrival(document.source);
      if (options_.against.empty()) come(document);
      verdict.signature = signed_record.signature;
      counts_.fallbacks += signed_record.fell_back ? 1 : 0;
      kept_.clear();
      verdict.decision = !options_.against.empty() ? detector_.check(arrival)
                                                   : detector_.apply(arrival, index_ ? &kept_ : nullptr);
      if (verdict.decision.verdict == Verdict::kDuplicate) {
        const Sequence sequence = verdict.decision.sequence;
        verdict.cluster = !options_.against.empty() ? detector_.cluster_with(arrival, sequence)
                                                    : detector_.cluster(sequence);
      }
      if (verdict.decision.previous) {
        previous = detector_.unique(*verdict.decision.previous);
        verdict.previous = &previous;
      }
      if (index_) index_->add(arrival, verdict.decision, verdict.cluster, kept_);
      if (verdict.decision.verdict == Verdict::kUnique) {
        ++counts_.unique;
        entry_bytes_max = journal_entry_bytes_max(document.id.size(), document.url.size(),
                                                  Detector::kept_bytes_max(signed_record.route));
      } else {
        counts_.count(verdict.decision);
        entry_bytes_max = kJournalGainBytesMax;
        leader = detector_.unique(verdict.decision.sequence);
        verdict.leader = &leader;
      }
    }
    if (!options_.print) {
      append_verdict_json(verdict, topic_names_, printed_);
      printed_.push_back('\n');
    } else if (verdict.verdict() == *options_.print) {
      append_document(record, kind, printed_);
    }
    if (!options_.against.empty()) return;
    if (room_.take(document.source.topic, topic_names_, entry_bytes_max)) end_record();
  }

  // Before a document is decided: what is too old or too much by then is forgotten, and no duplicate is found
  // of it.
  void come(const Document& document) {
    const std::int64_t told_ms = retention_.time_ms(document.event_time_ms, 0);
    if (told_ms > now_ms_) now_ms_ = wall_clock_ms();  // a scan of a pipe may last for days
    const std::int64_t time_ms = std::min(now_ms_, told_ms);
    retention_.note(detector_.size(), time_ms);
    if (retention_.is_due(detector_.size())) {
      if (room_.may_end()) {
        end_record();
      } else {
        forget();
      }
    }
    time_ms_ = std::max(time_ms_, time_ms);
  }

  void forget() {
    do {
      const Retention::Answer answer = retention_.decide({.oldest = detector_.oldest(),
                                                          .size = detector_.size(),
                                                          .time_ms = time_ms_,
                                                          .bytes = detector_.bytes()});
      detector_.expire(answer.oldest);
      is_full_ = is_full_ || answer.must_stop;
    } while (retention_.has_more());
  }

  void end_record() {
    forget();
    if (index_ && index_status_) note_index(index_->end_record(detector_.oldest(), time_ms_, topic_names_));
    room_.clear();
    time_ms_ = 0;
  }

  // What went wrong with the index ends the scan after this batch.
  void note_index(const Status& status) {
    if (!status) index_status_ = status.error().in(options_.snapshot);
  }

  int exit_code() const {
    if (output_error_ != 0) return kExitIo;
    if (!index_status_) return neardup::exit_code(index_status_.error().code);
    if (is_full_) return kExitConfig;
    if (SignalScope::interrupted.load()) return SignalScope::exit_code();
    if (input_.unreadable() > 0) return kExitIo;
    if (input_.is_nothing()) return kExitData;
    const bool nothing_but_rejects = rejects_.all() > 0 && rejects_.all() == documents();
    if (nothing_but_rejects || (options_.strict && rejects_.all() > 0)) return kExitData;
    return kExitOk;
  }

  void report_unreadable() {
    const auto tell = [this](const std::string& what) {
      progress_.clear();
      say("neardup: " + what + "\n");
    };
    for (const Error& error : input_.take_errors()) tell(error.message);
    for (const std::string& remark : input_.take_remarks()) tell(remark);
  }

  void show_progress() {
    progress_.show([this] {
      const double seconds = seconds_taken();
      return fmt::format("{} documents, {:.0f}/s, {:.1f} MB/s, {:.1f} % duplicates", documents(),
                         static_cast<double>(documents()) / seconds, megabytes() / seconds,
                         share(duplicates(), documents()));
    });
  }

  void summarize() {
    const double seconds = seconds_taken();
    const std::uint64_t all = documents();
    std::string text = fmt::format("documents  {:>12}\n", all);
    text += fmt::format("unique     {:>12}  {:5.1f} %\n", counts_.unique, share(counts_.unique, all));
    text += fmt::format("duplicate  {:>12}  {:5.1f} %  exact {}, near {}, short {}\n", duplicates(),
                        share(duplicates(), all), counts_.exact, counts_.near, counts_.short_text);
    text += fmt::format("rejected   {:>12}  {:5.1f} %", rejects_.all(), share(rejects_.all(), all));
    if (rejects_.all() > 0) text += "  " + rejects_.list();
    if (counts_.fallbacks > 0) {
      text += fmt::format("\nall text   {:>12}  {:5.1f} %  pages without a main text that could be told",
                          counts_.fallbacks, share(counts_.fallbacks, all));
    }
    const ClusterCounts clusters = detector_.cluster_counts();
    text += fmt::format("\nclusters   {:>12}", clusters.clusters);
    if (clusters.clusters > 0) text += fmt::format("  the largest has {} documents", clusters.largest);
    const std::uint64_t gone = detector_.size() - detector_.remembered();
    if (gone > 0) text += ", of uniques that are remembered";
    text += fmt::format("\ntook       {:>10.2f} s  {:.0f} documents/s, {:.1f} MB/s, {} threads\n", seconds,
                        static_cast<double>(all) / seconds, megabytes() / seconds, threads_);
    if (const std::uint64_t kept = detector_.remembered(); kept > 0) {
      text += fmt::format("memory     {:>9.1f} MB  {:.0f} bytes per unique document\n",
                          static_cast<double>(detector_.bytes()) / 1e6,
                          static_cast<double>(detector_.bytes()) / static_cast<double>(kept));
    }
    if (gone > 0) text += fmt::format("forgotten  {:>12}  uniques\n", gone);
    if (const std::uint64_t count = input_.unreadable(); count > 0)
      text += fmt::format("unreadable {:>12}  files or folders\n", count);
    if (SignalScope::interrupted.load())
      text += "interrupted: what was printed is of what was read until then\n";
    if (rejects_.all() > 0 && rejects_.all() == all)
      text += "neardup: " + rejects_.no_document(config_) + "\n";
    say(text);
  }

  void say(std::string_view text) const { (void)write_all(streams_.err, text); }

  double seconds_taken() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
  std::uint64_t duplicates() const { return counts_.exact + counts_.near + counts_.short_text; }
  std::uint64_t documents() const { return counts_.unique + duplicates() + rejects_.all(); }
  double megabytes() const { return static_cast<double>(counts_.document_bytes.sum) / 1e6; }

  const ScanOptions& options_;
  const Config& config_;
  const Preset& preset_;
  const SignerOptions& signing_;
  const Streams streams_;
  const int threads_;
  PathInput input_;
  JournalChain chain_;
  Detector detector_;
  Retention retention_;
  std::unique_ptr<ScanJournal> index_;  // with --snapshot
  Status index_status_;
  std::vector<std::string> topic_names_;  // those of the index, then of the input
  std::size_t topics_before_ = 0;
  std::optional<SignerPool> lines_;
  std::optional<SignerPool> pages_;

  std::string kept_;          // of the document being decided
  ScanRecordRoom room_;       // of the record that is being made
  std::int64_t time_ms_ = 0;  // the latest of its documents
  std::int64_t now_ms_ = 0;   // at a moment that is past
  bool is_full_ = false;      // the memory limit asks to stop
  std::string printed_;       // since the last write
  int output_error_ = 0;

  BatchCounts counts_;
  Rejects rejects_;
  const Clock::time_point began_ = Clock::now();
  ProgressLine progress_;
};

}  // namespace

int run_scan(const ScanOptions& options, const Config& config, const Streams& streams) {
  const Preset preset = resolve_preset_of_lines(config.input);
  const Result<SignerOptions> signing = resolve_signer_options(config);
  if (!signing) return report_config_error(signing.error());
  end_by_read_errors(config.index.directory);
  const SignalScope signals;
  return Scan(options, config, preset, *signing, streams).run();
}

}  // namespace neardup
