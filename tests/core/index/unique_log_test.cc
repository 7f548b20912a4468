#include "core/index/unique_log.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/support/folder_test.h"

namespace neardup {
namespace {

constexpr std::size_t kStoreMemory = (ColdStore::kBehind + 1) * ColdStore::kBlockBytes;

UniqueLog::Entry small_entry() {
  return {.id = "id",
          .url = "http://a/",
          .source = {.topic = 1, .partition = 2, .offset = 3},
          .event_time_ms = 1'700'000'000'000,
          .exact = {4, 5},
          .fingerprint = {6},
          .tokens = 7,
          .extra = "extra"};
}

void expect_equal(const UniqueLog::Entry& a, const UniqueLog::Entry& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.url, b.url);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.event_time_ms, b.event_time_ms);
  EXPECT_EQ(a.exact, b.exact);
  EXPECT_EQ(a.fingerprint, b.fingerprint);
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.extra, b.extra);
  EXPECT_EQ(a.previous, b.previous);
}

using UniqueLogTest = FolderTest;

TEST_F(UniqueLogTest, gives_back_what_was_appended) {
  const std::string longest_id(kIdBytesMax, 'i');
  const std::string longest_url(kUrlBytesMax, 'u');
  const std::string longest_extra(UniqueLog::kExtraBytesMax, 'x');
  std::vector<UniqueLog::Entry> entries = {small_entry()};
  entries.push_back({.id = std::string_view("\0\xFF", 2),
                     .url = "",
                     .source = {},
                     .event_time_ms = std::numeric_limits<std::int64_t>::min(),
                     .exact = {},
                     .fingerprint = {},
                     .extra = "",
                     .previous = 0});
  entries.push_back({.id = "http://a/", .url = "http://a/", .source = {}, .exact = {}, .fingerprint = {}});
  entries.push_back({.id = "", .url = "", .source = {}, .exact = {}, .fingerprint = {}});
  entries.push_back({.id = longest_id,
                     .url = longest_url,
                     .source = {.topic = std::numeric_limits<std::uint32_t>::max(),
                                .partition = std::numeric_limits<std::int32_t>::min(),
                                .offset = std::numeric_limits<std::int64_t>::min()},
                     .event_time_ms = std::numeric_limits<std::int64_t>::max(),
                     .exact = {std::numeric_limits<std::uint64_t>::max(), 1},
                     .fingerprint = {std::numeric_limits<std::uint64_t>::max()},
                     .tokens = std::numeric_limits<std::uint32_t>::max(),
                     .extra = longest_extra,
                     .previous = 1});

  for (const std::string& directory : {std::string(), folder_.string()}) {
    UniqueLog log({directory});
    for (const auto& entry : entries) log.append(entry);
    ASSERT_EQ(log.size(), entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      SCOPED_TRACE(i);
      expect_equal(log.entry(i), entries[i]);
      EXPECT_EQ(log.exact(i), entries[i].exact);
    }
  }
}

TEST_F(UniqueLogTest, views_stay_good_while_it_grows) {
  UniqueLog log({folder_.string()});
  const std::string url(kUrlBytesMax, 'u');
  log.append(small_entry());
  const UniqueLog::Entry first = log.entry(0);
  for (int i = 1; i < 3000; ++i) {  // 100 blocks
    UniqueLog::Entry entry = small_entry();
    const std::string id = "document-" + std::to_string(i);
    entry.id = id;
    entry.url = std::string_view(url).substr(0, kUrlBytesMax - static_cast<std::size_t>(i) % 97);
    log.append(entry);
  }
  EXPECT_TRUE(log.status().ok());
  EXPECT_GT(log.file_bytes(), std::uint64_t{20} << 20);
  expect_equal(first, small_entry());
  for (int i = 1; i < 3000; ++i) {
    const auto entry = log.entry(static_cast<Sequence>(i));
    EXPECT_EQ(entry.id, "document-" + std::to_string(i));
    EXPECT_EQ(entry.url.size(), kUrlBytesMax - static_cast<std::size_t>(i) % 97);
  }
}

TEST(UniqueLog, digest_differs_when_any_field_or_the_order_differs) {
  const auto digest_of = [](const std::vector<UniqueLog::Entry>& entries) {
    UniqueLog log({});
    for (const auto& entry : entries) log.append(entry);
    return log.digest();
  };
  const UniqueLog::Entry base = small_entry();
  std::vector<UniqueLog::Entry> changed(12, base);
  changed[0].id = "ie";
  changed[1].url = "http://b/";
  changed[2].source.topic++;
  changed[3].source.partition++;
  changed[4].source.offset++;
  changed[5].exact.high++;
  changed[6].exact.low++;
  changed[7].tokens++;
  changed[8].event_time_ms++;
  changed[9].fingerprint.bits++;
  changed[10].extra = "";
  changed[11].id = "idh";  // the same bytes, cut elsewhere
  changed[11].url = "ttp://a/";

  std::vector<Digest128> digests = {digest_of({}), digest_of({base}), digest_of({base, base})};
  for (const auto& entry : changed) {
    digests.push_back(digest_of({entry}));
    digests.push_back(digest_of({base, entry}));
    digests.push_back(digest_of({entry, base}));
  }
  UniqueLog::Entry second = base;
  second.previous = 0;
  digests.push_back(digest_of({base, second}));
  for (std::size_t i = 0; i < digests.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(digests[i], digests[j]) << i << " and " << j;
  }
  EXPECT_EQ(digest_of({base, changed[3]}), digest_of({base, changed[3]}));
}

TEST_F(UniqueLogTest, forgets_the_oldest_and_numbers_go_on) {
  UniqueLog log({folder_.string()});
  constexpr Sequence kLive = 150'000;
  const std::string url(100, 'u');
  std::size_t most = 0;
  for (Sequence sequence = 0; sequence < 4 * kLive; ++sequence) {
    if (sequence > kLive) log.expire(sequence - kLive);
    UniqueLog::Entry entry = small_entry();
    entry.url = url;
    entry.source.offset = static_cast<std::int64_t>(sequence);
    if (sequence >= kLive / 2) entry.previous = sequence - kLive / 2;
    ASSERT_EQ(log.size(), sequence);
    log.append(entry);
    most = std::max(most, static_cast<std::size_t>(log.file_bytes()));
  }
  EXPECT_EQ(log.oldest(), 3 * kLive - 1);
  EXPECT_LT(most, kLive * 180 + 4 * ColdStore::kBlockBytes) << "the room on the disk is given back";
  EXPECT_LT(log.bytes(), kLive * 4 + 2 * 4 * 65'536 + kStoreMemory);
  for (Sequence sequence = log.oldest(); sequence < log.size(); ++sequence) {
    const UniqueLog::Entry entry = log.entry(sequence);
    ASSERT_EQ(entry.source.offset, static_cast<std::int64_t>(sequence));
    ASSERT_EQ(entry.previous.has_value(), sequence - kLive / 2 >= log.oldest());
  }
  log.expire(log.size());
  EXPECT_EQ(log.oldest(), log.size());
  log.append(small_entry());
  expect_equal(log.entry(log.oldest()), small_entry());
}

TEST(UniqueLog, what_is_forgotten_has_no_part_in_the_digest) {
  constexpr Sequence kBegin = 70'000;
  UniqueLog log({});
  UniqueLog other({});
  for (Sequence sequence = 0; sequence < kBegin + 10; ++sequence) {
    UniqueLog::Entry entry = small_entry();
    entry.tokens = static_cast<std::uint32_t>(sequence);
    log.append(entry);
    if (sequence < kBegin) entry.url = "another";
    other.append(entry);
  }
  EXPECT_NE(log.digest(), other.digest());
  log.expire(kBegin);
  other.expire(kBegin);
  EXPECT_EQ(log.digest(), other.digest());
  EXPECT_EQ(log.entry(kBegin + 3).tokens, kBegin + 3);
}

TEST_F(UniqueLogTest, memory_is_4_bytes_a_unique_and_the_rest_is_in_the_file) {
  UniqueLog log({folder_.string()});
  constexpr std::size_t kCount = 4 * 65'536;
  std::size_t names = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::string id = "doc-" + std::to_string(i);
    const std::string url = "https://example.org/pages/" + std::to_string(i);
    names += id.size() + url.size();
    log.append({.id = id,
                .url = url,
                .source = {.topic = 3, .partition = 7, .offset = static_cast<std::int64_t>(i)},
                .event_time_ms = 1'700'000'000'000 + static_cast<std::int64_t>(i),
                .exact = {i, i},
                .fingerprint = {i},
                .tokens = 500});
  }
  EXPECT_GE(log.bytes(), kCount * 4);
  EXPECT_LE(log.bytes(), kCount * 4 + kStoreMemory + 20'000);
  EXPECT_GE(log.file_bytes() + kStoreMemory, kCount * (24 + 14) + names);
  EXPECT_LE(log.file_bytes(), kCount * (24 + 18) + names);

  UniqueLog in_memory({});
  EXPECT_LE(in_memory.bytes(), 100U);
}

TEST(UniqueLog, an_id_that_is_the_url_as_well_is_kept_once) {
  const std::string url(1000, 'u');
  constexpr std::size_t kCount = 65'536;
  const auto bytes_with = [&](std::string_view id) {
    UniqueLog log({});
    UniqueLog::Entry entry = small_entry();
    entry.id = id;
    entry.url = url;
    for (std::size_t i = 0; i < kCount; ++i) log.append(entry);
    EXPECT_EQ(log.entry(kCount - 1).id, id);
    EXPECT_EQ(log.entry(kCount - 1).url, url);
    return static_cast<double>(log.bytes()) / kCount;
  };
  const double once = bytes_with(url);
  EXPECT_LT(once, 1100);
  EXPECT_GT(bytes_with(std::string(1000, 'i')), once + 900);
}

TEST(UniqueLogDeathTest, a_longer_string_than_the_limits_is_our_own_mistake) {
  UniqueLog log({});
  UniqueLog::Entry entry = small_entry();
  const std::string id(kIdBytesMax + 1, 'i');
  entry.id = id;
  EXPECT_DEATH(log.append(entry), "longer ids");
  entry = small_entry();
  const std::string url(kUrlBytesMax + 1, 'u');
  entry.url = url;
  EXPECT_DEATH(log.append(entry), "longer urls");
  entry = small_entry();
  const std::string extra(UniqueLog::kExtraBytesMax + 1, 'x');
  entry.extra = extra;
  EXPECT_DEATH(log.append(entry), "own field");
}

TEST(UniqueLogDeathTest, what_is_still_to_come_can_be_neither_previous_nor_forgotten) {
  UniqueLog log({});
  UniqueLog::Entry entry = small_entry();
  entry.previous = 0;
  EXPECT_DEATH(log.append(entry), "came before");
  EXPECT_DEATH(log.expire(1), "still to come") << "the first one's number is 0";
  log.append(small_entry());
  EXPECT_DEATH(log.expire(2), "still to come");
}

}  // namespace
}  // namespace neardup
