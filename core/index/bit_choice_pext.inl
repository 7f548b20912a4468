// BitChoice's gather and scatter, by the instructions made for them. Included by the tiers that have BMI2,
// each time in a namespace of its own.

template <class Word>
std::uint64_t gather(const BitChoice<Word>& choice, Word word) {
  if constexpr (kLimbsOf<Word> == 2) {
    const std::uint64_t high = _pext_u64(word.high, choice.chosen.high);
    const std::uint64_t low = _pext_u64(word.low, choice.chosen.low);
    return choice.limb_shift == 64 ? low : low | high << choice.limb_shift;
  } else {
    return _pext_u64(word, choice.chosen);
  }
}
template <class Word>
Word scatter(const BitChoice<Word>& choice, std::uint64_t number) {
  if constexpr (kLimbsOf<Word> == 2) {
    const std::uint64_t high = choice.limb_shift == 64 ? 0 : number >> choice.limb_shift;
    return {_pdep_u64(number, choice.chosen.low), _pdep_u64(high, choice.chosen.high)};
  } else {
    return static_cast<Word>(_pdep_u64(number, choice.chosen));
  }
}
