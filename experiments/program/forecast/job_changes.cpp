#include "experiments/program/forecast/job_changes.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <set>
#include <utility>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/machine_allocators/pod_devices.hpp"
#include "core/tree/gpu_resource.hpp"
#include "experiments/program/config/workload/pod_types.hpp"
#include "sim/clock/time.hpp"

namespace berth::experiments {
namespace {

using core::Amount;

/// Whether a pod asks for nothing but amounts and whole GPUs of any model.
bool has_amounts_alone(const sim::Job& job) {
    const bool whole_gpus = job.gpus == nullptr ||
                            (job.gpus->milli == core::gpu_whole_milli && job.gpus->models.empty());
    const bool counted_devices =
        job.devices == nullptr ||
        (job.gpus != nullptr && job.devices->pod.requests.size() == 1 &&
         job.devices->groups.empty() && job.devices->gpu_count() == job.gpus->count);
    return whole_gpus && counted_devices && job.query == nullptr;
}

/// Asks for `times` as much in each pod, divided by `by`.
void scale(sim::Job& job, Amount times, Amount by) {
    for (Amount& amount : job.demand) {
        amount = amount * times / by;
    }
    if (job.gpus != nullptr) {
        PodTypes::ask_for_gpus(job.gpus->count * times / by, job.devices != nullptr, job);
    }
}

/// Whether each amount of a pod can be halved. GPUs stay whole.
bool can_halve(const sim::Job& job, const core::Topology& tree) {
    const auto gpu = core::gpu_resource(tree.resources());
    bool any = false;
    for (std::size_t r = 0; r < job.demand.size(); ++r) {
        constexpr Amount two_gpus = 2000;
        const Amount part = gpu && *gpu == r ? two_gpus : 2;
        if (job.demand[r] % part != 0) {
            return false;
        }
        any = any || job.demand[r] > 0;
    }
    return any && has_amounts_alone(job) && (job.gpus == nullptr || job.gpus->count % 2 == 0);
}

/// Whether a pod fits on an empty server.
bool fits_a_server(const sim::Job& job, const core::Topology& tree) {
    return std::ranges::any_of(tree.machine_types(), [&](const core::MachineType& type) {
        for (std::size_t r = 0; r < job.demand.size(); ++r) {
            if (job.demand[r] > type.capacity(static_cast<Eigen::Index>(r))) {
                return false;
            }
        }
        return true;
    });
}

void set_size(sim::Job& job, core::Members size) {
    job.min_available = job.min_available == job.size ? size : std::min(job.min_available, size);
    job.size = size;
    job.group = job.group || size > 1;
}

std::string size_text(const sim::Job& job, const core::Topology& tree) {
    std::string amounts;
    for (std::size_t r = 0; r < job.demand.size(); ++r) {
        if (job.demand[r] > 0) {
            amounts += fmt::format("{}{} {}",
                                   amounts.empty() ? "" : ", ",
                                   tree.resources().format(r, job.demand[r]),
                                   tree.resources().name(r));
        }
    }
    return fmt::format("{} {} of {}", job.size, job.size == 1 ? "pod" : "pods", amounts);
}

class JobForms {
public:
    JobForms(const sim::Job& job, const core::Topology& tree) : job_(job), tree_(tree) {}

    void soften() {
        if (!job_.constraints) {
            return;
        }
        core::LevelConstraints softer = *job_.constraints;
        bool any = false;
        for (std::uint32_t level = 0; level < softer.level_count(); ++level) {
            core::LevelConstraint one = softer.at({level});
            if (one.hard) {
                any = true;
                one.hard = false;
                softer.set({level}, one);
            }
        }
        if (any) {
            sim::Job job = job_;
            job.constraints = std::move(softer);
            add("soft constraints", std::move(job));
        }
    }
    void move_to_quotas(const Past& past) {
        std::set<std::string> seen;
        for (const PastJob& other : past.jobs()) {
            if (!other.job.quota.empty() && other.job.quota != job_.quota &&
                other.job.name_space == job_.name_space) {
                seen.insert(other.job.quota.text());
            }
        }
        for (const std::string& quota : seen) {
            sim::Job job = job_;
            job.quota = quota;
            add(fmt::format("in {}", quota), std::move(job));
        }
    }
    void reshape() {
        if (can_halve(job_, tree_)) {
            sim::Job job = job_;
            scale(job, 1, 2);
            set_size(job, job.size * 2);
            const std::string what = size_text(job, tree_);
            add(what, std::move(job));
        }
        if (job_.size > 1 && job_.size % 2 == 0 && has_amounts_alone(job_)) {
            sim::Job job = job_;
            scale(job, 2, 1);
            set_size(job, job.size / 2);
            const std::string what = size_text(job, tree_);
            if (fits_a_server(job, tree_)) {
                add(what, std::move(job));
            }
        }
    }
    void shorten() {
        if (job_.estimate) {
            sim::Job job = job_;
            job.estimate = *job.estimate / 2;
            const std::string what = fmt::format("a limit of {}", sim::time_text(*job.estimate));
            add(what, std::move(job));
        }
    }
    void shrink() {
        sim::Job job = job_;
        if (job.size > 1) {
            set_size(job, (job.size + 1) / 2);
        } else if (can_halve(job, tree_)) {
            scale(job, 1, 2);
        } else {
            return;
        }
        std::string time;
        if (job.estimate) {
            job.estimate = sim::after(*job.estimate, *job.estimate);
            time = fmt::format(", and a limit of {}", sim::time_text(*job.estimate));
        }
        std::string what = size_text(job, tree_) + time;
        add(std::move(what), std::move(job));
    }

    std::vector<JobChange> out;

private:
    void add(std::string what, sim::Job job) { out.push_back({std::move(what), std::move(job)}); }

    const sim::Job& job_;
    const core::Topology& tree_;
};

}  // namespace

std::vector<JobChange> changes_of(const sim::Job& job,
                                  const Past& past,
                                  const core::Topology& tree) {
    JobForms forms(job, tree);
    forms.soften();
    forms.move_to_quotas(past);
    forms.reshape();
    forms.shorten();
    forms.shrink();
    return std::move(forms.out);
}

}  // namespace berth::experiments
