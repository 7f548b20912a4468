#include "service/pipeline/signer_settings.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "core/limits.h"
#include "tests/support/folder_test.h"

namespace neardup {
namespace {

class SignerSettings : public FolderTest {
 protected:
  std::string refusal() {
    const Result<SignerOptions> options = resolve_signer_options(config_);
    if (options) return "accepted";
    EXPECT_EQ(options.error().code, ErrorCode::kInvalid);
    std::string message = options.error().message;
    for (std::size_t at; (at = message.find(folder_.string())) != std::string::npos;) {
      message.replace(at, folder_.string().size(), "FOLDER");
    }
    return message;
  }

  Config config_;
};

TEST_F(SignerSettings, the_defaults_are_the_default_options) {
  const Result<SignerOptions> options = resolve_signer_options(config_);
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->features.is_default());
  EXPECT_EQ(options->features.shingle_size, FeatureOptions().shingle_size);
  EXPECT_EQ(options->features.ngram_size, FeatureOptions().ngram_size);
}

TEST_F(SignerSettings, every_setting_arrives) {
  config_.html.extract = "all";
  config_.text.chinese = "simplified";
  config_.detector.sketch = "compact";
  config_.fingerprint.kind = "minhash";
  config_.fingerprint.features = "shingles";
  config_.fingerprint.shingle_size = 5;
  config_.fingerprint.ngram_size = 6;
  config_.fingerprint.stop_words_file = write("stop", "the\nof\n");
  config_.fingerprint.idf_file = write("idf", "loaf\t7\n");
  const Result<SignerOptions> options = resolve_signer_options(config_);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->html_extract, HtmlExtract::kAll);
  EXPECT_EQ(options->fold.chinese, ChineseForm::kSimplified);
  EXPECT_EQ(options->sketch, SketchSize::kCompact);
  EXPECT_EQ(options->fingerprint, FingerprintKind::kMinHash);
  EXPECT_EQ(resolve_detector_options(config_).sketch, SketchSize::kCompact) << "decided as it was signed";
  EXPECT_EQ(options->features.source, FeatureSource::kShingles);
  EXPECT_EQ(options->features.shingle_size, 5);
  EXPECT_EQ(options->features.ngram_size, 6);
  EXPECT_EQ(options->features.stop_words->size(), 2U);
  EXPECT_EQ(options->features.idf->size(), 1U);
}

// config_table.cc says so in the words of its section `detector`: a journal is bound to what text() says.
TEST_F(SignerSettings, a_journal_is_bound_to_mode_verify_sketch_and_content_words_alone) {
  config_.fingerprint.stop_words_file = write("stop", "the\nof\n");
  const auto bound = [this](auto change) {
    const Config before = config_;
    change(config_.detector);
    const Result<SignerOptions> is = resolve_signer_options(config_);
    config_ = before;
    const Result<SignerOptions> was = resolve_signer_options(config_);
    return is.value().text() != was.value().text();
  };
  for (const char* const mode : {"hybrid", "simhash", "mgram"}) {
    SCOPED_TRACE(mode);
    config_.detector.mode = mode;
    EXPECT_FALSE(bound([](DetectorConfig& d) { d.threshold.value = 900; }));
    EXPECT_FALSE(bound([](DetectorConfig& d) { d.token_threshold.value = 0; }));
    EXPECT_FALSE(bound([](DetectorConfig& d) { d.number_threshold.value = 0; }));
    EXPECT_FALSE(bound([](DetectorConfig& d) { d.distance = 2; }));
    EXPECT_FALSE(bound([](DetectorConfig& d) { d.gram_size = 3; }));
    EXPECT_FALSE(bound([](DetectorConfig& d) { d.gram_units = "words"; }));
    EXPECT_FALSE(bound([](DetectorConfig& d) { d.measure = "jaccard"; }));
    for (const char* const other : {"hybrid", "simhash", "mgram"})
      EXPECT_EQ(bound([&](DetectorConfig& d) { d.mode = other; }), config_.detector.mode != other) << other;
  }
  EXPECT_TRUE(bound([](DetectorConfig& d) { d.gram_units = "content_words"; }));
  config_.detector.mode = "hybrid";
  EXPECT_TRUE(bound([](DetectorConfig& d) { d.sketch = "compact"; }));
  config_.detector.mode = "simhash";
  EXPECT_TRUE(bound([](DetectorConfig& d) { d.verify = "sketch"; }));
}

TEST_F(SignerSettings, mode_mgram_signs_and_decides_by_one_rule) {
  config_.detector.mode = "mgram";
  config_.detector.gram_size = 2;
  config_.detector.gram_units = "content_words";
  config_.detector.measure = "cosine";
  config_.fingerprint.stop_words_file = write("stop", "the\nof\n");
  const DetectorOptions deciding = resolve_detector_options(config_);
  EXPECT_EQ(deciding.mode, DetectorMode::kMgram);
  EXPECT_EQ(deciding.gram_size, 2U);
  EXPECT_EQ(deciding.gram_units, MgramUnits::kContentWords);
  EXPECT_EQ(deciding.measure, MgramMeasure::kCosine);
  const Result<SignerOptions> options = resolve_signer_options(config_);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->routes, RouteParts::kMgrams);
  EXPECT_EQ(options->mgrams.m, 2U);
  EXPECT_EQ(options->mgrams.stop_words, options->features.stop_words);
  config_.detector.gram_units = "words";
  EXPECT_EQ(resolve_signer_options(config_)->mgrams.stop_words, nullptr) << "all words count";
}

TEST_F(SignerSettings, every_word_of_the_modes_has_its_value) {
  for (const auto& [word, mode] :
       {std::pair{"hybrid", DetectorMode::kHybrid}, std::pair{"simhash", DetectorMode::kSimhash},
        std::pair{"mgram", DetectorMode::kMgram}}) {
    config_.detector.mode = word;
    EXPECT_EQ(resolve_detector_options(config_).mode, mode);
  }
  for (const auto& [word, units] :
       {std::pair{"characters", MgramUnits::kCharacters}, std::pair{"words", MgramUnits::kWords}}) {
    config_.detector.gram_units = word;
    EXPECT_EQ(resolve_detector_options(config_).gram_units, units);
  }
  for (const auto& [word, measure] :
       {std::pair{"edit", MgramMeasure::kEdit}, std::pair{"jaccard", MgramMeasure::kJaccard},
        std::pair{"cosine", MgramMeasure::kCosine}}) {
    config_.detector.measure = word;
    EXPECT_EQ(resolve_detector_options(config_).measure, measure);
  }
}

TEST_F(SignerSettings, every_setting_of_clusters_arrives) {
  const ClusterOptions defaults = resolve_detector_options(config_).clusters;
  EXPECT_EQ(defaults.keep, ClusterOptions{}.keep);
  EXPECT_EQ(defaults.guard.window, ClusterOptions{}.guard.window);
  EXPECT_EQ(defaults.guard.alarm_permille, ClusterOptions{}.guard.alarm_permille);
  config_.clusters = {.keep = "priority-source",
                      .priority_sources = {"a.org", "b.org"},
                      .alarm_share = {125},
                      .alarm_window = 5000};
  const ClusterOptions clusters = resolve_detector_options(config_).clusters;
  EXPECT_EQ(clusters.keep, KeepPolicy::kPrioritySource);
  EXPECT_EQ(clusters.priority_sources, config_.clusters.priority_sources);
  EXPECT_EQ(clusters.guard.window, 5000U);
  EXPECT_EQ(clusters.guard.alarm_permille, 125U);
}

TEST_F(SignerSettings, every_setting_of_retention_arrives) {
  const RetentionOptions none = resolve_retention_options(config_);
  EXPECT_EQ(none.count_max, 0U);
  EXPECT_EQ(none.age_max_ms, 0);
  EXPECT_EQ(none.bytes_max, 0U);
  EXPECT_EQ(none.at_bytes_max, MemoryPolicy::kEvictOldest);
  EXPECT_EQ(none.clock, RetentionClock::kEventTime);
  config_.index.documents_max = 1000;
  config_.index.age_max_hours = 876'000;
  config_.index.memory_limit = std::size_t{3} << 30;
  config_.index.at_memory_limit = "stop";
  config_.index.age_clock = "arrival";
  const RetentionOptions all = resolve_retention_options(config_);
  EXPECT_EQ(all.count_max, 1000U);
  EXPECT_EQ(all.age_max_ms, 3'153'600'000'000) << "a hundred years of 365 days, which no int of hours holds";
  EXPECT_EQ(all.bytes_max, std::uint64_t{3} << 30);
  EXPECT_EQ(all.at_bytes_max, MemoryPolicy::kStop);
  EXPECT_EQ(all.clock, RetentionClock::kArrivalTime);
}

TEST_F(SignerSettings, an_index_without_a_limit_has_that_of_its_process_and_stops_there) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  config_.pipeline.threads = 17;
  for (const auto& [process, index] : {std::pair{512 * kMiB, 256 * kMiB},
                                       {1024 * kMiB, 512 * kMiB},
                                       {2048 * kMiB, 1536 * kMiB},
                                       {4096 * kMiB, 3584 * kMiB},
                                       {65536 * kMiB, 57344 * kMiB}}) {
    const RetentionOptions options = resolve_retention_options(config_, process);
    EXPECT_EQ(options.bytes_max, index) << process;
    EXPECT_EQ(options.at_bytes_max, MemoryPolicy::kStop) << "nothing is forgotten that nobody gave up";
  }
  config_.pipeline.threads = 64;  // 300 MiB, and 12 for each
  EXPECT_EQ(resolve_retention_options(config_, 1024 * kMiB).bytes_max, 512 * kMiB) << "half is the index's";
  EXPECT_EQ(resolve_retention_options(config_, 4096 * kMiB).bytes_max, 3028 * kMiB);
  EXPECT_EQ(resolve_retention_options(config_, 65536 * kMiB).bytes_max, 57344 * kMiB) << "an eighth is more";
  config_.pipeline.threads = 17;
  config_.batch.bytes_max = 1024 * kMiB;  // three of them may lie there
  EXPECT_EQ(bytes_beside_index(config_), (300 + 17 * 12 + 3 * 960) * kMiB);
  EXPECT_EQ(resolve_retention_options(config_, 8192 * kMiB).bytes_max, (8192 - 3384) * kMiB);
  config_.snapshot.directory = "/var/lib/neardup/snapshot";
  EXPECT_EQ(bytes_beside_index(config_), (300 + 17 * 12 + 3 * 960 + 64) * kMiB) << "and its queue";
  config_.snapshot.directory.clear();
  config_.batch.bytes_max = kMiB;
  EXPECT_EQ(resolve_retention_options(config_, 4096 * kMiB).bytes_max, 3584 * kMiB) << "none is less";
  config_.index.memory_limit = 5000 * kMiB;
  EXPECT_EQ(resolve_retention_options(config_, 2048 * kMiB).bytes_max, 5000 * kMiB)
      << "who says so is obeyed";
  EXPECT_EQ(resolve_retention_options(config_, 2048 * kMiB).at_bytes_max, MemoryPolicy::kEvictOldest);
}

TEST_F(SignerSettings, a_wrong_file_is_named_with_setting_line_and_way_out) {
  config_.fingerprint.stop_words_file = write("stop", "the\n\xFF\n");
  EXPECT_EQ(refusal(),
            "fingerprint.stop_words_file: FOLDER/stop: line 2: is not UTF-8: save the file as UTF-8");
  config_.fingerprint.stop_words_file.clear();
  config_.fingerprint.idf_file = write("idf", "loaf\tmuch\n");
  EXPECT_EQ(refusal(),
            "fingerprint.idf_file: FOLDER/idf: line 1: \"loaf\tmuch\": does not end with an idf, a "
            "number of 0 to 63; write WORD<TAB>IDF, as in loaf\t7.25");
  for (const std::filesystem::path& path : {folder_ / "missing", folder_}) {
    config_.fingerprint.idf_file = path.string();
    EXPECT_EQ(refusal(), "fingerprint.idf_file: FOLDER" + path.string().substr(folder_.string().size()) +
                             ": cannot be read; name a readable file, or leave the setting empty");
  }
}

TEST_F(SignerSettings, lines_that_are_left_aside_are_counted_for_people) {
  const auto remark = [&] { return idf_remark(config_, *resolve_signer_options(config_)); };
  EXPECT_EQ(remark(), "");
  config_.fingerprint.idf_file = write("idf", "loaf\t7\n");
  EXPECT_EQ(remark(), "");
  config_.fingerprint.idf_file = write("idf", "loaf\t7\nnew york\t5\n");
  EXPECT_EQ(remark(), "fingerprint.idf_file: " + config_.fingerprint.idf_file +
                          ": 1 lines are left aside; what weighs is one word, a character of those without "
                          "spaces, or two of them");
}

TEST_F(SignerSettings, a_file_has_a_bound) {
  config_.fingerprint.stop_words_file = write("stop", "the\n");
  std::filesystem::resize_file(config_.fingerprint.stop_words_file, kWordFileBytesMax + 1);
  EXPECT_EQ(refusal(),
            "fingerprint.stop_words_file: FOLDER/stop: is larger than 64 MiB; keep the words that matter");
}

}  // namespace
}  // namespace neardup
