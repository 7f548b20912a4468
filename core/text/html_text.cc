#include "core/text/html_text.h"

#include <cstddef>
#include <string>

#include "core/base/free_memory.h"
#include "core/limits.h"
#include "core/text/html_blocks.h"
#include "core/text/html_element.h"
#include "core/text/html_foreign.h"
#include "core/text/html_main.h"
#include "core/text/html_text_writer.h"
#include "core/text/html_tokenizer.h"

namespace neardup {
namespace {

using internal::HtmlElement;
using internal::HtmlTag;

// The sink of HtmlTokenizer that writes all text there is.
class PlainText {
 public:
  PlainText(const internal::HtmlKernels& kernels, std::string_view html, char* room)
      : writer_(kernels, html, room), begin_(writer_.out()) {}

  HtmlText result() {
    end_special_content();
    writer_.line_break();
    const std::size_t size = static_cast<std::size_t>(writer_.out() - begin_);
    return {.text = {begin_, size > 0 ? size - 1 : 0}, .title = title_};
  }

  void text(std::string_view text) {
    if (!muted()) writer_.text(text);
  }
  void space(std::string_view) {
    if (!muted()) writer_.space();
  }
  void reference(const CharacterReference& reference) {
    if (!muted()) writer_.reference(reference);
  }

  void begin_tag(std::string_view name) {
    end_special_content();
    element_ = &internal::find_html_element(name, writer_.readable(name));
  }
  void attribute(std::string_view, std::string_view) {}

  HtmlContent start_tag(bool self_closing) {
    separate(*element_);
    if (foreign_.ends_before(*element_)) foreign_.leave();
    const HtmlContent content = foreign_.content_of(*element_, self_closing);
    if (!self_closing) foreign_.start(*element_, 0);
    if (element_->tag == HtmlTag::kTemplate) ++templates_;
    if (content == HtmlContent::kMarkup) return HtmlContent::kMarkup;
    ignored_ = !element_->shown;
    if (element_->tag == HtmlTag::kTitle && title_.data() == nullptr && !muted()) title_from_ = writer_.out();
    return content;
  }

  void end_tag(std::string_view name) {
    end_special_content();
    const HtmlElement& element = internal::find_html_element(name, writer_.readable(name));
    separate(element);
    if (foreign_.ends_before(element)) foreign_.leave();
    foreign_.end(element);
    if (element.tag == HtmlTag::kTemplate && templates_ > 0) --templates_;
  }

  bool cdata_is_text() const { return foreign_.any_open(); }

 private:
  bool muted() const { return ignored_ || templates_ > 0; }

  void separate(const HtmlElement& element) {
    if (element.separates && !muted()) writer_.line_break();
  }

  // The content of a title, script ... has ended: the next tag is here.
  void end_special_content() {
    ignored_ = false;
    if (title_from_ == nullptr) return;
    writer_.line_break();
    const auto size = static_cast<std::size_t>(writer_.out() - title_from_);
    title_ = {title_from_, size > 0 ? size - 1 : 0};
    title_from_ = nullptr;
  }

  internal::HtmlTextWriter writer_;
  const char* begin_;
  const HtmlElement* element_ = nullptr;
  const char* title_from_ = nullptr;  // not null: in the first title
  std::string_view title_;
  internal::HtmlForeign foreign_;
  std::size_t templates_ = 0;  // open ones
  bool ignored_ = false;       // in a script, style ...
};

}  // namespace

struct HtmlReader::State {
  State(HtmlExtract wanted, Isa isa) : extract(wanted), kernels(internal::html_kernels(isa)) {}

  HtmlText read_all(std::string_view html) {
    PlainText sink(kernels, html, all.reserve(internal::HtmlTextWriter::room(html.size())));
    steps += HtmlTokenizer(kernels, html, sink).run();
    return sink.result();
  }

  HtmlText read_main(std::string_view html) {
    steps += internal::read_html_blocks(html, kernels, memory, page);
    if (!page.complete) return {};
    const std::uint64_t before = main.steps();
    main.find(page, main_text);
    steps += main.steps() - before;
    return {.text = main_text, .title = page.title};
  }

  std::size_t held_bytes() const {
    const std::size_t lists = page.containers.capacity() * sizeof(internal::HtmlContainer) +
                              page.blocks.capacity() * sizeof(internal::HtmlBlock);
    return all.capacity() + page.text.capacity() + lists + main.held_bytes() + main_text.capacity();
  }

  void give_back() {
    free_memory(all);
    free_memory(page);
    free_memory(main);
    free_memory(main_text);
  }

  HtmlExtract extract;
  const internal::HtmlKernels& kernels;
  internal::HtmlArena all;
  internal::HtmlMemory memory;
  internal::HtmlPage page;
  internal::HtmlMainContent main;
  std::string main_text;
  std::uint64_t steps = 0;
};

HtmlReader::HtmlReader(HtmlExtract extract, Isa isa) : state_(std::make_unique<State>(extract, isa)) {}
HtmlReader::~HtmlReader() = default;
HtmlReader::HtmlReader(HtmlReader&&) noexcept = default;
HtmlReader& HtmlReader::operator=(HtmlReader&&) noexcept = default;

std::uint64_t HtmlReader::steps() const { return state_->steps; }
std::size_t HtmlReader::held_bytes() const { return state_->held_bytes(); }
void HtmlReader::give_back() { state_->give_back(); }

HtmlText HtmlReader::read(std::string_view html) {
  const bool search = state_->extract == HtmlExtract::kMain && html.size() <= kDocumentBytesMax;
  if (search) {
    const HtmlText found = state_->read_main(html);
    if (!found.text.empty()) return found;
  }
  HtmlText all = read_all(html);
  all.fell_back = state_->extract == HtmlExtract::kMain && !all.text.empty();
  return all;
}

HtmlText HtmlReader::read_all(std::string_view html) { return state_->read_all(html); }

}  // namespace neardup
