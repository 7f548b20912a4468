#include "tests/bench/peers/libxml2.h"

#include <libxml/HTMLparser.h>

#include <cstring>
#include <functional>

#include "core/base/check.h"

namespace neardup::peers {
namespace {

struct Reading {
  int hidden = 0;  // open elements whose text is not text
  std::size_t bytes = 0;
  std::string* text = nullptr;
};

bool is_hidden(const xmlChar* name) {
  const char* const element = reinterpret_cast<const char*>(name);
  return std::strcmp(element, "script") == 0 || std::strcmp(element, "style") == 0;
}

void on_tag(Reading& reading) {
  if (reading.text != nullptr) reading.text->push_back(' ');
}

void start_element(void* context, const xmlChar* name, const xmlChar** /*attributes*/) {
  auto& reading = *static_cast<Reading*>(context);
  reading.hidden += is_hidden(name) ? 1 : 0;
  on_tag(reading);
}

void end_element(void* context, const xmlChar* name) {
  auto& reading = *static_cast<Reading*>(context);
  reading.hidden -= is_hidden(name) ? 1 : 0;
  on_tag(reading);
}

void characters(void* context, const xmlChar* text, int size) {
  auto& reading = *static_cast<Reading*>(context);
  if (reading.hidden > 0) return;
  reading.bytes += static_cast<std::size_t>(size);
  if (reading.text != nullptr) {
    reading.text->append(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
  }
}

void parse(std::string_view html, Reading& reading) {
  htmlSAXHandler handler{};
  handler.startElement = start_element;
  handler.endElement = end_element;
  handler.characters = characters;
  handler.ignorableWhitespace = characters;
  htmlParserCtxtPtr context =
      htmlCreatePushParserCtxt(&handler, &reading, nullptr, 0, nullptr, XML_CHAR_ENCODING_UTF8);
  CHECK(context != nullptr, "libxml2 has no memory");
  htmlCtxtUseOptions(context,
                     HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET | HTML_PARSE_RECOVER);
  htmlParseChunk(context, html.data(), static_cast<int>(html.size()), 1);
  htmlFreeParserCtxt(context);
}

}  // namespace

std::size_t libxml2_sax_text_bytes(std::string_view html) {
  Reading reading;
  parse(html, reading);
  return reading.bytes;
}

std::string libxml2_text(std::string_view html) {
  std::string text;
  Reading reading{.text = &text};
  parse(html, reading);
  return text;
}

}  // namespace neardup::peers
