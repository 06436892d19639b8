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

/// What a Python scheduler that makes single decisions sees of a run: `view` of
/// docs/reference/python.md.
class ProfileView final : public SeenJobs {
public:
    ProfileView(const sim::Actions& see,
                bool shared_gpus,
                std::uint32_t replication,
                std::uint64_t seed);

    /// Lets Python look at the run for as long as this object lives. The caller holds the GIL when
    /// it makes and drops the object.
    class Look {
    public:
        explicit Look(ProfileView& view) : view_(view) { ++view_.looks_; }
        ~Look() { --view_.looks_; }
        Look(const Look&) = delete;
        Look& operator=(const Look&) = delete;

    private:
        ProfileView& view_;
    };

    /// For C++ code of the run itself, which is not over then.
    [[nodiscard]] sim::SimTime time() const { return run_.now(); }
    [[nodiscard]] std::size_t server_count() const;

    /// The functions below are for Python. Errors: sim::SchedulerError where Python may not look.
    [[nodiscard]] double now() const;
    [[nodiscard]] const sim::JobState& job(sim::JobId id) const override { return see().job(id); }
    /// Free amounts: a row for each server, a column for each resource.
    [[nodiscard]] pybind11::object free();
    [[nodiscard]] pybind11::object capacity();
    /// Free thousandths where GPUs are shared: a row for each server, a column for each device; -1
    /// where a server has no such device. None where GPUs are not shared.
    [[nodiscard]] pybind11::object gpu_free();
    /// The model of each server's GPUs where GPUs are shared, or None.
    [[nodiscard]] pybind11::object gpu_models() const;
    [[nodiscard]] std::vector<std::string> servers() const;
    [[nodiscard]] std::vector<std::string> resources() const;
    [[nodiscard]] std::vector<core::Amount> per_unit() const;
    [[nodiscard]] std::uint32_t replication() const { return replication_; }
    [[nodiscard]] std::uint64_t seed() const { return seed_; }

private:
    void write_gpus(core::ServerId server);
    [[nodiscard]] const sim::Actions& see() const;

    /// The run may be over. Therefore, Python reaches it only through see().
    const sim::Actions& run_;
    std::uint32_t looks_ = 0;  ///< How many Look objects are alive.
    std::uint32_t replication_;
    std::uint64_t seed_;
    sim::FreeAmounts free_amounts_;
    pybind11::object free_;
    std::shared_ptr<std::vector<core::Amount>> capacities_;
    pybind11::object capacity_;
    /// Free thousandths, by server, then by device.
    std::shared_ptr<std::vector<std::int16_t>> gpus_;
    std::size_t devices_max_ = 0;
    std::optional<core::ChangeReader> gpu_changes_;
    pybind11::object gpu_free_;
};

}  // namespace berth::python
