#include "experiments/python/module/profile_view.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <utility>

#include "experiments/python/module/arrays.hpp"
#include "sim/clock/time.hpp"

namespace berth::python {

namespace py = pybind11;

ProfileView::ProfileView(const sim::Actions& see,
                         bool shared_gpus,
                         std::uint32_t replication,
                         std::uint64_t seed)
    : run_(see),
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

void ProfileView::write_gpus(core::ServerId server) {
    const auto free = run_.cluster().ledger().gpus().free(server);
    const auto begin = gpus_->begin() + static_cast<std::ptrdiff_t>(server.index * devices_max_);
    std::ranges::transform(
        free, begin, [](core::GpuMilli milli) { return static_cast<std::int16_t>(milli); });
}

const sim::Actions& ProfileView::see() const {
    check(looks_ > 0);
    return run_;
}

double ProfileView::now() const {
    return sim::seconds(see().now());
}

py::object ProfileView::free() {
    const std::size_t resources = see().cluster().ledger().resource_count();
    (void)free_amounts_.rows();  // brings the amounts up to date
    if (!free_) {
        free_ = array_over(free_amounts_.shared_rows(), resources);
    }
    return free_;
}

py::object ProfileView::capacity() {
    if (!capacity_) {
        capacity_ = array_over(capacities_, see().cluster().ledger().resource_count());
    }
    return capacity_;
}

py::object ProfileView::gpu_free() {
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

py::object ProfileView::gpu_models() const {
    if (!gpu_changes_) {
        return py::none();
    }
    const core::GpuShares& shares = see().cluster().ledger().gpus();
    std::vector<std::optional<std::string>> models;
    for (std::uint32_t i = 0; i < server_count(); ++i) {
        const std::string& model = shares.models().names()[shares.model(core::ServerId{i})];
        models.push_back(model.empty() ? std::nullopt : std::optional(model));
    }
    return py::cast(models);
}

std::vector<std::string> ProfileView::servers() const {
    const core::Topology& tree = see().cluster().topology();
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < tree.server_count(); ++i) {
        names.emplace_back(tree.name(tree.node_of(core::ServerId{i})));
    }
    return names;
}

std::vector<std::string> ProfileView::resources() const {
    return see().cluster().topology().resources().names();
}

std::vector<core::Amount> ProfileView::per_unit() const {
    const core::ResourceSchema& schema = see().cluster().topology().resources();
    std::vector<core::Amount> units;
    for (std::size_t resource = 0; resource < schema.size(); ++resource) {
        units.push_back(schema.per_unit(resource));
    }
    return units;
}

std::size_t ProfileView::server_count() const {
    return run_.cluster().topology().server_count();
}

}  // namespace berth::python
