// A text as the detector takes it: signed, with an id, a url and a place.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/arrival.h"
#include "core/fingerprint/route_signature.h"
#include "core/fingerprint/signer.h"

namespace neardup {

struct SignedText {
  std::string id;
  std::string url;
  Source source;
  std::int64_t event_time_ms = 0;
  Signature signature;
  RouteSignature route;

  Arrival arrival() const {
    return {.id = id,
            .url = url,
            .source = source,
            .event_time_ms = event_time_ms,
            .signature = signature,
            .route = &route};
  }
  Unique unique(std::string_view kept) const {
    return {.id = id,
            .url = url,
            .source = source,
            .event_time_ms = event_time_ms,
            .signature = signature,
            .kept = kept};
  }
};

// Signs texts, and numbers them: ids d0, d1, ..., each at an offset of its own.
class TextSigner {
 public:
  explicit TextSigner(const SignerOptions& options = {}) : signer_(options) {}

  SignedText sign(std::string text, Document::Format format = Document::Format::kText) {
    SignedText made;
    made.id = "d" + std::to_string(count_);
    made.source = {.topic = 0, .partition = 0, .offset = static_cast<std::int64_t>(count_++)};
    Document document;
    document.id = made.id;
    document.body = std::move(text);
    document.format = format;
    const auto reason = signer_.sign(document, made.signature, made.route);
    EXPECT_EQ(reason, std::nullopt) << document.body;
    return made;
  }

 private:
  Signer signer_;
  std::size_t count_ = 0;
};

}  // namespace neardup
