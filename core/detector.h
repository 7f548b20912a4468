// Is this document new, or a near-duplicate of an earlier one, and of which?
//
// The front door of core. `apply` decides one document and remembers it if it is unique; `restore` takes back
// what an earlier run decided. The leader rule lives here: a document is a duplicate iff it matches an
// earlier document that was itself unique; only uniques are kept; among all matches the lowest sequence
// number wins, so the answer is the first one seen, stable under replay and scale-out.
//
//   apply ─┬─ exact_index: same canonical text, or digest of a content?         kind exact
//          └─ hybrid   ─┬─ short text: short_route, by edit distance          kind short
//                       └─ page:       long_route, by sketches                kind near
//             simhash  ─── hamming_index: fingerprints within k bits?         kind near
//                          and, if so wished, sketches that agree
//             mgram    ─── mgram_route: texts that share a run of m units     kind short
//
// Where documents are known by their ids as well (by_id), a decision names the version before, and `forget`
// takes all versions of a document back. It never says what is a duplicate.
//
// Cost:    one hash probe, then what the route says; memory per unique is `bytes() / size()`, and what names
//          it lies in a file (unique_log.h); for clusters see detector/clusters.h. Threads: none inside, but
//          for those of restore_on(). One order of calls gives one state; a state is never shared while it
//          changes. Source: core/DESIGN.md, "the leader rule".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/arrival.h"
#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/cluster.h"
#include "core/decision.h"
#include "core/detector/mgram_options.h"
#include "core/fingerprint/signer_options.h"

namespace neardup {

class ExactSimilarity;
class Returning;

enum class DetectorMode : std::uint8_t { kHybrid, kSimhash, kMgram };
inline constexpr std::array<std::string_view, 3> kDetectorModeNames = {"hybrid", "simhash", "mgram"};

struct DetectorOptions {
  DetectorMode mode = DetectorMode::kHybrid;
  unsigned threshold_permille = 800;          // of similarity, 500 .. 1000
  SketchSize sketch = SketchSize::kStandard;  // as the signer's
  // Mode hybrid: how many tokens of a short text may not be replaced (replaced_tokens.h).
  unsigned short_tokens_permille = 800;   // 0 .. 1000; 0: any may
  unsigned short_numbers_permille = 920;  // the same where numbers are among them
  // Mode simhash.
  FingerprintKind fingerprint = FingerprintKind::kSimHash;  // as the signer's, which names it
  int distance = 3;                                         // 0 .. kHammingDistanceMax bits
  bool verify_sketch = false;  // a match must also be as alike as the threshold asks, by its sketch
  // Mode mgram.
  unsigned gram_size = 4;  // m, 1 .. kMgramSizeMax units
  MgramUnits gram_units = MgramUnits::kCharacters;
  MgramMeasure measure = MgramMeasure::kEdit;

  // Mode simhash: which tables find the fingerprints, by name (covering_names.h); empty: the fastest for
  // most. Memory and speed hang on it, no decision: a history may come back under another.
  std::string covering = {};

  // Where the file lies that names the uniques (unique_log.h); empty: no file, all in memory.
  std::string directory = {};
  // Whether documents are known by their ids: 9.3 bytes of memory a unique (id_index.h). A history may come
  // back under the other choice, unless uniques were forgotten by their ids.
  bool by_id = false;
  // Of the hash of ids, which strangers may choose: secret_seed() for who reads from strangers. No decision
  // hangs on it.
  std::uint64_t id_seed = 0;
  // Asked wherever sketches would be; it must outlive the detector. Null: the sketches are asked.
  const ExactSimilarity* exact = nullptr;

  // Who represents those that say the same, and who is watched. It changes no decision.
  ClusterOptions clusters = {};

  // What signatures these options need. Those of mode mgram need the stop words besides, if any.
  RouteParts routes() const;
  BandLayout layout() const;
  MgramOptions mgrams() const { return {.m = gram_size, .over = gram_units}; }

  // What tells these options from the defaults, which are "": `detector.NAME=value` of each that differs.
  std::string text() const;
};

class Detector {
 public:
  // REQUIRES: options in their ranges.
  explicit Detector(const DetectorOptions& options);
  ~Detector();
  Detector(Detector&&) noexcept;
  Detector& operator=(Detector&&) noexcept;

  // Starts to load what deciding will read first; and, once that is here, what it leads to: worth calling for
  // the next document but one of a batch, and for the next.
  void prefetch(const Arrival& arrival) const;
  void prefetch_rest(const Arrival& arrival) const;

  // Decides, and remembers `arrival` if the decision is kUnique; its views need to live only as long as the
  // call. Then appends to `kept`, if there is one, what restore() wants as Unique::kept.
  // REQUIRES: size() - oldest() < kUniquesMax; arrival.route if options.routes() says so.
  Decision apply(const Arrival& arrival, std::string* kept = nullptr);

  // What `apply` would decide now, and remembers nothing: the answer for a question. A unique has the number
  // that it would get. No other call may run meanwhile: a look-up uses working memory, and counts.
  Decision check(const Arrival& arrival) const;

  // apply() appends no more than so many bytes to `kept`; kUniqueKeptBytesMax, whatever the document.
  static std::size_t kept_bytes_max(const RouteSignature& route);

  // What the last `apply` or `check` cost: the fingerprints, sketches or texts it compared, 0 if the same
  // text was known. No part of the state: a digest or a replay knows nothing of it.
  std::uint64_t candidates() const;

  // What all look-ups cost so far. No part of the state either.
  struct LookupCounts {
    std::uint64_t slow = 0;       // look-ups that read more than 16 KiB of crowded buckets
    std::uint64_t truncated = 0;  // bands of uniques that could not be posted, because all their keys were
                                  // full. Mode mgram: uniques posted under no gram, look-ups that met more
                                  // texts than may be compared, texts judged by their beginning. Mode
                                  // simhash: none, its crowded buckets are read whole
    std::uint64_t largest_bucket = 0;  // the most fingerprints, or texts with one gram, that ever shared one
    std::uint64_t full_keys = 0;       // keys of bands, or grams, that got as many postings as they may have
    std::uint64_t hot_features = 0;    // features so common that keys of them are extended
  };
  LookupCounts lookup_counts() const;

  // Remembers uniques that were decided before, the first as sequence number size(), without deciding again;
  // what the next ones will need is on its way meanwhile, so many at once come faster than one by one.
  // Error kCorrupt: what was kept of one is not what apply() made; then it and those behind it are not here.
  Status restore(std::span<const Unique> uniques);
  Status restore(const Unique& unique) { return restore({&unique, 1}); }
  // The same of [begin, end) of those that were prepared for a detector of these options, perhaps by another
  // thread. `decided_by`: the options().text() of the detector that decided them, knowing all that is
  // remembered here; without it pages are taken to be of this layout(). Look-ups of mode simhash are faster
  // where all were decided by these very options.
  void restore(const Returning& returning, std::size_t begin, std::size_t end,
               std::optional<std::string_view> decided_by = {});

  // From now on restore() works on so many threads, until it is told of another number. It changes no byte of
  // the state. The first one, which calls, does all that has an order; the others share the tables of exact
  // hashes and of pages. REQUIRES: threads >= 1.
  void restore_on(int threads);

  // Takes back what duplicates added to clusters, as a journal stored it, behind their leaders. `rule`: the
  // cluster_rule() of the detector that decided them. Error kCorrupt: a leader is not remembered; then that
  // gain and those behind it are not here.
  Status restore(std::span<const ClusterGain> gains, std::string_view rule);
  Status restore(const ClusterGain& gain, std::string_view rule) { return restore({&gain, 1}, rule); }

  // Forgets all uniques with this id, and their clusters: their texts are new again. Returns them, the latest
  // first. Their sequence numbers are nobody's any more, and count for expire() as before; what the log and
  // the columns hold of them goes when they expire, what finds them goes now, or when its room is asked for.
  // REQUIRES: options().by_id.
  std::vector<Sequence> forget(std::string_view id);

  // Forgets all uniques below `oldest`, and their clusters: they are new again.
  void expire(Sequence oldest);

  // The cluster of a unique as it is now: a duplicate counts from the apply() that decided it. One that is
  // forgotten by its id leads nobody. REQUIRES: oldest() <= leader < size().
  ClusterState cluster(Sequence leader) const;
  // As it would be with `arrival`, which check() called a duplicate of `leader`.
  ClusterState cluster_with(const Arrival& arrival, Sequence leader) const;
  ClusterCounts cluster_counts() const;
  // By what representatives are ranked, "" for the default; a journal stores it beside them.
  const std::string& cluster_rule() const;

  // Also of one that is forgotten by its id: until it expires, verdicts that name it can still be told. So
  // long its views live. REQUIRES: oldest() <= sequence < size().
  Unique unique(Sequence sequence) const;

  // Uniques ever remembered; also the next sequence number.
  std::uint64_t size() const;
  Sequence oldest() const;  // those before are forgotten
  // Uniques that are remembered now: from oldest() on, without those forgotten by their ids.
  std::uint64_t remembered() const;

  // Bytes of memory held by the indexes and the log of uniques: every table, arena and array, counted, not
  // estimated. file_bytes() are those of the file that names the uniques.
  std::size_t bytes() const;
  std::size_t file_bytes() const;
  // Not ok as long as options.directory does not take what it should, which then is in memory: why.
  const Status& file_status() const;

  // A digest of everything remembered, in order. Two detectors with equal digests give equal answers for
  // ever.
  Digest128 state_digest() const;

  const DetectorOptions& options() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace neardup
