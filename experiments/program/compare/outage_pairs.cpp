#include "experiments/program/compare/outage_pairs.hpp"

#include <map>
#include <string>
#include <tuple>

#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/results/stored/stored_table.hpp"

namespace berth::experiments {
namespace {

/// The number of jobs that lost their places, by time (as text of the file), component and cause.
using Outages = std::map<std::tuple<std::string, std::string, std::string>, std::uint64_t>;

/// Reads the outages of each replication.
std::map<std::int64_t, Outages> read_outages(const std::filesystem::path& file) {
    report::CsvReader csv(file);
    const auto [replication, time, component, cause, jobs] =
        csv.columns("replication", "time_s", "component", "cause", "jobs");
    std::map<std::int64_t, Outages> outages;
    while (csv.next()) {
        outages[csv.whole(replication, 0)]
               [{csv.field(time), csv.field(component), csv.field(cause)}] +=
            static_cast<std::uint64_t>(csv.whole(jobs, 0));
    }
    return outages;
}

void count_jobs(OutageComparison::Side& side, std::uint64_t jobs) {
    ++side.outages;
    side.jobs += jobs;
}

void compare(const Outages& baseline, const Outages& other, OutageComparison& out) {
    for (const auto& [outage, jobs] : baseline) {
        const auto found = other.find(outage);
        if (found == other.end()) {
            count_jobs(out.baseline_only, jobs);
            continue;
        }
        ++out.both;
        out.jobs_baseline += jobs;
        out.jobs_other += found->second;
        out.hit_both += jobs > 0 && found->second > 0 ? 1 : 0;
        out.hit_baseline_only += jobs > 0 && found->second == 0 ? 1 : 0;
        out.hit_other_only += jobs == 0 && found->second > 0 ? 1 : 0;
    }
    for (const auto& [outage, jobs] : other) {
        if (!baseline.contains(outage)) {
            count_jobs(out.other_only, jobs);
        }
    }
}

}  // namespace

std::optional<OutageComparison> compare_outages(const std::filesystem::path& baseline,
                                                const std::filesystem::path& other,
                                                const std::vector<ReplicationPair>& pairs) {
    constexpr const char* file = "failures.csv";
    if (!report::has_table(baseline / file) || !report::has_table(other / file)) {
        return std::nullopt;
    }
    auto first = read_outages(baseline / file);
    auto second = read_outages(other / file);
    OutageComparison out;
    for (const ReplicationPair& pair : pairs) {
        compare(first[pair.baseline], second[pair.other], out);
    }
    return out;
}

}  // namespace berth::experiments
