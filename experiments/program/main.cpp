#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/version.hpp"

namespace {

using namespace berth;

void print_help(std::ostream& out) {
    out << "berth: a simulator for scheduling on GPU clusters\n\n"
           "usage: berth COMMAND [ARGUMENTS]\n\n";
    for (const experiments::Command& command : experiments::commands()) {
        out << fmt::format("  {:<10} {}\n", command.name, command.summary);
    }
    out << "\nberth COMMAND --help tells more; berth --version tells the version.\n"
           "Exit status: 0 done, 1 failed while running, 2 wrong command line or input, 130 "
           "interrupted.\n";
}

int run_command(const std::string& name, const std::vector<std::string>& arguments) {
    std::vector<std::string> names;
    for (const experiments::Command& command : experiments::commands()) {
        if (command.name == name) {
            return command.run(arguments);
        }
        names.emplace_back(command.name);
    }
    throw core::InputError(fmt::format("berth: error: unknown command '{}': expected {}{}",
                                       name,
                                       core::alternatives(names),
                                       core::suggestion(name, names)));
}

int run(const std::vector<std::string>& arguments) {
    if (arguments.empty()) {
        print_help(std::cerr);
        return experiments::exit_wrong_input;
    }
    if (arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
        print_help(std::cout);
        return experiments::exit_done;
    }
    if (arguments[0] == "--version") {
        std::cout << fmt::format(
            "berth {} (sources {})\n", experiments::version, experiments::sources_digest());
        return experiments::exit_done;
    }
    return run_command(arguments[0], {arguments.begin() + 1, arguments.end()});
}

}  // namespace

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    std::signal(SIGXFSZ, SIG_IGN);  // a full disk is an error to report, not to die of
    try {
        const int status = run({argv + 1, argv + argc});
        std::cout.flush();
        if (!std::cout) {
            std::cerr
                << "standard output: error: cannot be written: expected room for the output\n";
            return experiments::exit_failed;
        }
        return status;
    } catch (const core::InputError& error) {
        std::cerr << error.what() << "\n";
        return experiments::exit_wrong_input;
    } catch (const std::system_error& error) {
        // what() is the path, then what the system says.
        const std::string why = error.code().message();
        std::string path = error.what();
        if (path.ends_with(": " + why)) {
            path.resize(path.size() - why.size() - 2);
        }
        constexpr std::string_view reading = "cannot read ";
        const bool read = path.starts_with(reading);
        std::cerr << fmt::format("{}: error: {}: expected to be able to {} there\n",
                                 read ? path.substr(reading.size()) : path,
                                 why,
                                 read ? "read" : "write");
        return experiments::exit_failed;
    } catch (const std::bad_alloc&) {
        std::cerr << "berth: error: out of memory: expected a smaller cluster or workload\n";
        return experiments::exit_failed;
    } catch (const std::exception& error) {
        std::cerr << fmt::format("berth: error: {}\n", error.what());
        return experiments::exit_failed;
    }
}
