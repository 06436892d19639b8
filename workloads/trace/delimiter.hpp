#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::workloads {

/// What separates the columns of a table: of `,`, `;`, tab and `|`, the one that cuts its header
/// into the most names. Where several cut equally often, or none does, it is `usual`.
[[nodiscard]] char delimiter_of(std::string_view header, char usual);

/// The names in a header, without quotes and blanks around them.
[[nodiscard]] std::vector<std::string> names_in(std::string_view header, char delimiter);

/// For messages: `';'`, `tabs`.
[[nodiscard]] std::string described_delimiter(char delimiter);

}  // namespace berth::workloads
