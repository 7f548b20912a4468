#include "service/pipeline/signer_pool.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "core/fingerprint/signer.h"
#include "service/codec/document_codec.h"

namespace neardup {
namespace {

// Records of every kind: good ones of many lengths, html, and a reject of each sort now and then.
class Records {
 public:
  explicit Records(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Record record;
      record.source = {static_cast<std::uint32_t>(i % 3), 0, static_cast<std::int64_t>(i)};
      switch (i % 11) {
        case 3:
          record.value = keep("not json");
          break;
        case 5:
          break;
        case 7:
          record.value = keep(R"({"id":"x","text":"..."})");
          break;
        default: {
          std::string text = "words of document number " + std::to_string(i);
          for (std::size_t k = 0; k < i % 50; ++k) text += " more" + std::to_string(k * i);
          const char* const field = i % 2 == 0 ? "text" : "html";
          record.value = keep(R"({"id":)" + std::to_string(i) + ",\"" + field + "\":\"" + text + "\"}");
        }
      }
      records_.push_back(record);
    }
  }

  std::span<const Record> all() const { return records_; }

 private:
  std::string_view keep(std::string bytes) { return bytes_.emplace_back(std::move(bytes)); }

  std::deque<std::string> bytes_;
  std::vector<Record> records_;
};

// What one thread gives that knows of no pool.
std::vector<Signed> sign_one_by_one(std::span<const Record> records, const InputConfig& input) {
  DocumentCodec codec(resolve_preset(input), input);
  Signer signer;
  std::vector<Signed> out(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    out[i].reason = codec.decode(records[i], out[i].document);
    if (!out[i].reason) out[i].reason = signer.sign(out[i].document, out[i].signature);
  }
  return out;
}

void expect_equal(std::span<const Signed> got, std::span<const Signed> expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].reason, expected[i].reason) << i;
    EXPECT_EQ(got[i].signature, expected[i].signature) << i;
    EXPECT_EQ(got[i].document.id, expected[i].document.id) << i;
    EXPECT_EQ(got[i].document.source, expected[i].document.source) << i;
    EXPECT_EQ(got[i].document.body, "") << "nobody needs it any more; " << i;
  }
}

TEST(SignerPool, any_number_of_threads_gives_the_answer_of_one) {
  const InputConfig input;
  const Records records(3000);
  const std::vector<Signed> expected = sign_one_by_one(records.all(), input);
  for (const int threads : {1, 2, 3, 8}) {
    SignerPool pool(threads, resolve_preset(input), input, SignerOptions());
    std::vector<Signed> out(records.all().size());
    pool.run(records.all(), out);
    expect_equal(out, expected);
  }
}

TEST(SignerPool, batches_of_every_size_follow_each_other_through_the_same_slots) {
  const InputConfig input;
  const Records records(1200);
  const std::vector<Signed> expected = sign_one_by_one(records.all(), input);
  SignerPool pool(4, resolve_preset(input), input, SignerOptions());
  std::vector<Signed> slots(records.all().size());
  std::size_t begin = 0;
  for (std::size_t round = 0; begin < records.all().size(); ++round) {
    const std::size_t size = std::min(round * 37 % 101, records.all().size() - begin);  // 0, 37, 74, 10, ...
    const std::span<Signed> out = std::span(slots).first(size);
    pool.run(records.all().subspan(begin, size), out);
    expect_equal(out, std::span(expected).subspan(begin, size));
    begin += size;
  }
}

TEST(SignerPool, ends_cleanly_with_and_without_work) {
  const InputConfig input;
  const Records records(100);
  for (int round = 0; round < 50; ++round) {
    SignerPool pool(3, resolve_preset(input), input, SignerOptions());
    if (round % 2 == 0) continue;
    std::vector<Signed> out(records.all().size());
    pool.run(records.all(), out);
    EXPECT_EQ(out[0].document.id, "0");
  }
}

TEST(SignerPool, few_slots_are_used_in_turns_and_no_answer_is_lost) {
  const InputConfig input;
  const Records records(3000);
  const std::vector<Signed> expected = sign_one_by_one(records.all(), input);
  for (const int threads : {1, 2, 3, 8}) {
    SignerPool pool(threads, resolve_preset(input), input, SignerOptions());
    for (const std::size_t step : {1, 16, 40}) {
      std::vector<Signed> slots(pool.slots());
      SigningJob job{.records = records.all(), .slots = slots};
      pool.begin(job);
      for (std::size_t done = 0; done < records.all().size(); done += step) {
        const std::size_t end = std::min(done + step + 2, records.all().size());
        pool.advance(job, done, end);
        for (std::size_t i = done; i < end; ++i) expect_equal({&job.signed_record(i), 1}, {&expected[i], 1});
      }
    }
  }
}

TEST(SignerPool, jobs_begun_one_behind_the_other_are_signed_in_that_order) {
  const InputConfig input;
  const Records records(1500);
  const std::vector<Signed> expected = sign_one_by_one(records.all(), input);
  for (const int threads : {1, 3}) {
    SignerPool pool(threads, resolve_preset(input), input, SignerOptions());
    std::vector<Signed> slots(records.all().size());
    std::deque<SigningJob> jobs;
    for (std::size_t begin = 0; begin < slots.size(); begin += 500) {
      pool.begin(jobs.emplace_back(SigningJob{.records = records.all().subspan(begin, 500),
                                              .slots = std::span(slots).subspan(begin, 500)}));
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      pool.advance(jobs[i], 0, 500);
      expect_equal(std::span(slots).subspan(i * 500, 500), std::span(expected).subspan(i * 500, 500));
    }
  }
}

TEST(SignerPool, nothing_of_a_cancelled_job_is_touched_any_more) {
  const InputConfig input;
  for (const int threads : {1, 4}) {
    SignerPool pool(threads, resolve_preset(input), input, SignerOptions());
    SigningJob never;
    pool.cancel(never);
    {
      const Records records(5000);  // gone before the pool is
      std::vector<Signed> out(records.all().size());
      SigningJob job{.records = records.all(), .slots = out};
      pool.begin(job);
      pool.cancel(job);
    }
    const Records records(40);
    std::vector<Signed> out(records.all().size());
    pool.run(records.all(), out);
    expect_equal(out, sign_one_by_one(records.all(), input));
  }
}

TEST(SignerPool, zero_configured_threads_are_one_per_usable_core) {
  PipelineConfig config;
  EXPECT_GE(signing_threads(config), 1);
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  int core = 0;
  while (!CPU_ISSET(core, &all)) ++core;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(signing_threads(config), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  config.threads = 5;
  EXPECT_EQ(signing_threads(config), 5);
}

}  // namespace
}  // namespace neardup
