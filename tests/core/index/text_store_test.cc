#include "core/index/text_store.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace neardup {
namespace {

std::u32string read(const TextStore& store, std::uint64_t place, std::size_t length) {
  std::u32string text(length, U'?');
  store.read(place, length, text.data());
  return text;
}

TEST(TextStore, gives_back_any_text) {
  TextStore store;
  const std::vector<std::u32string> texts = {U"",           U"plain",        U"Plain",       U"привет abc",
                                             U"สวัสดี",       U"春节 2021 年", U"łódź ελλάδα", U"𠀀 and 𐍈",
                                             U"\U0010FFFF", U"\u0080\u00FF", U"\uFFFF\uFF80"};
  std::vector<std::uint64_t> places;
  for (const auto& text : texts) places.push_back(store.append(text));
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(read(store, places[i], texts[i].size()), texts[i]);
}

TEST(TextStore, gives_back_any_small_text_of_any_length) {
  std::u32string all;
  for (char32_t c = 0; c < 0x80; ++c)
    if ((c & 0x20) != 0) all.push_back(c);
  TextStore store;
  for (std::size_t begin = 0; begin < all.size(); ++begin) {
    for (std::size_t length = 0; begin + length <= all.size(); ++length) {
      const std::u32string text = all.substr(begin, length);
      const std::uint64_t place = store.append(text);
      store.append(U"\U0010FFFF\U0010FFFF");
      ASSERT_EQ(read(store, place, length), text);
    }
  }
}

TEST(TextStore, a_text_costs_what_its_form_says) {
  const auto cost = [](std::u32string_view text) {
    TextStore store;
    const std::uint64_t first = store.append(text);
    return store.append(text) - first;
  };
  EXPECT_EQ(cost(U"twelve chars"), 1U + 9);
  EXPECT_EQ(cost(U"thirteen char"), 1U + 10);
  EXPECT_EQ(cost(U"Twelve Chars"), 1U + 12);
  EXPECT_EQ(cost(U"привет"), 3U + 6);
  EXPECT_EQ(cost(U"春节快乐"), 1U + 8);
  EXPECT_EQ(cost(U"𠀀字"), 1U + 6);
}

TEST(TextStore, blocks_may_be_given_back_from_the_front) {
  TextStore store;
  std::mt19937_64 random(1);
  std::vector<std::pair<std::uint64_t, std::u32string>> all;
  for (int i = 0; i < 100'000; ++i) {
    std::u32string text;
    while (text.size() < 40) text.push_back(static_cast<char32_t>(1 + random() % 0x3000));
    const std::uint64_t place = store.append(text);
    if (!all.empty()) {
      ASSERT_GT(place, all.back().first);
    }
    all.emplace_back(place, text);
  }
  const std::size_t bytes = store.bytes();
  store.release_before(all[50'000].first);
  EXPECT_LT(store.bytes(), bytes * 7 / 10);
  for (std::size_t i = 50'000; i < all.size(); i += 7)
    ASSERT_EQ(read(store, all[i].first, 40), all[i].second);
}

}  // namespace
}  // namespace neardup
