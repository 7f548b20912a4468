// Are two texts that share most of their characters the same text, or the same form filled in twice?
//
//   Wesvil Inc sets quarterly. Qtly div 40 cts vs 43 cts prior. Pay May 17. Record June 13.
//   Lelen Inc sets quarterly. Qtly div 12 cts vs 10 cts prior. Pay May 4. Record June 2.
//
// Edit distance cannot tell: four fifths of the characters agree, because words of a form are long and what
// is filled in is short. What tells is what was *replaced*: tokens of one text that the other does not have,
// where the other has tokens instead. In a copy that was edited, cut or wrapped in more text, few tokens are
// replaced (those left out or put in have no counterpart), and numbers hardly ever; in another filling
// several are, and numbers are nearly always among them: amounts, dates, times, codes. So three limits:
//
//   replaced tokens                                      at most a fifth of the tokens
//   the same, if a number is among them and it is not    at most two in twenty-five
//   the only one
//   characters of replaced codes                         at most a fifth of the characters
//
// A code is a number with letters in it: a part number, a hash, what a link calls a page. One counts as one
// token however long it is, and of two that have nothing to do with each other some two in five characters
// can be aligned: so an edit distance flatters them, most where they are long. What they do have in common
// are runs of letters or of digits: of `super131` and `super638` three characters are replaced, not eight.
// Shorter runs than kRunMin are in most hashes, and are replaced with the code that they are of.
//
// Numbers and other tokens are counted apart, so a number left out and a word put in replace nothing. A
// single replaced number is a counter or a time of day, and passes. Of texts of less than kTokensMin tokens
// every word is much, so their words are not judged, but no two of their numbers may be replaced.
//
// The order of words does not matter here: the edit distance looks after it. Numbers are so short that it
// does not, and one that changed places with another says something else: `yes 12, no 31` and `yes 31, no
// 12`. So numbers are compared place by place as well. A place is told by the kPlaceWords words before and
// behind it, whatever numbers are among them, by how many numbers are side by side there, and by which of
// these it is. A number is replaced if both texts have its place, and there another number. Where the words
// have changed, or a piece of the text has moved with its numbers, places are not the same, and nothing is
// said of them. The replaced numbers are those by place or those by equality, whichever are more.
//
// A misspelt word is no other word (spelling.h). Spelling variants, typing errors and what a scanner misread
// leave a fifth of the words unequal long before they leave a fifth of the characters so, and beside a number
// replaced two words are enough. So where the limits refuse two texts, and plain numbers alone would not be
// refused, words that only one has are paired with words that only the other has, one to one, if the two are
// one word; and codes with words, where digits were read for letters. They are replaced no more. The nearest
// come first, then by the characters of the two: which text is which does not matter. Of two numbers neither
// is misspelt, nor is a code by another code: what they say is content. The characters of codes count as they
// stand. Of texts that have more than 32 such tokens left none are paired.
//
// The first two measured beside the plain rule "at least four fifths of the tokens are equal by token edit
// distance" on generated notices (other fillings called duplicates) and posts and messages (mean F1 of nine
// sets, least F1): plain 31 %, .981, .929; this 2 %, .987, .954; no rule 66 %, .994, .966. The third changes
// none of the 25 518 duplicates of those sets, and parts two news items that are one line and a long link
// each.
//
// Cost:    a quarter of a microsecond for 20 tokens, of pairs whose edit distance has passed; one or two if
//          misspelt words are looked for. Few notices of a form need it, since several numbers differ. At
//          most 32 x 32 pairs of words are compared and put in order, in some 30 microseconds.
// Threads: none inside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace neardup {

inline constexpr std::size_t kTokensMin = 8;
inline constexpr std::size_t kRunMin = 3;
inline constexpr std::size_t kPlaceWords = 2;

// Whether the character is a token wherever it stands, as those of Han, kana, Hangul and Thai are. None is
// below kTokenCharacterMin.
bool is_token_by_itself(char32_t c);
inline constexpr char32_t kTokenCharacterMin = 0xE00;

struct ReplacedTokens {
  unsigned numbers = 0;   // a number is a token with a digit
  unsigned by_place = 0;  // of them, at least: where the other text has another number in its place
  unsigned others = 0;
  unsigned misspelt = 0;         // pairs of spellings of one word, as far as looked for; not among them
  unsigned tokens = 0;           // of the text that has more
  unsigned tokens_fewer = 0;     // of the other one
  unsigned code_characters = 0;  // of codes replaced, without the runs that stayed
  unsigned characters = 0;       // of the text that has more

  friend bool operator==(const ReplacedTokens&, const ReplacedTokens&) = default;
};

struct ReplacementLimits {
  // How many tokens must not be replaced, and how many characters not be those of replaced codes. 0: no
  // limit.
  unsigned tokens_permille = 800;
  unsigned numbers_permille = 920;  // tokens where a number is among several replaced; 0: no limit
};

// The tokens of one text that others are compared with, how often each is there, and the places of numbers.
class TokenPattern {
 public:
  static constexpr std::size_t kTokensMax = 320;

  // REQUIRES: the characters of a canonical text, at most kTokensMax.
  void set(std::span<const char32_t> text);

  // What is replaced, but for misspelt words, which are looked for if the limits refuse the texts without.
  // The same either way round.
  ReplacedTokens compare(std::span<const char32_t> other, const ReplacementLimits& limits);

 private:
  // A table of open addressing by the token's hash, whose top bit tells numbers; or by that of a piece of a
  // code, of a place, or of a place and its number. With its pieces a token takes no more slots than it has
  // characters, and two more if it is a number.
  struct Slot {
    std::uint64_t token = 0;
    std::uint16_t count = 0;  // 0: empty
    std::uint16_t met = 0;    // of them, in the comparison `comparison`
    std::uint32_t comparison = 0;
  };
  static constexpr std::size_t kSlots = 1024;
  static_assert(kSlots > 3 * kTokensMax);

  Slot& slot_of(std::uint64_t token);
  void put(std::uint64_t token);
  bool meet(std::uint64_t token);     // one more of those that are here
  bool was_met(std::uint64_t token);  // one of those; each is answered for once
  void take_misspelt(std::span<const char32_t> other, ReplacedTokens& replaced);

  std::array<Slot, kSlots> slots_{};
  std::vector<std::uint16_t> used_;
  std::array<unsigned, 3> tokens_{};  // words, plain numbers, codes
  unsigned code_characters_ = 0;
  std::vector<char32_t> text_;
  std::vector<std::uint64_t> order_;  // the tokens of the text in hand, as they follow each other
  std::uint32_t comparison_ = 0;
};

// Whether it is within the limits.
bool is_same_filling(const ReplacedTokens& replaced, const ReplacementLimits& limits);

}  // namespace neardup
