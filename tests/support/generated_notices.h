// Short formulaic notices: dividends, parcels, weather warnings, court reports, English and Chinese. Two
// notices of one form agree in most of their characters and are about different things, because names, dates,
// amounts and codes are drawn anew for each; calling one a duplicate of the other loses it. A word edited in
// a notice leaves it the same notice.
//
// The same seed gives the same bytes everywhere.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace neardup {

class GeneratedNotices {
 public:
  explicit GeneratedNotices(std::uint64_t seed) : random_(seed) {}

  static constexpr std::size_t forms() { return kForms.size(); }

  // A notice of the form, with fillings of its own.
  std::string notice(std::size_t form) { return filled(form_at(form)); }

  // A notice, and the same with one word of its form replaced, left out or put in (in Chinese a character
  // put in); names, dates and numbers stay.
  struct Pair {
    std::string notice;
    std::string edited;
  };
  Pair pair(std::size_t form) {
    const std::string changed = edited(form_at(form));
    const std::mt19937_64 before = random_;
    std::string notice = filled(form_at(form));
    random_ = before;
    return {std::move(notice), filled(changed)};
  }

 private:
  static std::string_view form_at(std::size_t form) {
    CHECK(form < kForms.size(), "there are no more forms");
    return kForms[form];
  }

  std::string edited(std::string_view pattern) {
    // The places of whole words of the form: letters between spaces, no filling, no number. In Chinese forms
    // a comma is such a place.
    std::vector<std::pair<std::size_t, std::size_t>> words;
    for (std::size_t begin = 0; begin < pattern.size();) {
      const std::size_t end = std::min(pattern.find(' ', begin), pattern.size());
      const std::string_view word = pattern.substr(begin, end - begin);
      if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos && word.size() > 1) {
        words.emplace_back(begin, end);
      }
      begin = end + 1;
    }
    std::string changed(pattern);
    if (words.empty()) {
      const std::size_t comma = pattern.find("，");
      changed.replace(comma, 3, random_() % 2 == 0 ? "，现" : "，请");
    } else {
      const auto [begin, end] = words[random_() % words.size()];
      static constexpr std::array<std::string_view, 6> kOthers = {"again", "also",  "further",
                                                                  "today", "later", "newly"};
      const std::string_view other = kOthers[random_() % kOthers.size()];
      switch (random_() % 3) {
        case 0:
          changed.replace(begin, end - begin, other);
          break;
        case 1:
          changed.replace(begin, end - begin + (end < changed.size()), "");
          break;
        default:
          changed.insert(begin, std::string(other) + ' ');
      }
    }
    return changed;
  }

  // {C} company, {P} person, {T} town, {N} number, {M} amount, {D} date, {H} time, {K} code, {R} rate
  static constexpr std::array<std::string_view, 26> kForms = {
      "{C} Inc sets quarterly. Qtly div {N} cts vs {N} cts prior. Pay {D}. Record {D}.",
      "{C} Corp 1st qtr net. Shr {N} cts vs {N} cts. Net {M} vs {M}. Revs {M} vs {M}.",
      "{C} Ltd said it bought {N} mln shares of {C} for {M} dlrs in cash.",
      "{N} ships are waiting to load at the port of {T}, up from {N} a week ago, the port authority said.",
      "Weather warning for {T}: heavy rain expected from {H} on {D}, up to {N} mm. Avoid unnecessary travel.",
      "Your parcel {K} will be delivered on {D} between {H} and {H}. Reply {N} to change the time.",
      "Dear {P}, your appointment with Dr {P} is on {D} at {H}. Please arrive ten minutes early.",
      "Flight {K} from {T} to {T} is delayed, new departure time {H}. We apologise for the inconvenience.",
      "Notice of meeting: the {T} parish council will meet on {D} at {H} in the village hall.",
      "{P}, {N}, of {T}, was fined {M} pounds at {T} magistrates court for speeding on {D}.",
      "Lost: black cat near {T}, answers to {P}. If found please call {K}. Reward {N} pounds.",
      "{T} beat {T} by {N} to {N} on {D}; {P} scored twice before the break.",
      "The dollar closed at {R} in {T} on {D}, from {R} the day before.",
      "Electrician wanted in {T}, salary {M}, apply to {P} at {C} before {D}.",
      "Roadworks: {P} Street in {T} will be closed from {D} to {D} between {H} and {H}.",
      "Your account ending {N} was debited with {M} on {D} at {C}. Your balance is {M}.",
      "Earthquake of magnitude {R} hits {N} km from {T} on {D} at {H}, no damage reported.",
      "Sold: three bedroom house, {N} {P} Street, {T}, for {M} pounds on {D}.",
      "{C} Corp said it expects to report a loss of about {N} cts a share for the quarter ended {D}.",
      "The board of {C} declared a dividend of {R} per share payable on {D} to holders of record on {D}.",
      "{C}公司公告，将于{D}召开第{N}次股东大会，审议每股派息{R}元的分红方案。",
      "{T}气象台{D}{H}发布暴雨蓝色预警信号，预计降雨量将达{N}毫米，请注意防范。",
      "您的快递{K}已到达{T}驿站，取件码{N}，请于{D}前领取。",
      "{P}同学，你的数学考试安排在{D}{H}，地点为{T}中学第{N}教室，请准时参加。",
      "{T}国际机场通知，航班{K}因天气原因延误，预计{H}起飞，敬请谅解。",
      "法院公告，{P}，本院受理{P}诉你买卖合同纠纷一案，定于{D}{H}开庭审理。"};

  std::string filled(std::string_view pattern) {
    std::string out;
    is_chinese_ = pattern.find("，") != std::string_view::npos;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '{') {
        out.push_back(pattern[i]);
        continue;
      }
      fill(pattern[i + 1], out);
      i += 2;
    }
    return out;
  }

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  std::string number(std::uint64_t least, std::uint64_t below) { return std::to_string(least + draw(below)); }

  void name(std::size_t syllables, std::string& out) {
    static constexpr std::array<std::string_view, 32> kSyllables = {
        "bar", "len", "ton", "wick", "mar",  "os",   "fen", "ley", "hol",  "den", "cas",
        "ter", "ham", "nor", "wes",  "by",   "gran", "ver", "mil", "ford", "an",  "der",
        "sen", "kor", "vil", "le",   "roth", "es",   "tam", "pur", "lin",  "qua"};
    static constexpr std::array<std::string_view, 40> kCharacters = {
        "东", "海", "明", "华", "金", "江", "南", "宁", "安", "天", "河", "龙", "山", "新",
        "云", "泰", "丰", "林", "福", "康", "伟", "芳", "娜", "强", "磊", "军", "洋", "勇",
        "艳", "杰", "娟", "涛", "超", "霞", "平", "刚", "桂", "兰", "成", "春"};
    if (is_chinese_) {
      for (std::size_t i = 0; i < 2 + draw(2); ++i) out += kCharacters[draw(kCharacters.size())];
      return;
    }
    const std::size_t begin = out.size();
    for (std::size_t i = 0; i < syllables; ++i) out += kSyllables[draw(kSyllables.size())];
    out[begin] = static_cast<char>(out[begin] - 'a' + 'A');
  }

  void fill(char kind, std::string& out) {
    static constexpr std::array<std::string_view, 12> kMonths = {
        "January", "February", "March",     "April",   "May",      "June",
        "July",    "August",   "September", "October", "November", "December"};
    switch (kind) {
      case 'C':
        name(2, out);
        if (draw(2) == 0 && !is_chinese_) {
          out += ' ';
          name(1 + draw(2), out);
        }
        break;
      case 'P':
      case 'T':
        name(2 + draw(2), out);
        break;
      case 'N':
        out += number(2, 97);
        break;
      case 'M':
        out += draw(2) == 0 ? number(100, 900) : number(1, 99) + ',' + number(100, 900);
        break;
      case 'R':
        out += number(0, 9) + '.' + number(10, 90);
        break;
      case 'K':
        out += std::string(1, static_cast<char>('A' + draw(26))) + static_cast<char>('A' + draw(26)) +
               number(1000, 9000);
        break;
      case 'D':
        out += is_chinese_ ? number(1, 12) + "月" + number(1, 28) + "日"
                           : std::string(kMonths[draw(12)]) + ' ' + number(1, 28);
        break;
      case 'H':
        out += is_chinese_ ? number(1, 23) + "时" : number(1, 23) + ':' + number(10, 50);
        break;
      default:
        CHECK(false, "no such filling");
    }
  }

  std::mt19937_64 random_;
  bool is_chinese_ = false;
};

}  // namespace neardup
