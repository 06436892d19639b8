#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kueue/trace/kueue_job.hpp"
#include "schedulers/kueue/trace/object_header.hpp"

namespace berth::workloads {

/// What is known of a group of pods so far, while its pods are read one by one.
struct HeldGroup {
    core::Members total = 0;  ///< Number of pods in the group, as the pods state it.
    std::vector<sim::SimTime> created;
    std::optional<sim::SimTime> started;  ///< When the first of its pods started.
    std::optional<sim::SimTime> ended;    ///< When the last of the pods read so far ended.
    core::Members pods = 0;
    core::Members succeeded = 0;
    bool all_ended = true;
    std::string fault;  ///< Why the group is not one job of equal pods; "" if it is one.
};

/// A Job, a Pod or a group of Pods. It is held until the whole file is read: only then is it known
/// whether a Workload in the file stands for it, and which priority its class has.
struct HeldObject {
    ObjectHeader header;            ///< Header of the object; for a group, that of its first pod.
    std::vector<std::string> uids;  ///< The Job's uid, or the uids of all pods.
    KueueJob found;
    std::string kueue_class;  ///< The WorkloadPriorityClass that it names; "" if none.
    /// The PriorityClass that it names, if it does not state a priority itself; "" if none.
    std::string pod_class;
    bool has_priority = false;
    std::optional<HeldGroup> group;
    std::uint64_t line = 0;
    std::size_t column = 0;
};

/// The Jobs and Pods of a file, held until the whole file is read.
///
/// Cost: about a kilobyte for each Job and for each Pod outside a group, and some 50 bytes for each
///       Workload and for each Pod of a group.
class HeldObjects {
public:
    enum class Fate : std::uint8_t {
        given,   ///< It is a job of the trace.
        taken,   ///< Another object in the file stands for it.
        orphan,  ///< It belongs to an object that is not in the file.
    };

    /// Notes which objects a Workload stands for, even if the Workload itself is not read as a job.
    void stands_for_owners(const JsonRow& row, const ObjectHeader& workload);
    void hold_job(const JsonRow& row, ObjectHeader header, std::uint64_t line, std::size_t column);
    void hold_pod(const JsonRow& row, ObjectHeader header, std::uint64_t line, std::size_t column);
    /// Notes a Job that Kueue does not manage: its pods do not count either.
    void note_job(const ObjectHeader& header);
    /// Notes an object of another kind that names a queue.
    void note_other(const ObjectHeader& header) { others_.emplace_back(header.kind, header.uid); }
    /// Notes the priority of a WorkloadPriorityClass or a PriorityClass. Errors: RowError.
    void note_class(const JsonRow& row, const ObjectHeader& header);

    /// Returns the next held object, once the whole file is read; nullptr after the last.
    [[nodiscard]] HeldObject* next();
    [[nodiscard]] Fate fate_of(const HeldObject& held) const;
    /// Completes the job of a held object whose fate is `given`. Errors: RowError, at its place in
    /// `file`.
    void finish(HeldObject& held, const std::string& file) const;
    /// Counts, by kind, the objects of other kinds that no Workload stands for. Valid once the
    /// whole file is read.
    [[nodiscard]] std::map<std::string, std::uint64_t> others() const;

private:
    void note_owner(const std::string& uid);
    [[nodiscard]] bool is_taken(const std::string& uid, const std::string& key) const;
    HeldObject& hold(ObjectHeader header, std::uint64_t line, std::size_t column);
    void add_to_group(HeldObject pod, const std::string& group, const std::string& total);
    void set_priority(HeldObject& held, const std::string& file) const;

    std::vector<HeldObject> held_;
    std::size_t given_ = 0;
    /// Index of each group in `held_`, by namespace and name.
    std::map<std::pair<std::string, std::string>, std::size_t> groups_;
    std::set<std::string> owner_uids_;   ///< The objects that Workloads stand for, by uid.
    std::set<std::string> owner_names_;  ///< Kind, namespace and name of the same objects.
    std::set<std::string> jobs_;         ///< The uids of all Jobs.
    /// Kind and uid of each object of another kind that names a queue.
    std::vector<std::pair<std::string, std::string>> others_;
    /// The priority of each class, by the class's kind and name.
    std::map<std::pair<std::string, std::string>, std::int32_t> classes_;
    std::int32_t default_priority_ = 0;
};

/// Whether Kueue admits objects of this kind, so that the objects they own are not admitted by
/// themselves.
[[nodiscard]] bool is_admitted_kind(std::string_view kind);

}  // namespace berth::workloads
