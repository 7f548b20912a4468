#include "service/commands/document_reader.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "service/commands/exit_code.h"

namespace neardup {

std::string ReadDocument::name() const {
  return document.id.empty() ? place_name(topic, document.source.offset) : document.id;
}

DocumentReader::DocumentReader(const Config& config, const Preset& preset, const Streams& streams)
    : config_(config),
      streams_(streams),
      progress_(streams.err),
      lines_(preset, config.input),
      pages_(raw_preset(), config.input) {}

int DocumentReader::read(const std::vector<std::string>& paths, const std::function<bool(ReadDocument)>& take,
                         const std::function<bool()>& pause) {
  PathInput input(paths, streams_.in, config_.input.document_bytes_max, SignalScope::interrupted,
                  streams_.out);
  if (is_whole_) input.take_whole();
  PathBatch batch;
  Document document;
  bool readable = true;
  for (bool more = true; more && input.next(batch);) {
    DocumentCodec& codec = batch.kind == PathBatch::Kind::kLines ? lines_ : pages_;
    for (const Record& record : batch.records) {
      const auto reason = codec.decode(record, document);
      more = take({document, reason, input.topic_names()[document.source.topic]});
      if (!more) break;
    }
    if (!pause()) return kExitIo;
    readable &= all_readable(input);
  }
  readable &= all_readable(input);
  if (const std::string words = input.left_out(); !words.empty()) complain(words);
  if (SignalScope::interrupted.load()) return SignalScope::exit_code();
  if (!readable) return kExitNoInput;
  return input.is_nothing() ? kExitData : kExitOk;
}

std::string DocumentReader::or_whole(RejectReason reason) const {
  if (is_whole_ || reason != RejectReason::kNotJson) return {};
  return "; with --whole each file, or standard input, is one document";
}

void DocumentReader::complain(std::string_view words) {
  progress_.clear();
  static_cast<void>(write_all(streams_.err, fmt::format("neardup: {}\n", words)));
}

int DocumentReader::write(std::string_view output) {
  progress_.clear();
  const int error = write_all(streams_.out, output);
  if (error == 0) return kExitOk;
  if (error != EPIPE) complain(std::string("standard output: ") + std::strerror(error));
  return kExitIo;
}

bool DocumentReader::all_readable(PathInput& input) {
  const std::vector<Error> errors = input.take_errors();
  for (const Error& error : errors) complain(error.message);
  for (const std::string& remark : input.take_remarks()) complain(remark);
  return errors.empty();
}

}  // namespace neardup
