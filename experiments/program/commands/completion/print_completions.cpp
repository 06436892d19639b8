#include "experiments/program/commands/completion/print_completions.hpp"

#include <exception>

#include "experiments/program/commands/completion/complete.hpp"
#include "experiments/program/commands/completion/shell_words.hpp"

namespace berth::experiments {

namespace {

using Words = std::vector<std::string>;

/// What is a line of its own, or a field of it, would be taken for two.
bool fits_a_line(const std::string& text) {
    return text.find_first_of("\t\n") == std::string::npos;
}

void print_for_bash(const std::string& line, const std::string& exchanged, std::ostream& out) {
    Words words = shell_words(line);
    words.erase(words.begin());
    if (words.empty() || !line.ends_with(exchanged)) {
        return;
    }
    // What bash keeps of the word may have opened a quote that is not closed yet.
    const std::string before = line.substr(0, line.size() - exchanged.size());
    const std::size_t kept = shell_words(before).back().size();
    for (const Completion& completion : complete(words)) {
        if (fits_a_line(completion.text)) {
            out << completion.text.substr(kept) << '\n';
        }
    }
}

void print_with_meanings(const Words& words, std::ostream& out) {
    for (const Completion& completion : complete(words)) {
        if (fits_a_line(completion.text) && fits_a_line(completion.meaning)) {
            out << completion.text << '\t' << completion.meaning << '\n';
        }
    }
}

}  // namespace

void print_completions(const Words& arguments, std::ostream& out) {
    try {
        if (arguments.size() == 3 && arguments[0] == "bash") {
            print_for_bash(arguments[1], arguments[2], out);
        } else if (!arguments.empty() && (arguments[0] == "fish" || arguments[0] == "zsh")) {
            print_with_meanings({arguments.begin() + 1, arguments.end()}, out);
        }
    } catch (const std::exception&) {
        return;  // a run that cannot be read has nothing to offer
    }
}

}  // namespace berth::experiments
