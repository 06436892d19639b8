#include "experiments/program/results/stored/stored_table.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <streambuf>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "core/support/zstd_reader.hpp"
#include "experiments/program/results/arrow/arrow_text.hpp"

namespace berth::report {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view as_text = ".csv";
constexpr std::array<std::string_view, 2> other_forms{".csv.zst", ".arrow"};  // by Form

/// A stream whose faults are the file's.
class NamedStream : public std::istream {
public:
    NamedStream(std::unique_ptr<std::istream> text, std::string name)
        : std::istream(nullptr), buffer_(std::move(text), std::move(name)) {
        rdbuf(&buffer_);
        exceptions(std::ios::badbit);
    }

private:
    class Buffer : public std::streambuf {
    public:
        Buffer(std::unique_ptr<std::istream> text, std::string name)
            : in_(std::move(text)), name_(std::move(name)), block_(std::size_t{1} << 16U) {}

    protected:
        int_type underflow() override {
            const auto room = static_cast<std::streamsize>(block_.size());
            try {
                setg(block_.data(),
                     block_.data(),
                     block_.data() + in_->rdbuf()->sgetn(block_.data(), room));
            } catch (const std::system_error&) {
                throw;
            } catch (const std::runtime_error& why) {
                throw core::InputError(
                    fmt::format("{}: error: cut short or damaged ({}): expected a whole file, as "
                                "the run wrote it",
                                name_,
                                why.what()));
            }
            return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
        }

    private:
        std::unique_ptr<std::istream> in_;
        std::string name_;
        std::vector<char> block_;
    };

    Buffer buffer_;
};

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
    if (is_arrow(stored)) {
        return std::make_unique<ArrowText>(stored);
    }
    auto file = std::make_unique<core::FileReader>(stored);
    if (!stored.string().ends_with(".zst")) {
        return file;
    }
    return std::make_unique<NamedStream>(std::make_unique<core::ZstdReader>(std::move(file)),
                                         stored.string());
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
