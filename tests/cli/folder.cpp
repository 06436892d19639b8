#include "folder.hpp"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace berth::tests {
namespace {

namespace fs = std::filesystem;

void redirect(const fs::path& file, int flags, int descriptor) {
    const int opened = ::open(file.c_str(), flags, 0600);
    if (opened < 0 || ::dup2(opened, descriptor) < 0) {
        ::_exit(126);
    }
    ::close(opened);
}

/// The user nobody may have no access to the program's folder, so the program is opened beforehand.
[[noreturn]] void become_nobody_with(mode_t umask, std::vector<char*>& words) {
    constexpr uid_t nobody = 65534;
    const int program = ::open(berth_program(), O_RDONLY | O_CLOEXEC);
    ::umask(umask);
    if (::geteuid() == 0 &&
        (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0)) {
        ::_exit(126);
    }
    ::fexecve(program, words.data(), environ);
    ::_exit(127);
}

[[noreturn]] void become_berth(const fs::path& root,
                               std::vector<char*>& words,
                               const Circumstances& how) {
    redirect(how.input_path.empty() ? root / "in" : how.input_path, O_RDONLY, STDIN_FILENO);
    redirect(root / "out", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect(root / "err", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    if (how.output &&
        (::dup2(*how.output, STDOUT_FILENO) < 0 || ::dup2(*how.output, STDERR_FILENO) < 0)) {
        ::_exit(126);
    }
    for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) {
        const bool is_ignored =
            std::ranges::find(how.ignored_signals, signal) != how.ignored_signals.end();
        ::signal(signal, is_ignored ? SIG_IGN : SIG_DFL);
    }
    if (::chdir((root / "work").c_str()) != 0) {
        ::_exit(126);
    }
    if (how.file_bytes_max) {
        const rlimit limit{*how.file_bytes_max, *how.file_bytes_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (how.memory_bytes_max) {
        const rlimit limit{*how.memory_bytes_max, *how.memory_bytes_max};
        ::setrlimit(RLIMIT_AS, &limit);
    }
    if (how.open_files_max) {
        const rlimit limit{*how.open_files_max, *how.open_files_max};
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    // The program may handle signals that end it politely; it cannot handle the end of its
    // processor time.
    const rlimit time{how.seconds_max, how.seconds_max};
    ::setrlimit(RLIMIT_CPU, &time);
    for (const std::string& variable : how.variables) {
        ::putenv(const_cast<char*>(variable.c_str()));
    }
    if (how.umask) {
        become_nobody_with(*how.umask, words);
    }
    ::execv(berth_program(), words.data());
    ::_exit(127);
}

/// Copies the run directories below `from` to where recompute/runs_of_tests.sh expects them.
void keep_runs(const fs::path& from, const std::string& name) {
    const char* const folder = std::getenv("BERTH_KEEP_RUNS");
    if (folder == nullptr) {
        return;
    }
    for (auto at = fs::recursive_directory_iterator(from); at != fs::end(at); ++at) {
        if (at->is_directory() && !at->is_symlink() && fs::exists(at->path() / "manifest.json")) {
            std::string place = fs::relative(at->path(), from).string();
            std::ranges::replace(place, '/', '-');
            const fs::path kept = fs::path(folder) / (name + "-" + place);
            fs::create_directories(kept);
            for (const fs::directory_entry& file : fs::directory_iterator(at->path())) {
                if (file.is_regular_file()) {
                    fs::copy_file(file.path(), kept / file.path().filename());
                }
            }
            at.disable_recursion_pending();
        }
    }
}

}  // namespace

const char* berth_program() {
    const char* const program = std::getenv("BERTH_PROGRAM");
    return program != nullptr ? program : BERTH_PROGRAM;
}

Folder::Folder() {
    std::string name = (fs::temp_directory_path() / "berth-cli-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root_ = name;
    fs::create_directory(path());
}

Folder::~Folder() {
    keep_runs(path(), root_.filename().string());
    std::error_code ignored;
    fs::remove_all(root_, ignored);
}

Answer Folder::berth(const Arguments& arguments, const Circumstances& how) const {
    std::ofstream(root_ / "in", std::ios::binary) << how.input;
    std::vector<std::string> texts{"berth"};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    std::vector<char*> words;
    for (std::string& text : texts) {
        words.push_back(text.data());
    }
    words.push_back(nullptr);
    const pid_t process = ::fork();
    REQUIRE(process >= 0);
    if (process == 0) {
        become_berth(root_, words, how);
    }
    if (how.meanwhile) {
        how.meanwhile(process);
    }
    int status = 0;
    REQUIRE(::waitpid(process, &status, 0) == process);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            read_file(root_ / "out"),
            read_file(root_ / "err")};
}

void Folder::write(const std::string& name, std::string_view text) const {
    fs::create_directories((path() / name).parent_path());
    std::ofstream file(path() / name, std::ios::binary);
    file << text;
    file.close();
    REQUIRE(file);
}

std::string Folder::read(const std::string& name) const {
    return read_file(path() / name);
}

std::vector<std::string> Folder::listing() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(path())) {
        names.push_back(fs::relative(entry.path(), path()).string() +
                        (entry.is_directory() ? "/" : ""));
    }
    std::ranges::sort(names);
    return names;
}

std::string done(const Folder& folder, const Arguments& arguments, const Circumstances& how) {
    const Answer answer = folder.berth(arguments, how);
    INFO(answer.err);
    REQUIRE(answer.status == 0);
    return answer.out;
}

std::string read_file(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    INFO(file);
    REQUIRE(in);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
    const std::size_t at = text.find(part);
    INFO(part);
    REQUIRE(at != std::string::npos);
    return text.replace(at, part.size(), by);
}

std::string project_file(const std::string& name) {
    return (fs::path(BERTH_SOURCE_DIR) / name).string();
}

}  // namespace berth::tests
