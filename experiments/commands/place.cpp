#include "experiments/requests/place.hpp"
#include "experiments/commands/command.hpp"
#include "experiments/commands/jsonl.hpp"

namespace berth::experiments {

int run_place(const std::vector<std::string>& arguments) {
    return run_jsonl("place", arguments, &answer_place_request);
}

}  // namespace berth::experiments
