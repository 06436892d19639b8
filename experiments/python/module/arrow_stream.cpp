#include "experiments/python/module/arrow_stream.hpp"

#include <cerrno>
#include <cstring>
#include <deque>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/python/module/arrow_abi.hpp"

namespace berth::python {
namespace {

namespace py = pybind11;
using report::ColumnFields;
using report::ColumnHead;
using report::TableColumns;
using report::Type;

/// The data that a schema points to. It is freed when the schema is released.
struct SchemaParts {
    std::string format;
    std::string name;
    std::string metadata;
    std::deque<ArrowSchema> owned;
    std::vector<ArrowSchema*> children;
};

/// Releases a node with its children. A child that the consumer has moved away has no release
/// function any more and lives on.
template <class Node, class Parts>
void release_node(Node* node) {
    const auto release_one = [](Node* child) {
        if (child != nullptr && child->release != nullptr) {
            child->release(child);
        }
    };
    for (std::int64_t i = 0; i < node->n_children; ++i) {
        release_one(node->children[i]);
    }
    release_one(node->dictionary);
    delete static_cast<Parts*>(node->private_data);
    node->release = nullptr;
}

const char* format_of(Type type) {
    switch (type) {
        case Type::category:
            return "i";  // indices into a dictionary
        case Type::flag:
            return "b";
        case Type::integer:
            return "l";
        case Type::name:
            return "U";
        case Type::number:
        case Type::time:  // in seconds
            return "g";
        case Type::unsigned_integer:
            return "L";
    }
    return "n";
}

/// Keys and values, each preceded by its length, as the specification defines it.
std::string metadata_of(const std::vector<std::pair<std::string_view, std::string_view>>& pairs) {
    std::string out;
    const auto put_count = [&](std::size_t count) {
        const auto number = static_cast<std::int32_t>(count);
        char bytes[sizeof number];
        std::memcpy(bytes, &number, sizeof number);
        out.append(bytes, sizeof bytes);
    };
    put_count(pairs.size());
    for (const auto& [key, value] : pairs) {
        for (const std::string_view text : {key, value}) {
            put_count(text.size());
            out += text;
        }
    }
    return out;
}

void fill(ArrowSchema& out, SchemaParts&& given, std::int64_t flags) {
    auto* parts = new SchemaParts(std::move(given));
    for (ArrowSchema& child : parts->owned) {
        parts->children.push_back(&child);
    }
    out = {};
    out.format = parts->format.c_str();
    out.name = parts->name.c_str();
    out.metadata = parts->metadata.empty() ? nullptr : parts->metadata.data();
    out.flags = flags;
    out.n_children = static_cast<std::int64_t>(parts->children.size());
    out.children = parts->children.data();
    out.release = &release_node<ArrowSchema, SchemaParts>;
    out.private_data = parts;
}

void fill_column(ArrowSchema& out, const ColumnHead& head) {
    fill(out,
         {.format = format_of(head.type),
          .name = head.name,
          .metadata = metadata_of(
              {{"type", to_string(head.type)}, {"unit", head.unit}, {"meaning", head.meaning}}),
          .owned = {},
          .children = {}},
         arrow_flag_nullable);
    if (head.type == Type::category) {
        auto* parts = static_cast<SchemaParts*>(out.private_data);
        out.dictionary = &parts->owned.emplace_back();
        fill(*out.dictionary,
             {.format = "U", .name = "", .metadata = "", .owned = {}, .children = {}},
             arrow_flag_nullable);
    }
}

void fill_table(ArrowSchema& out, const TableColumns& table) {
    SchemaParts parts{.format = "+s",
                      .name = "",
                      .metadata = metadata_of({{"file", table.file}, {"rows", table.rows_are}}),
                      .owned = std::deque<ArrowSchema>(table.heads.size()),
                      .children = {}};
    for (std::size_t column = 0; column < table.heads.size(); ++column) {
        fill_column(parts.owned[column], table.heads[column]);
    }
    fill(out, std::move(parts), 0);
}

/// The data that an array points to.
struct ArrayParts {
    std::shared_ptr<const TableColumns> table;
    std::vector<const void*> buffers;
    std::deque<ArrowArray> owned;
    std::vector<ArrowArray*> children;
};

void fill(ArrowArray& out, ArrayParts&& given, std::int64_t length, std::int64_t nulls) {
    auto* parts = new ArrayParts(std::move(given));
    for (ArrowArray& child : parts->owned) {
        parts->children.push_back(&child);
    }
    out = {};
    out.length = length;
    out.null_count = nulls;
    out.n_buffers = static_cast<std::int64_t>(parts->buffers.size());
    out.buffers = parts->buffers.data();
    out.n_children = static_cast<std::int64_t>(parts->children.size());
    out.children = parts->children.data();
    out.release = &release_node<ArrowArray, ArrayParts>;
    out.private_data = parts;
}

std::vector<const void*> buffers_of(const ColumnFields& fields, Type type) {
    const void* valid = fields.nulls == 0 ? nullptr : fields.valid.data();
    switch (type) {
        case Type::category:
            return {valid, fields.codes.data()};
        case Type::flag:
            return {valid, fields.flags.data()};
        case Type::name:
            return {valid, fields.offsets.data(), fields.letters.data()};
        case Type::number:
        case Type::time:
            return {valid, fields.numbers.data()};
        case Type::integer:
        case Type::unsigned_integer:
            return {valid, fields.wholes.data()};
    }
    return {};
}

void fill_block(ArrowArray& out,
                const std::shared_ptr<const TableColumns>& table,
                std::size_t number) {
    const report::RowBlock& block = table->blocks[number];
    ArrayParts parts{.table = table,
                     .buffers = {nullptr},
                     .owned = std::deque<ArrowArray>(table->heads.size()),
                     .children = {}};
    for (std::size_t column = 0; column < table->heads.size(); ++column) {
        const Type type = table->heads[column].type;
        const ColumnFields& fields = block.columns[column];
        ArrowArray& child = parts.owned[column];
        fill(child, {table, buffers_of(fields, type), {}, {}}, block.rows, fields.nulls);
        if (type == Type::category) {
            const ColumnFields& values = table->dictionaries[column];
            child.dictionary = &static_cast<ArrayParts*>(child.private_data)->owned.emplace_back();
            fill(*child.dictionary,
                 {table, buffers_of(values, Type::name), {}, {}},
                 static_cast<std::int64_t>(values.offsets.size()) - 1,
                 0);
        }
    }
    fill(out, std::move(parts), block.rows, 0);
}

/// The table that a stream gives out, and how far it is.
struct StreamParts {
    std::shared_ptr<const TableColumns> table;
    std::size_t next = 0;  ///< The index of the block to give next.
};

/// Does the work of a function that is called from C, through which no exception may pass.
template <class Work>
int done(const Work& work) noexcept {
    try {
        work();
        return 0;
    } catch (const std::bad_alloc&) {
        return ENOMEM;
    }
}

int give_schema(ArrowArrayStream* stream, ArrowSchema* out) {
    return done([&] { fill_table(*out, *static_cast<StreamParts*>(stream->private_data)->table); });
}

int give_next(ArrowArrayStream* stream, ArrowArray* out) {
    auto* parts = static_cast<StreamParts*>(stream->private_data);
    if (parts->next == parts->table->blocks.size()) {
        out->release = nullptr;  // marks the end
        return 0;
    }
    return done([&] { fill_block(*out, parts->table, parts->next++); });
}

void release_stream(ArrowArrayStream* stream) {
    delete static_cast<StreamParts*>(stream->private_data);
    stream->release = nullptr;
}

/// Frees a capsule's content. If no consumer has taken the content, it is released first.
template <class Content>
void release_capsule(PyObject* capsule) {
    const char* name = PyCapsule_GetName(capsule);
    auto* content = static_cast<Content*>(PyCapsule_GetPointer(capsule, name));
    if (content->release != nullptr) {
        content->release(content);
    }
    delete content;
}

}  // namespace

py::capsule arrow_stream(std::shared_ptr<const TableColumns> table) {
    auto* stream = new ArrowArrayStream{};
    stream->get_schema = &give_schema;
    stream->get_next = &give_next;
    stream->get_last_error = [](ArrowArrayStream* /*stream*/) -> const char* { return nullptr; };
    stream->release = &release_stream;
    stream->private_data = new StreamParts{std::move(table), 0};
    return py::reinterpret_steal<py::capsule>(
        PyCapsule_New(stream, "arrow_array_stream", &release_capsule<ArrowArrayStream>));
}

py::capsule arrow_schema(const TableColumns& table) {
    auto* schema = new ArrowSchema{};
    fill_table(*schema, table);
    return py::reinterpret_steal<py::capsule>(
        PyCapsule_New(schema, "arrow_schema", &release_capsule<ArrowSchema>));
}

}  // namespace berth::python
