// A million records, generated and then broken in small ways: JsonFields accepts and refuses what nlohmann's
// strict reader does, and finds the same strings. The exceptions are named: half a surrogate pair, a number
// beyond a double, more than kJsonDepthMax containers.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/limits.h"
#include "service/codec/json_fields.h"
#include "service/codec/json_string.h"
#include "tests/reference/plain_json.h"

namespace neardup {
namespace {

using reference::PlainJson;

constexpr std::uint64_t kSeed = 20250216;
constexpr int kRecords = 1'000'000;

const std::vector<std::string>& pointers() {
  static const std::vector<std::string> all = {"/text",   "/content", "/id",    "/a/b",   "/a",
                                               "/list/1", "/list",    "/a/b/c", "/text/0"};
  return all;
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::string record() {
    out_.clear();
    spaces();
    object(0);
    spaces();
    const std::size_t breaks = random_() % 4;
    if (random_() % 2 == 0) {
      for (std::size_t i = 0; i < breaks; ++i) spoil();
    }
    return out_;
  }

 private:
  std::size_t draw(std::size_t below) { return random_() % below; }

  void spaces() {
    static constexpr std::array<std::string_view, 6> kSpaces = {"", "", "", " ", "\n\t", "\r\n  "};
    out_ += kSpaces[draw(kSpaces.size())];
  }

  void object(int depth) {
    static constexpr std::array<std::string_view, 12> kKeys = {
        "\"text\"", "\"content\"", "\"id\"",         "\"a\"",    "\"b\"",     "\"list\"",
        "\"c\"",    "\"\"",        "\"te\\u0078t\"", "\"x\\n\"", "\"texts\"", "\"\\u0061\""};
    out_ += '{';
    const std::size_t count = draw(5);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out_ += ',';
      spaces();
      out_ += kKeys[draw(kKeys.size())];
      spaces();
      out_ += ':';
      spaces();
      value(depth + 1);
      spaces();
    }
    if (count == 0) spaces();
    out_ += '}';
  }

  void array(int depth) {
    out_ += '[';
    const std::size_t count = draw(4);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out_ += ',';
      spaces();
      value(depth + 1);
      spaces();
    }
    if (count == 0) spaces();
    out_ += ']';
  }

  void value(int depth) {
    static constexpr std::array<std::string_view, 14> kScalars = {
        "0",    "-0",    "12",   "-7.25", "1e5",  "2E-3", "18446744073709551616",
        "true", "false", "null", "0.5",   "1e+2", "\"\"", "-1"};
    const std::size_t kind = draw(10);
    if (kind == 0 && depth < 6) return object(depth);
    if (kind <= 2 && depth < 6) return array(depth);
    if (kind <= 4) {
      out_ += kScalars[draw(kScalars.size())];
      return;
    }
    string();
  }

  void string() {
    static constexpr std::array<std::string_view, 16> kPieces = {
        "a",
        "words and words ",
        "\\n",
        "\\u4e2d\\u6587",
        "\xE4\xB8\xAD",
        "\\\"",
        "\\\\",
        "\xC3\xA9",
        "\\ud83d\\ude00",
        "\xF0\x9F\x98\x80",
        "\\/",
        "{\\\"k\\\":[1,2]}",
        "\x7F",
        "\\u0000",
        "\\t\\b\\f\\r",
        "sixty-four bytes of text without a single character of note in it. "};
    out_ += '"';
    for (std::size_t i = draw(8); i > 0; --i) out_ += kPieces[draw(kPieces.size())];
    out_ += '"';
  }

  void spoil() {
    static constexpr std::string_view kBytes =
        "\"\\{}[]:,0123456789eE+-.utfn \n\t\x01\x1F\x80\xC3\xE4\xED\xF4\xFF/x";
    const std::size_t at = draw(out_.size() + 1);
    switch (draw(4)) {
      case 0:
        out_.insert(at, 1, kBytes[draw(kBytes.size())]);
        break;
      case 1:
        if (at < out_.size()) out_[at] = kBytes[draw(kBytes.size())];
        break;
      case 2:
        out_.erase(at, 1 + draw(3));
        break;
      default:
        out_.resize(at);
    }
  }

  std::mt19937_64 random_;
  std::string out_;
};

// Whether nlohmann takes the record once halves of surrogate pairs, and then also numbers too large for a
// double, are out of it.
bool is_nlohmanns_own_refusal(const std::string& record) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string whole = record;  // \udXXX, escaped backslash or not, becomes \ufXXX
  for (std::size_t at = 0; (at = whole.find("\\u", at)) != std::string::npos; at += 2) {
    if (at + 2 < whole.size() && (whole[at + 2] == 'd' || whole[at + 2] == 'D')) whole[at + 2] = 'f';
  }
  if (nlohmann::json::accept(whole)) return true;
  std::string small;  // three digits of an exponent and more are left out
  for (std::size_t at = 0; at < whole.size();) {
    std::size_t end = at + 1;
    if (whole[at] == 'e' || whole[at] == 'E') {
      if (end < whole.size() && whole[end] == '+') ++end;
      while (end < whole.size() && is_digit(whole[end])) ++end;
      if (end >= at + 4) {
        at = end;
        continue;
      }
      end = at + 1;
    }
    small.append(whole, at, end - at);
    at = end;
  }
  return nlohmann::json::accept(small);
}

std::string said(const JsonField& field) {
  std::string out(field.raw.size() + kUnescapeSlack, '\0');
  out.resize(static_cast<std::size_t>(unescape(field.raw, out.data()) - out.data()));
  return out;
}

// The value itself, or of an array its first element if that is no container.
const PlainJson* first_of(const PlainJson* value) {
  if (value == nullptr || value->kind != PlainJson::Kind::kArray || value->elements.empty()) return value;
  return &value->elements.front();
}

// Of an array that begins with a scalar, the strings behind it.
std::string strings_behind_first(const PlainJson* value) {
  std::string text;
  if (value == nullptr || value->kind != PlainJson::Kind::kArray) return text;
  for (std::size_t i = 1; i < value->elements.size(); ++i) {
    if (value->elements[i].kind == PlainJson::Kind::kString) text += '\n' + value->elements[i].text;
  }
  return text;
}

TEST(JsonFieldsProperty, a_million_records_are_read_as_nlohmann_reads_them) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  Generator generate(kSeed);
  JsonFields fields(pointers(), {0, pointers().size()});
  std::string room;
  int accepted = 0;
  int refused = 0;
  int not_comparable = 0;
  std::size_t strings = 0;
  std::size_t pages = 0;
  std::size_t parts = 0;
  for (int i = 0; i < kRecords; ++i) {
    const std::string record = generate.record();
    const auto exact = std::make_unique<char[]>(record.size());  // so that a sanitizer sees its end
    std::memcpy(exact.get(), record.data(), record.size());
    const bool with_room = i % 2 == 0;
    const std::optional<RejectReason> reason =
        fields.read({exact.get(), record.size()}, with_room ? &room : nullptr);
    int depth = 0;
    const std::optional<PlainJson> twin = PlainJson::read(record, depth);
    if (!twin || twin->kind != PlainJson::Kind::kObject) {
      if (!twin && !reason) {
        ASSERT_TRUE(is_nlohmanns_own_refusal(record)) << record;
        ++not_comparable;
        continue;
      }
      ASSERT_EQ(reason, RejectReason::kNotJson) << record;
      ++refused;
      continue;
    }
    ASSERT_EQ(reason, std::nullopt) << record;
    ++accepted;
    for (std::size_t p = 0; p < pointers().size(); ++p) {
      const PlainJson* const expected = first_of(twin->at(pointers()[p]));
      const JsonField& got = fields[p];
      const bool is_string = expected != nullptr && expected->kind == PlainJson::Kind::kString;
      ASSERT_EQ(got.kind == JsonField::Kind::kString, is_string) << pointers()[p] << " in " << record;
      const bool is_number = expected != nullptr && expected->kind == PlainJson::Kind::kNumber;
      ASSERT_EQ(got.kind == JsonField::Kind::kNumber, is_number) << pointers()[p] << " in " << record;
      ASSERT_EQ(got.kind == JsonField::Kind::kAbsent, expected == nullptr)
          << pointers()[p] << " in " << record;
      if (!is_string) continue;
      ++strings;
      std::string behind;
      append_strings(got.rest, behind);
      ASSERT_EQ(behind, strings_behind_first(twin->at(pointers()[p]))) << pointers()[p] << " in " << record;
      parts += behind.empty() ? 0 : 1;
      ASSERT_EQ(said(got), expected->text) << pointers()[p] << " in " << record;
      if (got.said.data() == nullptr) continue;
      ASSERT_TRUE(with_room) << record;
      ASSERT_EQ(got.said, expected->text) << pointers()[p] << " in " << record;
      ASSERT_EQ(got.escaped, got.raw != got.said) << pointers()[p] << " in " << record;
      ++pages;
    }
  }
  EXPECT_GT(accepted, kRecords / 2);
  EXPECT_GT(refused, kRecords / 5);
  EXPECT_LT(not_comparable, kRecords / 100);
  EXPECT_GT(strings, 400'000U);
  EXPECT_GT(pages, 100'000U);
  EXPECT_GT(parts, 10'000U);
  std::printf("%d records: %d accepted, %d refused, %d where nlohmann alone refuses; %zu strings compared\n",
              kRecords, accepted, refused, not_comparable, strings);
}

}  // namespace
}  // namespace neardup
