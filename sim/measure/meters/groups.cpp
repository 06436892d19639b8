#include <memory>
#include <string>
#include <vector>

#include "core/support/assert.hpp"
#include "sim/clock/window.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/measure/group_shape.hpp"
#include "sim/measure/metered.hpp"
#include "sim/meter/meter.hpp"
#include "sim/meter/sum_by_arrival.hpp"
#include "sim/profile/settings.hpp"

namespace berth::sim {
namespace {

/// How many groups started, and how they lie in the tree.
class GroupMeter final : public Meter {
public:
    GroupMeter(const core::Topology& tree, bool attainable, Window window)
        : tree_(tree), attainable_(attainable), window_(window), levels_(tree.level_count()) {}

    void recorded(const JobRecord& record, SimTime now) override;
    void add_to(std::vector<Metric>& out) const override;

private:
    void placed(const JobRecord& record);
    void add_levels(std::vector<Metric>& out) const;

    /// Sums over groups that started.
    struct LevelSums {
        double used = 0;
        double min = 0;
        double max = 0;
        SumByArrival largest_share{};
        double attainable_used = 0;
    };
    const core::Topology& tree_;
    bool attainable_;
    Window window_;
    double submitted_ = 0;
    double placed_ = 0;  ///< Groups placed with all members.
    double started_ = 0;
    double members_placed_ = 0;
    double members_attainable_ = 0;
    double satisfied_ = 0;
    SumByArrival mean_distance_;
    double max_distance_ = 0;
    double resizes_refused_ = 0;
    std::vector<LevelSums> levels_;
};

void GroupMeter::recorded(const JobRecord& record, SimTime /*now*/) {
    if (!window_.counts(record.job.submit)) {
        return;
    }
    resizes_refused_ += record.resizes_refused;
    if (!record.job.group) {
        return;
    }
    ++submitted_;
    members_placed_ += static_cast<double>(record.placed);
    if (record.attainable) {
        members_attainable_ += static_cast<double>(record.attainable->placed());
    }
    placed_ += record.start && record.placed == record.job.size ? 1 : 0;
    if (record.start) {
        placed(record);
    }
}

void GroupMeter::placed(const JobRecord& record) {
    BERTH_ASSERT(record.placement.placed() > 0, "a group that started has members");
    ++started_;
    satisfied_ += satisfied(record, tree_) ? 1 : 0;
    const GroupShape shape = shape_of(record.placement, tree_);
    mean_distance_.add(record.arrival, shape.mean_distance);
    max_distance_ += shape.max_distance;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        const GroupShape::AtLevel& at = shape.levels[level];
        levels_[level].used += at.used;
        levels_[level].min += static_cast<double>(at.min);
        levels_[level].max += static_cast<double>(at.max);
        levels_[level].largest_share.add(
            record.arrival,
            static_cast<double>(at.max) / static_cast<double>(record.placement.placed()));
    }
    if (record.attainable) {
        const GroupShape best = shape_of(*record.attainable, tree_);
        for (std::size_t level = 0; level < levels_.size(); ++level) {
            levels_[level].attainable_used += best.levels[level].used;
        }
    }
}

void GroupMeter::add_to(std::vector<Metric>& out) const {
    out.push_back({"groups_submitted", submitted_});
    out.push_back({"groups_started", started_});
    out.push_back({"group_success_rate", ratio(placed_, submitted_)});
    out.push_back({"members_placed", ratio(members_placed_, submitted_)});
    if (attainable_) {
        out.push_back({"members_attainable", ratio(members_attainable_, submitted_)});
    }
    out.push_back({"constraints_met", ratio(satisfied_, started_)});
    out.push_back({"mean_distance", ratio(mean_distance_.total(), started_)});
    out.push_back({"max_distance", ratio(max_distance_, started_)});
    out.push_back({"resizes_refused", resizes_refused_});
    add_levels(out);
}

void GroupMeter::add_levels(std::vector<Metric>& out) const {
    for (std::uint32_t level = 1; level < levels_.size(); ++level) {
        const std::string& name = tree_.level_name(core::Level{level});
        const LevelSums& sums = levels_[level];
        out.push_back({name + "_used", ratio(sums.used, started_)});
        out.push_back({name + "_min", ratio(sums.min, started_)});
        out.push_back({name + "_max", ratio(sums.max, started_)});
        out.push_back({name + "_largest_share", ratio(sums.largest_share.total(), started_)});
        if (attainable_) {
            out.push_back({name + "_used_attainable", ratio(sums.attainable_used, started_)});
        }
    }
}

}  // namespace

std::unique_ptr<Meter> make_groups_meter(const Metered& run) {
    return std::make_unique<GroupMeter>(
        run.cluster.topology(), run.settings.attainable, run.settings.window);
}

}  // namespace berth::sim
