#include "experiments/program/bench/openb_like.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <vector>

#include "core/support/text.hpp"
#include "sim/clock/random.hpp"

namespace berth::experiments {
namespace {

struct Machine {
    std::uint32_t of_1213 = 0;
    int gpus = 0;
    int cpus = 0;
    int memory_gib = 0;
    const char* model = "";
};
constexpr std::array machines{Machine{234, 1, 24, 96, "M1"},
                              Machine{209, 2, 48, 192, "M2"},
                              Machine{150, 4, 64, 256, "M4"},
                              Machine{400, 8, 96, 384, "M8"},
                              Machine{220, 8, 128, 768, "M8L"}};

struct Kind {
    std::uint64_t cpu_milli = 0;
    std::uint64_t memory_mib = 0;
    std::uint64_t gpus = 0;
    std::uint64_t gpu_milli = 0;
};

/// In [least, most].
std::uint64_t draw(sim::RandomBits& bits, std::uint64_t least, std::uint64_t most) {
    return least + bits() % (most - least + 1);
}

Kind draw_kind(sim::RandomBits& bits) {
    Kind kind;
    const std::uint64_t dice = draw(bits, 1, 1000);
    if (dice <= 130) {
        kind = {draw(bits, 2, 32) * 1000, 0, 0, 0};
    } else if (dice <= 530) {
        kind = {draw(bits, 1, 16) * 1000, 0, 1, draw(bits, 15, 95) * 10};
    } else if (dice <= 960) {
        kind = {draw(bits, 4, 20) * 1000, 0, 1, 1000};
    } else if (dice <= 982) {
        kind = {draw(bits, 8, 32) * 1000, 0, 2, 1000};
    } else if (dice <= 994) {
        kind = {draw(bits, 16, 48) * 1000, 0, 4, 1000};
    } else {
        kind = {draw(bits, 64, 96) * 1000, 0, 8, 1000};
    }
    kind.memory_mib = kind.cpu_milli / 1000 * draw(bits, 1, 4) * 1024;
    return kind;
}

}  // namespace

OpenbLike make_openb_like(std::uint32_t servers) {
    constexpr std::uint32_t period = 1213;
    OpenbLike out;
    out.nodes = "sn,cpu_milli,memory_mib,gpu,model\n";
    std::uint64_t gpus = 0;
    for (std::uint32_t server = 0; server < servers; ++server) {
        // Machines of one kind do not stand together.
        std::uint32_t slot = server * 500 % period;
        std::size_t kind = 0;
        for (; slot >= machines[kind].of_1213; ++kind) {
            slot -= machines[kind].of_1213;
        }
        const Machine& machine = machines[kind];
        gpus += static_cast<std::uint64_t>(machine.gpus);
        core::append(out.nodes,
                     "node-{:06},{},{},{},{}\n",
                     server,
                     machine.cpus * 1000,
                     machine.memory_gib * 1024,
                     machine.gpus,
                     machine.model);
    }
    sim::RandomBits bits = sim::random_bits(1, "openb-like");
    constexpr std::size_t kinds = 150;
    std::vector<Kind> kind_of;
    std::vector<std::uint64_t> weight_below{0};  // of the kinds before
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        kind_of.push_back(draw_kind(bits));
        weight_below.push_back(weight_below.back() + 100'000 / (kind + 4));
    }
    out.pods = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n";
    for (std::uint64_t asked = 0; asked < gpus * 1300; ++out.pod_count) {
        const std::uint64_t at = bits() % weight_below.back();
        std::size_t number = 0;
        while (weight_below[number + 1] <= at) {
            ++number;
        }
        const Kind& kind = kind_of[number];
        asked += kind.gpus * kind.gpu_milli;
        core::append(out.pods,
                     "pod-{:07},{},{},{},{},\n",
                     out.pod_count,
                     kind.cpu_milli,
                     kind.memory_mib,
                     kind.gpus,
                     kind.gpu_milli);
    }
    return out;
}

}  // namespace berth::experiments
