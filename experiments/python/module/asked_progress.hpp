#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <mutex>

#include "experiments/program/support/progress.hpp"

namespace berth::python {

/// Keeps the progress of a piece of work for callers that ask for it, also after its end.
class AskedProgress final : public experiments::ProgressView {
public:
    void begin(std::function<experiments::HowFar()> how_far) override;
    void end() override;

    /// A function that calls Python's `tell(line, done, total)`; empty where `tell` is None. This
    /// object and `tell` outlive it.
    [[nodiscard]] std::function<void()> teller(const pybind11::object& tell);

private:
    [[nodiscard]] experiments::HowFar ask();

    std::mutex mutex_;
    std::function<experiments::HowFar()> how_far_;  ///< Empty while no work is under way.
    experiments::HowFar last_;
};

}  // namespace berth::python
