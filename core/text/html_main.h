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
// The steps have a file each: html_main.cc who takes part, and what is done where there is too little;
// html_main_vote.cc who wins; html_main_lead.cc how the article begins; html_main_clean.cc what of it goes;
// html_main_lines.h which of the lines that are left.
//
// Cost:    some passes over the containers, each up to five times; linear, counted by steps().
// Threads: none inside; one HtmlMainContent per reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/text/html_blocks.h"
#include "core/text/html_main_lines.h"
#include "core/text/html_sum.h"
#include "core/text/html_titles.h"

namespace neardup::internal {

class HtmlMainContent {
 public:
  // Replaces `text` by the main content of `page`; nothing, if there is none to be found, or a crumb only.
  void find(const HtmlPage& page, std::string& text);

  std::uint64_t steps() const { return steps_ + lines_.steps(); }  // of all calls
  std::size_t held_bytes() const;                                  // of memory, for the next page

 private:
  // What may be relaxed.
  struct Rules {
    bool drop_unlikely;
    bool drop_beside;  // sidebars and comments
    bool weigh_names;
    bool clean;
  };

  using Flag = HtmlContainer::Flag;
  using Trait = HtmlTrait::Flag;
  using Index = std::uint32_t;

  // Whether a container takes part.
  enum Life : std::uint8_t { kAlive, kDead };

  // What more than one step goes by.
  static constexpr std::uint32_t kVoteBytes = 25;  // shorter paragraphs have no vote
  static constexpr float kSectionLinks = .25F;     // a section with a larger share of links is a list of them
  static constexpr float kMostShare = .5F;         // most of the page

  // Of the containers that are kept.
  struct Kept {
    Index first;
    Index last;
  };

  struct Beginning {
    Index container = 0;  // that holds the article; 0: not found
    Index first = 0;      // what comes before this is no part of it
  };

  // html_main.cc
  void measure();
  void look_who_is_seen(bool revealed);
  bool begins_with_comments();
  void look_inside();
  void find_headlines();
  bool holds_headline(Index i) const;
  bool is_around_article(Index i);
  bool is_aside(Index i, bool by_name);
  bool is_box_in_text(Index i) const;
  bool is_paragraph(Index i) const;
  Index sibling_before(Index i) const;
  bool mark_dead(const Rules& rules);
  int weight_of(const Rules& rules, Index i) const;
  void add_up(const Rules& rules);
  bool is_piece(std::uint64_t kept);
  float subject_bytes();
  bool is_table_of_contents(std::uint64_t kept);
  bool is_plain_text_elsewhere(std::uint64_t kept);
  Kept best_kept();
  std::uint64_t keep_all_but_furniture();

  // html_main_vote.cc
  void hold_vote(const Rules& rules);
  void vote(Index container, std::uint32_t bytes, std::uint32_t commas);
  float name_score(const Rules& rules, Index i) const;
  void choose(const Rules& rules);
  Index best_container(const Rules& rules);
  Index common_ancestor(Index best, const Index* candidates, int count) const;
  Index climb(Index best);
  Index leave_table(Index best) const;
  Index widen_to_parallel_sections(Index best);
  Index widen_in_main(Index best);
  Index widen_to_prose(Index best);
  bool is_only_child(Index i) const;
  bool is_described(Index list) const;
  void choose_with_siblings(Index best);

  // html_main_lead.cc
  void choose_lead(Index best);
  Beginning beginning_of(Index best);
  Index last_before(const std::vector<Index>& headings, Index best) const;
  bool is_wrapped_only(Index i, Index above);

  // html_main_clean.cc
  std::uint64_t clean(const Rules& rules);
  bool is_nearly_all(float bytes) const;
  bool is_unwanted(const Rules& rules, Index i);
  bool looks_like_furniture(const Rules& rules, Index i);
  bool is_in_run(Index i) const;
  bool is_in_row(Index i) const;
  bool is_menu_cell(Index i) const;
  bool is_caption(Index i, const HtmlSum& sum) const;
  bool is_below_text(Index i, const HtmlSum& sum) const;
  bool are_captions_text();
  bool are_extras_text();
  template <class Kind>
  bool is_most_in(Kind is_of_it);
  bool repeats_title(Index i);
  bool is_data(Index i) const;
  bool is_data_table(Index i, const HtmlSum& sum) const;
  bool in_table(Index i) const;
  bool in_figure(Index i) const;

  bool is_comment_as_text(const HtmlContainer& each) const {
    return comments_are_text_ && each.has(Flag::kComments);
  }
  const HtmlContainer& at(Index i) const { return containers_[i]; }
  Index size() const { return size_; }

  const HtmlPage* page_ = nullptr;
  const HtmlContainer* containers_ = nullptr;  // of the page
  Index size_ = 0;                             // so many
  std::uint64_t steps_ = 0;

  // one each for every container
  std::vector<std::uint8_t> seen_;     // not hidden
  std::vector<std::uint32_t> inside_;  // bytes of it and of all seen inside; empty: not asked for
  std::vector<std::uint32_t> around_;  // which <article> or <main> it is in; known where inside_ is; 0: none
  std::vector<std::uint8_t> dead_;     // takes no part
  std::vector<HtmlSum> sum_;           // of who takes part
  std::vector<Index> stands_for_;      // itself, or what is around it if it is a wrapper around one paragraph
  std::vector<float> votes_;           // 0: none
  std::vector<float> score_;           // kNoVote: nobody voted for it
  std::vector<std::uint8_t> chosen_;   // by the vote
  std::vector<HtmlSum> left_;          // of what cleaning has left of the chosen
  std::vector<std::uint8_t> data_;     // inside of a table of data or preformatted text
  std::vector<std::uint8_t> keep_;
  std::vector<std::uint8_t> best_keep_;  // of the best attempt so far

  std::vector<Index> headlines_;  // every <h1>
  std::vector<Index> subheads_;   // every <h2>
  Index first_subhead_ = 0;       // that is not empty, where no <h1> is; 0: none
  bool headlines_known_ = false;
  bool any_unlikely_ = false;
  bool any_weight_ = false;
  bool any_comments_ = false;
  bool comments_are_text_ = false;  // and no remarks of readers
  float visible_bytes_ = 0;
  float prose_bytes_ = 0;           // of it, not in links
  Index first_main_ = 0;            // <main> or <article> that is seen; size_: none
  Index last_main_ = 0;             // 0: none
  Index root_ = 0;                  // what is chosen lies inside of it
  float kept_bytes_ = 0;            // when cleaning starts
  bool captions_are_text_ = false;  // most of it stands in captions
  bool extras_are_text_ = false;    // or in what is called a teaser, or the like
  bool little_furniture_ = false;   // nearly all that is visible was kept, before cleaning

  HtmlMainLines lines_;
  HtmlTitles titles_;
  std::string folded_;
  int headings_left_ = 0;
};

}  // namespace neardup::internal
