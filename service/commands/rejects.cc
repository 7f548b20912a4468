#include "service/commands/rejects.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "core/limits.h"
#include "service/commands/path_input.h"

namespace neardup {
namespace {

std::string where_the_text_is() {
  return fmt::format(
      "lines must hold one JSON object each, with its text where input.fields says, and a page's name must "
      "end in {}; `neardup print-config` shows the settings",
      alternatives(kPageEndings));
}

// What leaves nothing of a text that has words.
std::string or_nothing_counts(const FingerprintConfig& fingerprint) {
  std::string settings;
  if (!fingerprint.stop_words_file.empty()) settings = "fingerprint.stop_words_file";
  if (!fingerprint.idf_file.empty())
    settings += fmt::format("{}fingerprint.idf_file", settings.empty() ? "" : " and ");
  return settings.empty() ? "" : fmt::format(", or nothing that counts with {}", settings);
}

std::string what_mends(RejectReason reason, const Config& config) {
  switch (reason) {
    case RejectReason::kNotJson:
      return where_the_text_is() + "; --set input.preset=raw reads lines of plain text";
    case RejectReason::kNullValue:
    case RejectReason::kMissingText:
      return where_the_text_is();
    case RejectReason::kTooDeep:
      return fmt::format("objects and arrays may lie {} deep in each other, and no setting takes more",
                         kJsonDepthMax);
    case RejectReason::kMissingId:
      return "nothing of what input.id_from lists was there: input.fields.id and input.fields.url say where "
             "in a record they lie; with key in the list, a line of a file is called FILE:NUMBER; `neardup "
             "print-config` shows the settings";
    case RejectReason::kIdTooLong:
      return fmt::format("an id may have {} bytes; input.fields.id says where it is", kIdBytesMax);
    case RejectReason::kInvalidBase64:
      return "what they hold is not base64, which input.base64, or else input.preset, says that it is";
    case RejectReason::kTooLarge:
      return "input.document_bytes_max says how large a line, a page or a text may be";
    case RejectReason::kNoTokens:
      return fmt::format("their texts have no letter and no digit{}; input.fields says where a text is",
                         or_nothing_counts(config.fingerprint));
    case RejectReason::kProducerError:
      return "they are notices of the producer (input.preset) that it had no page";
    case RejectReason::kNotText:
      return "they are files of other kinds (PDF, images, archives), whose words must be taken before, or "
             "packed and damaged, or with a zstd window above 128 MiB";
  }
  return {};
}

}  // namespace

std::uint64_t Rejects::all() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::string Rejects::list() const {
  std::string text;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kRejectReasonNames[i], counts_[i]);
  }
  return text;
}

std::string Rejects::no_document(const Config& config) const {
  if (all() == 0) return fmt::format("not one document was found; {}", where_the_text_is());
  const auto commonest = static_cast<RejectReason>(std::ranges::max_element(counts_) - counts_.begin());
  return fmt::format("not one document was found (rejected: {}); {}", list(), what_mends(commonest, config));
}

}  // namespace neardup
