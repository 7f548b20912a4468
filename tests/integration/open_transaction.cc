#include "tests/integration/open_transaction.h"

#include <stdexcept>
#include <utility>

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

OpenTransaction::OpenTransaction(const Config& config, const ClientProperties& producer, std::string topic)
    : topic_(std::move(topic)), listener_("transaction", probe_) {
  auto client = make_client(RD_KAFKA_PRODUCER, config.kafka, producer, listener_);
  if (!client) throw std::runtime_error(client.error().message);
  producer_ = std::move(*client);
  must(rd_kafka_init_transactions(producer_.get(), kPatienceMs));
}

void OpenTransaction::begin(const std::vector<std::string_view>& values) {
  must(rd_kafka_begin_transaction(producer_.get()));
  for (const std::string_view value : values) {
    must(rd_kafka_producev(producer_.get(), RD_KAFKA_V_TOPIC(topic_.c_str()), RD_KAFKA_V_PARTITION(0),
                           RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                           RD_KAFKA_V_VALUE(const_cast<char*>(value.data()), value.size()), RD_KAFKA_V_END));
  }
  must(rd_kafka_flush(producer_.get(), kPatienceMs));
}

void OpenTransaction::commit() { must(rd_kafka_commit_transaction(producer_.get(), kPatienceMs)); }

void OpenTransaction::abort() { must(rd_kafka_abort_transaction(producer_.get(), kPatienceMs)); }

}  // namespace neardup
