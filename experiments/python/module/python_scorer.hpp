#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/python/module/python_calls.hpp"
#include "sim/profile/server_scorer.hpp"
#include "sim/scheduler/scheduler.hpp"
#include "sim/schedulers/outside/free_amounts.hpp"

namespace berth::python {

/// The pod that a scorer in Python is asked about, for as long as it is asked: `pod` of
/// docs/reference/python.md.
class ScoredPod {
public:
    void show(const sim::Job* job) { job_ = job; }
    /// Errors: sim::SchedulerError where nobody is asked any more.
    [[nodiscard]] const sim::Job& job() const;
    /// What it asks for, in the amounts of ScorerView::free(). Equal demands that follow each other
    /// are one array.
    [[nodiscard]] pybind11::object demand();

private:
    const sim::Job* job_ = nullptr;
    std::vector<core::Amount> last_demand_;
    pybind11::object demand_;
};

/// What a scorer in Python sees of the servers: `view` of docs/reference/python.md.
class ScorerView {
public:
    ScorerView(const sim::Actions& see,
               bool shared_gpus,
               std::uint32_t replication,
               std::uint64_t seed);

    /// The run is over: whoever looks now is told so.
    void end() { see_ = nullptr; }

    [[nodiscard]] double now() const;
    /// A row for each server, a column for each resource.
    [[nodiscard]] pybind11::object free();
    [[nodiscard]] pybind11::object capacity();
    /// Where GPUs are shared: a row for each server, a column for each device, in thousandths; -1
    /// where a server has no such device. None elsewhere.
    [[nodiscard]] pybind11::object gpu_free();
    /// Where GPUs are shared: the model of each server's GPUs, or None.
    [[nodiscard]] pybind11::object gpu_models() const;
    [[nodiscard]] std::vector<std::string> servers() const;
    [[nodiscard]] std::vector<std::string> resources() const;
    [[nodiscard]] std::vector<core::Amount> per_unit() const;
    [[nodiscard]] std::uint32_t replication() const { return replication_; }
    [[nodiscard]] std::uint64_t seed() const { return seed_; }

private:
    void write_gpus(core::ServerId server);
    [[nodiscard]] const sim::Actions& see() const;

    const sim::Actions* see_;
    std::uint32_t replication_;
    std::uint64_t seed_;
    sim::FreeAmounts free_amounts_;
    pybind11::object free_;
    std::shared_ptr<std::vector<core::Amount>> capacities_;
    pybind11::object capacity_;
    std::shared_ptr<std::vector<std::int16_t>> gpus_;  ///< By server, then by device.
    std::size_t devices_max_ = 0;
    std::optional<core::ChangeReader> gpu_changes_;
    pybind11::object gpu_free_;
};

/// Asks an object of Python that has `score(pod, view)`.
class PythonScorer final : public sim::ServerScorer {
public:
    /// `shared_gpus`: the ledger counts GPUs one by one. The caller holds the GIL.
    PythonScorer(pybind11::object scorer,
                 const sim::Actions& see,
                 bool shared_gpus,
                 std::uint32_t replication,
                 std::uint64_t seed,
                 PythonCalls& calls);
    ~PythonScorer() override;

    [[nodiscard]] std::span<const double> scores(const sim::Job& job) override;

private:
    void take(const pybind11::object& answer, const sim::Job& job);

    const sim::Actions& see_;
    PythonCalls& calls_;
    std::shared_ptr<ScoredPod> pod_;
    std::shared_ptr<ScorerView> view_;
    pybind11::object pod_object_;
    pybind11::object view_object_;
    pybind11::object scorer_;
    pybind11::object score_;
    std::vector<double> scores_;
};

}  // namespace berth::python
