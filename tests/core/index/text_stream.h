// Fingerprints of real text for the benchmark, in the order of a stream: whole pages, chunks of them, short
// texts, and pages of one site (its boilerplate around one real paragraph each).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fingerprint/signer.h"
#include "tests/bench/corpora.h"

namespace neardup {

struct TextStreams {
  std::vector<std::uint64_t> mixed;          // pages, chunks and short texts, merged
  std::vector<std::uint64_t> mixed_minhash;  // the same texts by the 64 bits of minhash.h
  std::vector<std::uint64_t> templated;      // site pages
  std::size_t bytes = 0;                     // of text that was signed
};

class TextStreamMaker {
 public:
  // `pages.next(page)` gives the HTML pages, until it is false. Makes at most `count_max` fingerprints of
  // either stream.
  template <class Pages>
  TextStreams make(Pages& pages, std::size_t count_max) {
    Page read;
    while (streams_.mixed.size() < count_max && pages.next(read)) {
      page(read.html);
      parts(text_of(read.html));
    }
    make_site_pages(std::min(count_max, std::size_t{1'000'000}));
    return std::move(streams_);
  }

 private:
  // A crude reading of html: its text, a line for each element.
  static std::string text_of(std::string_view html) {
    std::string text;
    bool inside = false;
    for (const char c : html) {
      if (c == '<') {
        inside = true;
        if (!text.empty() && text.back() != '\n') text += '\n';
      } else if (c == '>') {
        inside = false;
      } else if (!inside) {
        text += c;
      }
    }
    return text;
  }

  void page(const std::string& bytes) {
    sign_mixed(bytes, Document::Format::kHtml);
    if (sites_.size() < 300 && bytes.size() > 4000 && bytes.size() < 20000) {
      const std::string text = text_of(bytes);
      if (text.size() > 1500) sites_.push_back(text.substr(0, 1500 + text.size() % 1500));
    }
  }

  // Chunks of 200 to 4000 bytes, and lines of 20 to 200.
  void parts(std::string_view text) {
    std::size_t chunk_bytes = 300;
    std::string chunk;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.size() >= 20 && line.size() <= 200) sign_mixed(std::string(line), Document::Format::kText);
      chunk += line;
      chunk += '\n';
      if (chunk.size() >= chunk_bytes) {
        if (chunk.size() <= 4000) {
          sign_mixed(chunk, Document::Format::kText);
          if (chunk.size() <= 700 && paragraphs_.size() < 400'000) paragraphs_.push_back(chunk);
        }
        chunk.clear();
        chunk_bytes = 200 + (chunk_bytes * 2654435761) % 1800;
      }
    }
  }

  void make_site_pages(std::size_t count) {
    if (sites_.empty() || paragraphs_.empty()) return;
    std::mt19937_64 random(2);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& site = sites_[random() % sites_.size()];
      const std::string& paragraph = paragraphs_[random() % paragraphs_.size()];
      sign(site.substr(0, site.size() / 2) + paragraph + site.substr(site.size() / 2),
           Document::Format::kText, streams_.templated);
    }
  }

  void sign_mixed(const std::string& body, Document::Format format) {
    if (sign(body, format, streams_.mixed)) streams_.mixed_minhash.push_back(minhash());
  }

  // False if nothing is left of it.
  bool sign(const std::string& body, Document::Format format, std::vector<std::uint64_t>& to) {
    document_.body = body;
    document_.format = format;
    Signature signature;
    if (signer_.sign(document_, signature)) return false;
    streams_.bytes += body.size();
    to.push_back(signature.fingerprint.bits);
    return true;
  }

  // Of what was signed last.
  std::uint64_t minhash() {
    document_.body = std::string(std::string_view(signer_.canonical().text));
    document_.format = Document::Format::kText;
    Signature signature;
    if (minhasher_.sign(document_, signature)) throw std::logic_error("it was signed before");
    return signature.fingerprint.bits;
  }

  Signer signer_;
  Signer minhasher_{{.fingerprint = FingerprintKind::kMinHash}};
  Document document_;
  TextStreams streams_;
  std::vector<std::string> sites_;
  std::vector<std::string> paragraphs_;
};

}  // namespace neardup
