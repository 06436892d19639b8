#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "sim/clock/time.hpp"

namespace berth::python {

/// What is known of the calls into Python that a run makes: since when each of them lasts, and what
/// the first one that failed raised. Whoever uses it holds the GIL.
class PythonCalls {
public:
    using Clock = std::chrono::steady_clock;

    /// `timeout_s`: one call that lasts longer fails.
    explicit PythonCalls(std::optional<double> timeout_s = std::nullopt) : timeout_s_(timeout_s) {}

    /// What a call is about, for messages: a job or a pod, or nothing.
    struct About {
        const char* kind = nullptr;
        const std::string* name = nullptr;
    };

    /// A call into Python, for as long as it lives. Of calls within calls, the outermost counts.
    class Call {
    public:
        explicit Call(PythonCalls& calls);
        ~Call() { (void)end(); }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;

        [[nodiscard]] bool is_outermost() const { return !before_; }
        /// Nothing interrupts it any more.
        /// Returns: for how long the outermost has lasted, where that is too long.
        std::optional<double> end();

    private:
        PythonCalls& calls_;
        std::optional<Clock::time_point>& began_;
        std::optional<Clock::time_point> before_;
        bool ended_ = false;
    };

    /// Calls a method of a scheduler in Python, which `work` does.
    /// Errors: sim::SchedulerError that says what it raised, at which simulated time; what a verb
    ///         said goes through as it is. The same where it took too long, whatever it gave.
    template <class Work>
    void call(const pybind11::object& scheduler,
              const char* method,
              sim::SimTime now,
              About about,
              const Work& work) {
        const pybind11::gil_scoped_acquire python;
        Call call(*this);
        try {
            work();
        } catch (pybind11::error_already_set& error) {
            fail(error, call.end(), {&scheduler, method, now, about});
        }
        if (const auto lasted_s = call.end(); lasted_s && call.is_outermost()) {
            fail_late(*lasted_s, {&scheduler, method, now, about}, "");
        }
    }

    /// Makes the scheduler of a replication, which `work` does.
    /// Errors: as call().
    template <class Work>
    [[nodiscard]] pybind11::object make(std::uint32_t replication, const Work& work) {
        const Call call(*this);
        try {
            return work();
        } catch (pybind11::error_already_set& error) {
            fail_to_make(error, replication);
        }
    }

    /// Has each call that began before `then` raise an exception of this type, as soon as it runs
    /// Python again: one that waits in a library ends when that returns.
    void interrupt_older_than(Clock::time_point then, PyObject* exception);
    /// The same for those that last too long.
    void interrupt_late_ones();

    /// What the first call that failed raised; None: none did.
    [[nodiscard]] pybind11::object first_error() const;

private:
    struct Called {
        const pybind11::object* scheduler;
        const char* method;
        sim::SimTime now;
        About about;
    };

    void keep(const pybind11::error_already_set& error);
    [[noreturn]] void fail(const pybind11::error_already_set& error,
                           std::optional<double> too_long_s,
                           const Called& called);
    [[noreturn]] void fail_to_make(const pybind11::error_already_set& error,
                                   std::uint32_t replication);
    [[noreturn]] void fail_late(double lasted_s,
                                const Called& called,
                                const std::string& place) const;

    std::optional<double> timeout_s_;
    /// By Python's number of the thread: since when its call lasts, or nothing.
    std::map<unsigned long, std::optional<Clock::time_point>> began_;
    bool interrupted_ = false;  ///< A thread may have an exception to come.
    pybind11::object error_ = pybind11::none();
};

}  // namespace berth::python
