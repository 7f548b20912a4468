// Which blocks of a page are its main content?
//
// Readability's idea (Arc90, Mozilla) on the flat lists of html_blocks.h, without a tree: paragraphs vote for
// the containers around them, by their length and their commas; links and telling names weigh against or for;
// the best container wins, with its qualified siblings; what looks like furniture inside of it goes. When too
// little is left the rules are relaxed, one after the other.
//
// Lengths are bytes of UTF-8: a Han character weighs what three Latin letters do, which is about what it
// says, so one set of thresholds serves all scripts.
//
// Cost:    some passes over the containers, each up to five times; linear, counted by steps().
// Threads: none inside; one HtmlMainContent per reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/html_blocks.h"

namespace neardup::internal {

class HtmlMainContent {
 public:
  // Replaces `text` by the main content of `page`; nothing, if there is none to be found, or a crumb only.
  void find(const HtmlPage& page, std::string& text);

  std::uint64_t steps() const { return steps_; }  // of all calls

 private:
  // What may be relaxed.
  struct Rules {
    bool drop_unlikely;
    bool weigh_names;
    bool clean;
  };

  // Of a container and all that is kept inside of it.
  struct Sum {
    std::uint32_t bytes = 0;
    std::uint32_t link_bytes = 0;
    std::uint32_t commas = 0;
    std::uint32_t images = 0;
    std::uint32_t inputs = 0;
    std::uint32_t embeds = 0;
    std::uint32_t paragraphs = 0;
    std::uint32_t items = 0;
    std::uint32_t cells = 0;
    std::uint32_t tables = 0;
    std::uint32_t heading_bytes = 0;
    std::uint32_t list_bytes = 0;
    std::uint32_t data = 0;                // header cells, heads and captions, of no table inside
    std::uint32_t children = 0;            // that are blocks
    std::uint32_t paragraph_children = 0;  // of those, paragraphs

    float link_density() const {
      return bytes == 0 ? 0 : static_cast<float>(link_bytes) / static_cast<float>(bytes);
    }
  };

  using Index = std::uint32_t;

  struct Beginning {
    Index container = 0;  // that holds the article; 0: not found
    Index first = 0;      // what comes before this is no part of it
  };

  // Kept blocks that follow each other without a gap.
  struct Line {
    std::uint32_t first_block;
    std::uint32_t end_block;
    std::uint32_t bytes;
    std::uint32_t link_bytes;
    bool keep;
    bool cut_behind;  // what follows it in the page was not kept
  };

  void measure();
  void look_inside();
  const std::vector<Index>& headlines();
  bool is_around_article(Index i);
  bool mark_dead(const Rules& rules);
  void hold_vote(const Rules& rules);
  void add_up(const Rules& rules);
  void vote(Index container, std::uint32_t bytes, std::uint32_t commas);
  void choose(const Rules& rules);
  Index best_container(const Rules& rules);
  Index common_ancestor(Index best, const Index* candidates, int count) const;
  Index climb(Index best);
  Index leave_table(Index best) const;
  Index widen_to_parallel_sections(Index best);
  void choose_with_siblings(Index best);
  bool is_wrapped_only(Index i, Index above);
  Beginning beginning_of(Index best);
  void choose_lead(Index best);
  bool is_table_of_contents(std::uint64_t kept);
  std::uint64_t keep_all_but_furniture();
  std::uint64_t clean(const Rules& rules);
  bool is_caption(Index i, const Sum& sum) const;
  bool are_captions_text();
  bool is_unwanted(const Rules& rules, Index i);
  bool looks_like_furniture(const Rules& rules, Index i);
  bool repeats_title(Index i);
  bool is_title(std::string_view folded);
  void take_in(Index i, const Sum& sum, Sum& to) const;
  void cut_lines();
  void drop_furniture_lines();
  bool is_labelled_link(const Line& line);
  void drop_link_lines();
  void drop_orphaned_headings();
  std::string_view text_of(const Line& line);
  void write(std::string& text) const;

  const HtmlContainer& at(Index i) const { return containers_[i]; }
  Index size() const { return size_; }
  void start_sum(Index i, Sum& sum) const;
  bool is_phrase(Index i, const Sum& sum) const;
  static bool is_prose(const Sum& sum);
  bool in_table(Index i) const;
  bool in_figure(Index i) const;
  bool is_data(Index i) const;
  bool is_data_table(Index i, const Sum& sum) const;
  bool is_in_run(Index i) const;
  bool is_only_child(Index i) const;
  float name_score(const Rules& rules, Index i) const;

  const HtmlPage* page_ = nullptr;
  const HtmlContainer* containers_ = nullptr;  // of the page
  Index size_ = 0;                             // so many
  std::uint64_t steps_ = 0;

  // one each for every container
  std::vector<std::uint8_t> seen_;     // not hidden
  std::vector<std::uint32_t> inside_;  // bytes of it and of all seen inside; empty: not asked for
  std::vector<std::uint8_t> dead_;     // takes no part
  std::vector<Sum> sum_;               // of who takes part
  std::vector<Index> stands_for_;      // itself, or what is around it if it is a wrapper around one paragraph
  std::vector<float> votes_;           // 0: none
  std::vector<float> score_;           // kNoVote: nobody voted for it
  std::vector<std::uint8_t> chosen_;   // by the vote
  std::vector<Sum> left_;              // of what cleaning has left of the chosen
  std::vector<std::uint8_t> data_;     // inside of a table of data or preformatted text
  std::vector<std::uint8_t> keep_;
  std::vector<std::uint8_t> best_keep_;  // of the best attempt so far

  std::vector<Index> headlines_;
  bool headlines_known_ = false;
  bool any_unlikely_ = false;
  bool any_weight_ = false;
  float visible_bytes_ = 0;
  float prose_bytes_ = 0;           // of it, not in links
  Index root_ = 0;                  // what is chosen lies inside of it
  float kept_bytes_ = 0;            // when cleaning starts
  bool captions_are_text_ = false;  // most of it stands in captions
  bool little_furniture_ = false;   // nearly all that is visible was kept

  std::vector<Line> lines_;
  std::string line_;

  std::string titles_[2];  // folded; empty: not asked for, or none
  bool titles_folded_ = false;
  std::string folded_;
  int headings_left_ = 0;
};

}  // namespace neardup::internal
