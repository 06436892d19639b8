#include "workloads/trace/sacct_cells.hpp"

#include <fmt/format.h>

#include "workloads/trace/slurm_amounts.hpp"

namespace berth::workloads::sacct {
namespace {

bool is_told(const std::string& number) {
    return !number.empty() && number != "0";
}

}  // namespace

std::string job_id_of(const JobNumbers& numbers) {
    if (is_told(numbers.of_het)) {
        return numbers.of_het + "+" + numbers.component;
    }
    if (!is_told(numbers.of_array) || (numbers.task.empty() && numbers.tasks.empty())) {
        return numbers.own;
    }
    if (!numbers.task.empty()) {
        return numbers.of_array + "_" + numbers.task;
    }
    const bool limited = is_told(numbers.most) && numbers.tasks.find('%') == std::string::npos;
    return fmt::format("{}_[{}{}{}]",
                       numbers.of_array,
                       numbers.tasks,
                       limited ? "%" : "",
                       limited ? numbers.most : "");
}

void CellTexts::clear() {
    for (std::string& cell : cells_) {
        cell.clear();
    }
}

void CellTexts::leave_out_expectations() {
    const auto status = status_of_slurm_state(cells_[state]);
    if (status == TraceStatus::pending) {
        cells_[start].clear();
    }
    if (status == TraceStatus::pending ||
        (status == TraceStatus::running && cells_[state] != "COMPLETING")) {
        cells_[end].clear();
    }
}

}  // namespace berth::workloads::sacct
