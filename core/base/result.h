// What does a function return that the world can make fail?
//
// Result<T> holds a T or an Error; Status is Result<void>. An Error has a code to act on and a message for
// people that names the field, the value and the way out. Context is added once, at the room's door, with
// `in`. std::expected is C++23; this is the part of it we need.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/base/check.h"

namespace neardup {

enum class ErrorCode {
  kInvalid,             // the caller's or the operator's words are wrong: config, flags, topic settings
  kNotFound,            // a file, a topic, a partition is not there
  kUnavailable,         // the world does not answer now; trying again may help
  kUnsettled,           // a transaction has no end yet: it gets one, or has to be given one
  kCorrupt,             // stored bytes contradict themselves: checksum, chain, length
  kUnsupportedVersion,  // stored bytes of a format we do not read
  kFenced,              // another writer has taken over
  kContradiction,       // two truths disagree (journal and offsets, say): a person must choose
  kIo,                  // the operating system refused
};

struct Error {
  ErrorCode code = ErrorCode::kInvalid;
  std::string message;

  // The same error with where it happened in front: "config/a.yaml: line 3: ...".
  [[nodiscard]] Error in(std::string_view context) const {
    return {code, std::string(context) + ": " + message};
  }
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok().
  T& value() & {
    CHECK(ok(), error_or_empty());
    return std::get<0>(state_);
  }
  const T& value() const& {
    CHECK(ok(), error_or_empty());
    return std::get<0>(state_);
  }
  T&& value() && {
    CHECK(ok(), error_or_empty());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !ok().
  const Error& error() const {
    CHECK(!ok(), "a value has no error");
    return std::get<1>(state_);
  }

 private:
  const char* error_or_empty() const { return ok() ? "" : std::get<1>(state_).message.c_str(); }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT: implicit by design

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }

  // REQUIRES: !ok().
  const Error& error() const {
    CHECK(!ok_, "a value has no error");
    return error_;
  }

 private:
  Error error_;
  bool ok_ = true;
};

using Status = Result<void>;

}  // namespace neardup
