#include "experiments/c/handle.hpp"

#include <charconv>
#include <string_view>
#include <system_error>

namespace berth::c {

ClusterArrays::ClusterArrays(const core::Topology& tree) {
    for (std::uint32_t i = 0; i < tree.server_count(); ++i) {
        const core::ServerId server{i};
        names_.emplace_back(tree.name(tree.node_of(server)));
        const core::Amounts& here = tree.machine_type(server).capacity;
        capacity_.insert(capacity_.end(), here.begin(), here.end());
    }
    const core::ResourceSchema& schema = tree.resources();
    for (std::size_t resource = 0; resource < schema.size(); ++resource) {
        names_.push_back(schema.name(resource));
        per_unit_.push_back(schema.per_unit(resource));
    }
    for (const std::string& name : names_) {
        letters_.push_back(name.c_str());
    }
}

berth_cluster ClusterArrays::view() const {
    const std::size_t resources = per_unit_.size();
    const std::size_t servers = letters_.size() - resources;
    return {servers,
            resources,
            letters_.data(),
            letters_.data() + servers,
            per_unit_.data(),
            capacity_.data()};
}

namespace {

/// Takes `:NUMBER` off the end of a text and returns the number; 0: the text ends otherwise.
int take_number(std::string_view& text) {
    const std::size_t colon = text.rfind(':');
    int number = 0;
    if (colon == std::string_view::npos) {
        return 0;
    }
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, number);
    if (error != std::errc() || rest != end || number < 1) {
        return 0;
    }
    text = text.substr(0, colon);
    return number;
}

}  // namespace

ErrorPlace place_of(const std::string& message) {
    const std::string_view first = std::string_view(message).substr(0, message.find('\n'));
    const std::size_t end = first.find(": error: ");
    if (end == std::string_view::npos) {
        return {};
    }
    std::string_view file = first.substr(0, end);
    const int column = take_number(file);
    const int line = take_number(file);
    return line > 0 && column > 0 ? ErrorPlace{std::string(file), line, column}
                                  : ErrorPlace{std::string(first.substr(0, end)), 0, 0};
}

}  // namespace berth::c
