#include "experiments/program/results/stored/stored_table.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/packed_stream.hpp"
#include "core/support/source.hpp"
#include "core/support/zstd_reader.hpp"
#include "experiments/program/results/arrow/arrow_text.hpp"

namespace berth::report {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view as_text = ".csv";
constexpr std::array<std::string_view, 2> other_forms{".csv.zst", ".arrow"};  // by Form

}  // namespace

fs::path stored_table(const fs::path& csv) {
    const std::string name = csv.string();
    if (!name.ends_with(as_text) || core::is_file(csv)) {
        return csv;
    }
    for (const Form form : {Form::zstd, Form::arrow}) {
        fs::path other = file_stored_as(name, form);
        if (core::is_file(other)) {
            return other;
        }
    }
    return csv;
}

bool has_table(const fs::path& csv) {
    return core::is_file(stored_table(csv));
}

std::unique_ptr<std::istream> open_table(const fs::path& stored) {
    if (core::kind_of(stored) == core::FileKind::other) {
        throw core::InputError(stored.string() +
                               ": error: is a device or a pipe, which may have no end: expected a "
                               "file, as the run wrote it");
    }
    if (is_arrow(stored)) {
        return std::make_unique<ArrowText>(stored);
    }
    auto file = std::make_unique<core::FileReader>(stored);
    if (!stored.string().ends_with(".zst")) {
        return file;
    }
    return std::make_unique<core::PackedStream>(std::make_unique<core::ZstdReader>(std::move(file)),
                                                stored.string(),
                                                "a whole file, as the run wrote it");
}

std::string text_of_table(const fs::path& csv) {
    const auto in = open_table(stored_table(csv));
    std::string text;
    std::vector<char> block(std::size_t{1} << 16U);
    while (const auto got =
               in->rdbuf()->sgetn(block.data(), static_cast<std::streamsize>(block.size()))) {
        text.append(block.data(), static_cast<std::size_t>(got));
    }
    return text;
}

std::string file_stored_as(const std::string& csv, Form form) {
    return csv.substr(0, csv.size() - as_text.size()) +
           std::string(other_forms[static_cast<std::size_t>(form)]);
}

bool is_arrow(const fs::path& stored) {
    return stored.extension() == other_forms[static_cast<std::size_t>(Form::arrow)];
}

std::string name_of_text(const std::string& file) {
    for (const std::string_view form : other_forms) {
        if (file.ends_with(form)) {
            return file.substr(0, file.size() - form.size()) + std::string(as_text);
        }
    }
    return file;
}

}  // namespace berth::report
