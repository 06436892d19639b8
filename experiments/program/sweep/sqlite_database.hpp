#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace berth::experiments {

/// A SQLite database that is being written for the first time.
///
/// Errors: std::system_error with the name where the machine fails, std::runtime_error with
///         SQLite's words otherwise.
class SqliteDatabase {
public:
    /// The file at `path` is there, and empty; `name` stands for it in messages.
    SqliteDatabase(const std::filesystem::path& path, const std::filesystem::path& name);

    void run(const std::string& sql);
    /// How many columns a table may have.
    [[nodiscard]] std::size_t columns_max() const;
    /// Writes what is left to write. Nothing else may be called after it.
    void close();

private:
    friend class SqliteStatement;
    struct Closer {
        void operator()(sqlite3* database) const { ::sqlite3_close(database); }
    };
    void check(int status) const;

    std::string name_;
    std::unique_ptr<sqlite3, Closer> database_;
};

/// A statement that is run once a row: add() its values from left to right, then run() it.
class SqliteStatement {
public:
    SqliteStatement(SqliteDatabase& database, const std::string& sql);

    void add(std::string_view text);
    void add(std::int64_t number);
    void add(double number);
    void add_null();
    void run();

private:
    struct Finalizer {
        void operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }
    };
    SqliteDatabase& database_;
    std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
    int next_ = 1;  ///< Values count from 1.
};

/// A name as SQL wants it: `"a ""b"""`.
[[nodiscard]] std::string sql_name(std::string_view name);

}  // namespace berth::experiments
