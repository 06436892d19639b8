#include "schedulers/kai/decide/job.hpp"

#include <algorithm>
#include <iterator>

namespace berth::core::kai {

Job::Job(JobIndex index, const JobSpec& spec) : index_(index), spec_(&spec) {
    for (const Group& group : spec.groups) {
        members_.push_back({group.min, {}, std::nullopt});
    }
}

Job Job::part(const std::vector<PodIndex>& some, const std::vector<Pod>& pods) const {
    Job part(index_, *spec_);
    for (GroupIndex at = 0; at < members_.size(); ++at) {
        part.members_[at].min = members_[at].min;
    }
    for (const PodIndex pod : some) {
        part.add(pods[pod].leaf, pod);
    }
    for (const GroupIndex leaf : spec_->leaves) {
        Members& own = part.members_[leaf];
        std::ranges::sort(own.pods);
        own.frozen = part.count(leaf, active, pods);
    }
    return part;
}

void Job::lower_needs() {
    std::vector<std::int64_t> with_pods(members_.size());
    for (GroupIndex group = static_cast<GroupIndex>(members_.size()); group-- > 0;) {
        Members& own = members_[group];
        const Group& about = spec_->groups[group];
        const auto size =
            about.is_leaf ? static_cast<std::int64_t>(own.pods.size()) : with_pods[group];
        if (own.min && (size > 0 || !about.is_leaf)) {
            own.min = std::min(*own.min, size);
        }
        if (size > 0 && about.parent != no_group) {
            ++with_pods[about.parent];
        }
    }
    elastic_state_.reset();
}

std::vector<PodIndex> Job::pods() const {
    return pods_below(0);
}

std::vector<GroupIndex> Job::leaves_below(GroupIndex group) const {
    std::vector<GroupIndex> below;
    std::ranges::copy_if(spec_->leaves, std::back_inserter(below), [&](GroupIndex leaf) {
        GroupIndex at = leaf;
        while (at > group) {  // Parents have lower indices.
            at = spec_->groups[at].parent;
        }
        return at == group;
    });
    return below;
}

std::vector<PodIndex> Job::pods_below(GroupIndex group) const {
    std::vector<PodIndex> all;
    for (const GroupIndex leaf : leaves_below(group)) {
        all.insert(all.end(), members_[leaf].pods.begin(), members_[leaf].pods.end());
    }
    return all;
}

std::int64_t Job::count(GroupIndex leaf, Statuses statuses, const std::vector<Pod>& pods) const {
    return std::ranges::count_if(members_[leaf].pods,
                                 [&](PodIndex pod) { return pods[pod].is(statuses); });
}

std::int64_t Job::count(Statuses statuses, const std::vector<Pod>& pods) const {
    std::int64_t count_of_all = 0;
    for (const GroupIndex leaf : spec_->leaves) {
        count_of_all += count(leaf, statuses, pods);
    }
    return count_of_all;
}

bool Job::has(Statuses statuses, const std::vector<Pod>& pods) const {
    return std::ranges::any_of(spec_->leaves, [&](GroupIndex leaf) {
        return std::ranges::any_of(members_[leaf].pods,
                                   [&](PodIndex pod) { return pods[pod].is(statuses); });
    });
}

std::int64_t Job::needed(GroupIndex group) const {
    const std::optional<std::int64_t>& min = members_[group].min;
    return min ? *min : static_cast<std::int64_t>(spec_->groups[group].members.size());
}

std::int64_t Job::active_members(GroupIndex group, const std::vector<Pod>& pods) const {
    const Group& about = spec_->groups[group];
    if (about.is_leaf) {
        return members_[group].frozen ? *members_[group].frozen : count(group, active, pods);
    }
    return std::ranges::count_if(about.members,
                                 [&](GroupIndex member) { return is_satisfied(member, pods); });
}

bool Job::is_ready(GroupIndex group, const std::vector<Pod>& pods) const {
    const Group& about = spec_->groups[group];
    if (about.is_leaf) {
        return count(group, alive & ~just(Status::Gated), pods) >= needed(group);
    }
    return std::ranges::count_if(about.members, [&](GroupIndex member) {
               return is_ready(member, pods);
           }) >= needed(group);
}

bool Job::is_gang_whole(const std::vector<Pod>& pods) const {
    return std::ranges::all_of(
        spec_->leaves, [&](GroupIndex leaf) { return count(leaf, used, pods) >= needed(leaf); });
}

bool Job::is_elastic() const {
    return std::ranges::any_of(spec_->leaves, [&](GroupIndex leaf) {
        return needed(leaf) < static_cast<std::int64_t>(members_[leaf].pods.size());
    });
}

bool Job::is_stale(const std::vector<Pod>& pods) const {
    return !has(just(Status::Succeeded), pods) && has(used, pods) && !is_gang_whole(pods);
}

bool Job::must_wait(const std::vector<Pod>& pods) const {
    return std::ranges::any_of(spec_->leaves, [&](GroupIndex leaf) {
        return count(leaf, just(Status::Pipelined), pods) > 0 &&
               count(leaf, charged_ones, pods) < needed(leaf);
    });
}

bool Job::has_active(const std::vector<Pod>& pods) const {
    if (!has_active_) {
        has_active_ = has(active, pods);
    }
    return *has_active_;
}

int Job::elastic_state(const std::vector<Pod>& pods) const {
    if (!elastic_state_) {
        int state = 1;
        for (const GroupIndex leaf : spec_->leaves) {
            const std::int64_t now = active_members(leaf, pods);
            if (now < needed(leaf)) {
                state = 0;
                break;
            }
            state = now == needed(leaf) ? state : 2;
        }
        elastic_state_ = state;
    }
    return *elastic_state_;
}

Vector Job::allocated(const std::vector<Pod>& pods) const {
    Vector sum{};
    for (const GroupIndex leaf : spec_->leaves) {
        for (const PodIndex pod : members_[leaf].pods) {
            if (pods[pod].is(charged_ones)) {
                add_to(sum, pods[pod].request);
            }
        }
    }
    return sum;
}

}  // namespace berth::core::kai
