#include "service/pipeline/signer_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/check.h"
#include "core/limits.h"
#include "service/choice.h"
#include "service/pipeline/signer_pool.h"
#include "service/pipeline/worker.h"

namespace neardup {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// The file of words that `setting` names, as a T.
template <class T>
Result<std::shared_ptr<const T>> read_words(std::string_view setting, const std::string& path,
                                            FoldOptions fold) {
  const auto refused = [&](const std::string& why) {
    return Error{ErrorCode::kInvalid, std::string(setting) + ": " + path + ": " + why};
  };
  std::ifstream in(path, std::ios::binary);
  std::string bytes;
  std::array<char, 64 * 1024> block{};
  while (in.read(block.data(), block.size()) || in.gcount() > 0) {
    bytes.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > kWordFileBytesMax) {
      return refused("is larger than " + std::to_string(kWordFileBytesMax >> 20) +
                     " MiB; keep the words that matter");
    }
  }
  if (!in.eof()) return refused("cannot be read; name a readable file, or leave the setting empty");
  Result<T> parsed = T::parse(bytes, fold);
  if (!parsed) return refused(parsed.error().message);
  return std::make_shared<const T>(*std::move(parsed));
}

}  // namespace

Result<SignerOptions> resolve_signer_options(const Config& config) {
  const FingerprintConfig& from = config.fingerprint;
  SignerOptions options;
  options.html_extract = choice<HtmlExtract>(kHtmlExtractNames, config.html.extract);
  options.fold.chinese = choice<ChineseForm>(kChineseFormNames, config.text.chinese);
  options.fingerprint = choice<FingerprintKind>(kFingerprintKindNames, from.kind);
  options.features.source = choice<FeatureSource>(kFeatureSourceNames, from.features);
  const DetectorOptions detector = resolve_detector_options(config);
  options.routes = detector.routes();
  options.sketch = detector.sketch;
  options.layout = detector.layout();
  options.features.shingle_size = from.shingle_size;
  options.features.ngram_size = from.ngram_size;
  if (!from.stop_words_file.empty()) {
    auto words = read_words<StopWords>("fingerprint.stop_words_file", from.stop_words_file, options.fold);
    if (!words) return words.error();
    options.features.stop_words = *std::move(words);
  }
  options.mgrams = detector.mgrams();
  if (options.mgrams.over == MgramUnits::kContentWords) {
    CHECK(detector.mode != DetectorMode::kMgram || options.features.stop_words != nullptr,
          "load_config() refuses content words without a list of the others");
    options.mgrams.stop_words = options.features.stop_words;
  }
  if (!from.idf_file.empty()) {
    auto table = read_words<IdfTable>("fingerprint.idf_file", from.idf_file, options.fold);
    if (!table) return table.error();
    options.features.idf = *std::move(table);
  }
  return options;
}

std::string idf_remark(const Config& config, const SignerOptions& options) {
  const IdfTable* const idf = options.features.idf.get();
  if (idf == nullptr || idf->skipped() == 0) return {};
  return fmt::format(
      "fingerprint.idf_file: {}: {} lines are left aside; what weighs is one word, a character "
      "of those without spaces, or two of them",
      config.fingerprint.idf_file, idf->skipped());
}

DetectorOptions resolve_detector_options(const Config& config) {
  const DetectorConfig& from = config.detector;
  DetectorOptions options;
  options.mode = choice<DetectorMode>(kDetectorModeNames, from.mode);
  options.threshold_permille = static_cast<unsigned>(from.threshold.value);
  options.sketch = choice<SketchSize>(kSketchSizeNames, from.sketch);
  options.short_tokens_permille = static_cast<unsigned>(from.token_threshold.value);
  options.short_numbers_permille = static_cast<unsigned>(from.number_threshold.value);
  options.fingerprint = choice<FingerprintKind>(kFingerprintKindNames, config.fingerprint.kind);
  options.distance = from.distance;
  options.verify_sketch = from.verify == "sketch";
  options.gram_size = static_cast<unsigned>(from.gram_size);
  options.gram_units = choice<MgramUnits>(kMgramUnitsNames, from.gram_units);
  options.measure = choice<MgramMeasure>(kMgramMeasureNames, from.measure);
  options.directory = config.index.directory;
  options.by_id = config.index.by_id;
  if (config.index.covering != "auto") options.covering = config.index.covering;
  const ClustersConfig& clusters = config.clusters;
  options.clusters.keep = choice<KeepPolicy>(kKeepPolicyNames, clusters.keep);
  options.clusters.priority_sources = clusters.priority_sources;
  options.clusters.guard = {.window = static_cast<std::uint32_t>(clusters.alarm_window),
                            .alarm_permille = static_cast<std::uint32_t>(clusters.alarm_share.value)};
  return options;
}

// Batches and Kafka's buffers take some 300 MB; with batches of more bytes than is usual, as much more as may
// be under way, and one that is being filled. What a signing thread keeps from record to record is some 12 MB
// at most: 8 MiB of its signer (SignerPool::kHeldBytesMax) and 1 MiB each of a body and of the codec's
// strings (DocumentCodec::kRecordBytesUsual). A disk that hangs fills the snapshot's queue.
std::uint64_t bytes_beside_index(const Config& config) {
  const std::uint64_t usual = BatchConfig().bytes_max;
  const std::uint64_t more = std::max<std::uint64_t>(config.batch.bytes_max, usual) - usual;
  const auto threads = static_cast<std::uint64_t>(signing_threads(config.pipeline));
  const std::uint64_t queue = config.snapshot.directory.empty() ? 0 : kSnapshotQueueBytesMax;
  return (300 + 12 * threads) * kMiB + (Worker::kFullBatchesMax + 1) * more + queue;
}

RetentionOptions resolve_retention_options(const Config& config, std::uint64_t process_bytes_max) {
  constexpr std::int64_t kHourMs = 3'600'000;
  const IndexConfig& from = config.index;
  RetentionOptions options = {.count_max = static_cast<std::uint64_t>(from.documents_max),
                              .age_max_ms = from.age_max_hours * kHourMs,
                              .bytes_max = from.memory_limit,
                              .at_bytes_max = choice<MemoryPolicy>(kMemoryPolicyNames, from.at_memory_limit),
                              .clock = choice<RetentionClock>(kRetentionClockNames, from.age_clock)};
  if (options.bytes_max > 0 || process_bytes_max == 0) return options;
  // Past it the kernel ends the process, and every further life too, as it reads the same journal; even one
  // that was told to forget. Few threads take less than what is kept free in any case.
  const std::uint64_t beside = std::max(512 * kMiB, bytes_beside_index(config));
  options.bytes_max =
      process_bytes_max - std::max(process_bytes_max / 8, std::min(process_bytes_max / 2, beside));
  options.at_bytes_max = MemoryPolicy::kStop;  // nobody has said that anything may be forgotten
  return options;
}

}  // namespace neardup
