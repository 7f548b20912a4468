// BitChoice's own gather and scatter, under the names that hamming_probe.inl calls. Included by the tiers
// that do without PEXT, each time in a namespace of its own.

template <class Word>
std::uint64_t gather(const BitChoice<Word>& choice, Word word) {
  return choice.gather(word);
}
template <class Word>
Word scatter(const BitChoice<Word>& choice, std::uint64_t number) {
  return choice.scatter(number);
}
