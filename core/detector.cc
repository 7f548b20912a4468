#include "core/detector.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/base/prefetch_line.h"
#include "core/covering_names.h"
#include "core/detector/clusters.h"
#include "core/detector/kept_form.h"
#include "core/detector/long_route.h"
#include "core/detector/mgram_route.h"
#include "core/detector/origin.h"
#include "core/detector/relation.h"
#include "core/detector/short_route.h"
#include "core/fingerprint/hamming.h"
#include "core/fingerprint/route_signature.h"
#include "core/index/crew.h"
#include "core/index/exact_index.h"
#include "core/index/gone_set.h"
#include "core/index/hamming_index.h"
#include "core/index/id_index.h"
#include "core/index/unique_log.h"
#include "core/limits.h"
#include "core/returning.h"

namespace neardup {

static_assert(kUniquesMax <= HammingIndex<kFingerprintBits>::kWindowMax);

RouteParts DetectorOptions::routes() const {
  if (mode == DetectorMode::kHybrid) return RouteParts::kBoth;
  if (mode == DetectorMode::kMgram) return RouteParts::kMgrams;
  return verify_sketch ? RouteParts::kLong : RouteParts::kNone;
}

// Where fingerprints or m-grams find the candidates, sketches need no bands.
BandLayout DetectorOptions::layout() const {
  if (mode == DetectorMode::kHybrid) return band_layout(threshold_permille);
  return {.bands = 0};
}

std::string DetectorOptions::text() const {
  const DetectorOptions defaults;
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    if (!text.empty()) text += ' ';
    text += std::string("detector.") + name + '=' + value;
  };
  if (mode != defaults.mode) add("mode", std::string(kDetectorModeNames[static_cast<std::size_t>(mode)]));
  if (threshold_permille != defaults.threshold_permille) {
    add("threshold_permille", std::to_string(threshold_permille));
  }
  if (sketch != defaults.sketch) add("sketch", "compact");
  if (mode == DetectorMode::kMgram) {
    if (gram_size != defaults.gram_size) add("gram_size", std::to_string(gram_size));
    if (gram_units != defaults.gram_units) {
      add("gram_units", std::string(kMgramUnitsNames[static_cast<std::size_t>(gram_units)]));
    }
    if (measure != defaults.measure) {
      add("measure", std::string(kMgramMeasureNames[static_cast<std::size_t>(measure)]));
    }
  } else if (mode == DetectorMode::kHybrid) {
    if (short_tokens_permille != defaults.short_tokens_permille) {
      add("short_tokens_permille", std::to_string(short_tokens_permille));
    }
    if (short_numbers_permille != defaults.short_numbers_permille) {
      add("short_numbers_permille", std::to_string(short_numbers_permille));
    }
  } else {
    if (distance != defaults.distance) add("distance", std::to_string(distance));
    if (verify_sketch) add("verify", "sketch");
  }
  return text;
}

namespace {

// The layout() of the options whose text() this is.
BandLayout layout_of(std::string_view text) {
  constexpr std::string_view kThreshold = "detector.threshold_permille=";
  DetectorOptions options;
  // The default has no name, and the other two ask for no bands.
  if (text.find("detector.mode=") != std::string_view::npos) options.mode = DetectorMode::kSimhash;
  if (const std::size_t at = text.find(kThreshold); at != std::string_view::npos) {
    const std::string_view value = text.substr(at + kThreshold.size());
    std::from_chars(value.data(), value.data() + value.size(), options.threshold_permille);
  }
  return options.layout();
}

// A match of a route, before it is known whose it is.
struct RouteMatch {
  DuplicateKind kind = DuplicateKind::kNear;
  Sequence sequence = 0;
  std::optional<int> similarity_permille;  // none: what the fingerprints say
};

using LongRoutes =
    std::variant<std::monostate, LongRoute<kStandardSketchBytes>, LongRoute<kCompactSketchBytes>>;

LongRoutes make_long_route(const DetectorOptions& options) {
  const RouteParts routes = options.routes();
  if (routes == RouteParts::kNone || routes == RouteParts::kMgrams) return std::monostate();
  if (options.sketch == SketchSize::kStandard) {
    return LongRoute<kStandardSketchBytes>(options.threshold_permille);
  }
  return LongRoute<kCompactSketchBytes>(options.threshold_permille);
}

// Mode mgram.
struct MgramTexts {
  explicit MgramTexts(const DetectorOptions& options)
      : route({.m = options.gram_size,
               .over = options.gram_units,
               .measure = options.measure,
               .threshold_permille = options.threshold_permille}),
        signer(mgrams_of_kept(options)) {}

  MgramRoute route;
  MgramSigner signer;  // of texts that are forgotten by their ids
  MgramWork work;
  std::uint64_t truncated = 0;  // look-ups that did not see all of a text, or not all that is like it
};

// What the log remembers of an arrival, or of a unique that comes back. `previous`: that of its id.
template <class Document>
UniqueLog::Entry entry_of(const Document& document, std::optional<Sequence> previous) {
  return {.id = document.id,
          .url = document.url,
          .source = document.source,
          .event_time_ms = document.event_time_ms,
          .exact = document.signature.exact,
          .fingerprint = document.signature.fingerprint,
          .tokens = document.signature.tokens,
          .previous = previous};
}

// Calls `use` with the route of pages, if there is one.
template <class Routes, class Use>
void with(Routes& routes, Use use) {
  std::visit(
      [&](auto& route) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(route)>, std::monostate>) use(route);
      },
      routes);
}

}  // namespace

struct Detector::State {
  explicit State(const DetectorOptions& o)
      : options(o),
        uniques({.directory = o.directory}),
        exact(uniques),
        pages(make_long_route(o)),
        clusters(o.clusters),
        priorities(o.clusters.priority_sources) {
    switch (o.mode) {
      case DetectorMode::kHybrid:
        short_texts.emplace(ShortOptions{.threshold_permille = o.threshold_permille,
                                         .replacement = {.tokens_permille = o.short_tokens_permille,
                                                         .numbers_permille = o.short_numbers_permille}});
        break;
      case DetectorMode::kSimhash:
        fingerprints.emplace(HammingOptions{
            .distance = o.distance, .covering = o.covering.empty() ? nullptr : covering_named(o.covering)});
        break;
      case DetectorMode::kMgram:
        mgrams.emplace(o);
        break;
    }
    if (o.by_id) ids.emplace(uniques, o.id_seed);
    with(pages, [&](auto& route) { route.judge_by(o.exact); });
  }

  // What a look-up may leave behind.
  enum class Use : std::uint8_t {
    kAsk,    // nothing
    kStore,  // a fingerprint that none is near to, as that of the next unique
  };

  // Calls visit(index, key) for each look-up that deciding may begin with, but that of m-grams.
  template <class Visit>
  void for_each_look_up(const Arrival& arrival, Visit visit) const;

  std::optional<RouteMatch> find(const Arrival& arrival, Use use);
  std::optional<RouteMatch> find_by_text(const RouteSignature& route);
  std::optional<RouteMatch> find_by_mgrams(const MgramSignature& signature);
  std::optional<RouteMatch> find_by_fingerprint(const Arrival& arrival, Use use);
  std::optional<int> agreed(Sequence sequence, const LongSignature& page) const;

  Decision duplicate(const Arrival& arrival, const RouteMatch& match) const;
  Decision decide(const Arrival& arrival, Use use);

  // Of uniques that come back, a thousand at a time: owners of shards put their keys into the tables, and
  // one of them does all that has an order. What that reads first is asked for early, and once it is here,
  // what it leads to.
  struct Group {
    const Returning& returning;
    std::size_t begin;
    std::size_t end;
    std::uint64_t apart;  // as HammingIndex::insert has it
    bool as_inserted;     // as LongRoute::share has it
  };
  static constexpr std::size_t kGroup = 1024;
  static constexpr std::size_t kStep = 6;
  struct Exact {
    std::size_t at;  // in the group
    Digest128 digest;
  };
  struct alignas(64) Owner {
    BucketTable::ShardSet shards = 0;
    std::array<Exact, kGroup> exacts;  // that are its own: the first of them
    std::size_t exact_count = 0;
  };
  void share_out(int threads);
  void take_back_by_crew(const Group& group);
  void look_through(const Group& group, std::size_t member);
  void post(Sequence first, std::size_t member);
  void take_back(const Group& group);
  void prefetch(const Returning::One& one) const;
  void prefetch_rest(const Returning::One& one) const;
  void take_back(const Returning::One& one, std::uint64_t apart);
  Clusters::Joining joining(const Arrival& arrival, Sequence leader) const;

  // The latest unique with this id, if ids are known.
  std::optional<Sequence> latest(std::string_view id) const { return ids ? ids->find(id) : std::nullopt; }

  // Two uniques that these options decided differ in so many bits at least; 0: they may differ in none.
  std::uint64_t apart_by_options() const {
    return fingerprints && !options.verify_sketch ? static_cast<std::uint64_t>(options.distance) + 1 : 0;
  }

  // All but its exact hash and what its routes remember. `apart`: as HammingIndex::insert has it.
  Sequence append(const UniqueLog::Entry& entry, std::uint64_t apart = 0) {
    const Sequence sequence = uniques.size();
    uniques.append(entry);
    if (ids) ids->insert(sequence, entry.id);
    const bool is_stored = fingerprints && fingerprints->next() > sequence;  // as it was asked for
    if (fingerprints && !is_stored) fingerprints->insert(entry.fingerprint.bits, apart);
    return sequence;
  }
  // All but its id.
  void forget(Sequence sequence);

  const DetectorOptions options;
  const BandLayout layout = options.layout();  // of pages that come back
  UniqueLog uniques;
  ExactIndex exact;
  std::optional<IdIndex> ids;                                  // where documents are known by them
  GoneSet forgotten;                                           // by their ids, not by their age
  std::optional<HammingIndex<kFingerprintBits>> fingerprints;  // mode simhash
  std::optional<ShortRoute> short_texts;                       // mode hybrid
  LongRoutes pages;
  std::optional<MgramTexts> mgrams;  // mode mgram
  Clusters clusters;
  const SourcePriorities priorities;

  std::optional<Returning> returning;  // working memory of restore(), with what follows
  std::unique_ptr<Crew> crew;
  std::vector<Owner> owners;
  std::vector<BucketTable::ShardSet> shards;  // theirs
  ShortSigner short_signer;                   // of texts that are forgotten by their ids
  ShortWork short_work;
  std::array<LongWork, LongSigner::kSignaturesMax> long_works;  // of the pages of the document in hand
  std::vector<Match> matches;
  std::uint64_t candidates = 0;  // of the last look-up
};

// The first seen, by whichever route it was met. A leader that is met by both is one by its shingles.
std::optional<RouteMatch> Detector::State::find_by_text(const RouteSignature& route) {
  std::optional<RouteMatch> first;
  if (route.asks_as_page()) {
    with(pages, [&](const auto& route_of_pages) {
      for (std::size_t i = 0; i < route.long_count; ++i) {
        const std::optional<LongMatch> match = route_of_pages.find(route.longs[i], long_works[i]);
        candidates += long_works[i].compared();
        if (match && (!first || match->sequence < first->sequence)) {
          first = RouteMatch{DuplicateKind::kNear, match->sequence, match->similarity_permille};
        }
      }
    });
  }
  if (route.asks_as_short()) {
    const std::optional<ShortMatch> match = short_texts->find(route.short_text, short_work);
    candidates += short_work.compared();
    if (match && (!first || match->sequence < first->sequence)) {
      first =
          RouteMatch{DuplicateKind::kShort, match->sequence, static_cast<int>(match->similarity_permille)};
    }
  }
  return first;
}

std::optional<RouteMatch> Detector::State::find_by_mgrams(const MgramSignature& signature) {
  const std::optional<MgramMatch> match = mgrams->route.find(signature, mgrams->work);
  candidates = mgrams->work.compared();
  mgrams->truncated += mgrams->work.is_truncated() || signature.is_cut;
  if (!match) return std::nullopt;
  return RouteMatch{DuplicateKind::kShort, match->sequence, static_cast<int>(match->similarity_permille)};
}

void Detector::State::prefetch(const Returning::One& one) const {
  if (ids) ids->prefetch(one.unique.id);
  if (one.short_text != nullptr) short_texts->prefetch_insert(*one.short_text);
  if (one.mgrams != nullptr) mgrams->route.prefetch(*one.mgrams);
}

void Detector::State::prefetch_rest(const Returning::One& one) const {
  prefetch_line(one.unique.id.data());
  prefetch_line(one.unique.url.data());
  if (one.short_text != nullptr) short_texts->prefetch_insert_rest(*one.short_text);
}

void Detector::State::take_back(const Returning::One& one, std::uint64_t apart) {
  const Sequence sequence = append(entry_of(one.unique, latest(one.unique.id)), apart);
  if (one.short_text != nullptr) short_texts->insert(sequence, *one.short_text, short_work);
  if (one.mgrams != nullptr) mgrams->route.insert(sequence, *one.mgrams);
  with(pages, [&](auto& route) {
    for (const ReturningPage& page : one.pages) route.append(sequence, page);
  });
}

// In steps: a line is on its way for as long as it takes to take back so many.
void Detector::State::take_back(const Group& group) {
  for (std::size_t i = group.begin; i < group.end + 2 * kStep; ++i) {
    if (i < group.end) prefetch(group.returning[i]);
    if (i >= group.begin + kStep && i - kStep < group.end) prefetch_rest(group.returning[i - kStep]);
    if (i >= group.begin + 2 * kStep) take_back(group.returning[i - 2 * kStep], group.apart);
  }
}

// Whose keys are whose. What is in order is more work than all tables, so who does it owns none if there are
// others.
void Detector::State::share_out(int threads) {
  owners.clear();
  owners.resize(static_cast<std::size_t>(threads));
  for (unsigned shard = 0; shard < BucketTable::kShards; ++shard) {
    const unsigned member = threads == 1 ? 0 : 1 + shard % static_cast<unsigned>(threads - 1);
    owners[member].shards |= 1U << shard;
  }
  shards.clear();
  for (const Owner& owner : owners) shards.push_back(owner.shards);
}

// Which of the keys are its own.
void Detector::State::look_through(const Group& group, std::size_t member) {
  Owner& owner = owners[member];
  std::size_t exact_count = 0;
  std::size_t page_count = 0;
  for (std::size_t i = group.begin; i < group.end; ++i) {
    group.returning.prefetch(i + kStep);
    const Returning::One one = group.returning[i];
    owner.exacts[exact_count] = {i - group.begin, one.unique.signature.exact};
    exact_count += ExactIndex::is_own(one.unique.signature.exact, owner.shards) ? 1 : 0;
    with(pages, [&](auto& route) {
      for (const ReturningPage& page : one.pages) {
        route.share(member, page_count++, page, layout, group.as_inserted);
      }
    });
  }
  owner.exact_count = exact_count;
}

// Posts them.
void Detector::State::post(Sequence first, std::size_t member) {
  const Owner& owner = owners[member];
  const std::span<const Exact> own = std::span(owner.exacts).first(owner.exact_count);
  exact.grow(owner.shards);
  for (std::size_t i = 0; i < own.size() + 2 * kStep; ++i) {
    if (i < own.size()) exact.prefetch(own[i].digest);
    if (i >= kStep && i - kStep < own.size()) exact.prefetch_rest(own[i - kStep].digest);
    if (i >= 2 * kStep) exact.insert_own(first + own[i - 2 * kStep].at, own[i - 2 * kStep].digest);
  }
  with(pages, [&](auto& route) { route.post(member); });
}

void Detector::State::take_back_by_crew(const Group& group) {
  const Sequence first = uniques.size();
  with(pages, [&](auto& route) { route.begin(shards); });
  crew->run([&](int member) { look_through(group, static_cast<std::size_t>(member)); });
  exact.open(group.end - group.begin, first + (group.end - group.begin) - 1);
  with(pages, [&](auto& route) { route.open(); });
  crew->run([&](int member) {
    post(first, static_cast<std::size_t>(member));
    if (member == 0) take_back(group);
  });
  exact.close();
  with(pages, [&](auto& route) { route.close(layout, group.as_inserted); });
}

void Detector::State::forget(Sequence sequence) {
  CHECK(exact.erase(sequence, uniques.exact(sequence)), "who is remembered is found by its text");
  if (fingerprints) fingerprints->erase(sequence);
  if (short_texts) short_texts->erase(sequence, short_signer);
  if (mgrams) mgrams->route.erase(sequence, mgrams->signer);
  with(pages, [&](auto& route) { route.erase(sequence); });
  clusters.erase(sequence);
  forgotten.add(sequence);
}

// How alike a page and a unique are whose fingerprints are near, if it is enough.
std::optional<int> Detector::State::agreed(Sequence sequence, const LongSignature& page) const {
  if (options.exact != nullptr) return options.exact->alike(sequence, page.kind);
  std::optional<int> similarity;
  with(pages, [&](const auto& route) { similarity = route.similarity(sequence, page); });
  return similarity && *similarity >= estimate_min(options.threshold_permille) ? similarity : std::nullopt;
}

std::optional<RouteMatch> Detector::State::find_by_fingerprint(const Arrival& arrival, Use use) {
  const std::uint64_t before = fingerprints->counts().candidates;
  std::optional<RouteMatch> first;
  const std::uint64_t bits = arrival.signature.fingerprint.bits;
  if (!options.verify_sketch) {
    std::optional<Match> match;
    if (use == Use::kStore) {
      fingerprints->check_and_insert({&bits, 1}, MatchMode::kFirst, {&match, 1});
    } else {
      match = fingerprints->find(bits, MatchMode::kFirst);
    }
    if (match) first = RouteMatch{DuplicateKind::kNear, match->sequence, std::nullopt};
  } else {
    fingerprints->find_all(bits, matches);
    for (std::size_t i = 0; i < matches.size() && !first; ++i) {
      for (const LongSignature& page : arrival.route->long_span()) {
        ++candidates;
        const std::optional<int> similarity = agreed(matches[i].sequence, page);
        if (!similarity) continue;
        first = RouteMatch{DuplicateKind::kNear, matches[i].sequence, similarity};
        break;
      }
    }
  }
  candidates += fingerprints->counts().candidates - before;
  return first;
}

// The same text wins over whatever else matches: no earlier unique can be like it that was not like its
// leader, unless the history was decided by other options; and then the stronger kind is the better answer.
std::optional<RouteMatch> Detector::State::find(const Arrival& arrival, Use use) {
  candidates = 0;
  for (LongWork& work : long_works) work.begin();
  if (const std::optional<Sequence> same = exact.find(arrival.signature.exact)) {
    return RouteMatch{DuplicateKind::kExact, *same, 1000};
  }
  if (fingerprints) return find_by_fingerprint(arrival, use);
  if (arrival.route->is_empty()) return std::nullopt;
  if (mgrams) return find_by_mgrams(arrival.route->mgrams);
  return find_by_text(*arrival.route);
}

Decision Detector::State::duplicate(const Arrival& arrival, const RouteMatch& match) const {
  clusters.prefetch(match.sequence);  // which it joins
  const UniqueLog::Entry leader = uniques.entry(match.sequence);
  const int distance = hamming_distance(arrival.signature.fingerprint, leader.fingerprint);
  return {
      .verdict = Verdict::kDuplicate,
      .kind = match.kind,
      .sequence = match.sequence,
      .distance = distance,
      .similarity_permille =
          match.similarity_permille.value_or(similarity_permille(distance, options.fingerprint)),
      .relation = relation_of({arrival.id, arrival.url, arrival.source},
                              {leader.id, leader.url, leader.source}, match.kind == DuplicateKind::kExact)};
}

Decision Detector::State::decide(const Arrival& arrival, Use use) {
  CHECK(arrival.route != nullptr || options.routes() == RouteParts::kNone, "signed for another mode");
  CHECK(!mgrams || arrival.route->has_mgrams || arrival.route->is_empty(), "signed for another mode");
  const std::optional<RouteMatch> match = find(arrival, use);
  Decision decision =
      match ? duplicate(arrival, *match) : Decision{.verdict = Verdict::kUnique, .sequence = uniques.size()};
  const std::optional<Sequence> previous = latest(arrival.id);
  if (!match && previous) decision.relation = Relation::kRevision;
  if (previous && *previous != decision.sequence) decision.previous.emplace(*previous);
  return decision;
}

Clusters::Joining Detector::State::joining(const Arrival& arrival, Sequence sequence) const {
  const UniqueLog::Entry leader = uniques.entry(sequence);
  const auto document = [&](const auto& of, std::uint32_t tokens) -> ClusterDocument {
    return {.source = of.source,
            .event_time_ms = of.event_time_ms,
            .tokens = tokens,
            .priority = priorities.of(of.url)};
  };
  return {.leader = sequence,
          .leader_document = document(leader, leader.tokens),
          .document = document(arrival, arrival.signature.tokens),
          .difference = arrival.signature.fingerprint.bits ^ leader.fingerprint.bits,
          .leader_origin = origin_of(leader.url, leader.source)};
}

template <class Visit>
void Detector::State::for_each_look_up(const Arrival& arrival, Visit visit) const {
  visit(exact, arrival.signature.exact);
  if (ids) visit(*ids, arrival.id);
  if (arrival.route == nullptr || !short_texts) return;
  if (arrival.route->asks_as_short()) visit(*short_texts, arrival.route->short_text);
  if (!arrival.route->asks_as_page()) return;
  with(pages, [&](const auto& route_of_pages) {
    for (const LongSignature& page : arrival.route->long_span()) visit(route_of_pages, page);
  });
}

Detector::Detector(const DetectorOptions& options) {
  CHECK(options.distance >= 0 && options.distance <= kHammingDistanceMax, "config refuses other distances");
  CHECK(options.covering.empty() || distance_of_covering(options.covering) >= options.distance,
        "config refuses other coverings");
  CHECK(options.threshold_permille >= 500 && options.threshold_permille <= 1000,
        "config refuses other thresholds");
  CHECK(options.gram_size >= 1 && options.gram_size <= kMgramSizeMax, "config refuses other sizes");
  state_ = std::make_unique<State>(options);
}
Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;

void Detector::prefetch(const Arrival& arrival) const {
  // What the log copies: who signed it may have it in the cache of another core.
  prefetch_lines(arrival.id.data(), arrival.id.size());
  prefetch_lines(arrival.url.data(), arrival.url.size());
  state_->for_each_look_up(arrival, [](const auto& index, const auto& key) { index.prefetch(key); });
  if (state_->mgrams && arrival.route != nullptr && arrival.route->has_mgrams)
    state_->mgrams->route.prefetch(arrival.route->mgrams);
}

void Detector::prefetch_rest(const Arrival& arrival) const {
  state_->for_each_look_up(arrival, [](const auto& index, const auto& key) { index.prefetch_rest(key); });
}

Decision Detector::check(const Arrival& arrival) const { return state_->decide(arrival, State::Use::kAsk); }

Decision Detector::apply(const Arrival& arrival, std::string* kept) {
  State& state = *state_;
  const Decision decision = state.decide(arrival, State::Use::kStore);
  if (decision.verdict == Verdict::kDuplicate) {
    state.clusters.prefetch_rest(decision.sequence);
    state.clusters.join(state.joining(arrival, decision.sequence));
    return decision;
  }
  state.clusters.pass();
  const Sequence sequence = state.append(entry_of(arrival, decision.previous));
  state.exact.insert(sequence, arrival.signature.exact);
  if (state.options.routes() == RouteParts::kNone) return decision;
  const RouteSignature& route = *arrival.route;
  if (route.has_short && state.short_texts) {
    state.short_texts->insert(sequence, route.short_text, state.short_work);
  }
  if (route.has_mgrams && state.mgrams) state.mgrams->route.insert(sequence, route.mgrams);
  LongExtensions extensions;
  with(state.pages, [&](auto& pages) {
    for (std::size_t i = 0; i < route.long_count; ++i) {
      pages.insert(sequence, route.longs[i], state.long_works[i], extensions[i]);
    }
  });
  if (kept != nullptr) append_kept(route, state.options.sketch, extensions, *kept);
  return decision;
}

std::size_t Detector::kept_bytes_max(const RouteSignature& route) { return neardup::kept_bytes_max(route); }

std::uint64_t Detector::candidates() const { return state_->candidates; }

Detector::LookupCounts Detector::lookup_counts() const {
  LookupCounts counts;
  const auto add = [&](const BandPostings& postings) {
    counts.truncated += postings.not_posted();
    counts.full_keys += postings.full_keys();
    counts.hot_features += postings.hot().size();
  };
  if (state_->fingerprints) {
    counts.slow = state_->fingerprints->counts().slow;
    counts.largest_bucket = state_->fingerprints->largest_bucket();
  }
  if (state_->mgrams) {
    const MgramIndex& index = state_->mgrams->route.index();
    counts.truncated = state_->mgrams->truncated + index.unmet();
    counts.largest_bucket = index.largest_bucket();
    counts.full_keys = index.full_grams();
  }
  if (state_->short_texts) add(state_->short_texts->index().postings());
  with(state_->pages, [&](const auto& pages) { add(pages.postings()); });
  return counts;
}

Status Detector::restore(std::span<const Unique> uniques) {
  State& state = *state_;
  if (!state.returning) state.returning.emplace(state.options);
  const Status status = state.returning->prepare(uniques);
  restore(*state.returning, 0, state.returning->size());
  return status;
}

void Detector::restore(const Returning& returning, std::size_t begin, std::size_t end,
                       std::optional<std::string_view> decided_by) {
  if (state_->crew == nullptr) restore_on(1);
  // Other options of any kind count as not known. Those of mode simhash have a text that is not empty.
  const std::uint64_t apart = decided_by == state_->options.text() ? state_->apart_by_options() : 0;
  const bool as_inserted = !decided_by || layout_of(*decided_by) == state_->layout;
  for (; begin < end; begin += State::kGroup)
    state_->take_back_by_crew({returning, begin, std::min(begin + State::kGroup, end), apart, as_inserted});
}

void Detector::restore_on(int threads) {
  CHECK(threads >= 1, "someone has to do it");
  if (state_->crew != nullptr && state_->crew->size() == threads) return;
  state_->crew = std::make_unique<Crew>(threads);
  state_->share_out(threads);
}

Status Detector::restore(std::span<const ClusterGain> gains, std::string_view rule) {
  constexpr std::size_t kStep = 8;
  Clusters& clusters = state_->clusters;
  for (std::size_t i = 0; i < gains.size() + 2 * kStep; ++i) {
    if (i < gains.size()) clusters.prefetch(gains[i].leader);
    if (i >= kStep && i - kStep < gains.size()) clusters.prefetch_rest(gains[i - kStep].leader);
    if (i < 2 * kStep) continue;
    const ClusterGain& gain = gains[i - 2 * kStep];
    if (gain.leader < oldest() || gain.leader >= size() || state_->forgotten.contains(gain.leader)) {
      return Error{ErrorCode::kCorrupt,
                   "a cluster whose leader is not there: " + std::to_string(gain.leader)};
    }
    clusters.restore(gain, rule);
  }
  return {};
}

std::vector<Sequence> Detector::forget(std::string_view id) {
  CHECK(state_->ids.has_value(), "documents are not known by their ids");
  std::vector<Sequence> versions;
  state_->ids->for_each(id, [&](Sequence sequence) { versions.push_back(sequence); });
  for (const Sequence sequence : versions) state_->forget(sequence);
  state_->ids->erase(id);
  return versions;
}

void Detector::expire(Sequence oldest) {
  State& state = *state_;
  CHECK(oldest <= size(), "what has not come cannot go");
  if (oldest <= state.uniques.oldest()) return;
  state.exact.expire(oldest);
  if (state.ids) state.ids->expire(oldest);
  state.forgotten.expire(oldest);
  if (state.fingerprints) state.fingerprints->expire(oldest);
  if (state.short_texts) state.short_texts->expire(oldest);
  if (state.mgrams) state.mgrams->route.expire(oldest);
  with(state.pages, [&](auto& pages) { pages.expire(oldest); });
  state.clusters.expire(oldest);
  state.uniques.expire(oldest);
}

Unique Detector::unique(Sequence sequence) const {
  CHECK(sequence >= oldest() && sequence < size(), "no such unique");
  const UniqueLog::Entry entry = state_->uniques.entry(sequence);
  return {.id = entry.id,
          .url = entry.url,
          .source = entry.source,
          .event_time_ms = entry.event_time_ms,
          .signature = {.exact = entry.exact, .fingerprint = entry.fingerprint, .tokens = entry.tokens},
          .kept = {}};
}

ClusterState Detector::cluster(Sequence leader) const {
  CHECK(leader >= oldest() && leader < size(), "no such unique");
  return state_->clusters.cluster(leader);
}
ClusterState Detector::cluster_with(const Arrival& arrival, Sequence leader) const {
  CHECK(leader >= oldest() && leader < size(), "no such unique");
  return state_->clusters.cluster_with(state_->joining(arrival, leader));
}
ClusterCounts Detector::cluster_counts() const { return state_->clusters.counts(); }
const std::string& Detector::cluster_rule() const { return state_->clusters.rule(); }

std::uint64_t Detector::size() const { return state_->uniques.size(); }
Sequence Detector::oldest() const { return state_->uniques.oldest(); }
std::uint64_t Detector::remembered() const { return size() - oldest() - state_->forgotten.size(); }

std::size_t Detector::bytes() const {
  std::size_t bytes =
      state_->uniques.bytes() + state_->exact.bytes() + state_->clusters.bytes() + state_->forgotten.bytes();
  if (state_->ids) bytes += state_->ids->bytes();
  if (state_->fingerprints) bytes += state_->fingerprints->bytes();
  if (state_->short_texts) bytes += state_->short_texts->index().bytes();
  if (state_->mgrams) bytes += state_->mgrams->route.bytes();
  with(state_->pages, [&](const auto& pages) { bytes += pages.bytes(); });
  return bytes;
}

std::size_t Detector::file_bytes() const { return state_->uniques.file_bytes(); }
const Status& Detector::file_status() const { return state_->uniques.status(); }

// Besides what is remembered, the answers hang on the options and on what a signature means.
Digest128 Detector::state_digest() const {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.u16(kSignatureVersion);
  writer.string(state_->options.text());
  writer.u64(size());
  writer.u64(oldest());
  writer.digest(state_->uniques.digest());
  if (state_->ids) writer.digest(state_->forgotten.digest());
  if (state_->fingerprints) writer.digest(state_->fingerprints->state_digest());
  if (state_->short_texts) writer.digest(state_->short_texts->index().digest());
  if (state_->mgrams) writer.digest(state_->mgrams->route.digest());
  with(state_->pages, [&](const auto& pages) { writer.digest(pages.digest()); });
  writer.digest(state_->clusters.digest());
  return digest128(bytes);
}

const DetectorOptions& Detector::options() const { return state_->options; }

}  // namespace neardup
