#pragma once

#include <string>
#include <vector>

namespace berth::tests {

/// A sound experiment on four servers, with a source of each kind.
extern const std::string sound_experiment;
/// A sound sweep of two points over that experiment, which is in e.yaml.
extern const std::string sweep_of_two;
/// A sound topology of four servers.
extern const std::string sound_topology;
/// A sound list of nodes.
extern const std::string sound_tree;

/// One mistake in a sound document, and how it is reported.
struct Mistake {
    std::string what;
    std::string instead_of;
    std::string put;
    std::string message;  ///< From the line's number on.
};

/// Makes each mistake, runs `berth COMMAND bad.yaml` and checks that the message is the first, that
/// the line and a caret follow, and that nothing else is written anywhere.
void check_mistakes(const std::string& command,
                    const std::string& sound,
                    const std::vector<Mistake>& mistakes);

}  // namespace berth::tests
