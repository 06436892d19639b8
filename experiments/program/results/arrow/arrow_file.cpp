#include "experiments/program/results/arrow/arrow_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "experiments/program/results/arrow/arrow_batch.hpp"
#include "experiments/program/results/arrow/arrow_schema.hpp"
#include "experiments/program/results/arrow/exact_numbers.hpp"
#include "experiments/program/support/in_threads.hpp"

namespace berth::report {
namespace {

using namespace arrow;

constexpr std::uint64_t footer_size_bytes = 4;

std::vector<Block> blocks_of(const FlatView& footer, std::size_t field) {
    const std::string_view bytes = footer.structs(field, sizeof(Block));
    std::vector<Block> out(bytes.size() / sizeof(Block));
    if (!out.empty()) {
        std::memcpy(out.data(), bytes.data(), bytes.size());
    }
    return out;
}

FlatView header_of(const FlatView& message, Header type) {
    const auto header = message.table(message_header);
    if (!header || message.number(message_header_type, Header::none) != type) {
        throw std::runtime_error("a message is not what its footer says");
    }
    return *header;
}

std::vector<Type> types_of(const std::vector<ColumnHead>& heads) {
    std::vector<Type> types;
    for (const ColumnHead& head : heads) {
        types.push_back(head.type);
    }
    return types;
}

}  // namespace

/// Does `work`, and adds the name of the file to its errors.
template <class Work>
auto ArrowFile::named(Work work) const {
    try {
        return work();
    } catch (const std::system_error&) {
        throw;
    } catch (const std::runtime_error& why) {
        throw core::InputError(
            fmt::format("{}: error: cut short or damaged ({}): expected a whole file, as the run "
                        "wrote it",
                        path_.string(),
                        why.what()));
    }
}

ArrowFile::ArrowFile(std::filesystem::path path) : path_(std::move(path)) {
    do {
        descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    } while (descriptor_ < 0 && errno == EINTR);
    struct stat status{};
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) {
        const int why = errno;
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
        throw core::ReadError(path_, why);
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
    try {
        named([this] { read_footer(); });
    } catch (...) {
        ::close(descriptor_);
        throw;
    }
}

ArrowFile::~ArrowFile() {
    ::close(descriptor_);
}

std::string ArrowFile::bytes(std::uint64_t at, std::uint64_t size) const {
    if (at > size_ || size > size_ - at) {
        throw std::runtime_error("it ends before the data that it lists");
    }
    std::string out(size, '\0');
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t got = ::pread(
            descriptor_, out.data() + done, out.size() - done, static_cast<off_t>(at + done));
        if (got < 0 && errno != EINTR) {
            throw core::ReadError(path_, errno);
        }
        if (got == 0) {
            throw std::runtime_error("it became shorter");
        }
        done += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    }
    return out;
}

void ArrowFile::read_footer() {
    constexpr std::uint64_t end_bytes = footer_size_bytes + magic.size();
    if (size_ < alignment + end_bytes || bytes(0, magic.size()) != magic ||
        bytes(size_ - magic.size(), magic.size()) != magic) {
        throw std::runtime_error("it does not begin and end as an Arrow file");
    }
    std::uint32_t size = 0;
    std::memcpy(&size, bytes(size_ - end_bytes, footer_size_bytes).data(), sizeof size);
    if (size > size_ - end_bytes) {
        throw std::runtime_error("its footer is longer than it is");
    }
    const std::string buffer = bytes(size_ - end_bytes - size, size);
    const FlatView footer(buffer);
    const auto schema = footer.table(footer_schema);
    if (!schema) {
        throw std::runtime_error("it has no schema");
    }
    for (const FlatView& field : schema->tables(schema_fields)) {
        table_.heads.push_back(head_of_field(field, table_.heads.size()));
    }
    if (table_.heads.empty()) {
        throw std::runtime_error("it has no columns");
    }
    table_.dictionaries.resize(table_.heads.size());
    for (const Block& block : blocks_of(footer, footer_dictionaries)) {
        read_dictionary(block);
    }
    for (std::size_t column = 0; column < table_.heads.size(); ++column) {
        if (table_.heads[column].type == Type::category &&
            table_.dictionaries[column].offsets.empty()) {
            throw std::runtime_error("a dictionary is missing");
        }
    }
    batches_ = blocks_of(footer, footer_record_batches);
}

ArrowFile::Message ArrowFile::message(const Block& block) const {
    if (block.offset < 0 || block.metadata_length < static_cast<std::int32_t>(prefix_bytes) ||
        block.body_length < 0) {
        throw std::runtime_error("its footer leads nowhere");
    }
    const auto at = static_cast<std::uint64_t>(block.offset);
    const auto metadata = static_cast<std::uint64_t>(block.metadata_length);
    return {bytes(at + prefix_bytes, metadata - prefix_bytes),
            bytes(at + metadata, static_cast<std::uint64_t>(block.body_length))};
}

void ArrowFile::read_dictionary(const Block& block) {
    const Message found = message(block);
    const FlatView dictionary = header_of(FlatView(found.metadata), Header::dictionary_batch);
    const auto column =
        static_cast<std::uint64_t>(dictionary.number<std::int64_t>(dictionary_batch_id, 0));
    const auto data = dictionary.table(dictionary_batch_data);
    if (column >= table_.heads.size() || table_.heads[column].type != Type::category || !data ||
        dictionary.number(dictionary_batch_is_delta, false)) {
        throw std::runtime_error("a dictionary belongs to no column");
    }
    ColumnFields values =
        std::move(read_arrow_batch(*data, found.body, {Type::name}).columns.front());
    if (values.nulls > 0) {
        throw std::runtime_error("a dictionary has gaps");
    }
    table_.dictionaries[column] = std::move(values);
}

void ArrowFile::check_codes(const RowBlock& block) const {
    for (std::size_t column = 0; column < table_.heads.size(); ++column) {
        if (table_.heads[column].type != Type::category) {
            continue;
        }
        const ColumnFields& fields = block.columns[column];
        const std::size_t values = table_.dictionaries[column].offsets.size() - 1;
        const bool all_are_empty = fields.nulls == block.rows;
        const bool all_are_known = std::ranges::all_of(fields.codes, [&](std::int32_t code) {
            return code >= 0 && static_cast<std::size_t>(code) < values;
        });
        if (!all_are_known && !all_are_empty) {
            throw std::runtime_error("a value is none of its dictionary");
        }
    }
}

RowBlock ArrowFile::read(std::size_t batch) const {
    return named([&] {
        const Message found = message(batches_[batch]);
        const FlatView about(found.metadata);
        RowBlock block = read_arrow_batch(
            header_of(about, Header::record_batch), found.body, types_of(table_.heads));
        check_codes(block);
        read_exact_numbers(
            metadata_value(about.tables(message_metadata), exact_numbers_key), table_.heads, block);
        return block;
    });
}

TableColumns read_arrow_columns(Table table, const std::filesystem::path& path, unsigned threads) {
    const ArrowFile file(path);
    TableColumns out = file.table();
    for (ColumnHead& head : out.heads) {
        const ColumnHead known = head_of_column(table, head.name);
        if (known.type != head.type) {
            throw core::InputError(
                fmt::format("{}: error: the column '{}' is of type {}: expected {}",
                            path.string(),
                            head.name,
                            to_string(head.type),
                            to_string(known.type)));
        }
        head = known;
    }
    const TableRecord& record = tables()[static_cast<std::size_t>(table)];
    out.file = record.file;
    out.rows_are = record.rows;
    out.blocks.resize(file.batches());
    experiments::in_threads(
        threads, file.batches(), [&](std::size_t batch) { out.blocks[batch] = file.read(batch); });
    for (const RowBlock& block : out.blocks) {
        out.rows += block.rows;
    }
    return out;
}

}  // namespace berth::report
