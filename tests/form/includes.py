#!/usr/bin/env python3
"""Checks that each file includes what it names, since a header that comes in through another one may disappear with it.

Looks at the standard library and at the libraries berth is built on. Headers that an included header of berth needs
for its interface do not have to be included again. Prints `FILE:LINE: std::map: include <map>`.
"""
import re
import sys
from pathlib import Path

FOLDERS = ("core", "topologies", "sim", "schedulers", "workloads", "experiments", "tests")

# The names that each header provides; a message proposes the first header that fits.
HEADERS = {
    "algorithm": "sort stable_sort min max clamp find find_if any_of all_of none_of lower_bound upper_bound "
                 "nth_element reverse count_if max_element min_element binary_search unique remove_if "
                 "is_sorted partition_point set_difference set_intersection minmax",
    "array": "array to_array",
    "atomic": "atomic atomic_flag",
    "bit": "popcount countr_zero countl_zero bit_width bit_cast has_single_bit",
    "charconv": "from_chars to_chars",
    "chrono": "chrono",
    "cmath": "isfinite isnan llround lround floor ceil sqrt pow exp log1p fabs hypot",
    "condition_variable": "condition_variable",
    "cstdlib": "getenv exit abort strtod",
    "deque": "deque",
    "exception": "exception_ptr current_exception",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream fstream",
    "functional": "function reference_wrapper",
    "iostream": "cout cerr cin clog",
    "iterator": "back_inserter istreambuf_iterator inserter make_move_iterator",
    "limits": "numeric_limits",
    "map": "map multimap",
    "memory": "unique_ptr shared_ptr make_unique make_shared weak_ptr",
    "mutex": "mutex lock_guard unique_lock scoped_lock",
    "numbers": "numbers",
    "numeric": "accumulate iota gcd lcm reduce inner_product",
    "optional": "optional nullopt",
    "queue": "priority_queue queue",
    "random": "mt19937 mt19937_64 uniform_int_distribution",
    "set": "set multiset",
    "span": "span",
    "sstream": "istringstream ostringstream stringstream",
    "string": "string to_string getline",
    "string_view": "string_view",
    "system_error": "error_code system_error generic_category",
    "thread": "thread jthread",
    "tuple": "tuple tie make_tuple",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "variant": "variant visit holds_alternative get_if monostate",
    "vector": "vector",
}
HEADER_OF = {f"std::{name}": header for header, names in HEADERS.items() for name in names.split()}
LIBRARIES = {"fmt": "fmt/format.h", "Eigen": "Eigen/Core", "nlohmann": "nlohmann/json.hpp",
             "YAML": "yaml-cpp/yaml.h"}

NAME = re.compile(r"\bstd::(?:ranges::)?(\w+)|\b(fmt|Eigen|nlohmann|YAML)::")
INCLUDE = re.compile(r'^#include [<"]([^>"]+)[>"]', re.M)
NOT_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/',
                      re.S)


def code_of(text):
    """The text without comments and literals; all lines keep their numbers."""
    includes = [line if line.startswith("#include") else "" for line in text.split("\n")]
    blank = NOT_CODE.sub(lambda found: "\n" * found.group(0).count("\n") or '""', text)
    return "\n".join(line if not include else "" for line, include in zip(blank.split("\n"), includes))


def included(root, file):
    """What a file includes, and what the headers of berth that it includes need for their interfaces."""
    found = set(INCLUDE.findall(file.read_text()))
    for header in [root / name for name in found if (root / name).is_file()]:
        found |= set(INCLUDE.findall(header.read_text()))
    return found


def missing(root, file):
    """(line, name, header) of the first name whose header is not included, for each header."""
    has = included(root, file)
    libraries = {header.split("/")[0] for header in has}
    told = set()
    for number, line in enumerate(code_of(file.read_text()).split("\n"), 1):
        for standard, library in NAME.findall(line):
            name = f"std::{standard}" if standard else f"{library}::"
            header = HEADER_OF.get(name) if standard else LIBRARIES[library]
            there = header in has if standard else header.split("/")[0] in libraries
            if header and not there and header not in told:
                told.add(header)
                yield number, name, header


def main():
    root = Path(sys.argv[1]).resolve()
    faults = 0
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*.[ch]pp")):
            if "node_modules" in file.parts:
                continue
            for line, name, header in missing(root, file):
                print(f"{file.relative_to(root)}:{line}: {name}: include <{header}>")
                faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
