#include "experiments/requests/quota.hpp"
#include "experiments/commands/command.hpp"
#include "experiments/commands/jsonl.hpp"

namespace berth::experiments {

int run_quota(const std::vector<std::string>& arguments) {
    return run_jsonl("quota", arguments, &answer_quota_request);
}

}  // namespace berth::experiments
