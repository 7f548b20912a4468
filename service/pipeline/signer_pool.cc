#include "service/pipeline/signer_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/check.h"
#include "core/fingerprint/signer.h"
#include "service/codec/document_codec.h"

namespace neardup {
namespace {

// One thread's tools.
class Worker {
 public:
  Worker(const Preset& preset, const InputConfig& input, const SignerOptions& options)
      : codec_(preset, input), signer_(options) {}

  void sign(const Record& record, Signed& out) {
    // The one body buffer travels through the slots, or each slot would keep the largest page it ever met.
    out.document.body.swap(body_);
    out.signature = {};
    out.reason = codec_.decode(record, out.document);
    if (!out.reason) out.reason = signer_.sign(out.document, out.signature, out.route);
    out.document.body.swap(body_);
    if (body_.capacity() > DocumentCodec::kRecordBytesUsual) body_ = std::string();
  }

 private:
  DocumentCodec codec_;
  Signer signer_;
  std::string body_;
};

}  // namespace

struct SignerPool::State {
  std::vector<Worker> workers;  // [0] is the caller's
  std::vector<std::thread> threads;

  // The batch under way: written by the caller while all sleep.
  std::span<const Record> records;
  std::span<Signed> out;
  std::atomic<std::size_t> next{0};  // the first record that nobody has taken

  std::mutex mutex;
  std::condition_variable woken;
  std::condition_variable finished;
  std::uint64_t batch = 0;   // its number; a sleeper that sees a new one wakes
  std::size_t sleepers = 0;  // how many have yet to finish it: 0 between batches
  bool ending = false;

  void work(Worker& worker) {
    for (;;) {
      const std::size_t begin = next.fetch_add(kRecordsPerTake, std::memory_order_relaxed);
      if (begin >= records.size()) return;
      const std::size_t end = std::min(begin + kRecordsPerTake, records.size());
      for (std::size_t i = begin; i < end; ++i) worker.sign(records[i], out[i]);
    }
  }

  void sleep_and_work(Worker& worker) {
    std::uint64_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex);
        woken.wait(lock, [&] { return ending || batch != seen; });
        if (ending) return;
        seen = batch;
      }
      work(worker);
      const std::lock_guard lock(mutex);
      if (--sleepers == 0) finished.notify_one();
    }
  }
};

SignerPool::SignerPool(int threads, const Preset& preset, const InputConfig& input,
                       const SignerOptions& options)
    : state_(std::make_unique<State>()) {
  CHECK(threads >= 1, "the caller's thread counts");
  const auto count = static_cast<std::size_t>(threads);
  state_->workers.reserve(count);
  for (std::size_t i = 0; i < count; ++i) state_->workers.emplace_back(preset, input, options);
  for (std::size_t i = 1; i < count; ++i) {
    state_->threads.emplace_back([state = state_.get(), i] { state->sleep_and_work(state->workers[i]); });
  }
}

SignerPool::~SignerPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->ending = true;
  }
  state_->woken.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

void SignerPool::run(std::span<const Record> records, std::span<Signed> out) {
  CHECK(records.size() == out.size(), "each record has its slot");
  State& state = *state_;
  const bool alone = state.threads.empty() || records.size() <= kRecordsPerTake;
  {
    const std::lock_guard lock(state.mutex);
    state.records = records;
    state.out = out;
    state.next.store(0, std::memory_order_relaxed);
    if (!alone) {
      state.sleepers = state.threads.size();
      ++state.batch;
    }
  }
  if (!alone) state.woken.notify_all();
  state.work(state.workers[0]);
  std::unique_lock lock(state.mutex);
  state.finished.wait(lock, [&] { return state.sleepers == 0; });
}

int signing_threads(const PipelineConfig& config) {
  if (config.threads > 0) return config.threads;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace neardup
