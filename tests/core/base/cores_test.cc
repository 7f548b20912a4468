#include "core/base/cores.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace neardup {
namespace {

TEST(Cores, are_those_of_the_affinity) {
  const int cores = allowed_cores();
  ASSERT_GE(cores, 1);
  int on_one = 0;
  std::thread([&on_one] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    on_one = allowed_cores();
  }).join();
  EXPECT_EQ(on_one, 1);
  EXPECT_EQ(allowed_cores(), cores);
}

}  // namespace
}  // namespace neardup
