#include "workloads/trace/pod_amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <set>

#include "core/support/parse_number.hpp"
#include "core/tree/resources.hpp"
#include "workloads/pod_total.hpp"
#include "workloads/trace/row_error.hpp"

namespace berth::workloads {
namespace {

using Index = JsonRow::Index;

constexpr std::string_view gpu_resource = "nvidia.com/gpu";

/// The requests of a container.
struct Requests {
    core::Amount cpu_milli = 0;
    core::Amount memory_bytes = 0;
    core::Amount gpus = 0;
};

/// Sums that exceed the maximum stay above it, without an overflow.
void add(Requests& sum, const Requests& more) {
    sum.cpu_milli = std::min(sum.cpu_milli + more.cpu_milli, cpu_milli_max + 1);
    sum.memory_bytes = std::min(sum.memory_bytes + more.memory_bytes, memory_bytes_max + 1);
    sum.gpus = std::min(sum.gpus + more.gpus, gpus_max + 1);
}

void raise(Requests& most, const Requests& other) {
    most.cpu_milli = std::max(most.cpu_milli, other.cpu_milli);
    most.memory_bytes = std::max(most.memory_bytes, other.memory_bytes);
    most.gpus = std::max(most.gpus, other.gpus);
}

class AmountsReader {
public:
    AmountsReader(const JsonRow& row, Index pod)
        : row_(row),
          spec_(row.find(pod, {"spec"})),
          status_(row.find(pod, {"status"})),
          infeasible_(is_resize_infeasible()) {}

    [[nodiscard]] Requests of_pod() const {
        PodTotal<Requests> containers;
        row_.for_each(row_.find(spec_, {"containers"}), [&](Index container) {
            containers.add_container(of_container(container, true));
        });
        row_.for_each(row_.find(spec_, {"initContainers"}), [&](Index container) {
            const auto restart = row_.find(container, {"restartPolicy"});
            const bool stays = restart && row_.text(*restart) == "Always";
            containers.add_init_container(of_container(container, stays), stays);
        });
        Requests sum = containers.total();
        add_own(sum);
        if (const auto overhead = row_.find(spec_, {"overhead"})) {
            add(sum,
                {quantity(*overhead, "cpu", 1000, cpu_milli_max).value_or(0),
                 quantity(*overhead, "memory", 1, memory_bytes_max).value_or(0),
                 0});
        }
        return sum;
    }

private:
    /// Whether the node cannot grant a resize: the requested amounts then do not count.
    [[nodiscard]] bool is_resize_infeasible() const {
        const auto says = [&](std::optional<Index> from, std::string_view key) {
            const auto value = row_.find(from, {key});
            return value ? row_.text(*value) : std::string_view();
        };
        bool found = says(status_, "resize") == "Infeasible";
        row_.for_each(row_.find(status_, {"conditions"}), [&](Index condition) {
            found = found || (says(condition, "type") == "PodResizePending" &&
                              says(condition, "reason") == "Infeasible");
        });
        return found;
    }

    /// Replaces the sum of each resource that the pod states for itself as a whole.
    void add_own(Requests& sum) const {
        const auto stated = row_.find(spec_, {"resources"});
        const bool resized = stated && row_.find(status_, {"resources"});
        const Requests most = resized ? most_of(stated, *status_) : Requests();
        if (const auto cpu = request(stated, "cpu", 1000, cpu_milli_max)) {
            sum.cpu_milli = resized ? most.cpu_milli : *cpu;
        }
        if (const auto memory = request(stated, "memory", 1, memory_bytes_max)) {
            sum.memory_bytes = resized ? most.memory_bytes : *memory;
        }
    }

    /// `resizable`: false for an init container that is no sidecar.
    [[nodiscard]] Requests of_container(Index container, bool resizable) const {
        const auto stated = row_.find(container, {"resources"});
        const auto status = resizable ? status_of(container) : std::nullopt;
        return row_.find(status, {"resources"}) ? most_of(stated, *status) : requests(stated);
    }

    [[nodiscard]] std::optional<Index> status_of(Index container) const {
        std::optional<Index> found;
        const auto name = row_.find(container, {"name"});
        for (const std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
            row_.for_each(row_.find(status_, {list}), [&](Index status) {
                const auto other = row_.find(status, {"name"});
                if (name && other && row_.text(*name) == row_.text(*other)) {
                    found = status;
                }
            });
        }
        return found;
    }

    /// The most of what a resized container requests, was granted and has.
    [[nodiscard]] Requests most_of(std::optional<Index> stated, Index status) const {
        Requests most = infeasible_ ? Requests() : requests(stated);
        if (const auto now = row_.find(status, {"resources", "requests"})) {
            raise(most, amounts(*now));
        }
        if (const auto granted = row_.find(status, {"allocatedResources"})) {
            raise(most, amounts(*granted));
        }
        return most;
    }

    [[nodiscard]] Requests requests(std::optional<Index> resources) const {
        return {request(resources, "cpu", 1000, cpu_milli_max).value_or(0),
                request(resources, "memory", 1, memory_bytes_max).value_or(0),
                request(resources, gpu_resource, 1, gpus_max).value_or(0)};
    }
    [[nodiscard]] Requests amounts(Index map) const {
        return {quantity(map, "cpu", 1000, cpu_milli_max).value_or(0),
                quantity(map, "memory", 1, memory_bytes_max).value_or(0),
                quantity(map, gpu_resource, 1, gpus_max).value_or(0)};
    }

    /// A resource that is only limited counts as requested.
    [[nodiscard]] std::optional<core::Amount> request(std::optional<Index> resources,
                                                      std::string_view resource,
                                                      core::Amount per_unit,
                                                      core::Amount max) const {
        std::optional<core::Amount> amount;
        for (const std::string_view part : {"requests", "limits"}) {
            const auto amounts = amount ? std::nullopt : row_.find(resources, {part});
            amount = amounts ? quantity(*amounts, resource, per_unit, max) : amount;
        }
        return amount;
    }

    [[nodiscard]] std::optional<core::Amount> quantity(Index amounts,
                                                       std::string_view resource,
                                                       core::Amount per_unit,
                                                       core::Amount max) const {
        const auto value = row_.find(amounts, {resource});
        if (!value) {
            return std::nullopt;
        }
        const auto quantity = resource == gpu_resource
                                  ? core::parse_quantity(row_.text(*value), per_unit)
                                  : core::parse_quantity_up(row_.text(*value), per_unit);
        const auto* amount = std::get_if<core::Amount>(&quantity);
        if (amount == nullptr || *amount > max) {
            row_.fail(*value,
                      fmt::format("{}: no quantity {}: expected one such as 500m, 16 or 256Gi",
                                  resource,
                                  quoted(row_.text(*value))));
        }
        return *amount;
    }

    const JsonRow& row_;
    std::optional<Index> spec_;
    std::optional<Index> status_;
    bool infeasible_;
};

}  // namespace

void read_pod_amounts(const JsonRow& row, std::optional<Index> pod, TraceJob& job) {
    const auto spec = row.find(pod, {"spec"});
    const Requests sum = spec ? AmountsReader(row, *pod).of_pod() : Requests();
    if (sum.cpu_milli > cpu_milli_max || sum.memory_bytes > memory_bytes_max ||
        sum.gpus > gpus_max) {
        row.fail(*spec, "too large: expected requests that a server can have");
    }
    job.cpu_milli = sum.cpu_milli;
    job.memory_bytes = sum.memory_bytes;
    job.gpus.count = sum.gpus;
    job.gpus.milli = job.gpus.count > 0 ? core::gpu_whole_milli : 0;
}

void read_pod_time_limit(const JsonRow& row, std::optional<Index> pod, TraceJob& job) {
    const auto most = row.find(pod, {"spec", "activeDeadlineSeconds"});
    if (!most) {
        return;
    }
    const auto seconds = core::parse_number<std::int32_t>(row.text(*most));
    if (!seconds || *seconds < 1) {
        row.fail(*most, "activeDeadlineSeconds: expected a whole number above 0");
    }
    job.time_limit = std::chrono::seconds(*seconds);
}

std::vector<std::string> other_resources(const JsonRow& row, std::optional<Index> spec) {
    std::set<std::string> others;
    const auto note = [&](Index key, Index /*amount*/) {
        constexpr std::array<std::string_view, 3> known{"cpu", "memory", gpu_resource};
        const std::string_view name = row.json().text(key);
        if (std::ranges::find(known, name) == known.end()) {
            others.emplace(name);
        }
    };
    for (const std::string_view list : {"containers", "initContainers"}) {
        row.for_each(row.find(spec, {list}), [&](Index container) {
            row.for_each_member(row.find(container, {"resources", "requests"}), note);
            row.for_each_member(row.find(container, {"resources", "limits"}), note);
        });
    }
    return {others.begin(), others.end()};
}

void OtherResources::count(const std::vector<std::string>& resources) {
    for (const std::string& resource : resources) {
        ++jobs_[resource];
    }
}

std::vector<std::string> OtherResources::notes() const {
    std::vector<std::string> out;
    for (const auto& [resource, jobs] : jobs_) {
        out.push_back(
            fmt::format("{} jobs ask for {}, which is not counted: of a trace, a run knows cpu, "
                        "memory and nvidia.com/gpu",
                        jobs,
                        resource));
    }
    return out;
}

namespace {

/// Appends these members of a map to one that is open, if they are there.
void append_members(const JsonRow& row,
                    std::optional<Index> map,
                    std::initializer_list<std::string_view> keys,
                    std::string& out) {
    for (const std::string_view key : keys) {
        if (const auto found = row.find(map, {key})) {
            out += fmt::format(
                "{}\"{}\":{}", out.ends_with('{') ? "" : ",", key, row.json().written(*found));
        }
    }
}

}  // namespace

std::string node_rules(const JsonRow& row,
                       std::optional<Index> spec,
                       std::optional<Index> metadata) {
    std::string out = "{";
    append_members(
        row,
        spec,
        {"nodeSelector", "affinity", "tolerations", "topologySpreadConstraints", "resourceClaims"},
        out);
    if (metadata) {
        out += fmt::format("{}\"metadata\":{{", out.ends_with('{') ? "" : ",");
        append_members(row, metadata, {"namespace", "labels", "ownerReferences"}, out);
        out += "}";
    }
    return out + "}";
}

std::optional<Index> last_end_of_containers(const JsonRow& row) {
    bool all = true;
    std::optional<Index> last;
    row.for_each(row.find({"status", "containerStatuses"}), [&](Index container) {
        const auto finished = row.find(container, {"state", "terminated", "finishedAt"});
        all = all && finished.has_value();
        if (finished && (!last || row.date(*finished) > row.date(*last))) {
            last = finished;
        }
    });
    return all ? last : std::nullopt;
}

}  // namespace berth::workloads
