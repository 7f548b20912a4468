// Which documents do these paths hold, one after the other?
//
// What `scan` reads (path_input.h), decoded as `serve` decodes it, for commands that look at documents one by
// one. Errors are written to standard error as they come; reading goes on behind them. So is, at the end, how
// many files of folders were none to read.
//
// Memory: one batch and one document. Threads: none inside.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/decision.h"
#include "core/document.h"
#include "service/codec/document_codec.h"
#include "service/codec/preset.h"
#include "service/commands/path_input.h"
#include "service/commands/progress_line.h"
#include "service/commands/streams.h"
#include "service/config.h"

namespace neardup {

// A record as it was read. Its parts live until the next one.
struct ReadDocument {
  Document& document;
  std::optional<RejectReason> reason;  // it holds no document
  const std::string& topic;            // file of lines, or path given: where it lay

  // The id, or where the document lies if it has none that could be read.
  std::string name() const;
};

class DocumentReader {
 public:
  // `preset` is that of config.input; both must outlive it.
  DocumentReader(const Config& config, const Preset& preset, const Streams& streams);

  // Each file is one document, whatever its name, and so is standard input.
  void take_whole() { is_whole_ = true; }

  // What else would read records that were rejected for `reason`, to stand behind a complaint; or "".
  std::string or_whole(RejectReason reason) const;

  // Hands every document of `paths` to `take` until that returns false, and calls `pause` whenever the input
  // pauses: an answer must not wait for what comes after it; false ends it too. Returns kExitOk, or what the
  // exit code must be. REQUIRES: a SignalScope lives.
  int read(
      const std::vector<std::string>& paths, const std::function<bool(ReadDocument)>& take,
      const std::function<bool()>& pause = [] { return true; });

  // "neardup: " and a line, on standard error.
  void complain(std::string_view words);

  // Writes to standard output: kExitOk, or kExitIo when nobody will read it any more. A reader that has seen
  // enough is no news, all else is complained of.
  int write(std::string_view output);

  // For a command that takes long. Whatever is written takes it away.
  ProgressLine& progress() { return progress_; }

 private:
  bool all_readable(PathInput& input);

  const Config& config_;
  const Streams streams_;
  bool is_whole_ = false;
  ProgressLine progress_;
  DocumentCodec lines_;
  DocumentCodec pages_;
};

}  // namespace neardup
