#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "sim/job/job.hpp"

namespace berth::python {

/// The pod whose server Python is asked for, for as long as it is asked: `pod` of
/// docs/reference/python.md.
class PlacedPod {
public:
    /// Shows a job's pod for as long as it lives. The caller holds the GIL at both ends.
    class Asked {
    public:
        Asked(PlacedPod& pod, const sim::Job& job) : pod_(pod) { pod_.job_ = &job; }
        ~Asked() { pod_.job_ = nullptr; }
        Asked(const Asked&) = delete;
        Asked& operator=(const Asked&) = delete;

    private:
        PlacedPod& pod_;
    };

    /// Errors: sim::SchedulerError where nobody is asked any more.
    [[nodiscard]] const sim::Job& job() const;
    /// What it asks for, in the amounts of ProfileView::free(). Equal demands that follow each
    /// other are one array.
    [[nodiscard]] pybind11::object demand();

private:
    const sim::Job* job_ = nullptr;
    sim::Demand last_demand_;
    pybind11::object demand_;
};

}  // namespace berth::python
