#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "experiments/program/results/failures.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/results/stored/stored_table.hpp"

namespace berth::report {
namespace {

/// A time, or a sum of times; negative ones are errors.
double time_of(const CsvReader& csv, std::size_t column) {
    const double value = csv.required_number(column);
    if (value < 0) {
        csv.fail(column, fmt::format("'{}': expected a number of 0 or more", csv.field(column)));
    }
    return value;
}

std::vector<OutageRow> read_outages(const std::filesystem::path& path) {
    CsvReader csv(path);
    const auto [replication, time, component, level, cause, repaired, jobs] =
        csv.columns("replication", "time_s", "component", "level", "cause", "repaired_s", "jobs");
    std::vector<OutageRow> outages;
    while (csv.next()) {
        if (csv.required_number(replication) == 0) {
            outages.push_back(
                {time_of(csv, time),
                 csv.number(repaired).value_or(std::numeric_limits<double>::infinity()),
                 csv.field(component),
                 csv.field(level),
                 csv.field(cause),
                 static_cast<std::uint64_t>(csv.whole(jobs, 0))});
        }
    }
    return outages;
}

std::vector<GpuUse> read_gpu_time(const std::filesystem::path& path) {
    CsvReader csv(path);
    const auto [replication, cause, gpu_seconds] =
        csv.columns("replication", "cause", "gpu_seconds");
    std::vector<GpuUse> uses;
    std::set<std::string> replications;
    while (csv.next()) {
        replications.insert(csv.field(replication));
        const auto known = std::ranges::find(uses, csv.field(cause), &GpuUse::use);
        GpuUse& use = known != uses.end() ? *known : uses.emplace_back(GpuUse{csv.field(cause), 0});
        use.gpu_seconds += time_of(csv, gpu_seconds);
    }
    for (GpuUse& use : uses) {
        use.gpu_seconds /= static_cast<double>(replications.size());
    }
    return uses;
}

Failures read_sizes(const std::filesystem::path& path) {
    CsvReader csv(path);
    const std::size_t size_of = csv.column("size_of");
    const std::size_t size_min = csv.column("size_min");
    const std::size_t size_max = csv.column("size_max");
    const std::size_t jobs = csv.column("jobs");
    const std::size_t interruptions = csv.column("interruptions");
    const std::size_t running = csv.column("running_s");
    const std::size_t size_running = csv.column("size_running_s");
    Failures failures;
    std::map<std::int64_t, SizeFailures> sizes;
    while (csv.next()) {
        failures.size_of = csv.field(size_of);
        SizeFailures& size = sizes[csv.whole(size_max, 0)];
        size.size_min = csv.whole(size_min, 0);
        size.size_max = csv.whole(size_max, 0);
        size.jobs += static_cast<std::uint64_t>(csv.whole(jobs, 0));
        size.interruptions += static_cast<std::uint64_t>(csv.whole(interruptions, 0));
        size.running_s += time_of(csv, running);
        size.size_running_s += time_of(csv, size_running);
    }
    for (const auto& [most, size] : sizes) {
        if (size.running_s > 0) {
            failures.sizes.push_back(size);
        }
    }
    return failures;
}

}  // namespace

std::optional<double> Failures::projected_s(double size) const {
    for (const double least : {server_size, 0.0}) {
        double interruptions = 0;
        double size_running_s = 0;
        for (const SizeFailures& one : sizes) {
            if (static_cast<double>(one.size_max) >= least) {
                interruptions += static_cast<double>(one.interruptions);
                size_running_s += one.size_running_s;
            }
        }
        if (interruptions > 0 && size_running_s > 0) {
            return size_running_s / interruptions / size;
        }
    }
    return std::nullopt;
}

std::optional<Failures> read_failures(const std::filesystem::path& run) {
    if (!has_table(run / "mttf.csv")) {
        return std::nullopt;
    }
    Failures failures = read_sizes(run / "mttf.csv");
    if (has_table(run / "failures.csv")) {
        failures.outages = read_outages(run / "failures.csv");
    }
    if (has_table(run / "gpu_time.csv")) {
        failures.gpu_time = read_gpu_time(run / "gpu_time.csv");
    }
    return failures;
}

}  // namespace berth::report
