// What do libxml2's parsers make of a page? The usual way to read HTML in C, as a peer of the benchmarks and
// a source of text that our own reader had no hand in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace neardup::peers {

// Parses with the SAX interface, which builds no tree, and counts the bytes of text outside script and style.
std::size_t libxml2_sax_text_bytes(std::string_view html);

// The text outside script and style, with a space wherever a tag stood.
std::string libxml2_text(std::string_view html);

}  // namespace neardup::peers
