#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/support/text.hpp"

namespace berth::experiments {

/// Collects indented lines of text.
class Page {
public:
    template <class... Arguments>
    void line(std::size_t indent, fmt::format_string<Arguments...> form, Arguments&&... values) {
        out_.append(2 * indent, ' ');
        core::append(out_, form, std::forward<Arguments>(values)...);
        out_ += '\n';
    }
    void add(const Page& other) { out_ += other.out_; }
    [[nodiscard]] std::string text() && { return std::move(out_); }

private:
    std::string out_;
};

/// A part of an answer in both forms. Whoever knows it writes both at once.
struct Told {
    Page lines;                   ///< The lines that people read.
    nlohmann::ordered_json json;  ///< What programs read: docs/reference/why.md describes it.
};

}  // namespace berth::experiments
