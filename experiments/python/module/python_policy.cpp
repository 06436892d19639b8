#include "experiments/python/module/python_policy.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "experiments/python/module/arrays.hpp"
#include "sim/clock/time.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::python {

namespace py = pybind11;

namespace {

/// A method that the scheduler has; null where it has none.
py::object method_of(const py::object& scheduler, const char* name) {
    return py::hasattr(scheduler, name) ? scheduler.attr(name) : py::object();
}

/// What a job is given before its run: `at 12.5 s: `.
std::string at(sim::SimTime now) {
    return fmt::format("at {} s: ", sim::format_seconds(now));
}

}  // namespace

View::View(std::shared_ptr<const SeenRun> run, std::uint32_t replication, std::uint64_t seed)
    : run_(std::move(run)),
      replication_(replication),
      seed_(seed),
      capacities_(std::make_shared<std::vector<core::Amount>>()) {
    const sim::OutsideActions& see = this->see();
    const core::Topology& tree = see.cluster().topology();
    for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
        const auto row = see.cluster().ledger().capacity(tree.node_of(core::ServerId{server}));
        capacities_->insert(capacities_->end(), row.begin(), row.end());
    }
}

double View::now() const {
    return sim::seconds(see().now());
}

py::list View::waiting() {
    py::list jobs(see().waiting().size());
    std::size_t place = 0;
    for (const sim::JobId id : see().waiting()) {
        jobs[place++] = job(id);
    }
    return jobs;
}

py::list View::running() {
    py::list jobs(see().running().size());
    std::size_t place = 0;
    for (const sim::JobId id : see().running()) {
        jobs[place++] = job(id);
    }
    return jobs;
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
    (void)see().free();  // up to date from here on
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
    py::object& job = jobs_[id.index];
    if (!job) {
        job = py::cast(std::make_shared<SchedulerJob>(run_, id));
    }
    return job;
}

void View::forget(sim::JobId id) {
    if (const auto found = jobs_.find(id.index); found != jobs_.end()) {
        found->second.cast<SchedulerJob&>().end();
        jobs_.erase(found);
    }
}

std::string Server::name() const {
    const core::Topology& tree = (*run_)().cluster().topology();
    return std::string(tree.name(tree.node_of(id_)));
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

sim::OutsideActions& Act::acting() const {
    if (act_ == nullptr) {
        throw sim::SchedulerError(
            "a verb outside of schedule(): expected it while schedule() runs, of the act that it "
            "was given");
    }
    return *act_;
}

std::vector<core::PlacedNode> Act::placed(const SchedulerJob& job,
                                          const py::iterable& placement) const {
    const core::Topology& tree = acting().cluster().topology();
    std::vector<core::PlacedNode> out;
    for (const py::handle item : placement) {
        std::int64_t server = 0;
        core::Members members = 1;
        try {
            if (py::isinstance<py::sequence>(item)) {
                const auto pair = py::reinterpret_borrow<py::sequence>(item);
                if (pair.size() != 2) {
                    throw py::cast_error();
                }
                server = py::int_(py::object(pair[0])).cast<std::int64_t>();
                members = py::int_(py::object(pair[1])).cast<core::Members>();
            } else {
                server = py::int_(py::reinterpret_borrow<py::object>(item)).cast<std::int64_t>();
            }
        } catch (const std::exception&) {
            throw sim::SchedulerError(
                fmt::format("{}job '{}': '{}' in its placement: expected (server index, members)",
                            at(acting().now()),
                            job.name(),
                            std::string(py::str(item))));
        }
        if (server < 0 || server >= tree.server_count()) {
            throw sim::SchedulerError(
                fmt::format("{}job '{}' cannot be on server {}: expected an index from 0 to {}",
                            at(acting().now()),
                            job.name(),
                            server,
                            tree.server_count() - 1));
        }
        out.push_back({tree.node_of(core::ServerId{static_cast<std::uint32_t>(server)}), members});
    }
    return out;
}

void Act::check(const SchedulerJob& job) const {
    if (job.has_ended()) {
        throw sim::SchedulerError(
            fmt::format("{}job '{}' has ended: expected one of view.waiting or view.running",
                        at(acting().now()),
                        job.name()));
    }
}

void Act::start(const SchedulerJob& job, const py::iterable& placement) {
    check(job);
    acting().start(job.id(), placed(job, placement));
}

void Act::evict(const SchedulerJob& job) {
    check(job);
    acting().evict(job.id());
}

bool Act::resize(const SchedulerJob& job, const py::object& placement) {
    check(job);
    if (py::isinstance<py::int_>(placement)) {
        return acting().resize(job.id(), placement.cast<core::Members>(), {});
    }
    std::vector<core::PlacedNode> after = placed(job, py::iterable(placement));
    core::Members size = 0;
    for (const core::PlacedNode& server : after) {
        size += server.count;
    }
    return acting().resize(job.id(), size, std::move(after));
}

void Act::reject(const SchedulerJob& job, const std::string& reason) {
    check(job);
    acting().reject(job.id(), reason);
}

void Act::wake(double at_seconds) {
    constexpr double most = 9.2e9;  // seconds in 63 bits of nanoseconds
    if (!(std::abs(at_seconds) < most)) {
        throw sim::SchedulerError(fmt::format(
            "{}a wake at {} s: expected a time within 292 years", at(acting().now()), at_seconds));
    }
    acting().wake(sim::SimTime(std::llround(at_seconds * 1e9)));
}

PythonPolicy::PythonPolicy(py::object scheduler,
                           const sim::OutsideActions& see,
                           std::uint32_t replication,
                           std::uint64_t seed,
                           PythonCalls& calls)
    : scheduler_(std::move(scheduler)),
      see_(see),
      calls_(calls),
      run_(std::make_shared<SeenRun>(&see)),
      view_(std::make_shared<View>(run_, replication, seed)),
      act_(std::make_shared<Act>()),
      view_object_(py::cast(view_)),
      act_object_(py::cast(act_)),
      schedule_(scheduler_.attr("schedule")),
      submitted_(method_of(scheduler_, "submitted")),
      started_(method_of(scheduler_, "started")),
      evicted_(method_of(scheduler_, "evicted")),
      ended_(method_of(scheduler_, "ended")),
      server_changed_(method_of(scheduler_, "server_changed")) {
    if (const py::object begin = method_of(scheduler_, "begin")) {
        call("begin", [&] { begin(view_object_); });
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
    run_->hide();
}

template <class Work>
void PythonPolicy::call(const char* method, const Work& work) {
    calls_.call(scheduler_, method, see_.now(), work);
}

void PythonPolicy::decide(sim::OutsideActions& act) {
    const Act::Turn turn(*act_, act);
    call("schedule", [this] { schedule_(view_object_, act_object_); });
}

void PythonPolicy::tell(const char* name, const py::object& method, sim::JobId id) {
    if (method) {
        call(name, [&] { method(view_->job(id)); });
    }
}

void PythonPolicy::ended(sim::JobId id) {
    tell("ended", ended_, id);
    const py::gil_scoped_acquire python;
    view_->forget(id);
}

void PythonPolicy::server_changed(core::ServerId server, bool up) {
    if (server_changed_) {
        call("server_changed", [&] { server_changed_(view_->servers()[server.index], up); });
    }
}

}  // namespace berth::python
