#include "sim/cluster/drain_calendar.hpp"

#include <numeric>
#include <optional>

#include "core/support/assert.hpp"

namespace berth::sim {

using core::Members;
using core::ServerId;

namespace {

/// When a pod that starts at `from` has left; a pod that runs for no time is there for a moment.
SimTime left_by(SimTime from, SimTime run) {
    return after(from, std::max(run, SimTime(1)));
}

}  // namespace

std::vector<ServerId> servers_below(const core::Topology& tree, core::NodeId node) {
    core::NodeId begin = node;
    core::NodeId end{node.index + 1};
    while (!tree.is_server(begin)) {
        end = core::NodeId{tree.child_end(core::NodeId{end.index - 1})};
        begin = core::NodeId{tree.child_begin(begin)};
    }
    std::vector<ServerId> out;
    for (std::uint32_t below = begin.index; below < end.index; ++below) {
        out.push_back(tree.server_of(core::NodeId{below}));
    }
    return out;
}

class DrainCalendar::Rule final : public core::ServerRule {
public:
    Rule(const DrainCalendar& calendar, std::uint32_t met) : calendar_(calendar), met_(met) {}

    [[nodiscard]] std::optional<std::int64_t> score(ServerId server) const override {
        return calendar_.first_met(server) < met_ ? std::nullopt : std::optional<std::int64_t>(0);
    }
    [[nodiscard]] Members most(ServerId server, Members fit) const override {
        return calendar_.first_met(server) < met_ ? 0 : fit;
    }

private:
    const DrainCalendar& calendar_;
    std::uint32_t met_;
};

DrainCalendar::DrainCalendar(const core::Topology& tree, std::span<const DrainWindow> windows)
    : tree_(tree), windows_(windows), by_end_(windows.size()), last_end_(1) {
    BERTH_ASSERT(std::ranges::is_sorted(windows, {}, &DrainWindow::at),
                 "windows are numbered as they begin");
    if (windows.empty()) {
        return;
    }
    std::iota(by_end_.begin(), by_end_.end(), 0U);
    std::ranges::stable_sort(by_end_, {}, [&](std::uint32_t w) { return windows[w].until; });
    of_server_.resize(tree.server_count());
    next_.resize(tree.server_count());
    for (std::uint32_t number = 0; number < windows.size(); ++number) {
        last_end_.push_back(std::max(last_end_.back(), windows[number].until));
        for (const ServerId server : servers(number)) {
            std::vector<std::uint32_t>& own = of_server_[server.index];
            BERTH_ASSERT(own.empty() || windows[own.back()].until <= windows[number].at,
                         "no two windows of a server overlap");
            own.push_back(number);
        }
    }
    go_to(SimTime(0), [](ServerId) {});
}

DrainCalendar::DrainCalendar(const DrainCalendar& other)
    : tree_(other.tree_),
      windows_(other.windows_),
      by_end_(other.by_end_),
      last_end_(other.last_end_),
      of_server_(other.of_server_),
      next_(other.next_),
      begun_(other.begun_),
      ended_(other.ended_),
      now_(other.now_) {}

DrainCalendar::~DrainCalendar() = default;

std::uint32_t DrainCalendar::begun_within(SimTime from, SimTime run) const {
    const auto first_after =
        std::ranges::lower_bound(windows_, left_by(from, run), {}, &DrainWindow::at);
    return static_cast<std::uint32_t>(first_after - windows_.begin());
}

std::uint32_t DrainCalendar::met(const Job& job) const {
    if (empty()) {
        return 0;
    }
    const std::uint32_t met = begun_within(now_, job.expected);
    return last_end_[met] <= now_ ? 0 : met;
}

const core::ServerRule* DrainCalendar::rule(std::uint32_t met) const {
    if (met == 0) {
        return nullptr;
    }
    std::unique_ptr<Rule>& rule = rules_[met];
    if (rule == nullptr) {
        rule = std::make_unique<Rule>(*this, met);
    }
    return rule.get();
}

const DrainWindow* DrainCalendar::first_at(ServerId server, SimTime time) const {
    const std::vector<std::uint32_t>& own = of_server_[server.index];
    const auto first = std::ranges::upper_bound(
        own, time, {}, [this](std::uint32_t number) { return windows_[number].until; });
    return first == own.end() ? nullptr : &windows_[*first];
}

bool DrainCalendar::meets(ServerId server, SimTime from, SimTime run) const {
    const DrainWindow* window = empty() ? nullptr : first_at(server, from);
    return window != nullptr && window->at < left_by(from, run);
}

SimTime DrainCalendar::next_change(ServerId server, SimTime from, SimTime run) const {
    const DrainWindow* window = empty() ? nullptr : first_at(server, from);
    if (window == nullptr) {
        return never;
    }
    if (window->at < left_by(from, run)) {
        return window->until;
    }
    return window->at - std::max(run, SimTime(1)) + SimTime(1);
}

std::vector<ServerId> DrainCalendar::meeting(SimTime run) const {
    std::vector<ServerId> out;
    const std::uint32_t met = empty() ? 0 : begun_within(now_, run);
    for (std::uint32_t number = 0; number < met; ++number) {
        if (windows_[number].until > now_) {
            const std::vector<ServerId> below = servers(number);
            out.insert(out.end(), below.begin(), below.end());
        }
    }
    std::ranges::sort(out);
    const auto twice = std::ranges::unique(out);
    out.erase(twice.begin(), twice.end());
    return out;
}

}  // namespace berth::sim
