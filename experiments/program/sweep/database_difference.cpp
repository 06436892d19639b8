#include "experiments/program/sweep/database_difference.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace berth::experiments {

namespace fs = std::filesystem;

namespace {

/// A path as SQLite's URI for an immutable file: nothing is created beside it, whatever the file
/// says about a journal.
std::string immutable_uri(const fs::path& path) {
    std::string uri = "file://";
    for (const char letter : fs::absolute(path).string()) {
        const auto byte = static_cast<unsigned char>(letter);
        const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                           (letter >= '0' && letter <= '9') ||
                           std::string_view("/._-").find(letter) != std::string_view::npos;
        uri += plain ? std::string(1, letter) : fmt::format("%{:02X}", byte);
    }
    return uri + "?immutable=1";
}

/// A finished database, opened for reading.
///
/// Errors: std::runtime_error with SQLite's message.
class ReadDatabase {
public:
    explicit ReadDatabase(const fs::path& path) {
        sqlite3* database = nullptr;
        const int status =
            ::sqlite3_open_v2(immutable_uri(path).c_str(),
                              &database,
                              SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI,
                              nullptr);
        database_.reset(database);
        check(status);
    }

    /// The rows of a query, one at a time.
    class Rows {
    public:
        Rows(const ReadDatabase& database, const std::string& sql) : database_(database) {
            sqlite3_stmt* statement = nullptr;
            database.check(::sqlite3_prepare_v2(
                database.database_.get(), sql.c_str(), -1, &statement, nullptr));
            statement_.reset(statement);
        }
        /// Returns false after the last row.
        bool next() {
            const int status = ::sqlite3_step(statement_.get());
            if (status != SQLITE_ROW && status != SQLITE_DONE) {
                database_.check(status);
            }
            return status == SQLITE_ROW;
        }
        [[nodiscard]] std::string text(int column) const {
            const auto* bytes =
                static_cast<const char*>(::sqlite3_column_blob(statement_.get(), column));
            const int size = ::sqlite3_column_bytes(statement_.get(), column);
            return bytes == nullptr ? "" : std::string(bytes, static_cast<std::size_t>(size));
        }
        /// Whether the current rows have the same fields with the same types.
        [[nodiscard]] bool same(const Rows& other) const {
            const int columns = ::sqlite3_column_count(statement_.get());
            bool equal = columns == ::sqlite3_column_count(other.statement_.get());
            for (int column = 0; equal && column < columns; ++column) {
                const int type = ::sqlite3_column_type(statement_.get(), column);
                equal = type == ::sqlite3_column_type(other.statement_.get(), column) &&
                        (type == SQLITE_FLOAT
                             ? ::sqlite3_column_double(statement_.get(), column) ==
                                   ::sqlite3_column_double(other.statement_.get(), column)
                             : text(column) == other.text(column));
            }
            return equal;
        }

    private:
        struct Finalizer {
            void operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }
        };
        const ReadDatabase& database_;
        std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
    };

private:
    struct Closer {
        void operator()(sqlite3* database) const { ::sqlite3_close(database); }
    };
    void check(int status) const {
        if (status == SQLITE_NOMEM || database_ == nullptr) {
            throw std::bad_alloc();
        }
        if (status != SQLITE_OK) {
            throw std::runtime_error(::sqlite3_errmsg(database_.get()));
        }
    }

    std::unique_ptr<sqlite3, Closer> database_;
};

/// Does the same as database_difference() for files that are not damaged.
std::optional<std::string> content_difference(const ReadDatabase& file, const ReadDatabase& sound) {
    const std::string objects = "SELECT name, type, sql FROM sqlite_master ORDER BY name";
    ReadDatabase::Rows is(file, objects);
    ReadDatabase::Rows should_be(sound, objects);
    std::vector<std::string> tables;
    while (should_be.next()) {
        if (!is.next() || !is.same(should_be)) {
            return fmt::format(
                "does not have the {} {} as it was", should_be.text(1), should_be.text(0));
        }
        if (should_be.text(1) == "table") {
            tables.push_back(should_be.text(0));
        }
    }
    if (is.next()) {
        return fmt::format("has {} {} besides", is.text(1), is.text(0));
    }
    for (const std::string& table : tables) {
        const std::string rows = fmt::format("SELECT * FROM \"{}\"", table);
        ReadDatabase::Rows has(file, rows);
        ReadDatabase::Rows should_have(sound, rows);
        for (std::size_t row = 1; should_have.next(); ++row) {
            if (!has.next() || !has.same(should_have)) {
                return fmt::format("has another row {} in {}", row, table);
            }
        }
        if (has.next()) {
            return fmt::format("has more rows in {}", table);
        }
    }
    ReadDatabase::Rows verdict(file, "PRAGMA integrity_check(1)");
    if (verdict.next() && verdict.text(0) != "ok") {
        return fmt::format("is damaged ({})", verdict.text(0));
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> database_difference(const fs::path& file, const fs::path& sound) {
    const ReadDatabase should_be(sound);
    try {
        return content_difference(ReadDatabase(file), should_be);
    } catch (const std::runtime_error& why) {
        return fmt::format("is damaged ({})", why.what());
    }
}

}  // namespace berth::experiments
