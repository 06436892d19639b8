#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/support/text.hpp"

namespace berth::experiments {

/// Lines of a text, indented.
class Page {
public:
    template <class... Arguments>
    void line(std::size_t indent, fmt::format_string<Arguments...> form, Arguments&&... values) {
        out_.append(2 * indent, ' ');
        core::append(out_, form, std::forward<Arguments>(values)...);
        out_ += '\n';
    }
    [[nodiscard]] std::string text() && { return std::move(out_); }

private:
    std::string out_;
};

}  // namespace berth::experiments
