#include "experiments/program/run/groups_table.hpp"

#include <optional>

#include "experiments/program/run/jobs_table.hpp"
#include "experiments/program/run/kueue_tables.hpp"
#include "experiments/program/run/table_row.hpp"
#include "sim/measure/group_shape.hpp"

namespace berth::experiments {

void write_groups_row(std::string& out,
                      const ExperimentSpec& spec,
                      std::uint32_t replication,
                      const sim::JobRecord& record) {
    const core::Topology& tree = *spec.topology;
    const bool started = record.start.has_value();
    TableRow row(out);
    row.integer(replication)
        .text(record.job.name)
        .integer(record.job.size)
        .integer(record.placed)
        .seconds(record.job.submit)
        .seconds(record.start)
        .seconds(record.finish)
        .seconds(started ? std::optional(record.waited()) : std::nullopt)
        .truth(started && sim::satisfied(record, tree));
    const sim::GroupShape shape = sim::shape_of(record.placement, tree);
    for (std::uint32_t level = 1; level < tree.level_count(); ++level) {
        if (started) {
            const auto& at = shape.levels[level];
            row.integer(at.used).integer(at.min).integer(at.max);
        } else {
            row.empty(3);
        }
    }
    row.number(started ? std::optional(shape.mean_distance) : std::nullopt);
    write_demand(row, record.job, tree.resources());
    if (spec.settings.kueue) {
        row.text(asked_for(record.job, tree));
    }
    row.end();
}

}  // namespace berth::experiments
