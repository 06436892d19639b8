#pragma once

#include <algorithm>
#include <compare>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/job/job.hpp"

namespace berth::sim {

/// Everything that decides on which servers a pod of a job fits: pods of one shape are alike.
struct PodShape {
    std::vector<core::Amount> demand;
    std::string inside;  ///< What it asks for inside its server: devices or providers.
    std::vector<std::string> gpu_models;
    std::string application;  ///< Empty if it has no limit, since it then does not matter.
    core::Members per_server_max = 0;

    explicit PodShape(const Job& job);
    friend auto operator<=>(const PodShape&, const PodShape&) = default;
};

/// Orders shapes, and finds a job's without making one.
struct PodShapeLess {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
        // Most differ in their amounts.
        const auto by_amounts = std::lexicographical_compare_three_way(
            a.demand.begin(), a.demand.end(), b.demand.begin(), b.demand.end());
        return by_amounts != 0 ? by_amounts < 0 : parts(a) < parts(b);
    }

private:
    using Parts = std::
        tuple<std::string_view, const std::vector<std::string>&, std::string_view, core::Members>;
    static Parts parts(const PodShape& shape) {
        return {shape.inside, shape.gpu_models, shape.application, shape.per_server_max};
    }
    static Parts parts(const Job& job) {
        static const std::vector<std::string> any;
        return {job.inside(),
                job.gpus != nullptr ? job.gpus->models : any,
                job.per_server_max > 0 ? std::string_view(job.application) : std::string_view(),
                job.per_server_max};
    }
};

inline PodShape::PodShape(const Job& job)
    : demand(job.demand),
      inside(job.inside()),
      gpu_models(job.gpus != nullptr ? job.gpus->models : std::vector<std::string>()),
      application(job.per_server_max > 0 ? job.application : std::string()),
      per_server_max(job.per_server_max) {}

}  // namespace berth::sim
