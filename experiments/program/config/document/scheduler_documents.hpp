#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "sim/job/pod_template.hpp"
#include "sim/profile/admission.hpp"
#include "sim/scheduler/scheduler_settings.hpp"

namespace berth::experiments {

struct ExperimentSpec;
class PodLabels;
class QueuedPods;
struct WaitingPods;

/// What a PriorityClass gives its pods.
struct PodPriority {
    std::int32_t value = 0;
    bool never_preempts = false;
};

/// What documents tell about a scheduler that has objects of its own, and how they are read. Of
/// what has a default, only schedulers whose jobs are objects themselves need another.
struct SchedulerDocuments {
    std::string_view key;  ///< Its key in `spec.scheduler`, with the objects behind it.
    /// The key there of a file, which may also stand there alone. Its objects take the place of
    /// `file` under `objects`, and stay under any other key. Empty if it has no such file.
    std::string_view file_key = "file";
    /// Keys there of files that stay texts, which come behind the key as `{text: TEXT}`.
    std::span<const std::string_view> text_files{};
    std::string_view text_key = "text";  ///< The key in that map.
    /// Another key there: a file of objects of the cluster that count for its decisions, or a list
    /// of such files and objects; empty if it has none.
    std::string_view cluster_key{};
    std::string_view group;           ///< The API group of its objects, with a slash behind it.
    std::string_view trace_format{};  ///< The format of traces of its jobs.
    std::string_view example;         ///< It shows what to write behind the key.
    std::string_view no_object;       ///< The error for a file without any of its objects.
    /// Definitions of a JSON Schema: that of its key, of what stands behind the key, and others.
    std::string_view schema;

    /// Whether a document, or one in a `List`, is an object that describes how it is set up.
    bool (*holds_objects)(const core::Value& document);
    /// Whether a document, or one in a `List`, is a job that it admits.
    bool (*holds_jobs)(const core::Value& document) = [](const core::Value&) { return false; };
    /// Removes the jobs of a trace from a list of documents, and from each `List` among them.
    void (*leave_out_jobs)(core::Value& documents) = [](core::Value&) {};
    /// Checks objects without a run, such as those of a file. Errors: recorded at their places.
    void (*check_objects)(const std::vector<core::Value>& documents,
                          core::Diagnostics& diagnostics);
    /// Reduces an object of the cluster to what is read of it. Returns whether that is anything.
    bool (*trim_cluster_object)(core::Value& object) = [](core::Value&) { return true; };
    /// Reads what stands behind its key. `placer_reads_labels`: the run's placer goes by the labels
    /// of nodes of its own, and not by those of `tree`. Errors: recorded at their places.
    std::shared_ptr<const sim::AdmissionSettings> (*read)(const core::Value& value,
                                                          const core::Topology* tree,
                                                          bool placer_reads_labels,
                                                          core::Diagnostics& diagnostics) = nullptr;
    /// The same for a scheduler that decides everything in a run, in place of `read`. `topology`:
    /// the experiment's, from which `tree` was made.
    std::shared_ptr<const sim::SchedulerSettings> (*read_scheduler)(
        const core::Value& value,
        const core::Value& topology,
        const core::Topology& tree,
        core::Diagnostics& diagnostics) = nullptr;
    /// Reads the `metadata` and the `spec` of pods, for a scheduler that takes what they say from
    /// there; nullptr if it takes what every scheduler here does. Errors: recorded at their places.
    std::shared_ptr<const sim::PodTemplate> (*read_pod)(const core::Value& pod,
                                                        core::Diagnostics& diagnostics) = nullptr;
    /// The priority of pods of a class by this name, or of those that name none; nothing if there
    /// is no such class.
    std::optional<PodPriority> (*priority_of)(const sim::SchedulerSettings& settings,
                                              std::string_view class_name) =
        [](const sim::SchedulerSettings&, std::string_view) -> std::optional<PodPriority> {
        return std::nullopt;
    };
    /// Whether it knows the devices of the cluster, so that the claims of pods count.
    bool (*knows_devices)(const sim::SchedulerSettings& settings) =
        [](const sim::SchedulerSettings&) { return false; };
    /// What its objects in a file tell about the pods there; nullptr if they tell nothing. All
    /// arguments must outlive it.
    std::unique_ptr<QueuedPods> (*queued_pods)(const core::Value& document,
                                               const PodLabels& labels,
                                               core::Diagnostics& diagnostics) = nullptr;
    /// The pods of its objects in a file that wait for quota; nullptr if it has none.
    std::vector<WaitingPods> (*waiting_pods)(const core::Value& document,
                                             core::Diagnostics& diagnostics) = nullptr;
    /// Warns about fields of these objects that a run does not model, and about those left out.
    void (*warn_of_waiting)(const core::Value& document, core::Diagnostics& diagnostics) =
        [](const core::Value&, core::Diagnostics&) {};
    /// Its objects in a file that have not finished, reduced to what the functions above read.
    std::vector<core::Value> (*trimmed_waiting)(const core::Value& document) =
        [](const core::Value&) { return std::vector<core::Value>(); };
    /// Whether a label or an annotation of this name tells it something about a pod's queue.
    bool (*tells_queue)(std::string_view key) = [](std::string_view) { return false; };
    /// What `scontrol show node` prints of the nodes in a file of its own; nothing if the text is
    /// no such file. Errors: InputError.
    std::optional<std::string> (*node_records)(const core::SourceText& text) =
        [](const core::SourceText&) -> std::optional<std::string> { return std::nullopt; };
    /// Refuses what an experiment has and this scheduler does not support, at `span`.
    void (*check_experiment)(const ExperimentSpec& spec,
                             const core::SourceSpan& span,
                             core::Diagnostics& diagnostics) =
        [](const ExperimentSpec&, const core::SourceSpan&, core::Diagnostics&) {};
};

/// Those of all schedulers that have a folder `documents`, in the order of
/// schedulers/schedulers.def.
[[nodiscard]] std::span<const SchedulerDocuments> scheduler_documents();

/// The scheduler whose objects a document holds, or whose jobs it holds; nullptr if there is none.
[[nodiscard]] const SchedulerDocuments* scheduler_of_objects(const core::Value& document);
[[nodiscard]] const SchedulerDocuments* scheduler_of_jobs(const core::Value& document);

}  // namespace berth::experiments
