#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "experiments/program/results/setup_text.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "tests/schedulers/toy/tables/toy_results.hpp"

namespace berth::report {
namespace {

std::shared_ptr<const SchedulerResults> read_tickets(const std::filesystem::path& directory,
                                                     std::int64_t /*replications*/,
                                                     std::optional<double> /*end_s*/) {
    if (!has_table(directory / "tickets.csv")) {
        return nullptr;
    }
    CsvReader csv(directory / "tickets.csv");
    auto results = std::make_shared<ToyResults>();
    while (csv.next()) {
        results->tickets = csv.whole(csv.column("count"));
    }
    return results;
}

}  // namespace

extern constinit const SchedulerTables toy_tables;
constinit const SchedulerTables toy_tables{
    .key = "toy", .read = &read_tickets, .in_words = [](const YAML::Node& /*settings*/) {
        return SchedulerWords{.admits = "admitted by tickets", .places = {}, .places_all = false};
    }};

}  // namespace berth::report
