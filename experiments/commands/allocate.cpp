#include "experiments/requests/allocate.hpp"
#include "experiments/commands/command.hpp"
#include "experiments/commands/jsonl.hpp"

namespace berth::experiments {

int run_allocate(const std::vector<std::string>& arguments) {
    return run_jsonl("allocate", arguments, &answer_allocate_request);
}

}  // namespace berth::experiments
