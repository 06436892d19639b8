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

/// A scheduler for Batsim in a shared library, with the three functions that Batsim 5 calls. Only
/// one exists at a time in the whole program, because such libraries keep their state in global
/// variables: creating another waits until this one is gone.
///
/// Cost: a call of the library; with a time limit, a thread for each call.
/// Source: Batsim 5.0.0-rc2, test/edc-lib/batsim_edc.h.
class BatsimLibrary {
public:
    /// `timeout`: how long a call may take; nothing: any time.
    /// Errors: core::InputError if the file cannot be loaded, or lacks these functions.
    BatsimLibrary(const std::filesystem::path& file, std::optional<sim::SimTime> timeout);
    /// Tells the library that the simulation is over, unless a call of it has not returned.
    ~BatsimLibrary();
    BatsimLibrary(const BatsimLibrary&) = delete;
    BatsimLibrary& operator=(const BatsimLibrary&) = delete;

    /// The library's first message, as JSON. `data` comes from the user.
    /// Errors: of this function and the next: sim::SchedulerError if the library fails, throws,
    ///         gives no answer, or does not return in time. Here also if it wants messages in
    ///         another format than JSON.
    [[nodiscard]] std::string begin(const std::string& data);
    /// The library's decision on a message, as JSON.
    [[nodiscard]] std::string decide(const std::string& message);

    [[nodiscard]] const std::string& name() const { return name_; }
    /// Whether a call of any library has not returned in time: a thread of this program then still
    /// runs in it, so that nothing may be destroyed when the program ends.
    [[nodiscard]] static bool any_hangs();

private:
    using Begin = std::uint8_t (*)(
        const std::uint8_t*, std::uint32_t, std::uint32_t*, std::uint8_t**, std::uint32_t*);
    using End = std::uint8_t (*)();
    using Decide = std::uint8_t (*)(const std::uint8_t*,
                                    std::uint32_t,
                                    std::uint8_t**,
                                    std::uint32_t*);
    /// The input and output of a call, which lives as long as the call.
    struct Call {
        std::string in;
        std::uint32_t flags = 0;
        std::uint8_t status = 0;
        std::optional<std::string> out;     ///< Nothing: there was no answer.
        std::optional<std::string> thrown;  ///< The message of an exception.
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
