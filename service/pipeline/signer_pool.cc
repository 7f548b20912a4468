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
#include "core/base/free_memory.h"
#include "core/base/prefetch_line.h"
#include "core/fingerprint/signer.h"
#include "service/codec/document_codec.h"
#include "service/metrics/control_group.h"

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
    out.fell_back = !out.reason && signer_.fell_back();
    out.document.body.swap(body_);
    if (body_.capacity() > DocumentCodec::kRecordBytesUsual) free_memory(body_);
    if (signer_.held_bytes() > SignerPool::kHeldBytesMax) signer_.give_back();
  }

 private:
  DocumentCodec codec_;
  Signer signer_;
  std::string body_;
};

// For record i of a run up to `end`, which is signed next, and those behind it. Records lie where another
// thread put them, tens of megabytes of others ago: far from this core. A short one is over before the
// processor has seen that it is read in a row. And slots come back from the core of who decided.
void prefetch(const SigningJob& job, std::size_t i, std::size_t end) {
  if (i + 2 < end) prefetch_lines(&job.records[i + 2], sizeof(Record));
  if (i + 1 < end) job.slot(i + 1).prefetch_to_write();
  if (i >= end) return;
  job.slot(i).prefetch_rest_to_write();
  if (const auto& value = job.records[i].value; value)
    prefetch_lines(value->data(), std::min(value->size(), kForeseenBehind));
}

}  // namespace

struct SignerPool::State {
  std::vector<Worker> workers;  // [0] is that of the thread that advances
  std::vector<std::thread> threads;

  std::mutex mutex;
  std::condition_variable woken;           // a run may be taken, or the end
  std::condition_variable signed_changed;  // as many as somebody wanted
  std::deque<SigningJob*> jobs;            // those with records that nobody has taken
  std::size_t sleeping = 0;
  bool ending = false;

  // ---- REQUIRES of all: the lock is held ----

  static std::size_t end_of_next(const SigningJob& job) {
    return std::min(job.taken + kRecordsPerTake, job.records.size());
  }
  static bool has_next(const SigningJob& job) {
    return job.taken < job.records.size() && end_of_next(job) <= job.done + job.slots.size();
  }
  SigningJob* job_with_next() {
    const auto found = std::ranges::find_if(jobs, [](const SigningJob* job) { return has_next(*job); });
    return found == jobs.end() ? nullptr : *found;
  }

  // Signs the next run; the lock is given back meanwhile. REQUIRES: has_next(job).
  void sign_next(SigningJob& job, Worker& worker, std::unique_lock<std::mutex>& lock) {
    const std::size_t begin = job.taken;
    const std::size_t end = end_of_next(job);
    job.taken = end;
    if (end == job.records.size()) std::erase(jobs, &job);
    lock.unlock();
    for (std::size_t i = begin; i < end; ++i) {
      prefetch(job, i + 1, end);
      worker.sign(job.records[i], job.slot(i));
    }
    lock.lock();
    job.signed_runs[begin / kRecordsPerTake] = true;
    while (job.signed_ < job.taken && job.signed_runs[job.signed_ / kRecordsPerTake]) {
      job.signed_ = std::min(job.signed_ + kRecordsPerTake, job.records.size());
    }
    if (job.wanted > 0 && job.signed_ >= job.wanted) notify(signed_changed, lock);
  }

  // Whoever wakes would only wait for the lock.
  static void notify(std::condition_variable& waiting, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    waiting.notify_all();
    lock.lock();
  }

  void wait_until_signed(SigningJob& job, std::size_t count, std::unique_lock<std::mutex>& lock) {
    job.wanted = count;
    signed_changed.wait(lock, [&] { return job.signed_ >= count; });
    job.wanted = 0;
  }

  void work(Worker& worker) {
    pthread_setname_np(pthread_self(), "sign");  // what top -H and perf show
    std::unique_lock lock(mutex);
    while (!ending) {
      if (SigningJob* const job = job_with_next(); job != nullptr) {
        sign_next(*job, worker, lock);
        continue;
      }
      ++sleeping;
      woken.wait(lock);
      --sleeping;
    }
  }
};

SignerPool::SignerPool(int threads, const Preset& preset, const InputConfig& input,
                       const SignerOptions& options)
    : state_(std::make_unique<State>()) {
  CHECK(threads >= 1, "the thread that advances counts");
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

// Each thread has a run in hand, the next is free for it, and what is decided is not waited for.
std::size_t SignerPool::slots() const {
  return kAheadMax + kRecordsPerTake * (2 * state_->workers.size() + 1);
}

void SignerPool::begin(SigningJob& job) {
  CHECK(job.slots.size() == job.records.size() || job.slots.size() == slots(), "each record has its slot");
  CHECK(job.taken == 0, "a job is begun once");
  if (job.records.empty()) return;
  job.signed_runs.assign((job.records.size() - 1) / kRecordsPerTake + 1, false);
  {
    const std::lock_guard lock(state_->mutex);
    state_->jobs.push_back(&job);
  }
  if (job.records.size() > kRecordsPerTake) state_->woken.notify_all();  // else not worth waking anybody
}

void SignerPool::advance(SigningJob& job, std::size_t done, std::size_t end) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  job.done = done;
  const bool has_room = done + job.slots.size() - job.taken >= job.slots.size() / 2;
  if (state.sleeping > 0 && has_room && State::has_next(job)) State::notify(state.woken, lock);
  while (job.signed_ < end && State::has_next(job)) state.sign_next(job, state.workers[0], lock);
  state.wait_until_signed(job, end, lock);
}

void SignerPool::cancel(SigningJob& job) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  std::erase(state.jobs, &job);
  state.wait_until_signed(job, job.taken, lock);  // what is in hands
}

void SignerPool::run(std::span<const Record> records, std::span<Signed> slots) {
  SigningJob job;
  job.records = records;
  job.slots = slots;
  begin(job);
  advance(job, 0, records.size());
}

int signing_threads(const PipelineConfig& config) {
  if (config.threads > 0) return config.threads;
  return usable_cores();
}

}  // namespace neardup
