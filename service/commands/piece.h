// What comes of a record, while its bytes come.
#pragma once

#include <string_view>

namespace neardup {

struct Piece {
  std::string_view bytes;  // of one record; "" where there is none in sight
  bool ends = false;       // the record with it
};

}  // namespace neardup
