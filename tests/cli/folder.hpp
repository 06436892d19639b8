#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::tests {

using Arguments = std::vector<std::string>;

/// The program that the tests run: BERTH_PROGRAM in the environment, or that of the same build.
const char* berth_program();

/// The program's output and exit status.
struct Answer {
    int status = 0;  ///< As shells report it: 128 plus the signal that ended it.
    std::string out;
    std::string err;

    [[nodiscard]] std::string first_line() const { return err.substr(0, err.find('\n')); }
};

/// The conditions under which the program runs.
struct Circumstances {
    std::string input = {};                              ///< Standard input.
    std::filesystem::path input_path = {};               ///< Standard input instead, if given.
    std::optional<int> output = {};                      ///< Descriptor that gets both outputs.
    std::vector<int> ignored_signals = {};               ///< Ignored when it starts: nohup.
    std::optional<std::uint64_t> file_bytes_max = {};    ///< Limit as in `ulimit -f`: a full disk.
    std::vector<std::string> variables = {};             ///< More environment variables, as
                                                         ///< `NAME=value`.
    std::optional<std::uint64_t> memory_bytes_max = {};  ///< Memory limit as in `ulimit -v`.
    std::optional<std::uint64_t> open_files_max = {};    ///< Limit as in `ulimit -n`.
    /// The umask. If the tests run as root, who may do everything, the program runs as nobody then.
    std::optional<mode_t> umask = {};
    unsigned seconds_max = 50;                             ///< Time after which it is ended.
    std::function<void(int process)> meanwhile = nullptr;  ///< What happens while it runs.
};

/// A fresh folder in which the program runs; removed at the end.
class Folder {
public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    /// Runs berth here with these arguments.
    [[nodiscard]] Answer berth(const Arguments& arguments, const Circumstances& how = {}) const;
    void write(const std::string& name, std::string_view text) const;
    [[nodiscard]] std::string read(const std::string& name) const;
    /// All files and folders below, sorted; the names of folders end in a slash.
    [[nodiscard]] std::vector<std::string> listing() const;
    [[nodiscard]] std::filesystem::path path() const { return root_ / "work"; }

private:
    std::filesystem::path root_;
};

/// Runs berth, which must succeed, and returns what it wrote to standard output.
std::string done(const Folder& folder, const Arguments& arguments, const Circumstances& how = {});

[[nodiscard]] std::string read_file(const std::filesystem::path& file);
/// `text` with the first occurrence of `part` replaced.
[[nodiscard]] std::string replaced(std::string text,
                                   const std::string& part,
                                   const std::string& by);
/// A file of the project.
[[nodiscard]] std::string project_file(const std::string& name);

}  // namespace berth::tests
