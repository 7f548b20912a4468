// What becomes of a client whose password is changed while it runs?
#include <gtest/gtest.h>

#include "service/kafka/client.h"
#include "tests/service/kafka/login_broker.h"
#include "tests/support/eventually.h"
#include "tests/support/folder_test.h"

namespace neardup {
namespace {

class Login : public FolderTest {
 protected:
  // Such a client has logged in with "new" in the end.
  void is_renewed(bool failures_only) {
    LoginBroker broker("new");
    Probe probe;
    ClientListener listener("admin", probe);
    listener.failures_only = failures_only;
    const auto client =
        make_client(RD_KAFKA_PRODUCER, broker.config(write("password", "old\n")), {}, listener);
    ASSERT_TRUE(client) << client.error().message;
    const RdKafka<rd_kafka_queue_t> queue(rd_kafka_queue_get_main(client->get()));
    ASSERT_TRUE(eventually([&] { return !broker.logins().empty(); }));
    EXPECT_EQ(broker.logins().front(), "neardup old");
    write("password", "new\n");
    EXPECT_TRUE(eventually([&] {
      if (failures_only) {
        take_failures(**client, *queue, listener);
      } else {
        rd_kafka_poll(client->get(), 0);
      }
      return broker.logins().back() == "neardup new";
    }));
  }
};

TEST_F(Login, that_was_refused_is_tried_again_with_what_the_file_holds_now) { is_renewed(false); }

TEST_F(Login, of_a_client_that_hears_of_failures_only_is_tried_again_too) { is_renewed(true); }

}  // namespace
}  // namespace neardup
