// Seeded texts of what goes wrong: kinds of characters that meet each other in the rules of the canonical
// form.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/utf8.h"

namespace neardup {

inline std::string utf8(std::u32string_view code_points) {
  std::string result;
  for (const char32_t c : code_points) {
    char bytes[4];
    result.append(bytes, encode_utf8(c, bytes));
  }
  return result;
}

inline std::string hex(std::string_view bytes) {
  std::string result;
  char digits[3];
  for (const char c : bytes) {
    std::snprintf(digits, sizeof digits, "%02X", static_cast<unsigned char>(c));
    result += digits;
    result += ' ';
  }
  return result;
}

inline bool is_surrogate(char32_t c) { return c >= 0xD800 && c < 0xE000; }

// Kinds of characters that meet each other in the interesting rules.
inline const std::vector<std::u32string> kAlphabets = {
    U"abc XYZ 019 .,-_'\n\t",
    U"éÉßẞſŉǅİıÅéﬀﬁ½²™ªΣςάᾳ",
    {0x300, 0x301, 0x308, 0x327, 0x334, 0x345, 0x20DD, 0x488, 0x903, 0x302A, 0x302E, 0x340, 0x344, 0xFE20},
    {0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xFE0F, 0x34F, 0x115F, 0x1160, 0x3164, 0xFFA0, 0xE0100,
     0x180B},
    U"かきはひうワヲゝヽんァーﾞﾟｶﾊｳｰ゛゜ぁ々〆〇㌀㍿",
    {0x3099, 0x309A, 0xFF9E, 0xFF9F, 0x309B},
    U"春节年国龍龙，。！《》①㈱⼀⺀",
    {0xF900, 0xFA0E, 0x2F800, 0x2F81A, 0x20000, 0x3400, 0x303C, 0x3006, 0x3031},
    {0x1100, 0x1112, 0x1161, 0x1175, 0x11A7, 0x11A8, 0x11C2, 0x3131, 0x314F, 0xFFA1, 0xFFC2, 0xA960, 0xD7B0,
     0x119E},
    U"한국어가각힣갂",
    {0xE01, 0xE33, 0xE34, 0xE38, 0xE48, 0xE4B, 0xE3A, 0xE50, 0xEB3, 0xEC8, 0xEB8, 0x1000, 0x1037, 0x1039,
     0x103A, 0x1780, 0x17D2, 0x17DD},
    {0x915, 0x93C, 0x94D, 0x93F, 0x958, 0x951, 0x9C7, 0x9BE, 0x9CB, 0xF40, 0xF71, 0xF72, 0xF73, 0xF74, 0xF39,
     0x1A7F, 0x110BA, 0x11099},
    U"العربيّةـﷺﻻ٠١٢ עִברית",
    U"ЖёЙйѝΆΐ",
    U"😀👨‍👩‍👧🇨🇳❤️𝒜𝟘ℵⅧ𐐀Ა",
    {0x2260, 0x338, 0x226E, 0x2FFF, 0x378, 0xE000, 0xFFFE, 0x10FFFF, 0x0, 0x85, 0x2028, 0xA0, 0x3000},
};

class RandomText {
 public:
  explicit RandomText(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return random_() % bound; }

  // Fewer than `characters` of them.
  std::string valid(std::size_t characters = 24) {
    std::u32string string;
    std::size_t alphabet = below(kAlphabets.size());
    const std::size_t switches = 1 + below(6);  // some texts change their script all the time, some rarely
    for (std::size_t left = below(characters); left > 0; --left) {
      if (below(switches) == 0) alphabet = below(kAlphabets.size());
      const std::u32string& characters_of = kAlphabets[alphabet];
      string += below(40) == 0 ? any() : characters_of[below(characters_of.size())];
    }
    return utf8(string);
  }

  // As pages are: runs of one script, words and punctuation, and rarely something else.
  std::string running(std::size_t characters) {
    static const std::vector<std::u32string> kScripts = {
        U"the Quick brown FOX, 2024. ",
        U"naïve Café Größe Übung straße, ",
        U"Съешь же ещё этих Мягких, ",
        U"Ξεσκεπάζω τὴν ψυχοφθόρα. ",
        U"我能吞下玻璃而不伤身体，。“”、！2 x",
        U"私はガラスを食べられます。それはわたしをきずつけません、",
        U"나는 유리를 먹을 수 있어요. 그래도 아프지 않아요",
        U"ฉันกินกระจกได้ แต่มันไม่ทำให้ฉันเจ็บ",
        U"मैं काँच खा सकता हूँ, मुझे उससे कोई पीडा नहीं होती।",
        U"أنا قادر على أكل الزجاج و هذا لا يؤلمني. ",
        U"Tôi có thể ăn thủy tinh mà không hại gì. ",
        U"😀🎉✓→★ ok ",
        U"ＦＵＬＬ　ｗｉｄｔｈ，ﾊﾝｶｸｶﾅ",
    };
    std::u32string string;
    const std::size_t oddity = 1 + below(400);
    for (std::size_t left = below(characters); left > 0;) {
      const std::u32string& script = kScripts[below(kScripts.size())];
      for (std::size_t run = std::min(left, 1 + below(300)); run > 0; --run, --left) {
        const std::u32string& odd = kAlphabets[below(kAlphabets.size())];
        string += below(oddity) == 0 ? odd[below(odd.size())] : script[below(script.size())];
      }
    }
    return utf8(string);
  }

  std::string broken() {
    std::string bytes = valid();
    damage(bytes, 1 + below(4));
    return bytes;
  }

  void damage(std::string& bytes, std::size_t times) {
    for (std::size_t i = times; i > 0 && !bytes.empty(); --i) {
      char& byte = bytes[below(bytes.size())];
      switch (below(3)) {
        case 0:
          byte = static_cast<char>(random_());
          break;
        case 1:
          byte = "\xC0\xC1\xE0\xED\xF0\xF4\xF5\xFF\x80\xBF\xA0\x90"[below(12)];
          break;
        default:
          bytes.erase(below(bytes.size()), 1 + below(2));
      }
    }
  }

 private:
  char32_t any() {
    const auto c = static_cast<char32_t>(below(0x110000));
    return is_surrogate(c) ? U' ' : c;
  }

  std::mt19937_64 random_;
};

}  // namespace neardup
