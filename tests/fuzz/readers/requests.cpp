/// Commands that answer requests line by line.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/support/assert.hpp"
#include "experiments/program/requests/allocate.hpp"
#include "experiments/program/requests/candidates.hpp"
#include "experiments/program/requests/place.hpp"
#include "experiments/program/requests/quota.hpp"
#include "schedulers/kube/requests/kube.hpp"
#include "schedulers/kueue/requests/kueue.hpp"
#include "schedulers/slurm/requests/slurm.hpp"

namespace berth::tests {
namespace {

/// Whatever a line contains, its answer is one line of JSON.
void answer(std::string_view bytes, std::string (*verb)(std::string_view line)) {
    const std::string answered = verb(bytes.substr(0, bytes.find('\n')));
    BERTH_ASSERT(answered.find('\n') == std::string::npos, "an answer is one line");
    BERTH_ASSERT(nlohmann::json::accept(answered), "an answer is JSON");
}

}  // namespace

// Each kind of request is a target, so that each has a corpus of its own.

void fuzz_allocate_devices(std::string_view bytes) {
    answer(bytes, &experiments::answer_allocate_request);
}

void fuzz_allocate_groups(std::string_view bytes) {
    answer(bytes, &experiments::answer_allocate_request);
}

void fuzz_allocate_translation(std::string_view bytes) {
    answer(bytes, &experiments::answer_allocate_request);
}

void fuzz_candidates(std::string_view bytes) {
    answer(bytes, &experiments::answer_candidates_request);
}

void fuzz_kube_cycle(std::string_view bytes) {
    answer(bytes, &experiments::answer_kube_request);
}

void fuzz_kube_devices(std::string_view bytes) {
    answer(bytes, &experiments::answer_kube_request);
}

void fuzz_kueue_cycle(std::string_view bytes) {
    answer(bytes, &experiments::answer_kueue_request);
}

void fuzz_kueue_topology(std::string_view bytes) {
    answer(bytes, &experiments::answer_kueue_request);
}

void fuzz_place(std::string_view bytes) {
    answer(bytes, &experiments::answer_place_request);
}

void fuzz_quota_admission(std::string_view bytes) {
    answer(bytes, &experiments::answer_quota_request);
}

void fuzz_quota_runtime(std::string_view bytes) {
    answer(bytes, &experiments::answer_quota_request);
}

void fuzz_quota_validation(std::string_view bytes) {
    answer(bytes, &experiments::answer_quota_request);
}

void fuzz_slurm_starts(std::string_view bytes) {
    answer(bytes, &experiments::answer_slurm_request);
}

}  // namespace berth::tests
