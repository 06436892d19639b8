#include "experiments/program/stored/stored_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/results/arrow/arrow_file.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "experiments/program/run/run_directory.hpp"
#include "experiments/program/support/sha256.hpp"
#include "experiments/program/verify/verify_run.hpp"

namespace berth::experiments {

class MemoryFiles::MemoryFile final : public File {
public:
    MemoryFile(MemoryFiles& files, std::string name) : files_(files), name_(std::move(name)) {}

    void append(std::string_view text) override {
        sha256_.add(text);
        text_ += text;
    }
    void close() override {
        files_.closed(name_, sha256_.hex());
        files_.texts_[name_] = std::make_shared<const std::string>(std::move(text_));
    }

private:
    MemoryFiles& files_;
    std::string name_;
    std::string text_;
    Sha256 sha256_;
};

std::unique_ptr<RunFiles::File> MemoryFiles::open(const std::string& name) {
    return std::make_unique<MemoryFile>(*this, name);
}

namespace fs = std::filesystem;

StoredRun::StoredRun(fs::path folder) : folder_(std::move(folder)) {
    static_cast<void>(read_manifest(folder_));  // reports an error of the folder
}

std::vector<std::string> StoredRun::names() const {
    std::vector<std::string> names;
    for (const auto& [name, text] : texts_) {
        names.push_back(name);
    }
    if (!folder_.empty()) {
        for (const auto& [name, digest] : read_manifest(folder_).files) {
            names.push_back(name);
        }
        for (const char* unlisted : {"manifest.json", "run.json"}) {
            if (core::exists(folder_ / unlisted)) {
                names.emplace_back(unlisted);
            }
        }
    }
    std::ranges::sort(names);
    return names;
}

std::shared_ptr<const std::string> StoredRun::text(const std::string& name) const {
    if (!folder_.empty() && core::exists(report::stored_table(folder_ / name))) {
        return std::make_shared<const std::string>(report::text_of_table(folder_ / name));
    }
    const auto found = texts_.find(name);
    if (found == texts_.end()) {
        const std::vector<std::string> there = names();
        throw core::InputError(fmt::format("{}: error: the run has no such file: expected {}{}",
                                           name,
                                           core::alternatives(there),
                                           core::suggestion(name, there)));
    }
    return found->second;
}

std::shared_ptr<const report::TableColumns> StoredRun::table(const std::string& name,
                                                             unsigned threads) const {
    const auto records = report::tables();
    const std::string file = name + ".csv";
    const auto record = std::ranges::find(records, file, &report::TableRecord::file);
    if (record == records.end()) {
        std::vector<std::string> known;
        for (const report::TableRecord& table : records) {
            known.emplace_back(table.file.substr(0, table.file.find('.')));
        }
        throw core::InputError(fmt::format("{}: error: not a table of a run: expected {}{}",
                                           name,
                                           core::alternatives(known),
                                           core::suggestion(name, known)));
    }
    const fs::path place = folder_.empty() ? fs::path(file) : report::stored_table(folder_ / file);
    if (report::is_arrow(place)) {
        return std::make_shared<const report::TableColumns>(
            report::read_arrow_columns(record->table, place, threads));
    }
    const auto content = text(file);
    return std::make_shared<const report::TableColumns>(
        report::read_table_columns(record->table, *content, place.string(), threads));
}

void StoredRun::write(const fs::path& folder) const {
    RunDirectory out(folder);
    for (const std::string& name : names()) {
        out.write(name, *text(name));
    }
    out.commit();
}

}  // namespace berth::experiments
