#pragma once

#include <cstddef>
#include <vector>

#include "schedulers/kai/decide/session.hpp"

namespace berth::core::kai {

/// Evictions and placements that are tried: each is at once in force, and may be undone. To undo is
/// an operation as well, which may itself be undone.
///
/// A statement that ends without commit() or discard() leaves what it did in force, as KAI does
/// where a search succeeds and its job is not whole all the same.
class Statement {
public:
    explicit Statement(Session& session) : session_(session) {}

    void evict(PodIndex pod);
    /// Lets a pod wait for its place on a node. A pod that is still counted there, because it was
    /// evicted, gets its eviction undone, unless it `replaces` that; false if there is none.
    bool pipeline(PodIndex pod, NodeIndex node, bool replaces);
    void allocate(PodIndex pod, NodeIndex node);
    /// Lets all pods of a job wait that were allocated here.
    void convert_to_pipelined(JobIndex job);

    [[nodiscard]] std::size_t checkpoint() const { return operations_.size(); }
    void roll_back(std::size_t checkpoint);
    void discard() { roll_back(0); }
    void commit();

private:
    enum class Kind : std::uint8_t { evict, pipeline, allocate, undo };
    static constexpr std::size_t nothing = SIZE_MAX;

    struct Operation {
        Kind kind = Kind::undo;
        PodIndex pod = 0;
        NodeIndex node = no_node;  ///< The node of an eviction, and the new one of a placement.
        Status status_before = Status::Pending;
        NodeIndex node_before = no_node;
        bool was_virtual = false;
        bool is_again = false;  ///< Of an eviction: the pod was evicted already.
        std::size_t undoes = nothing;
        std::size_t undone_by = nothing;
    };

    [[nodiscard]] bool is_valid(std::size_t operation) const;
    void undo(std::size_t operation);
    void revert(const Operation& operation);
    void revert_eviction(const Operation& operation);
    void do_again(const Operation& operation);

    Session& session_;
    std::vector<Operation> operations_;
};

}  // namespace berth::core::kai
