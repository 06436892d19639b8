#include "schedulers/kai/decide/statement.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::core::kai {

bool Statement::is_valid(std::size_t operation) const {
    const std::size_t by = operations_[operation].undone_by;
    return by == nothing || !is_valid(by);
}

void Statement::undo(std::size_t operation) {
    if (!is_valid(operation)) {
        return;
    }
    const Operation undone = operations_[operation];
    revert(undone);
    if (operations_[operation].undone_by == nothing) {
        operations_[operation].undone_by = operations_.size();
    }
    operations_.push_back({.pod = undone.pod, .undoes = operation});
}

void Statement::revert(const Operation& operation) {
    Pod& pod = session_.pods[operation.pod];
    switch (operation.kind) {
        case Kind::evict:
            revert_eviction(operation);
            return;
        case Kind::pipeline:
            session_.set_status(operation.pod, operation.status_before);
            pod.is_virtual = operation.was_virtual;
            session_.nodes[operation.node].remove(operation.node, pod);
            session_.charge(operation.pod, -1);
            pod.node = operation.node_before;
            return;
        case Kind::allocate:
            session_.set_status(operation.pod, Status::Pending);
            session_.nodes[pod.node].remove(pod.node, pod);
            pod.is_virtual = operation.was_virtual;
            session_.charge(operation.pod, -1);
            pod.node = no_node;
            return;
        case Kind::undo:
            do_again(operations_[operation.undoes]);
    }
}

void Statement::revert_eviction(const Operation& operation) {
    Pod& pod = session_.pods[operation.pod];
    if (!operation.is_again && pod.is(active)) {
        --session_.jobs[pod.job].drift;
    }
    session_.set_status(operation.pod, operation.status_before);
    pod.is_virtual = operation.was_virtual;
    session_.update_node(operation.node, operation.pod);
    session_.charge(operation.pod, 1);
}

void Statement::do_again(const Operation& operation) {
    // Placements are undone only where all that came later is forgotten as well.
    BERTH_ASSERT(operation.kind == Kind::evict, "only evictions are done again");
    evict(operation.pod);
}

void Statement::evict(PodIndex index) {
    Pod& pod = session_.pods[index];
    Job& job = session_.jobs[pod.job];
    Operation operation{.kind = Kind::evict,
                        .pod = index,
                        .node = pod.node,
                        .status_before = pod.status,
                        .was_virtual = pod.is_virtual,
                        .is_again = pod.status == Status::Releasing};
    if (operation.is_again) {
        // A pod that is listed twice: KAI works on a copy that still has the first status.
        const auto first = std::ranges::find_if(operations_, [&](const Operation& earlier) {
            return earlier.kind == Kind::evict && earlier.pod == index;
        });
        BERTH_ASSERT(first != operations_.end(), "a pod that was evicted here is evicted again");
        operation.status_before = first->status_before;
        const std::vector<PodIndex> others = job.pods();
        job.drift += std::ranges::any_of(others, [&](PodIndex other) {
            return other != index && session_.pods[other].status == operation.status_before;
        });
    }
    session_.set_status(index, Status::Releasing);
    session_.update_node(operation.node, index);
    session_.charge(index, -1);
    operations_.push_back(operation);
    pod.is_virtual = true;
}

bool Statement::pipeline(PodIndex index, NodeIndex node, bool replaces) {
    Pod& pod = session_.pods[index];
    if (!replaces && Node::lists(node, pod)) {
        for (std::size_t i = 0; i < operations_.size(); ++i) {
            if (operations_[i].kind == Kind::evict && operations_[i].pod == index && is_valid(i)) {
                undo(i);
                return true;
            }
        }
        return false;
    }
    operations_.push_back({.kind = Kind::pipeline,
                           .pod = index,
                           .node = node,
                           .status_before = pod.status,
                           .node_before = pod.node,
                           .was_virtual = pod.is_virtual});
    session_.set_status(index, Status::Pipelined);
    pod.node = node;
    session_.update_node(node, index);
    session_.charge(index, 1);
    pod.is_virtual = true;
    return true;
}

void Statement::allocate(PodIndex index, NodeIndex node) {
    Pod& pod = session_.pods[index];
    operations_.push_back(
        {.kind = Kind::allocate, .pod = index, .node = node, .was_virtual = pod.is_virtual});
    session_.set_status(index, Status::Allocated);
    pod.node = node;
    session_.nodes[node].add(node, pod);
    session_.charge(index, 1);
    pod.is_virtual = true;
}

void Statement::convert_to_pipelined(JobIndex job) {
    const std::vector<Operation> before = operations_;
    const auto is_allocation = [&](const Operation& operation) {
        return operation.kind == Kind::allocate && session_.pods[operation.pod].job == job;
    };
    for (Operation operation : before) {
        if (is_allocation(operation)) {
            operation.was_virtual = true;
            const NodeIndex node = session_.pods[operation.pod].node;
            revert(operation);
            pipeline(operation.pod, node, true);
        }
    }
    std::erase_if(operations_, is_allocation);
}

void Statement::roll_back(std::size_t checkpoint) {
    for (std::size_t i = operations_.size(); i-- > checkpoint;) {
        undo(i);
    }
    for (std::size_t i = checkpoint; i < operations_.size(); ++i) {
        const std::size_t target = operations_[i].undoes;
        if (target < checkpoint && operations_[target].undone_by == i) {
            operations_[target].undone_by = nothing;
        }
    }
    operations_.resize(checkpoint);
}

void Statement::commit() {
    for (std::size_t i = 0; i < operations_.size(); ++i) {
        const Operation& operation = operations_[i];
        if (operation.kind == Kind::undo || !is_valid(i)) {
            continue;
        }
        Pod& pod = session_.pods[operation.pod];
        const Event::Kind kinds[] = {Event::Kind::evict, Event::Kind::pipeline, Event::Kind::bind};
        session_.events.push_back(
            {kinds[static_cast<std::size_t>(operation.kind)], operation.pod, pod.node});
        if (operation.kind == Kind::evict) {
            pod.is_virtual = false;
            session_.jobs[pod.job].last_eviction = session_.settings.now;
        } else if (operation.kind == Kind::allocate) {
            session_.set_status(operation.pod, Status::Binding);
        }
    }
    operations_.clear();
}

}  // namespace berth::core::kai
