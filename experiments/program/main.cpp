#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "core/support/value.hpp"
#include "experiments/program/batsim/batsim_library.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/completion/print_completions.hpp"
#include "experiments/program/commands/help_text.hpp"
#include "experiments/program/run/run_directory.hpp"
#include "experiments/program/support/file_writer.hpp"
#include "experiments/program/support/plain_text.hpp"
#include "experiments/program/support/temporary.hpp"
#include "experiments/version.hpp"
#include "sim/run/invariants.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace {

using namespace berth;

void print_help(std::ostream& out) {
    out << "berth: " << experiments::program_summary << "\n\nusage: berth COMMAND [ARGUMENTS]\n\n";
    for (const experiments::Command& command : experiments::commands()) {
        constexpr std::size_t column = 13;
        out << fmt::format(
            "  {:<10} {}", command.name, experiments::wrapped(command.summary, {column, column}));
    }
    out << "\nberth COMMAND --help tells more; berth --version tells the version.\n"
           "Exit status: "
        << experiments::exit_statuses;
}

int run_command(const std::string& name, const std::vector<std::string>& arguments) {
    std::vector<std::string> names;
    for (const experiments::Command& command : experiments::commands()) {
        if (command.name == name) {
            return command.run(arguments);
        }
        names.emplace_back(command.name);
    }
    if (name == "what-if") {
        throw core::InputError(
            "berth: error: 'what-if' is now a case of berth plan: expected berth plan "
            "EXPERIMENT.yaml --choose 'quota[NAME].min=0..1..0.05' --require "
            "'job_wait_s_p95[NAME]<=10m'");
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
        if (arguments.size() > 1) {
            return run_command(arguments[1], {"--help"});
        }
        print_help(std::cout);
        return experiments::exit_done;
    }
    if (arguments[0] == "--version") {
        std::cout << fmt::format(
            "berth {} (sources {})\n", experiments::version, experiments::sources_digest());
        return experiments::exit_done;
    }
    // Two commands for other programs: shells call the first one at each TAB, and the build makes
    // manual pages with the second.
    if (arguments[0] == "complete") {
        experiments::print_completions({arguments.begin() + 1, arguments.end()}, std::cout);
        return experiments::exit_done;
    }
    if (arguments[0] == "manual-page") {
        std::cout << experiments::manual_page(arguments.size() > 1 ? arguments[1] : "");
        return experiments::exit_done;
    }
    return run_command(arguments[0], {arguments.begin() + 1, arguments.end()});
}

/// The message of a system error, in one line.
std::string failure_text(const std::system_error& error) {
    // what() is the path, followed by the system's message.
    const std::string why = error.code().message();
    std::string path = error.what();
    if (path.ends_with(": " + why)) {
        path.resize(path.size() - why.size() - 2);
    }
    const auto* of_path = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
    if (of_path != nullptr) {
        path = of_path->path1().string();  // here, what() begins with the name of a function
    }
    constexpr std::string_view reading = "cannot read ";
    const bool read = path.starts_with(reading);
    const bool full = error.code() == std::errc::no_space_on_device ||
                      error.code() == std::errc::file_too_large || error.code().value() == EDQUOT;
    return fmt::format("{}: error: {}: expected {}\n",
                       core::in_one_line(read ? path.substr(reading.size()) : path),
                       why,
                       full                 ? "room to write there"
                       : read               ? "to be able to read there"
                       : of_path != nullptr ? "to be able to read and write there"
                                            : "to be able to write there");
}

/// Errors: std::system_error if the standard output accepts no more. After that, the stream throws
///         no more, because the standard error flushes it first.
int run_and_flush(const std::vector<std::string>& arguments) {
    try {
        const int status = run(arguments);
        std::cout.flush();
        return status;
    } catch (...) {
        std::cout.exceptions(std::ios::goodbit);
        throw;
    }
}

/// What happens when the reader of a pipe ends before berth has written everything.
enum class AtBrokenPipe : std::uint8_t { end_silently, say };

int run_and_explain(const std::vector<std::string>& arguments, AtBrokenPipe at_broken_pipe) {
    try {
        return run_and_flush(arguments);
    } catch (const core::InputError& error) {
        std::cerr << error.what() << "\n";
        return experiments::exit_wrong_input;
    } catch (const std::system_error& error) {
        if (error.code() == std::errc::broken_pipe &&
            at_broken_pipe == AtBrokenPipe::end_silently) {
            constexpr int ended_by_signal = 128;  // as shells report it
            return ended_by_signal + SIGPIPE;
        }
        std::cerr << failure_text(error);
        return experiments::exit_failed;
    } catch (const sim::InvariantError& error) {
        std::cerr << error.what() << "\n";
        return experiments::exit_failed;
    } catch (const sim::SchedulerError& error) {
        std::cerr << error.what() << "\n";
        return experiments::exit_failed;
    } catch (const experiments::PlaceTaken& error) {
        std::cerr << error.what() << "\n";
        return experiments::exit_failed;
    } catch (const std::bad_alloc&) {
        std::cerr << "berth: error: out of memory: expected a smaller cluster or workload, or "
                     "fewer threads (-j)\n";
        return experiments::exit_failed;
    } catch (const std::exception& error) {
        std::cerr << fmt::format("berth: error: {}\n", core::in_one_line(error.what()));
        return experiments::exit_failed;
    }
}

/// Makes std::cout report why it cannot write, as long as the object lives.
class CheckedOutput {
public:
    CheckedOutput()
        : writer_(::dup(STDOUT_FILENO), "standard output"),
          before_(std::cout.rdbuf(writer_.rdbuf())) {
        std::cout.exceptions(std::ios::badbit);
    }
    ~CheckedOutput() {
        std::cout.exceptions(std::ios::goodbit);
        std::cout.rdbuf(before_);
    }
    CheckedOutput(const CheckedOutput&) = delete;
    CheckedOutput& operator=(const CheckedOutput&) = delete;

private:
    experiments::FileWriter writer_;
    std::streambuf* before_;
};

/// Makes a stream show control characters in users' texts instead of obeying them, as long as the
/// object lives. Each piece of text that is written must consist of whole characters.
class PlainStream : public std::streambuf {
public:
    explicit PlainStream(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(this)) {}
    ~PlainStream() override { stream_.rdbuf(before_); }
    PlainStream(const PlainStream&) = delete;
    PlainStream& operator=(const PlainStream&) = delete;

protected:
    int_type overflow(int_type letter) override {
        if (traits_type::eq_int_type(letter, traits_type::eof())) {
            return traits_type::not_eof(letter);
        }
        const char one = traits_type::to_char_type(letter);
        return xsputn(&one, 1) == 1 ? letter : traits_type::eof();
    }
    std::streamsize xsputn(const char* from, std::streamsize size) override {
        const std::string text = experiments::plain_text({from, static_cast<std::size_t>(size)});
        const auto length = static_cast<std::streamsize>(text.size());
        return before_->sputn(text.data(), length) == length ? size : 0;
    }
    int sync() override { return before_->pubsync(); }

private:
    std::ostream& stream_;
    std::streambuf* before_;
};

/// Keeps freed memory in the process for its next use. Reading, each replication and writing use
/// about the same amount, one after the other, and a new page from the system costs more than
/// filling it.
void keep_freed_memory() {
    // blocks of this size or more get a mapping of their own
    constexpr int whole_blocks = 32 << 20;
    constexpr int kept_most = 256 << 20;
    ::mallopt(M_MMAP_THRESHOLD, whole_blocks);
    ::mallopt(M_TRIM_THRESHOLD, kept_most);
}

/// Asks for large pages for the beginning of the heap, which is the whole heap in a short run.
/// Getting small pages one by one takes a tenth of such a run's time. If the system has no large
/// pages, nothing changes.
void ask_for_large_pages() {
    constexpr int beginning = 32 << 20;
    constexpr int page = 2 << 20;
    ::mallopt(M_TOP_PAD, beginning);
    void* volatile block = ::malloc(page);  // the heap grows by this block and by the beginning
    ::free(block);
    ::mallopt(M_TOP_PAD, page);
    const auto end = reinterpret_cast<std::uintptr_t>(::sbrk(0));
    const std::uintptr_t begin = (end - beginning + page - 1) / page * page;
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

int run_with_checked_streams(const std::vector<std::string>& arguments,
                             AtBrokenPipe at_broken_pipe) {
    const CheckedOutput output;
    const PlainStream errors(std::cerr);
    std::optional<PlainStream> shown;  // a file or a pipe gets the text unchanged
    if (::isatty(STDOUT_FILENO) == 1) {
        shown.emplace(std::cout);
    }
    return run_and_explain(arguments, at_broken_pipe);
}

/// Keeps a file that is opened from getting the number of a standard stream that is closed, which
/// messages would be written into. Reading and writing such a stream fails as before.
void fill_closed_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) == -1) {
            (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    fill_closed_streams();
    keep_freed_memory();
    ask_for_large_pages();
    std::ios::sync_with_stdio(false);
    experiments::remove_files_at_interrupt();
    // a full disk is reported as an error, instead of ending the process
    std::signal(SIGXFSZ, SIG_IGN);
    // so is the end of a pipe: the process removes its temporary files before it ends
    const bool was_ignored = std::signal(SIGPIPE, SIG_IGN) == SIG_IGN;
    const int status = run_with_checked_streams(
        {argv + 1, argv + argc}, was_ignored ? AtBrokenPipe::say : AtBrokenPipe::end_silently);
    if (experiments::BatsimLibrary::any_hangs()) {
        std::_Exit(status);  // do not destroy objects that a running thread may still use
    }
    return status;
}
