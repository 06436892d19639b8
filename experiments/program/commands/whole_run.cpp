#include "experiments/program/commands/whole_run.hpp"

#include <iostream>

#include "experiments/program/results/sweep_directory.hpp"
#include "experiments/program/verify/check_results.hpp"

namespace berth::experiments {

RunArgument find_whole_run(const std::string& argument) {
    RunArgument run = find_run(argument);
    for (const std::string& warning : check_whole(run.directory)) {
        std::cerr << warning << "\n";
    }
    return run;
}

std::filesystem::path find_whole_folder(const std::string& argument) {
    if (report::is_sweep_directory(argument)) {
        check_whole_sweep(argument);
        return argument;
    }
    return find_whole_run(argument).directory;
}

}  // namespace berth::experiments
