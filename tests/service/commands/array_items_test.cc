#include "service/commands/array_items.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {
namespace {

// What comes of an array whose bytes come in pieces of at most `piece_max`.
std::vector<std::string> items_of(std::string_view array, std::size_t piece_max = 1000) {
  ArrayItems items;
  std::vector<std::string> all;
  std::string item;
  while (!array.empty()) {
    std::string_view unread = array.substr(0, piece_max);
    array.remove_prefix(unread.size());
    while (!unread.empty()) {
      const auto [bytes, ends] = items.take(unread);
      item += bytes;
      if (ends) all.push_back(std::move(item));
      if (ends) item.clear();
    }
  }
  if (!item.empty()) all.push_back(item);
  return all;
}

using Strings = std::vector<std::string>;

TEST(ArrayItems, brackets_commas_and_quotes_within_a_string_are_text) {
  EXPECT_EQ(items_of(R"([{"a": "}, ]"}, {"b": "\"}"}, {"c": "\\"}])"),
            (Strings{R"({"a": "}, ]"})", R"({"b": "\"}"})", R"({"c": "\\"})"}));
}

TEST(ArrayItems, what_is_no_object_is_an_item_too) {
  EXPECT_EQ(items_of(R"([{}, 12, "a, b", null,
{}, [1, {}], true])"),
            (Strings{"{}", "12", R"("a, b")", "null", "{}", "1", "{}", "true"}))
      << "brackets between items are those of arrays, whichever";
}

TEST(ArrayItems, a_line_that_breaks_within_a_string_ends_the_item) {
  EXPECT_EQ(items_of("[{\"a\": \"b},\n{\"c\": 1},\n{\"d\": 2}]"),
            (Strings{"{\"a\": \"b},", "{\"c\": 1}", "{\"d\": 2}"}));
}

TEST(ArrayItems, one_that_is_not_closed_goes_on_to_the_end) {
  EXPECT_EQ(items_of("[{\"a\": [1,\n{\"c\": 1}"), (Strings{"{\"a\": [1,\n{\"c\": 1}"}));
  EXPECT_EQ(items_of("[{}}, {}]"), (Strings{"{}", "{}"})) << "a bracket too many is none of the next item's";
}

TEST(ArrayItems, one_bracket_too_few_costs_that_item) {
  EXPECT_EQ(items_of(R"([{"a": 1, {"b": 2}, {"c": {}}])"),
            (Strings{R"({"a": 1, )", R"({"b": 2})", R"({"c": {}})"}));
  EXPECT_EQ(items_of(R"([{"a": {"x": 1}, {"b": 2}])"), (Strings{R"({"a": {"x": 1}, )", R"({"b": 2})"}));
  EXPECT_EQ(items_of(R"([{"a": ["x"}, {"b": 2}])"), (Strings{R"({"a": ["x")", R"({"b": 2})"}));
  EXPECT_EQ(items_of(R"([{"a": [{"x": 1], "n": 2}, {"b": 2}])"),
            (Strings{R"({"a": [{"x": 1)", R"("n": 2)", R"({"b": 2})"}))
      << "what is left of it is wrong as well";
  EXPECT_EQ(items_of(R"([{"a": 1, "b": 2])"), (Strings{R"({"a": 1, "b": 2)"}));
  std::string deep = R"([{"a": )";
  for (int i = 0; i < 1000; ++i) deep += R"([{"a":)";
  for (int i = 0; i < 1000; ++i) deep += "}]";
  EXPECT_EQ(items_of(deep + "}, {}]"), (Strings{deep.substr(1) + "}", "{}"}));
}

TEST(ArrayItems, are_whole_when_the_array_is_closed_and_no_item_is_under_way) {
  const auto whole = [](std::string_view bytes) {
    ArrayItems items;
    while (!bytes.empty()) items.take(bytes);
    return items.is_whole();
  };
  EXPECT_TRUE(whole("[]"));
  EXPECT_TRUE(whole("[{}, null]\n"));
  EXPECT_TRUE(whole("{\n}\n{}\n")) << "objects without an array";
  EXPECT_FALSE(whole("["));
  EXPECT_FALSE(whole("[{}"));
  EXPECT_FALSE(whole("[{},\n"));
  EXPECT_FALSE(whole("[{}, {"));
  EXPECT_FALSE(whole("{\n}\n{"));
}

// Random documents, laid out in three ways and cut anywhere, are what a JSON parser finds.
TEST(ArrayItems, are_those_of_a_parser_however_the_array_is_laid_out_and_cut) {
  using Json = nlohmann::json;
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    Json array = Json::array();
    for (std::size_t i = 0; i < 1 + random() % 5; ++i) {
      Json item = {{"id", i}};
      std::string text;
      for (std::size_t length = random() % 12; length > 0; --length) text += "\\\"{}[],\n a"[random() % 10];
      item["text"] = text;
      if (random() % 2 == 0) item["more"] = {{"list", {1, text, Json::object()}}};
      array.push_back(item);
    }
    std::string lines = "[\n";
    for (std::size_t i = 0; i < array.size(); ++i)
      lines += array[i].dump() + (i + 1 < array.size() ? ",\n" : "\n]\n");
    for (const std::string& laid_out : {array.dump(), array.dump(2), lines}) {
      for (const std::size_t piece : {std::size_t{1}, 1 + random() % 9, std::size_t{1000}}) {
        Json read = Json::array();
        for (const std::string& item : items_of(laid_out, piece)) read.push_back(Json::parse(item));
        ASSERT_EQ(read, array) << laid_out << " in pieces of " << piece;
      }
    }
  }
}

}  // namespace
}  // namespace neardup
