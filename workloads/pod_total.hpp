#pragma once

namespace berth::workloads {

/// What a pod requests as a whole: the sum of the containers that run together, or more if an init
/// container needs more before them. `Amounts` must come with add(Amounts& sum, const Amounts&
/// more) and raise(Amounts& most, const Amounts& other).
///
/// Source: k8s.io/component-helpers/resource, AggregateContainerRequests().
template <class Amounts>
class PodTotal {
public:
    void add_container(const Amounts& asked) { add(running_, asked); }
    /// Takes the init containers in the pod's order. A sidecar, whose restartPolicy is Always,
    /// keeps running beside the containers that follow.
    void add_init_container(Amounts asked, bool sidecar) {
        if (sidecar) {
            add(running_, asked);
            add(sidecars_, asked);
            asked = sidecars_;
        } else {
            add(asked, sidecars_);
        }
        raise(most_, asked);
    }
    [[nodiscard]] Amounts total() const {
        Amounts total = running_;
        raise(total, most_);
        return total;
    }

private:
    Amounts running_{};
    Amounts sidecars_{};
    Amounts most_{};  ///< Maximum that is needed while an init container runs.
};

}  // namespace berth::workloads
