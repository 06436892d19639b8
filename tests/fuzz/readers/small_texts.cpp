/// Texts of one or two lines within documents and on command lines.

#include <string>
#include <variant>

#include "core/allocation_candidates/candidate_query.hpp"
#include "core/allocation_candidates/candidate_search.hpp"
#include "experiments/program/config/cluster/candidate_query_text.hpp"
#include "experiments/program/config/cluster/read_device.hpp"
#include "experiments/program/config/cluster/read_providers.hpp"
#include "experiments/program/config/quota/quota_annotations.hpp"
#include "experiments/program/config/resolve/value_path.hpp"
#include "experiments/program/config/workload/device_annotations.hpp"
#include "experiments/program/slurm/job_script.hpp"
#include "experiments/program/support/documents.hpp"
#include "fuzz/target.hpp"

namespace berth::tests {
namespace {

core::Value scalar(std::string_view bytes) {
    auto source = std::make_shared<core::SourceText>();
    source->name = "fuzz";
    source->text = bytes;
    core::Value value;
    value.kind = core::Value::Kind::scalar;
    value.text = bytes;
    value.span = {source, 1, 1, 1};
    return value;
}

std::vector<core::Value> documents_of(const char* text) {
    auto source = std::make_shared<core::SourceText>();
    source->name = "fuzz";
    source->text = text;
    return experiments::parse_documents(source);
}

/// Two hosts that share a disk.
const experiments::ProviderList& providers() {
    static const experiments::ProviderList list = [] {
        core::Diagnostics diagnostics;
        auto read = experiments::read_providers(documents_of(R"(
kind: Providers
providers:
  - {name: host, resources: {VCPU: {total: 8, allocation_ratio: 2.0}, MEMORY_MB: 4096},
     traits: [HW_CPU_X86_AVX2], aggregates: [rack]}
  - {name: numa, parent: host, resources: {CUSTOM_GPU: 4}, traits: [CUSTOM_FAST]}
  - {name: other, resources: {VCPU: {total: 4, used: 1}}, aggregates: [rack]}
  - {name: disk, resources: {DISK_GB: {total: 100, min_unit: 10, step_size: 5}},
     traits: [MISC_SHARES_VIA_AGGREGATE], aggregates: [rack]}
)"),
                                                diagnostics);
        diagnostics.throw_if_failed();
        return read;
    }();
    return list;
}

const core::Value& changed_document() {
    static const core::Value document = documents_of(R"(
kind: Experiment
spec:
  topology: {spec: {levels: [{name: rack, count: 2}, {name: server, count: 4}]}}
  workload: [{pods: [{name: a, at: 1s}]}, {generate: {until: 1h}}]
  scheduler: {profile: {score: [best-fit]}}
)")
                                            .front();
    return document;
}

}  // namespace

void fuzz_annotations(std::string_view bytes) {
    namespace names = experiments::device_annotation;
    for (const std::string_view name : {names::joint, names::hint, names::partition_spec}) {
        for (const auto unknown :
             {experiments::UnknownWords::refused, experiments::UnknownWords::ignored}) {
            reads([&] {
                core::DevicePod pod;
                (void)experiments::read_device_annotations(
                    {{std::string(name), std::string(bytes)}}, unknown, pod);
            });
        }
    }
    reads([&] { (void)experiments::read_gpu_partitions(bytes); });
    const core::Value value = scalar(bytes);
    reads([&] {
        core::Diagnostics diagnostics;
        (void)experiments::read_partition_table(value, diagnostics);
        diagnostics.throw_if_failed();
    });
    for (const auto syntax :
         {experiments::AnnotationSyntax::strict, experiments::AnnotationSyntax::lenient}) {
        reads([&] { (void)experiments::parse_quantities(value, syntax); });
        reads([&] { (void)experiments::parse_names(value, syntax); });
    }
}

void fuzz_candidate_query(std::string_view bytes) {
    (void)core::looks_like_uuid(bytes);
    (void)core::parse_candidate_query(bytes);
    reads([&] {
        const core::ProviderForest forest = experiments::provider_forest(providers());
        const experiments::CandidateQueryText text(bytes, providers());
        const auto parsed = core::parse_candidate_query(text.query());
        if (const auto* fault = std::get_if<core::CandidateQueryFault>(&parsed)) {
            throw text.error(fault->reason, forest);
        }
        const core::CandidateSearch search(forest, std::get<core::CandidateQuery>(parsed));
        if (const auto fault = search.fault()) {
            throw text.error(fault->reason, forest);
        }
        (void)search.count();
    });
}

void fuzz_settings(std::string_view bytes) {
    bytes = bytes.substr(0, bytes.find('\0'));  // an argument of a program ends there
    reads([&] {
        const experiments::Override change = experiments::parse_override(std::string(bytes));
        core::Value document = changed_document();
        reads([&] { (void)experiments::path_by_index(document, change); });
        (void)experiments::try_override(document, change);
        document = changed_document();
        experiments::apply_override(document, change);
        (void)experiments::emit_yaml(document);
    });
}

void fuzz_slurm(std::string_view bytes) {
    const auto& folder = fresh_folder();
    write_input(folder / "job.json", bytes);
    reads([&] { (void)experiments::SlurmMemory(folder).array(); });
}

}  // namespace berth::tests
