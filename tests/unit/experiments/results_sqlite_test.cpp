#include <sqlite3.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/support/source.hpp"
#include "experiments/program/sweep/database_difference.hpp"
#include "experiments/program/sweep/results_sqlite.hpp"

using namespace berth;

namespace {

namespace fs = std::filesystem;

/// A sweep directory of three points, the second of which is not finished.
class TinySweep {
public:
    TinySweep()
        : place_(fs::temp_directory_path() / ("berth-sqlite-" + std::to_string(::getpid()))) {
        fs::create_directories(place_ / "points" / "aa");
        fs::create_directories(place_ / "points" / "cc");
        write("points/aa/manifest.json", "{}");
        write("points/cc/manifest.json", "{}");
        write("points.csv",
              "point,key,load,size,policy\n"
              "0,aa,0.5,30,\"pack, \"\"soft\"\"\"\n1,bb,1,60,spread\n2,cc,1,120,spread\n");
        write("results.csv",
              "load,size,policy,replication,seed,wait_s,Load\n"
              "0.5,30,\"pack, \"\"soft\"\"\",0,7,2,0.25\n0.5,30,\"pack, \"\"soft\"\"\",1,8,4,\n"
              "1,120,spread,0,7,1.5,0.75\n");
        write(
            "points/aa/summary.json",
            R"({"metrics": {"wait_s": {"mean": 3, "sd": 1.5, "ci95": 12, "min": 2, "max": 4, "n": 2}}})");
        write(
            "points/cc/summary.json",
            R"({"metrics": {"wait_s": {"mean": 1.5, "sd": 0, "ci95": 0, "min": 1.5, "max": 1.5, "n": 1}}})");
    }
    ~TinySweep() { fs::remove_all(place_); }
    TinySweep(const TinySweep&) = delete;
    TinySweep& operator=(const TinySweep&) = delete;

    [[nodiscard]] const fs::path& path() const { return place_; }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(place_ / name, std::ios::binary) << text;
    }
    /// The rows of an answer, with fields separated by `|`.
    [[nodiscard]] std::vector<std::string> ask(const std::string& sql) const {
        sqlite3* database = nullptr;
        REQUIRE(sqlite3_open_v2((place_ / "results.sqlite").c_str(),
                                &database,
                                SQLITE_OPEN_READONLY,
                                nullptr) == SQLITE_OK);
        std::vector<std::string> rows;
        const auto keep = [](void* to, int count, char** fields, char** /*names*/) {
            std::string row;
            for (int i = 0; i < count; ++i) {
                row += (i > 0 ? "|" : "") + std::string(fields[i] == nullptr ? "NULL" : fields[i]);
            }
            static_cast<std::vector<std::string>*>(to)->push_back(row);
            return 0;
        };
        const int status = sqlite3_exec(database, sql.c_str(), keep, &rows, nullptr);
        INFO(sql << ": " << sqlite3_errmsg(database));
        CHECK(status == SQLITE_OK);
        sqlite3_close(database);
        return rows;
    }

    void change(const std::string& sql) const {
        sqlite3* database = nullptr;
        REQUIRE(sqlite3_open((place_ / "results.sqlite").c_str(), &database) == SQLITE_OK);
        INFO(sql);
        CHECK(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
        sqlite3_close(database);
    }

private:
    fs::path place_;
};

using Rows = std::vector<std::string>;

}  // namespace

TEST_CASE("results.sqlite: the tables of a sweep, numbers as numbers", "[experiments][sweep]") {
    const TinySweep sweep;
    experiments::write_results_sqlite(sweep.path());
    CHECK(sweep.ask("SELECT *, typeof(load), typeof(size), typeof(policy) FROM points") ==
          Rows{"0|aa|0.5|30|pack, \"soft\"|real|integer|text",
               "1|bb|1.0|60|spread|real|integer|text",
               "2|cc|1.0|120|spread|real|integer|text"});
    CHECK(sweep.ask("SELECT * FROM results") == Rows{"0|0.5|30|pack, \"soft\"|0|7|2.0|0.25",
                                                     "0|0.5|30|pack, \"soft\"|1|8|4.0|NULL",
                                                     "2|1.0|120|spread|0|7|1.5|0.75"});
    CHECK(sweep.ask("SELECT typeof(seed), typeof(wait_s), \"Load_2\" FROM results LIMIT 1") ==
          Rows{"integer|real|0.25"});
    CHECK(sweep.ask("SELECT * FROM notes") ==
          Rows{"column 'Load' is called 'Load_2' here: SQL ignores case"});
    CHECK(sweep.ask("SELECT * FROM summary") == Rows{"0|wait_s|3.0|1.5|12.0|2.0|4.0|2|NULL|NULL",
                                                     "2|wait_s|1.5|0.0|0.0|1.5|1.5|1|NULL|NULL"});
    CHECK(sweep.ask("SELECT policy, mean FROM summary JOIN points USING (point) ORDER BY mean") ==
          Rows{"spread|1.5", "pack, \"soft\"|3.0"});
}

TEST_CASE("results.sqlite: no name and no value is a command", "[experiments][sweep][security]") {
    const TinySweep sweep;
    const std::string value = "x'); DROP TABLE points; --";
    const std::string axis = "a\"\"); DROP TABLE points; --";
    sweep.write("points.csv", "point,key,\"" + axis + "\"\n0,aa," + value + "\n");
    sweep.write("results.csv",
                "\"" + axis + "\",replication,seed,\"" + axis + "2\"\n" + value + ",0,7,2\n");
    experiments::write_results_sqlite(sweep.path());
    CHECK(sweep.ask("SELECT * FROM points") == Rows{"0|aa|" + value});
    CHECK(sweep.ask("SELECT * FROM results") == Rows{"0|" + value + "|0|7|2.0"});
    CHECK(sweep.ask("SELECT \"" + axis + "2\" FROM results") == Rows{"2.0"});
}

TEST_CASE("results.sqlite: metrics beyond SQLite's columns are rows", "[experiments][sweep]") {
    const TinySweep sweep;
    std::string header = "load,size,policy,replication,seed";
    std::string row = "1,60,spread,3,10";
    for (int metric = 0; metric < 2500; ++metric) {
        header += ",m" + std::to_string(metric);
        row += metric == 7 ? "," : "," + std::to_string(metric);
    }
    sweep.write("results.csv", header + "\n" + row + "\n");
    experiments::write_results_sqlite(sweep.path());
    CHECK(sweep.ask("SELECT * FROM results") == Rows{"1|1.0|60|spread|3|10"});
    CHECK(sweep.ask("SELECT count(*), sum(value), min(point), max(replication) FROM metrics") ==
          Rows{"2499|3123743.0|1|3"});
    CHECK(sweep.ask("SELECT note FROM notes").at(0).find("2500 metrics") != std::string::npos);
}

TEST_CASE("results.sqlite: what fails leaves the one before", "[experiments][sweep]") {
    const TinySweep sweep;
    experiments::write_results_sqlite(sweep.path());
    sweep.write("results.csv", "load,size,policy,replication,seed,wait_s\n0.7,30,spread,0,7,2\n");
    CHECK_THROWS_AS(experiments::write_results_sqlite(sweep.path()), core::InputError);
    sweep.write("results.csv", "load,size,policy,replication,seed,wait_s\n1,60,spread,0,,2\n");
    CHECK_THROWS_WITH(experiments::write_results_sqlite(sweep.path()),
                      Catch::Contains("results.csv:2:15: error: "));
    sweep.write("points/cc/summary.json", "[]");
    CHECK_THROWS_AS(experiments::write_results_sqlite(sweep.path()), core::InputError);
    CHECK(sweep.ask("SELECT count(*) FROM results") == Rows{"3"});
    CHECK(std::distance(fs::directory_iterator(sweep.path()), {}) == 4);
}

TEST_CASE("results.sqlite: what is in it is compared, and not how it is laid out",
          "[experiments][sweep]") {
    const TinySweep sweep;
    const fs::path sound = sweep.path() / "sound.sqlite";
    const fs::path file = sweep.path() / "results.sqlite";
    const auto after = [&](const std::string& sql) {
        experiments::write_results_sqlite(sweep.path());
        sweep.change(sql);
        return experiments::database_difference(file, sound).value_or("the same");
    };
    experiments::write_results_sqlite(sweep.path(), sound);
    CHECK(after("") == "the same");
    CHECK(after("PRAGMA page_size = 512; VACUUM") == "the same");
    CHECK(after("UPDATE results SET wait_s = 9 WHERE replication = 1") ==
          "has another row 2 in results");
    CHECK(after("UPDATE summary SET mean = '3' WHERE point = 0") ==
          "the same");  // a number all the same
    CHECK(after("UPDATE summary SET mean = 'x' WHERE point = 2") == "has another row 2 in summary");
    CHECK(after("DELETE FROM points WHERE point = 2") == "has another row 3 in points");
    CHECK(after("INSERT INTO notes VALUES ('mine')") == "has more rows in notes");
    CHECK(after("CREATE TABLE zebras (name TEXT)") == "has table zebras besides");
    CHECK(after("CREATE TABLE mine (name TEXT)") == "does not have the table notes as it was");
    CHECK(after("DROP INDEX summary_by_metric") ==
          "does not have the index summary_by_metric as it was");
    CHECK(after("ALTER TABLE summary RENAME COLUMN mean TO average") ==
          "does not have the table summary as it was");
    CHECK(after("PRAGMA journal_mode = WAL") == "the same");
    CHECK_FALSE(fs::exists(sweep.path() / "results.sqlite-shm"));

    sweep.write("results.sqlite", "no database");
    CHECK(experiments::database_difference(file, sound) == "is damaged (file is not a database)");
    sweep.write("results.sqlite", "");
    CHECK(experiments::database_difference(file, sound) ==
          "does not have the table notes as it was");
}

TEST_CASE("results.sqlite: the same sweep gives the same bytes", "[experiments][sweep]") {
    const TinySweep sweep;
    const auto bytes = [&] {
        experiments::write_results_sqlite(sweep.path());
        std::ifstream in(sweep.path() / "results.sqlite", std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const std::string first = bytes();
    CHECK((bytes() == first));
}
