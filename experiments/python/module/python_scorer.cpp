#include "experiments/python/module/python_scorer.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/support/assert.hpp"
#include "experiments/python/module/arrays.hpp"
#include "sim/clock/time.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::python {

namespace py = pybind11;

namespace {

/// A buffer of Python, released at the end.
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

    /// Whether it has so many doubles in one dimension.
    [[nodiscard]] bool has_doubles(std::size_t count) const {
        return there_ && view_.ndim == 1 && std::strcmp(view_.format, "d") == 0 &&
               static_cast<std::size_t>(view_.len) == count * sizeof(double);
    }
    [[nodiscard]] const void* data() const { return view_.buf; }

private:
    Py_buffer view_{};
    bool there_;
};

}  // namespace

const sim::Job& ScoredPod::job() const {
    if (job_ == nullptr) {
        throw sim::SchedulerError(
            "a pod outside of score(): expected it while score() runs, of the pod that it was "
            "given");
    }
    return *job_;
}

py::object ScoredPod::demand() {
    if (!demand_ || last_demand_ != job().demand) {
        last_demand_ = job().demand;
        demand_ =
            py::module_::import("numpy").attr("array")(last_demand_, py::arg("dtype") = "int64");
    }
    return demand_;
}

ScorerView::ScorerView(const sim::Actions& see,
                       bool shared_gpus,
                       std::uint32_t replication,
                       std::uint64_t seed)
    : see_(&see),
      replication_(replication),
      seed_(seed),
      free_amounts_(see.cluster()),
      capacities_(std::make_shared<std::vector<core::Amount>>()),
      gpus_(std::make_shared<std::vector<std::int16_t>>()) {
    const core::Ledger& ledger = see.cluster().ledger();
    const core::Topology& tree = see.cluster().topology();
    for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
        const auto row = ledger.capacity(tree.node_of(core::ServerId{server}));
        capacities_->insert(capacities_->end(), row.begin(), row.end());
    }
    if (shared_gpus) {
        for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
            devices_max_ =
                std::max(devices_max_, ledger.gpus().free(core::ServerId{server}).size());
        }
        gpus_->assign(tree.server_count() * devices_max_, -1);
        gpu_changes_.emplace(&ledger.changes());
        for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
            write_gpus(core::ServerId{server});
        }
    }
}

void ScorerView::write_gpus(core::ServerId server) {
    const auto free = see().cluster().ledger().gpus().free(server);
    const auto begin = gpus_->begin() + static_cast<std::ptrdiff_t>(server.index * devices_max_);
    std::ranges::transform(
        free, begin, [](core::GpuMilli milli) { return static_cast<std::int16_t>(milli); });
}

const sim::Actions& ScorerView::see() const {
    if (see_ == nullptr) {
        throw sim::SchedulerError("the run is over: expected a look at it while it is under way");
    }
    return *see_;
}

double ScorerView::now() const {
    return sim::seconds(see().now());
}

py::object ScorerView::free() {
    const std::size_t resources = see().cluster().ledger().resource_count();
    (void)free_amounts_.rows();  // up to date from here on
    if (!free_) {
        free_ = array_over(free_amounts_.shared_rows(), resources);
    }
    return free_;
}

py::object ScorerView::capacity() {
    if (!capacity_) {
        capacity_ = array_over(capacities_, see().cluster().ledger().resource_count());
    }
    return capacity_;
}

py::object ScorerView::gpu_free() {
    const sim::Cluster& cluster = see().cluster();
    if (!gpu_changes_) {
        return py::none();
    }
    if (gpu_changes_->has_missed()) {
        gpu_changes_->skip();
        for (std::uint32_t i = 0; i < cluster.topology().server_count(); ++i) {
            write_gpus(core::ServerId{i});
        }
    }
    gpu_changes_->each([this](core::ServerId server) { write_gpus(server); });
    if (!gpu_free_) {
        gpu_free_ = array_over(gpus_, devices_max_);
    }
    return gpu_free_;
}

py::object ScorerView::gpu_models() const {
    if (!gpu_changes_) {
        return py::none();
    }
    const core::GpuShares& shares = see().cluster().ledger().gpus();
    py::list models;
    for (std::uint32_t i = 0; i < see().cluster().topology().server_count(); ++i) {
        const std::string& model = shares.models().names()[shares.model(core::ServerId{i})];
        models.append(model.empty() ? py::object(py::none()) : py::object(py::str(model)));
    }
    return models;
}

std::vector<std::string> ScorerView::servers() const {
    const core::Topology& tree = see().cluster().topology();
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < tree.server_count(); ++i) {
        names.emplace_back(tree.name(tree.node_of(core::ServerId{i})));
    }
    return names;
}

std::vector<std::string> ScorerView::resources() const {
    return see().cluster().topology().resources().names();
}

std::vector<core::Amount> ScorerView::per_unit() const {
    const core::ResourceSchema& schema = see().cluster().topology().resources();
    std::vector<core::Amount> units;
    for (std::size_t resource = 0; resource < schema.size(); ++resource) {
        units.push_back(schema.per_unit(resource));
    }
    return units;
}

PythonScorer::PythonScorer(py::object scorer,
                           const sim::Actions& see,
                           bool shared_gpus,
                           std::uint32_t replication,
                           std::uint64_t seed,
                           PythonCalls& calls)
    : see_(see),
      calls_(calls),
      pod_(std::make_shared<ScoredPod>()),
      view_(std::make_shared<ScorerView>(see, shared_gpus, replication, seed)),
      pod_object_(py::cast(pod_)),
      view_object_(py::cast(view_)),
      scorer_(std::move(scorer)),
      score_(scorer_.attr("score")),
      scores_(see.cluster().topology().server_count()) {
    if (py::hasattr(scorer_, "begin")) {
        calls_.call(scorer_, "begin", see_.now(), [&] { scorer_.attr("begin")(view_object_); });
    }
}

PythonScorer::~PythonScorer() {
    const py::gil_scoped_acquire python;
    for (py::object* object : {&pod_object_, &view_object_, &score_, &scorer_}) {
        *object = py::object();
    }
    view_->end();
    pod_.reset();
    view_.reset();
}

std::span<const double> PythonScorer::scores(const sim::Job& job) {
    const py::gil_scoped_acquire python;
    pod_->show(&job);
    calls_.call(
        scorer_, "score", see_.now(), [&] { take(score_(pod_object_, view_object_), job); });
    pod_->show(nullptr);
    return scores_;
}

void PythonScorer::take(const py::object& answer, const sim::Job& job) {
    const auto copied = [&](const py::object& array) {
        const Buffer buffer(array);
        if (!buffer.has_doubles(scores_.size())) {
            return false;
        }
        std::memcpy(scores_.data(), buffer.data(), scores_.size() * sizeof(double));
        return true;
    };
    if (!copied(answer)) {
        const py::object array = py::module_::import("numpy").attr("ascontiguousarray")(
            answer, py::arg("dtype") = "float64");
        if (!copied(array)) {
            throw sim::SchedulerError(fmt::format(
                "at {} s: score() of pod '{}' gave an array of shape {}: expected {} numbers, one "
                "for each server",
                sim::format_seconds(see_.now()),
                job.name,
                std::string(py::str(array.attr("shape"))),
                scores_.size()));
        }
    }
    const auto none = std::ranges::find_if(scores_, [](double score) { return std::isnan(score); });
    if (none != scores_.end()) {
        throw sim::SchedulerError(
            fmt::format("at {} s: score() of pod '{}' gave NaN for server {}: expected a number",
                        sim::format_seconds(see_.now()),
                        job.name,
                        none - scores_.begin()));
    }
}

}  // namespace berth::python
