#include "parsed.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "experiments/program/support/documents.hpp"
#include "topologies/read_topology.hpp"
#include "topologies/writers.hpp"

namespace berth::tests {

core::Value parsed(const std::string& text) {
    const auto source =
        std::make_shared<const core::SourceText>(core::SourceText{"test.yaml", text});
    std::vector<core::Value> documents = experiments::parse_documents(source);
    REQUIRE(documents.size() == 1);
    return std::move(documents.front());
}

Reading read(const std::string& text, const core::ResourceSchema& also) {
    core::Diagnostics diagnostics;
    Reading reading;
    reading.topology = topologies::read_topology(parsed(text), also, diagnostics);
    reading.warnings = diagnostics.warnings();
    try {
        diagnostics.throw_if_failed();
    } catch (const core::InputError& error) {
        reading.errors = error.what();
    }
    CHECK(reading.topology.has_value() == reading.errors.empty());
    return reading;
}

core::Topology topology_of(const std::string& text) {
    Reading reading = read(text);
    INFO(reading.errors);
    REQUIRE(reading.topology);
    return std::move(*reading.topology);
}

std::string dump(const core::Topology& topology) {
    std::ostringstream out;
    topologies::write_json(out, topology);
    return out.str();
}

}  // namespace berth::tests
