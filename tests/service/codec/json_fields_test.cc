#include "service/codec/json_fields.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/limits.h"

namespace neardup {
namespace {

// What is found at one pointer: its raw text, or what it is.
std::string at(const std::string& pointer, std::string_view json) {
  const std::vector<std::string> pointers = {pointer};
  JsonFields fields(pointers);
  if (const auto reason = fields.read(json)) return "(" + std::string(name(*reason)) + ")";
  switch (fields[0].kind) {
    case JsonField::Kind::kAbsent:
      return "(absent)";
    case JsonField::Kind::kOther:
      return "(other)";
    default:
      return std::string(fields[0].raw);
  }
}

TEST(JsonFields, a_value_is_a_view_of_the_records_own_bytes) {
  const std::vector<std::string> pointers = {"/b", "/a"};
  JsonFields fields(pointers);
  const std::string json = R"({"a":"x\ny","b":-1.5e3})";
  ASSERT_EQ(fields.read(json), std::nullopt);
  EXPECT_EQ(fields[0].kind, JsonField::Kind::kNumber);
  EXPECT_EQ(fields[0].raw, "-1.5e3");
  EXPECT_EQ(fields[1].kind, JsonField::Kind::kString);
  EXPECT_TRUE(fields[1].escaped);
  EXPECT_EQ(fields[1].raw.data(), json.data() + 6);
  ASSERT_EQ(fields.read(R"({"a":"plain"})"), std::nullopt);
  EXPECT_EQ(fields[0].kind, JsonField::Kind::kAbsent) << "what the record before held is gone";
  EXPECT_FALSE(fields[1].escaped);
}

TEST(JsonFields, the_first_page_met_is_read_where_there_is_room) {
  const std::vector<std::string> pointers = {"/id", "/text", "/html"};
  JsonFields fields(pointers, {1, 3});
  const std::string json = R"({"id":"a\/b","html":"<p>\u00e9","text":"x\ny"})";
  ASSERT_EQ(fields.read(json), std::nullopt);
  EXPECT_EQ(fields[2].said.data(), nullptr) << "there was no room";
  std::string room;
  ASSERT_EQ(fields.read(json, &room), std::nullopt);
  EXPECT_EQ(fields[0].said.data(), nullptr) << "an id is no page";
  EXPECT_EQ(fields[2].said, "<p>\xC3\xA9");
  EXPECT_EQ(fields[2].said.data(), room.data());
  EXPECT_TRUE(fields[2].escaped);
  EXPECT_EQ(fields[1].said.data(), nullptr) << "the room was taken";
  EXPECT_EQ(fields[1].raw, "x\\ny");
  ASSERT_EQ(fields.read(R"({"text":""})", &room), std::nullopt);
  EXPECT_NE(fields[1].said.data(), nullptr) << "an empty page was read too";
  EXPECT_EQ(fields[1].said, "");
  EXPECT_EQ(fields.read("{\"text\":\"\xE4\xB8\"}", &room), RejectReason::kNotJson) << "half a character";
  EXPECT_EQ(fields.read(R"({"text":"\ud83d\u"})", &room), RejectReason::kNotJson) << "half an escape";
}

TEST(JsonFields, of_two_equal_keys_the_first_counts_and_only_in_it_is_looked) {
  EXPECT_EQ(at("/a", R"({"a":1,"a":2})"), "1");
  EXPECT_EQ(at("/a", R"({"\u0061":1,"a":2})"), "1");
  EXPECT_EQ(at("/a/b", R"({"a":{},"a":{"b":1}})"), "(absent)");
  EXPECT_EQ(at("/a/b", R"({"a":7,"a":{"b":1}})"), "(absent)");
  EXPECT_EQ(at("/a/b", R"({"x":{"a":{"b":2}},"a":{"b":1}})"), "1");
}

TEST(JsonFields, an_array_stands_for_its_first_element_unless_that_is_a_container) {
  EXPECT_EQ(at("/a", R"({"a":["x","y"]})"), "x");
  EXPECT_EQ(at("/a", R"({"a":[7]})"), "7");
  EXPECT_EQ(at("/a", R"({"a":[]})"), "(other)");
  EXPECT_EQ(at("/a", R"({"a":[["x"]]})"), "(other)");
  EXPECT_EQ(at("/a", R"({"a":[{"a":"x"}]})"), "(other)");
  EXPECT_EQ(at("/a/1", R"({"a":["x","y"]})"), "y");
  EXPECT_EQ(at("/a/01", R"({"a":["x","y"]})"), "(absent)");
  EXPECT_EQ(at("/a/1", R"({"a":{"1":"key"}})"), "key");
  EXPECT_EQ(at("/a/-", R"({"a":["x"]})"), "(absent)");
}

TEST(JsonFields, what_stands_behind_the_first_element_of_an_array_is_at_hand) {
  const auto strings = [](std::string_view json) {
    const std::vector<std::string> pointers = {"/a"};
    JsonFields fields(pointers);
    EXPECT_EQ(fields.read(json), std::nullopt);
    std::string text;
    append_strings(fields[0].rest, text);
    return text;
  };
  EXPECT_EQ(strings(R"({"a":"x"})"), "");
  EXPECT_EQ(strings(R"({"a":["x"]})"), "");
  EXPECT_EQ(strings(R"({"a":["x" , "y\n\u00e9" ,"","\"]"]})"), "\ny\n\u00e9\n\n\"]");
  EXPECT_EQ(strings(R"({"a":["x",null,7,["no",{"n":"o"}],{"no":["no"]},"y"]})"), "\ny");
  EXPECT_EQ(strings(R"({"a":[["x"],"y"]})"), "") << "the first is a container";
}

TEST(JsonFields, names_of_every_kind_are_found) {
  EXPECT_EQ(at("/", R"({"":"empty"})"), "empty");
  EXPECT_EQ(at("/a~1b/c~0d", R"({"a/b":{"c~d":1}})"), "1");
  EXPECT_EQ(at("/~01", R"({"~1":1})"), "1");
  EXPECT_EQ(at("/\xE4\xB8\xAD", R"({"\u4e2d":1})"), "1");
  const std::string longest(1000, 'k');
  EXPECT_EQ(at("/" + longest, "{\"" + longest + "\":1}"), "1");
}

TEST(JsonFields, containers_nest_as_deep_as_the_limit_and_no_deeper) {
  const auto nested = [](int depth, std::string_view inside) {
    std::string json = "{\"a\":";
    json.append(static_cast<std::size_t>(depth - 1), '[');
    json += inside;
    json.append(static_cast<std::size_t>(depth - 1), ']');
    return json + "}";
  };
  EXPECT_EQ(at("/b", nested(kJsonDepthMax, "")), "(absent)");
  EXPECT_EQ(at("/b", nested(kJsonDepthMax, "1")), "(absent)");
  EXPECT_EQ(at("/b", nested(kJsonDepthMax + 1, "")), "(too_deep)");
  EXPECT_EQ(at("/b", nested(kJsonDepthMax + 1, "1")), "(too_deep)");
}

// Each is as large as a record can be. The reader only ever moves forward, so all of them together take
// seconds; one step back to the beginning of anything for each byte would take hours.
TEST(JsonFields, records_of_the_largest_size_are_read_or_refused_in_linear_time) {
  const auto filled = [](std::string_view opening, std::string_view piece, std::string_view closing) {
    std::string json(opening);
    while (json.size() + piece.size() + closing.size() <= kDocumentBytesMax) json += piece;
    return json.append(closing);
  };
  EXPECT_EQ(at("/a", filled("{\"a\":", "[", "}")), "(too_deep)");
  EXPECT_EQ(at("/a", filled("", "{\"a\":", "}")), "(too_deep)");
  EXPECT_EQ(at("/a", filled("{\"a\":", "[", "")), "(not_json)");
  EXPECT_EQ(at("/a", filled("{\"a\":\"", "\\u0041", "\"}")).size() % 6, 0U);
  EXPECT_EQ(at("/a", filled("{\"a\":\"", "\\\\", "\"}")).size() % 2, 0U);
  EXPECT_EQ(at("/a", filled("{\"a\":\"", "\\\"", "}")), "(not_json)") << "a string that never ends";
  EXPECT_GT(at("/a", filled("{\"a\":", "1", "}")).size(), kDocumentBytesMax - 8) << "a huge number";
  EXPECT_EQ(at("/a", filled("{\"b\":0", ",\"b\":0", "}")), "(absent)");
  EXPECT_EQ(at("/a", filled("{\"b\":0", ",\"\\u0061\":0", "}")), "0");
  EXPECT_EQ(at("/a", filled("{\"b\":[0", ",0", "]}")), "(absent)");
  EXPECT_EQ(at("/a/3", filled("{\"a\":[0", ",[]", "]}")), "(other)");
  EXPECT_EQ(at("/a", filled("{\"b\":[0", ",{\"a\":{}}", "]}")), "(absent)");
  EXPECT_EQ(at("/a", filled("{", " \n", "}")), "(absent)");
  EXPECT_EQ(at("/a", filled("{\"", "a", "\":1}")), "(absent)") << "a huge key";
  EXPECT_EQ(at("/a", filled("{\"", "\\u0061", "\":1}")), "(absent)");
}

}  // namespace
}  // namespace neardup
