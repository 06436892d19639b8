#include "experiments/program/commands/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/support/csv_record.hpp"
#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/run_options.hpp"
#include "experiments/program/compare/run_argument.hpp"
#include "experiments/program/results/replication_table.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "experiments/program/run/csv_recorder.hpp"
#include "experiments/program/support/temporary.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using report::CsvReader;
using Servers = std::map<std::string, std::set<std::uint32_t>>;

constexpr std::string_view header =
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,"
    "success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,"
    "stretch,allocated_resources,consumed_energy,metadata\n";

/// Calls `use` for each row of one replication.
template <class Use>
void each_row(CsvReader& csv, std::int64_t replication, Use use) {
    const std::size_t column = csv.column("replication");
    while (csv.next()) {
        if (csv.required_number(column) == static_cast<double>(replication)) {
            use();
        }
    }
}

/// The numbers of the servers, counted from 0 in the order of the tree.
std::map<std::string, std::uint32_t> server_numbers(const fs::path& run) {
    CsvReader csv(run / "nodes.csv");
    const std::size_t node = csv.column("node");
    std::map<std::string, std::uint32_t> numbers;
    while (csv.next()) {
        numbers.emplace(csv.field(node), static_cast<std::uint32_t>(numbers.size()));
    }
    return numbers;
}

/// The servers of each job's pods; nothing for a run that recorded no placements.
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

/// Writes an interval set as Batsim does: `0-3 8`.
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
    const report::ReplicationTable table = report::read_replication_table(run);
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

/// Reads jobs.csv of one run, and makes a row for each job.
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
    /// The columns for what a job requested, up to `final_state`.
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

    /// The row of a job that started. As in Batsim, a job that still runs when the run ends is
    /// killed then.
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

std::int64_t replication_of(const po::variables_map& values) {
    if (values.count("replication") == 0) {
        return 0;
    }
    constexpr std::int64_t most = 1'000'000'000;
    core::Diagnostics diagnostics;
    const core::Value value =
        option_value("--replication", values["replication"].as<std::string>());
    const auto number = core::read_integer(value, diagnostics, 0, most);
    diagnostics.throw_if_failed();
    return number.value_or(0);
}

/// Creates the folder and its missing parents, and returns those that were missing. Refuses a run
/// directory, because that has a jobs.csv of its own.
std::vector<fs::path> make_folder(const fs::path& folder) {
    if (core::exists(folder / "manifest.json") || core::exists(folder / "points.csv")) {
        throw core::InputError(
            fmt::format("{}: error: is a run or a sweep, whose files are its own: expected a "
                        "folder for what is exported",
                        folder.string()));
    }
    try {
        return make_folders(folder);
    } catch (const std::system_error& why) {
        throw core::InputError(
            fmt::format("{}: error: cannot be created ({}): expected a folder that can be written",
                        folder.string(),
                        why.code().message()));
    }
}

}  // namespace

BatsimJobs batsim_jobs(const fs::path& run, std::int64_t replication) {
    if (!report::has_table(run / "jobs.csv") || !report::has_table(run / "replications.csv")) {
        throw core::InputError(fmt::format(
            "{}: error: this is not a run directory with jobs.csv: expected what berth run writes",
            run.string()));
    }
    return JobRows(run, replication).read();
}

int run_export(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("batsim", "write jobs.csv in the columns of Batsim, which Evalys reads");
    add("output,o", po::value<std::string>()->value_name("DIR"), "the folder to write to");
    add("replication",
        po::value<std::string>()->value_name("N"),
        "which replication's jobs (default 0)");
    const auto values = parse_arguments("export", arguments, options, "RUN", 1);
    if (!values) {
        return exit_done;
    }
    const std::string name = needed_arguments(*values, "export", "RUN")[0];
    if (values->count("batsim") == 0) {
        throw core::InputError("berth export: error: no format is named: expected --batsim");
    }
    if (values->count("output") == 0) {
        throw core::InputError("berth export: error: no folder is named: expected -o DIR");
    }
    const fs::path folder = (*values)["output"].as<std::string>();
    const RunArgument run = find_run(name);
    const BatsimJobs jobs = batsim_jobs(run.directory, replication_of(*values));
    const std::vector<fs::path> made = make_folder(folder);
    try {
        write_file(folder / "jobs.csv", jobs.csv);
    } catch (...) {
        remove_empty(made);
        throw;
    }
    std::cerr << fmt::format(
        "{}: {} job{}{}\n",
        (folder / "jobs.csv").string(),
        jobs.jobs,
        jobs.jobs == 1 ? "" : "s",
        jobs.waiting > 0 ? fmt::format("; {} that still waited are left out", jobs.waiting) : "");
    return exit_done;
}

}  // namespace berth::experiments
