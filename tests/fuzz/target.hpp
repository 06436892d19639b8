#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::tests {

/// A reader of berth, called with arbitrary bytes as the program calls it.
struct FuzzTarget {
    std::string_view name;
    std::string_view what;
    /// Whatever it throws is a finding; so are signals, endless loops and too much memory.
    void (*read)(std::string_view bytes);
};

/// All targets, by name: targets.def, one line a target; and `canary`, which a fuzzer must find to
/// fail.
[[nodiscard]] std::span<const FuzzTarget> fuzz_targets();
/// Nothing where none has the name.
[[nodiscard]] const FuzzTarget* find_fuzz_target(std::string_view name);

/// Runs `reader`, and takes for an answer that it refuses its input with a core::InputError or a
/// RequestError, or cannot read a file. A message without `WHERE: error: ` is a finding.
/// Returns: whether it read all of it.
bool reads(const std::function<void()>& reader);

/// Runs a command of berth, by its name and arguments, with nothing shown, and takes its refusal
/// for an answer as reads() does.
void runs(std::string_view command, const std::vector<std::string>& arguments);

/// The folder in which a target has its files; empty at first, and when it is asked for again.
[[nodiscard]] const std::filesystem::path& fresh_folder();
void write_input(const std::filesystem::path& file, std::string_view bytes);

/// An input that stands for several files: `-- NAME --` on a line of its own begins each. What is
/// before the first such line is a file named `first`. Names that lead out of a folder are left
/// out.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> split_files(std::string_view bytes,
                                                                           std::string_view first);
/// Writes them into a folder.
void write_files(const std::filesystem::path& folder,
                 std::string_view bytes,
                 std::string_view first);

}  // namespace berth::tests
