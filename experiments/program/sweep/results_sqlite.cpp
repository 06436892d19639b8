#include "experiments/program/sweep/results_sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/parse_number.hpp"
#include "core/support/source.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/temporary.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"

namespace berth::experiments {
namespace {

using report::CsvReader;

/// A SQLite database that is written for the first time.
///
/// Errors: std::system_error with the name for errors of the machine, otherwise std::runtime_error
///         with SQLite's message.
class SqliteDatabase {
public:
    /// The file at `path` exists and is empty; `name` is its name in messages.
    SqliteDatabase(const std::filesystem::path& path, const std::filesystem::path& name);

    void run(const std::string& sql);
    /// The maximum number of columns in a table.
    [[nodiscard]] std::size_t columns_max() const;
    /// Writes the rest. Nothing may be called after this.
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

/// A statement that is run once for each row: add() its values from left to right, then run() it.
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
    int next_ = 1;  ///< Values are counted from 1.
};

SqliteDatabase::SqliteDatabase(const std::filesystem::path& path, const std::filesystem::path& name)
    : name_(name.string()) {
    sqlite3* database = nullptr;
    const int status = ::sqlite3_open_v2(
        // An absolute name is neither a URI nor one of SQLite's special names.
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
    switch (status & 0xFF) {  // without the additional bits of extended codes
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

/// A name quoted for SQL: `"a ""b"""`.
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

namespace fs = std::filesystem;

enum class ColumnType : std::uint8_t { integer, real, text };

std::string_view sql_type(ColumnType type) {
    static constexpr std::array names{"INTEGER", "REAL", "TEXT"};
    return names[static_cast<std::size_t>(type)];
}

ColumnType type_of(std::string_view text) {
    if (core::parse_number<std::int64_t>(text)) {
        return ColumnType::integer;
    }
    const auto number = core::parse_number<double>(text);
    return number && std::isfinite(*number) ? ColumnType::real : ColumnType::text;
}

struct Column {
    std::string name;  ///< Unique among the columns, ignoring case.
    ColumnType type = ColumnType::real;
};

/// Column definitions: `"load" REAL, "policy" TEXT`.
std::string definitions(std::span<const Column> columns) {
    std::string out;
    for (const Column& column : columns) {
        out += fmt::format(", {} {}", sql_name(column.name), sql_type(column.type));
    }
    return out;
}

void add_value(SqliteStatement& row, const std::string& text, ColumnType type) {
    if (type == ColumnType::text) {
        row.add(text);
    } else if (const auto integer = core::parse_number<std::int64_t>(text);
               integer && type == ColumnType::integer) {
        row.add(*integer);
    } else if (const auto number = core::parse_number<double>(text)) {
        row.add(*number);
    } else {
        row.add_null();
    }
}

std::string insert_into(const std::string& table, std::size_t columns) {
    std::string places(columns * 2, ',');
    for (std::size_t i = 0; i < columns; ++i) {
        places[2 * i] = '?';
    }
    places.resize(columns * 2 - 1);
    return fmt::format("INSERT INTO {} VALUES ({})", table, places);
}

/// Fills the database of one sweep directory.
class ResultsWriter {
public:
    /// The database is at `file` until it is moved to `place`.
    ResultsWriter(const fs::path& directory, const fs::path& file, const fs::path& place)
        : directory_(directory), database_(file, place) {}

    void write() {
        // No other process uses the file yet: it needs no journal, and no syncing to the disk.
        database_.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
        database_.run("CREATE TABLE notes (note TEXT NOT NULL)");
        read_axes();
        write_points();
        write_results();
        database_.run("COMMIT");
        database_.close();
    }

private:
    [[nodiscard]] CsvReader points() const { return CsvReader(directory_ / "points.csv"); }
    void read_axes();
    void write_points();
    void write_summary(std::int64_t point, const fs::path& file, SqliteStatement& row);
    void write_results();
    void write_wide(CsvReader& results);
    void write_long(CsvReader& results);
    /// Columns for `names`. A name that SQL cannot distinguish from an earlier one is changed.
    std::vector<Column> columns(std::span<const std::string> names, std::set<std::string>& taken);
    /// Calls `use(point)` for each row.
    template <class Use>
    void each_result(CsvReader& results, Use use);

    const fs::path& directory_;
    SqliteDatabase database_;
    std::vector<Column> axes_;
    std::set<std::string> axis_names_;  ///< Names in lower case; includes those of the fixed
                                        ///< columns.
};

std::vector<Column> ResultsWriter::columns(std::span<const std::string> names,
                                           std::set<std::string>& taken) {
    std::vector<Column> out;
    for (const std::string& name : names) {
        std::string unlike = name;
        const auto folded = [&unlike] {
            std::string lower = unlike;
            std::ranges::transform(lower, lower.begin(), [](char c) {
                return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
            });
            return lower;
        };
        for (int number = 2; !taken.insert(folded()).second; ++number) {
            unlike = fmt::format("{}_{}", name, number);
        }
        if (unlike != name) {
            SqliteStatement note(database_, insert_into("notes", 1));
            note.add(
                fmt::format("column '{}' is called '{}' here: SQL ignores case", name, unlike));
            note.run();
        }
        out.push_back({unlike, ColumnType::real});
    }
    return out;
}

void ResultsWriter::read_axes() {
    CsvReader table = points();
    if (table.column("point") != 0 || table.column("key") != 1) {
        throw core::InputError(
            fmt::format("{}:1:1: error: the columns are not a sweep's: expected "
                        "point,key and the axes",
                        (directory_ / "points.csv").string()));
    }
    axis_names_ = {"point", "key", "replication", "seed"};
    axes_ = columns(std::span(table.header()).subspan(2), axis_names_);
    for (Column& axis : axes_) {
        axis.type = ColumnType::integer;
    }
    while (table.next()) {
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            axes_[i].type = std::max(axes_[i].type, type_of(table.field(i + 2)));
        }
    }
}

void ResultsWriter::write_points() {
    database_.run("CREATE TABLE points (point INTEGER PRIMARY KEY, key TEXT NOT NULL" +
                  definitions(axes_) + ")");
    database_.run(
        "CREATE TABLE summary (point INTEGER NOT NULL, metric TEXT NOT NULL, mean REAL, sd REAL, "
        "ci95 REAL, min REAL, max REAL, n INTEGER, at_least REAL, never_started REAL, "
        "PRIMARY KEY (point, metric)) WITHOUT ROWID");
    SqliteStatement row(database_, insert_into("points", axes_.size() + 2));
    SqliteStatement summary_row(database_, insert_into("summary", 10));
    CsvReader table = points();
    for (std::int64_t point = 0; table.next(); ++point) {
        row.add(point);
        const std::string& key = table.field(1);
        row.add(key);
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            add_value(row, table.field(i + 2), axes_[i].type);
        }
        row.run();
        if (const fs::path folder = directory_ / "points" / key; is_done(folder)) {
            write_summary(point, folder / "summary.json", summary_row);
        }
    }
    database_.run("CREATE INDEX summary_by_metric ON summary (metric)");
}

void ResultsWriter::write_summary(std::int64_t point, const fs::path& file, SqliteStatement& row) {
    const auto summary = parsed_if_json(core::text_of_file(file));
    if (!summary.is_object() || !summary.contains("metrics") || !summary["metrics"].is_object()) {
        throw core::InputError(fmt::format(
            "{}: error: not the summary of a run: expected an object with metrics", file.string()));
    }
    for (const auto& [metric, statistics] : summary["metrics"].items()) {
        row.add(point);
        row.add(metric);
        for (const char* name :
             {"mean", "sd", "ci95", "min", "max", "n", "at_least", "never_started"}) {
            if (const auto value = statistics.find(name);
                value != statistics.end() && value->is_number()) {
                row.add(value->get<double>());
            } else {
                row.add_null();
            }
        }
        row.run();
    }
}

void ResultsWriter::write_results() {
    CsvReader results(directory_ / "results.csv");
    const std::size_t fixed = axes_.size() + 2;
    if (results.header().size() < fixed || results.column("replication") != axes_.size() ||
        results.column("seed") != axes_.size() + 1) {
        throw core::InputError(
            fmt::format("{}:1:1: error: the columns are not those of "
                        "points.csv: expected its axes, replication, seed",
                        (directory_ / "results.csv").string()));
    }
    if (results.header().size() + 1 <= database_.columns_max()) {
        write_wide(results);
    } else {
        write_long(results);
    }
    database_.run("CREATE UNIQUE INDEX results_by_point ON results (point, replication)");
}

template <class Use>
void ResultsWriter::each_result(CsvReader& results, Use use) {
    CsvReader table = points();
    const std::size_t replication_column = axes_.size();
    std::int64_t point = -1;
    std::optional<double> last;  // replication of the previous row
    const auto same_axes = [&] {
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            if (results.field(i) != table.field(i + 2)) {
                return false;
            }
        }
        return true;
    };
    while (results.next()) {
        const double replication = results.required_number(replication_column);
        (void)results.required_number(replication_column + 1);  // the seed
        // Rows are in the order of points, and those of a point in the order of replications.
        if (!last || replication <= *last || !same_axes()) {
            do {
                if (!table.next()) {
                    results.fail(0, "no point of points.csv is left for this row");
                }
                ++point;
            } while (!same_axes());
        }
        last = replication;
        use(point);
    }
}

void ResultsWriter::write_wide(CsvReader& results) {
    const std::size_t fixed = axes_.size() + 2;
    std::set<std::string> taken = axis_names_;
    const auto metrics = columns(std::span(results.header()).subspan(fixed), taken);
    database_.run("CREATE TABLE results (point INTEGER NOT NULL" + definitions(axes_) +
                  ", replication INTEGER NOT NULL, seed INTEGER NOT NULL" + definitions(metrics) +
                  ")");
    SqliteStatement row(database_, insert_into("results", results.header().size() + 1));
    each_result(results, [&](std::int64_t point) {
        row.add(point);
        for (std::size_t i = 0; i < results.header().size(); ++i) {
            const ColumnType type = i < axes_.size() ? axes_[i].type
                                    : i < fixed      ? ColumnType::integer
                                                     : ColumnType::real;
            if (i >= fixed) {
                (void)results.number(i);  // reports the place if it is no number
            }
            add_value(row, results.field(i), type);
        }
        row.run();
    });
}

void ResultsWriter::write_long(CsvReader& results) {
    const std::size_t fixed = axes_.size() + 2;
    SqliteStatement note(database_, insert_into("notes", 1));
    note.add(
        fmt::format("results.csv has {} metrics, more than a table here can have columns: "
                    "they are the rows of the table metrics, not columns of results",
                    results.header().size() - fixed));
    note.run();
    database_.run("CREATE TABLE results (point INTEGER NOT NULL" + definitions(axes_) +
                  ", replication INTEGER NOT NULL, seed INTEGER NOT NULL)");
    database_.run(
        "CREATE TABLE metrics (point INTEGER NOT NULL, replication INTEGER NOT NULL, "
        "metric TEXT NOT NULL, value REAL, PRIMARY KEY (metric, point, replication)) "
        "WITHOUT ROWID");
    SqliteStatement row(database_, insert_into("results", fixed + 1));
    SqliteStatement metric_row(database_, insert_into("metrics", 4));
    each_result(results, [&](std::int64_t point) {
        row.add(point);
        for (std::size_t i = 0; i < fixed; ++i) {
            add_value(
                row, results.field(i), i < axes_.size() ? axes_[i].type : ColumnType::integer);
        }
        row.run();
        for (std::size_t i = fixed; i < results.header().size(); ++i) {
            if (const auto value = results.number(i)) {
                metric_row.add(point);
                add_value(metric_row, results.field(axes_.size()), ColumnType::integer);
                metric_row.add(results.header()[i]);
                metric_row.add(*value);
                metric_row.run();
            }
        }
    });
}

}  // namespace

void write_results_sqlite(const fs::path& sweep_directory) {
    write_results_sqlite(sweep_directory, sweep_directory / "results.sqlite");
}

void write_results_sqlite(const fs::path& sweep_directory, const fs::path& place) {
    Temporary temporary(place, Temporary::Kind::file);
    ResultsWriter(sweep_directory, temporary.path(), place).write();
    temporary.move_to_place();
}

}  // namespace berth::experiments
