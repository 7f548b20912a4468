#include "service/pipeline/signer_pool.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
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
  // A run of one job's records, in the hands of one thread.
  struct Take {
    SigningJob* job;
    std::size_t begin;
    std::size_t end;
  };

  std::vector<Worker> workers;  // [0] is that of the thread that finishes
  std::vector<std::thread> threads;

  std::mutex mutex;
  std::condition_variable woken;  // there is a job, or the end
  std::condition_variable idle;   // a job has no run in anybody's hands
  std::deque<SigningJob*> jobs;   // those with records that nobody has taken
  bool ending = false;

  // REQUIRES: the lock is held; there is a job.
  Take take() {
    SigningJob* const job = jobs.front();
    const std::size_t begin = job->taken;
    job->taken = std::min(begin + kRecordsPerTake, job->records.size());
    if (job->taken == job->records.size()) jobs.pop_front();
    return {job, begin, job->taken};
  }

  // REQUIRES: the lock is held; it is given back while signing.
  void sign(const Take& take, Worker& worker, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    for (std::size_t i = take.begin; i < take.end; ++i) worker.sign(take.job->records[i], take.job->out[i]);
    lock.lock();
    take.job->signed_ += take.end - take.begin;
    if (take.job->signed_ == take.job->taken) idle.notify_all();
  }

  void work(Worker& worker) {
    pthread_setname_np(pthread_self(), "sign");  // what top -H and perf show
    std::unique_lock lock(mutex);
    for (;;) {
      woken.wait(lock, [&] { return ending || !jobs.empty(); });
      if (ending) return;
      sign(take(), worker, lock);
    }
  }
};

SignerPool::SignerPool(int threads, const Preset& preset, const InputConfig& input,
                       const SignerOptions& options)
    : state_(std::make_unique<State>()) {
  CHECK(threads >= 1, "the thread that finishes counts");
  const auto count = static_cast<std::size_t>(threads);
  state_->workers.reserve(count);
  for (std::size_t i = 0; i < count; ++i) state_->workers.emplace_back(preset, input, options);
  for (std::size_t i = 1; i < count; ++i) {
    state_->threads.emplace_back([state = state_.get(), i] { state->work(state->workers[i]); });
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

void SignerPool::begin(SigningJob& job) {
  CHECK(job.records.size() == job.out.size(), "each record has its slot");
  CHECK(job.taken == 0, "a job is begun once");
  if (job.records.empty()) return;
  const std::lock_guard lock(state_->mutex);
  state_->jobs.push_back(&job);
  if (job.records.size() > kRecordsPerTake) state_->woken.notify_all();  // else not worth waking anybody
}

void SignerPool::finish(SigningJob& job) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  while (job.taken < job.records.size()) state.sign(state.take(), state.workers[0], lock);
  state.idle.wait(lock, [&] { return job.signed_ == job.records.size(); });
}

void SignerPool::cancel(SigningJob& job) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  std::erase(state.jobs, &job);
  state.idle.wait(lock, [&] { return job.signed_ == job.taken; });
}

void SignerPool::run(std::span<const Record> records, std::span<Signed> out) {
  SigningJob job;
  job.records = records;
  job.out = out;
  begin(job);
  finish(job);
}

int signing_threads(const PipelineConfig& config) {
  if (config.threads > 0) return config.threads;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace neardup
