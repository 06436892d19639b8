#pragma once

#include <string>
#include <vector>

namespace berth::tests {

/// A valid experiment on four servers, with one source of each kind.
extern const std::string sound_experiment;
/// A valid sweep of two points over that experiment, which is in e.yaml.
extern const std::string sweep_of_two;
/// A valid topology of four servers.
extern const std::string sound_topology;
/// A valid list of nodes.
extern const std::string sound_tree;

/// One mistake in a valid document, and the message about it.
struct Mistake {
    std::string what;
    std::string instead_of;
    std::string put;
    std::string message;  ///< Message from the line's number on.
};

/// Makes each mistake, runs `berth COMMAND bad.yaml`, and checks that the message comes first, that
/// the line and a caret follow, and that nothing else is written anywhere.
void check_mistakes(const std::string& command,
                    const std::string& sound,
                    const std::vector<Mistake>& mistakes);

}  // namespace berth::tests
