// Which number did somebody give a program?
//
// The whole word is one or it is refused: "20x" is no 20, " 5" no 5, and "-1" no count.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace neardup {

template <class Number>
std::optional<Number> number_argument(std::string_view word) {
  Number number{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

}  // namespace neardup
