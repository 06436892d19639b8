#include "experiments/program/commands/jsonl.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <iostream>
#include <string>
#include <string_view>

#include "core/support/source.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/requests/allocate.hpp"
#include "experiments/program/requests/place.hpp"
#include "experiments/program/requests/quota.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {

#define BERTH_SCHEDULER(name) std::string answer_##name##_request(std::string_view request);
#include "schedulers/requests.def"
#undef BERTH_SCHEDULER

namespace {

/// A line may be long: it may contain the queues and quotas of a whole company.
constexpr std::size_t request_bytes_max = std::size_t{64} << 20U;

/// Reads a line as std::getline() does, but limits its length.
/// Errors: core::InputError.
bool next_line(std::istream& in, std::string& line) {
    std::array<char, 4096> part;
    line.clear();
    for (;;) {
        in.getline(part.data(), part.size());
        const auto count = static_cast<std::size_t>(in.gcount());
        if (in.eof()) {
            line.append(part.data(), count);
            return !line.empty();
        }
        // A part that is full and has no end of the line fails. Otherwise, that end is counted.
        line.append(part.data(), in.fail() ? count : count - 1);
        if (line.size() > request_bytes_max) {
            throw core::InputError(fmt::format(
                "-: error: a line of more than {} MiB: expected one JSON request a line",
                request_bytes_max >> 20U));
        }
        if (!in.fail()) {
            return true;
        }
        in.clear();
    }
}

/// Runs a command that is a filter: one JSON request per input line, one answer per output line.
int run_jsonl(const char* command,
              const std::vector<std::string>& arguments,
              std::string (*answer)(std::string_view line)) {
    boost::program_options::options_description options("options");
    auto add = options.add_options();
    add("jsonl", "one JSON request a line in, one answer a line out");
    const auto values = parse_arguments(command, arguments, options, "", 0);
    if (!values) {
        return exit_done;
    }
    if (values->count("jsonl") == 0) {
        throw core::InputError(fmt::format(
            "berth {}: error: no --jsonl: expected it, with requests on standard input", command));
    }
    answer_lines(answer);
    return exit_done;
}

}  // namespace

int run_allocate(const std::vector<std::string>& arguments) {
    return run_jsonl("allocate", arguments, &answer_allocate_request);
}

int run_place(const std::vector<std::string>& arguments) {
    return run_jsonl("place", arguments, &answer_place_request);
}

int run_quota(const std::vector<std::string>& arguments) {
    return run_jsonl("quota", arguments, &answer_quota_request);
}

#define BERTH_SCHEDULER(name)                                         \
    int run_##name(const std::vector<std::string>& arguments) {       \
        return run_jsonl(#name, arguments, &answer_##name##_request); \
    }
#include "schedulers/requests.def"
#undef BERTH_SCHEDULER

void answer_lines(std::string (*answer)(std::string_view line)) {
    std::string line;
    const auto in = workloads::open_text("-");
    in->exceptions(std::ios::badbit);  // throw again what is thrown while a line is read
    while (next_line(*in, line)) {
        if (line.find_first_not_of(" \t\r") != std::string::npos) {
            std::cout << answer(line) << '\n';
        }
        if (in->rdbuf()->in_avail() <= 0) {
            std::cout.flush();  // there is no next request yet
        }
    }
}

}  // namespace berth::experiments
