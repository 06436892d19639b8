/// kueue: Workloads, Jobs and Pods that Kueue admits, as `kubectl get -o json` prints them.

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>

#include "workloads/trace/kueue/held_objects.hpp"
#include "workloads/trace/kueue/kueue_job.hpp"
#include "workloads/trace/kueue/notes.hpp"
#include "workloads/trace/kueue/object_header.hpp"
#include "workloads/trace/kueue/objects.hpp"
#include "workloads/trace/row_error.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/trace/trace_clock.hpp"

namespace berth::workloads {
namespace {

/// Workloads are jobs as they come by. Jobs and Pods follow when all of the file was read, those
/// for which no Workload stands.
class KueueReader final : public RowReader {
public:
    KueueReader(std::unique_ptr<TraceObjects> objects, const TraceOptions& options)
        : RowReader(options),
          lenient_(options.lenient),
          row_(objects->file()),
          objects_(std::move(objects)) {}

private:
    Row read(TraceJob& job) override {
        if (!all_read_ && has_next()) {
            begin_row(objects_->line());
            return read_object(job);
        }
        all_read_ = true;
        if (HeldObject* held = held_.next()) {
            return settle(*held, job);
        }
        if (!noted_) {
            noted_ = true;
            notes_.unresolved = held_.others();
            note(notes_.lines());
        }
        if (cut_) {
            std::rethrow_exception(cut_);
        }
        return Row::end;
    }

    /// A file that is cut short ends there, if that may be; what was held before is given all the
    /// same, and then the cut is told.
    bool has_next() {
        try {
            return objects_->next(row_);
        } catch (const CutShort&) {
            if (!lenient_) {
                throw;
            }
            cut_ = std::current_exception();
            return false;
        }
    }

    Row read_object(TraceJob& job) {
        ObjectHeader header = read_object_header(row_);
        if (header.is(kueue_group, "Workload")) {
            return read_workload(header, job);
        }
        if (header.is("batch", "Job") || header.is("", "Pod")) {
            hold(std::move(header));
        } else if (header.is(kueue_group, "WorkloadPriorityClass") ||
                   header.is("scheduling.k8s.io", "PriorityClass")) {
            held_.note_class(row_, header);
        } else if (!header.queue.empty() && is_job_kind(header.kind)) {
            held_.note_other(header);
        }
        return Row::no_job;
    }

    /// Of Deployments and their like, the pods are admitted.
    [[nodiscard]] static bool is_job_kind(std::string_view kind) {
        constexpr std::array<std::string_view, 4> by_pods{
            "Deployment", "LeaderWorkerSet", "ReplicaSet", "StatefulSet"};
        return std::ranges::find(by_pods, kind) == by_pods.end();
    }

    Row read_workload(const ObjectHeader& header, TraceJob& job) {
        held_.stands_for_owners(row_, header);
        if (row_.text({"spec", "queueName"}).empty()) {
            ++notes_.unqueued[header.kind];
            return Row::no_job;
        }
        KueueJob found = read_workload_object(row_, header.version);
        found.job.name = header.name;
        found.job.queue = row_.text({"spec", "queueName"});
        found.job.name_space = header.name_space;
        if (row_.text({"spec", "active"}) == "false" && !found.job.finish) {
            ++notes_.inactive;
            notes_.inactive_that_ran += found.job.start || found.ran_before ? 1 : 0;
            return Row::no_job;
        }
        return give(std::move(found), job);
    }

    void hold(ObjectHeader header) {
        const bool is_job = header.kind == "Job";
        if (header.queue.empty()) {
            ++notes_.unqueued[header.kind];
            if (is_job) {
                held_.note_job(header);
            }
        } else if (is_job) {
            held_.hold_job(row_, std::move(header), objects_->line(), objects_->column());
        } else {
            held_.hold_pod(row_, std::move(header), objects_->line(), objects_->column());
        }
    }

    Row settle(HeldObject& held, TraceJob& job) {
        begin_row(held.line);
        const HeldObjects::Fate fate = held_.fate_of(held);
        const auto objects = static_cast<std::uint64_t>(held.uids.size());
        if (fate == HeldObjects::Fate::taken) {
            notes_.taken[held.header.kind] += objects;
            return Row::no_job;
        }
        if (fate == HeldObjects::Fate::orphan) {
            notes_.orphans[held.header.kind] += objects;
            return Row::no_job;
        }
        held_.finish(held, objects_->file());
        return give(std::move(held.found), job);
    }

    Row give(KueueJob found, TraceJob& job) {
        notes_.count(found);
        job = std::move(found.job);
        clock_.set_to_zero(job);
        return Row::job;
    }

    bool lenient_;
    JsonRow row_;
    std::unique_ptr<TraceObjects> objects_;
    HeldObjects held_;
    KueueNotes notes_;
    TraceClock clock_;
    bool all_read_ = false;
    bool noted_ = false;
    std::exception_ptr cut_;  ///< Where a file was cut short.
};

}  // namespace

std::unique_ptr<TraceReader> make_kueue_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<KueueReader>(objects_of_json(std::move(text)), options);
}

std::unique_ptr<TraceReader> open_kueue_documents(
    std::shared_ptr<const std::vector<core::Value>> documents,
    const std::string& file,
    const TraceOptions& options) {
    return std::make_unique<KueueReader>(objects_of_documents(std::move(documents), file), options);
}

}  // namespace berth::workloads
