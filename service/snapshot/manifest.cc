#include "service/snapshot/manifest.h"

#include <algorithm>
#include <utility>

#include "core/base/bytes.h"
#include "core/base/crc32c.h"
#include "core/signature.h"
#include "service/journal/fields.h"
#include "service/journal/signature_settings.h"
#include "service/snapshot/segment.h"

namespace neardup {
namespace {

constexpr std::string_view kMagic = "NDSM";
constexpr std::size_t kChecksumBytes = 4;

Error corrupt(std::string what) { return {ErrorCode::kCorrupt, std::move(what)}; }

}  // namespace

Status comparable(const Manifest& manifest, const std::string& signature_options) {
  if (manifest.signature_options == signature_options) return {};
  return Error{ErrorCode::kContradiction, made_otherwise(manifest.signature_options, signature_options)};
}

Status is_as_promised(const JournalChain& chain, const Manifest& manifest) {
  if (manifest.records == 0) return {};
  if (chain.journal() != manifest.journal)
    return corrupt("the records are of another journal than the manifest");
  if (chain.last_digest() != manifest.last_digest)
    return corrupt("the last record is another than the manifest says");
  if (chain.next_sequence() != manifest.uniques) {
    return corrupt("the records hold " + std::to_string(chain.next_sequence()) +
                   " uniques, the manifest says " + std::to_string(manifest.uniques));
  }
  const auto next = [](const auto& position) { return std::pair(position.first, position.second.next); };
  if (!std::ranges::equal(chain.positions(), manifest.positions, {}, next, next))
    return corrupt("the positions of the input differ from the manifest's");
  return {};
}

std::uint64_t Manifest::bytes() const {
  std::uint64_t sum = 0;
  for (const StoredSegment& segment : segments) sum += segment.bytes;
  return sum;
}

std::string encode_manifest(const Manifest& manifest) {
  std::string bytes;
  ByteWriter out(bytes);
  out.bytes(kMagic);
  out.u16(kSnapshotVersion);
  out.u16(kSignatureVersion);
  out.string(manifest.signature_options);
  put_uuid(out, manifest.journal);
  out.u64(manifest.generation);
  out.u64(manifest.records);
  out.u64(manifest.uniques);
  out.u64(static_cast<std::uint64_t>(manifest.position));
  out.digest(manifest.last_digest);
  out.varint(manifest.topics.size());
  for (const JournalChain::Topic& topic : manifest.topics) {
    out.string(topic.name);
    put_uuid(out, topic.id);
  }
  out.varint(manifest.positions.size());
  for (const auto& [partition, position] : manifest.positions) {
    out.varint(partition.first);
    out.varint(static_cast<std::uint32_t>(partition.second));
    out.varint(static_cast<std::uint64_t>(position.next));
    out.signed_varint(position.leader_epoch);
  }
  out.varint(manifest.segments.size());
  for (const StoredSegment& segment : manifest.segments) {
    out.varint(segment.first);
    out.varint(segment.records);
    out.varint(segment.bytes);
    out.digest(segment.last);
  }
  out.u32(crc32c(bytes));
  return bytes;
}

Result<Manifest> decode_manifest(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + 2 + kChecksumBytes)
    return corrupt("does not begin like a manifest");
  // The checksum comes last in every version, so that a flipped bit is not taken for another version.
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (ByteReader(bytes.substr(body.size())).u32() != crc32c(body))
    return corrupt("its checksum does not match");

  ByteReader in(body.substr(kMagic.size()));
  if (const std::uint16_t version = in.u16(); version != kSnapshotVersion)
    return other_version("format", version, kSnapshotVersion);
  if (const std::uint16_t version = in.u16(); version != kSignatureVersion)
    return other_version("signature", version, kSignatureVersion);
  Manifest manifest;
  manifest.signature_options = in.string();
  manifest.journal = get_uuid(in);
  manifest.generation = in.u64();
  manifest.records = in.u64();
  manifest.uniques = in.u64();
  manifest.position = static_cast<std::int64_t>(in.u64());
  manifest.last_digest = in.digest();
  manifest.topics.resize(get_count(in, 17));
  for (JournalChain::Topic& topic : manifest.topics) {
    topic.name = in.string();
    topic.id = get_uuid(in);
  }
  for (std::size_t left = get_count(in, 4); left > 0; --left) {
    const auto topic = static_cast<std::uint32_t>(in.varint());
    const auto partition = static_cast<std::int32_t>(in.varint());
    const auto next = static_cast<std::int64_t>(in.varint());
    manifest.positions[{topic, partition}] = {next, static_cast<std::int32_t>(in.signed_varint())};
  }
  manifest.segments.resize(get_count(in, 19));
  std::uint64_t number = 0;
  for (StoredSegment& segment : manifest.segments) {
    segment.first = in.varint();
    segment.records = in.varint();
    segment.bytes = in.varint();
    segment.last = in.digest();
    if (segment.first != number || segment.records > manifest.records - number)
      return corrupt("its segments do not follow each other");
    number += segment.records;
  }
  if (!in.ok()) return corrupt("ends in the middle of a field");
  if (!in.at_end()) return corrupt(std::to_string(in.remaining()) + " bytes too many");
  if (number != manifest.records || manifest.segments.empty())
    return corrupt("its segments hold other records than it says");
  return manifest;
}

}  // namespace neardup
