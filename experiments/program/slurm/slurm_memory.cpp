#include "experiments/program/slurm/slurm_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "experiments/program/support/make_folders.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::experiments {
namespace {

constexpr const char* schema = "berth.slurm/v1";

}  // namespace

SlurmMemory::SlurmMemory(const std::filesystem::path& folder) : file_(folder / "job.json") {
    (void)make_folders(folder);
    const std::filesystem::path lock = folder / "lock";
    lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock_ < 0) {
        throw std::system_error(errno, std::generic_category(), lock.string());
    }
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
        const int why = errno;
        ::close(lock_);
        if (why != EWOULDBLOCK) {
            throw std::system_error(why, std::generic_category(), lock.string());
        }
        throw core::InputError(fmt::format(
            "{}: error: another berth follows this sweep on Slurm: expected one at a time",
            folder.string()));
    }
}

SlurmMemory::~SlurmMemory() {
    ::close(lock_);
}

std::optional<SubmittedArray> SlurmMemory::array() const {
    const auto json =
        nlohmann::json::parse(core::text_of_file_if_any(file_).value_or(""), nullptr, false);
    if (!json.is_object() || !json.contains("schema") || json["schema"] != schema) {
        return std::nullopt;
    }
    try {
        SubmittedArray out;
        out.name = json.at("name").get<std::string>();
        out.job = json.at("job").get<std::string>();
        if (!json.at("shards").is_number_unsigned() || !json.at("attempt").is_number_unsigned()) {
            return std::nullopt;
        }
        out.shards = json.at("shards").get<std::size_t>();
        out.attempt = json.at("attempt").get<std::size_t>();
        return out.shards > 0 ? std::optional(out) : std::nullopt;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

void SlurmMemory::remember(const SubmittedArray& array) {
    const nlohmann::ordered_json json{{"schema", schema},
                                      {"name", array.name},
                                      {"job", array.job},
                                      {"shards", array.shards},
                                      {"attempt", array.attempt}};
    write_file(file_, json.dump(2) + "\n");
}

void SlurmMemory::forget() {
    std::filesystem::remove(file_);
}

}  // namespace berth::experiments
