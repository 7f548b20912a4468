#include "core/fingerprint/signer.h"

#include <gtest/gtest.h>

#include <string>

#include "core/fingerprint/hamming.h"
#include "core/fingerprint/simhash.h"
#include "core/text/html_text.h"

namespace neardup {
namespace {

Document text_document(std::string body) {
  Document document;
  document.id = "id";
  document.body = std::move(body);
  return document;
}

Document html_document(std::string body) {
  Document document = text_document(std::move(body));
  document.format = Document::Format::kHtml;
  return document;
}

Signature signature_of(const Document& document) {
  Signer signer;
  Signature signature;
  EXPECT_EQ(signer.sign(document, signature), std::nullopt) << document.body;
  return signature;
}

// Some hundred different words, as a page has them.
std::string page(int words) {
  std::string text;
  for (int i = 0; i < words; ++i)
    text += "word" + std::to_string(i * i % 1009) + (i % 12 == 11 ? ".\n" : " ");
  return text;
}

TEST(Signer, signs_the_canonical_text) {
  const Signature signature = signature_of(text_document("  Hello,\tWORLD! "));
  EXPECT_EQ(signature.exact, digest128("hello world"));
  EXPECT_EQ(signature.fingerprint, simhash("hello world"));
  EXPECT_EQ(signature.tokens, 2U);
}

TEST(Signer, what_it_gave_back_changes_no_signature) {
  const Document document = html_document("<p>" + page(2000) + "</p>");
  Signer signer;
  Signature before;
  ASSERT_EQ(signer.sign(document, before), std::nullopt);
  EXPECT_GT(signer.held_bytes(), document.body.size());
  signer.give_back();
  EXPECT_LT(signer.held_bytes(), 1000U);
  Signature after;
  ASSERT_EQ(signer.sign(document, after), std::nullopt);
  EXPECT_EQ(after, before);
}

TEST(Signer, makes_a_minhash_where_it_is_asked_for_on_every_route) {
  const Document document = text_document(page(200));
  Fingerprint bits;
  for (const RouteParts routes :
       {RouteParts::kNone, RouteParts::kLong, RouteParts::kBoth, RouteParts::kMgrams}) {
    Signer signer({.fingerprint = FingerprintKind::kMinHash, .routes = routes});
    Signature signature;
    RouteSignature route;
    ASSERT_EQ(signer.sign(document, signature, route), std::nullopt);
    ASSERT_EQ(signer.sign(document, signature, route), std::nullopt) << "nothing is left of the last text";
    if (routes == RouteParts::kNone) bits = signature.fingerprint;
    EXPECT_EQ(signature.fingerprint, bits);
    EXPECT_NE(signature.fingerprint, signature_of(document).fingerprint);
  }
  EXPECT_EQ(SignerOptions({.fingerprint = FingerprintKind::kMinHash}).text(), "fingerprint.kind=minhash");
}

TEST(Signer, ways_of_writing_the_same_text_have_one_signature) {
  const Signature signature = signature_of(text_document("Café 2021: news & more"));
  for (const char* other :
       {"cafe 2021 news more", "CAFE\xCC\x81 2021... NEWS\n\n(more)", "ｃａｆé　２０２１ news more",
        "ca\xC2\xAD"
        "fe\xE2\x80\x8B 2021 news more"}) {
    EXPECT_EQ(signature_of(text_document(other)), signature) << other;
  }
}

TEST(Signer, a_page_whose_main_text_has_no_token_is_signed_by_all_its_text) {
  std::string page = "<p>|</p>";
  std::string text;
  for (int i = 0; i < 20; ++i) {
    page += "<div class=menu><a href=x>Place " + std::to_string(i) + "</a></div>";
    text += (i == 0 ? "place " : " place ") + std::to_string(i);
  }
  ASSERT_EQ(HtmlReader().read(page).text, "|");
  EXPECT_EQ(signature_of(html_document(page)), signature_of(text_document(text)));
}

TEST(Signer, says_of_each_document_whether_its_main_text_could_be_told) {
  Signer signer;
  const auto fell_back = [&](const Document& document) {
    Signature signature;
    EXPECT_EQ(signer.sign(document, signature), std::nullopt) << document.body;
    return signer.fell_back();
  };
  const std::string hidden = "<div style='display:none'>Only this</div>";
  std::string marks = "<p>|</p>";
  for (int i = 0; i < 20; ++i) marks += "<div class=menu><a href=x>Place " + std::to_string(i) + "</a></div>";
  EXPECT_TRUE(fell_back(html_document(hidden)));
  EXPECT_FALSE(fell_back(html_document("<p>" + page(100) + "</p>")));
  EXPECT_TRUE(fell_back(html_document(marks)));
  EXPECT_FALSE(fell_back(text_document(hidden))) << "a text is no page";
  EXPECT_TRUE(fell_back(html_document(hidden)));
  Document digest = text_document("sha1:A");
  digest.format = Document::Format::kDigest;
  EXPECT_FALSE(fell_back(digest));
}

TEST(Signer, only_body_and_format_play_a_part) {
  Document a = text_document("the same words");
  Document b = a;
  b.id = "another";
  b.url = "http://another/";
  b.event_time_ms = 1;
  b.source = {.topic = 1, .partition = 2, .offset = 3};
  EXPECT_EQ(signature_of(a), signature_of(b));
}

TEST(Signer, html_is_signed_by_its_text) {
  EXPECT_EQ(signature_of(html_document("<html><body><p>Hello <b>big</b> world</p></body></html>")),
            signature_of(text_document("hello big world")));
  EXPECT_NE(signature_of(text_document("<p>hello</p>")), signature_of(html_document("<p>hello</p>")))
      << "what is declared text is text";
}

TEST(Signer, what_is_known_by_a_digest_alone_is_like_nothing_else) {
  Document document = text_document("sha1:2HBVXV7ZWYN5T2QMGMBT4DCDKJHGJ3BV");
  const Signature as_text = signature_of(document);
  document.format = Document::Format::kDigest;
  const Signature signature = signature_of(document);
  EXPECT_EQ(signature, signature_of(document));
  EXPECT_EQ(signature.tokens, 1U);
  EXPECT_NE(signature.exact, as_text.exact) << "no text is the same";
  for (const RouteParts routes :
       {RouteParts::kNone, RouteParts::kLong, RouteParts::kBoth, RouteParts::kMgrams}) {
    Signer signer({.routes = routes});
    Signature made;
    RouteSignature route;
    ASSERT_EQ(signer.sign(text_document(page(200)), made, route), std::nullopt);
    ASSERT_EQ(signer.sign(document, made, route), std::nullopt);
    EXPECT_EQ(made, signature);
    EXPECT_TRUE(route.is_empty());
    EXPECT_EQ(signer.canonical().tokens, 0U) << "nothing is left of the last text";
  }
  document.body.back() = 'W';
  const Signature other = signature_of(document);
  EXPECT_NE(other.exact, signature.exact);
  EXPECT_GT(hamming_distance(other.fingerprint, signature.fingerprint), 7);
  document.body.clear();
  Signature none;
  EXPECT_EQ(Signer().sign(document, none), RejectReason::kNoTokens);
}

TEST(Signer, a_text_without_a_letter_or_digit_is_rejected) {
  Signer signer;
  const Signature before{.exact = {1, 2}, .fingerprint = {3}, .tokens = 4};
  Signature signature = before;
  for (const char* body : {"", "   \n", "...!?", "\xFF\xFE", "😀"}) {
    EXPECT_EQ(signer.sign(text_document(body), signature), RejectReason::kNoTokens) << body;
    EXPECT_EQ(signature, before);
  }
  EXPECT_EQ(signer.sign(html_document("<p></p><!-- nothing -->"), signature), RejectReason::kNoTokens);
}

TEST(Signer, a_signer_keeps_nothing_of_the_documents_before) {
  const Document longer = html_document("<p>" + page(1000) + "</p>");
  const Document shorter = text_document("short");
  Signer used;
  Signature signature;
  ASSERT_EQ(used.sign(longer, signature), std::nullopt);
  ASSERT_EQ(used.sign(shorter, signature), std::nullopt);
  EXPECT_EQ(signature, signature_of(shorter));
  ASSERT_EQ(used.sign(text_document(""), signature), RejectReason::kNoTokens);
  ASSERT_EQ(used.sign(longer, signature), std::nullopt);
  EXPECT_EQ(signature, signature_of(longer));
}

// Why not a digest alone: a page that counts its visits or tells the time is another text on every visit.
TEST(Signer, a_counter_or_a_time_on_a_page_moves_few_bits) {
  const std::string body = page(1000);
  const Signature first = signature_of(text_document(body + "Visits: 1041. 2021-02-11 10:15"));
  const Signature second = signature_of(text_document(body + "Visits: 1042. 2021-02-11 10:41"));
  EXPECT_NE(first.exact, second.exact);
  EXPECT_LE(hamming_distance(first.fingerprint, second.fingerprint), 3);
  const Signature other =
      signature_of(text_document("Another page, " + std::string("of other words. ") + page(7)));
  EXPECT_GT(hamming_distance(first.fingerprint, other.fingerprint), 10);
}

}  // namespace
}  // namespace neardup
