// Every bound in one place, related by static_assert, so that one of them cannot be raised alone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace neardup {

inline constexpr std::size_t kIdBytesMax = 4096;   // a longer id is a rejected document, never a cut one
inline constexpr std::size_t kUrlBytesMax = 8192;  // a longer url is left out of the verdict
inline constexpr std::size_t kDocumentBytesMax = std::size_t{64}
                                                 << 20;  // ceiling of input.document_bytes_max
inline constexpr int kJsonDepthMax = 256;                // nesting of an input record

inline constexpr std::size_t kWordFileBytesMax = std::size_t{64} << 20;  // stop words, idf weights
inline constexpr std::size_t kWordLineBytesMax = 4096;                   // a line of such a file
inline constexpr std::uint32_t kStopPhraseTokensMax = 16;                // tokens of one stop phrase
inline constexpr std::size_t kSignatureOptionsBytesMax = 1024;           // their text, in journal records

inline constexpr unsigned kMgramSizeMax = 32;             // units in a row, of mode mgram
inline constexpr int kHammingDistanceMax = 3;             // beyond it, unrelated texts meet too often
inline constexpr std::uint64_t kUniquesMax = 0xFF000000;  // ordinals are 32 bits, and rings need room

// What the detector keeps of a unique besides its evidence (core/detector/kept_form.h).
inline constexpr std::size_t kUniqueKeptBytesMax = 4160;

// A journal record holds a whole batch. A batch is closed before its record could pass this size.
inline constexpr std::size_t kJournalRecordBytesMax = std::size_t{16} << 20;
inline constexpr std::size_t kJournalEntryBytesMax = kIdBytesMax + kUrlBytesMax + kUniqueKeptBytesMax + 128;
static_assert(kJournalEntryBytesMax * 16 < kJournalRecordBytesMax,
              "a batch must have room for some documents");

// Records that wait for the snapshot's disk.
inline constexpr std::size_t kSnapshotQueueBytesMax = std::size_t{64} << 20;
static_assert(kSnapshotQueueBytesMax > kJournalRecordBytesMax, "a larger one would wait for an empty queue");

}  // namespace neardup
