#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <type_traits>

#include "experiments/program/support/own_process.hpp"
#include "sim/clock/time.hpp"

namespace berth::python {

/// Keeps track of the calls into Python that a run makes: when each of them began, and the
/// exception of the first that failed. All callers hold the GIL.
class PythonCalls {
public:
    using Clock = std::chrono::steady_clock;

    /// `timeout_s`: a call that lasts longer fails.
    explicit PythonCalls(std::optional<double> timeout_s = std::nullopt) : timeout_s_(timeout_s) {}

    /// The subject of a call for messages: a job, a pod, or nothing.
    struct About {
        const char* kind = nullptr;
        const std::string* name = nullptr;
    };

    /// A call into Python, for as long as the object lives. Of nested calls, the outermost one
    /// counts.
    class Call {
    public:
        explicit Call(PythonCalls& calls);
        ~Call() { (void)end(); }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;

        [[nodiscard]] bool is_outermost() const { return !before_; }
        /// Ends the call: from here on, nothing interrupts it.
        /// Returns: how long the outermost call has lasted, if that is too long.
        std::optional<double> end();

    private:
        PythonCalls& calls_;
        std::optional<Clock::time_point>& began_;
        std::optional<Clock::time_point> before_;
        bool ended_ = false;
    };

    /// Calls a method of a scheduler in Python; `work` makes the call. If `work` returns an object,
    /// it is the answer of a method that decides by what it does.
    /// Errors: sim::SchedulerError, with the exception and the simulated time at which it was
    ///         raised. The error of a verb passes through as it is. A call that took too long fails
    ///         in the same way, whatever it returned, and so does a generator or a coroutine, of
    ///         which nothing has run.
    template <class Work>
    void call(const pybind11::object& scheduler,
              const char* method,
              sim::SimTime now,
              About about,
              const Work& work) {
        const pybind11::gil_scoped_acquire python;
        Call call(*this);
        try {
            if constexpr (std::is_void_v<decltype(work())>) {
                work();
            } else {
                check_has_run(work(), {&scheduler, method, now, about});
            }
        } catch (pybind11::error_already_set& error) {
            leave_copy();
            fail(error, call.end(), {&scheduler, method, now, about});
        }
        leave_copy();
        if (const auto lasted_s = call.end(); lasted_s && call.is_outermost()) {
            fail_late(*lasted_s, {&scheduler, method, now, about}, "");
        }
    }

    /// Makes the scheduler of a replication; `work` makes the call.
    /// Errors: as call().
    template <class Work>
    [[nodiscard]] pybind11::object make(std::uint32_t replication, const Work& work) {
        Call call(*this);
        pybind11::object scheduler;
        try {
            scheduler = work();
        } catch (pybind11::error_already_set& error) {
            leave_copy();
            fail_to_make(error, call.end(), replication);
        }
        leave_copy();
        if (const auto lasted_s = call.end(); lasted_s && call.is_outermost()) {
            fail_to_make_in_time(*lasted_s, replication);
        }
        return scheduler;
    }

    /// Makes each call that began before `then` raise an exception of this type as soon as it runs
    /// Python code again. A call that waits in a library ends when the library returns.
    void interrupt_older_than(Clock::time_point then, PyObject* exception);
    /// Does the same to the calls that last too long.
    void interrupt_late_ones();

    /// The exception of the first call that failed; None: no call failed.
    [[nodiscard]] pybind11::object first_error() const;

private:
    struct Called {
        const pybind11::object* scheduler;
        const char* method;
        sim::SimTime now;
        About about;
    };

    void keep(const pybind11::error_already_set& error);
    static void check_has_run(const pybind11::object& answer, const Called& called);
    /// Ends a copy of the process that a call has forked: only the thread of the call goes on
    /// there, with a run of which all else is gone.
    void leave_copy() const;
    [[noreturn]] void fail(const pybind11::error_already_set& error,
                           std::optional<double> too_long_s,
                           const Called& called);
    [[noreturn]] void fail_to_make(const pybind11::error_already_set& error,
                                   std::optional<double> too_long_s,
                                   std::uint32_t replication);
    [[noreturn]] void fail_to_make_in_time(double lasted_s, std::uint32_t replication) const;
    [[noreturn]] void fail_late(double lasted_s,
                                const Called& called,
                                const std::string& place) const;

    experiments::OwnProcess process_;
    std::optional<double> timeout_s_;
    /// When the current call of each thread began, by Python's number of the thread; nothing where
    /// it makes no call.
    std::map<unsigned long, std::optional<Clock::time_point>> began_;
    bool interrupted_ = false;  ///< A thread may have a pending exception.
    pybind11::object error_ = pybind11::none();
};

}  // namespace berth::python
