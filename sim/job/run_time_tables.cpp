#include "sim/job/run_time_tables.hpp"

#include <algorithm>

namespace berth::sim {
namespace {

struct Row {
    std::string_view table;
    std::string_view job_class;
    std::vector<std::int64_t> factors;  ///< One factor per level, from the server upwards.
};

const std::vector<Row>& rows() {
    static const std::vector<Row> all{
#define BERTH_SLOW_DOWN(table, job_class, ...) Row{table, job_class, {__VA_ARGS__}},
#include "sim/job/run_time_tables.def"
#undef BERTH_SLOW_DOWN
    };
    return all;
}

}  // namespace

std::vector<std::string> run_time_table_names() {
    std::vector<std::string> names;
    for (const Row& row : rows()) {
        if (names.empty() || names.back() != row.table) {
            names.emplace_back(row.table);
        }
    }
    return names;
}

std::vector<SlowDown> run_time_table(std::string_view name, std::size_t levels) {
    std::vector<SlowDown> out;
    for (const Row& row : rows()) {
        if (row.table != name) {
            continue;
        }
        SlowDown slow_down{std::string(row.job_class), {}};
        for (std::size_t above = levels; above-- > 0;) {
            slow_down.by_level.push_back(row.factors[std::min(above, row.factors.size() - 1)]);
        }
        out.push_back(std::move(slow_down));
    }
    return out;
}

}  // namespace berth::sim
