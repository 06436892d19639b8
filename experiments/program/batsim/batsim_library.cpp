#include "experiments/program/batsim/batsim_library.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <atomic>
#include <cstring>
#include <exception>
#include <future>
#include <thread>
#include <utility>

#include "core/support/source.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::experiments {
namespace {

std::mutex& only_library() {
    static std::mutex mutex;
    return mutex;
}

std::atomic<bool>& hangs() {
    static std::atomic<bool> one_does = false;
    return one_does;
}

/// Whether a loader started the program. None does if the program is linked statically; a library
/// would then bring a second C library into it.
bool has_loader() {
    const auto look = [](dl_phdr_info* object, std::size_t /*size*/, void* found) -> int {
        for (int i = 0; i < object->dlpi_phnum; ++i) {
            *static_cast<bool*>(found) |= object->dlpi_phdr[i].p_type == PT_INTERP;
        }
        return 1;  // the first object is the program; the others do not matter
    };
    bool found = false;
    ::dl_iterate_phdr(look, &found);
    return found;
}

/// Converts an answer, which is a text that ends with a zero. The size may or may not include the
/// zero.
std::optional<std::string> text_of(const std::uint8_t* data, std::uint32_t size) {
    if (data == nullptr || size == 0) {
        return std::nullopt;
    }
    const auto* text = reinterpret_cast<const char*>(data);
    return std::string(text, ::strnlen(text, size));
}

}  // namespace

template <class Function>
Function BatsimLibrary::function(const char* symbol) const {
    void* const found = ::dlsym(handle_, symbol);
    if (found == nullptr) {
        throw core::InputError(fmt::format(
            "{}: error: no function {}: expected a scheduler for Batsim 5", name_, symbol));
    }
    return reinterpret_cast<Function>(found);
}

BatsimLibrary::BatsimLibrary(const std::filesystem::path& file, std::optional<sim::SimTime> timeout)
    : only_one_(only_library()), name_(file.filename().string()), timeout_(timeout) {
    if (any_hangs()) {
        throw sim::SchedulerError(
            fmt::format("{} is not called: another call has not come back", name_));
    }
    if (!has_loader()) {
        throw core::InputError(fmt::format(
            "{}: error: it cannot be loaded, because this program is linked statically: expected "
            "the program berth that is linked with shared libraries, or the Python package",
            file.string()));
    }
    handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
        throw core::InputError(fmt::format(
            "{}: error: it cannot be loaded ({}): expected a shared library with a scheduler for "
            "Batsim 5",
            file.string(),
            ::dlerror()));
    }
    try {
        begin_ = function<Begin>("batsim_edc_init");
        end_ = function<End>("batsim_edc_deinit");
        decide_ = function<Decide>("batsim_edc_take_decisions");
    } catch (const core::InputError&) {
        ::dlclose(handle_);
        throw;
    }
}

BatsimLibrary::~BatsimLibrary() {
    if (any_hangs()) {
        return;
    }
    if (has_begun_) {
        try {
            (void)end_();
        } catch (...) {  // NOLINT(bugprone-empty-catch): how it ends does not matter any more
        }
    }
    ::dlclose(handle_);
}

bool BatsimLibrary::any_hangs() {
    return hangs();
}

std::shared_ptr<BatsimLibrary::Call> BatsimLibrary::call(
    const char* what,
    const std::string& in,
    const std::function<std::uint8_t(Call&, std::uint8_t**, std::uint32_t*)>& run) {
    auto call = std::make_shared<Call>();
    call->in = in;
    const auto work = [call, run] {
        std::uint8_t* data = nullptr;
        std::uint32_t size = 0;
        try {
            call->status = run(*call, &data, &size);
            call->out = text_of(data, size);
        } catch (const std::exception& error) {
            call->thrown = error.what();
        } catch (...) {
            call->thrown = "an exception that is none of the standard's";
        }
    };
    if (timeout_) {
        // A thread that does not return is left behind, with everything that it uses.
        std::packaged_task<void()> task(work);
        std::future<void> done = task.get_future();
        std::thread(std::move(task)).detach();
        if (done.wait_for(*timeout_) != std::future_status::ready) {
            hangs() = true;
            throw sim::SchedulerError(fmt::format(
                "{} of {} has not come back in {} s", what, name_, sim::format_seconds(*timeout_)));
        }
    } else {
        work();
    }
    if (call->thrown) {
        throw sim::SchedulerError(fmt::format("{} of {} threw: {}", what, name_, *call->thrown));
    }
    if (call->status != 0) {
        throw sim::SchedulerError(
            fmt::format("{} of {} failed: it returned {}", what, name_, call->status));
    }
    return call;
}

std::string BatsimLibrary::begin(const std::string& data) {
    constexpr const char* what = "batsim_edc_init";
    constexpr std::uint32_t json = 2;
    const auto answer =
        call(what, data, [begin = begin_](Call& call, std::uint8_t** out, std::uint32_t* size) {
            return begin(reinterpret_cast<const std::uint8_t*>(call.in.c_str()),
                         static_cast<std::uint32_t>(call.in.size()),
                         &call.flags,
                         out,
                         size);
        });
    has_begun_ = true;
    if (!answer->out) {
        throw sim::SchedulerError(
            fmt::format("{} of {} left no answer: expected the interface of Batsim 5.0, where it "
                        "says hello (EDCHelloEvent)",
                        what,
                        name_));
    }
    if ((answer->flags & json) == 0) {
        throw sim::SchedulerError(fmt::format(
            "{} wants messages in FlatBuffers' binary form: expected JSON; Batsim's own "
            "libraries take it with init: '{{\"format_json\": true}}'",
            name_));
    }
    return *answer->out;
}

std::string BatsimLibrary::decide(const std::string& message) {
    constexpr const char* what = "batsim_edc_take_decisions";
    const auto answer = call(
        what, message, [decide = decide_](Call& call, std::uint8_t** out, std::uint32_t* size) {
            return decide(reinterpret_cast<const std::uint8_t*>(call.in.c_str()),
                          static_cast<std::uint32_t>(call.in.size() + 1),
                          out,
                          size);
        });
    if (!answer->out) {
        throw sim::SchedulerError(fmt::format("{} of {} left no answer", what, name_));
    }
    return *answer->out;
}

}  // namespace berth::experiments
