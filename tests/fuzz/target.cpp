#include "fuzz/target.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/support/json_fields.hpp"
#include "experiments/program/support/temporary.hpp"

namespace berth::tests {

#define BERTH_FUZZ_TARGET(name, what) void fuzz_##name(std::string_view bytes);
#include "fuzz/targets.def"
#undef BERTH_FUZZ_TARGET
void fuzz_canary(std::string_view bytes);

namespace {

namespace fs = std::filesystem;

/// Errors: std::logic_error for a message that does not say where and what.
void check_message(std::string_view message) {
    const std::size_t at = message.find(": error: ");
    if (at == 0 || at == std::string_view::npos) {
        throw std::logic_error("a message without its place: " + std::string(message));
    }
}

/// Captures what the program prints, instead of showing it, for as long as this object lives.
class Hushed {
public:
    Hushed()
        : out_(std::cout.rdbuf(said_.rdbuf())), errors_(std::cerr.rdbuf(said_errors_.rdbuf())) {}
    ~Hushed() {
        std::cout.rdbuf(out_);
        std::cerr.rdbuf(errors_);
    }
    Hushed(const Hushed&) = delete;
    Hushed& operator=(const Hushed&) = delete;

    [[nodiscard]] std::string errors() const { return said_errors_.str(); }

private:
    std::ostringstream said_;
    std::ostringstream said_errors_;
    std::streambuf* out_;
    std::streambuf* errors_;
};

/// Whether a name is safe to create in a folder of its own, whatever it is.
bool is_harmless(std::string_view name) {
    constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/=,";
    constexpr std::size_t longest = 60;
    return !name.empty() && name.size() <= longest && name.front() != '/' && name.back() != '/' &&
           name.find("..") == std::string_view::npos && name.find("//") == std::string_view::npos &&
           name.find("./") == std::string_view::npos &&
           name.find_first_not_of(letters) == std::string_view::npos;
}

}  // namespace

std::span<const FuzzTarget> fuzz_targets() {
    static constexpr FuzzTarget table[] = {
#define BERTH_FUZZ_TARGET(name, what) {#name, what, &fuzz_##name},
#include "fuzz/targets.def"
#undef BERTH_FUZZ_TARGET
        {"canary", "nothing: it fails on purpose", &fuzz_canary},
    };
    return table;
}

const FuzzTarget* find_fuzz_target(std::string_view name) {
    const auto found = std::ranges::find(fuzz_targets(), name, &FuzzTarget::name);
    return found == fuzz_targets().end() ? nullptr : &*found;
}

bool reads(const std::function<void()>& reader) {
    try {
        reader();
        return true;
    } catch (const core::InputError& error) {
        check_message(error.what());
    } catch (const core::ReadError&) {
        // A file that the input names is missing, or is a folder.
    } catch (const experiments::RequestError&) {
        // A refusal is an answer; it has no place, since a request is one line.
    }
    return false;
}

void runs(std::string_view command, const std::vector<std::string>& arguments) {
    const auto known = experiments::commands();
    const auto found = std::ranges::find(known, command, &experiments::Command::name);
    if (found == known.end()) {
        throw std::logic_error("no such command");
    }
    const Hushed hushed;
    reads([&] {
        if (found->run(arguments) == experiments::exit_wrong_input) {
            check_message(hushed.errors());
        }
    });
}

const fs::path& fresh_folder() {
    static const experiments::Temporary folder(fs::temp_directory_path() / "berth-fuzz",
                                               experiments::Temporary::Kind::folder);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
        fs::remove_all(entry.path());
    }
    return folder.path();
}

void write_input(const fs::path& file, std::string_view bytes) {
    std::ofstream out(file, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) {
        throw std::system_error(errno, std::generic_category(), file.string());
    }
}

std::vector<std::pair<std::string, std::string>> split_files(std::string_view bytes,
                                                             std::string_view first) {
    std::vector<std::pair<std::string, std::string>> files{{std::string(first), ""}};
    while (!bytes.empty()) {
        const std::size_t length = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
        const std::string_view line = bytes.substr(0, length);
        if (line.size() > 7 && line.starts_with("-- ") && line.ends_with(" --\n")) {
            files.emplace_back(line.substr(3, line.size() - 7), "");
        } else {
            files.back().second += line;
        }
        bytes.remove_prefix(length);
    }
    std::erase_if(files, [](const auto& file) { return !is_harmless(file.first); });
    return files;
}

void write_files(const fs::path& folder, std::string_view bytes, std::string_view first) {
    for (const auto& [name, text] : split_files(bytes, first)) {
        std::error_code taken;  // if a file stands where a folder should be, the first one keeps
                                // the name
        fs::create_directories((folder / name).parent_path(), taken);
        if (!taken && !fs::is_directory(folder / name)) {
            write_input(folder / name, text);
        }
    }
}

}  // namespace berth::tests
