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

/// The program that the tests run: BERTH_PROGRAM of the environment, or the one of the same build.
const char* berth_program();

/// What the program said and how it ended.
struct Answer {
    int status = 0;  ///< As shells report it: 128 and the signal when it died of one.
    std::string out;
    std::string err;

    [[nodiscard]] std::string first_line() const { return err.substr(0, err.find('\n')); }
};

/// How the program is run.
struct Circumstances {
    std::string input = {};                            ///< Its standard input.
    std::optional<std::uint64_t> file_bytes_max = {};  ///< As `ulimit -f`: a disk that is full.
    std::vector<std::string> variables = {};  ///< Added to its environment, as `NAME=value`.
    std::optional<std::uint64_t> memory_bytes_max = {};  ///< As `ulimit -v`.
    std::optional<std::uint64_t> open_files_max = {};    ///< As `ulimit -n`.
    /// As `umask`. Who is root, to whom all is permitted, becomes nobody then.
    std::optional<mode_t> umask = {};
    unsigned seconds_max = 50;                             ///< It is ended after these.
    std::function<void(int process)> meanwhile = nullptr;  ///< What happens while it runs.
};

/// A fresh folder, in which the program runs; gone at the end.
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
    /// Every file and folder below, sorted; a folder ends in a slash.
    [[nodiscard]] std::vector<std::string> listing() const;
    [[nodiscard]] std::filesystem::path path() const { return root_ / "work"; }

private:
    std::filesystem::path root_;
};

/// Runs berth where that must go well, and gives what it wrote to its standard output.
std::string done(const Folder& folder, const Arguments& arguments, const Circumstances& how = {});

[[nodiscard]] std::string read_file(const std::filesystem::path& file);
/// `text` with the first `part` exchanged.
[[nodiscard]] std::string replaced(std::string text,
                                   const std::string& part,
                                   const std::string& by);
/// A file of the project.
[[nodiscard]] std::string project_file(const std::string& name);

}  // namespace berth::tests
