#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::tests {

/// A reader of berth, called with arbitrary bytes in the same way as the program calls it.
struct FuzzTarget {
    std::string_view name;
    std::string_view what;
    /// Anything that it throws is a finding; so are signals, endless loops and excessive memory.
    void (*read)(std::string_view bytes);
};

/// All targets, by name: those of targets.def, one per line; and `canary`, which a fuzzer must find
/// to fail.
[[nodiscard]] std::span<const FuzzTarget> fuzz_targets();
/// Returns null if there is no target of this name.
[[nodiscard]] const FuzzTarget* find_fuzz_target(std::string_view name);

/// Runs `reader`, and accepts that it refuses its input with a core::InputError or a RequestError,
/// or that it cannot read a file. A message without `WHERE: error: ` is a finding. Returns: whether
/// the input was read completely.
bool reads(const std::function<void()>& reader);

/// Runs a command of berth, by its name and arguments, without showing its output, and accepts a
/// refusal as reads() does.
void runs(std::string_view command, const std::vector<std::string>& arguments);

/// The folder for the files of a target; each call empties it.
[[nodiscard]] const std::filesystem::path& fresh_folder();
void write_input(const std::filesystem::path& file, std::string_view bytes);

/// Splits an input that stands for several files: a line `-- NAME --` begins each file. The part
/// before the first such line is a file named `first`. Names that lead out of the folder are left
/// out.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> split_files(std::string_view bytes,
                                                                           std::string_view first);
/// Writes these files into a folder.
void write_files(const std::filesystem::path& folder,
                 std::string_view bytes,
                 std::string_view first);

}  // namespace berth::tests
