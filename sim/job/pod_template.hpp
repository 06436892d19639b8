#pragma once

namespace berth::sim {

/// What the specs of a job's pods say, as a scheduler that reads them itself has read them. Only
/// that scheduler knows what is in it.
struct PodTemplate {
    PodTemplate() = default;
    PodTemplate(const PodTemplate&) = delete;
    PodTemplate& operator=(const PodTemplate&) = delete;
    virtual ~PodTemplate() = default;
};

}  // namespace berth::sim
