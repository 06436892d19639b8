#include "experiments/python/module/python_hooks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "experiments/python/module/arguments.hpp"
#include "experiments/python/module/held_object.hpp"
#include "experiments/python/module/placed_pod.hpp"
#include "experiments/python/module/profile_view.hpp"
#include "experiments/python/module/scheduler_job.hpp"
#include "sim/clock/time.hpp"
#include "sim/profile/server_selector.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::python {

namespace py = pybind11;

namespace {

/// The scheduler object with its view, which all of its decisions share.
class Decider {
public:
    Decider(py::object object, std::shared_ptr<ProfileView> view, PythonCalls& calls)
        : object_(hold(std::move(object))),
          view_(std::move(view)),
          view_object_(hold(py::cast(view_))),
          calls_(calls) {
        if (const HeldObject begin = method("begin")) {
            call("begin", {}, [&] { return (*begin)(*view_object_); });
        }
    }
    Decider(const Decider&) = delete;
    Decider& operator=(const Decider&) = delete;

    /// A method of the object; nullptr: it has no such method.
    [[nodiscard]] HeldObject method(const char* name) const {
        py::object method = py::getattr(*object_, name, py::none());
        return PyCallable_Check(method.ptr()) != 0 ? hold(std::move(method)) : nullptr;
    }
    template <class Work>
    void call(const char* method, PythonCalls::About about, const Work& work) {
        calls_.call(*object_, method, view_->time(), about, [&] {
            const ProfileView::Look look(*view_);
            return work();
        });
    }
    [[nodiscard]] const py::object& view_object() const { return *view_object_; }
    [[nodiscard]] const std::shared_ptr<ProfileView>& view() const { return view_; }

    /// An error that begins with `at 12.5 s: select() of pod 'a' `.
    [[nodiscard]] sim::SchedulerError wrong(std::string_view call, const std::string& what) const {
        return sim::SchedulerError(
            fmt::format("at {} s: {} {}", sim::format_seconds(view_->time()), call, what));
    }

private:
    HeldObject object_;
    std::shared_ptr<ProfileView> view_;
    HeldObject view_object_;
    PythonCalls& calls_;
};

/// A buffer of a Python object, released with this object.
class Buffer {
public:
    explicit Buffer(py::handle object)
        : there_(PyObject_GetBuffer(object.ptr(), &view_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0) {
        if (!there_) {
            PyErr_Clear();
        }
    }
    ~Buffer() {
        if (there_) {
            PyBuffer_Release(&view_);
        }
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    /// Whether the buffer holds exactly `count` doubles in one dimension.
    [[nodiscard]] bool has_doubles(std::size_t count) const {
        return there_ && view_.ndim == 1 && std::strcmp(view_.format, "d") == 0 &&
               static_cast<std::size_t>(view_.len) == count * sizeof(double);
    }
    [[nodiscard]] const void* data() const { return view_.buf; }

private:
    Py_buffer view_{};
    bool there_;
};

/// A method whose first argument is a pod.
class PodCall {
public:
    PodCall(std::shared_ptr<Decider> decider, HeldObject method, const char* name)
        : decider_(std::move(decider)),
          method_(std::move(method)),
          name_(name),
          pod_(make_held<PlacedPod>()),
          pod_object_(hold(py::cast(pod_))) {}

    /// `ask(method, pod)` calls the method and reads its answer, with the GIL held.
    template <class Ask>
    void operator()(const sim::Job& job, const Ask& ask) {
        decider_->call(name_, {"pod", &job.name}, [&] {
            const PlacedPod::Asked asked(*pod_, job);
            ask(*method_, *pod_object_);
        });
    }
    [[nodiscard]] sim::SchedulerError wrong(const sim::Job& job, const std::string& what) const {
        return decider_->wrong(fmt::format("{}() of pod '{}'", name_, job.name), what);
    }
    [[nodiscard]] const Decider& decider() const { return *decider_; }

private:
    std::shared_ptr<Decider> decider_;
    HeldObject method_;
    const char* name_;
    std::shared_ptr<PlacedPod> pod_;
    HeldObject pod_object_;
};

class PythonScorer final : public sim::ServerScorer {
public:
    PythonScorer(std::shared_ptr<Decider> decider, HeldObject method)
        : score_(std::move(decider), std::move(method), "score"),
          scores_(score_.decider().view()->server_count()) {}

    [[nodiscard]] std::span<const double> scores(const sim::Job& job) override {
        score_(job, [&](const py::object& method, const py::object& pod) {
            take(method(pod, score_.decider().view_object()), job);
        });
        return scores_;
    }

private:
    [[nodiscard]] bool copied(const py::object& array) {
        const Buffer buffer(array);
        if (!buffer.has_doubles(scores_.size())) {
            return false;
        }
        std::memcpy(scores_.data(), buffer.data(), scores_.size() * sizeof(double));
        return true;
    }

    [[nodiscard]] sim::SchedulerError gave(const sim::Job& job, const std::string& what) const {
        return score_.wrong(
            job,
            fmt::format("gave {}: expected {} numbers, one for each server", what, scores_.size()));
    }

    /// The answer as an array of doubles.
    /// Errors: sim::SchedulerError for what is not numbers, even if NumPy would make numbers of it.
    [[nodiscard]] py::object numbers_of(const py::object& answer, const sim::Job& job) const {
        const py::module_ numpy = py::module_::import("numpy");
        try {
            const py::object array = numpy.attr("asarray")(answer);
            if (array.attr("ndim").cast<int>() == 0) {
                throw gave(job, shown(answer));
            }
            constexpr std::string_view kinds_of_numbers = "buifO";  // objects may be numbers
            const auto kind = array.attr("dtype").attr("kind").cast<std::string>();
            if (kinds_of_numbers.find(kind) == std::string_view::npos) {
                const std::string type = py::str(array.attr("dtype"));
                throw gave(job, fmt::format("an array of {}", type));
            }
            return numpy.attr("ascontiguousarray")(array, py::arg("dtype") = "float64");
        } catch (const py::error_already_set& error) {
            if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError) &&
                !error.matches(PyExc_OverflowError)) {
                throw;
            }
        }
        throw gave(job, shown(answer));
    }

    /// Errors: sim::SchedulerError for an array of which entries are masked: they have no value.
    void check_not_masked(const py::object& answer, const sim::Job& job) const {
        const py::module_ numpy = py::module_::import("numpy");
        if (py::isinstance(answer, numpy.attr("ma").attr("MaskedArray")) &&
            py::bool_(numpy.attr("ma").attr("is_masked")(answer))) {
            throw score_.wrong(
                job,
                fmt::format("gave a masked array: expected {} numbers, one for each server, such "
                            "as those of its filled(-numpy.inf)",
                            scores_.size()));
        }
    }

    void take(const py::object& answer, const sim::Job& job) {
        check_not_masked(answer, job);
        if (!copied(answer)) {
            const py::object array = numbers_of(answer, job);
            if (!copied(array)) {
                throw gave(job, "an array of shape " + std::string(py::str(array.attr("shape"))));
            }
        }
        const auto none =
            std::ranges::find_if(scores_, [](double score) { return std::isnan(score); });
        if (none != scores_.end()) {
            throw score_.wrong(
                job,
                fmt::format("gave NaN for server {}: expected a number", none - scores_.begin()));
        }
    }

    PodCall score_;
    std::vector<double> scores_;
};

class PythonSelector final : public sim::ServerSelector {
public:
    PythonSelector(std::shared_ptr<Decider> decider, HeldObject method)
        : select_(std::move(decider), std::move(method), "select") {}

    [[nodiscard]] std::optional<core::ServerId> select(const sim::Job& job,
                                                       const core::PodIndex& index) override {
        candidates_.clear();
        const auto servers = static_cast<std::int64_t>(select_.decider().view()->server_count());
        for (std::int64_t server = 0; server < servers; ++server) {
            if (index.fits(core::ServerId{static_cast<std::uint32_t>(server)})) {
                candidates_.push_back(server);
            }
        }
        std::optional<core::ServerId> chosen;
        select_(job, [&](const py::object& method, const py::object& pod) {
            chosen = taken(method(pod, candidates(), select_.decider().view_object()), job);
        });
        return chosen;
    }

private:
    [[nodiscard]] py::object candidates() const {
        const auto* const letters = reinterpret_cast<const char*>(candidates_.data());
        return py::module_::import("numpy").attr("frombuffer")(
            py::bytes(letters, candidates_.size() * sizeof(std::int64_t)),
            py::arg("dtype") = "int64");
    }

    [[nodiscard]] std::optional<core::ServerId> taken(const py::object& answer,
                                                      const sim::Job& job) const {
        if (answer.is_none()) {
            return std::nullopt;
        }
        const auto server = whole_of(answer);
        if (!server || !std::ranges::binary_search(candidates_, *server)) {
            throw select_.wrong(job,
                                fmt::format("gave {}: expected one of the {} candidates, or None",
                                            shown(answer),
                                            candidates_.size()));
        }
        return core::ServerId{static_cast<std::uint32_t>(*server)};
    }

    PodCall select_;
    std::vector<std::int64_t> candidates_;
};

class PythonSorter final : public sim::QueueSorter {
public:
    PythonSorter(std::shared_ptr<Decider> decider, HeldObject method)
        : decider_(std::move(decider)), order_(std::move(method)) {}

    void sort(std::vector<sim::JobId>& waiting) override {
        decider_->call("order", {}, [&] {
            py::list queue(waiting.size());
            for (std::size_t place = 0; place < waiting.size(); ++place) {
                queue[place] = object_of(waiting[place]);
            }
            take((*order_)(queue, decider_->view_object()), waiting);
        });
    }

    void ended(sim::JobId id) override {
        if (const auto known = jobs_.find(id.index); known != jobs_.end()) {
            const py::gil_scoped_acquire python;
            known->second->cast<SchedulerJob&>().end();
            jobs_.erase(known);
        }
    }

private:
    /// The Python object for a job, which stays the same until the job has ended.
    [[nodiscard]] const py::object& object_of(sim::JobId id) {
        HeldObject& job = jobs_[id.index];
        if (job == nullptr) {
            job = hold(py::cast(std::make_shared<SchedulerJob>(decider_->view(), id)));
        }
        return *job;
    }

    void take(const py::object& answer, std::vector<sim::JobId>& waiting) const {
        std::vector<std::uint32_t> left;
        for (const sim::JobId id : waiting) {
            left.push_back(id.index);
        }
        std::ranges::sort(left);
        std::vector<bool> given(left.size());
        std::vector<sim::JobId> order;
        const auto items = py::reinterpret_steal<py::iterator>(PyObject_GetIter(answer.ptr()));
        if (!items) {
            if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
                throw py::error_already_set();
            }
            PyErr_Clear();
            throw decider_->wrong(
                "order()", fmt::format("gave {}: expected the jobs of the queue", shown(answer)));
        }
        for (const py::handle item : items) {
            if (!py::isinstance<SchedulerJob>(item)) {
                throw decider_->wrong(
                    "order()", fmt::format("gave {}: expected the jobs of the queue", shown(item)));
            }
            const auto& job = item.cast<const SchedulerJob&>();
            if (!job.is_of(*decider_->view())) {
                throw decider_->wrong("order()",
                                      fmt::format("gave job '{}', which is of another run: "
                                                  "expected each job of the queue once",
                                                  job.name()));
            }
            const auto at = std::ranges::lower_bound(left, job.id().index);
            const bool waits = !job.has_ended() && at != left.end() && *at == job.id().index;
            if (!waits || given[static_cast<std::size_t>(at - left.begin())]) {
                throw decider_->wrong(
                    "order()",
                    fmt::format("gave job '{}', which {}: expected each job of the queue once",
                                job.name(),
                                waits ? "it gave before" : "does not wait"));
            }
            given[static_cast<std::size_t>(at - left.begin())] = true;
            order.push_back(job.id());
        }
        if (order.size() != waiting.size()) {
            throw decider_->wrong("order()",
                                  fmt::format("gave {} of {} jobs: expected each job of the "
                                              "queue once",
                                              order.size(),
                                              waiting.size()));
        }
        waiting = std::move(order);
    }

    std::shared_ptr<Decider> decider_;
    HeldObject order_;
    std::unordered_map<std::uint32_t, HeldObject> jobs_;  ///< Looked up, never iterated.
};

}  // namespace

sim::ProfileHooks python_hooks(py::object object,
                               const sim::Actions& see,
                               bool shared_gpus,
                               std::uint32_t replication,
                               std::uint64_t seed,
                               PythonCalls& calls) {
    auto view = make_held<ProfileView>(see, shared_gpus, replication, seed);
    const auto decider = std::make_shared<Decider>(std::move(object), std::move(view), calls);
    sim::ProfileHooks hooks;
    if (const HeldObject order = decider->method("order")) {
        hooks.queue = std::make_unique<PythonSorter>(decider, order);
    }
    if (const HeldObject select = decider->method("select")) {
        hooks.server = std::make_unique<PythonSelector>(decider, select);
    } else if (const HeldObject score = decider->method("score")) {
        hooks.server = std::make_unique<PythonScorer>(decider, score);
    }
    return hooks;
}

}  // namespace berth::python
