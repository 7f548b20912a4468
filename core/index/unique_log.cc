#include "core/index/unique_log.h"

#include <cstring>

#include "core/base/bytes.h"
#include "core/base/check.h"

namespace neardup {

void UniqueLog::append(const Entry& entry) {
  CHECK(size() < kUniquesMax, "ordinals of uniques are 32 bits");
  CHECK(entry.id.size() <= kIdBytesMax, "the codec refuses longer ids");
  CHECK(entry.url.size() <= kUrlBytesMax, "the codec leaves out longer urls");

  packing_.clear();
  ByteWriter writer(packing_);
  writer.varint(entry.source.topic);
  writer.signed_varint(entry.source.partition);
  writer.signed_varint(entry.source.offset);
  writer.varint(entry.tokens);
  writer.string(entry.id);
  writer.string(entry.url);

  if (packing_.size() > kBlockBytes - block_used_) {
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(kBlockBytes));
    block_used_ = 0;
  }
  std::memcpy(blocks_.back().get() + block_used_, packing_.data(), packing_.size());
  packed_at_.push_back((blocks_.size() - 1) * kBlockBytes + block_used_);
  block_used_ += packing_.size();

  digests_.push_back(entry.exact);
}

UniqueLog::Entry UniqueLog::entry(Sequence sequence) const {
  DCHECK(sequence < size());
  ByteReader reader(packed_from(packed_at_[sequence]));
  Entry entry;
  entry.source.topic = static_cast<std::uint32_t>(reader.varint());
  entry.source.partition = static_cast<std::int32_t>(reader.signed_varint());
  entry.source.offset = reader.signed_varint();
  entry.tokens = static_cast<std::uint32_t>(reader.varint());
  entry.id = reader.string();
  entry.url = reader.string();
  entry.exact = digests_[sequence];
  DCHECK(reader.ok());
  return entry;
}

// Where an entry ends follows from its own lengths, so a view to the end of its block will do.
std::string_view UniqueLog::packed_from(std::uint64_t at) const {
  const std::size_t offset = at % kBlockBytes;
  return {blocks_[at / kBlockBytes].get() + offset, kBlockBytes - offset};
}

Digest128 UniqueLog::digest() const {
  // A chain: each link covers one entry and the link before it.
  Digest128 link;
  std::string bytes;
  for (Sequence sequence = 0; sequence < size(); ++sequence) {
    const Entry e = entry(sequence);
    bytes.clear();
    ByteWriter writer(bytes);
    writer.digest(link);
    writer.digest(e.exact);
    writer.u32(e.tokens);
    writer.u32(e.source.topic);
    writer.u32(static_cast<std::uint32_t>(e.source.partition));
    writer.u64(static_cast<std::uint64_t>(e.source.offset));
    writer.string(e.id);
    writer.string(e.url);
    link = digest128(bytes);
  }
  return link;
}

std::size_t UniqueLog::bytes() const {
  return digests_.bytes() + packed_at_.bytes() + blocks_.size() * kBlockBytes +
         blocks_.capacity() * sizeof(blocks_[0]) + packing_.capacity();
}

}  // namespace neardup
