#include "service/codec/http_message.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace neardup {
namespace {

std::string body_of(std::string_view bytes) {
  const auto message = read_http_message(bytes);
  return message ? std::string(message->body) : "none";
}

TEST(HttpMessage, what_the_head_says_of_the_body) {
  const auto message = read_http_message(
      "HTTP/1.1 200 OK\r\nContent-Type:  text/html; charset=big5 \r\nTRANSFER-ENCODING: gzip, chunked\r\n"
      "X-Long: one\r\n  and more\r\nContent-Encoding: zstd\r\n\r\nbody\r\n\r\nmore");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->body, "body\r\n\r\nmore");
  EXPECT_EQ(message->content_type, "text/html; charset=big5");
  EXPECT_TRUE(message->is_chunked);
  EXPECT_EQ(message->codings, std::vector<std::string_view>{"zstd"});
}

TEST(HttpMessage, a_body_may_be_packed_more_than_once) {
  const auto codings = [](const std::string& headers) {
    return read_http_message("HTTP/1.0 200\n" + headers + "\n")->codings;
  };
  using Codings = std::vector<std::string_view>;
  EXPECT_EQ(codings("Content-Encoding: Identity\n").size(), 0U);
  EXPECT_EQ(codings("Content-Encoding: gzip , br\n").size(), 2U);
  EXPECT_EQ(codings("Content-Encoding: ,identity,,\n").size(), 0U);
  EXPECT_EQ(codings("Content-Encoding: gzip\nA: b\ncontent-encoding: br\n").size(), 2U);
  const std::string bytes = "HTTP/1.0 200\nContent-Encoding: deflate,\tidentity,gzip,br\n\n";
  EXPECT_EQ(read_http_message(bytes)->codings, (Codings{"deflate", "gzip", "br"}));
}

TEST(HttpMessage, lines_of_a_head_that_are_no_headers_are_passed_over) {
  const std::string type = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
  for (const std::string stray :
       {"no header", "two words: value", ":status: 200", "HTTP/1.1 200 OK", "\xC3\xA4: umlaut", "a\x01: b"}) {
    const std::string bytes = type + stray + "\r\n  goes on\r\nX: y\n\nbody";
    EXPECT_EQ(body_of(bytes), "body") << stray;
    EXPECT_EQ(read_http_message(bytes)->content_type, "text/html");
  }
  EXPECT_EQ(body_of(type + "<html>\n\nbody"), "none") << "the head has no end, and this is the page";
  EXPECT_EQ(body_of("HTTP/1.1 200 OK\nNote: so a server says\nthat all is well,\nor nearly.\n\nwords"),
            "none");
}

TEST(HttpMessage, heads_behind_each_other_are_passed_up_to_the_last) {
  EXPECT_EQ(
      body_of("HTTP/1.1 301 Moved\r\nLocation: /b\r\n\r\nHTTP/2 200\r\ncontent-type: text/html\r\n\r\nb"),
      "b");
  EXPECT_EQ(body_of("WARC/1.1\r\nWARC-Type: response\r\nContent-Type: application/http\r\n\r\n"
                    "HTTP/1.1 200 OK\r\nDate: today\r\n\r\npage\r\n\r\n"),
            "page\r\n\r\n");
  EXPECT_EQ(body_of("WARC/1.0\nWARC-Type: conversion\n\nwords"), "words") << "of a WET file";
}

TEST(HttpMessage, names_may_have_marks_and_a_blank_behind_them) {
  const auto message =
      read_http_message("HTTP/1.1 200 OK\r\nX-What!: a\r\nContent-Type : text/html\r\n\r\nbody");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->content_type, "text/html");
  EXPECT_EQ(message->body, "body");
}

TEST(HttpMessage, the_first_line_may_be_a_careless_servers) {
  for (const char* const line : {"http/1.1 200 OK", "Http/1.0  404", "HTTP/1.1   200   All is well "})
    EXPECT_EQ(body_of(std::string(line) + "\r\nA: b\r\n\r\nbody"), "body") << line;
}

TEST(HttpMessage, all_else_is_none) {
  for (const char* const bytes :
       {"", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n",
        "HTTP/1.1 is a protocol\n\nwords", "HTTP/1.1 2000 words\n\nwords", "HTTP/ 200 OK\n\nwords",
        "HTTP/1.1\t200 OK\n\nwords", "HTTP/1.1 20 OK\n\nwords", "http/x 200 OK\n\nwords", "warc/1.0\n\nwords",
        "WARC/1.0 is a format\n\n", "HTTP/1.1 200 OK\nis what a server says\n\nwords",
        "HTTP/1.1 200 OK\n: b\n\nwords", "\nHTTP/1.1 200 OK\n\nwords"}) {
    EXPECT_EQ(body_of(bytes), "none") << bytes;
  }
  EXPECT_EQ(body_of("HTTP/1.1 200 OK\nA: " + std::string(70'000, 'b') + "\n\nwords"), "none") << "bounded";
}

TEST(HttpMessage, chunks_are_joined_up_to_where_they_end) {
  const auto joined = [](std::string_view body) {
    std::string out;
    return join_chunks(body, out) ? out : "none";
  };
  EXPECT_EQ(joined("4\r\nword\r\nA;name=value\r\ns and more!\r\n0\r\nTrailer: x\r\n\r\n"), "words and more");
  EXPECT_EQ(joined("4\r\nword\r\n2\r\ns!\r\n0\r\n\r\nbehind"), "words!");
  EXPECT_EQ(joined("0\r\n\r\n"), "");
  EXPECT_EQ(joined("ff\r\ncut off"), "cut off");
  EXPECT_EQ(joined("ffffffffffffffff\r\ncut off"), "cut off");
  EXPECT_EQ(joined("<html>\r\njoined already"), "none");
  EXPECT_EQ(joined("fffffffffffffffff\r\nno size"), "none");
  EXPECT_EQ(joined("-1\r\nno size"), "none");
  EXPECT_EQ(joined("10\nfacts about bees, and more\n"), "none") << "a number, and not of what follows";
  EXPECT_EQ(joined("2024\nfacts about bees"), "none")
      << "nor is it longer than that, and no CR ends the line";
  EXPECT_EQ(joined("4\r\nword\r"), "word") << "cut off in what ends it";
  EXPECT_EQ(joined(""), "none");
}

}  // namespace
}  // namespace neardup
