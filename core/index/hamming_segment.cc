#include "core/index/hamming_segment.h"

#include <algorithm>
#include <cstring>

#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/base/crc32c.h"

namespace neardup {
namespace {

constexpr std::string_view kSegmentMagic = "NDHW";
constexpr std::string_view kStateMagic = "NDHS";
constexpr std::size_t kSegmentHeaderBytes = 4 + 2 + 2 + 8 + 8 + 4;
constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
constexpr std::size_t kChecksumBytes = 4;
constexpr std::uint64_t kSequenceMax = std::uint64_t{1} << 48;

// A word as its segment has it, and back.
template <class Word>
Word stored(Word word) {
  if constexpr (kLimbsOf<Word> == 2) {
    return {little_endian(word.low), little_endian(word.high)};
  } else {
    return little_endian(word);
  }
}

Error corrupt(std::string message) { return {ErrorCode::kCorrupt, std::move(message)}; }

// What follows a magic word: a version and a width that can be read.
Status read_kind(ByteReader& reader, std::string_view magic, int width) {
  if (reader.bytes(magic.size()) != magic) {
    return corrupt("does not begin with " + std::string(magic) + ": not this kind of file");
  }
  const std::uint16_t version = reader.u16();
  const std::uint16_t stored = reader.u16();
  if (!reader.ok()) return corrupt("ends inside its header");
  if (version != kHammingFormatVersion) {
    return Error{ErrorCode::kUnsupportedVersion, "format version " + std::to_string(version) +
                                                     ", this reads " + std::to_string(kHammingFormatVersion)};
  }
  if (stored != width) {
    return corrupt("holds fingerprints of " + std::to_string(stored) + " bits, not " + std::to_string(width));
  }
  return {};
}

std::uint32_t checksum_at_end(std::string_view bytes) {
  return ByteReader(bytes.substr(bytes.size() - kChecksumBytes)).u32();
}

bool is_intact(std::string_view bytes) {
  return bytes.size() >= kChecksumBytes &&
         crc32c(bytes.substr(0, bytes.size() - kChecksumBytes)) == checksum_at_end(bytes);
}

}  // namespace

template <int kWidth>
Status write_segment(const HammingIndex<kWidth>& index, Sequence first, Sequence end, const ByteSink& sink) {
  using Word = WordOf<kWidth>;
  CHECK(index.oldest() <= first && first <= end && end <= index.next(), "only what is there can be written");
  std::string bytes;
  ByteWriter writer(bytes);
  writer.bytes(kSegmentMagic);
  writer.u16(kHammingFormatVersion);
  writer.u16(kWidth);
  writer.u64(first);
  writer.u64(end - first);
  writer.u32(crc32c(bytes));
  if (const Status status = sink(bytes); !status.ok()) return status;
  constexpr std::size_t kWordsInBlock = kBlockBytes / sizeof(Word);
  for (Sequence from = first; from < end; from += kWordsInBlock) {
    const std::size_t count = std::min<std::uint64_t>(kWordsInBlock, end - from);
    bytes.clear();
    writer.u64(from);
    for (std::size_t i = 0; i < count; ++i) {
      const Word word = stored(index.stored_word(from + i));
      bytes.append(reinterpret_cast<const char*>(&word), sizeof(word));
    }
    writer.u32(crc32c(bytes));
    if (const Status status = sink(bytes); !status.ok()) return status;
  }
  return {};
}

template <int kWidth>
std::string write_state(const HammingIndex<kWidth>& index) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.bytes(kStateMagic);
  writer.u16(kHammingFormatVersion);
  writer.u16(kWidth);
  writer.u64(index.oldest());
  writer.u64(index.next());
  writer.u64(index.equal_words());
  writer.u64(static_cast<std::uint64_t>(index.apart()));
  writer.u64(index.next() - index.oldest() - index.size());
  Sequence before = index.oldest();
  for (Sequence sequence = index.oldest(); sequence < index.next(); ++sequence) {
    if (index.contains(sequence)) continue;
    writer.varint(sequence - before);
    before = sequence;
  }
  writer.u32(crc32c(bytes));
  return bytes;
}

template <int kWidth>
Status HammingLoader<kWidth>::read_state(std::string_view bytes) {
  ByteReader reader(bytes);
  if (const Status kind = read_kind(reader, kStateMagic, kWidth); !kind.ok()) return kind.error().in("state");
  if (!is_intact(bytes)) return corrupt("state: checksum does not match");
  oldest_ = reader.u64();
  end_ = reader.u64();
  equal_ = reader.u64();
  apart_ = reader.u64();
  const std::uint64_t erased = reader.u64();
  if (!reader.ok() || end_ < oldest_ || end_ > kSequenceMax ||
      end_ - oldest_ > HammingIndex<kWidth>::kWindowMax) {
    return corrupt("state: the sequence numbers " + std::to_string(oldest_) + " to " + std::to_string(end_) +
                   " are no window");
  }
  if (erased > end_ - oldest_ || equal_ > end_ - oldest_ - erased) {
    return corrupt("state: more erased or equal words than there are words");
  }
  if (equal_ > 0 && apart_ > 0) return corrupt("state: equal words differ in no bit");
  if (erased > reader.remaining()) return corrupt("state: ends inside the list of what was erased");
  Sequence before = oldest_;
  for (std::uint64_t i = 0; i < erased; ++i) {
    const std::uint64_t gap = reader.varint();
    if (!reader.ok() || gap >= end_ - before || (gap == 0 && i > 0)) {
      return corrupt("state: the list of what was erased does not ascend inside the window");
    }
    before += gap;
    erased_.push_back(before);
  }
  if (reader.remaining() != kChecksumBytes) return corrupt("state: bytes behind the list of what was erased");
  index_.restore_begin(oldest_);
  return {};
}

template <int kWidth>
Status HammingLoader<kWidth>::read_segment(std::string_view bytes) {
  ByteReader reader(bytes);
  if (const Status kind = read_kind(reader, kSegmentMagic, kWidth); !kind.ok()) {
    return kind.error().in("segment");
  }
  if (bytes.size() < kSegmentHeaderBytes || !is_intact(bytes.substr(0, kSegmentHeaderBytes))) {
    return corrupt("segment: checksum of the header does not match");
  }
  const Sequence first = reader.u64();
  const std::uint64_t count = reader.u64();
  const std::string name = "segment from " + std::to_string(first);
  if (expected_ ? first != *expected_ : first > oldest_) {
    return corrupt(name + ": expected the one from " + std::to_string(expected_.value_or(oldest_)));
  }
  if (first > end_ || count > end_ - first) {
    return corrupt(name + ": goes on beyond " + std::to_string(end_) + ", where the state ends");
  }
  bytes.remove_prefix(kSegmentHeaderBytes);
  constexpr std::size_t kWordsInBlock = kBlockBytes / sizeof(Word);
  for (Sequence from = first; from < first + count; from += kWordsInBlock) {
    const std::size_t words = std::min<std::uint64_t>(kWordsInBlock, first + count - from);
    const std::size_t size = 8 + words * sizeof(Word) + kChecksumBytes;
    const std::string_view block = bytes.substr(0, size);
    if (block.size() < size) return corrupt(name + ": ends inside the block of " + std::to_string(from));
    if (!is_intact(block)) {
      return corrupt(name + ": checksum of the block of " + std::to_string(from) + " does not match");
    }
    if (ByteReader(block).u64() != from) {
      return corrupt(name + ": the block of " + std::to_string(from) + " is in another's place");
    }
    bytes.remove_prefix(size);
    const std::size_t skipped = std::min<std::uint64_t>(words, from < oldest_ ? oldest_ - from : 0);
    words_.resize(words - skipped);
    if (!words_.empty()) {
      std::memcpy(static_cast<void*>(words_.data()), block.data() + 8 + skipped * sizeof(Word),
                  words_.size() * sizeof(Word));
      for (Word& word : words_) word = stored(word);
      index_.restore_words(words_);
    }
  }
  if (!bytes.empty()) return corrupt(name + ": bytes behind its last block");
  expected_ = first + count;
  return {};
}

template <int kWidth>
Result<HammingIndex<kWidth>> HammingLoader<kWidth>::finish() {
  if (index_.next() != end_) {
    return corrupt("segments: the words from " + std::to_string(index_.next()) + " to " +
                   std::to_string(end_) + " are missing");
  }
  for (const Sequence sequence : erased_) index_.restore_erased(sequence);
  const std::uint64_t equal = index_.restore_finish(equal_, apart_);
  if (equal != equal_) {
    return corrupt("segments: " + std::to_string(equal) +
                   " words are stored more than once, the state says " + std::to_string(equal_));
  }
  return std::move(index_);
}

#define NEARDUP_INSTANTIATE(width)                                                                \
  template class HammingLoader<width>;                                                            \
  template Status write_segment(const HammingIndex<width>&, Sequence, Sequence, const ByteSink&); \
  template std::string write_state(const HammingIndex<width>&);
NEARDUP_INSTANTIATE(32)
NEARDUP_INSTANTIATE(64)
NEARDUP_INSTANTIATE(128)
#undef NEARDUP_INSTANTIATE

}  // namespace neardup
