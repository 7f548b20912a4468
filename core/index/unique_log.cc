#include "core/index/unique_log.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/prefetch_line.h"

namespace neardup {
namespace {

constexpr std::size_t kUsualBytes = 192;  // of an entry: its lines come at once, not one after the other

template <class Writer>
void pack(const UniqueLog::Entry& entry, Sequence sequence, Writer& writer) {
  writer.digest(entry.exact);
  writer.u64(entry.fingerprint.bits);
  writer.varint(entry.source.topic);
  writer.signed_varint(entry.source.partition);
  writer.signed_varint(entry.source.offset);
  writer.varint(entry.tokens);
  writer.signed_varint(entry.event_time_ms);
  writer.varint(entry.previous ? sequence - *entry.previous : 0);
  writer.string(entry.extra);
  writer.string(entry.id);
  // Where a document's id is its url, as in many crawls, one stands for both: 0; else the length plus one.
  const bool is_id = entry.url == entry.id;
  writer.varint(is_id ? 0 : entry.url.size() + 1);
  if (!is_id) writer.bytes(entry.url);
}

UniqueLog::Entry unpack(ByteReader& reader, Sequence sequence) {
  UniqueLog::Entry entry;
  entry.exact = reader.digest();
  entry.fingerprint.bits = reader.u64();
  entry.source.topic = static_cast<std::uint32_t>(reader.varint());
  entry.source.partition = static_cast<std::int32_t>(reader.signed_varint());
  entry.source.offset = reader.signed_varint();
  entry.tokens = static_cast<std::uint32_t>(reader.varint());
  entry.event_time_ms = reader.signed_varint();
  if (const std::uint64_t back = reader.varint(); back != 0) entry.previous = sequence - back;
  entry.extra = reader.string();
  entry.id = reader.string();
  const std::uint64_t url = reader.varint();
  entry.url = url == 0 ? entry.id : reader.bytes(url - 1);
  DCHECK(reader.ok());
  return entry;
}

}  // namespace

void UniqueLog::append(const Entry& entry) {
  CHECK(size() - oldest_ < kUniquesMax, "ordinals of uniques are 32 bits");
  CHECK(entry.id.size() <= kIdBytesMax, "the codec refuses longer ids");
  CHECK(entry.url.size() <= kUrlBytesMax, "the codec leaves out longer urls");
  CHECK(entry.extra.size() <= kExtraBytesMax, "the detector's own field is small");
  CHECK(!entry.previous || *entry.previous < size(), "what is previous came before");

  const std::size_t room = kPackedHeadBytesMax + entry.id.size() + entry.url.size() + entry.extra.size();
  ByteRoom packed(entries_.room(room), room);
  InPlaceWriter writer(packed);
  pack(entry, size(), writer);
  const std::uint64_t place = entries_.append_until(packed.end());
  if (places_.size() % kChunk == 0) bases_.push_back(place);
  places_.push_back(static_cast<std::uint32_t>(place - bases_.back()));
}

UniqueLog::Entry UniqueLog::entry(Sequence sequence) const {
  DCHECK(sequence >= oldest_ && sequence < size());
  const std::string_view packed = packed_from(sequence);
  prefetch_lines(packed.data(), std::min(packed.size(), kUsualBytes));
  ByteReader reader(packed);
  Entry entry = unpack(reader, sequence);
  if (entry.previous && *entry.previous < oldest_) entry.previous.reset();
  return entry;
}

void UniqueLog::expire(Sequence oldest) {
  if (oldest <= oldest_) return;
  CHECK(oldest <= size(), "what is still to come cannot be forgotten");
  oldest_ = oldest;
  entries_.release_before(oldest_ == size() ? entries_.end() : place(oldest_));
  places_.release_before(oldest_);
}

Digest128 UniqueLog::digest() const {
  // A chain: each link covers one entry and the link before it.
  Digest128 link{oldest_, size()};
  std::string bytes;
  for (Sequence sequence = oldest_; sequence < size(); ++sequence) {
    bytes.clear();
    ByteWriter writer(bytes);
    writer.digest(link);
    pack(entry(sequence), sequence, writer);
    link = digest128(bytes);
  }
  return link;
}

std::size_t UniqueLog::bytes() const {
  return entries_.bytes() + places_.bytes() + bases_.capacity() * sizeof(bases_[0]);
}

}  // namespace neardup
