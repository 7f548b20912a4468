// Does the tokenizer cut pages as the standard says? Asked with the cases of html5lib, which browsers'
// parsers are tested with too (tests/golden/html5lib).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ascii.h"
#include "core/text/html_tokenizer.h"
#include "tests/support/every_tier.h"

namespace neardup {
namespace {

using Json = nlohmann::json;

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// What the standard does to the page before, and what our folder does after: NUL, carriage returns.
std::string plain(std::string text) {
  text = replaced(std::move(text), "\r\n", "\n");
  text = replaced(std::move(text), "\r", "\n");
  return replaced(std::move(text), std::string_view("\0", 1), "\uFFFD");
}

std::string lower(std::string_view name) { return plain(lower_case(name)); }

// What the tokenizer reports, as the cases write it: ["Character", ...], ["StartTag", ...], ["EndTag", ...].
// Values of attributes with a reference in them are left as "&": nobody here decodes those.
class Tokens {
 public:
  explicit Tokens(bool cdata) : cdata_(cdata) {}

  void text(std::string_view text) { text_ += text; }
  void space(std::string_view text) { text_ += text; }
  void reference(const CharacterReference& reference) { text_ += reference.view(); }
  void begin_tag(std::string_view name) {
    name_ = lower(name);
    attributes_ = Json::object();
  }
  void attribute(std::string_view name, std::string_view value) {
    const bool undecoded = value.find('&') != std::string_view::npos;
    const std::string key = lower(name);
    if (!attributes_.contains(key)) attributes_[key] = undecoded ? "&" : plain(std::string(value));
  }
  HtmlContent start_tag(bool self_closing) {
    end_text();
    Json token = {"StartTag", name_, attributes_};
    if (self_closing) token.push_back(true);
    tokens_.push_back(token);
    return HtmlContent::kMarkup;  // the cases know no tree
  }
  void end_tag(std::string_view name) {
    end_text();
    tokens_.push_back({"EndTag", lower(name)});
  }
  bool cdata_is_text() const { return cdata_; }

  Json result() {
    end_text();
    return tokens_;
  }

 private:
  void end_text() {
    if (!text_.empty()) tokens_.push_back({"Character", plain(text_)});
    text_.clear();
  }

  bool cdata_;
  std::string text_, name_;
  Json attributes_;
  Json tokens_ = Json::array();
};

// The expected tokens without those that nobody is told of.
Json expected_of(const Json& output, const Json& seen) {
  Json tokens = Json::array();
  for (const Json& each : output) {
    if (!each.is_array() || each[0] == "Comment" || each[0] == "DOCTYPE") continue;
    Json token = each;
    if (token[0] == "Character") token[1] = plain(token[1].get<std::string>());
    if (token[0] == "Character" && !tokens.empty() && tokens.back()[0] == "Character") {
      tokens.back()[1] = tokens.back()[1].get<std::string>() + token[1].get<std::string>();
      continue;
    }
    if (token[0] == "StartTag" && tokens.size() < seen.size() && seen[tokens.size()][0] == "StartTag") {
      for (auto& [name, value] : token[2].items()) {
        const Json& ours = seen[tokens.size()][2];
        if (ours.contains(name) && ours[name] == "&") value = "&";
      }
    }
    tokens.push_back(token);
  }
  return tokens;
}

// "\\u0041" to "A", throughout; false if it names half of a surrogate pair.
bool unescape(std::string& text) {
  for (std::size_t at = 0; (at = text.find("\\u", at)) != std::string::npos; ++at) {
    const std::string escape = "\"" + text.substr(at, 6) + "\"";
    const Json character = Json::parse(escape, nullptr, false);
    if (character.is_discarded()) return false;
    text.replace(at, 6, character.get<std::string>());
  }
  return true;
}

bool unescape(Json& json) {
  if (json.is_string()) {
    auto text = json.get<std::string>();
    if (!unescape(text)) return false;
    json = text;
    return true;
  }
  return !json.is_structured() ||
         std::all_of(json.begin(), json.end(), [](Json& each) { return unescape(each); });
}

constexpr auto kMarkup = HtmlContent::kMarkup;
const std::map<std::string, HtmlContent> kStates = {
    {"Data state", kMarkup},
    {"CDATA section state", kMarkup},
    {"RCDATA state", HtmlContent::kReferences},
    {"RAWTEXT state", HtmlContent::kLiteral},
    {"Script data state", HtmlContent::kScript},
    {"PLAINTEXT state", HtmlContent::kRest},
};

TEST(Html5lib, every_case_gives_the_tokens_of_the_standard) {
  std::size_t run = 0;
  for (const auto& entry : std::filesystem::directory_iterator(NEARDUP_SOURCE_DIR "/tests/golden/html5lib")) {
    if (entry.path().extension() != ".test") continue;
    std::ifstream file(entry.path());
    const Json all = Json::parse(file);
    for (Json test : all.value("tests", Json::array())) {
      SCOPED_TRACE(entry.path().filename().string() + ": " + test.at("description").get<std::string>());
      const bool escaped = test.value("doubleEscaped", false);
      if (escaped && !(unescape(test["input"]) && unescape(test["output"]))) continue;
      for (const Json& state : test.value("initialStates", Json::array({"Data state"}))) {
        const bool cdata = state == "CDATA section state";
        const std::string page = (cdata ? "<![CDATA[" : "") + test.at("input").get<std::string>();
        // every tier reads the same, and the masks are all that differs
        for (const Isa isa : {Isa::kScalar, Isa::kAvx2, Isa::kAvx512}) {
          if (isa > cpu_isa()) break;
          Tokens sink(cdata);
          HtmlTokenizer tokenizer(internal::html_kernels(isa), page, sink);
          tokenizer.run(kStates.at(state.get<std::string>()), test.value("lastStartTag", std::string()));
          const Json tokens = sink.result();
          EXPECT_EQ(tokens, expected_of(test.at("output"), tokens)) << state << " " << test.at("input");
        }
        ++run;
      }
    }
  }
  EXPECT_GE(run, 2000U);
  skip_unless_every_tier_ran();
}

}  // namespace
}  // namespace neardup
