/// kubernetes: pods, as `kubectl get pods -o json` prints them, or one a line.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/support/parse_number.hpp"
#include "core/tree/resources.hpp"
#include "workloads/pod_total.hpp"
#include "workloads/trace/gpu_models.hpp"
#include "workloads/trace/json_elements.hpp"
#include "workloads/trace/json_row.hpp"
#include "workloads/trace/pod_phase.hpp"
#include "workloads/trace/row_error.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/trace/trace_clock.hpp"

namespace berth::workloads {
namespace {

constexpr std::string_view milli_annotation = "alibabacloud.com/gpu-milli";
constexpr std::string_view count_annotation = "alibabacloud.com/gpu-count";
constexpr std::string_view model_annotation = "alibabacloud.com/gpu-card-model";

/// What a container asks for.
struct Requests {
    core::Amount cpu_milli = 0;
    core::Amount memory_bytes = 0;
    core::Amount gpus = 0;
};

/// What is more than the most stays so, without an overflow.
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

class KubernetesReader final : public RowReader {
public:
    KubernetesReader(TextBlocks text, const TraceOptions& options)
        : RowReader(options), row_(text.file()), elements_(std::move(text)) {}

private:
    using Index = JsonRow::Index;

    Row read(TraceJob& job) override {
        const bool first = std::exchange(first_, false);
        if (!elements_.next()) {
            if (first && elements_.line() == 1 && elements_.column() == 1) {
                throw core::InputError(
                    fmt::format("{}:1:1: error: empty: expected pods, as kubectl get pods -o json "
                                "prints them",
                                elements_.file()));
            }
            return Row::end;
        }
        begin_row(elements_.line());
        if (elements_.too_long()) {
            JsonRow::fail_long(
                elements_.file(), line(), elements_.column(), elements_.element_bytes_max());
        }
        row_.parse(elements_.text(), elements_.line(), elements_.column());
        const std::string_view kind = row_.text({"kind"});
        if (!kind.empty() && kind != "Pod") {
            return Row::no_job;
        }
        job.name = row_.text({"metadata", "name"});
        if (job.name.empty()) {
            row_.fail(JsonText::root(), "a pod without metadata.name: expected one");
        }
        job.queue = row_.text({"metadata", "namespace"});
        read_amounts(job);
        read_annotations(job.gpus);
        read_state(job);
        read_times(job);
        return Row::job;
    }

    /// Its containers together, unless the pod states its own; and its overhead.
    void read_amounts(TraceJob& job) {
        PodTotal<Requests> containers;
        each({"spec", "containers"},
             [&](Index container) { containers.add_container(requests_of(container)); });
        each({"spec", "initContainers"}, [&](Index container) {
            const auto restart = row_.json().find(container, "restartPolicy");
            containers.add_init_container(requests_of(container),
                                          restart && row_.text(*restart) == "Always");
        });
        Requests sum = containers.total();
        const auto own = row_.find({"spec", "resources"});
        sum.cpu_milli = request(own, "cpu", 1000, cpu_milli_max).value_or(sum.cpu_milli);
        sum.memory_bytes = request(own, "memory", 1, memory_bytes_max).value_or(sum.memory_bytes);
        if (const auto overhead = row_.find({"spec", "overhead"})) {
            add(sum,
                {quantity(*overhead, "cpu", 1000, cpu_milli_max).value_or(0),
                 quantity(*overhead, "memory", 1, memory_bytes_max).value_or(0),
                 0});
        }
        if (sum.cpu_milli > cpu_milli_max || sum.memory_bytes > memory_bytes_max ||
            sum.gpus > gpus_max) {
            row_.fail(*row_.find({"spec"}), "too large: expected requests that a server can have");
        }
        job.cpu_milli = sum.cpu_milli;
        job.memory_bytes = sum.memory_bytes;
        job.gpus.count = sum.gpus;
        job.gpus.milli = job.gpus.count > 0 ? core::gpu_whole_milli : 0;
    }

    template <class Visit>
    void each(std::initializer_list<std::string_view> keys, Visit visit) {
        const auto list = row_.find(keys);
        if (!list) {
            return;
        }
        if (row_.json().kind(*list) != JsonText::Kind::list) {
            row_.fail(*list, "no list: expected one");
        }
        for (auto at = row_.json().first(*list); at; at = row_.json().next(*list, *at)) {
            visit(*at);
        }
    }

    [[nodiscard]] Requests requests_of(Index container) const {
        const auto resources = row_.json().find(container, "resources");
        return {request(resources, "cpu", 1000, cpu_milli_max).value_or(0),
                request(resources, "memory", 1, memory_bytes_max).value_or(0),
                request(resources, "nvidia.com/gpu", 1, gpus_max).value_or(0)};
    }

    /// What is only limited is requested as well.
    [[nodiscard]] std::optional<core::Amount> request(std::optional<Index> resources,
                                                      std::string_view resource,
                                                      core::Amount per_unit,
                                                      core::Amount max) const {
        std::optional<core::Amount> amount;
        for (const std::string_view part : {"requests", "limits"}) {
            const auto amounts =
                resources && !amount ? row_.json().find(*resources, part) : std::nullopt;
            amount = amounts ? quantity(*amounts, resource, per_unit, max) : amount;
        }
        return amount;
    }

    [[nodiscard]] std::optional<core::Amount> quantity(Index amounts,
                                                       std::string_view resource,
                                                       core::Amount per_unit,
                                                       core::Amount max) const {
        const auto value = row_.json().find(amounts, resource);
        if (!value) {
            return std::nullopt;
        }
        const auto quantity = core::parse_quantity(row_.text(*value), per_unit);
        const auto* amount = std::get_if<core::Amount>(&quantity);
        if (amount == nullptr || *amount > max) {
            row_.fail(*value,
                      fmt::format("{}: no quantity {}: expected one such as 500m, 16 or 256Gi",
                                  resource,
                                  quoted(row_.text(*value))));
        }
        return *amount;
    }

    /// The annotations of GPU sharing say more than the resource does.
    void read_annotations(core::GpuRequest& gpus) const {
        const auto annotation = [&](std::string_view key) {
            return row_.find({"metadata", "annotations", key});
        };
        const auto number = [&](Index value, const AmountUnit& unit) {
            const auto parsed = parse_amount(row_.text(value), unit);
            if (const auto* fault = std::get_if<NumberFault>(&parsed)) {
                row_.fail(value,
                          fmt::format("{} {}: expected {}",
                                      describe(*fault),
                                      quoted(row_.text(value)),
                                      unit.expected));
            }
            return std::get<std::int64_t>(parsed);
        };
        const auto milli = annotation(milli_annotation);
        const auto count = annotation(count_annotation);
        if (milli) {
            gpus.milli = std::min(number(*milli, gpu_in_milli), core::gpu_whole_milli);
            gpus.count = std::max<std::int64_t>(gpus.count, gpus.milli > 0 ? 1 : 0);
        }
        if (count) {
            gpus.count = number(*count, gpu_count);
            gpus.milli = milli ? gpus.milli : core::gpu_whole_milli;
        }
        if (gpus.count == 0 || gpus.milli == 0) {
            gpus = {};
            return;
        }
        if (gpus.count > 1 && gpus.milli < core::gpu_whole_milli) {
            row_.fail(*milli,
                      "a share of several devices: expected a share of one device, or "
                      "whole devices");
        }
        if (const auto model = annotation(model_annotation)) {
            split_models(row_.text(*model), gpus.models);
        }
    }

    void read_state(TraceJob& job) const {
        if (const auto phase = row_.find({"status", "phase"})) {
            const auto status = status_of_phase(row_.text(*phase));
            if (!status) {
                row_.fail(
                    *phase,
                    fmt::format(
                        "unknown phase {}: expected {}", quoted(row_.text(*phase)), pod_phases));
            }
            job.status = *status;
        }
        if (const auto priority = row_.find({"spec", "priority"})) {
            const auto number = core::parse_number<std::int32_t>(row_.text(*priority));
            if (!number) {
                row_.fail(*priority, "no priority: expected a whole number of 32 bits");
            }
            job.priority = *number;
        }
    }

    void read_times(TraceJob& job) {
        if (const auto created = row_.find({"metadata", "creationTimestamp"})) {
            job.submit = row_.date(*created);
        }
        if (const auto started = row_.find({"status", "startTime"})) {
            job.start = row_.date(*started);
        }
        const JsonText& json = row_.json();
        bool all = true;
        std::optional<Index> latest;
        each({"status", "containerStatuses"}, [&](Index container) {
            const auto state = json.find(container, "state");
            const auto terminated = state ? json.find(*state, "terminated") : std::nullopt;
            const auto finished = terminated ? json.find(*terminated, "finishedAt") : std::nullopt;
            all = all && finished.has_value();
            if (finished && (!job.finish || row_.date(*finished) > *job.finish)) {
                job.finish = row_.date(*finished);
                latest = finished;
            }
        });
        if (!all) {
            job.finish.reset();
        }
        if (job.start && job.finish && *job.finish < *job.start) {
            row_.fail(*latest, "ends before it starts: expected no earlier finishedAt");
        }
        clock_.set_to_zero(job);
    }

    JsonRow row_;
    JsonElements elements_;
    TraceClock clock_;
    bool first_ = true;
};

}  // namespace

std::unique_ptr<TraceReader> make_kubernetes_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<KubernetesReader>(std::move(text), options);
}

}  // namespace berth::workloads
