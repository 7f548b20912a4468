#include "core/text/html_line.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <span>
#include <vector>

#include "core/base/ascii.h"
#include "core/base/check.h"

namespace neardup::internal {
namespace {

constexpr std::size_t kLooseMax = 60;
constexpr std::size_t kDatelineMax = 120;
constexpr std::size_t kDateDigits = 6;  // of a day, at least: 2019-9-7

// Phrases that say so at the start of a line of up to kHtmlLineMax bytes. ASCII in lower case.
constexpr std::string_view kFirm[] = {
    // what to read next
    "read more:", "read or share", "related:", "see also:", "don't miss:", "don’t miss:",
    // share, follow, subscribe
    "follow us", "like us on", "sign up for our", "sign up to our", "subscribe to our", "subscribe now",
    "subscribe today", "get our newsletter", "get updates in", "click here to subscribe",
    // pictures
    "photo by", "photos by", "photo credit", "photo courtesy", "photograph by", "photography by",
    "image credit", "image courtesy", "image via", "picture credit", "screenshot by", "illustration by",
    // rights
    "copyright ©", "copyright (c)", "copyright 20", "copyright 19", "© ", "©20", "©19", "(c) 20",
    "all rights reserved", "this material may not be", "the-cnn-wire",
    // the page itself
    "article continues below", "story continues below", "continue reading the main", "skip advert",
    "filed to", "filed under:", "posted in:", "tagged:", "tags:", "your browser does not support",
    "javascript is disabled", "javascript is required", "javascript is not enabled",
    "javascript is turned off", "javascript must be enabled", "please enable javascript",
    "this content is not available", "this story was originally published",
    "this article was originally published", "this post contains affiliate", "already a subscriber",
    "automatically generated transcript", "press spacebar to",
    // archives of mailing lists
    "previous message:", "next message:", "previous by thread:", "next by thread:", "previous by date:",
    "next by date:", "messages sorted by:", "date prev]",
    // Chinese
    "（编辑", "（圖／", "图源", "圖／", "圖/", "原标题", "本文原标题", "（原题为", "转载请注明", "分享到",
    "分享至", "扫描二维码", "扫一扫", "关注我们", "欢迎关注", "更多精彩", "返回首页", "返回顶部", "【纠错】",
    "打开app", "看更多", "回首頁", "回頂端", "加入會員", "立即訂閱", "您需要登录后才可以", "图片来自网络",
    "图片均来自",
    // Japanese
    "関連商品", "あわせて読みたい", "合わせて読みたい", "こちらもおすすめ", "この記事をシェア",
    "このニュースをシェア", "ツイートする", "無断転載", "無断複製", "写真＝", "写真=", "画像提供", "（写真",
    "撮影／", "トップへ戻る", "ページの先頭", "ページトップ", "コメントを投稿", "メルマガ登録",
    "お問い合わせはこちら", "フォローする",
    // Korean
    "관련기사", "관련 기사", "관련뉴스", "관련 뉴스", "무단전재", "무단 전재", "저작권자", "ⓒ", "기사제보",
    "기사 제보", "사진=", "사진 =", "사진제공", "입력 20", "입력: 20", "수정 20", "이전글", "다음글",
    "많이 본 뉴스", "추천기사", "추천 기사", "구독하기", "태그:",
    // German, French, Spanish, Portuguese, Italian, Russian
    "lesen sie auch", "lesen sie mehr", "mehr zum thema", "auch interessant", "bildquelle",
    "foto:", "fotos:", "lire aussi", "à lire aussi", "À lire aussi", "a lire aussi", "lire la suite",
    "crédit photo", "partager cet", "sur le même sujet", "lea también", "leer más", "lee también",
    "te puede interesar", "le puede interesar", "más información:", "noticias relacionadas", "compartir en",
    "leia também", "leia mais", "saiba mais", "veja também", "leggi anche", "potrebbe interessarti",
    "Читайте также", "читайте также", "Фото:", "Поделиться", "Источник:",
    // German
    "das könnte sie auch", "das könnte dich auch", "das könnte euch auch", "weitere news",
    "verwandte artikel", "verwandte beiträge", "ähnliche artikel", "Ähnliche artikel", "ähnliche beiträge",
    "Ähnliche beiträge", "neueste artikel", "neueste beiträge", "passend zum thema", "zum weiterlesen",
    "artikel teilen", "beitrag teilen", "seite teilen", "diesen artikel teilen", "diesen beitrag teilen",
    "keine kommentare", "schreibe einen kommentar", "kommentar schreiben",
    "schlagwörter:", "schlagworte:", "titelbild:", "beitragsbild", "bildnachweis", "bildrechte",
    "alle rechte vorbehalten", "alle angaben ohne gewähr",
    // French, Spanish, Portuguese, Italian
    "voir aussi", "lire également", "à découvrir aussi", "articles similaires", "articles liés",
    "crédits photo", "tous droits réservés", "partager sur", "puedes ver:", "lee además", "lea además",
    "mira también", "te recomendamos", "artículos relacionados", "notas relacionadas",
    "todos los derechos reservados", "artigos relacionados", "notícias relacionadas",
    "todos os direitos reservados", "leggi tutto", "leggi di più", "articoli correlati",
    "tutti i diritti riservati", "riproduzione riservata",
    // Dutch, Swedish, Norwegian, Danish, Finnish, Polish, Czech, Indonesian, Vietnamese, Turkish ...
    "lees ook", "lees meer", "lees verder", "gerelateerde", "läs också", "läs även", "läs mer", "les også",
    "læs også", "lue myös", "czytaj też", "czytaj także", "czytaj również", "czytaj więcej", "zobacz też",
    "zobacz także", "zobacz również", "przeczytaj też", "przeczytaj także", "přečtěte si", "čtěte také",
    "Čtěte také", "baca juga", "xem thêm", "ilginizi çekebilir", "Читайте також", "читайте також",
    "Διαβάστε επίσης", "اقرأ أيضا", "यह भी पढ़ें"};

// What the banner says that asks for consent, and many a text about such banners, or about programs.
constexpr std::string_view kBanners[] = {"we use cookies",
                                         "this website uses cookies",
                                         "this site uses cookies",
                                         "our website uses cookies",
                                         "we and our partners",
                                         "by continuing to use",
                                         "wir verwenden cookies",
                                         "wir nutzen cookies",
                                         "diese website verwendet cookies",
                                         "diese webseite verwendet cookies",
                                         "nous utilisons des cookies",
                                         "ce site utilise des cookies",
                                         "utilizamos cookies",
                                         "este sitio web utiliza cookies",
                                         "questo sito utilizza",
                                         "本网站使用",
                                         "我们使用cookie",
                                         "当サイトでは"};

// The same unless the line is a sentence: "上一篇文章介绍了...，本文..." is text.
constexpr std::string_view kFirmButSentences[] = {
    // Chinese
    "相关阅读", "相关新闻", "相关报道", "相关文章", "相关链接", "相关推荐", "推荐阅读", "延伸阅读",
    "更多阅读", "阅读更多", "更多新闻", "猜你喜欢", "热门推荐", "热门新闻", "热门文章", "责任编辑",
    "文章来源", "本文来源", "图片来源", "原文链接", "本文链接", "版权声明", "版权所有", "免责声明",
    "特别声明", "上一篇", "下一篇", "发表评论", "网友评论", "发布时间", "发布于", "更新时间", "点击下载",
    "相關閱讀", "相關新聞", "相關報導", "相關文章", "相關連結", "推薦閱讀", "延伸閱讀", "更多新聞",
    "熱門新聞", "熱門文章", "責任編輯", "圖片來源", "照片來源", "版權聲明", "版權所有", "免責聲明", "上一則",
    "下一則", "發布時間", "發佈時間", "更新時間",
    // Japanese
    "関連記事", "関連リンク", "関連ニュース", "関連キーワード", "関連トピック", "おすすめ記事",
    "おすすめの記事", "人気記事", "新着記事", "続きを読む", "もっと見る", "最終更新", "掲載日", "前の記事",
    "次の記事", "コメントする"};

// The same where a colon or a bar follows: "来源：新华社", "编辑|张三".
constexpr std::string_view kLabels[] = {
    "编辑",     "责编", "作者", "来源",   "稿源", "图片", "标签", "关键词", "关键字",   "资料来源",
    "資料來源", "來源", "標籤", "關鍵字", "写真", "画像", "撮影", "タグ",   "カテゴリ", "カテゴリー"};

// The same in a paragraph of up to kLooseMax bytes.
constexpr std::string_view kLooseLabels[] = {"记者", "文",     "图",   "图文", "校对", "审核",
                                             "采写", "撰文",   "供稿", "供图", "摄影", "监制",
                                             "主编", "通讯员", "編輯", "出典", "提供"};

// What a label begins that tells who is responsible for what, up to kHtmlNoticeMax bytes of it.
constexpr std::string_view kNotices[] = {"免责声明", "版权声明", "版权申明", "免責聲明", "版權聲明"};

// Of who may copy it, where the line has one of kCopying too.
constexpr std::string_view kRights[] = {"未经授权", "未经许可", "未经本",   "未经书面",
                                        "版权所有", "未經授權", "未經許可", "版權所有"};
constexpr std::string_view kCopying[] = {"转载", "轉載", "侵权", "侵權", "必究", "摘编"};

// What stands behind the date of an article, with a colon or a bar; and before how often it was read.
constexpr std::string_view kBehindDates[] = {"来源",     "來源",     "稿源",     "作者", "责任编辑", "编辑",
                                             "文章来源", "稿件来源", "信息来源", "字体", "字号",     "发布"};
constexpr std::string_view kCounted[] = {"浏览", "瀏覽", "阅读", "閱讀", "点击",
                                         "點擊", "评论", "評論", "人气"};

// What people of a newspaper are, and of those what the name of the newspaper may stand before.
constexpr std::string_view kRoles[] = {"编辑", "责编", "校对", "摄影", "审核", "供稿"};
constexpr std::string_view kReporters[] = {"记者", "通讯员", "实习生", "記者", "通訊員"};

// The same where they are all of the line, or a colon follows. More may follow in a short line that is no
// sentence; but not in a heading or in an item of a list, which may be about what they say ("Show more than
// ten results", in an index), unless the heading announces links.
constexpr std::string_view kFirmWords[] = {
    // what to read next
    "read more on", "read more about", "read also", "also read", "read next", "read this next",
    "read the full", "related story", "related stories", "related article", "related articles",
    "related content", "related post", "related posts", "related news", "related coverage", "related link",
    "related links", "related topic", "related topics", "related video", "related videos",
    "more on this story", "more from ", "more stories", "more news", "you may also like",
    "you might also like", "you may like", "recommended for you", "recommended stories", "recommended read",
    "recommended video", "up next", "most read", "most popular", "trending now", "editor's pick",
    "editors' pick", "editor's picks", "editors' picks",
    // share, subscribe
    "share this", "share on ", "share via", "tweet this", "join us on", "find us on", "sign up for the",
    "get the latest", "email this", "print this", "enter your email", "by signing up",
    // pictures
    "photographs by", "image source", "hide caption", "toggle caption", "enlarge this image", "view gallery",
    "view image",
    // the page itself
    "advertisement", "skip to ", "skip to content", "skip to main content", "back to top", "load more",
    "show more", "leave a comment", "leave a reply", "add a comment", "post a comment", "view comments",
    "filed under", "posted in ", "your browser does not", "video transcript",
    // Japanese, Korean, German
    "会員登録", "利用規約", "プライバシーポリシー", "シェアする", "公開日", "更新日", "投稿日", "댓글",
    "공유하기", "weitere artikel", "weitere beiträge", "weitere nachrichten", "verwandte themen"};

// What is all of a line beside a post of a forum.
constexpr std::string_view kButtons[] = {
    "reply",      "reply with quote", "quote",        "report",        "report post",
    "post reply", "permalink",        "top",          "回复",          "引用",
    "举报",       "使用道具",         "使用道具举报", "使用道具 举报", "只看该作者",
    "倒序浏览",   "返回列表",         "发表回复",     "复制链接",      "支持",
    "反对",       "支持反对",         "返信",         "引用返信",      "通報"};

// Of a paragraph of up to kLooseMax bytes: a label, or a call to do something.
constexpr std::string_view kLoose[] = {
    // English
    "read more", "read:", "more:", "watch:", "watch now", "listen:", "listen now", "photo:", "photos:",
    "image:", "images:", "picture:", "pictures:", "video:", "credit:", "credits:", "source:", "follow @",
    "posted on", "posted by", "posted at", "last updated", "last modified", "comments are", "comments have",
    "share your", "email us", "email me",
    "topics:", "topic:", "categories:", "category:", "keywords:", "download the", "story highlights",
    "join date:", "joined:", "click here", "view all", "see all", "see more", "reuters/", "ap photo",
    "contributing:", "subscribe", "sign up", "log in", "login",
    // Chinese
    "機自",
    // German, French, Spanish, Portuguese, Italian, Dutch, Polish, Czech
    "quelle:", "quellen:", "bild:", "bilder:", "grafik:", "stand:", "weiterlesen", "drucken",
    "weitere themen", "zurück zur", "publié le", "mis à jour",
    "source :", "photo :", "fuente:", "fonte:", "bron:", "źródło:", "fot.", "zdroj:", "schlagwörter"};

// The same if it is no sentence: words that one may begin with too.
constexpr std::string_view kLooseWords[] = {
    // English
    "related", "via ", "courtesy ", "share", "published", "updated", "first published", "written by",
    "comments", "sponsored", "getty images", "print", "email",
    // Chinese, Japanese
    "摄影", "标签", "分享", "收藏", "举报", "记者", "記者", "標籤", "取材", "シェア", "タグ", "コメント",
    // German, Spanish, Italian, French
    "veröffentlicht", "aktualisiert", "kommentare", "teilen", "anzeige", "publicado", "actualizado",
    "pubblicato", "kategorie", "etiquetas", "condividi", "compartir", "partager"};

// Of those, what announces links.
constexpr std::string_view kMarkers[] = {
    // English
    "related", "read more", "read also", "also read", "read next", "see also", "more from ", "more on this",
    "more stories", "more news", "you may", "you might", "recommended", "most read", "most popular",
    "trending", "editor", "up next",
    // Chinese, Japanese, Korean
    "相关", "推荐", "延伸", "更多", "猜你", "热门", "熱門", "相關", "推薦", "猜你", "看更多", "関連",
    "あわせて", "合わせて", "おすすめ", "こちらも", "人気", "新着", "관련", "추천", "많이",
    // other languages
    "lesen sie", "mehr zum", "auch interessant", "lire aussi", "à lire", "À lire", "a lire", "sur le m",
    "lea tam", "lee tam", "te puede", "le puede", "noticias rel", "leia", "veja tam", "leggi", "potrebbe",
    "Читайте", "читайте", "das könnte", "weitere ", "verwandte", "ähnliche", "Ähnliche", "neueste",
    "passend zum", "zum weiter", "voir aussi", "lire ég", "à découvrir", "articles ", "lee además",
    "lea además", "mira tam", "te recomend", "artículos rel", "notas rel", "artigos rel", "notícias rel",
    "articoli", "lees ", "gerelat", "läs ", "les ogs", "læs ", "lue myös", "czytaj", "zobacz", "przeczytaj",
    "přečt", "čtěte", "Čtěte", "baca juga", "xem th", "ilginizi", "Διαβάστε", "اقرأ", "यह भी"};

// Headings of what is a section of a manual or an encyclopedia, though as labels they announce links.
constexpr std::string_view kSections[] = {"see also", "voir aussi", "zobacz też"};

// Words of a line that is nothing but a date.
constexpr std::string_view kDateWords[] = {
    // English
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov",
    "dec", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mon", "tue", "tues",
    "wed", "thu", "thur", "thurs", "fri", "sat", "sun", "am", "pm", "a", "p", "m", "gmt", "utc", "est", "edt",
    "et", "pst", "pdt", "pt", "cst", "cdt", "ist", "bst", "cet", "cest", "jst", "kst", "st", "nd", "rd", "th",
    "h", "on", "at", "of", "published", "updated", "posted", "date", "time", "last", "modified", "first",
    "ago", "hours", "hour", "minutes", "days", "day", "t", "z",
    // German
    "januar", "jänner", "februar", "märz", "mai", "juni", "juli", "oktober", "dezember", "okt", "dez",
    "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonnabend", "sonntag", "mo", "di",
    "mi", "do", "fr", "sa", "so", "uhr", "um", "am", "vom", "den", "der", "stand", "aktualisiert",
    "veröffentlicht", "erstellt", "zuletzt", "geändert", "datum",
    // French
    "janvier", "février", "mars", "avril", "juin", "juillet", "août", "septembre", "octobre", "novembre",
    "décembre", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche", "le", "à", "publié",
    "modifié", "mis", "jour", "mise",
    // Spanish
    "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
    "noviembre", "diciembre", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo", "de",
    "del", "el", "las", "a", "publicado", "actualizado",
    // Portuguese
    "janeiro", "fevereiro", "março", "maio", "junho", "julho", "setembro", "outubro", "novembro", "dezembro",
    "às", "atualizado", "em",
    // Italian
    "gennaio", "febbraio", "aprile", "maggio", "giugno", "luglio", "settembre", "ottobre", "novembre",
    "dicembre", "ore", "alle", "pubblicato", "aggiornato", "il",
    // Polish, Dutch, Swedish
    "stycznia", "lutego", "marca", "kwietnia", "maja", "czerwca", "lipca", "sierpnia", "września",
    "października", "listopada", "grudnia", "r", "godz", "januari", "februari", "maart", "mei", "augustus",
    "uur", "maj", "augusti",
    // Russian
    "января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября",
    "декабря"};

// Characters of a Chinese, Japanese or Korean date; each three bytes.
constexpr std::string_view kDateCharacters =
    "年月日时時分秒周週星期一二三四五六天曜火水木金土午前上下后後년월일시분초오전후요화수목금토";

constexpr std::size_t kDateMax = 60;
constexpr std::size_t kBylineMax = 50;
constexpr std::size_t kStartMax = 60;  // no phrase is longer, and no line of the other kinds
static_assert(kStartMax >= kDateMax && kStartMax >= kBylineMax && kStartMax >= kLooseMax);

constexpr std::size_t kStart = 3;  // bytes by which a phrase is found

// A number of so many bits for what begins alike.
std::size_t start_of(std::string_view text, int bits) {
  const auto at = [&](std::size_t i) -> std::uint32_t { return static_cast<unsigned char>(text[i]); };
  return (at(0) | at(1) << 8 | at(2) << 16) * 0x9E3779B1U >> (32 - bits);
}

// How the phrases of several lists begin. Most lines begin as none of them does.
class PhraseStarts {
 public:
  void add(std::string_view phrase) { starts_.set(start_of(phrase, kBits)); }

  // Whether one of the phrases may begin as `line` does.
  bool may_begin(std::string_view line) const {
    return line.size() >= kStart && starts_.test(start_of(line, kBits));
  }

 private:
  static constexpr int kBits = 14;
  std::bitset<std::size_t{1} << kBits> starts_;
};

// Phrases by how they begin; each compared with the start of a line.
class PhraseList {
 public:
  // starts: to which they are added, if given.
  template <std::size_t kSize>
  explicit PhraseList(const std::string_view (&phrases)[kSize], PhraseStarts* starts = nullptr) {
    std::array<std::vector<std::string_view>, kBuckets> by_start;
    for (const std::string_view phrase : phrases) {
      CHECK(phrase.size() >= kStart, "a phrase is too short to be found");
      by_start[start_of(phrase, kBucketBits)].push_back(phrase);
      if (starts != nullptr) starts->add(phrase);
    }
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
      phrases_.insert(phrases_.end(), by_start[bucket].begin(), by_start[bucket].end());
      ends_[bucket + 1] = static_cast<std::uint16_t>(phrases_.size());
    }
  }

  // Whether `line` begins with one of the phrases.
  bool begins(std::string_view line) const {
    return std::ranges::any_of(alike(line),
                               [&](std::string_view phrase) { return line.starts_with(phrase); });
  }

  // Whether `line` is one of the phrases.
  bool holds(std::string_view line) const {
    return std::ranges::any_of(alike(line), [&](std::string_view phrase) { return line == phrase; });
  }

  // Whether `line` begins with one of the phrases and a colon: a label.
  bool label(std::string_view line) const {
    constexpr std::string_view kColons[] = {":", "："};
    return begins_before(kColons, line);
  }

  // The same with what may as well stand between two words: "编辑|张三", "文/张三".
  bool marked(std::string_view line) const {
    constexpr std::string_view kMarks[] = {"|", "｜", "丨", "/", "／", "】", ">>"};
    return begins_before(kMarks, line);
  }

  bool begins_as_label(std::string_view line) const { return label(line) || marked(line); }

 private:
  static constexpr int kBucketBits = 10;
  static constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;

  bool begins_before(std::span<const std::string_view> marks, std::string_view line) const {
    return std::ranges::any_of(alike(line), [&](std::string_view phrase) {
      if (!line.starts_with(phrase)) return false;
      std::string_view rest = line.substr(phrase.size());
      if (rest.starts_with(' ')) rest.remove_prefix(1);
      return std::ranges::any_of(marks, [&](std::string_view mark) { return rest.starts_with(mark); });
    });
  }

  // Those that may begin as `line` does.
  std::span<const std::string_view> alike(std::string_view line) const {
    if (line.size() < kStart) return {};
    const std::size_t bucket = start_of(line, kBucketBits);
    return {phrases_.data() + ends_[bucket], phrases_.data() + ends_[bucket + 1]};
  }

  std::vector<std::string_view> phrases_;
  std::array<std::uint16_t, kBuckets + 1> ends_{};  // of bucket i at i + 1
};

bool has_any(std::string_view line, std::span<const std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return line.find(part) != std::string_view::npos; });
}

constexpr std::string_view kWideSpace = "　";
constexpr std::size_t kHan = 3;  // bytes of a character

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// Of the words for months, the scripts of two bytes a letter included.
bool is_date_letter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return is_ascii_letter(c) || (byte >= 0x80 && byte < 0xE0);
}

// `line` has at least four digits.
bool is_date(std::string_view line) {
  if (line.size() > kDateMax) return false;
  bool dated = false;  // by a word, by a character, or 10:15 or 12.16.14
  for (std::size_t i = 0; i < line.size();) {
    if (is_ascii_digit(line[i])) {
      dated |= i >= 2 && is_ascii_digit(line[i - 2]) &&
               std::string_view(".:/-").find(line[i - 1]) != std::string_view::npos;
      ++i;
    } else if (is_date_letter(line[i])) {
      std::size_t end = i;
      while (end < line.size() && is_date_letter(line[end])) ++end;
      const std::string_view word = line.substr(i, end - i);
      if (std::find(std::begin(kDateWords), std::end(kDateWords), word) == std::end(kDateWords)) return false;
      dated |= word.size() >= 3;
      i = end;
    } else if (static_cast<unsigned char>(line[i]) >= 0xE3) {
      const std::size_t at =
          i + 3 <= line.size() ? kDateCharacters.find(line.substr(i, 3)) : std::string_view::npos;
      if (at == std::string_view::npos || at % 3 != 0) return false;
      dated = true;
      i += 3;
    } else if (std::string_view(" ,.:;|/()-+").find(line[i]) != std::string_view::npos) {
      ++i;
    } else {
      return false;
    }
  }
  return dated;
}

// "2019-09-07 09:59　来源：新京报": when an article was written, and behind that by whom, or how many read it.
// "发表于 2019-9-7 10:12 | ...": when a post was.
bool is_dateline(std::string_view line) {
  static const PhraseList behind(kBehindDates);
  static const PhraseList counted(kCounted);
  constexpr std::string_view kClauses[] = {"，", "。"};
  if (line.size() > kDatelineMax) return false;
  constexpr std::string_view kPosted[] = {"发表于", "發表於"};
  const bool posted =
      std::ranges::any_of(kPosted, [&](std::string_view each) { return line.starts_with(each); });
  if (posted) line.remove_prefix(kPosted[0].size());
  std::size_t digits = 0;
  std::size_t i = 0;
  while (i < line.size()) {
    const std::string_view rest = line.substr(i);
    if (is_ascii_digit(rest[0])) {
      ++digits;
      ++i;
    } else if (std::string_view(" .:/-|").find(rest[0]) != std::string_view::npos) {
      ++i;
    } else if (rest.starts_with(kWideSpace)) {
      i += kWideSpace.size();
    } else {
      const std::size_t at = kDateCharacters.find(rest.substr(0, kHan));
      if (rest.size() < kHan || at == std::string_view::npos || at % kHan != 0) break;
      i += kHan;
    }
  }
  if (digits < kDateDigits || has_any(line, kClauses)) return false;
  const std::string_view rest = line.substr(i);
  if (posted && (rest.empty() || line[i - 1] == '|')) return true;
  const bool counts = counted.begins(rest) && std::ranges::any_of(rest, is_ascii_digit);
  return counts || behind.begins_as_label(rest) || behind.holds(rest);
}

// "新京报记者 张三 编辑 李四": what people are, and their names of up to four characters.
bool is_han_byline(std::string_view line) {
  constexpr std::size_t kNameMax = 4 * kHan;
  constexpr std::size_t kRoleMax = 10 * kHan;
  std::size_t words = 0;
  std::size_t roles = 0;
  while (!line.empty()) {
    const bool wide = line.starts_with(kWideSpace);
    if (wide || line.front() == ' ') {
      line.remove_prefix(wide ? kWideSpace.size() : 1);
      continue;
    }
    const std::string_view word = line.substr(0, std::min(line.find(' '), line.find(kWideSpace)));
    line.remove_prefix(word.size());
    // of ideographs only: no mark of the text is among U+4E00..U+9FFF
    for (std::size_t i = 0; i < word.size(); i += kHan) {
      const auto lead = static_cast<unsigned char>(word[i]);
      if (lead < 0xE4 || lead > 0xE9) return false;
    }
    const bool role =
        std::ranges::find(kRoles, word) != std::end(kRoles) ||
        std::ranges::any_of(kReporters, [&](std::string_view each) { return word.ends_with(each); });
    if (word.size() > (role ? kRoleMax : kNameMax) || (words == 0 && !role)) return false;
    ++words;
    roles += role ? 1 : 0;
  }
  return roles > 0 && words > roles;
}

// What stands before and behind a phrase without being of it.
bool is_lead(char c) {
  return c == ' ' || c == '-' || c == '*' || c == '>' || c == '|' || c == '[' || c == '(';
}
std::string_view without_lead(std::string_view line) {
  constexpr std::string_view kNoBreak = "\xC2\xA0";
  while (!line.empty()) {
    const std::size_t size = is_ascii(line.front())         ? (is_lead(line.front()) ? 1 : 0)
                             : line.starts_with(kWideSpace) ? kWideSpace.size()
                             : line.starts_with(kNoBreak)   ? kNoBreak.size()
                                                            : 0;
    if (size == 0) break;
    line.remove_prefix(size);
  }
  return line;
}

// "【编辑：张三】", "（来源：新华社）"
std::string_view without_bracket(std::string_view line) {
  static constexpr std::string_view kBrackets[] = {"（", "【", "［", "〔"};
  if (line.empty() || is_ascii(line.front())) return line;
  const bool any =
      std::ranges::any_of(kBrackets, [&](std::string_view each) { return line.starts_with(each); });
  return any ? line.substr(kHan) : line;
}

bool is_trail(char c) { return c == ' ' || c == ':' || c == '|' || c == ']' || c == ')'; }

bool is_mail_address(std::string_view line) {
  const std::size_t at = line.find('@');
  return line.size() <= kDateMax && at != std::string_view::npos && at > 0 &&
         line.find(' ') == std::string_view::npos && line.find('.', at) != std::string_view::npos;
}

// "By Jane Doe and John Roe": names, no sentence.
bool is_byline(std::string_view line, std::string_view lower) {
  if (line.size() > kBylineMax || line.ends_with('.')) return false;
  constexpr std::string_view kBy[] = {"by ", "von ", "par ",    "por ",  "door ",
                                      "di ", "av ",  "autor: ", "text: "};
  const auto by = std::find_if(std::begin(kBy), std::end(kBy),
                               [&](std::string_view each) { return lower.starts_with(each); });
  if (by == std::end(kBy)) return false;
  std::size_t words = 0;
  for (std::size_t i = by->size(); i < line.size(); ++i) {
    if (line[i - 1] != ' ' || line[i] == ' ') continue;
    const bool capital = line[i] >= 'A' && line[i] <= 'Z';
    if (!capital && !lower.substr(i).starts_with("and ") && !lower.substr(i).starts_with("de ") &&
        !lower.substr(i).starts_with("und ") && !lower.substr(i).starts_with("von "))
      return false;
    ++words;
  }
  return words >= 1 && words <= 7;
}

// "Share prices fell on Monday morning.": it ends in a stop, and has words that are no names. "Via Reuters."
// has none of those; a label has a colon.
bool is_sentence(std::string_view line) {
  constexpr std::size_t kWordMin = 3;  // shorter ones stand between names, too: "of", "de"
  constexpr int kWordsMin = 3;
  constexpr std::size_t kLongHan = 36;  // twelve characters
  constexpr std::string_view kClauses[] = {"，", "、"};
  constexpr std::string_view kGaps[] = {" ", kWideSpace};
  if (line.find(':') != std::string_view::npos) return false;
  if (line.ends_with("。"))
    return has_any(line, kClauses) || (line.size() >= kLongHan && !has_any(line, kGaps));
  if (!line.ends_with('.') && !line.ends_with('!') && !line.ends_with('?')) return false;
  int words = 0;
  for (std::size_t space = line.find(' '); space != std::string_view::npos;) {
    const std::size_t begin = space + 1;
    space = line.find(' ', begin);
    const std::string_view word = line.substr(begin, std::min(space, line.size()) - begin);
    if (word.size() >= kWordMin && !is_ascii_digit(word[0]) && ascii_lower(word[0]) == word[0]) ++words;
  }
  return words >= kWordsMin;
}

// "What the picture shows. Photo: Jane Doe", "... © The Agency": who made a picture stands behind what it
// shows.
bool is_credited(std::string_view line) {
  constexpr std::string_view kCopyright = "\xC2\xA9";
  if (line.find(kCopyright) != std::string_view::npos) return true;
  constexpr std::string_view kWords[] = {"foto",       "fotos",      "photo",      "photos",
                                         "fotocredit", "archivfoto", "symbolfoto", "credit",
                                         "credits",    "bild",       "grafik",     "fotografie"};
  for (std::size_t colon = line.find(':'); colon != std::string_view::npos;
       colon = line.find(':', colon + 1)) {
    std::array<char, 12> word{};
    std::size_t size = 0;
    const std::size_t end = colon > 0 && line[colon - 1] == ' ' ? colon - 1 : colon;
    while (size < word.size() && size < end && is_ascii_letter(line[end - size - 1])) {
      word[word.size() - 1 - size] = ascii_lower(line[end - size - 1]);
      ++size;
    }
    const std::string_view found(word.data() + word.size() - size, size);
    if (std::find(std::begin(kWords), std::end(kWords), found) != std::end(kWords)) return true;
  }
  return false;
}

bool has_stop(std::string_view line) {
  constexpr std::string_view kStops[] = {"。", "？", "！", "?", "!"};
  return std::ranges::any_of(kStops, [&](std::string_view stop) { return line.ends_with(stop); });
}

// All lists that a line is compared with.
struct Phrases {
  PhraseStarts starts;  // of all of them
  PhraseList firm{kFirm, &starts};
  PhraseList firm_but_sentences{kFirmButSentences, &starts};
  PhraseList firm_words{kFirmWords, &starts};
  PhraseList loose{kLoose, &starts};
  PhraseList loose_words{kLooseWords, &starts};
  PhraseList labels{kLabels, &starts};
  PhraseList loose_labels{kLooseLabels, &starts};
  PhraseList notices{kNotices, &starts};
  PhraseList rights{kRights, &starts};
  PhraseList markers{kMarkers, &starts};
  PhraseList buttons{kButtons, &starts};
  PhraseList sections{kSections, &starts};
  PhraseList banners{kBanners, &starts};
};

}  // namespace

HtmlLine html_line_kind(std::string_view line, HtmlLineOf of) {
  static const Phrases phrases;

  line = without_lead(line);
  const bool prose = of == HtmlLineOf::kProse;
  if (line.size() > kHtmlLineMax) {
    const bool notice = prose && line.size() <= kHtmlNoticeMax && !is_ascii(line.front()) &&
                        phrases.notices.begins_as_label(without_bracket(line));
    return notice ? HtmlLine::kFurniture : HtmlLine::kText;
  }
  while (!line.empty() && is_trail(line.back())) line.remove_suffix(1);
  // Phrases end in ':' where only that tells them from prose, and the line may have ended in it.
  std::array<char, 64> bytes{};
  static_assert(bytes.size() > kStartMax);
  const std::size_t size = std::min(line.size(), kStartMax);
  std::copy_n(line.begin(), size, bytes.data());
  std::uint8_t digits = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto c = static_cast<std::uint8_t>(bytes[i]);
    digits = static_cast<std::uint8_t>(digits + (static_cast<std::uint8_t>(c - '0') < 10));
    bytes[i] = static_cast<char>(c + (static_cast<std::uint8_t>(c - 'A') < 26) * ('a' - 'A'));
  }
  bytes[size] = ':';
  const std::string_view lower(bytes.data(), size);
  const std::string_view begin(bytes.data(), size + 1);
  const std::string_view inside = without_bracket(begin);

  const bool wide = !is_ascii(begin.front());

  const bool known = phrases.starts.may_begin(begin) || phrases.starts.may_begin(inside);

  if (known && of == HtmlLineOf::kHeading && phrases.sections.holds(lower)) return HtmlLine::kText;
  // What only lists of Chinese and Japanese hold.
  const auto is_wide_furniture = [&] {
    // A heading is a label only with a colon of its own.
    const std::string_view own = inside.substr(0, inside.size() - (of == HtmlLineOf::kHeading ? 1 : 0));
    if (phrases.labels.label(own) || phrases.notices.begins_as_label(own) ||
        phrases.firm_but_sentences.label(own))
      return true;
    if (phrases.labels.marked(inside) && !is_sentence(line)) return true;
    if (inside.size() != begin.size() && phrases.firm.begins(inside)) return true;
    if (phrases.firm_but_sentences.begins(inside) && !is_sentence(line)) return true;
    if (phrases.rights.begins(inside) && has_any(line, kCopying)) return true;
    return prose && line.size() <= kLooseMax && !has_stop(line) &&
           phrases.loose_labels.begins_as_label(inside);
  };
  const auto is_furniture = [&] {
    if (phrases.firm.begins(begin) || phrases.firm_words.label(begin) || (wide && is_wide_furniture()))
      return true;
    if (line.size() > kLooseMax) return false;
    if (prose && (phrases.loose.begins(begin) || phrases.buttons.holds(lower))) return true;
    const bool announces = of == HtmlLineOf::kHeading && phrases.markers.begins(lower);
    const bool words = ((prose || announces) && phrases.firm_words.begins(begin)) ||
                       (prose && phrases.loose_words.begins(begin));
    return words && !is_sentence(line);
  };
  if (known && is_furniture())
    return phrases.markers.begins(lower) ? HtmlLine::kMarker : HtmlLine::kFurniture;
  if (!prose) return HtmlLine::kText;
  if (known && phrases.banners.begins(begin)) return HtmlLine::kBanner;
  if (is_credited(line) || ((wide || digits >= kDateDigits) && is_dateline(line)))
    return HtmlLine::kFurniture;
  if (line.size() > kStartMax) return HtmlLine::kText;
  const bool other = (digits >= 4 && is_date(lower)) || is_mail_address(lower) || is_byline(line, lower) ||
                     (wide && is_han_byline(line));
  return other ? HtmlLine::kFurniture : HtmlLine::kText;
}

}  // namespace neardup::internal
