#pragma once

#include <boost/program_options.hpp>

#include <string>
#include <string_view>

namespace berth::experiments {

/// The texts that the help of berth itself and its manual page share.
inline constexpr std::string_view program_summary = "a simulator for scheduling on GPU clusters";
inline constexpr std::string_view exit_statuses =
    "0 done, 1 failed while running, 2 wrong command line or input,\n130 interrupted.\n";

/// How a long text is broken into lines.
struct Wrapping {
    std::size_t column = 0;           ///< Where the first line begins, because of the text before
                                      ///< it.
    std::size_t indent = 0;           ///< Indentation of the further lines.
    std::string_view continued = {};  ///< The end of each line that is continued: ` \` for a shell.
};

/// Breaks a text between words, but neither within brackets nor between an option and its value, so
/// that no line is wider than a terminal of 80 columns. The result ends in a line end.
[[nodiscard]] std::string wrapped(std::string_view text, const Wrapping& how);

/// The short form of an option, `-o`; empty if it has none.
[[nodiscard]] std::string short_form(const boost::program_options::option_description& option);

/// The options and their meanings in two columns, under their caption.
[[nodiscard]] std::string options_text(const boost::program_options::options_description& options);

/// The manual page of a command, or of berth itself if the name is empty, in the language of
/// man(7). It uses the same texts as `--help`.
/// Errors: core::InputError for an unknown command.
[[nodiscard]] std::string manual_page(std::string_view command);

}  // namespace berth::experiments
