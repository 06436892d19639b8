#include "experiments/python/module/asked_progress.hpp"

#include <utility>

namespace berth::python {

namespace py = pybind11;

void AskedProgress::begin(std::function<experiments::HowFar()> how_far) {
    const std::lock_guard lock(mutex_);
    how_far_ = std::move(how_far);
}

void AskedProgress::end() {
    const std::lock_guard lock(mutex_);
    last_ = how_far_();
    how_far_ = nullptr;
}

experiments::HowFar AskedProgress::ask() {
    const std::lock_guard lock(mutex_);
    return how_far_ ? how_far_() : last_;
}

std::function<void()> AskedProgress::teller(const py::object& tell) {
    if (tell.is_none()) {
        return {};
    }
    return [this, &tell] {
        const experiments::HowFar now = ask();
        if (!now.line.empty()) {
            tell(now.line, now.done, now.total);
        }
    };
}

}  // namespace berth::python
