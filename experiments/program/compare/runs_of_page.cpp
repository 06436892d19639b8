#include "experiments/program/compare/runs_of_page.hpp"

#include <fmt/format.h>

#include "core/support/file_kind.hpp"
#include "experiments/program/compare/differing_inputs.hpp"
#include "experiments/program/results/claim.hpp"
#include "experiments/program/results/read_summary.hpp"
#include "experiments/program/results/run_directory.hpp"
#include "experiments/program/results/sweep_directory.hpp"
#include "experiments/program/verify/verify_run.hpp"
#include "experiments/version.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

/// Names runs: `out/a`, or `out/a and 3 more`.
std::string named(const std::vector<fs::path>& runs) {
    return runs.size() == 1 ? runs.front().string()
                            : fmt::format("{} and {} more", runs.front().string(), runs.size() - 1);
}

/// The version of berth that made a run; empty if it is not known.
std::string version_of(const fs::path& run) {
    if (!core::exists(run / "manifest.json")) {
        return "";
    }
    const std::string program = read_manifest(run).program;
    return program.substr(0, program.find(' '));
}

bool same_question(const std::vector<fs::path>& directories) {
    bool same_work = true;
    bool same_cluster = true;
    for (std::size_t i = 1; i < directories.size() && (same_work || same_cluster); ++i) {
        const DifferingInputs inputs = differing_inputs(directories.front(), directories[i]);
        same_work = same_work && inputs.work.empty();
        same_cluster = same_cluster && inputs.cluster.empty();
    }
    return same_work || same_cluster;
}

/// Adds the claims of a run. Returns whether it has any.
bool add_claims(const fs::path& directory, RunsOfPage& out) {
    const std::size_t before = out.claims;
    for (const report::ClaimResult& claim : report::read_claims(directory)) {
        if (claim.is_expectation) {
            continue;
        }
        ++out.claims;
        out.held += claim.holds ? 1 : 0;
        if (!claim.holds) {
            out.broken.push_back(fmt::format("{}: {}: expected {}, measured {}",
                                             report::run_name(directory),
                                             claim.text,
                                             claim.expected,
                                             claim.measured));
        }
    }
    return out.claims > before;
}

}  // namespace

RunsOfPage look_at_runs(const std::vector<fs::path>& directories) {
    RunsOfPage out;
    std::vector<fs::path> old;
    std::vector<fs::path> without_claims;
    for (const fs::path& directory : directories) {
        if (const std::string made_by = version_of(directory);
            !made_by.empty() && made_by != version) {
            old.push_back(directory);
        }
        if (!add_claims(directory, out)) {
            without_claims.push_back(directory);
        }
    }
    if (!old.empty()) {
        out.notes.push_back(fmt::format(
            "{}: warning: made by berth {}, and this is berth {}, so that the page may lack what "
            "the runs did not write yet: berth run {}/experiment.yaml makes a run anew",
            named(old),
            version_of(old.front()),
            version,
            old.front().string()));
    }
    if (out.claims > 0 && !without_claims.empty()) {
        out.notes.push_back(fmt::format(
            "{}: warning: no claims here, where other runs have some, so that the page only lists "
            "the numbers: write spec.claims into the experiment and run it again",
            named(without_claims)));
    }
    out.same_question = same_question(directories);
    if (!out.same_question && out.claims == 0) {
        out.notes.push_back(fmt::format(
            "{}: warning: their workloads differ, and so do their clusters, so that the page lists "
            "the runs and compares none: berth compare A B compares two all the same",
            named(directories)));
    }
    return out;
}

std::string claims_text(const RunsOfPage& runs) {
    if (runs.claims == 0) {
        return "";
    }
    std::string out = fmt::format("{} of {} claim{} hold{}\n",
                                  runs.held,
                                  runs.claims,
                                  runs.claims == 1 ? "" : "s",
                                  runs.held == 1 ? "s" : "");
    for (const std::string& line : runs.broken) {
        out += fmt::format("  does not hold: {}\n", line);
    }
    return out;
}

}  // namespace berth::experiments
