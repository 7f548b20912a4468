#include "core/index/unique_log.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace neardup {
namespace {

UniqueLog::Entry small_entry() {
  return {.id = "id",
          .url = "http://a/",
          .source = {.topic = 1, .partition = 2, .offset = 3},
          .exact = {4, 5},
          .tokens = 7};
}

void expect_equal(const UniqueLog::Entry& a, const UniqueLog::Entry& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.url, b.url);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.exact, b.exact);
  EXPECT_EQ(a.tokens, b.tokens);
}

TEST(UniqueLog, gives_back_what_was_appended) {
  const std::string longest_id(kIdBytesMax, 'i');
  const std::string longest_url(kUrlBytesMax, 'u');
  std::vector<UniqueLog::Entry> entries = {small_entry()};
  entries.push_back({.id = std::string_view("\0\xFF", 2), .url = "", .source = {}, .exact = {}});
  entries.push_back({.id = longest_id,
                     .url = longest_url,
                     .source = {.topic = std::numeric_limits<std::uint32_t>::max(),
                                .partition = std::numeric_limits<std::int32_t>::min(),
                                .offset = std::numeric_limits<std::int64_t>::min()},
                     .exact = {std::numeric_limits<std::uint64_t>::max(), 1},
                     .tokens = std::numeric_limits<std::uint32_t>::max()});

  UniqueLog log;
  for (const auto& entry : entries) log.append(entry);
  ASSERT_EQ(log.size(), entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    SCOPED_TRACE(i);
    expect_equal(log.entry(i), entries[i]);
    EXPECT_EQ(log.digests()[i], entries[i].exact);
  }
}

TEST(UniqueLog, names_never_cross_a_block_and_views_stay_good_while_it_grows) {
  UniqueLog log;
  const std::string url(kUrlBytesMax, 'u');
  log.append(small_entry());
  const std::string_view first_id = log.entry(0).id;
  for (int i = 1; i < 3000; ++i) {  // more than 20 blocks
    UniqueLog::Entry entry = small_entry();
    const std::string id = "document-" + std::to_string(i);
    entry.id = id;
    entry.url = std::string_view(url).substr(0, kUrlBytesMax - static_cast<std::size_t>(i) % 97);
    log.append(entry);
  }
  EXPECT_EQ(first_id, "id");
  for (int i = 1; i < 3000; ++i) {
    const auto entry = log.entry(static_cast<Sequence>(i));
    EXPECT_EQ(entry.id, "document-" + std::to_string(i));
    EXPECT_EQ(entry.url.size(), kUrlBytesMax - static_cast<std::size_t>(i) % 97);
  }
}

TEST(UniqueLog, digest_differs_when_any_field_or_the_order_differs) {
  const auto digest_of = [](const std::vector<UniqueLog::Entry>& entries) {
    UniqueLog log;
    for (const auto& entry : entries) log.append(entry);
    return log.digest();
  };
  const UniqueLog::Entry base = small_entry();
  std::vector<UniqueLog::Entry> changed(9, base);
  changed[0].id = "ie";
  changed[1].url = "http://b/";
  changed[2].source.topic++;
  changed[3].source.partition++;
  changed[4].source.offset++;
  changed[5].exact.high++;
  changed[6].exact.low++;
  changed[7].tokens++;
  changed[8].id = "idh";  // the same bytes, cut elsewhere
  changed[8].url = "ttp://a/";

  std::vector<Digest128> digests = {digest_of({}), digest_of({base}), digest_of({base, base})};
  for (const auto& entry : changed) {
    digests.push_back(digest_of({entry}));
    digests.push_back(digest_of({base, entry}));
    digests.push_back(digest_of({entry, base}));
  }
  for (std::size_t i = 0; i < digests.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(digests[i], digests[j]) << i << " and " << j;
  }
  EXPECT_EQ(digest_of({base, changed[3]}), digest_of({base, changed[3]}));
}

TEST(UniqueLog, memory_is_24_bytes_the_names_and_a_few_more) {
  UniqueLog log;
  constexpr std::size_t kCount = kColumnChunk * 2;
  std::size_t names = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::string id = "doc-" + std::to_string(i);
    const std::string url = "https://example.org/pages/" + std::to_string(i);
    names += id.size() + url.size();
    log.append({.id = id,
                .url = url,
                .source = {.topic = 3, .partition = 7, .offset = static_cast<std::int64_t>(i)},
                .exact = {i, i},
                .tokens = 500});
  }
  const std::size_t floor = kCount * (24 + 5) + names;
  const std::size_t slack = std::size_t{2} << 20;  // the last block and some pointers
  EXPECT_GE(log.bytes(), floor);
  EXPECT_LE(log.bytes(), kCount * (24 + 12) + names + slack);
}

TEST(UniqueLogDeathTest, a_longer_id_or_url_than_the_limits_is_our_own_mistake) {
  UniqueLog log;
  UniqueLog::Entry entry = small_entry();
  const std::string id(kIdBytesMax + 1, 'i');
  entry.id = id;
  EXPECT_DEATH(log.append(entry), "longer ids");
  entry = small_entry();
  const std::string url(kUrlBytesMax + 1, 'u');
  entry.url = url;
  EXPECT_DEATH(log.append(entry), "longer urls");
}

}  // namespace
}  // namespace neardup
