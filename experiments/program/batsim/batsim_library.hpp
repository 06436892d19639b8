#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "sim/clock/time.hpp"

namespace berth::experiments {

/// A scheduler for Batsim in a shared library, with the three functions that Batsim 5 calls. There
/// is one at a time in the whole program, since such libraries keep their state in variables of
/// their own: who makes another waits until this one is gone.
///
/// Cost: a call of the library; with a time limit, a thread for each call.
/// Source: Batsim 5.0.0-rc2, test/edc-lib/batsim_edc.h.
class BatsimLibrary {
public:
    /// `timeout`: so long a call may take; nothing: as long as it likes.
    /// Errors: core::InputError when the file cannot be loaded, or has not these functions.
    BatsimLibrary(const std::filesystem::path& file, std::optional<sim::SimTime> timeout);
    /// Tells it that all is over, unless a call of it has not come back.
    ~BatsimLibrary();
    BatsimLibrary(const BatsimLibrary&) = delete;
    BatsimLibrary& operator=(const BatsimLibrary&) = delete;

    /// What it says as it begins, as JSON. `data` is what its user gives it.
    /// Errors: of this and the next: sim::SchedulerError when it fails, throws, gives no answer, or
    ///         has not come back in time. Here also when it wants
    ///         messages in another form than JSON.
    [[nodiscard]] std::string begin(const std::string& data);
    /// What it decides on a message, as JSON.
    [[nodiscard]] std::string decide(const std::string& message);

    [[nodiscard]] const std::string& name() const { return name_; }
    /// Whether a call of any library has not come back in time: a thread of this program still runs
    /// in it, so that nothing may be taken apart as the program ends.
    [[nodiscard]] static bool any_hangs();

private:
    using Begin = std::uint8_t (*)(
        const std::uint8_t*, std::uint32_t, std::uint32_t*, std::uint8_t**, std::uint32_t*);
    using End = std::uint8_t (*)();
    using Decide = std::uint8_t (*)(const std::uint8_t*,
                                    std::uint32_t,
                                    std::uint8_t**,
                                    std::uint32_t*);
    /// A call's way in and out, which lives as long as the call.
    struct Call {
        std::string in;
        std::uint32_t flags = 0;
        std::uint8_t status = 0;
        std::optional<std::string> out;     ///< Nothing: it left no answer.
        std::optional<std::string> thrown;  ///< What an exception says.
    };
    template <class Function>
    [[nodiscard]] Function function(const char* symbol) const;
    [[nodiscard]] std::shared_ptr<Call> call(
        const char* what,
        const std::string& in,
        const std::function<std::uint8_t(Call&, std::uint8_t**, std::uint32_t*)>& run);

    std::unique_lock<std::mutex> only_one_;
    std::string name_;
    std::optional<sim::SimTime> timeout_;
    void* handle_ = nullptr;
    Begin begin_ = nullptr;
    End end_ = nullptr;
    Decide decide_ = nullptr;
    bool has_begun_ = false;
};

}  // namespace berth::experiments
