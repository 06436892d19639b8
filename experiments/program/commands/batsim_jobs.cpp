#include "experiments/program/commands/batsim_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/support/csv_record.hpp"
#include "core/support/source.hpp"
#include "experiments/program/results/replication_table.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "experiments/program/run/csv_recorder.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;
using report::CsvReader;

constexpr std::string_view header =
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,"
    "success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,"
    "stretch,allocated_resources,consumed_energy,metadata\n";

/// Calls for each row of one replication.
template <class Use>
void each_row(CsvReader& csv, std::int64_t replication, Use use) {
    const std::size_t column = csv.column("replication");
    while (csv.next()) {
        if (csv.required_number(column) == static_cast<double>(replication)) {
            use();
        }
    }
}

/// The numbers of the servers, from 0 in the order of the tree.
std::map<std::string, std::uint32_t> server_numbers(const fs::path& run) {
    CsvReader csv(run / "nodes.csv");
    const std::size_t node = csv.column("node");
    std::map<std::string, std::uint32_t> numbers;
    while (csv.next()) {
        numbers.emplace(csv.field(node), static_cast<std::uint32_t>(numbers.size()));
    }
    return numbers;
}

using Servers = std::map<std::string, std::set<std::uint32_t>>;

/// Where each job's pods lay; nothing in a run that recorded no placements.
Servers servers_of_jobs(const fs::path& run, std::int64_t replication) {
    Servers servers;
    if (!report::has_table(run / "pods.csv")) {
        return servers;
    }
    const auto numbers = server_numbers(run);
    CsvReader csv(run / "pods.csv");
    const std::size_t pod = csv.column("pod");
    const std::size_t group = csv.column("group");
    const std::size_t node = csv.column("node");
    each_row(csv, replication, [&] {
        if (csv.field(node).empty()) {
            return;
        }
        const auto number = numbers.find(csv.field(node));
        if (number == numbers.end()) {
            csv.fail(node, fmt::format("'{}': expected a node of nodes.csv", csv.field(node)));
        }
        const std::string& job = csv.field(csv.field(group).empty() ? pod : group);
        servers[job].insert(number->second);
    });
    return servers;
}

/// `0-3 8`: an interval set as Batsim writes it.
std::string interval_text(const std::set<std::uint32_t>& numbers) {
    std::string out;
    for (auto at = numbers.begin(); at != numbers.end();) {
        const std::uint32_t first = *at;
        std::uint32_t last = first;
        for (++at; at != numbers.end() && *at == last + 1; ++at) {
            last = *at;
        }
        out += fmt::format("{}{}", out.empty() ? "" : " ", first);
        out += last > first ? fmt::format("-{}", last) : "";
    }
    return out;
}

/// When a replication ended, in seconds.
double end_of(const fs::path& run, std::int64_t replication) {
    const ReplicationTable table = read_replication_table(run);
    const auto metric = std::ranges::find(table.metrics, "end_s");
    if (metric == table.metrics.end()) {
        throw core::InputError(
            fmt::format("{}: error: has no metric end_s: expected a run of this version of berth",
                        (run / "replications.csv").string()));
    }
    for (const auto& [seed, row] : table.by_seed) {
        if (row.replication == replication) {
            return row.figures[static_cast<std::size_t>(metric - table.metrics.begin())]
                .value.value_or(0);
        }
    }
    throw core::InputError(fmt::format("--replication: error: '{}': expected one of 0 to {}",
                                       replication,
                                       table.by_seed.size() - 1));
}

/// Reads jobs.csv of one run, and makes a row of each job.
class JobRows {
public:
    JobRows(const fs::path& run, std::int64_t replication)
        : csv_(run / "jobs.csv"),
          replication_(replication),
          end_s_(end_of(run, replication)),
          servers_(servers_of_jobs(run, replication)) {}

    BatsimJobs read() {
        BatsimJobs out;
        out.csv = header;
        each_row(csv_, replication_, [&] {
            const std::string& outcome = csv_.field(outcome_);
            if (outcome == "waiting") {
                ++out.waiting;
                return;
            }
            ++out.jobs;
            const bool started = !csv_.field(start_).empty();
            out.csv += started ? started_row() : rejected_row();
        });
        return out;
    }

private:
    /// What a job asked for, up to `final_state`.
    std::string asked(int success, std::string_view final_state) const {
        const auto estimate = csv_.number(estimate_);
        const auto requested = estimate ? estimate : csv_.number(duration_);
        return fmt::format("{},berth,{},{},{},{},{},{}",
                           core::csv_field(csv_.field(job_)),
                           core::csv_field(csv_.field(type_)),
                           csv_.field(submit_),
                           csv_.field(size_),
                           requested.value_or(-1),
                           success,
                           final_state);
    }

    /// A job that runs when the run ends is killed then, as Batsim says it.
    std::string started_row() const {
        const bool finished = csv_.field(outcome_) == "finished";
        const double submit = csv_.required_number(submit_);
        const double start = csv_.required_number(start_);
        const double finish = finished ? csv_.required_number(finish_) : end_s_;
        const double ran = finish - start;
        const auto servers = servers_.find(csv_.field(job_));
        return fmt::format(
            "{},{},{},{},{},{},{},{},0,\n",
            asked(finished ? 1 : 0, finished ? "COMPLETED_SUCCESSFULLY" : "COMPLETED_KILLED"),
            start,
            ran,
            finish,
            start - submit,
            finish - submit,
            ran > 0 ? fmt::format("{}", (finish - submit) / ran) : "1",
            servers != servers_.end() ? interval_text(servers->second) : "");
    }

    std::string rejected_row() const { return asked(0, "REJECTED") + ",-1,-1,-1,-1,-1,-1,,0,\n"; }

    CsvReader csv_;
    std::int64_t replication_;
    double end_s_;
    Servers servers_;
    std::size_t job_ = csv_.column("job");
    std::size_t type_ = csv_.column("type");
    std::size_t size_ = csv_.column("size");
    std::size_t submit_ = csv_.column("submit_s");
    std::size_t start_ = csv_.column("start_s");
    std::size_t finish_ = csv_.column("finish_s");
    std::size_t duration_ = csv_.column("duration_s");
    std::size_t estimate_ = csv_.column("estimate_s");
    std::size_t outcome_ = csv_.column("outcome");
};

}  // namespace

BatsimJobs batsim_jobs(const fs::path& run, std::int64_t replication) {
    if (!report::has_table(run / "jobs.csv") || !report::has_table(run / "replications.csv")) {
        throw core::InputError(fmt::format(
            "{}: error: this is not a run directory with jobs.csv: expected what berth run writes",
            run.string()));
    }
    return JobRows(run, replication).read();
}

}  // namespace berth::experiments
