#include "service/codec/document_codec.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/limits.h"
#include "service/codec/base64.h"
#include "tests/support/packed_bytes.h"

namespace neardup {
namespace {

using Json = nlohmann::json;

struct Outcome {
  std::optional<RejectReason> reason;
  Document document;

  std::string_view verdict() const { return reason ? name(*reason) : "a document"; }
};

InputConfig of_preset(std::string_view name) {
  InputConfig input;
  input.preset = name;
  return input;
}

Outcome decode(const InputConfig& input, Record record) {
  record.source = {2, 3, 18211};
  DocumentCodec codec(resolve_preset(input), input);
  Outcome outcome;
  // What a document held before must leave no trace.
  outcome.document.id = outcome.document.url = outcome.document.body = "before";
  outcome.document.format = Document::Format::kHtml;
  outcome.document.event_time_ms = 1;
  outcome.reason = codec.decode(record, outcome.document);
  EXPECT_EQ(outcome.document.source, record.source);
  return outcome;
}

Outcome decode(const InputConfig& input, std::string_view value,
               std::optional<std::string_view> key = std::nullopt) {
  Record record;
  record.key = key;
  record.value = value;
  return decode(input, record);
}

Outcome decode_json(std::string_view value, std::optional<std::string_view> key = "key-1") {
  return decode(InputConfig{}, value, key);
}

// Of a plain text field.
Document::Format format_of(std::string_view text) {
  return decode_json(Json{{"content", text}}.dump()).document.format;
}

std::string golden(const std::string& file) {
  std::ifstream in(std::string(NEARDUP_SOURCE_DIR) + "/tests/golden/producers/" + file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_FALSE(text.empty()) << file;
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

TEST(DocumentCodec, reads_the_parts_of_a_document) {
  const Outcome got = decode_json(
      R"({"id":"a1","url":"http://a/1","text":"gr\u00fcn \"x\"","time":"2024-05-01T12:30:45Z","more":[1,{}]})");
  EXPECT_EQ(got.verdict(), "a document");
  EXPECT_EQ(got.document.id, "a1");
  EXPECT_EQ(got.document.url, "http://a/1");
  EXPECT_EQ(got.document.body, "grün \"x\"");
  EXPECT_EQ(got.document.format, Document::Format::kText);
  EXPECT_EQ(got.document.event_time_ms, 1714566645000);
}

TEST(DocumentCodec, falls_back_along_each_list) {
  const Outcome got = decode_json(
      R"({"id":null,"_id":"","doc_id":"c","url":7,"link":"http://l/","text":{},"content":[],"html":"<p>x","ts":5e9})");
  EXPECT_EQ(got.verdict(), "a document");
  EXPECT_EQ(got.document.id, "c");
  EXPECT_EQ(got.document.url, "http://l/");
  EXPECT_EQ(got.document.body, "<p>x");
  EXPECT_EQ(got.document.format, Document::Format::kHtml);
  EXPECT_EQ(got.document.event_time_ms, 5'000'000'000'000);
}

TEST(DocumentCodec, text_goes_before_html_and_an_empty_text_gives_way) {
  EXPECT_EQ(decode_json(R"({"html":"<p>h","text":"t"})").document.body, "t");
  EXPECT_EQ(decode_json(R"({"html":"<p>h","text":""})").document.body, "<p>h");
  EXPECT_EQ(decode_json(R"({"html":"<p>h","text":" \n\r\t "})").document.body, "<p>h");
  EXPECT_EQ(decode_json(R"({"html":"<p>h","text":" \\"})").document.body, " \\") << "a backslash is no space";
  EXPECT_EQ(decode_json(R"({"text":" "})").reason, std::nullopt) << "the signer will say so";
  const Outcome empty = decode_json(R"({"html":"","text":""})");
  EXPECT_EQ(empty.verdict(), "a document") << "that has nothing to say is for the signer to say";
  EXPECT_EQ(empty.document.body, "");
}

TEST(DocumentCodec, a_text_that_opens_like_a_page_is_html) {
  for (const std::string_view page :
       {"<!DOCTYPE html><p>x", " \n<HTML><p>x", "\xEF\xBB\xBF<html>", "<!-- saved -->\n<!--><html>",
        "\n\xEF\xBB\xBF\xEF\xBB\xBF\n<html>", "<?xml version='1.0'?><html>"}) {
    EXPECT_EQ(format_of(page), Document::Format::kHtml) << page;
  }
  for (const std::string_view text :
       {"<- an arrow", "a <html> in words", "<!-- <html>", "<!-- x --> words", "<p>words", "<table>",
        "<header> is the tag of a header", "<htmlx>", "<html", "<"}) {
    EXPECT_EQ(format_of(text), Document::Format::kText) << text;
  }
}

TEST(DocumentCodec, a_text_that_opens_with_a_tag_is_html_if_two_tags_follow_each_other) {
  for (const std::string_view page :
       {"<meta charset=utf-8><title>Tides</title><p>words", "<meta http-equiv=refresh content='0; url=/x'>",
        "<style>p > b { color: red }</style>\n<div>words",
        "<script>if (a<b) document.write('</p><p>');</script>\n<p class=x>words",
        "<script>location.href = '/x'</script>",
        "<link rel=stylesheet href=a.css>\n<link rel=icon href=b.png>\nwords",
        "<br />\n<b>Warning</b>:  Undefined variable $x in <b>/a.php</b> on line <b>3</b><br />\n<!DOCTYPE "
        "html>",
        "<!-- saved --><div><p>words</p></div>", "<br>Oops<br><!doctype html>",
        "<p>some <b>bold</b> words</p>", "<p>one</p>\n<p>two</p>", "<p>words</p>", "<DIV CLASS=x><p>words",
        "<div><!-- menu --><a href=/x>words", "<center><h1>404 Not Found</h1></center>",
        "<p>words<!-- said -->\n</p><hr>", "<title>Tides</title>\n<meta name=a content=b>words"}) {
    EXPECT_EQ(format_of(page), Document::Format::kHtml) << page;
  }
  for (const std::string_view text :
       {"<br> is the tag for a line break, <hr> is one for a rule", "<ul>, <ol> and <li> make lists",
        "<ul> <ol> <li>: lists", "<meta charset=utf-8> says that a page is UTF-8",
        "<script> holds code and ends with </script>.", "<script>never ended, <p class=x><p>", "<style>x",
        "<b>Note:</b> two words", "<p>words <p>words", "<p", "<p ", "<p <p <p", "<x><y a=b>",
        "<a, b> and <b, a> are pairs", "1 <b><i>2</i></b>"}) {
    EXPECT_EQ(format_of(text), Document::Format::kText) << text;
  }
}

TEST(DocumentCodec, the_look_for_tags_is_bounded_but_for_scripts_and_comments) {
  const std::string words(4000, 'w');
  EXPECT_EQ(format_of("<p>" + words + "</p><p>"), Document::Format::kHtml);
  EXPECT_EQ(format_of("<p>" + words + words + "</p><p>"), Document::Format::kText);
  EXPECT_EQ(format_of("<p " + words + words + " x=y><p>"), Document::Format::kText);
  for (const std::string& filler :
       {"<style>" + words + words + "</style>", "<script>" + words + words + "</script>",
        "<!--" + words + words + "-->"}) {
    EXPECT_EQ(format_of(filler + "<p class=x><b>words"), Document::Format::kHtml);
  }
}

TEST(DocumentCodec, what_php_complains_of_in_front_of_a_page_hides_it_not) {
  const std::string notice = "Notice: Undefined index: q in /srv/search.php on line 12\n";
  const std::string logged = "PHP Warning:  Trying to access array offset in /srv/a.php on line 7\r\n";
  for (const std::string& front : {notice, "\n" + notice, notice + "\n" + notice, logged + notice}) {
    EXPECT_EQ(format_of(front + "<!DOCTYPE html><p>words"), Document::Format::kHtml) << front;
    EXPECT_EQ(format_of(front + "<!-- x --><div><p>words</p></div>"), Document::Format::kHtml) << front;
    EXPECT_EQ(format_of(front + "words"), Document::Format::kText) << front;
  }
  for (const std::string_view text :
       {"Notice: the bridge is closed\n<html>", "Notice: wait on line \n<html>", "A note on line 12\n<html>",
        "Notice: Undefined index: q in /srv/search.php on line 12", "Notice: on line 1"}) {
    EXPECT_EQ(format_of(text), Document::Format::kText) << text;
  }
}

TEST(DocumentCodec, an_integer_is_an_id_and_a_fraction_is_none) {
  EXPECT_EQ(decode_json(R"({"id":-7,"text":"t"})").document.id, "-7");
  EXPECT_EQ(decode_json(R"({"id":18446744073709551615,"text":"t"})").document.id, "18446744073709551615");
  EXPECT_EQ(decode_json(R"({"id":1.5,"text":"t"})").document.id, "key-1");
  EXPECT_EQ(decode_json(R"({"id":340282366920938463463374607431768211455,"text":"t"})").document.id,
            "340282366920938463463374607431768211455");
}

TEST(DocumentCodec, the_id_comes_from_the_first_source_that_has_one) {
  InputConfig input;
  const std::string_view value = R"({"id":"field","url":"http://u/","text":"t"})";
  input.id_from = {"key", "url"};
  EXPECT_EQ(decode(input, value, "key").document.id, "key");
  EXPECT_EQ(decode(input, value).document.id, "http://u/");
  EXPECT_EQ(decode(input, value, "").document.id, "http://u/");
  input.id_from = {"url", "field"};
  EXPECT_EQ(decode(input, value, "key").document.id, "http://u/");
  input.id_from = {"key"};
  const Outcome unnamed = decode(input, value);
  EXPECT_EQ(unnamed.verdict(), "missing_id");
  EXPECT_EQ(unnamed.document.id, "");
  EXPECT_EQ(unnamed.document.url, "http://u/");
}

TEST(DocumentCodec, an_id_is_never_cut) {
  const std::string longest(kIdBytesMax, 'i');
  const auto with_id = [](const std::string& id) { return R"({"id":")" + id + R"(","text":"t"})"; };
  EXPECT_EQ(decode_json(with_id(longest)).document.id, longest);
  const Outcome too_long = decode_json(with_id(longest + "i"));
  EXPECT_EQ(too_long.verdict(), "id_too_long");
  EXPECT_EQ(too_long.document.id, "");
}

TEST(DocumentCodec, a_url_too_long_is_unknown) {
  const std::string longest(kUrlBytesMax, 'u');
  const auto with_url = [](const std::string& url) { return R"({"url":")" + url + R"(","text":"t"})"; };
  EXPECT_EQ(decode_json(with_url(longest)).document.url, longest);
  const Outcome dropped = decode_json(with_url(longest + "u"));
  EXPECT_EQ(dropped.verdict(), "a document");
  EXPECT_EQ(dropped.document.url, "");
}

TEST(DocumentCodec, the_time_of_the_record_stands_in) {
  Record record;
  record.key = "k";
  record.value = R"({"text":"t","time":"yesterday"})";
  record.timestamp_ms = 1714566645123;
  EXPECT_EQ(decode(InputConfig{}, record).document.event_time_ms, 1714566645123);
  record.value = R"({"text":"t","time":0.0001})";
  EXPECT_EQ(decode(InputConfig{}, record).document.event_time_ms, 1714566645123) << "which comes to no time";
  for (const std::int64_t senseless : {std::int64_t{-1}, std::int64_t{1} << 62}) {
    record.timestamp_ms = senseless;
    EXPECT_EQ(decode(InputConfig{}, record).document.event_time_ms, 0);
  }
}

TEST(DocumentCodec, of_two_equal_keys_the_first_counts) {
  EXPECT_EQ(decode_json(R"({"text":"first","text":"second"})").document.body, "first");
}

TEST(DocumentCodec, pointers_reach_into_objects_and_arrays) {
  InputConfig input;
  input.fields.text = {"/pages/1/a~1b/c~0d"};
  EXPECT_EQ(decode(input, R"({"id":1,"pages":[0,{"a/b":{"c~d":"deep"}}]})").document.body, "deep");
}

TEST(DocumentCodec, a_text_in_parts_is_all_of_them) {
  EXPECT_EQ(decode_json(R"({"text":["Berlin, 4 May.","The mayor \"resigned\"."]})").document.body,
            "Berlin, 4 May.\nThe mayor \"resigned\".");
  EXPECT_EQ(decode_json(R"({"text":["", " ", "words"],"html":"page"})").document.body, "\n \nwords");
  EXPECT_EQ(decode_json(R"({"text":["", " "],"html":["<p>a</p>","<p>b</p>"]})").document.body,
            "<p>a</p>\n<p>b</p>");
  EXPECT_EQ(decode_json(R"({"text":["", " "]})").document.body, "");
  EXPECT_EQ(decode_json(R"({"id":["one","two"],"text":"words"})").document.id, "one") << "of names the first";
  InputConfig input;
  input.base64 = "auto";
  EXPECT_EQ(decode(input, R"({"id":1,"text":["Zwei Wörter","und mehr"]})").document.body,
            "Zwei Wörter\nund mehr");
  EXPECT_EQ(decode(input, R"({"id":1,"text":["RGllIFNlaXRlIGlzdCB","kYS4="]})").document.body,
            "Die Seite ist da.")
      << "lines of one base64";
}

TEST(DocumentCodec, a_null_value_and_a_null_key_are_data) {
  Record record;
  const Outcome nothing = decode(InputConfig{}, record);
  EXPECT_EQ(nothing.verdict(), "null_value");
  EXPECT_EQ(nothing.document.id, "");
  record.key = "k";
  EXPECT_EQ(decode(InputConfig{}, record).document.id, "k");
  EXPECT_EQ(decode_json(R"({"text":"t"})", std::nullopt).verdict(), "missing_id");
}

TEST(DocumentCodec, a_record_too_large_is_not_even_read) {
  InputConfig input;
  input.document_bytes_max = 1024;
  std::string value = R"({"text":"t"})";
  value.resize(1024, ' ');
  EXPECT_EQ(decode(input, value, "k").verdict(), "a document");
  value.push_back(' ');
  const Outcome large = decode(input, value, "k");
  EXPECT_EQ(large.verdict(), "too_large");
  EXPECT_EQ(large.document.id, "k");
}

TEST(DocumentCodec, a_record_with_too_many_headers_is_too_large) {
  Record record;
  record.key = "k";
  record.value = R"({"text":"t"})";
  EXPECT_EQ(decode({}, record).verdict(), "a document");
  record.has_too_many_headers = true;
  EXPECT_EQ(decode({}, record).verdict(), "too_large");
}

TEST(DocumentCodec, what_is_not_one_json_object_is_refused) {
  const std::string utf16 = std::string("\xFF\xFE{\0\"\0}\0", 8);
  const std::string zero_inside("{\"text\":\"a\0b\"}", 14);
  const std::string zero_after("{\"text\":\"t\"}\0", 13);
  for (const std::string_view bad : {std::string_view(""),
                                     std::string_view(" \n"),
                                     std::string_view("plain words"),
                                     std::string_view("null"),
                                     std::string_view("[]"),
                                     std::string_view("\"text\""),
                                     std::string_view("7"),
                                     std::string_view(R"({"text":"t")"),
                                     std::string_view(R"({"text":"t)"),
                                     std::string_view(R"({"text":"t"}})"),
                                     std::string_view(R"({"text":"t"} {"text":"t"})"),
                                     std::string_view(R"({"text":"t"}x)"),
                                     std::string_view(R"({"text":"t",})"),
                                     std::string_view(R"({'text':'t'})"),
                                     std::string_view(R"({"text":"\q"})"),
                                     std::string_view(R"({"text":"t","n":nan})"),
                                     std::string_view(R"({"text":"t","n":-NaN})"),
                                     std::string_view(R"({"text":"t","n":Infinit})"),
                                     std::string_view(R"({"text":"t","n":-Infinity7})"),
                                     std::string_view(R"({"text":"t","n":-I)"),
                                     std::string_view(R"({"text":"t","n":01})"),
                                     std::string_view("{\"text\":\"tab\tinside\"}"),
                                     std::string_view("{\"text\":\"\xC3\"}"),
                                     std::string_view("{\"text\":\"\xC0\xAF\"}"),
                                     std::string_view("{\"text\":\"\xED\xA0\x80\"}"),
                                     std::string_view(utf16),
                                     std::string_view(zero_inside),
                                     std::string_view(zero_after)}) {
    const Outcome got = decode_json(bad);
    EXPECT_EQ(got.verdict(), "not_json") << bad;
    EXPECT_EQ(got.document.id, "key-1");
  }
}

TEST(DocumentCodec, every_prefix_of_a_record_is_refused) {
  const std::string whole = R"({"id":"a","n":[1,2.5,true,null],"text":"caf\u00e9 é"})";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(decode_json(whole.substr(0, size)).verdict(), "not_json") << size;
  }
  EXPECT_EQ(decode_json(whole).verdict(), "a document");
}

TEST(DocumentCodec, what_python_writes_for_no_number_costs_no_page) {
  const Outcome got =
      decode_json(R"({"id":NaN,"score":[NaN,-Infinity,Infinity],"text":"t","time":-Infinity})");
  EXPECT_EQ(got.verdict(), "a document");
  EXPECT_EQ(got.document.body, "t");
  EXPECT_EQ(got.document.id, "key-1") << "no number names a document that is none";
}

TEST(DocumentCodec, a_byte_order_mark_is_forgiven) {
  EXPECT_EQ(decode_json("\xEF\xBB\xBF{\"text\":\"t\"}").document.body, "t");
}

TEST(DocumentCodec, nesting_is_bounded) {
  const auto nested = [](int depth) {
    const auto count = static_cast<std::size_t>(depth);
    return R"({"text":"t","deep":)" + std::string(count, '[') + std::string(count, ']') + "}";
  };
  EXPECT_EQ(decode_json(nested(kJsonDepthMax - 2)).verdict(), "a document");
  EXPECT_EQ(decode_json(nested(kJsonDepthMax)).verdict(), "too_deep");
  EXPECT_EQ(decode_json(nested(100'000)).verdict(), "too_deep");
  EXPECT_EQ(decode_json(R"({"text":"t","deep":)" + std::string(100'000, '[')).verdict(), "not_json")
      << "an object that never ends is none";
}

TEST(DocumentCodec, a_wrong_type_is_a_missing_text) {
  for (const std::string_view value : {R"({})", R"({"text":null})", R"({"text":7})", R"({"text":{"a":"b"}})",
                                       R"({"text":[[["t"]]]})", R"({"text":[]})", R"({"text":true})"}) {
    const Outcome got = decode_json(value);
    EXPECT_EQ(got.verdict(), "missing_text") << value;
    EXPECT_EQ(got.document.id, "key-1");
  }
}

TEST(DocumentCodec, numbers_of_any_size_in_a_field_nobody_asked_for_cost_nothing) {
  for (const std::string_view number :
       {"1e308", "1e309", "-1e999", "123456789012345678901234567890", "1e-999"}) {
    const std::string value = R"({"text":"t","n":)" + std::string(number) + "}";
    EXPECT_EQ(decode_json(value).verdict(), "a document") << number;
  }
}

TEST(DocumentCodec, a_lone_surrogate_escape_is_replaced) {
  EXPECT_EQ(decode_json(R"({"text":"a\ud83d b\ude00"})").document.body, "a\uFFFD b\uFFFD");
}

TEST(DocumentCodec, escapes_only_and_a_zero_are_text) {
  std::string value = R"({"text":")";
  for (int i = 0; i < 10'000; ++i) value += R"(\u0041)";
  value += R"(\u0000"})";
  const Outcome got = decode_json(value);
  EXPECT_EQ(got.verdict(), "a document");
  EXPECT_EQ(got.document.body, std::string(10'000, 'A') + '\0');
}

// The page is read over the body that the document had: longer, shorter, another page of the same record.
TEST(DocumentCodec, one_document_for_many_records_has_nothing_of_those_before) {
  const std::string long_text(3000, 'x');
  const std::vector<std::pair<std::string, std::string>> records = {
      {R"({"id":1,"text":"one\ntwo"})", "one\ntwo"},
      {R"({"id":1,"text":")" + long_text + R"("})", long_text},
      {R"({"id":1,"text":"short"})", "short"},
      {R"({"id":1,"html":")" + long_text + R"(","text":"the text"})", "the text"},
      {R"({"id":1,"text":"","html":"<p>the page"})", "<p>the page"},
      {R"({"id":1,"html":"<p>a page \u00e9","text":""})", "<p>a page \u00e9"},
      {R"({"id":1,"text":""})", ""},
      {R"({"id":1,"html":"<p>a page","text":"\n"})", "<p>a page"},
      {R"({"id":1,"text":")" + long_text + R"(","html":"<p>"})", long_text},
  };
  const std::string unfinished = R"({"id":1,"text":")" + long_text;
  DocumentCodec codec(resolve_preset(InputConfig{}), InputConfig{});
  Document document;
  for (int round = 0; round < 2; ++round) {
    for (const auto& [value, body] : records) {
      Record record;
      record.value = value;
      ASSERT_EQ(codec.decode(record, document), std::nullopt) << value;
      EXPECT_EQ(document.body, body) << value;
      record.value = unfinished;
      ASSERT_EQ(codec.decode(record, document), RejectReason::kNotJson);
      EXPECT_EQ(document.body, "") << "behind " << value;
    }
  }
}

TEST(DocumentCodec, a_long_string_and_a_million_keys_are_read_and_their_memory_is_given_back) {
  InputConfig input;
  input.document_bytes_max = kDocumentBytesMax;
  DocumentCodec codec(resolve_preset(input), input);
  Document document;
  Record record;
  record.key = "k";

  std::string long_string = R"({"text":")";
  long_string.append(10'000'000, 'x');
  long_string += "\"}";
  record.value = long_string;
  EXPECT_EQ(codec.decode(record, document), std::nullopt);
  EXPECT_EQ(document.body.size(), 10'000'000U);

  std::string many_keys = "{";
  for (int i = 0; i < 1'000'000; ++i) many_keys += "\"k" + std::to_string(i) + "\":0,";
  many_keys += R"("text":"t"})";
  record.value = many_keys;
  EXPECT_EQ(codec.decode(record, document), std::nullopt);
  EXPECT_EQ(document.body, "t");

  record.value = R"({"text":"small again"})";
  EXPECT_EQ(codec.decode(record, document), std::nullopt);
  EXPECT_EQ(document.body, "small again");
}

TEST(DocumentCodec, base64_always_refuses_what_does_not_decode) {
  InputConfig input;
  input.base64 = "always";
  EXPECT_EQ(decode(input, R"({"text":"Z3LDvG4="})", "k").document.body, "grün");
  const Outcome got = decode(input, R"({"text":"grün!"})", "k");
  EXPECT_EQ(got.verdict(), "invalid_base64");
  EXPECT_EQ(got.document.id, "k");
  EXPECT_EQ(got.document.body, "");
}

TEST(DocumentCodec, a_page_may_be_packed_with_gzip) {
  const std::string page = "<html><meta charset=gbk>\xD6\xD0\xB9\xFA and many words, many words, many words";
  const std::string expected = "<html><meta charset=gbk>中国 and many words, many words, many words";
  const std::string packed = gzip_of(page);
  const Outcome raw = decode(of_preset("raw"), packed, "http://a/");
  EXPECT_EQ(raw.document.body, expected);
  EXPECT_EQ(raw.document.format, Document::Format::kHtml);
  const std::string record = R"({"url":"http://a/","body":")" + encode_base64(packed) + "\"}";
  EXPECT_EQ(decode(of_preset("scrapy-cluster"), record).document.body, expected);
  InputConfig always;
  always.base64 = "always";
  EXPECT_EQ(decode(always, record).document.body, expected);

  EXPECT_EQ(decode(of_preset("raw"), packed.substr(0, 40), "k").verdict(), "not_text");
  EXPECT_EQ(decode(of_preset("raw"), gzip_of(packed), "k").verdict(), "not_text") << "once";
  EXPECT_EQ(decode(of_preset("raw"), zstd_of(page), "k").document.body,
            decode(of_preset("raw"), packed, "k").document.body);
  InputConfig small = of_preset("raw");
  small.document_bytes_max = 4096;
  EXPECT_EQ(decode(small, gzip_of(std::string(4096, 'x')), "k").verdict(), "a document");
  EXPECT_EQ(decode(small, gzip_of(std::string(4097, 'x')), "k").verdict(), "too_large");
}

TEST(DocumentCodec, a_page_may_stand_behind_the_headers_that_it_came_with) {
  const std::string head =
      "HTTP/1.1 200 OK\r\nDate: Mon, 01 Jan 2026 00:00:00 GMT\r\nContent-Type: text/html; charset=gbk\r\n";
  const std::string page = "<p>\xD6\xD0\xB9\xFA</p><p>words</p>";
  const Outcome raw = decode(of_preset("raw"), head + "\r\n" + page, "http://a/");
  EXPECT_EQ(raw.document.body, "<p>中国</p><p>words</p>");
  EXPECT_EQ(raw.document.format, Document::Format::kHtml);
  const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n5\r\n" + page.substr(0, 5) + "\r\n" +
                              "12\r\n" + page.substr(5) + "\r\n0\r\n\r\n";
  ASSERT_EQ(page.size(), 5U + 0x12U);
  EXPECT_EQ(decode(of_preset("raw"), chunked, "k").document.body, raw.document.body);
  EXPECT_EQ(
      decode(of_preset("raw"), head + "Content-Encoding: gzip\r\n\r\n" + gzip_of(page), "k").document.body,
      raw.document.body);
  for (const auto& [coding, body] : {std::pair("br", brotli_of(page)),
                                     {"zstd", zstd_of(page)},
                                     {"deflate", deflate_of(page)},
                                     {"deflate", bare_deflate_of(page)}}) {
    const std::string response = head + "Content-Encoding: " + coding + "\r\n\r\n" + body;
    EXPECT_EQ(decode(of_preset("raw"), response, "k").document.body, raw.document.body) << coding;
    EXPECT_EQ(decode(of_preset("raw"), response + "\xFF", "k").verdict() == "a document",
              std::string_view(coding) == "zstd")
        << coding << ": what it is packed by has no first bytes, so all must fit";
  }
  for (const std::string coding : {"br", "deflate", "utf-8", "none"}) {
    EXPECT_EQ(
        decode(of_preset("raw"), head + "Content-Encoding: " + coding + "\r\n\r\n" + page, "k").document.body,
        raw.document.body)
        << coding << ": it was unpacked before it was stored, if ever it was packed";
  }
  InputConfig small = of_preset("raw");
  small.document_bytes_max = 4096;
  const std::string bomb =
      "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n" + brotli_of(std::string(4097, 'x'));
  EXPECT_EQ(decode(small, bomb, "k").verdict(), "too_large");
  EXPECT_EQ(decode(of_preset("raw"), head + "Content-Encoding: sdch\r\n\r\n\xFF\x02\x80", "k").verdict(),
            "not_text");
  const auto packed_in = [&](const std::string& codings, const std::string& body) {
    const Outcome outcome =
        decode(of_preset("raw"), head + "Content-Encoding: " + codings + "\r\n\r\n" + body, "k");
    return outcome.reason ? std::string(outcome.verdict()) : outcome.document.body;
  };
  const std::string gzip = gzip_of(page);
  const std::string& wanted = raw.document.body;
  EXPECT_EQ(packed_in("gzip, gzip", gzip_of(gzip)), wanted);
  EXPECT_EQ(packed_in("gzip\r\nContent-Encoding: gzip", gzip_of(gzip)), wanted);
  EXPECT_EQ(packed_in("gzip, gzip", gzip), wanted) << "says so twice, and is once";
  EXPECT_EQ(packed_in("gzip, gzip", page), wanted) << "unpacked before it was stored";
  EXPECT_EQ(packed_in("br, gzip", gzip_of(brotli_of(page))), wanted);
  EXPECT_EQ(packed_in("gzip, br", brotli_of(gzip)), wanted);
  EXPECT_EQ(packed_in("br, gzip", brotli_of(page)), wanted) << "in part";
  EXPECT_EQ(packed_in("zstd, gzip, br, deflate", deflate_of(brotli_of(gzip_of(zstd_of(page))))), wanted);
  EXPECT_EQ(packed_in("deflate, gzip, br", brotli_of(deflate_of(page))), wanted)
      << "one of them is not there";
  EXPECT_EQ(packed_in("gzip, gzip, gzip, gzip, gzip", gzip_of(gzip_of(gzip_of(gzip_of(gzip))))), "not_text");
  EXPECT_EQ(packed_in("gzip", gzip_of(gzip)), "not_text") << "once is said";
  EXPECT_EQ(packed_in("sdch, gzip", gzip_of("\xFF\x02\x80")), "not_text");
  EXPECT_EQ(decode(of_preset("raw"), head + "Content-Encoding: br\r\n\r\nwords", "k").document.body, "words")
      << "unpacked before it was stored";
  EXPECT_EQ(decode(of_preset("raw"), head + "\r\n%PDF-1.4\n%\xE2\xE3\xCF\xD3\n", "k").verdict(), "not_text");
  EXPECT_EQ(decode(of_preset("raw"), head + "\r\n", "k").document.body, "");
  // As a record of a .warc.gz holds it.
  const std::string packed = gzip_of("WARC/1.1\r\nWARC-Type: response\r\n\r\n" + head +
                                     "Content-Encoding: gzip\r\n\r\n" + gzip_of(page));
  EXPECT_EQ(decode(of_preset("raw"), packed, "k").document.body, raw.document.body);

  InputConfig input;
  input.base64 = "auto";
  EXPECT_EQ(decode(input, R"({"html":")" + encode_base64(head + "\r\n" + page) + "\"}", "k").document.body,
            raw.document.body);
  // Unicode already, whatever the headers say.
  const Outcome text =
      decode_json(R"({"id":"a","text":"HTTP/2 200\r\ncontent-type: text/plain; charset=gbk\r\n\r\n中国"})");
  EXPECT_EQ(text.document.body, "中国");
  EXPECT_EQ(decode_json(R"({"id":"a","text":"HTTP/1.1 200 OK is a status line"})").document.body,
            "HTTP/1.1 200 OK is a status line");
}

TEST(DocumentCodec, a_content_type_says_what_a_name_only_suggests) {
  using Format = Document::Format;
  const auto format = [](const std::string& type, const std::string& key, const std::string& body) {
    return decode(of_preset("raw"), "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\n\r\n" + body, key)
        .document.format;
  };
  EXPECT_EQ(format("text/html", "http://a/", "words <i>alone</i>"), Format::kHtml);
  EXPECT_EQ(format("Application/XHTML+xml; charset=utf-8", "http://a/", "words"), Format::kHtml);
  EXPECT_EQ(format("text/plain", "http://a/b.html", "words"), Format::kText) << "of a WET file";
  EXPECT_EQ(format("text/plain;charset=utf-8", "http://a/b", "<!doctype html><p>words"), Format::kHtml);
  EXPECT_EQ(format("application/octet-stream", "http://a/b.html", "words"), Format::kHtml);
  EXPECT_EQ(format("", "http://a/b.html.gz", "words"), Format::kHtml);
  EXPECT_EQ(format("", "http://a/b", "words"), Format::kText);
  for (const char* const type :
       {"image/svg+xml", "Text/CSS", "application/javascript; charset=utf-8", "font/woff"}) {
    const std::string head = std::string("HTTP/1.1 200 OK\r\nContent-Type: ") + type + "\r\n\r\n";
    EXPECT_EQ(decode(of_preset("raw"), head + "words", "http://a/").verdict(), "not_text") << type;
  }
  Record record;
  const std::array<Header, 1> headers = {{{"Content-Type", "text/html"}}};
  record.headers = headers;
  record.key = "http://a/";
  record.value = "words <i>alone</i>";
  DocumentCodec codec(resolve_preset(of_preset("raw")), of_preset("raw"));
  Document document;
  EXPECT_FALSE(codec.decode(record, document));
  EXPECT_EQ(document.format, Format::kHtml);
}

TEST(DocumentCodec, files_of_other_kinds_are_no_text_wherever_they_stand) {
  const std::string pdf = "%PDF-1.4\n%\xE2\xE3\xCF\xD3\n1 0 obj<</Type/Catalog>>endobj";
  const Outcome raw = decode(of_preset("raw"), pdf, "http://a/b.pdf");
  EXPECT_EQ(raw.verdict(), "not_text");
  EXPECT_EQ(raw.document.id, "http://a/b.pdf");
  EXPECT_EQ(raw.document.body, "");
  const std::string wrapped = R"({"url":"http://a/b.pdf","body":")" + encode_base64(pdf) + "\"}";
  const Outcome got = decode(of_preset("scrapy-cluster"), wrapped);
  EXPECT_EQ(got.verdict(), "not_text") << "its base64 is no text either";
  EXPECT_EQ(got.document.url, "http://a/b.pdf");
  EXPECT_EQ(decode(of_preset("raw"), gzip_of(pdf), "k").verdict(), "not_text");
  // A producer that took the bytes for text.
  const std::string read_as_text = R"({"text":"%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n1 0 obj"})";
  EXPECT_EQ(decode_json(read_as_text).verdict(), "not_text");
  EXPECT_EQ(decode_json(R"({"html":"\ufffdPNG\r\n\u001a\n\u0000"})").verdict(), "not_text");
  EXPECT_EQ(decode_json(R"({"text":"%PDF-1.4 is how a PDF begins"})").verdict(), "a document");
}

TEST(DocumentCodec, base64_auto_leaves_plain_words_alone) {
  InputConfig input;
  input.base64 = "auto";
  const auto body = [&](const std::string& text) {
    return decode(input, R"({"text":")" + text + "\"}", "k").document.body;
  };
  EXPECT_EQ(body("page"), "page") << "which is base64 of three senseless bytes";
  EXPECT_EQ(body("Internationalization"), "Internationalization");
  EXPECT_EQ(body("binding"), "binding") << "which is UTF-8: \"n)\", a mark of Syriac, \"x\"";
  EXPECT_EQ(body("two words"), "two words");
  EXPECT_EQ(body("Z3LDvG4="), "grün");
  EXPECT_EQ(body("ZWluIGdyw7xuZXMgV29ydA"), "ein grünes Wort") << "without padding";
  // <html>, a meta, and a character of GBK: not UTF-8, yet plainly a page.
  EXPECT_EQ(body("PGh0bWw+PG1ldGEgY2hhcnNldD1nYms+1tA="), "<html><meta charset=gbk>中");
}

std::string utf16_of(std::u16string_view text) {
  std::string bytes;
  for (const char16_t unit : text) (bytes += static_cast<char>(unit & 0xFF)) += static_cast<char>(unit >> 8);
  return bytes;
}

TEST(DocumentCodec, utf_16_without_a_mark_is_read_or_is_no_text) {
  const std::string hello = utf16_of(u"Hello world");
  const std::string chinese =
      utf16_of(u"委员会周二开会讨论预算，没有人对结果感到满意。下周他们将再次开会，讨论同样的问题。");
  EXPECT_EQ(decode(of_preset("raw"), hello, "k").document.body, "Hello world");
  EXPECT_EQ(decode(of_preset("raw"), chinese, "k").verdict(), "not_text") << "nothing says what it is";
  EXPECT_EQ(decode(of_preset("raw"), std::string("\xFF\xFE") + chinese, "k").document.body.substr(0, 9),
            "委员会");
  const std::string told = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-16\r\n\r\n";
  EXPECT_EQ(decode(of_preset("raw"), told + chinese, "k").document.body.substr(0, 9), "委员会");
  InputConfig input;
  input.base64 = "auto";
  const auto text = [&](const std::string& bytes, const std::string& fields) {
    return decode(input, R"({"id":"a",)" + fields + R"("text":")" + encode_base64(bytes) + "\"}", "k")
        .document.body;
  };
  EXPECT_EQ(text(hello, ""), "Hello world");
  EXPECT_EQ(text(utf16_of(u"page"), ""), encode_base64(utf16_of(u"page"))) << "by accident, for all we know";
  std::string much;
  for (int i = 0; i < 10; ++i) much += chinese;
  EXPECT_EQ(text(much, R"("encoding":"utf-16le",)").substr(0, 9), "委员会");
}

TEST(DocumentCodec, base64_auto_knows_a_page_in_any_charset_by_its_markup) {
  const std::string china = "\xD6\xD0\xB9\xFA";  // of GBK, no UTF-8
  const auto body = [](const std::string& text, const std::string& encoding) {
    return decode(of_preset("scrapy-cluster"),
                  R"({"url":"http://a/","body":")" + text + R"(","encoding":")" + encoding + "\"}")
        .document.body;
  };
  for (const std::string opening :
       {"<!-- saved --><html><body>", "\n <!-- a --> <!-- b -->\n<HTML>", "<!-- nothing but a comment -->",
        "<!--><p>", "<meta charset=gbk>", "<script>x()</script>", "<TABLE\tborder=0>", "<title>", "<br/>"}) {
    const std::string page = encode_base64(opening + china);
    EXPECT_TRUE(body(page, "gb18030").starts_with(opening + "中国")) << opening;
    EXPECT_TRUE(body(page, "utf-8").starts_with(opening)) << opening;
  }
  for (const std::string opening : {"<x>", "<tablet>", "<- ", "1 < 2 > 1 ", "<p", "<table "}) {
    const std::string words = encode_base64(opening + china);
    EXPECT_EQ(body(words, "gb18030"), words) << opening;
  }
}

TEST(DocumentCodec, base64_auto_believes_a_charset_where_bytes_are_many_and_have_no_controls) {
  InputConfig input;
  input.base64 = "auto";
  const auto body = [&](const std::string& text, const std::string& fields) {
    return decode(input, R"({"text":")" + text + "\"" + fields + "}", "k").document.body;
  };
  std::string words;
  for (int i = 0; i < 64; ++i) words += "\xD6\xD0\xB9\xFA";
  EXPECT_TRUE(body(encode_base64(words), R"(,"charset":"gbk")").starts_with("中国中国"));
  EXPECT_EQ(body(encode_base64(words), ""), encode_base64(words)) << "nobody says that it is in a charset";
  EXPECT_EQ(body(encode_base64(words + '\x01'), R"(,"charset":"gbk")"), encode_base64(words + '\x01'));
  const std::string few = encode_base64(words.substr(0, 200));
  EXPECT_EQ(body(few, R"(,"charset":"gbk")"), few);
  // Which all are base64, and of which windows-1252 would make characters.
  for (const std::string plain : {"page", "Internationalization", "Straits/Settlements+"}) {
    EXPECT_EQ(body(plain, R"(,"charset":"windows-1252")"), plain);
  }
}

TEST(DocumentCodec, raw_takes_the_value_for_the_page_and_the_key_for_its_name) {
  const Outcome text = decode(of_preset("raw"), "plain \xFF words", "http://a/");
  EXPECT_EQ(text.verdict(), "a document");
  EXPECT_EQ(text.document.id, "http://a/");
  EXPECT_EQ(text.document.url, "http://a/");
  EXPECT_EQ(text.document.body, "plain ÿ words") << "which is windows-1252";
  EXPECT_EQ(text.document.format, Document::Format::kText);
  EXPECT_EQ(decode(of_preset("raw"), "<html>", "a").document.format, Document::Format::kHtml);
  EXPECT_EQ(decode(of_preset("raw"), "a<br>b", "dir/a.HTM").document.format, Document::Format::kHtml);
  EXPECT_EQ(decode(of_preset("raw"), "<meta charset=gbk>\n<title>\xD6\xD0</title>", "a").document.format,
            Document::Format::kHtml);
  EXPECT_EQ(decode(of_preset("raw"), "x").verdict(), "missing_id");
  EXPECT_EQ(decode(of_preset("raw"), "x", std::string(kIdBytesMax + 1, 'k')).verdict(), "id_too_long");
}

TEST(DocumentCodec, a_body_out_of_base64_is_in_the_charset_that_the_record_names) {
  InputConfig input;
  input.base64 = "always";
  const auto body = [&](const std::string& fields) {
    return decode(input, R"({"text":"1tDOxA==",)" + fields + "}", "k").document.body;
  };
  EXPECT_EQ(body(R"("charset":"GBK")"), "中文");
  EXPECT_EQ(body(R"("charset":"none that is known","encoding":"gb18030")"), "中文");
  EXPECT_EQ(body(R"("headers":{"Content-Type":["text/html; charset=gb2312"]})"), "中文");
  EXPECT_EQ(body(R"("headers":{"content-type":"text/html; charset=gb2312"})"), "中文");
  EXPECT_EQ(body(R"("encoding":"cp936")"), "中文");
  input.fields.charset = {"/meta/enc"};
  EXPECT_EQ(body(R"("meta":{"enc":"big5"},"charset":"gbk")"), "笢恅");
}

TEST(DocumentCodec, a_json_string_has_no_charset) {
  EXPECT_EQ(decode_json(R"({"text":"caf\u00c3\u00a9","charset":"windows-1252"})").document.body, "cafÃ©");
  EXPECT_EQ(decode_json("{\"html\":\"<meta charset=gbk>caf\xC3\xA9\"}").document.body,
            "<meta charset=gbk>café");
}

TEST(DocumentCodec, a_raw_page_is_in_the_charset_of_its_header_or_of_itself) {
  Record record;
  record.key = "http://a/";
  record.value = "\xA4\xA4\xA4\xE5";
  const std::array<Header, 2> headers = {{{"x", std::nullopt}, {"Content-Type", "text/plain; charset=Big5"}}};
  record.headers = headers;
  EXPECT_EQ(decode(of_preset("raw"), record).document.body, "中文");
  record.headers = {};
  record.value = "<html><meta charset=big5>\xA4\xA4\xA4\xE5";
  EXPECT_EQ(decode(of_preset("raw"), record).document.body, "<html><meta charset=big5>中文");
  record.value = std::string_view("\xFF\xFE<\0h\0t\0m\0l\0>\0-N", 16);
  EXPECT_EQ(decode(of_preset("raw"), record).document.body, "<html>中");
  EXPECT_EQ(decode(of_preset("raw"), record).document.format, Document::Format::kHtml);
}

TEST(DocumentCodec, a_body_that_its_charset_makes_too_large_is_refused) {
  InputConfig input = of_preset("raw");
  input.document_bytes_max = 1024;
  Record record;
  record.key = "k";
  const std::string thai(600, '\xA1');
  record.value = thai;
  const std::array<Header, 1> headers = {{{"content-type", "text/plain; charset=tis-620"}}};
  record.headers = headers;
  const Outcome got = decode(input, record);
  EXPECT_EQ(got.verdict(), "too_large");
  EXPECT_EQ(got.document.id, "k");
  EXPECT_EQ(got.document.body, "");
}

TEST(DocumentCodec, golden_json_of_a_generic_crawler) {
  const Outcome got = decode_json(golden("json.json"), std::nullopt);
  EXPECT_EQ(got.verdict(), "a document");
  EXPECT_EQ(got.document.id, "doc-17");
  EXPECT_EQ(got.document.url, "https://example.org/a?b=c");
  EXPECT_EQ(got.document.body, "北京 news — “quoted” 😀");
  EXPECT_EQ(got.document.event_time_ms, 1714566645123);
}

TEST(DocumentCodec, golden_nutch_sends_every_field_as_an_array) {
  const Outcome got = decode_json(golden("nutch.json"), std::nullopt);
  EXPECT_EQ(got.verdict(), "a document");
  EXPECT_EQ(got.document.id, "http://example.org/page.html");
  EXPECT_EQ(got.document.url, "http://example.org/page.html");
  EXPECT_EQ(got.document.body, "The extracted words of the page");
  EXPECT_EQ(got.document.event_time_ms, 1714566645123);
}

TEST(DocumentCodec, golden_ache_wraps_its_pages_in_base64) {
  InputConfig input;
  input.base64 = "auto";
  const Outcome got = decode(input, golden("ache.json"));
  EXPECT_EQ(got.verdict(), "a document");
  EXPECT_EQ(got.document.id, "http://example.org/");
  EXPECT_EQ(got.document.body, "<html><body><p>Hello, crawl</p></body></html>");
  EXPECT_EQ(got.document.format, Document::Format::kHtml);
  EXPECT_EQ(got.document.event_time_ms, 1714566645123);
}

TEST(DocumentCodec, golden_heritrix_log_points_to_contents_by_their_digests) {
  const Outcome got = decode(of_preset("heritrix"), golden("heritrix.json"));
  EXPECT_EQ(got.verdict(), "a document");
  EXPECT_EQ(got.document.id, "http://example.org/page.html");
  EXPECT_EQ(got.document.url, "http://example.org/page.html");
  EXPECT_EQ(got.document.body, "sha1:2HBVXV7ZWYN5T2QMGMBT4DCDKJHGJ3BV");
  EXPECT_EQ(got.document.format, Document::Format::kDigest);
  EXPECT_EQ(got.document.event_time_ms, 1714566645123);
}

TEST(DocumentCodec, a_digest_counts_where_there_is_neither_text_nor_html) {
  InputConfig input;
  input.fields.digest = {"/sha1", "/md5"};
  const Outcome alone = decode(input, R"({"text":"","md5":"a\/b"})", "k");
  EXPECT_EQ(alone.verdict(), "a document");
  EXPECT_EQ(alone.document.body, "a/b");
  EXPECT_EQ(alone.document.format, Document::Format::kDigest);
  const Outcome both = decode(input, R"({"sha1":"x","html":"words"})", "k");
  EXPECT_EQ(both.document.body, "words");
  EXPECT_EQ(both.document.format, Document::Format::kHtml);
  EXPECT_EQ(decode(input, R"({"sha1":17,"md5":""})", "k").verdict(), "missing_text");
  EXPECT_EQ(decode_json(R"({"sha1":"x"})").verdict(), "missing_text") << "nobody asked for it";
}

TEST(DocumentCodec, golden_scrapy_cluster_plain_and_in_base64_is_the_same_page) {
  const Outcome plain = decode(of_preset("scrapy-cluster"), golden("scrapy_cluster.json"));
  EXPECT_EQ(plain.verdict(), "a document");
  EXPECT_EQ(plain.document.id, "https://example.org/final") << "appid and crawlid name no page";
  EXPECT_EQ(plain.document.url, "https://example.org/final");
  EXPECT_EQ(plain.document.body, "<html><body><p>Hello, cluster</p></body></html>");
  EXPECT_EQ(plain.document.format, Document::Format::kHtml);
  EXPECT_EQ(plain.document.event_time_ms, 1714566645123) << "a time without a zone is UTC";

  const Outcome wrapped = decode(of_preset("scrapy-cluster"), golden("scrapy_cluster_base64.json"));
  EXPECT_EQ(wrapped.verdict(), "a document");
  EXPECT_EQ(wrapped.document.body, plain.document.body);
  EXPECT_EQ(wrapped.document.id, plain.document.id);
}

TEST(DocumentCodec, golden_scrapy_cluster_failure_notice_is_the_producers_error) {
  EXPECT_EQ(decode(of_preset("scrapy-cluster"), golden("scrapy_cluster_failure.txt")).verdict(),
            "producer_error");
  EXPECT_EQ(decode(of_preset("scrapy-cluster"), "\"json failed to parse\"").verdict(), "producer_error");
  EXPECT_EQ(decode_json("json failed to parse").verdict(), "not_json") << "only where the preset knows it";
}

}  // namespace
}  // namespace neardup
