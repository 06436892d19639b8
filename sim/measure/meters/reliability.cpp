#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/clock/window.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/measure/interruptions_by_size.hpp"
#include "sim/measure/metered.hpp"
#include "sim/measure/run_result.hpp"
#include "sim/meter/meter.hpp"
#include "sim/meter/sum_by_arrival.hpp"
#include "sim/profile/settings.hpp"

namespace berth::sim {
namespace {

/// How much of the cluster is there, level by level, and how often failures interrupt jobs.
class ReliabilityMeter final : public Meter {
public:
    ReliabilityMeter(const core::Topology& tree, const Settings& settings)
        : tree_(tree), window_(settings.window), causes_(settings.failure_causes), by_size_(tree) {
        for (std::uint32_t level = 1; level < tree.level_count(); ++level) {
            levels_.push_back({tree.level_size(core::Level{level}), 0, 0, 0});
        }
        const auto left_out = static_cast<std::int64_t>(settings.left_out().size());
        LevelSum& servers = levels_.back();
        servers.nodes -= left_out;
        servers.out = static_cast<std::int64_t>(settings.absent.size()) - left_out;
        servers.held = servers.out;
        by_cause_.resize(causes_.size());
    }

    void nodes_out(core::Level level, std::int64_t more) override {
        if (level.index > 0) {
            levels_[level.index - 1].out += more;
        }
    }
    void interrupted(const Job& job, std::optional<std::uint32_t> cause) override {
        if (window_.counts(job.submit)) {
            ++interruptions_;
            by_cause_[cause.value_or(0)] += cause ? 1 : 0;
        }
    }
    void recorded(const JobRecord& record, SimTime now) override {
        if (window_.counts(record.job.submit)) {
            const SimTime ran =
                record.start ? record.finish.value_or(now) - *record.start : SimTime(0);
            ran_s_.add(record.arrival, seconds(record.ran_before + ran));
            by_size_.add(record, record.ran_before + ran);
        }
    }
    void settle(SimTime now) override {
        const SimTime passed = window_.part_of(settled_, now);
        settled_ = now;
        for (LevelSum& level : levels_) {
            level.sum += static_cast<Wide>(level.held) * passed.count();
            level.held = level.out;
        }
    }
    void add_tables(RunResult& result) const override { result.interruptions = by_size_.result(); }
    void add_to(std::vector<Metric>& out) const override {
        const auto time = static_cast<double>(window_.measured(settled_).count());
        for (std::size_t i = 0; i < levels_.size(); ++i) {
            const auto lost = ratio(static_cast<double>(levels_[i].sum),
                                    static_cast<double>(levels_[i].nodes) * time);
            const auto level = core::Level{static_cast<std::uint32_t>(i + 1)};
            out.push_back({fmt::format("availability_{}", tree_.level_name(level)),
                           lost ? std::optional(1 - *lost) : std::nullopt});
        }
        const auto interruptions = static_cast<double>(interruptions_);
        out.push_back({"interruptions", interruptions});
        for (std::size_t i = 0; i < causes_.size(); ++i) {
            out.push_back(
                {fmt::format("interruptions[{}]", causes_[i]), static_cast<double>(by_cause_[i])});
        }
        out.push_back({"mttf_s", ratio(ran_s_.total(), interruptions)});
    }

private:
    __extension__ using Wide = __int128;
    struct LevelSum {
        std::int64_t nodes = 0;
        std::int64_t out = 0;   ///< Nodes that are out now.
        std::int64_t held = 0;  ///< Nodes that were out since `settled_`.
        Wide sum = 0;           ///< Nodes x nanoseconds in the window.
    };

    const core::Topology& tree_;
    Window window_;
    std::vector<std::string> causes_;
    std::vector<LevelSum> levels_;  ///< Levels below the root.
    SimTime settled_{};
    std::uint64_t interruptions_ = 0;
    std::vector<std::uint64_t> by_cause_;
    SumByArrival ran_s_;
    InterruptionsBySize by_size_;
};

}  // namespace

std::unique_ptr<Meter> make_reliability_meter(const Metered& run) {
    return run.settings.failure_causes.empty()
               ? nullptr
               : std::make_unique<ReliabilityMeter>(run.cluster.topology(), run.settings);
}

}  // namespace berth::sim
