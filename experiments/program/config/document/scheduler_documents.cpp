#include "experiments/program/config/document/scheduler_documents.hpp"

#include <algorithm>

namespace berth::experiments {

#define BERTH_SCHEDULER(name) extern const SchedulerDocuments name##_documents;
#include "schedulers/documents.def"
#undef BERTH_SCHEDULER

std::span<const SchedulerDocuments> scheduler_documents() {
    static const SchedulerDocuments all[] = {
#define BERTH_SCHEDULER(name) name##_documents,
#include "schedulers/documents.def"
#undef BERTH_SCHEDULER
    };
    return all;
}

namespace {

const SchedulerDocuments* find_scheduler(const core::Value& document,
                                         bool (*SchedulerDocuments::*holds)(const core::Value&)) {
    const std::span<const SchedulerDocuments> all = scheduler_documents();
    const auto found = std::ranges::find_if(
        all, [&](const SchedulerDocuments& one) { return (one.*holds)(document); });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

const SchedulerDocuments* scheduler_of_objects(const core::Value& document) {
    return find_scheduler(document, &SchedulerDocuments::holds_objects);
}

const SchedulerDocuments* scheduler_of_jobs(const core::Value& document) {
    return find_scheduler(document, &SchedulerDocuments::holds_jobs);
}

}  // namespace berth::experiments
