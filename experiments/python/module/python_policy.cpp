#include "experiments/python/module/python_policy.hpp"

#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "experiments/python/module/arguments.hpp"
#include "experiments/python/module/arrays.hpp"
#include "sim/clock/time.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::python {

namespace py = pybind11;

namespace {

/// A method of the scheduler; null where it has no such method.
py::object method_of(const py::object& scheduler, const char* name) {
    py::object method = py::getattr(scheduler, name, py::none());
    return PyCallable_Check(method.ptr()) != 0 ? std::move(method) : py::object();
}

/// The beginning of a message with its time: `at 12.5 s: `.
std::string at(sim::SimTime now) {
    return fmt::format("at {} s: ", sim::format_seconds(now));
}

}  // namespace

View::View(std::shared_ptr<const SeenRun> run,
           const sim::OutsideActions& see,
           std::uint32_t replication,
           std::uint64_t seed)
    : run_(std::move(run)),
      replication_(replication),
      seed_(seed),
      capacities_(std::make_shared<std::vector<core::Amount>>()) {
    const core::Topology& tree = see.cluster().topology();
    for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
        const auto row = see.cluster().ledger().capacity(tree.node_of(core::ServerId{server}));
        capacities_->insert(capacities_->end(), row.begin(), row.end());
    }
}

double View::now() const {
    return sim::seconds(see().now());
}

/// Creating an object may run other Python code, which may make the run go on or end. So the run is
/// not read while the objects are created.
py::list View::jobs_of(const sim::JobOrder& order) {
    std::vector<sim::JobId> ids;
    ids.reserve(order.size());
    for (const sim::JobId id : order) {
        ids.push_back(id);
    }
    py::list jobs(ids.size());
    for (std::size_t place = 0; place < ids.size(); ++place) {
        jobs[place] = job(ids[place]);
    }
    return jobs;
}

py::list View::waiting() {
    return jobs_of(see().waiting());
}

py::list View::running() {
    return jobs_of(see().running());
}

py::list View::servers() {
    if (!servers_) {
        py::list all;
        for (std::uint32_t server = 0; server < see().cluster().topology().server_count();
             ++server) {
            all.append(std::make_shared<Server>(run_, core::ServerId{server}));
        }
        servers_ = all;
    }
    return py::reinterpret_borrow<py::list>(servers_);
}

py::object View::free() {
    (void)see().free();  // brings the amounts up to date
    if (!free_) {
        free_ = array_over(see().shared_free(), see().cluster().ledger().resource_count());
    }
    return free_;
}

py::object View::capacity() {
    if (!capacity_) {
        capacity_ = array_over(capacities_, see().cluster().ledger().resource_count());
    }
    return capacity_;
}

std::vector<std::string> View::resources() const {
    return see().cluster().topology().resources().names();
}

std::vector<core::Amount> View::per_unit() const {
    const core::ResourceSchema& schema = see().cluster().topology().resources();
    std::vector<core::Amount> units;
    for (std::size_t resource = 0; resource < schema.size(); ++resource) {
        units.push_back(schema.per_unit(resource));
    }
    return units;
}

py::object View::job(sim::JobId id) {
    if (const auto known = jobs_.find(id.index); known != jobs_.end()) {
        return known->second;
    }
    py::object made = py::cast(std::make_shared<SchedulerJob>(run_, id));
    return jobs_.try_emplace(id.index, std::move(made)).first->second;
}

void View::forget(sim::JobId id) {
    if (const auto found = jobs_.find(id.index); found != jobs_.end()) {
        found->second.cast<SchedulerJob&>().end();
        jobs_.erase(found);
    }
}

Server::Server(std::shared_ptr<const SeenRun> run, core::ServerId id)
    : run_(std::move(run)), id_(id) {
    const core::Topology& tree = (*run_)().cluster().topology();
    name_ = tree.name(tree.node_of(id_));
}

std::vector<std::string> Server::path() const {
    const core::Topology& tree = (*run_)().cluster().topology();
    std::vector<std::string> names;
    for (std::uint32_t level = 1; level + 1 < tree.level_count(); ++level) {
        names.emplace_back(tree.name(tree.ancestor(tree.node_of(id_), core::Level{level})));
    }
    return names;
}

bool Server::up() const {
    return (*run_)().cluster().ledger().is_up(id_) && !(*run_)().cluster().calendar().is_open(id_);
}

sim::SchedulerError Act::wrong(const std::string& what) const {
    return sim::SchedulerError(at(acting().now()) + what);
}

sim::OutsideActions& Act::acting() const {
    if (!process_.is_here()) {
        throw sim::SchedulerError(of_another_process);
    }
    if (act_ == nullptr || thread_ != std::this_thread::get_id() || has_failed_) {
        throw sim::SchedulerError(
            "a verb is used outside of schedule(): expected one of the act that schedule() was "
            "given, while it runs, in its thread");
    }
    return *act_;
}

const SchedulerJob& Act::checked(const py::object& job, const char* verb) const {
    if (!py::isinstance<SchedulerJob>(job)) {
        throw wrong(fmt::format(
            "{}() of {}: expected a job of view.waiting or view.running", verb, shown(job)));
    }
    const auto& known = job.cast<const SchedulerJob&>();
    const bool foreign = !known.is_of(*jobs_);
    if (foreign || known.has_ended()) {
        throw wrong(fmt::format("job '{}' {}: expected one of view.waiting or view.running",
                                known.name(),
                                foreign ? "is of another run" : "has ended"));
    }
    return known;
}

std::vector<core::PlacedNode> Act::placed(const SchedulerJob& job,
                                          const py::object& placement) const {
    const core::Topology& tree = acting().cluster().topology();
    const auto items = py::reinterpret_steal<py::iterator>(PyObject_GetIter(placement.ptr()));
    if (!items) {
        PyErr_Clear();
        throw wrong(fmt::format("job '{}': the placement {}: expected (server index, members), ...",
                                job.name(),
                                shown(placement)));
    }
    std::vector<core::PlacedNode> out;
    for (const py::handle item : items) {
        std::optional<std::int64_t> server = whole_of(item);
        std::optional<std::int64_t> members = 1;
        if (!server && !py::isinstance<py::str>(item) && py::isinstance<py::sequence>(item)) {
            const auto pair = py::reinterpret_borrow<py::sequence>(item);
            if (pair.size() == 2) {
                server = whole_of(py::object(pair[0]));
                members = whole_of(py::object(pair[1]));
            }
        }
        if (!server || !members) {
            throw wrong(
                fmt::format("job '{}': {} in its placement: expected (server index, members)",
                            job.name(),
                            shown(item)));
        }
        if (*server < 0 || *server >= tree.server_count()) {
            throw wrong(
                fmt::format("job '{}' cannot be on server {}: expected an index from 0 "
                            "to {}",
                            job.name(),
                            *server,
                            tree.server_count() - 1));
        }
        out.push_back(
            {tree.node_of(core::ServerId{static_cast<std::uint32_t>(*server)}), *members});
    }
    return out;
}

void Act::start(const py::object& job, const py::object& placement) {
    const SchedulerJob& known = checked(job, "start");
    std::vector<core::PlacedNode> servers = placed(known, placement);
    acting().start(known.id(), std::move(servers));
}

void Act::evict(const py::object& job) {
    const SchedulerJob& known = checked(job, "evict");
    acting().evict(known.id());
}

bool Act::resize(const py::object& job, const py::object& placement) {
    const SchedulerJob& known = checked(job, "resize");
    if (const auto size = whole_of(placement)) {
        return acting().resize(known.id(), *size, {});
    }
    std::vector<core::PlacedNode> after = placed(known, placement);
    core::Members size = 0;
    for (const core::PlacedNode& server : after) {
        const auto sum = core::checked_add(size, server.count);
        if (!sum) {
            throw wrong(fmt::format(
                "job '{}' has no room for {} members: expected fewer", known.name(), server.count));
        }
        size = *sum;
    }
    return acting().resize(known.id(), size, std::move(after));
}

void Act::reject(const py::object& job, const py::object& reason) {
    const SchedulerJob& known = checked(job, "reject");
    std::optional<std::string> text = text_of(reason);
    if (!text) {
        throw wrong(fmt::format(
            "job '{}': {} as the reason: expected a text", known.name(), shown(reason)));
    }
    acting().reject(known.id(), std::move(*text));
}

void Act::wake(const py::object& at_seconds) {
    constexpr double most = 9.2e9;  // the most seconds that fit into 63 bits of nanoseconds
    const auto seconds = number_of(at_seconds);
    if (!seconds || !(std::abs(*seconds) < most)) {
        throw wrong(
            fmt::format("a wake at {} s: expected a time within 292 years", shown(at_seconds)));
    }
    acting().wake(sim::SimTime(std::llround(*seconds * 1e9)));
}

PythonPolicy::PythonPolicy(py::object scheduler,
                           const sim::OutsideActions& see,
                           std::uint32_t replication,
                           std::uint64_t seed,
                           PythonCalls& calls)
    : scheduler_(std::move(scheduler)),
      see_(see),
      calls_(calls),
      run_(std::make_shared<SeenRun>()),
      view_(std::make_shared<View>(run_, see, replication, seed)),
      act_(std::make_shared<Act>(run_)),
      view_object_(py::cast(view_)),
      act_object_(py::cast(act_)) {
    const py::object begin = calls_.make(replication, [&] {
        schedule_ = scheduler_.attr("schedule");
        submitted_ = method_of(scheduler_, "submitted");
        started_ = method_of(scheduler_, "started");
        evicted_ = method_of(scheduler_, "evicted");
        ended_ = method_of(scheduler_, "ended");
        server_changed_ = method_of(scheduler_, "server_changed");
        return method_of(scheduler_, "begin");
    });
    if (begin) {
        call("begin", {}, [&] { return begin(view_object_); });
    }
}

PythonPolicy::~PythonPolicy() {
    const py::gil_scoped_acquire python;
    for (py::object* object : {&scheduler_,
                               &view_object_,
                               &act_object_,
                               &schedule_,
                               &submitted_,
                               &started_,
                               &evicted_,
                               &ended_,
                               &server_changed_}) {
        *object = py::object();
    }
    view_.reset();
}

template <class Work>
void PythonPolicy::call(const char* method, PythonCalls::About about, const Work& work) {
    try {
        calls_.call(scheduler_, method, see_.now(), about, [&] {
            const SeenRun::Look look(*run_, see_);
            return work();
        });
    } catch (...) {
        failed_ = failed_ ? failed_ : std::current_exception();
        act_->fail();
        throw;
    }
}

void PythonPolicy::decide(sim::OutsideActions& act) {
    call("schedule", {}, [&] {
        const Act::Turn turn(*act_, act);
        return schedule_(view_object_, act_object_);
    });
    if (failed_) {
        std::rethrow_exception(failed_);  // schedule() has caught what a nested call raised
    }
}

void PythonPolicy::tell(const char* name, const py::object& method, sim::JobId id) {
    if (method) {
        const Act::Pause pause(*act_);
        call(name, {"job", &see_.job(id).job().name}, [&] { return method(view_->job(id)); });
    }
}

void PythonPolicy::ended(sim::JobId id) {
    tell("ended", ended_, id);
    const py::gil_scoped_acquire python;
    view_->forget(id);
}

void PythonPolicy::server_changed(core::ServerId server, bool up) {
    if (server_changed_) {
        const Act::Pause pause(*act_);
        call("server_changed", {}, [&] {
            return server_changed_(view_->servers()[server.index], up);
        });
    }
}

}  // namespace berth::python
