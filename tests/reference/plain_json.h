// What does a record hold, read slowly and obviously?
//
// The twin of JsonFields: nlohmann's strict reader makes a tree in which the first of two equal keys counts,
// and a pointer is followed through it step by step. It differs where nlohmann does: half a surrogate pair
// and a number beyond a double make it refuse a record that the grammar has nothing against, and so does
// Python's NaN, which we take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace neardup::reference {

struct PlainJson {
  enum class Kind : std::uint8_t { kObject, kArray, kString, kNumber, kWord };

  Kind kind = Kind::kWord;
  std::string text = {};  // of a string; of a number nothing
  std::vector<std::pair<std::string, PlainJson>> members = {};
  std::vector<PlainJson> elements = {};

  // Nothing: not one JSON value, or a refusal of nlohmann's alone. `depth` gets how deep its containers nest.
  static std::optional<PlainJson> read(std::string_view json, int& depth);

  // What is at a pointer without escapes; nullptr: nothing.
  const PlainJson* at(std::string_view pointer) const {
    const PlainJson* value = this;
    while (!pointer.empty()) {
      pointer.remove_prefix(1);
      const std::string name(pointer.substr(0, pointer.find('/')));
      pointer.remove_prefix(name.size());
      const PlainJson* next = nullptr;
      for (const auto& [key, member] : value->members) {
        if (next == nullptr && key == name) next = &member;
      }
      for (std::size_t i = 0; i < value->elements.size(); ++i) {
        if (std::to_string(i) == name) next = &value->elements[i];
      }
      if (next == nullptr) return nullptr;
      value = next;
    }
    return value;
  }
};

class PlainJsonBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  PlainJson root;
  int deepest = 0;

  bool null() override { return put({}); }
  bool boolean(bool) override { return put({}); }
  bool number_integer(number_integer_t) override { return put({.kind = PlainJson::Kind::kNumber}); }
  bool number_unsigned(number_unsigned_t) override { return put({.kind = PlainJson::Kind::kNumber}); }
  bool number_float(number_float_t, const string_t&) override {
    return put({.kind = PlainJson::Kind::kNumber});
  }
  bool string(string_t& value) override { return put({.kind = PlainJson::Kind::kString, .text = value}); }
  bool binary(binary_t&) override { return false; }
  bool key(string_t& value) override {
    keys_.back() = value;
    return true;
  }
  bool start_object(std::size_t) override { return open(PlainJson::Kind::kObject); }
  bool start_array(std::size_t) override { return open(PlainJson::Kind::kArray); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool open(PlainJson::Kind kind) {
    open_.push_back({.kind = kind});
    keys_.emplace_back();
    deepest = std::max(deepest, static_cast<int>(open_.size()));
    return true;
  }
  bool close() {
    PlainJson closed = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return put(std::move(closed));
  }
  bool put(PlainJson value) {
    if (open_.empty()) {
      root = std::move(value);
    } else if (open_.back().kind == PlainJson::Kind::kObject) {
      open_.back().members.emplace_back(keys_.back(), std::move(value));
    } else {
      open_.back().elements.push_back(std::move(value));
    }
    return true;
  }

  std::vector<PlainJson> open_;
  std::vector<std::string> keys_;  // the one under way in each
};

inline std::optional<PlainJson> PlainJson::read(std::string_view json, int& depth) {
  if (json.find('\0') != std::string_view::npos) return std::nullopt;  // for nlohmann's reader that is an end
  PlainJsonBuilder builder;
  if (!nlohmann::json::sax_parse(json, &builder)) return std::nullopt;
  depth = builder.deepest;
  return std::move(builder.root);
}

}  // namespace neardup::reference
