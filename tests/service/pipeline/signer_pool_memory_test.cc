// What a thread keeps from record to record is bounded, and for ordinary pages it is enough: operator new is
// counted in this program.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fingerprint/stop_words.h"
#include "service/pipeline/signer_pool.h"
#include "tests/support/counted_memory.h"

namespace neardup {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::string repeated(std::string_view part, std::size_t count) {
  std::string all;
  all.reserve(part.size() * count);
  for (std::size_t i = 0; i < count; ++i) all += part;
  return all;
}

std::string record_of(std::string_view field, const std::string& body) {
  return R"({"id":"a page",")" + std::string(field) + R"(":")" + body + "\"}";
}

// Paragraphs as an article has them.
std::string page_of_prose(std::size_t bytes) {
  std::string page = "<html><body><article>";
  for (std::size_t i = 0; page.size() < bytes; ++i) {
    page += "<p>It begins";
    for (std::size_t k = 0; k < 40; ++k) {
      page += (k % 9 == 8 ? ", word" : " word") + std::to_string(i * k % 1009);
    }
    page += ".</p>";
  }
  return page;
}

// One thread, and one slot for one record after the other.
class OneByOne {
 public:
  explicit OneByOne(const SignerOptions& options) : pool_(1, resolve_preset({}), {}, options) {}

  void sign(const std::string& value) {
    Record record;
    record.value = value;
    pool_.run({&record, 1}, slot_);
    EXPECT_EQ(slot_[0].reason, std::nullopt) << value.substr(0, 40);
  }

 private:
  SignerPool pool_;
  std::vector<Signed> slot_ = std::vector<Signed>(1);
};

TEST(SignerPoolMemory, what_an_odd_page_needed_is_given_back) {
  SignerOptions without_stop_words;
  without_stop_words.features.stop_words =
      std::make_shared<const StopWords>(*StopWords::parse("the\n", without_stop_words.fold));
  const std::string ordinary = record_of("html", page_of_prose(20'000));
  const std::string tags = record_of("html", repeated("<p>a", 262'144));
  const std::string ligatures = record_of("text", "the " + repeated("\uFDFA", 300'000));
  for (const SignerOptions& options : {SignerOptions(), without_stop_words}) {
    OneByOne signer(options);
    signer.sign(ordinary);
    const std::size_t before = memory_held;
    for (const std::string* const odd : {&tags, &ligatures}) {
      signer.sign(*odd);
      signer.sign(ordinary);
      EXPECT_LT(memory_held.load(), before + 2 * kMiB) << odd->substr(0, 40);
    }
  }
}

// Body and unescaped text are given back; the signer keeps what it may.
TEST(SignerPoolMemory, a_large_record_leaves_what_a_signer_may_keep) {
  OneByOne signer{SignerOptions()};
  const std::string ordinary = record_of("text", repeated("plain words, ", 2'000));
  const std::string large = record_of("text", repeated("word\\n", 1'300'000));
  signer.sign(ordinary);
  const std::size_t before = memory_held;
  signer.sign(large);
  signer.sign(ordinary);
  EXPECT_LT(memory_held.load(), before + SignerPool::kHeldBytesMax);
}

// But for what a job needs, whatever it signs.
TEST(SignerPoolMemory, ordinary_pages_allocate_nothing_once_warm) {
  const std::vector<std::string> pages = {record_of("html", page_of_prose(700'000)),
                                          record_of("html", page_of_prose(5'000)),
                                          record_of("text", repeated("plain words, ", 20'000))};
  OneByOne signer{SignerOptions()};
  std::size_t before = 0;
  for (int round = 0; round < 3; ++round) {
    if (round == 2) before = memory_allocations;
    for (const std::string& page : pages) signer.sign(page);
  }
  EXPECT_LE(memory_allocations - before, 3 * pages.size());
}

}  // namespace
}  // namespace neardup
