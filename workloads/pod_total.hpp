#pragma once

namespace berth::workloads {

/// What a pod asks for by its containers: all that run together, or more if an init container needs
/// more on its way. `Amounts` has add(Amounts& sum, const Amounts& more) and
/// raise(Amounts& most, const Amounts& other) beside it.
///
/// Source: k8s.io/component-helpers/resource, AggregateContainerRequests().
template <class Amounts>
class PodTotal {
public:
    void add_container(const Amounts& asked) { add(running_, asked); }
    /// In the pod's order. A sidecar, whose restartPolicy is Always, goes on beside what follows.
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
    Amounts most_{};  ///< While some init container runs.
};

}  // namespace berth::workloads
