#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/support/text.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/why/story.hpp"
#include "sim/clock/time.hpp"

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

/// `1 job`, `3 jobs`.
[[nodiscard]] std::string times(std::uint64_t count, std::string_view what);

/// `quota A`, or `filter` where there is no subject.
[[nodiscard]] std::string stage_text(WhyStage stage, const std::string& subject);

/// Where the members are that started at one time.
[[nodiscard]] std::string place_text(const core::Topology& tree, const Story& story);

/// ` (4.17 % of the cluster)`; empty for a change that moves no amount.
[[nodiscard]] std::string share_text(const Change& change);

}  // namespace berth::experiments
