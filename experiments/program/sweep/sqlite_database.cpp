#include "experiments/program/sweep/sqlite_database.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <system_error>

namespace berth::experiments {

SqliteDatabase::SqliteDatabase(const std::filesystem::path& path, const std::filesystem::path& name)
    : name_(name.string()) {
    sqlite3* database = nullptr;
    const int status = ::sqlite3_open_v2(
        // An absolute name is neither a URI nor one of SQLite's own.
        std::filesystem::absolute(path).c_str(),
        &database,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
        nullptr);
    database_.reset(database);
    check(status);
}

void SqliteDatabase::run(const std::string& sql) {
    check(::sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

std::size_t SqliteDatabase::columns_max() const {
    return static_cast<std::size_t>(::sqlite3_limit(database_.get(), SQLITE_LIMIT_COLUMN, -1));
}

void SqliteDatabase::close() {
    check(::sqlite3_close(database_.get()));
    (void)database_.release();
}

void SqliteDatabase::check(int status) const {
    if (status == SQLITE_OK || status == SQLITE_DONE) {
        return;
    }
    if (status == SQLITE_NOMEM || database_ == nullptr) {
        throw std::bad_alloc();
    }
    const int code = ::sqlite3_system_errno(database_.get());
    switch (status & 0xFF) {  // without what extended codes add
        case SQLITE_FULL:
            throw std::system_error(ENOSPC, std::generic_category(), name_);
        case SQLITE_IOERR:
        case SQLITE_CANTOPEN:
        case SQLITE_READONLY:  // it could not be opened for writing
            throw std::system_error(code != 0 ? code : EIO, std::generic_category(), name_);
        default:
            throw std::runtime_error(
                fmt::format("{}: {}", name_, ::sqlite3_errmsg(database_.get())));
    }
}

SqliteStatement::SqliteStatement(SqliteDatabase& database, const std::string& sql)
    : database_(database) {
    sqlite3_stmt* statement = nullptr;
    database_.check(::sqlite3_prepare_v2(
        database_.database_.get(), sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr));
    statement_.reset(statement);
}

void SqliteStatement::add(std::string_view text) {
    database_.check(::sqlite3_bind_text64(
        statement_.get(), next_++, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void SqliteStatement::add(std::int64_t number) {
    database_.check(::sqlite3_bind_int64(statement_.get(), next_++, number));
}

void SqliteStatement::add(double number) {
    database_.check(::sqlite3_bind_double(statement_.get(), next_++, number));
}

void SqliteStatement::add_null() {
    database_.check(::sqlite3_bind_null(statement_.get(), next_++));
}

void SqliteStatement::run() {
    database_.check(::sqlite3_step(statement_.get()));
    database_.check(::sqlite3_reset(statement_.get()));
    next_ = 1;
}

std::string sql_name(std::string_view name) {
    std::string out = "\"";
    for (const char letter : name) {
        out += letter;
        if (letter == '"') {
            out += '"';
        }
    }
    return out + '"';
}

}  // namespace berth::experiments
