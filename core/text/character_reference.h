// Which characters does `&eacute;`, `&#233;` or `&#xE9;` stand for?
//
// As a browser reads them in text (WHATWG HTML, 13.2.5.72 and on): all 2231 names, the 106 old ones also
// without their ';' (`&copy2024` is ©2024); a number that is no character becomes U+FFFD, and 0x80 to 0x9F
// become what windows-1252 has there, because that is what authors meant.
//
// Cost: bounded, whatever the input: at most kReferenceNameMax bytes of a name are looked at, and numbers are
// read once. Names are found in a hash table, made at the first call.
#pragma once

#include <cstddef>
#include <string_view>

namespace neardup {

struct CharacterReference {
  std::size_t length =
      0;                 // of the reference, in bytes of the page; 0: none here, the '&' is just an ampersand
  std::size_t size = 0;  // of what it stands for
  char text[8] = {};     // that, in UTF-8

  std::string_view view() const { return {text, size}; }
};

// The reference at the start of `bytes`. REQUIRES: bytes starts with '&'.
CharacterReference read_character_reference(std::string_view bytes);

namespace internal {

struct NamedReference {
  std::string_view name;  // without '&', with its ';' if it has one
  std::string_view text;
};

inline constexpr std::size_t kReferenceNameMax = 32;
inline constexpr std::size_t kBareReferenceNameMax = 6;  // of those without ';'

extern const NamedReference kNamedReferences[];  // by name
extern const std::size_t kNamedReferenceCount;

}  // namespace internal
}  // namespace neardup
