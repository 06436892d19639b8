#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/python/module/seen_jobs.hpp"
#include "sim/scheduler/scheduler.hpp"
#include "sim/schedulers/outside/free_amounts.hpp"

namespace berth::python {

/// What single decisions in Python see of a run: `view` of docs/reference/python.md.
class ProfileView final : public SeenJobs {
public:
    ProfileView(const sim::Actions& see,
                bool shared_gpus,
                std::uint32_t replication,
                std::uint64_t seed);

    /// Lets Python look at the run for as long as it lives. The caller holds the GIL at both ends.
    class Look {
    public:
        explicit Look(ProfileView& view) : view_(view) { ++view_.looks_; }
        ~Look() { --view_.looks_; }
        Look(const Look&) = delete;
        Look& operator=(const Look&) = delete;

    private:
        ProfileView& view_;
    };

    /// For those who make the run, which is not over.
    [[nodiscard]] sim::SimTime time() const { return run_.now(); }
    [[nodiscard]] std::size_t server_count() const;

    /// What follows is for Python. Errors: sim::SchedulerError where it may not look.
    [[nodiscard]] double now() const;
    [[nodiscard]] const sim::JobState& job(sim::JobId id) const override { return see().job(id); }
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

    const sim::Actions& run_;  ///< It may be over, and is behind see() therefore.
    std::uint32_t looks_ = 0;  ///< How many let Python look.
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

}  // namespace berth::python
