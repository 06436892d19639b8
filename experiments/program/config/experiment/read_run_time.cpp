#include "experiments/program/config/experiment/read_run_time.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sim/job/run_time_tables.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

std::int64_t read_factor(MapReader& map, const std::string& key, double otherwise) {
    constexpr double factor_max = 1000;
    return std::llround(map.number(key, otherwise, 1, factor_max) * sim::slow_down_unit);
}

/// A level without a factor has the factor of the level below it; without one, the server level has
/// the factor 1.
sim::SlowDown read_class(const core::Member& member,
                         const core::Topology& tree,
                         Diagnostics& diagnostics) {
    MapReader map(member.value, "class '" + member.key + "'", diagnostics);
    sim::SlowDown out{member.key, std::vector<std::int64_t>(tree.level_count())};
    double below = 1;
    for (std::size_t level = tree.level_count(); level-- > 0;) {
        out.by_level[level] = read_factor(map, tree.level_names()[level], below);
        below = static_cast<double>(out.by_level[level]) / sim::slow_down_unit;
    }
    out.shared_nic = read_factor(map, "sharedNic", 1);
    map.report_unknown_keys();
    return out;
}

}  // namespace

void read_run_time(const Value* value,
                   const core::Topology& tree,
                   sim::Settings& settings,
                   Diagnostics& diagnostics) {
    if (value == nullptr) {
        return;
    }
    MapReader map(*value, "runTime", diagnostics);
    const std::vector<std::string> tables = sim::run_time_table_names();
    const auto none = std::ranges::find(tables, "none") - tables.begin();
    const std::size_t table = map.choice("table", tables, static_cast<std::size_t>(none));
    settings.run_time = sim::run_time_table(tables[table], tree.level_count());
    const Value* classes = map.take("classes");
    map.report_unknown_keys();
    if (classes != nullptr && !classes->is_map()) {
        expected(*classes, "a map such as {training: {rack: 1.1, room: 1.3}}", diagnostics);
        return;
    }
    for (std::size_t i = 0; classes != nullptr && i < classes->members.size(); ++i) {
        sim::SlowDown own = read_class(classes->members[i], tree, diagnostics);
        const auto known =
            std::ranges::find(settings.run_time, own.job_class, &sim::SlowDown::job_class);
        if (known != settings.run_time.end()) {
            *known = std::move(own);
        } else {
            settings.run_time.push_back(std::move(own));
        }
    }
}

}  // namespace berth::experiments
