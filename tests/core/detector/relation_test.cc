#include "core/detector/relation.h"

#include <gtest/gtest.h>

namespace neardup {
namespace {

TEST(HostOf, leaves_out_the_user_the_port_and_www) {
  EXPECT_EQ(host_of("http://example.org"), "example.org");
  EXPECT_EQ(host_of("https://user:secret@example.org:8080/a"), "example.org");
  EXPECT_EQ(host_of("http://www.example.org/"), "example.org");
  EXPECT_EQ(host_of("http://WwW.Example.org/"), "Example.org");
  EXPECT_EQ(host_of("http://www."), "www.") << "nothing would be left";
  EXPECT_EQ(host_of("http://www2.example.org/"), "www2.example.org");
  EXPECT_EQ(host_of("http://[2001:db8::1]:80/a"), "[2001:db8::1");
}

TEST(HostOf, ends_where_the_path_the_query_or_the_fragment_begins) {
  EXPECT_EQ(host_of("http://example.org/a@b:c"), "example.org");
  EXPECT_EQ(host_of("http://example.org?mail=a@b"), "example.org");
  EXPECT_EQ(host_of("http://example.org#a@b"), "example.org");
  EXPECT_EQ(host_of("http://a@b@example.org/"), "example.org") << "the last is what ends the user";
}

TEST(HostOf, is_empty_where_there_is_none) {
  for (const std::string_view url : {"", "example.org/a", "mailto:a@example.org", "http://", "http:///a",
                                     "file:///tmp", "http://user@/", "http://:80"}) {
    EXPECT_EQ(host_of(url), "") << url;
  }
}

}  // namespace
}  // namespace neardup
