#include "experiments/c/asked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/support/source.hpp"
#include "core/tree/device_names.hpp"
#include "experiments/c/calls.hpp"
#include "experiments/program/config/workload/pod_labels.hpp"
#include "experiments/program/config/workload/read_workload.hpp"
#include "experiments/program/run/replicate.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "experiments/program/support/documents.hpp"
#include "sim/clock/random.hpp"
#include "sim/clock/time.hpp"

namespace berth::c {

using core::Diagnostics;
using core::InputError;

namespace {

constexpr std::int64_t members_max = 10'000'000;

std::shared_ptr<const core::SourceText> source(const char* field, const char* text) {
    return std::make_shared<const core::SourceText>(core::SourceText{.name = field, .text = text});
}

/// Wraps a field's text as a value. In messages its place is the field's name.
core::Value value_of(const char* field, const char* text) {
    core::Value value;
    value.kind = core::Value::Kind::scalar;
    value.text = text;
    value.span.source = source(field, text);
    return value;
}

[[noreturn]] void refuse(const char* field, const std::string& what) {
    throw InputError(fmt::format("{}: error: {}", field, what));
}

void check_range(const char* field, std::int64_t number, std::int64_t least, std::int64_t most) {
    if (number < least || number > most) {
        refuse(field, fmt::format("{}: expected a number from {} to {}", number, least, most));
    }
}

std::string text_or(const char* text, const std::string& otherwise) {
    return text != nullptr ? text : otherwise;
}

std::vector<std::string> split(const std::string& text, char by) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(by, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

/// The GPU request for an amount in thousandths of a GPU: whole GPUs, or a part of one.
core::GpuRequest gpus_of(core::Amount milli, const char* models) {
    core::GpuRequest gpus;
    if (milli < core::gpu_whole_milli) {
        gpus = {milli, milli > 0 ? 1 : 0, {}};
    } else if (milli % core::gpu_whole_milli == 0) {
        gpus = {core::gpu_whole_milli, milli / core::gpu_whole_milli, {}};
    } else {
        refuse(
            "demand",
            fmt::format("{}m of nvidia.com/gpu: expected a part of one GPU, or whole ones", milli));
    }
    if (models != nullptr && gpus.count > 0) {
        gpus.models = split(models, '|');
    }
    return gpus;
}

}  // namespace

JobReader::JobReader(const experiments::ResolvedExperiment& resolved,
                     const experiments::ExperimentSpec& spec)
    : spec_(spec), pods_(spec.topology->resources(), workloads::TraceQuota::none) {
    const core::Value& values = *resolved.document.find("spec");
    Diagnostics diagnostics;
    types_ = experiments::PodTypes(values.find("types"),
                                   *spec.topology,
                                   spec.settings.profile.inside.candidates.has_value(),
                                   false,
                                   diagnostics);
    quotas_ = experiments::read_quota_settings(
        values.find("quotas"), nullptr, nullptr, spec.topology.get(), diagnostics);
    diagnostics.throw_if_failed();
    const core::Value* unknown = values.find("unknownQuotas");
    unknown_quotas_allowed_ = unknown != nullptr && unknown->text == "default-group";
}

sim::Job JobReader::read(const berth_request& request, std::uint64_t number) {
    check_text(request.name, "name");
    check_text(request.user, "user");
    check_text(request.quota, "quota");
    check_text(request.name_space, "name_space");
    Diagnostics diagnostics;
    sim::Job job;
    if (request.group != nullptr) {
        job = group(request, diagnostics);
    } else {
        ask(request, job, diagnostics);
    }
    diagnostics.throw_if_failed();
    check_range("size", request.size, 0, members_max);
    if (request.size > 0) {
        job.size = request.size;
        job.min_available = request.size;
    }
    check_range("min_available", request.min_available, 0, job.size);
    if (request.min_available > 0) {
        job.min_available = request.min_available;
    }
    job.group = job.group || job.size > 1;
    job.checkpoint.reset();  // the caller decides what the job does while it runs
    job.name = text_or(request.name, job.name.empty() ? fmt::to_string(number) : job.name);
    label(request, job, diagnostics);
    diagnostics.throw_if_failed();
    return job;
}

sim::Job JobReader::group(const berth_request& request, Diagnostics& diagnostics) const {
    if (request.type != nullptr || request.demand != nullptr) {
        refuse(request.type != nullptr ? "type" : "demand",
               "cannot be given with group, whose document says what members ask for: expected "
               "neither type nor demand");
    }
    const auto documents = experiments::parse_documents(source("group", request.group));
    if (documents.size() != 1) {
        refuse("group", fmt::format("{} documents: expected one", documents.size()));
    }
    experiments::PodLabels labels(diagnostics);
    sim::Job job = experiments::read_group(
        documents.front(), nullptr, types_, labels, *spec_.topology, diagnostics);
    job.group = true;
    return job;
}

void JobReader::ask(const berth_request& request, sim::Job& job, Diagnostics& diagnostics) {
    if ((request.type != nullptr) == (request.demand != nullptr)) {
        refuse("type",
               request.type != nullptr
                   ? "given beside demand: expected one of them"
                   : "neither type, demand nor group is given: expected one of them");
    }
    if (request.type != nullptr) {
        types_.ask(value_of("type", request.type), job, diagnostics);
    } else {
        ask_for_amounts(request, job, diagnostics);
    }
}

void JobReader::ask_for_amounts(const berth_request& request,
                                sim::Job& job,
                                Diagnostics& diagnostics) {
    const core::ResourceSchema& schema = spec_.topology->resources();
    std::vector<core::Amount> demand(request.demand, request.demand + schema.size());
    constexpr core::Amount most = std::numeric_limits<core::Amount>::max() / members_max;
    for (std::size_t resource = 0; resource < schema.size(); ++resource) {
        if (demand[resource] < 0 || demand[resource] > most) {
            refuse("demand",
                   fmt::format("{} of {}: expected an amount from 0 to {}",
                               demand[resource],
                               schema.name(resource),
                               most));
        }
    }
    if (spec_.settings.profile.inside.candidates) {
        types_.ask_for(value_of("demand", "").span, demand, job, diagnostics);
        return;
    }
    workloads::TraceJob from;
    if (const auto gpu = schema.find(core::device_resource::nvidia_gpu)) {
        from.gpus = gpus_of(demand[*gpu], request.gpu_models);
    }
    if (const auto rdma = schema.find(core::device_resource::rdma)) {
        from.rdma_percent = demand[*rdma];
    }
    job = pods_.job_of(from);
    job.demand = demand;
}

void JobReader::label(const berth_request& request, sim::Job& job, Diagnostics& diagnostics) const {
    check_range("priority", request.priority, INT32_MIN, INT32_MAX);
    check_range("estimate", request.estimate, 0, std::numeric_limits<std::int64_t>::max() - 1);
    job.priority = static_cast<std::int32_t>(request.priority);
    job.user = text_or(request.user, "");
    job.quota = text_or(request.quota, "");
    job.name_space = text_or(request.name_space, "");
    job.preemptible = request.not_preemptible == 0;
    if (request.estimate > 0) {
        job.estimate = sim::SimTime(request.estimate);
    }
    if (quotas_) {
        experiments::PodLabels labels(quotas_->rules, {}, diagnostics);
        if (unknown_quotas_allowed_) {
            labels.allow_unknown_quotas();
        }
        labels.check(value_of("quota", job.quota.text().c_str()).span, job);
    }
}

using core::InputError;

namespace {

/// Keys of an experiment that make things happen by themselves. Here the caller reports them.
constexpr std::array<std::string_view, 5> happenings{
    "failures", "drains", "quotaChanges", "until", "runTime"};

void check_askable(const experiments::ResolvedExperiment& resolved,
                   const experiments::ExperimentSpec& spec) {
    const core::Value& values = *resolved.document.find("spec");
    if (spec.outside || spec.settings.scheduler != nullptr) {
        throw InputError(spec.outside ? spec.outside->span : values.find("scheduler")->span,
                         "only berth's own schedulers can be asked (berth_ask), and this is none "
                         "of them: expected scheduler: {profile: ...}");
    }
    for (const std::string_view key : happenings) {
        if (const core::Value* value = values.find(key)) {
            throw InputError(
                value->span,
                fmt::format("{} cannot be used where the scheduler is asked (berth_ask), since the "
                            "caller says what happens: expected an experiment without it",
                            key));
        }
    }
    const auto brings_jobs = [](const experiments::WorkloadSource& source) {
        return !std::holds_alternative<workloads::BackgroundLoad>(source.what) &&
               !std::holds_alternative<experiments::GivenBackground>(source.what);
    };
    if (std::ranges::any_of(spec.workload, brings_jobs)) {
        throw InputError(
            values.find("workload")->span,
            "a workload that brings jobs cannot be used where the scheduler is asked (berth_ask), "
            "since the caller submits the jobs: expected background alone");
    }
    if (spec.settings.on_failure.spares) {
        throw InputError(values.find("scheduler")->span,
                         "spares cannot be used where the scheduler is asked (berth_ask), since it "
                         "says only which jobs start: expected no spares");
    }
}

const experiments::ExperimentSpec& checked(const experiments::ResolvedExperiment& resolved,
                                           const experiments::ExperimentSpec& spec) {
    check_askable(resolved, spec);
    return spec;
}

berth_decision decision_of(const sim::Decision& decision, const std::vector<berth_place>& places) {
    constexpr std::array kinds{BERTH_STARTS, BERTH_EVICTED, BERTH_REJECTED};
    return {.kind = kinds.at(static_cast<std::size_t>(decision.kind)),
            .job = static_cast<std::int64_t>(decision.job),
            .at = decision.at.count(),
            .places = places.data(),
            .place_count = places.size(),
            .reason = decision.reason.c_str()};
}

}  // namespace

Asked::Asked(const experiments::ResolvedExperiment& resolved,
             const experiments::ExperimentSpec& spec)
    : ledger_(experiments::cluster_of(checked(resolved, spec), 0)),
      scheduler_(ledger_, experiments::settings_of(spec, sim::replication_seed(spec.seed, 0))),
      jobs_(resolved, spec) {}

std::uint64_t Asked::submit(const berth_request& request) {
    const std::uint64_t number = scheduler_.submit(jobs_.read(request, submitted_));
    ++submitted_;
    return number;
}

void Asked::ended(std::int64_t job) {
    const auto why = job < 0 ? std::optional<std::string>("it was not submitted")
                             : scheduler_.why_no_end(static_cast<std::uint64_t>(job));
    if (why) {
        throw InputError(fmt::format("job: error: job number {} cannot end: {}", job, *why));
    }
    scheduler_.end(static_cast<std::uint64_t>(job));
}

void Asked::server_changed(std::int64_t server, bool up) {
    const std::uint32_t servers = ledger_.topology().server_count();
    if (server < 0 || server >= servers) {
        throw InputError(
            fmt::format("server: error: {}: expected an index from 0 to {}", server, servers - 1));
    }
    const core::ServerId id{static_cast<std::uint32_t>(server)};
    if (scheduler_.is_up(id) == up) {
        throw InputError(fmt::format("server: error: server '{}' is {} already: expected a change",
                                     ledger_.topology().name(ledger_.topology().node_of(id)),
                                     up ? "there" : "away"));
    }
    scheduler_.change_server(id, up);
}

std::span<const berth_decision> Asked::decide(std::int64_t now) {
    const std::int64_t last = scheduler_.now().count();
    if (now < last || now >= sim::never.count()) {
        throw InputError(fmt::format(
            "now: error: {} ns: expected a time from {} on, to which it has gone on", now, last));
    }
    decided_ = scheduler_.decide(sim::SimTime(now));
    places_.assign(decided_.size(), {});
    decisions_.clear();
    for (std::size_t i = 0; i < decided_.size(); ++i) {
        for (const core::PlacedNode& server : decided_[i].servers) {
            places_[i].push_back({ledger_.topology().server_of(server.node).index, server.count});
        }
        decisions_.push_back(decision_of(decided_[i], places_[i]));
    }
    return decisions_;
}

std::int64_t Asked::next_turn() const {
    const auto next = scheduler_.next_turn();
    return next ? next->count() : BERTH_NONE;
}

}  // namespace berth::c
