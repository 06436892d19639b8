#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "experiments/program/support/own_process.hpp"
#include "sim/job/job.hpp"

namespace berth::python {

/// The pod whose server Python is asked for, visible only during the question: `pod` of
/// docs/reference/python.md.
class PlacedPod {
public:
    /// Shows a job's pod for as long as this object lives. The caller holds the GIL when it makes
    /// and drops the object.
    class Asked {
    public:
        Asked(PlacedPod& pod, const sim::Job& job) : pod_(pod) { pod_.job_ = &job; }
        ~Asked() { pod_.job_ = nullptr; }
        Asked(const Asked&) = delete;
        Asked& operator=(const Asked&) = delete;

    private:
        PlacedPod& pod_;
    };

    /// Errors: sim::SchedulerError once the question is over, and in a forked copy of the process.
    [[nodiscard]] const sim::Job& job() const;
    /// What the pod asks for, in the amounts of ProfileView::free(). Consecutive pods with equal
    /// demands share one array.
    [[nodiscard]] pybind11::object demand();

private:
    experiments::OwnProcess process_;
    const sim::Job* job_ = nullptr;
    sim::Demand last_demand_;
    pybind11::object demand_;
};

}  // namespace berth::python
