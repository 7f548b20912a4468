#include "service/kafka/settings_watch.h"

#include <string_view>
#include <utility>

#include "core/base/clauses.h"
#include "service/log.h"

namespace neardup {
namespace {

constexpr std::string_view kPart = "topic settings";  // of what the board warns

std::string clauses(const std::vector<TopicProblem>& problems) {
  std::string all;
  for (const TopicProblem& problem : problems)
    add_clause(all, "topic " + problem.topic + ": " + problem.what);
  return all;
}

}  // namespace

SettingsWatch::SettingsWatch(std::function<Result<Topics>()> ask,
                             std::function<std::vector<TopicProblem>(const Topics&)> check, Probe& probe,
                             StateBoard& board)
    : ask_(std::move(ask)), check_(std::move(check)), probe_(probe), board_(board) {
  probe_.wrong_topic_settings(0);
}

SettingsWatch::~SettingsWatch() {
  probe_.wrong_topic_settings(0);
  board_.warn(kPart, "");
}

void SettingsWatch::look(Clock::time_point now) {
  if (now < due_) return;
  due_ = now + kInterval;
  const Result<Topics> topics = ask_();
  if (!topics) return log_debug("asking how topics are set: {}", topics.error().message);
  const std::vector<TopicProblem> problems = check_(*topics);
  std::string wrong = clauses(problems);
  if (wrong != told_) {
    if (wrong == seen_) {
      tell(problems);
      told_ = wrong;
    } else {
      due_ = now;  // with the next call
    }
  }
  seen_ = std::move(wrong);
}

void SettingsWatch::tell(const std::vector<TopicProblem>& problems) {
  probe_.wrong_topic_settings(problems.size());
  board_.warn(kPart, clauses(problems));
  if (problems.empty()) log_info("all topics are set right again");
  for (const TopicProblem& problem : problems) {
    log_error("topic {}: {}; the next start will refuse it. Mend it: {}", problem.topic, problem.what,
              problem.mend);
  }
}

}  // namespace neardup
