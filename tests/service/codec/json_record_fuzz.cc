// Hostile bytes as a record: a document or a reject, the same strings as nlohmann's reader finds, and the
// same from every tier of vector instructions.
#include <simdjson.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "core/base/isa.h"
#include "core/limits.h"
#include "service/codec/base64.h"
#include "service/codec/document_codec.h"
#include "service/codec/json_fields.h"
#include "service/codec/json_string.h"
#include "tests/reference/plain_json.h"

namespace neardup {
namespace {

DocumentCodec make_codec(std::string_view preset, std::string_view base64) {
  InputConfig input;
  input.preset = preset;
  input.base64 = base64;
  return {resolve_preset(input), input};
}

void check_document(std::string_view value, DocumentCodec& codec) {
  Document document;
  Record record;
  record.key = "key";
  record.value = value;
  const auto reason = codec.decode(record, document);
  CHECK(document.id.size() <= kIdBytesMax && document.url.size() <= kUrlBytesMax, "limits.h promises it");
  CHECK(!reason || document.body.empty(), "what is rejected has no body");
  CHECK(simdjson::validate_utf8(document.body.data(), document.body.size()), "a body is UTF-8");
}

void check_fields(std::string_view value) {
  static const std::vector<std::string> pointers = {"/text", "/a/b", "/a/0"};
  static JsonFields fields(pointers, {0, pointers.size()});
  static std::string room;
  const auto reason = fields.read(value, &room);
  int depth = 0;
  const auto twin = reference::PlainJson::read(value, depth);
  if (!twin || value.starts_with("\xEF\xBB\xBF")) return;  // nlohmann forgives the mark, and refuses more
  const bool is_record = twin->kind == reference::PlainJson::Kind::kObject;
  CHECK(reason.has_value() == (!is_record || depth > kJsonDepthMax), "accepted or refused as by nlohmann");
  if (reason) return;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const reference::PlainJson* const expected = twin->at(pointers[i]);
    CHECK((expected == nullptr) == (fields[i].kind == JsonField::Kind::kAbsent), "found or not");
    if (expected == nullptr || expected->kind != reference::PlainJson::Kind::kString) continue;
    std::string said(fields[i].raw.size() + kUnescapeSlack, '\0');
    said.resize(static_cast<std::size_t>(unescape(fields[i].raw, said.data()) - said.data()));
    CHECK(said == expected->text, "the same string");
    CHECK(fields[i].said.data() == nullptr || fields[i].said == said, "the same when it is read at once");
  }
}

void check_tiers(std::string_view bytes) {
#if NEARDUP_X86
  const char* const begin = bytes.data();
  const char* const end = begin + bytes.size();
  const JsonString expected = internal::find_string_end_scalar(begin, end);
  const auto check =
      [&](JsonString (*find)(const char*, const char*), char* (*unescape)(std::string_view, char*),
          JsonReading (*read)(const char*, const char*, char*), internal::Base64Kernel kernel) {
        const JsonString found = find(begin, end);
        std::string page(bytes.size() + kUnescapeSlack, '\0');
        const JsonReading reading = read(begin, end, page.data());
        CHECK(found.end == expected.end && reading.end == expected.end, "the same end");
        if (found.end != nullptr) {
          CHECK(found.escaped == expected.escaped, "the same escapes");
          CHECK(found.is_ascii == expected.is_ascii, "ASCII or not");
          const std::string_view raw(begin, static_cast<std::size_t>(found.end - begin));
          CHECK(reading.is_utf8 == simdjson::validate_utf8(raw.data(), raw.size()), "UTF-8 or not");
          std::string plain(raw.size() + kUnescapeSlack, '\0');
          plain.resize(static_cast<std::size_t>(internal::unescape_scalar(raw, plain.data()) - plain.data()));
          std::string fast(raw.size() + kUnescapeSlack, '\0');
          fast.resize(static_cast<std::size_t>(unescape(raw, fast.data()) - fast.data()));
          CHECK(fast == plain, "the same meaning");
          page.resize(static_cast<std::size_t>(reading.said_end - page.data()));
          CHECK(page == plain, "the same meaning in one pass");
        }
        std::string plain;
        std::string fast;
        const bool ok = internal::decode_base64_with(nullptr, bytes, plain);
        CHECK(internal::decode_base64_with(kernel, bytes, fast) == ok && (!ok || plain == fast),
              "the same base64");
      };
  if (cpu_isa() >= Isa::kAvx2) {
    check(internal::find_string_end_avx2, internal::unescape_avx2, internal::read_string_avx2,
          internal::decode_base64_avx2);
  }
  if (cpu_isa() >= Isa::kAvx512) {
    check(internal::find_string_end_avx512, internal::unescape_avx512, internal::read_string_avx512,
          internal::decode_base64_avx512);
  }
#endif
}

}  // namespace
}  // namespace neardup

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace neardup;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static DocumentCodec json = make_codec("json", "never");
  static DocumentCodec wrapped = make_codec("scrapy-cluster", "auto");
  static DocumentCodec raw = make_codec("raw", "never");
  check_document(bytes, json);
  check_document(bytes, wrapped);
  check_document(bytes, raw);
  check_fields(bytes);
  check_tiers(bytes);
  return 0;
}
