// Are two documents duplicates in mode hybrid? By the rules alone: no bands, no filters, no bounds.
#pragma once

#include "core/detector/long_route.h"
#include "core/detector/short_route.h"
#include "core/fingerprint/route_signature.h"

namespace neardup::reference {

class HybridRules {
 public:
  explicit HybridRules(unsigned threshold_permille = 800)
      : threshold_permille_(threshold_permille),
        short_texts_({.threshold_permille = threshold_permille, .replacement = {}}) {}

  // Whether `query` would be a duplicate of a unique with the signature `stored`.
  bool match(const RouteSignature& query, const RouteSignature& stored) {
    if (query.asks_as_short() && stored.has_short &&
        short_texts_.compare(query.short_text, stored.short_text, work_).has_value()) {
      return true;
    }
    if (!query.asks_as_page()) return false;
    for (const LongSignature& a : query.long_span()) {
      for (const LongSignature& b : stored.long_span()) {
        if (a.kind == b.kind && is_similar(a.standard, b.standard, estimate_min(threshold_permille_))) {
          return true;
        }
      }
    }
    return false;
  }

 private:
  unsigned threshold_permille_;
  ShortRoute short_texts_;  // for its rule; nothing is stored in it
  ShortWork work_;
};

}  // namespace neardup::reference
