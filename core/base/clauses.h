// How are several reasons told as one? "this; that; a third thing".
#pragma once

#include <string>
#include <string_view>

namespace neardup {

inline void add_clause(std::string& clauses, std::string_view clause) {
  if (!clauses.empty()) clauses += "; ";
  clauses += clause;
}

}  // namespace neardup
