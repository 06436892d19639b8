#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/allocation_candidates/provider_forest.hpp"
#include "core/support/source.hpp"
#include "experiments/program/config/cluster/read_providers.hpp"

namespace berth::experiments {

/// A query as a user wrote it, and the query string in it.
class CandidateQueryText {
public:
    /// Takes the text behind the `?` of `GET /allocation_candidates?...`, or the whole text if
    /// there is none. White space is removed. `<NAME uuid>` or `<NAME>` is replaced by the uuid of
    /// the provider of that name, or, in a `member_of`, of the aggregate.
    /// Errors: InputError at a name that belongs to nothing, or to several providers.
    CandidateQueryText(std::string_view text, const ProviderList& list);

    [[nodiscard]] const std::string& query() const { return query_; }
    /// The error of the query, at the parameter that is wrong if a single one is.
    [[nodiscard]] core::InputError error(std::string_view reason,
                                         const core::ProviderForest& forest) const;

private:
    /// The place of a part of the query string, or of a part of the text.
    [[nodiscard]] core::SourceSpan span(std::size_t begin, std::size_t length) const;
    [[nodiscard]] core::SourceSpan written(std::size_t begin, std::size_t end) const;
    void append(std::string_view text, std::size_t place);
    /// The uuid for the name between two brackets of the text.
    [[nodiscard]] std::string uuid_of(std::size_t open,
                                      std::size_t close,
                                      const ProviderList& list) const;

    std::shared_ptr<core::SourceText> source_;
    std::string query_;
    std::vector<std::size_t> place_;  ///< For each character of the query: its offset in the text.
};

}  // namespace berth::experiments
