#include "workloads/trace/slurm_amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/tree/resources.hpp"
#include "workloads/trace/numbers.hpp"

namespace berth::workloads {
namespace {

/// Reads `33600M` or `2.5G`; without a suffix the unit is MiB.
std::optional<core::Amount> parse_memory(std::string_view text) {
    constexpr std::string_view suffixes = "KMGTP";
    std::int64_t unit = std::int64_t{1} << 20U;
    if (!text.empty()) {
        const std::size_t power = suffixes.find(text.back());
        if (power != std::string_view::npos) {
            unit = std::int64_t{1} << (10 * (power + 1));
            text.remove_suffix(1);
        }
    }
    const auto bytes = parse_amount(text, {unit, memory_bytes_max, {}});
    const auto* amount = std::get_if<std::int64_t>(&bytes);
    return amount ? std::optional(*amount) : std::nullopt;
}

bool set(core::Amount& to, std::string_view text, const AmountUnit& unit) {
    const auto number = parse_amount(text, unit);
    const auto* amount = std::get_if<std::int64_t>(&number);
    to = amount ? *amount : 0;
    return amount != nullptr;
}

class TresReader {
public:
    explicit TresReader(std::vector<std::string>& models) : models_(models) {}

    bool read(std::string_view key, std::string_view value) {
        if (key == "cpu") {
            return set(amounts_.cpu_milli, value, cpu_in_cores);
        }
        if (key == "node") {
            return set(amounts_.nodes, value, member_count);
        }
        if (key == "gres/gpu") {
            return set(amounts_.gpus, value, gpu_count);
        }
        if (key == "mem") {
            const auto bytes = parse_memory(value);
            amounts_.memory_bytes = bytes.value_or(0);
            return bytes.has_value();
        }
        constexpr std::string_view typed = "gres/gpu:";
        if (key.starts_with(typed)) {
            return read_typed(key.substr(typed.size()), value);
        }
        if (value != "0") {
            amounts_.others |= other_of(key);
        }
        return true;
    }

    [[nodiscard]] SlurmAmounts amounts() const {
        SlurmAmounts out = amounts_;
        out.gpus = std::max(out.gpus, typed_gpus_);  // Slurm may also write the sum over the types
        return out;
    }

private:
    /// The bit of a resource; none for counters such as gres/gpuutil.
    static std::uint8_t other_of(std::string_view key) {
        using enum OtherTres;
        const auto bit = [](OtherTres kind) { return static_cast<std::uint8_t>(kind); };
        if (key.starts_with("gres/")) {
            const std::string_view name = key.substr(key.find('/') + 1);
            return name.starts_with("shard") ? bit(shard)
                   : name.starts_with("mps") ? bit(mps)
                   : name.starts_with("gpu") ? std::uint8_t{0}
                                             : bit(gres);
        }
        return key.starts_with("license/") ? bit(license)
               : key.starts_with("bb/")    ? bit(burst_buffer)
                                           : std::uint8_t{0};
    }

    bool read_typed(std::string_view model, std::string_view value) {
        std::int64_t count = 0;
        if (!set(count, value, gpu_count)) {
            return false;
        }
        models_.emplace_back(model);
        typed_gpus_ += count;
        return typed_gpus_ <= gpus_max;
    }

    std::vector<std::string>& models_;
    SlurmAmounts amounts_;
    std::int64_t typed_gpus_ = 0;
};

}  // namespace

std::optional<TraceStatus> status_of_slurm_state(std::string_view state) {
    using enum TraceStatus;
    using Entry = std::pair<std::string_view, TraceStatus>;
    // The accounting has one state of a job. scontrol and squeue name what is special about it
    // first.
    static constexpr std::array table{
        Entry{"BOOT_FAIL", node_failed}, Entry{"CANCELLED", cancelled},
        Entry{"COMPLETED", completed},   Entry{"COMPLETING", running},
        Entry{"CONFIGURING", running},   Entry{"DEADLINE", timed_out},
        Entry{"FAILED", failed},         Entry{"LAUNCH_FAILED", pending},
        Entry{"NODE_FAIL", node_failed}, Entry{"OUT_OF_MEMORY", failed},
        Entry{"PENDING", pending},       Entry{"POWER_UP_NODE", running},
        Entry{"PREEMPTED", cancelled},   Entry{"RECONFIG_FAIL", pending},
        Entry{"REQUEUED", cancelled},    Entry{"REQUEUE_FED", pending},
        Entry{"REQUEUE_HOLD", pending},  Entry{"RESIZING", running},
        Entry{"RESV_DEL_HOLD", pending}, Entry{"REVOKED", cancelled},
        Entry{"RUNNING", running},       Entry{"SIGNALING", running},
        Entry{"SPECIAL_EXIT", pending},  Entry{"STAGE_OUT", completed},
        Entry{"STOPPED", running},       Entry{"SUSPENDED", running},
        Entry{"TIMEOUT", timed_out}};
    const std::string_view word = state.substr(0, state.find_first_of(" +"));
    const auto* found = std::ranges::find(table, word, &Entry::first);
    return found == table.end() ? std::nullopt : std::optional(found->second);
}

std::optional<SlurmAmounts> parse_tres(std::string_view text, std::vector<std::string>& models) {
    TresReader reader(models);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        const std::string_view entry = text.substr(0, end);
        const std::size_t equals = entry.find('=');
        if (equals == std::string_view::npos ||
            !reader.read(entry.substr(0, equals), entry.substr(equals + 1))) {
            return std::nullopt;
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return reader.amounts();
}

std::optional<std::int64_t> parse_gres(std::string_view text, std::vector<std::string>& models) {
    TresReader reader(models);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        std::string_view entry = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        entry.remove_prefix(entry.starts_with("gres:") ? 5 : 0);
        entry = entry.substr(0, entry.find('('));  // the rest names the GPUs: (IDX:0-3)
        constexpr std::string_view number_of_gpu = "7696487:";  // what some versions wrote
        const bool numbered = entry.starts_with(number_of_gpu);
        entry.remove_prefix(numbered ? number_of_gpu.size() : 0);
        const std::string named = numbered ? fmt::format("gpu:{}", entry) : std::string();
        entry = numbered ? std::string_view(named) : entry;
        if (!entry.starts_with("gpu:") && entry != "gpu") {
            continue;
        }
        const std::size_t colon = entry.rfind(':');
        const bool counted = colon != std::string_view::npos &&
                             entry.find_first_not_of("0123456789", colon + 1) == entry.npos;
        const std::string_view key = counted ? entry.substr(0, colon) : entry;
        if (std::ranges::count(key, ':') > 1 ||
            !reader.read(fmt::format("gres/{}", key), counted ? entry.substr(colon + 1) : "1")) {
            return std::nullopt;
        }
    }
    return reader.amounts().gpus;
}

std::optional<core::Amount> parse_requested_memory(std::string_view text,
                                                   core::Amount cpu_milli,
                                                   core::Members nodes) {
    std::int64_t times = 1;
    if (text.ends_with('c')) {
        times = (cpu_milli + 999) / 1000;
    } else if (text.ends_with('n')) {
        times = nodes;
    }
    if (text.ends_with('c') || text.ends_with('n')) {
        text.remove_suffix(1);
    }
    const auto bytes = parse_memory(text);
    const auto total = bytes ? core::checked_multiply(*bytes, times) : std::nullopt;
    return total && *total <= memory_bytes_max ? total : std::nullopt;
}

}  // namespace berth::workloads
