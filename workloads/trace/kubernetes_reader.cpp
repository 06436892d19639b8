/// kubernetes: pods as `kubectl get pods -o json` prints them, or one pod per line.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <variant>

#include "core/support/parse_number.hpp"
#include "workloads/trace/gpu_models.hpp"
#include "workloads/trace/json_elements.hpp"
#include "workloads/trace/json_row.hpp"
#include "workloads/trace/pod_amounts.hpp"
#include "workloads/trace/row_error.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/trace/trace_clock.hpp"
#include "workloads/unmodelled/pod_fields.hpp"

namespace berth::workloads {
namespace {

constexpr std::string_view milli_annotation = "alibabacloud.com/gpu-milli";
constexpr std::string_view count_annotation = "alibabacloud.com/gpu-count";
constexpr std::string_view model_annotation = "alibabacloud.com/gpu-card-model";

class KubernetesReader final : public RowReader {
public:
    KubernetesReader(TextBlocks text, const TraceOptions& options)
        : RowReader(options, text.beyond_ascii()),
          row_(text.file()),
          elements_(std::move(text)),
          reads_metadata_(options.pod_metadata) {}

    [[nodiscard]] std::vector<std::string> notes() const override {
        std::vector<std::string> all = others_.notes();
        if (refused_ > 0) {
            all.push_back(
                fmt::format("pods that failed before any of their containers started, as those "
                            "that their node refused: {}; they are left out, since they held "
                            "nothing",
                            refused_));
        }
        std::ranges::move(counts_.lines("pod"), std::back_inserter(all));
        return all;
    }

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
        row_.parse(elements_);
        const std::string_view kind = row_.text({"kind"});
        if (!kind.empty() && kind != "Pod") {
            return Row::no_job;
        }
        job.name = row_.text({"metadata", "name"});
        if (job.name.empty()) {
            row_.fail(JsonText::root(), "a pod without metadata.name: expected one");
        }
        job.queue = row_.text({"metadata", "namespace"});
        read_state(job);
        if (job.status == TraceStatus::failed && !row_.find({"status", "containerStatuses"})) {
            ++refused_;
            return Row::no_job;
        }
        read_pod_amounts(row_, JsonText::root(), job);
        read_pod_time_limit(row_, JsonText::root(), job);
        job.set_conditions().nodes = node_rules(
            row_, row_.find({"spec"}), reads_metadata_ ? row_.find({"metadata"}) : std::nullopt);
        others_.count(other_resources(row_, row_.find({"spec"})));
        read_annotations(job.gpus);
        read_times(job);
        found_.clear();
        pod_fields(PodReader::kubernetes).find(row_.json(), JsonText::root(), found_);
        counts_.count(found_);
        return Row::job;
    }

    /// The annotations for GPU sharing say more than the resource request does.
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
        const auto end = last_end_of_containers(row_);
        if (end) {
            job.finish = row_.date(*end);
        }
        if (job.start && job.finish && *job.finish < *job.start) {
            row_.fail(*end, "ends before it starts: expected no earlier finishedAt");
        }
        clock_.set_to_zero(job);
    }

    JsonRow row_;
    JsonElements elements_;
    bool reads_metadata_;
    TraceClock clock_;
    OtherResources others_;
    FieldCounts counts_;
    FoundFields found_;  ///< The unmodelled fields of the last pod.
    std::uint64_t refused_ = 0;
    bool first_ = true;
};

}  // namespace

std::unique_ptr<TraceReader> make_kubernetes_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<KubernetesReader>(std::move(text), options);
}

}  // namespace berth::workloads
