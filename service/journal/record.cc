#include "service/journal/record.h"

#include <lz4.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/base/crc32c.h"
#include "core/limits.h"
#include "service/journal/fields.h"

namespace neardup {
namespace {

constexpr std::string_view kMagic = "NDJ\n";
constexpr std::size_t kChecksumBytes = 4;
constexpr std::size_t kFrontRoom = 16384;  // enough for a thousand partitions
constexpr std::size_t kVarintBytesMax = 10;
constexpr std::size_t kTopicNameBytesMax = 249;  // Kafka's own bound

template <class Writer>
void put_source(Writer& out, const Source& source) {
  out.varint(source.topic);
  out.varint(static_cast<std::uint32_t>(source.partition));
  out.varint(static_cast<std::uint64_t>(source.offset));
}

Source get_source(ByteReader& in) {
  Source source;
  source.topic = static_cast<std::uint32_t>(in.varint());
  source.partition = static_cast<std::int32_t>(in.varint());
  source.offset = static_cast<std::int64_t>(in.varint());
  return source;
}

// All that stands before the count of its uniques.
void put_front(ByteWriter& out, const JournalRecord& record) {
  CHECK(record.signature_options.size() <= kSignatureOptionsBytesMax, "they name a few settings");
  CHECK(record.detector_options.size() <= kSignatureOptionsBytesMax, "so do these");
  CHECK(record.cluster_rule.size() <= kSignatureOptionsBytesMax, "and this is one");
  out.bytes(kMagic);
  out.u16(kJournalVersion);
  out.u16(kSignatureVersion);
  out.string(record.signature_options);
  put_uuid(out, record.journal);
  out.u64(record.number);
  out.u64(record.writer_epoch);
  out.digest(record.previous);
  out.u64(record.first_sequence);
  out.varint(record.oldest);
  out.signed_varint(record.time_ms);
  out.string(record.detector_options);
  out.string(record.cluster_rule);
  out.varint(record.counts.unique);
  out.varint(record.counts.exact);
  out.varint(record.counts.near);
  out.varint(record.counts.short_text);
  out.varint(record.counts.rejected);
  out.varint(record.counts.deleted);
  out.varint(record.topics.size());
  for (const JournalTopic& topic : record.topics) {
    out.string(topic.name);
    put_uuid(out, topic.id);
  }
  out.varint(record.positions.size());
  for (const JournalPosition& position : record.positions) {
    out.varint(position.topic);
    out.varint(static_cast<std::uint32_t>(position.partition));
    out.varint(static_cast<std::uint64_t>(position.from));
    out.varint(static_cast<std::uint64_t>(position.next));
    out.signed_varint(position.leader_epoch);
  }
}

constexpr std::size_t kPackedHeadBytes = 2 * sizeof(std::uint32_t);
static_assert(kJournalRecordBytesMax <= LZ4_MAX_INPUT_SIZE);

// Writes `texts` to the room at `to`, kPackedHeadBytes more than they are, as they are if LZ4 makes them no
// shorter. Returns the end of what is written.
char* pack_texts(std::string_view texts, char* to) {
  char* const block = to + kPackedHeadBytes;
  const auto size = static_cast<int>(texts.size());
  int bytes = LZ4_compress_default(texts.data(), block, size, std::max(size - 1, 0));
  if (bytes <= 0) bytes = static_cast<int>(texts.copy(block, texts.size()));
  ByteRoom place(to, kPackedHeadBytes);
  InPlaceWriter head(place);
  head.u32(static_cast<std::uint32_t>(size));
  head.u32(static_cast<std::uint32_t>(bytes));
  return block + bytes;
}

// What pack_texts() was given, in `in` itself or in `unpacked`; `in` fails where there is nothing such.
std::string_view unpack_texts(ByteReader& in, std::shared_ptr<const char[]>& unpacked) {
  const std::uint32_t size = in.u32();
  const std::string_view block = in.bytes(in.u32());
  if (block.size() == size) return block;
  if (size < kJournalRecordBytesMax) {
    auto room = std::make_shared_for_overwrite<char[]>(size);
    const int bytes =
        LZ4_decompress_safe(block.data(), room.get(), static_cast<int>(block.size()), static_cast<int>(size));
    if (bytes == static_cast<int>(size)) {
      unpacked = std::move(room);
      return {unpacked.get(), size};
    }
  }
  in.fail();
  return {};
}

// Leaders as differences, and whether there is a representative as the lowest bit of the count: three bytes
// for most.
void put_gains(InPlaceWriter& out, const std::vector<ClusterGain>& gains) {
  out.varint(gains.size());
  Sequence before = 0;
  for (const ClusterGain& gain : gains) {
    out.varint(gain.leader - before);
    before = gain.leader;
    out.varint(std::uint64_t{gain.joined} << 1 | static_cast<std::uint64_t>(gain.representative.has_value()));
    if (!gain.representative) continue;
    put_source(out, gain.representative->source);
    out.signed_varint(gain.representative->rank);
  }
}

// Their places as differences.
void put_deletions(InPlaceWriter& out, const std::vector<JournalDeletion>& deletions) {
  out.varint(deletions.size());
  std::uint64_t before = 0;
  for (const JournalDeletion& deletion : deletions) {
    out.varint(deletion.behind - before);
    before = deletion.behind;
    out.string(deletion.id);
    out.varint(deletion.forgotten);
  }
}

void get_deletions(ByteReader& in, std::vector<JournalDeletion>& deletions) {
  deletions.resize(get_count(in, 3));
  std::uint64_t before = 0;
  for (JournalDeletion& deletion : deletions) {
    deletion.behind = before += in.varint();
    deletion.id = in.string();
    deletion.forgotten = in.varint();
  }
}

void get_gains(ByteReader& in, std::vector<ClusterGain>& gains) {
  gains.resize(get_count(in, 2));
  Sequence before = 0;
  for (ClusterGain& gain : gains) {
    gain.leader = before += in.varint();
    const std::uint64_t joined = in.varint();
    if (joined >> 33 != 0) in.fail();  // more than can have joined
    gain.joined = static_cast<std::uint32_t>(joined >> 1);
    if ((joined & 1) == 0) continue;
    const Source source = get_source(in);
    gain.representative = Representative{.source = source, .rank = in.signed_varint()};
  }
}

Error corrupt(const std::string& what) { return {ErrorCode::kCorrupt, "journal record: " + what}; }

}  // namespace

JournalEncoder::JournalEncoder() : begin_(kFrontRoom), end_(kFrontRoom) { bytes_.reserve(kFrontRoom); }

void JournalEncoder::add(const Unique& unique) {
  const std::string_view numbers = unique.keeps_text() ? std::string_view() : unique.kept;
  const std::size_t room = journal_entry_bytes_max(0, 0, numbers.size());
  ByteRoom place(bytes_.reserve(end_ + room, end_) + end_, room);
  InPlaceWriter out(place);
  out.digest(unique.signature.exact);
  out.u64(unique.signature.fingerprint.bits);
  out.varint(unique.signature.tokens);
  put_source(out, unique.source);
  out.signed_varint(unique.event_time_ms);
  out.string(numbers);
  end_ = static_cast<std::size_t>(place.end() - bytes_.data());

  const std::size_t texts_room =
      3 * kVarintBytesMax + unique.id.size() + unique.url.size() + unique.kept.size();
  ByteRoom texts_place(texts_.reserve(texts_end_ + texts_room, texts_end_) + texts_end_, texts_room);
  InPlaceWriter texts(texts_place);
  texts.string(unique.id);
  texts.string(unique.url);
  if (numbers.empty()) texts.string(unique.kept);
  texts_end_ = static_cast<std::size_t>(texts_place.end() - texts_.data());
  ++uniques_;
}

std::string_view JournalEncoder::encode(const JournalRecord& record) {
  std::string front;
  front.reserve(journal_frame_bytes_max(record.topics.size(), record.positions.size()));
  ByteWriter before(front);
  put_front(before, record);
  before.varint(uniques_);
  before.varint(end_ - begin_);
  const std::size_t texts_room = kPackedHeadBytes + texts_end_;
  std::size_t room =
      texts_room + 2 * kVarintBytesMax + kChecksumBytes + record.clusters.size() * kJournalGainBytesMax;
  for (const JournalDeletion& deletion : record.deletions)
    room += kJournalDeletionBytesMax + deletion.id.size();
  const std::size_t more = front.size() - std::min(front.size(), begin_);  // of thousands of partitions
  char* const data = bytes_.reserve(end_ + more + room, end_);
  if (more > 0) std::memmove(data + begin_ + more, data + begin_, end_ - begin_);
  begin_ += more;
  end_ += more;

  char* const texts_end = pack_texts({texts_.data(), texts_end_}, data + end_);
  ByteRoom place(texts_end, static_cast<std::size_t>(data + end_ + room - texts_end));
  InPlaceWriter behind(place);
  put_deletions(behind, record.deletions);
  put_gains(behind, record.clusters);
  char* const begin = data + begin_ - front.size();
  std::memcpy(begin, front.data(), front.size());
  behind.u32(crc32c({begin, place.end()}));
  return {begin, place.end()};
}

void JournalEncoder::clear() {
  end_ = begin_;
  texts_end_ = 0;
  uniques_ = 0;
}

std::string encode_journal_record(const JournalRecord& record) {
  JournalEncoder encoder;
  for (const Unique& unique : record.uniques) encoder.add(unique);
  return std::string(encoder.encode(record));
}

Result<JournalRecord> decode_journal_record(std::string_view bytes) {
  if (bytes.size() < kMagic.size() + 2 + kChecksumBytes) return corrupt("too short to be one");
  if (bytes.substr(0, kMagic.size()) != kMagic) return corrupt("does not begin with the magic bytes");
  // The version comes before the checksum: a later format may end otherwise.
  const std::uint16_t format = ByteReader(bytes.substr(kMagic.size())).u16();
  if (format < kJournalVersionOldest || format > kJournalVersion)
    return other_version("journal record: format", format, kJournalVersion);
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (ByteReader(bytes.substr(body.size())).u32() != crc32c(body)) return corrupt("checksum does not match");

  ByteReader in(body.substr(kMagic.size() + 2));
  if (const std::uint16_t version = in.u16(); version != kSignatureVersion)
    return other_version("journal record: signature", version, kSignatureVersion);
  JournalRecord record;
  record.signature_options = in.string();
  record.journal = get_uuid(in);
  record.number = in.u64();
  record.writer_epoch = in.u64();
  record.previous = in.digest();
  record.first_sequence = in.u64();
  record.oldest = in.varint();
  record.time_ms = in.signed_varint();
  record.detector_options = in.string();
  record.cluster_rule = in.string();
  record.counts.unique = in.varint();
  record.counts.exact = in.varint();
  record.counts.near = in.varint();
  record.counts.short_text = in.varint();
  record.counts.rejected = in.varint();
  record.counts.deleted = in.varint();
  record.topics.resize(get_count(in, 17));
  for (JournalTopic& topic : record.topics) {
    topic.name = in.string();
    topic.id = get_uuid(in);
  }
  record.positions.resize(get_count(in, 5));
  for (JournalPosition& position : record.positions) {
    position.topic = static_cast<std::uint32_t>(in.varint());
    position.partition = static_cast<std::int32_t>(in.varint());
    position.from = static_cast<std::int64_t>(in.varint());
    position.next = static_cast<std::int64_t>(in.varint());
    position.leader_epoch = static_cast<std::int32_t>(in.signed_varint());
  }
  std::uint64_t topics_named = 0;  // by uniques
  bool names_fit = true;
  const bool is_parted = format > 4;  // version 4 had each unique in one piece
  record.uniques.resize(get_count(in, is_parted ? 30 : 32));
  ByteReader numbers_apart(is_parted ? in.bytes(in.varint()) : std::string_view());
  ByteReader texts_apart(is_parted ? unpack_texts(in, record.texts) : std::string_view());
  ByteReader& numbers = is_parted ? numbers_apart : in;
  ByteReader& texts = is_parted ? texts_apart : in;
  for (Unique& unique : record.uniques) {
    unique.signature.exact = numbers.digest();
    unique.signature.fingerprint.bits = numbers.u64();
    unique.signature.tokens = static_cast<std::uint32_t>(numbers.varint());
    unique.source = get_source(numbers);
    topics_named = std::max(topics_named, std::uint64_t{unique.source.topic} + 1);
    unique.event_time_ms = numbers.signed_varint();
    if (is_parted) unique.kept = numbers.string();
    unique.id = texts.string();
    unique.url = texts.string();
    if (unique.kept.empty()) unique.kept = texts.string();
    names_fit &= unique.id.size() <= kIdBytesMax && unique.url.size() <= kUrlBytesMax;
  }
  get_deletions(in, record.deletions);
  get_gains(in, record.clusters);
  if (!in.ok() || !numbers.ok() || !texts.ok()) return corrupt("ends in the middle of a field");
  if (is_parted && !(numbers.at_end() && texts.at_end()))
    return corrupt("has more of its uniques than they are");
  if (!in.at_end()) return corrupt(std::to_string(in.remaining()) + " bytes too many");
  for (const std::string_view options :
       {record.signature_options, record.detector_options, record.cluster_rule}) {
    if (options.size() > kSignatureOptionsBytesMax) return corrupt("names more settings than there are");
  }
  if (topics_named > record.topics.size()) return corrupt("a unique lies in a topic that it does not name");
  if (!names_fit) return corrupt("a unique has a longer id or url than any document");
  if (record.counts.unique != record.uniques.size()) return corrupt("counts other uniques than it holds");
  if (record.counts.deleted != record.deletions.size())
    return corrupt("counts other deletions than it holds");
  bool forgets = false;
  std::uint64_t before = 0;
  for (const JournalDeletion& deletion : record.deletions) {
    if (deletion.behind < std::exchange(before, deletion.behind) || deletion.behind > record.uniques.size())
      return corrupt("deletes behind uniques that it does not hold");
    if (deletion.id.empty() || deletion.id.size() > kIdBytesMax) return corrupt("deletes what has no id");
    forgets |= deletion.forgotten > 0;
  }
  std::uint64_t joined = 0;
  for (const ClusterGain& gain : record.clusters) joined += gain.joined;
  if (joined > record.counts.duplicates() || (joined < record.counts.duplicates() && !forgets))
    return corrupt("counts other duplicates than joined clusters");
  return record;
}

std::size_t journal_entry_bytes_max(std::size_t id_bytes, std::size_t url_bytes, std::size_t kept_bytes) {
  return 16 + 8 + 8 * kVarintBytesMax + id_bytes + url_bytes + kept_bytes;
}

std::size_t journal_frame_bytes_max(std::size_t topics, std::size_t positions) {
  return 128 + 3 * kSignatureOptionsBytesMax + 17 * kVarintBytesMax +
         topics * (kTopicNameBytesMax + kVarintBytesMax + 16) + positions * 5 * kVarintBytesMax;
}

static_assert(kJournalGainBytesMax >= 6 * kVarintBytesMax);
static_assert(kJournalDeletionBytesMax >= 3 * kVarintBytesMax);
static_assert(kJournalGainBytesMax <= 16 + 8 + 8 * kVarintBytesMax,
              "room for a unique is room for a duplicate: before it is decided, it may be either");
static_assert(kJournalEntryBytesMax >=
              16 + 8 + 8 * kVarintBytesMax + kIdBytesMax + kUrlBytesMax + kUniqueKeptBytesMax);

}  // namespace neardup
