#include "core/fingerprint/minima.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "tests/reference/naive_shingles.h"

namespace neardup {
namespace {

using Shingles = std::vector<std::uint64_t>;

BandMinima minima_of(std::span<const std::uint64_t> shingles) {
  MinimaBuilder builder;
  builder.add(shingles);
  BandMinima minima;
  builder.finish(minima);
  return minima;
}

// A shingle of that bin and value.
std::uint64_t shingle(std::uint64_t bin, std::uint32_t value) {
  return ((bin * (1ULL << 32) / 24 + 1000) << 32) | value;
}

TEST(Minima, the_two_least_distinct_values_of_a_bin_stay) {
  const BandMinima minima = minima_of(Shingles{shingle(3, 30), shingle(3, 10), shingle(3, 20), shingle(3, 10),
                                               shingle(5, 7), shingle(3, 40), shingle(5, 7)});
  EXPECT_EQ(minima.first[3], 10U);
  EXPECT_EQ(minima.second[3], 20U);
  EXPECT_EQ(minima.first[5], 7U);
  EXPECT_EQ(minima.second[5], kNoMinimum);
}

TEST(Minima, an_empty_bin_borrows_from_the_first_of_its_stride_that_is_not) {
  const BandMinima minima = minima_of(Shingles{shingle(3, 10), shingle(3, 11), shingle(16, 20)});
  EXPECT_EQ(minima.first[0], 10U) << "stride 1: 1, 2, 3";
  EXPECT_EQ(minima.second[0], 11U);
  EXPECT_EQ(minima.first[1], 20U) << "stride 5: 6, 11, 16";
  EXPECT_EQ(minima.second[1], kNoMinimum);
  EXPECT_EQ(minima.first[2], 20U) << "stride 7: 9, 16";
  EXPECT_EQ(minima.first[23], 20U)
      << "stride 11: 10, 21, 8, 19, 6, 17, 4, 15, 2, 13, 0, 11, 22, 9, 20, 7, 18, 5, 16";
}

TEST(Minima, no_shingle_no_minimum) {
  const BandMinima minima = minima_of({});
  for (std::size_t bin = 0; bin < kMinimaBins; ++bin) {
    EXPECT_EQ(minima.first[bin], kNoMinimum);
    EXPECT_EQ(minima.second[bin], kNoMinimum);
  }
  EXPECT_EQ(minima_of(Shingles{shingle(3, kNoMinimum)}), minima);
}

TEST(Minima, are_those_of_the_definition) {
  std::mt19937_64 draw(1);
  for (std::size_t size = 0; size < 2000; size += 1 + size / 20) {
    Shingles shingles(size);
    for (std::uint64_t& s : shingles) s = draw();
    for (std::size_t i = 0; i < size; i += 3) shingles[i] = shingles[draw() % size];
    EXPECT_EQ(minima_of(shingles), reference::minima(shingles)) << size;
  }
}

TEST(Minima, portions_and_order_do_not_matter) {
  std::mt19937_64 draw(2);
  Shingles shingles(5000);
  for (std::uint64_t& s : shingles) s = draw();
  const BandMinima expected = minima_of(shingles);
  MinimaBuilder builder;
  for (int round = 0; round < 20; ++round) {
    std::shuffle(shingles.begin(), shingles.end(), draw);
    builder.clear();
    for (std::span<const std::uint64_t> rest = shingles; !rest.empty();) {
      const std::size_t size = std::min<std::size_t>(rest.size(), draw() % 700);
      builder.add(rest.first(size));
      rest = rest.subspan(size);
    }
    BandMinima minima;
    builder.finish(minima);
    EXPECT_EQ(minima, expected);
  }
}

// The share of bins whose minima agree, over many pairs of sets with Jaccard similarity J.
double agreement(std::mt19937_64& draw, std::size_t size, double jaccard) {
  const auto shared = static_cast<std::size_t>(static_cast<double>(size) * 2 * jaccard / (1 + jaccard));
  const int pairs = 3000;
  int agree = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    Shingles a(size);
    for (std::uint64_t& s : a) s = draw();
    Shingles b = a;
    for (std::size_t i = shared; i < size; ++i) b[i] = draw();
    const BandMinima x = minima_of(a);
    const BandMinima y = minima_of(b);
    for (std::size_t bin = 0; bin < kMinimaBins; ++bin) agree += x.first[bin] == y.first[bin] ? 1 : 0;
  }
  return agree / (24.0 * pairs);
}

TEST(Minima, a_bin_agrees_with_the_probability_of_the_similarity) {
  std::mt19937_64 draw(3);
  for (const std::size_t size : {20, 60, 400}) {
    for (const double jaccard : {0.5, 0.8, 0.9}) {
      const auto shared = static_cast<double>(
          static_cast<std::size_t>(static_cast<double>(size) * 2 * jaccard / (1 + jaccard)));
      const double exact = shared / (2 * static_cast<double>(size) - shared);
      EXPECT_NEAR(agreement(draw, size, jaccard), exact, .01) << size << ' ' << jaccard;
    }
  }
}

TEST(Minima, uncommon_minima_leave_out_what_is_common) {
  std::mt19937_64 draw(4);
  for (const std::size_t size : {0, 1, 40, 3000}) {
    Shingles shingles(size);
    for (std::uint64_t& s : shingles) s = draw();
    for (std::size_t i = 0; i < size / 3; ++i) shingles[i] = shingles[draw() % size];
    for (const unsigned common_of_ten : {0U, 7U, 10U}) {
      const auto is_common = [&](std::uint32_t value) { return value % 10 < common_of_ten; };
      const auto wanted = static_cast<Bins>(draw() % (1U << kMinimaBins));
      const BandMinima found = uncommon_minima(shingles, wanted, [&](std::span<std::uint64_t> some) {
        EXPECT_LE(some.size(), MinimaSearch::kPortion);
        const auto rest = std::ranges::remove_if(
            some, [&](std::uint64_t s) { return is_common(static_cast<std::uint32_t>(s)); });
        return some.size() - rest.size();
      });
      for (std::size_t bin = 0; bin < kMinimaBins; ++bin) {
        std::set<std::uint32_t> values;
        for (const std::uint64_t s : shingles) {
          const auto value = static_cast<std::uint32_t>(s);
          if (reference::place(s, 24) == bin && !is_common(value)) values.insert(value);
        }
        if ((wanted >> bin & 1) == 0) values.clear();
        EXPECT_EQ(found.first[bin], values.empty() ? kNoMinimum : *values.begin());
        EXPECT_EQ(found.second[bin], values.size() < 2 ? kNoMinimum : *std::next(values.begin()));
      }
    }
  }
}

TEST(Minima, without_a_common_shingle_the_uncommon_minima_are_the_minima) {
  std::mt19937_64 draw(5);
  Shingles shingles(1000);
  for (std::uint64_t& s : shingles) s = draw();
  const auto drop_none = [](std::span<std::uint64_t> some) { return some.size(); };
  EXPECT_EQ(uncommon_minima(shingles, (1U << kMinimaBins) - 1, drop_none), minima_of(shingles));
}

}  // namespace
}  // namespace neardup
