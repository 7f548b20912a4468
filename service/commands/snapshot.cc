#include "service/commands/snapshot.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "service/commands/exit_code.h"
#include "service/journal/chain.h"
#include "service/snapshot/stored_records.h"

namespace neardup {

const char kSnapshotAbout[] = "Look at a snapshot folder, or check every byte of it";

const char kSnapshotHelp[] =
    "  neardup snapshot inspect /var/lib/neardup/snapshot          what it holds\n"
    "  neardup snapshot verify /var/lib/neardup/snapshot --json    is it whole?\n"
    "\n"
    "Exit codes: 0 fine, 65 damaged or of another version, 74 there is none or it cannot be read. A service "
    "that "
    "finds\n"
    "damage reads the rest from Kafka and mends it by itself.\n";

namespace {

using Json = nlohmann::ordered_json;

std::string hex(const Digest128& digest) { return fmt::format("{:016x}{:016x}", digest.high, digest.low); }

std::string hex(const Uuid& id) { return fmt::format("{:02x}", fmt::join(id, "")); }

std::string shown_options(const Manifest& manifest) {
  return manifest.signature_options.empty() ? "the defaults" : manifest.signature_options;
}

// What came from outside may not be UTF-8; it is replaced.
std::string written(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json as_json(const Manifest& manifest, const Damage& damage) {
  Json topics = Json::array();
  for (const JournalChain::Topic& topic : manifest.topics)
    topics.push_back({{"name", topic.name}, {"id", hex(topic.id)}});
  Json positions = Json::array();
  for (const auto& [partition, position] : manifest.positions) {
    const bool named = partition.first < manifest.topics.size();
    positions.push_back({{"topic", named ? manifest.topics[partition.first].name : ""},
                         {"partition", partition.second},
                         {"next", position.next}});
  }
  Json segments = Json::array();
  for (const StoredSegment& segment : manifest.segments) {
    segments.push_back({{"name", segment_name(segment.first)},
                        {"first", segment.first},
                        {"records", segment.records},
                        {"bytes", segment.bytes}});
  }
  return {{"records", manifest.records},
          {"uniques", manifest.uniques},
          {"bytes", manifest.bytes()},
          {"journal", hex(manifest.journal)},
          {"signature_options", manifest.signature_options},
          {"journal_position", manifest.position},
          {"last_digest", hex(manifest.last_digest)},
          {"generation", manifest.generation},
          {"topics", std::move(topics)},
          {"positions", std::move(positions)},
          {"segments", std::move(segments)},
          {"damage", damage.clauses}};
}

std::string as_table(const Manifest& manifest) {
  std::string text;
  const auto row = [&](std::string_view name, const auto& value) {
    text += fmt::format("{:<18}{}\n", name, value);
  };
  row("records", manifest.records);
  row("uniques", manifest.uniques);
  row("bytes", manifest.bytes());
  row("journal", hex(manifest.journal));
  row("signatures", harmless(shown_options(manifest)));
  row("journal position", manifest.position);
  row("last digest", hex(manifest.last_digest));
  row("generation", manifest.generation);
  text += fmt::format("\n{:<40} {:>9} {:>14}\n", "topic", "partition", "next");
  for (const auto& [partition, position] : manifest.positions) {
    const bool named = partition.first < manifest.topics.size();
    text += fmt::format("{:<40} {:>9} {:>14}\n", named ? harmless(manifest.topics[partition.first].name) : "",
                        partition.second, position.next);
  }
  text += fmt::format("\n{:<40} {:>9} {:>14}\n", "segment", "records", "bytes");
  for (const StoredSegment& segment : manifest.segments)
    text += fmt::format("{:<40} {:>9} {:>14}\n", segment_name(segment.first), segment.records, segment.bytes);
  return text;
}

int answer(const Streams& streams, const std::string& text, int code) {
  const int error = write_all(streams.out, text);
  if (error == 0) return code;
  (void)write_all(streams.err, fmt::format("neardup: standard output: {}\n", std::strerror(error)));
  return kExitIo;
}

int refuse(const Streams& streams, const Error& error) {
  (void)write_all(streams.err, "neardup: " + error.message + "\n");
  return exit_code(error.code);
}

const char* word_for(const Damage& damage) {
  return damage.code == ErrorCode::kIo ? "unreadable" : "damaged";
}

int exit_code(const Damage& damage) { return damage.any() ? exit_code(damage.code) : kExitOk; }

struct Verified {
  std::uint64_t records = 0;
  std::uint64_t uniques = 0;
  std::uint64_t bytes = 0;
  std::uint64_t torn_bytes = 0;
  Damage damage;
};

Verified verify(StoredRecords& stored) {
  const Manifest& manifest = stored.manifest();
  JournalChain chain(manifest.signature_options);
  Verified verified;
  std::size_t segment = 0;
  while (const std::optional<StoredRecord> bytes = stored.next()) {
    const Result<JournalRecord> record = decode_journal_record(bytes->bytes);
    const Status accepted = record ? chain.accept(*record, bytes->bytes) : Status(record.error());
    if (!accepted) {
      verified.damage.add(accepted.error());
      break;
    }
    while (manifest.segments[segment].first + manifest.segments[segment].records < chain.next_number() &&
           segment + 1 < manifest.segments.size())
      ++segment;
    const StoredSegment& promised = manifest.segments[segment];
    Status kept;
    if (promised.first + promised.records == chain.next_number() && promised.last != chain.last_digest()) {
      kept = Error{ErrorCode::kCorrupt,
                   segment_name(promised.first) + ": its last record is another than the manifest says"};
    }
    if (kept && chain.next_number() == manifest.records) kept = is_as_promised(chain, manifest);
    if (!kept) {
      verified.damage.add(kept.error());
      break;
    }
  }
  if (!verified.damage.any()) verified.damage = stored.damage();
  verified.records = chain.next_number();
  verified.uniques = chain.next_sequence();
  verified.bytes = stored.bytes();
  verified.torn_bytes = stored.torn_bytes();
  return verified;
}

}  // namespace

int run_snapshot_inspect(const SnapshotOptions& options, const Streams& streams) {
  const Result<StoredRecords> stored = StoredRecords::open(options.folder);
  if (!stored) return refuse(streams, stored.error());
  const Damage& damage = stored->damage();
  if (damage.any()) {
    (void)write_all(streams.err, fmt::format("neardup: this is an older one, the newest is {}: {}\n",
                                             word_for(damage), harmless(damage.clauses)));
  }
  const Manifest& manifest = stored->manifest();
  return answer(streams, options.json ? written(as_json(manifest, damage)) : as_table(manifest),
                exit_code(damage));
}

int run_snapshot_verify(const SnapshotOptions& options, const Streams& streams) {
  Result<StoredRecords> stored = StoredRecords::open(options.folder);
  if (!stored) return refuse(streams, stored.error());
  const Verified verified = verify(*stored);
  const bool whole = !verified.damage.any();
  const std::uint64_t promised = stored->manifest().records;
  std::string text;
  if (options.json) {
    text = written({{"whole", whole},
                    {"records", verified.records},
                    {"promised", promised},
                    {"uniques", verified.uniques},
                    {"bytes", verified.bytes},
                    {"torn_bytes", verified.torn_bytes},
                    {"damage", verified.damage.clauses}});
  } else {
    text = fmt::format("{:<12}{} ({} promised)\n{:<12}{}\n{:<12}{}\n", "records", verified.records, promised,
                       "uniques", verified.uniques, "bytes", verified.bytes);
    if (verified.torn_bytes > 0)
      text += fmt::format("{:<12}{} bytes of a record that is being written, or was\n", "at the end",
                          verified.torn_bytes);
    const std::string damage = harmless(verified.damage.clauses);
    text += whole ? "whole\n" : fmt::format("{}: {}\n", word_for(verified.damage), damage);
  }
  return answer(streams, text, exit_code(verified.damage));
}

}  // namespace neardup
