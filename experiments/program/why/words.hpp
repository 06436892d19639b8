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

/// Collects indented lines of text.
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

/// A count with its noun, such as `1 job` or `3 jobs`.
[[nodiscard]] std::string times(std::uint64_t count, std::string_view what);

/// Such as `quota A`, or `filter` if there is no subject.
[[nodiscard]] std::string stage_text(WhyStage stage, const std::string& subject);

/// Where the members are that started at the same time.
[[nodiscard]] std::string place_text(const core::Topology& tree, const Story& story);

/// Such as ` (4.17 % of the cluster)`; empty for a change that moves no amount.
[[nodiscard]] std::string share_text(const Change& change);

}  // namespace berth::experiments
