#include "experiments/program/results/paid_resource.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/tree/gpu_resource.hpp"

namespace berth::report {

std::size_t paid_resource(const std::vector<std::string>& resources) {
    using Wanted = bool (*)(std::string_view);
    constexpr std::array<Wanted, 4> wishes{
        [](std::string_view name) { return core::find_gpu_resource(name) != nullptr; },
        [](std::string_view name) { return name.ends_with("gpu"); },
        [](std::string_view name) { return name.find('/') != std::string_view::npos; },
        [](std::string_view name) { return name == "cpu"; }};
    for (const Wanted wanted : wishes) {
        const auto found = std::ranges::find_if(resources, wanted);
        if (found != resources.end()) {
            return static_cast<std::size_t>(found - resources.begin());
        }
    }
    return 0;
}

}  // namespace berth::report
