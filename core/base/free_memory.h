// How does what grew once give its memory back?
//
// Not by `text = std::string()`: libstdc++ copies a short string into the memory that is there and keeps it,
// and so does whatever has a string as a member. Moved elsewhere it takes its memory along.
#pragma once

#include <utility>

namespace neardup {

// Leaves it as if it were new. For strings, and what is made of them and of vectors.
template <class T>
void free_memory(T& held) {
  const T freed = std::exchange(held, T());
}

}  // namespace neardup
