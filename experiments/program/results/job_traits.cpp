#include "experiments/program/results/job_traits.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "experiments/program/results/stored/csv.hpp"

namespace berth::report {
namespace {

constexpr std::array<std::string_view, 3> trait_columns{"quota", "user", "class"};

bool is_size(std::string_view label) {
    return label.starts_with("gpus=") || label.starts_with("pods=");
}

}  // namespace

std::map<std::string, std::string, std::less<>> read_job_traits(
    const std::filesystem::path& jobs, const std::vector<MetricSummary>& metrics) {
    std::set<std::string, std::less<>> labels;
    for (const MetricSummary& metric : metrics) {
        const std::size_t open = metric.name.find('[');
        if (open != std::string::npos && metric.name.ends_with(']')) {
            labels.insert(metric.name.substr(open + 1, metric.name.size() - open - 2));
        }
    }
    std::map<std::string, std::string, std::less<>> out;
    std::set<std::string, std::less<>> open;
    for (const std::string& label : labels) {
        const std::string trait = label.substr(0, label.find('='));
        if (is_size(label)) {
            out[label] = "size";
        } else if (trait != label && (trait == "user" || trait == "class")) {
            out[label] = trait;
        } else {
            open.insert(label);
        }
    }
    if (open.empty()) {
        return out;
    }
    CsvReader csv(jobs);
    std::array<std::optional<std::size_t>, trait_columns.size()> places;
    for (std::size_t i = 0; i < trait_columns.size(); ++i) {
        places[i] = csv.find_column(trait_columns[i]);
    }
    while (!open.empty() && csv.next()) {
        for (std::size_t i = 0; i < trait_columns.size(); ++i) {
            // A user with the name of a quota has the label `user=NAME`.
            if (places[i] &&
                !labels.contains(std::string(trait_columns[i]) + "=" + csv.field(*places[i])) &&
                open.erase(csv.field(*places[i])) > 0) {
                out.emplace(csv.field(*places[i]), trait_columns[i]);
            }
        }
    }
    return out;
}

}  // namespace berth::report
