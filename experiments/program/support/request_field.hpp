#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tree/device_names.hpp"
#include "experiments/program/support/json_fields.hpp"

namespace berth::experiments {

/// How scalars are written: with their types, or all of them as texts, as in a document of YAML.
enum class Scalars : std::uint8_t { typed, texts };

/// A value of a request that knows its place, such as `pending[2].podSets[0].count`. An absent
/// value and null are equivalent.
///
/// Errors: RequestError with the place, the value, and what was expected.
class RequestField {
public:
    explicit RequestField(const RequestValue& request, Scalars scalars = Scalars::typed)
        : request_(request), at_(request), scalars_(scalars) {}

    /// The value under a key; absent if there is none, or if this one is absent.
    [[nodiscard]] RequestField operator[](const char* key) const;
    [[nodiscard]] bool is_present() const { return missing_count_ == 0 && !at_.is_null(); }
    /// The value itself, which must be present.
    [[nodiscard]] const RequestValue& value() const;
    /// Cost: it is searched for in the whole request, since few places are ever told.
    [[nodiscard]] std::string place() const;
    /// Refuses the value.
    [[noreturn]] void fail(std::string_view expected) const;

    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string text_or(std::string_view otherwise) const;
    [[nodiscard]] bool boolean_or(bool otherwise) const;
    [[nodiscard]] std::int64_t whole(std::int64_t least, std::int64_t most = INT64_MAX) const;
    [[nodiscard]] std::int64_t whole_or(std::int64_t otherwise,
                                        std::int64_t least,
                                        std::int64_t most = INT64_MAX) const;
    /// A number, which may have a fraction.
    [[nodiscard]] double number(double least) const;
    /// The index of a text among `names`.
    [[nodiscard]] std::size_t choice(std::initializer_list<std::string_view> names) const;
    [[nodiscard]] core::Labels labels() const;
    [[nodiscard]] std::vector<std::string> texts() const;

    /// The entries of a list; empty if it is absent.
    [[nodiscard]] std::vector<RequestField> items() const;
    /// The values of a map, each with its key; empty if it is absent.
    [[nodiscard]] std::vector<std::pair<std::string, RequestField>> entries() const;

private:
    RequestField(const RequestField& from, const RequestValue& at)
        : request_(from.request_), at_(at), scalars_(from.scalars_) {}
    template <class Read>
    [[nodiscard]] auto typed(Read read) const;

    RequestValue request_;
    RequestValue at_;  ///< The value; if it is absent, the innermost one that is there.
    Scalars scalars_;
    /// The keys below that one which are not there.
    std::array<const char*, 8> missing_{};
    std::size_t missing_count_ = 0;
};

}  // namespace berth::experiments
