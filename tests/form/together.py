#!/usr/bin/env python3
"""Which files can be read together, as one file: those whose private names no other file of the list uses.

together.py ROOT AT_ONCE FILE...  prints each list, of at most AT_ONCE files, as a line separated by `;`

Reading the headers takes most of what a compiler or clang-tidy does with a file of berth.
"""
import functools
import itertools
import re
import sys
from pathlib import Path

UNNAMED = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.M | re.S)
TYPE = re.compile(r"^(?:struct|class|enum class|enum|concept)\s+(\w+)", re.M)
VALUE = re.compile(r"^(?!\s|//|template|struct|class|enum|using|namespace|\}).*?(::)?\b(\w+)\s*(\(|\{|=|;|\[)", re.M)
ENUMERATORS = re.compile(r"^enum (?!class)\w*[^{]*\{(.*?)\}", re.M | re.S)
ALIAS = re.compile(r"^using (\w+) =.*|^using ([\w:]*)::(\w+);", re.M)
COMMENT_OR_TEXT = re.compile(r'^#include.*|//.*|"(?:[^"\\\n]|\\.)*"', re.M)
WORD = re.compile(r"(?<![\w.>:])[A-Za-z_]\w*\(?")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
OUTSIDE = re.compile(r"^#include <([^>]+)>", re.M)


def defined(text):
    """The names of types, enumerators, variables and functions; those of functions end with a bracket."""
    names = set(TYPE.findall(text))
    for enumerators in ENUMERATORS.findall(text):
        names.update(WORD.findall(COMMENT_OR_TEXT.sub("", enumerators)))
    # A variable may have the name of another file's function, as long as it is not called.
    names.update(name + bracket.strip("{=;[") for member, name, bracket in VALUE.findall(text) if not member)
    return names


def read_by(files, root):
    """The files, and the headers of berth that they include directly or indirectly."""
    seen, left = set(), list(files)
    while left:
        file = left.pop()
        if file not in seen and file.is_file():
            seen.add(file)
            left += [root / name for name in INCLUDE.findall(text_of(file))]
    return sorted(seen)


@functools.cache
def text_of(file):
    return file.read_text()


@functools.cache
def declared(file):
    return defined(text_of(file)) | {alias[1] for alias in ALIAS.finditer(text_of(file)) if alias[1]}


class Names:
    """The names that a file keeps private, and those that it uses without a qualifier; rather too many than too few."""

    def __init__(self, file, root):
        text = text_of(file)
        self.own = {name: "" for block in UNNAMED.findall(text) for name in defined(block)}
        words = set(WORD.findall(COMMENT_OR_TEXT.sub("", text)))
        self.known = words | {word.rstrip("(") for word in words}
        # Two files may give the same thing the same name.
        for alias in ALIAS.finditer(text):
            self.own[alias[1] or alias[3]] = alias[0]
        # The declarations of other folders are in other namespaces.
        folder = root / file.relative_to(root).parts[0]
        for header in read_by([file], root):
            if header != file and header.is_relative_to(folder):
                self.known |= {word.rstrip("(") for word in declared(header)} | declared(header)

    def agree(self, other):
        return self._suits(other) and other._suits(self)

    def _suits(self, other):
        return all(self.own[name] and self.own[name] == other.own.get(name)
                   for name in self.own.keys() & other.known)


def reading(file, root):
    """What a file makes the compiler read, with weights: the length for headers of berth, a guess for others."""
    seen = read_by([file], root)
    weights = {header: len(text_of(header)) for header in seen if header != file}
    outside = {name for read in seen for name in OUTSIDE.findall(text_of(read)) if "/" in name}
    return weights | dict.fromkeys(outside, 40_000)


class Batch:
    """Files that are read as one, and the headers that they read."""

    def __init__(self):
        self.files, self.read = [], {}

    def alike(self, read):
        """The weight of the headers that both read, as a share of those that either reads."""
        either = sum((self.read | read).values())
        return sum(read[name] for name in self.read.keys() & read.keys()) / either if either else 1


def clashes(files, root):
    """For each file, the files with which it cannot be read together."""
    names = [Names(file, root) for file in files]
    found = {file: set() for file in files}
    for (a, of_a), (b, of_b) in itertools.combinations(zip(files, names), 2):
        if not of_a.agree(of_b):
            found[a].add(b)
            found[b].add(a)
    return found


def batches(files, root, at_once):
    """Groups the files into few lists of at most `at_once` files, none of which clashes with another of its list.

    Files with the most clashes come first, since they have the least choice; each file goes to the list that reads the
    most similar headers.
    """
    apart = clashes(files, root)
    made = []
    for file in sorted(files, key=lambda file: -len(apart[file])):
        read = reading(file, root)
        fit = [batch for batch in made if len(batch.files) < at_once and apart[file].isdisjoint(batch.files)]
        if not fit:
            fit = [Batch()]
            made += fit
        best = max(fit, key=lambda batch: batch.alike(read))
        best.files.append(file)
        best.read |= read
    return [batch.files for batch in made]


def main():
    root = Path(sys.argv[1]).resolve()
    for members in batches([Path(name).resolve() for name in sys.argv[3:]], root, int(sys.argv[2])):
        print(";".join(map(str, members)))


if __name__ == "__main__":
    main()
