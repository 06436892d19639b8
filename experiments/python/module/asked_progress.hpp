#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <mutex>

#include "experiments/program/support/progress.hpp"

namespace berth::python {

/// Keeps how far a work is for whoever asks, also after its end.
class AskedProgress final : public experiments::ProgressView {
public:
    void begin(std::function<experiments::HowFar()> how_far) override;
    void end() override;

    /// What calls `tell(line, done, total)` of Python; empty where that is None. Both outlive it.
    [[nodiscard]] std::function<void()> teller(const pybind11::object& tell);

private:
    [[nodiscard]] experiments::HowFar ask();

    std::mutex mutex_;
    std::function<experiments::HowFar()> how_far_;  ///< Empty while no work is under way.
    experiments::HowFar last_;
};

}  // namespace berth::python
