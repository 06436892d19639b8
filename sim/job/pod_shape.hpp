#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/job/job.hpp"

namespace berth::sim {

/// Everything that decides on which servers a pod of a job fits: pods of the same shape are alike.
struct PodShape {
    Demand demand;
    std::string inside;  ///< What it asks for inside its server: devices or providers.
    std::vector<std::string> gpu_models;
    std::string selector;     ///< The servers where it may run; empty: anywhere.
    std::string application;  ///< Empty if it has no limit, since it then does not matter.
    core::Members per_server_max = 0;
    std::uint32_t drains = 0;  ///< The drain windows that it meets, as DrainCalendar::met() says.
    bool plain = false;        ///< It has amounts, and none of the other fields above.

    explicit PodShape(const Job& job, std::uint32_t met = 0);
    friend auto operator<=>(const PodShape&, const PodShape&) = default;
};

/// A job whose shape is looked up, so that no PodShape has to be made.
struct ShapeOf {
    const Job& job;
    std::uint32_t drains = 0;
};

/// Whether a job asks for amounts alone.
[[nodiscard]] inline bool is_plain(const Job& job) {
    return job.devices == nullptr && job.query == nullptr && job.gpus == nullptr &&
           job.nodes == nullptr && job.per_server_max == 0;
}

/// Orders shapes.
struct PodShapeLess {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
        // Most shapes differ in their amounts.
        const auto by_amounts = std::lexicographical_compare_three_way(
            demand(a).begin(), demand(a).end(), demand(b).begin(), demand(b).end());
        if (by_amounts != 0 || a.drains != b.drains) {
            return by_amounts != 0 ? by_amounts < 0 : a.drains < b.drains;
        }
        return !(plain(a) && plain(b)) && less(parts(a), parts(b));
    }

private:
    /// The parts that most shapes do not have.
    struct Parts {
        std::string_view inside;
        const std::vector<std::string>& gpu_models;
        std::string_view selector;
        std::string_view application;
        core::Members per_server_max = 0;
    };
    static bool less(const Parts& a, const Parts& b) {
        if (a.inside != b.inside) {
            return a.inside < b.inside;
        }
        if (a.gpu_models != b.gpu_models) {
            return a.gpu_models < b.gpu_models;
        }
        if (a.selector.empty() && b.selector.empty() && a.per_server_max == 0 &&
            b.per_server_max == 0) {
            return false;  // without a limit it does not matter which application it is
        }
        if (a.selector != b.selector) {
            return a.selector < b.selector;
        }
        if (a.application != b.application) {
            return a.application < b.application;
        }
        return a.per_server_max < b.per_server_max;
    }
    static bool plain(const PodShape& shape) { return shape.plain; }
    static bool plain(const ShapeOf& of) { return is_plain(of.job); }
    static const Demand& demand(const PodShape& shape) { return shape.demand; }
    static const Demand& demand(const ShapeOf& of) { return of.job.demand; }
    static Parts parts(const PodShape& shape) {
        return {shape.inside,
                shape.gpu_models,
                shape.selector,
                shape.application,
                shape.per_server_max};
    }
    static Parts parts(const ShapeOf& of) {
        static const std::vector<std::string> any;
        const Job& job = of.job;
        return {job.inside(),
                job.gpus != nullptr ? job.gpus->models : any,
                job.selector(),
                job.per_server_max > 0 ? std::string_view(job.application) : std::string_view(),
                job.per_server_max};
    }
};

inline PodShape::PodShape(const Job& job, std::uint32_t met)
    : demand(job.demand),
      inside(job.inside()),
      gpu_models(job.gpus != nullptr ? job.gpus->models : std::vector<std::string>()),
      selector(job.selector()),
      application(job.per_server_max > 0 ? job.application.text() : std::string()),
      per_server_max(job.per_server_max),
      drains(met),
      plain(is_plain(job)) {}

}  // namespace berth::sim
