#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "schedulers/kueue/trace/kueue_job.hpp"
#include "schedulers/kueue/trace/object_header.hpp"
#include "workloads/trace/row_error.hpp"

namespace berth::workloads {
namespace {

using Index = JsonRow::Index;
using sim::SimTime;

struct Condition {
    bool is_true = false;
    SimTime at{};  ///< When the condition became so.
    std::string reason;
    Index where = 0;
};

std::optional<Condition> find_condition(const JsonRow& row, std::string_view type) {
    std::optional<Condition> found;
    row.for_each(row.find({"status", "conditions"}), [&](Index one) {
        const auto of_type = row.find(one, {"type"});
        if (!of_type || row.text(*of_type) != type) {
            return;
        }
        if (found) {
            row.fail(*of_type, fmt::format("condition {} a second time: expected one", type));
        }
        const auto status = row.find(one, {"status"});
        const std::string_view word = status ? row.text(*status) : "";
        if (word != "True" && word != "False" && word != "Unknown") {
            row.fail(status.value_or(one),
                     fmt::format("status {} of condition {}: expected True, False or Unknown",
                                 quoted(word),
                                 type));
        }
        const auto at = row.find(one, {"lastTransitionTime"});
        if (!at) {
            row.fail(one,
                     fmt::format("condition {} without lastTransitionTime: expected one", type));
        }
        const auto reason = row.find(one, {"reason"});
        found = {word == "True", row.date(*at), "", *at};
        found->reason = reason ? row.text(*reason) : "";
    });
    return found;
}

/// Tells when a Workload ran, from what Kueue keeps about it: only the last admission, and for how
/// long it was admitted before that.
class WorkloadTimes {
public:
    WorkloadTimes(const JsonRow& row, KueueJob& out)
        : row_(row),
          out_(out),
          admitted_(find_condition(row, "Admitted")),
          ready_(find_condition(row, "PodsReady")),
          evicted_(find_condition(row, "Evicted")),
          finished_(find_condition(row, "Finished")) {}

    void read() {
        TraceJob& job = out_.job;
        if (const auto created = row_.find({"metadata", "creationTimestamp"})) {
            job.submit = row_.date(*created);
        }
        past_ = past();
        const bool ended = finished_ && finished_->is_true;
        const auto admitted = admitted_since(ended);
        if (admitted) {
            job.start = started_since(*admitted, ended);
        }
        if (!ended) {
            job.status = admitted ? TraceStatus::running : TraceStatus::pending;
            return;
        }
        job.finish = finished_->at;
        if (job.start && *job.start > *job.finish) {
            row_.fail(finished_->where,
                      "Finished before it was admitted: expected no earlier lastTransitionTime");
        }
        job.status = status_of(finished_->reason);
    }

private:
    /// For how long it was admitted before it was last evicted; the total if it is no longer
    /// admitted.
    [[nodiscard]] SimTime past() const {
        std::optional<Index> seconds;
        for (const std::string_view key :
             {"accumulatedPastExecutionTimeSeconds", "accumulatedPastExexcutionTimeSeconds"}) {
            seconds = seconds ? seconds : row_.find({"status", key});
        }
        return std::chrono::seconds(
            whole_number_or(row_, seconds, "accumulatedPastExecutionTimeSeconds", 0, INT32_MAX, 0));
    }

    /// When its last admission began. Once the Workload is finished, later versions of Kueue report
    /// it as no longer admitted and count the last run among the past ones.
    std::optional<SimTime> admitted_since(bool ended) {
        out_.ran_before = past_.count() > 0;
        if (!admitted_) {
            return std::nullopt;
        }
        if (admitted_->is_true) {
            return admitted_->at;
        }
        if (!ended || past_.count() == 0) {
            return std::nullopt;
        }
        SimTime since = std::min(admitted_->at, finished_->at) - past_;
        out_.ran_before = false;
        if (evicted_ && !evicted_->is_true && evicted_->at > since) {
            out_.ran_before = true;
            since = std::min(evicted_->at, finished_->at);  // when it got quota once more
        }
        return out_.job.submit ? std::max(since, *out_.job.submit) : since;
    }

    /// When all its pods ran, if the last admission tells this.
    [[nodiscard]] SimTime started_since(SimTime admitted, bool ended) const {
        const bool tells = ready_ && ready_->is_true && ready_->reason != "Recovered" &&
                           ready_->at >= admitted && (!ended || ready_->at <= finished_->at);
        return tells ? ready_->at : admitted;
    }

    [[nodiscard]] TraceStatus status_of(const std::string& reason) const {
        if (!out_.job.start) {
            return TraceStatus::cancelled;  // it ended while it waited
        }
        if (reason == "Succeeded") {
            return TraceStatus::completed;
        }
        if (reason == "Failed") {
            return TraceStatus::failed;
        }
        return TraceStatus::unknown;
    }

    const JsonRow& row_;
    KueueJob& out_;
    std::optional<Condition> admitted_;
    std::optional<Condition> ready_;
    std::optional<Condition> evicted_;
    std::optional<Condition> finished_;
    SimTime past_{};
};

}  // namespace

void read_workload_times(const JsonRow& row, KueueJob& out) {
    WorkloadTimes(row, out).read();
}

bool has_condition(const JsonRow& row, std::string_view type) {
    const auto condition = find_condition(row, type);
    return condition && condition->is_true;
}

}  // namespace berth::workloads
