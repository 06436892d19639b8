#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedulers/kai/decide/pod.hpp"
#include "schedulers/kai/decide/queues.hpp"

namespace berth::core::kai {

/// What a group of pods asks of a topology; empty texts where it asks nothing.
struct TopologyConstraint {
    std::string topology;
    std::string required;
    std::string preferred;
    friend auto operator<=>(const TopologyConstraint&, const TopologyConstraint&) = default;
};

using GroupIndex = std::uint32_t;
inline constexpr GroupIndex no_group = UINT32_MAX;

/// A node of a job's tree of sub-groups: a leaf with pods, or a set of members.
struct Group {
    std::string name;
    GroupIndex parent = no_group;
    bool is_leaf = false;
    /// minMember of a leaf; minSubGroup of a set, which otherwise needs all members.
    std::optional<std::int64_t> min;
    std::optional<TopologyConstraint> topology;
    std::vector<GroupIndex> members;  ///< Sets before leaves.
};

/// What does not change of a job.
struct JobSpec {
    std::string name;
    QueueIndex queue = 0;
    std::int64_t priority = 50;
    bool is_preemptible = true;
    double created = 0;
    double delay = 0;                ///< Of the preemptions for it, in seconds.
    std::vector<Group> groups;       ///< The first one is the root; parents before their members.
    std::vector<GroupIndex> leaves;  ///< By name.
};

/// A job, or a part of one: a copy with some of its pods, in which numbers of active pods stay what
/// they were.
class Job {
public:
    /// What may differ in a part of the job.
    struct Members {
        std::optional<std::int64_t> min;
        std::vector<PodIndex> pods;  ///< Ascending, and thus by id.
        std::optional<std::int64_t> frozen;
    };

    Job(JobIndex index, const JobSpec& spec);

    /// The part with some pods of this job, ascending in each leaf.
    [[nodiscard]] Job part(const std::vector<PodIndex>& some, const std::vector<Pod>& pods) const;
    /// Lowers what groups need to what this part has.
    void lower_needs();

    [[nodiscard]] JobIndex index() const { return index_; }
    [[nodiscard]] const JobSpec& spec() const { return *spec_; }
    [[nodiscard]] const Members& members(GroupIndex group) const { return members_[group]; }
    [[nodiscard]] const Group& group(GroupIndex group) const { return spec_->groups[group]; }
    void add(GroupIndex leaf, PodIndex pod) {
        members_[leaf].pods.push_back(pod);
        elastic_state_.reset();
        has_active_.reset();
    }
    /// All pods, by leaf, and in a leaf by id.
    [[nodiscard]] std::vector<PodIndex> pods() const;
    [[nodiscard]] std::vector<PodIndex> pods_below(GroupIndex group) const;
    [[nodiscard]] std::vector<GroupIndex> leaves_below(GroupIndex group) const;

    [[nodiscard]] std::int64_t count(Statuses statuses, const std::vector<Pod>& pods) const;
    [[nodiscard]] std::int64_t count(GroupIndex leaf,
                                     Statuses statuses,
                                     const std::vector<Pod>& pods) const;
    [[nodiscard]] bool has(Statuses statuses, const std::vector<Pod>& pods) const;
    /// How many active pods a leaf has, or satisfied members a set.
    [[nodiscard]] std::int64_t active_members(GroupIndex group, const std::vector<Pod>& pods) const;
    [[nodiscard]] std::int64_t needed(GroupIndex group) const;
    [[nodiscard]] bool is_satisfied(GroupIndex group, const std::vector<Pod>& pods) const {
        return active_members(group, pods) >= needed(group);
    }
    /// Whether enough pods exist and are not gated.
    [[nodiscard]] bool is_ready(GroupIndex group, const std::vector<Pod>& pods) const;
    /// Whether each leaf has as many pods on nodes as it needs.
    [[nodiscard]] bool is_gang_whole(const std::vector<Pod>& pods) const;
    /// Whether it has pods above what a leaf needs.
    [[nodiscard]] bool is_elastic() const;
    [[nodiscard]] bool is_stale(const std::vector<Pod>& pods) const;
    /// Whether some leaf has pods that wait for their place, and too few others.
    [[nodiscard]] bool must_wait(const std::vector<Pod>& pods) const;
    /// Whether it has active pods; remembered likewise.
    [[nodiscard]] bool has_active(const std::vector<Pod>& pods) const;
    /// 0 below what it needs, 1 with just that, 2 above; remembered likewise.
    [[nodiscard]] int elastic_state(const std::vector<Pod>& pods) const;
    [[nodiscard]] Vector allocated(const std::vector<Pod>& pods) const;

    /// The pods that are offered next (section "sub-groups" of KAI), remembered until a pod of the
    /// job changes its status. That nothing is offered is not remembered.
    [[nodiscard]] const std::vector<PodIndex>& pods_to_place(bool is_real,
                                                             const std::vector<Pod>& pods);
    /// What those of them ask that still wait, remembered likewise.
    [[nodiscard]] const Vector& request(bool is_real, const std::vector<Pod>& pods);
    void forget() {
        to_place_.clear();
        has_request_ = false;
        elastic_state_.reset();
        has_active_.reset();
    }

    /// The pods that go first if the job is a victim, and whether active ones remain.
    struct Chunk {
        std::vector<PodIndex> pods;
        bool some_remain = false;
    };
    [[nodiscard]] Chunk pods_to_evict(const std::vector<Pod>& pods) const;
    /// Members in the order in which they are served.
    [[nodiscard]] std::vector<GroupIndex> ordered_members(GroupIndex set,
                                                          const std::vector<Pod>& pods) const;

    std::optional<double> last_start;
    std::optional<double> last_eviction;
    std::optional<double> stale_since;
    /// How far KAI's own count of active pods has fallen behind, where it evicts a pod twice.
    std::int64_t drift = 0;

private:
    friend class PodSelection;

    JobIndex index_;
    const JobSpec* spec_;
    std::vector<Members> members_;
    std::vector<PodIndex> to_place_;
    Vector request_{};
    bool has_request_ = false;
    mutable std::optional<int> elastic_state_;
    mutable std::optional<bool> has_active_;
};

}  // namespace berth::core::kai
