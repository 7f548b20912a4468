// Two texts of signature options differ: what would a person have to set?
//
// Such a text (SignerOptions::text()) stands in every journal record and manifest. It leaves defaults out,
// and tells which routes are signed for, which nobody sets: here are the settings that both are made by.
#pragma once

#include <string>
#include <string_view>

namespace neardup {

// Those by which `text` is not `other`: "detector.mode=hybrid" of "" and "routes=none".
std::string settings_apart(std::string_view text, std::string_view other);

// The same of both, as the reason of a refusal: what was stored with the options `stored` is not comparable.
std::string made_otherwise(std::string_view stored, std::string_view configured);

}  // namespace neardup
