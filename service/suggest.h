// Which word did they mean?
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace neardup {

// Levenshtein distance in bytes. REQUIRES: both are short words, as the cost is the product of their lengths.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `word`, the first among equals; "" when none is near enough to be meant. Letter
// case does not count. A dotted candidate is also compared by its last part alone, so that "brokers" finds
// "kafka.brokers". A word of more than 256 bytes is not looked up.
std::string closest(std::string_view word, std::span<const std::string> candidates);

}  // namespace neardup
