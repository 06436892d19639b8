#include "experiments/program/plot/program.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <thread>

namespace berth::experiments {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void fail(int error, const std::string& what) {
    throw std::system_error(error, std::generic_category(), what);
}

/// Input and output go through files in memory: then a program that writes much to both streams
/// never blocks, and its input need not be fed to it.
File memory_file() {
    const int descriptor = ::memfd_create("berth", MFD_CLOEXEC);
    File file(descriptor < 0 ? nullptr : ::fdopen(descriptor, "w+"), &std::fclose);
    if (!file) {
        fail(errno, "a file in memory");
    }
    return file;
}

/// A file that is read from its beginning.
File file_with(std::string_view text) {
    File file = memory_file();
    if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
        std::fflush(file.get()) != 0 || ::lseek(::fileno(file.get()), 0, SEEK_SET) != 0) {
        fail(errno, "a file in memory");
    }
    return file;
}

std::string content_of(std::FILE* file) {
    std::string out;
    std::array<char, 4096> part{};
    std::rewind(file);
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), file)) {
        out.append(part.data(), count);
    }
    return out;
}

/// Whether a variable of the environment would change what squeue answers or Node.js runs.
bool changes_answers(std::string_view variable) {
    return variable.starts_with("SQUEUE_") || variable.starts_with("NODE_");
}

/// This process's environment without variables that would change the programs' answers.
std::vector<char*> environment(const Variables& variables) {
    std::vector<char*> out;
    for (const std::string& variable : variables) {  // of equal names, the first counts
        out.push_back(const_cast<char*>(variable.c_str()));
    }
    for (char** variable = ::environ; *variable != nullptr; ++variable) {
        if (!changes_answers(*variable)) {
            out.push_back(*variable);
        }
    }
    out.push_back(nullptr);
    return out;
}

int start(const std::vector<std::string>& arguments,
          const Variables& variables,
          std::FILE* in,
          std::FILE* out,
          std::FILE* err,
          std::FILE* more,
          pid_t& child) {
    std::vector<char*> argv;
    for (const std::string& argument : arguments) {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ::fileno(in), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, ::fileno(out), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, ::fileno(err), STDERR_FILENO);
    constexpr int more_fileno = 3;
    ::posix_spawn_file_actions_adddup2(&actions, ::fileno(more), more_fileno);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    // A process group of its own: signals from the terminal then go only to berth.
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    sigset_t as_usual;  // berth ignores the end of a pipe, and other programs end with it
    ::sigemptyset(&as_usual);
    ::sigaddset(&as_usual, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes, &as_usual);
    const int failed = ::posix_spawnp(
        &child, argv[0], &actions, &attributes, argv.data(), environment(variables).data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    return failed;
}

int wait_for(pid_t child, std::chrono::seconds patience, const std::string& name) {
    const auto end = std::chrono::steady_clock::now() + patience;
    bool killed = false;
    constexpr std::chrono::milliseconds longest_pause(16);
    for (std::chrono::milliseconds pause(1);; pause = std::min(pause * 2, longest_pause)) {
        int status = 0;
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child) {
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        if (ended < 0 && errno != EINTR) {
            fail(errno, name);
        }
        if (!killed && std::chrono::steady_clock::now() > end) {
            ::kill(-child, SIGKILL);
            killed = true;
        }
        std::this_thread::sleep_for(pause);
    }
}

}  // namespace

std::optional<ProgramAnswer> run_program(const std::vector<std::string>& arguments,
                                         std::chrono::seconds patience,
                                         const ProgramInput& input) {
    const File in = file_with(input.text);
    const File more = file_with(input.more);
    const File out = memory_file();
    const File err = memory_file();
    pid_t child = 0;
    if (const int failed =
            start(arguments, input.variables, in.get(), out.get(), err.get(), more.get(), child);
        failed == ENOENT) {
        return std::nullopt;
    } else if (failed != 0) {
        fail(failed, arguments[0]);
    }
    ProgramAnswer answer;
    answer.status = wait_for(child, patience, arguments[0]);
    answer.out = content_of(out.get());
    answer.err = content_of(err.get());
    return answer;
}

}  // namespace berth::experiments
