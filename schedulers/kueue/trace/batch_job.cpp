#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "schedulers/kueue/trace/kueue_job.hpp"
#include "schedulers/kueue/trace/object_fields.hpp"
#include "schedulers/kueue/trace/object_header.hpp"
#include "workloads/trace/pod_amounts.hpp"
#include "workloads/trace/row_error.hpp"

namespace berth::workloads {
namespace {

using Index = JsonRow::Index;

void refuse_what_runs_do_not_have(const JsonRow& row) {
    constexpr std::string_view elastic = "kueue.x-k8s.io/elastic-job";
    if (const auto says = row.find({"metadata", "annotations", elastic});
        says && row.text(*says) == "true") {
        row.fail(*says,
                 fmt::format("{}: an elastic job, which is not modelled in a run: expected jobs "
                             "that keep their size",
                             elastic));
    }
    if (const auto by = row.find({"spec", "managedBy"});
        by && row.text(*by) == "kueue.x-k8s.io/multikueue") {
        row.fail(*by,
                 "managedBy MultiKueue: it ran in another cluster, which is not modelled in a run: "
                 "expected the jobs of that cluster");
    }
}

/// Reads as many members as pods run at a time; the completions beyond that come one after another.
void read_members(const JsonRow& row, TraceJob& job) {
    const auto parallelism = row.find({"spec", "parallelism"});
    const auto completions = row.find({"spec", "completions"});
    job.members = whole_number_or(row, parallelism, "parallelism", 0, members_max, 1);
    const core::Members wanted =
        whole_number_or(row, completions, "completions", 0, members_max, job.members);
    if (job.members == 0 || wanted == 0) {
        row.fail(job.members == 0 ? *parallelism : *completions,
                 "no pods: expected a number above 0");
    }
    job.members = std::min(job.members, wanted);
    constexpr std::string_view least = "kueue.x-k8s.io/job-min-parallelism";
    if (const auto min = row.find({"metadata", "annotations", least})) {
        if (job.members == 1) {
            row.fail(*min, fmt::format("{} of a single pod: expected several pods", least));
        }
        job.members_min = whole_number(row, *min, least, 1, job.members - 1);
    }
}

/// When a condition of a Job became true; nothing if it is not true.
std::optional<Index> true_since(const JsonRow& row, std::string_view type, std::string& reason) {
    std::optional<Index> since;
    row.for_each(row.find({"status", "conditions"}), [&](Index one) {
        const auto of_type = row.find(one, {"type"});
        const auto status = row.find(one, {"status"});
        if (of_type && row.text(*of_type) == type && status && row.text(*status) == "True") {
            since = row.find(one, {"lastTransitionTime"});
            const auto why = row.find(one, {"reason"});
            reason = why ? row.text(*why) : "";
            if (!since) {
                row.fail(
                    one,
                    fmt::format("condition {} without lastTransitionTime: expected one", type));
            }
        }
    });
    return since;
}

void read_submit(const JsonRow& row, TraceJob& job) {
    if (const auto created = row.find({"metadata", "creationTimestamp"})) {
        job.submit = row.date(*created);
    }
    if (const auto started = row.find({"status", "startTime"})) {
        job.start = row.date(*started);
    }
}

void refuse_early_end(const JsonRow& row, const TraceJob& job, std::optional<Index> end) {
    if (end && job.start && *job.finish < *job.start) {
        row.fail(*end, "ends before it starts: expected no earlier time");
    }
}

void read_job_times(const JsonRow& row, TraceJob& job) {
    read_submit(row, job);
    std::string reason;
    const auto failed = true_since(row, "Failed", reason);
    std::string of_success;
    const auto complete = true_since(row, "Complete", of_success);
    const auto completed = row.find({"status", "completionTime"});
    const auto end = failed ? failed : completed ? completed : complete;
    if (end) {
        job.finish = row.date(*end);
        job.status = !failed                        ? TraceStatus::completed
                     : reason == "DeadlineExceeded" ? TraceStatus::timed_out
                                                    : TraceStatus::failed;
    } else {
        job.status = job.start ? TraceStatus::running : TraceStatus::pending;
    }
    if (end && !job.start) {
        job.status = TraceStatus::cancelled;  // it ended while it waited
    }
    refuse_early_end(row, job, end);
    if (const auto most = row.find({"spec", "activeDeadlineSeconds"})) {
        job.time_limit =
            std::chrono::seconds(whole_number(row, *most, "activeDeadlineSeconds", 1, INT32_MAX));
    }
}

}  // namespace

KueueJob read_batch_job(const JsonRow& row) {
    refuse_what_runs_do_not_have(row);
    KueueJob out;
    read_pod_template(row, row.find({"spec", "template"}), out);
    read_members(row, out.job);
    read_job_times(row, out.job);
    batch_job_fields().find(row.json(), JsonText::root(), out.object_says);
    return out;
}

KueueJob read_queued_pod(const JsonRow& row) {
    KueueJob out;
    read_pod_template(row, JsonText::root(), out);
    TraceJob& job = out.job;
    read_submit(row, job);
    if (const auto phase = row.find({"status", "phase"})) {
        const auto status = status_of_phase(row.text(*phase));
        if (!status) {
            row.fail(
                *phase,
                fmt::format("unknown phase {}: expected {}", quoted(row.text(*phase)), pod_phases));
        }
        job.status = *status;
    }
    const auto end = last_end_of_containers(row);
    if (end) {
        job.finish = row.date(*end);
    }
    refuse_early_end(row, job, end);
    return out;
}

}  // namespace berth::workloads
