#include "tests/integration/open_transaction.h"

#include <stdexcept>

#include "service/kafka/writer.h"

namespace neardup {
namespace {

constexpr int kPatienceMs = 30000;

void must(rd_kafka_error_t* answer) {
  const RdKafka<rd_kafka_error_t> error(answer);
  if (error) throw std::runtime_error(describe(*error));
}
void must(rd_kafka_resp_err_t error) {
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) throw std::runtime_error(describe(error));
}

}  // namespace

OpenTransaction::OpenTransaction(const Config& config)
    : journal_(config.kafka.topics.journal), listener_("writer", probe_) {
  auto producer = make_client(RD_KAFKA_PRODUCER, config.kafka, writer_properties(config.kafka), listener_);
  if (!producer) throw std::runtime_error(producer.error().message);
  producer_ = std::move(*producer);
  must(rd_kafka_init_transactions(producer_.get(), kPatienceMs));
}

void OpenTransaction::begin() {
  must(rd_kafka_begin_transaction(producer_.get()));
  must(rd_kafka_producev(producer_.get(), RD_KAFKA_V_TOPIC(journal_.c_str()),
                         RD_KAFKA_V_VALUE(record_, sizeof(record_)), RD_KAFKA_V_END));
  must(rd_kafka_flush(producer_.get(), kPatienceMs));
}

void OpenTransaction::commit() { must(rd_kafka_commit_transaction(producer_.get(), kPatienceMs)); }

void OpenTransaction::abort() { must(rd_kafka_abort_transaction(producer_.get(), kPatienceMs)); }

}  // namespace neardup
